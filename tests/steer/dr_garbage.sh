#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that garbage in steering memory costs packets and sentences, and no more: the device is
# well afterwards, for the program that wrote it and for the next.
. "$top_srcdir/tests/tap.sh"
log=$scratch/dvx-sim/g/log

well() { "$dvx_sim" exec g -- timeout 300 "$top_builddir/tests/steer/dr_limits"; }
tells() { grep -q "is lost: $1" "$log"; }
bounded() { [ "$(grep -c 'is lost' "$log")" -lt 100 ]; }
nothing_left() { "$dvx_sim" ls | grep -A1 'host ' | grep -q 'objects: none'; }

"$dvx_sim" up --set log_ste_icm=27 g >&2 || exit 99
chips=g
check "a program writes garbage and sends packets through it" \
	"$dvx_sim" exec g -- timeout 300 "$top_builddir/tests/steer/dr_garbage"
check "an unknown lookup type is named" tells 'the entry at 0x[0-9a-f]* has lookup type'
check "many packets produce few log lines" bounded
check "nothing of it is left" nothing_left
check "the next program finds the device well" well
plan
