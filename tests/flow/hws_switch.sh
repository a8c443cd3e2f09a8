#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rules of the e-switch over hardware steering: switch.sh once more.
steering=hws
. "${top_srcdir:?}/tests/flow/switch.sh"
