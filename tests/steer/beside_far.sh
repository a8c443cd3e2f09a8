#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# beside_far.sh FUNCTION PROGRAM: runs the program on the chip near, beside dr_fdb_peer on the chip far; no test.
# What the program wrote to the file SHOWN is the output.
mkfifo "$TO_PEER" "$FROM_PEER"
limit=300
[ -z "${DVX_TEST_LONG-}" ] || limit=3000
sim=$top_builddir/tools/dvx-sim/dvx-sim
"$sim" exec far -- timeout $limit "$top_builddir/tests/steer/dr_fdb_peer" <"$TO_PEER" >"$FROM_PEER" &
peer=$!
"$sim" exec near -f "$1" -- timeout $limit "$2" >&2
code=$?
[ "$code" = 0 ] || kill "$peer" 2>/dev/null # its pipes have no other end
wait "$peer" && [ "$code" = 0 ] && cat "$SHOWN"
code=$?
rm -f "$TO_PEER" "$FROM_PEER"
exit "$code"
