#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random rule files and packets: the device against the slow matcher. A sanitizer takes its time, so
# it gets fewer pairs; DVX_PAIRS="SETS PACKETS SEED" chooses others.
sets="50 1000"
[ -z "${DVX_TEST_LONG-}" ] || sets="1000 1000"
if ldd "${top_builddir:?}/src/sim/dvx-sim-server" | grep -q 'lib[atu]*san'; then
	sets="30 400"
fi
# shellcheck disable=SC2086 # words
exec "$top_builddir/tools/dvx-sim/dvx-sim" run -- "$top_builddir/tests/flow/diff" \
	${DVX_PAIRS:-$sets}
