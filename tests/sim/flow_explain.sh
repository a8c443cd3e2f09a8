#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What explain makes of dumps, against the slow matcher and the device's own walk.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/dvx-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
echo "1..2"
"${top_builddir:?}/tools/dvx-sim/dvx-sim" run --trace="$scratch/trace" -- \
	"$top_builddir/tests/sim/flow_explain" "$scratch/walks" ${DVX_TEST_LONG:+4}30 100 || exit 1
"${PERL:-perl}" "${top_srcdir:?}/tests/sim/flow_ways.pl" "$scratch/walks" "$scratch/trace"
