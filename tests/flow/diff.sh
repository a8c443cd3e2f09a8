#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random rule files and packets: the device against the slow matcher. A sanitizer takes its time, so
# it gets fewer pairs; DVX_PAIRS="SETS PACKETS SEED" chooses others. hws_diff.sh sets `steering`.
steering=${steering-}
sets="50 1000"
[ -z "$steering" ] || sets="20 400" # each random rule is tried on the device
[ -z "${DVX_TEST_LONG-}" ] || sets="1000 1000"
if ldd "${top_builddir:?}/src/sim/dvx-sim-server" | grep -q 'lib[atu]*san'; then
	sets="30 400"
fi
# shellcheck disable=SC2086 # words
exec "$top_builddir/tools/dvx-sim/dvx-sim" run ${steering:+--set chip=bf3} -- "$top_builddir/tests/flow/diff" \
	${DVX_PAIRS:-$sets 1} $steering
