#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rules as text, and edits, counters, the committed file over hardware steering: flow_rules.sh once more.
# hws_edit.sh, hws_diff.sh and the others have hardware steering's share of check.
[ -n "${DVX_TEST_LONG-}" ] || { echo "1..0 # SKIP check long runs it"; exit 0; }
steering=hws
. "${top_srcdir:?}/tests/flow/flow_rules.sh"
