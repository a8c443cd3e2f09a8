#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rules as text, and edits, counters, the committed file over hardware steering: flow_rules.sh once more.
steering=hws
. "${top_srcdir:?}/tests/flow/flow_rules.sh"
