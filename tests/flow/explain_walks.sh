#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What explain makes of dumps, against the slow matcher and the device's own walk. A sanitizer takes its time, so it
# gets fewer sets of rules; DVX_SETS chooses another number.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/dvx-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
echo "1..2"
sets=${DVX_SETS-30}
[ -z "${DVX_TEST_LONG-}" ] || sets=430
if ldd "${top_builddir:?}/src/sim/dvx-sim-server" | grep -q 'lib[atu]*san'; then
	sets=12
fi
"$top_builddir/tools/dvx-sim/dvx-sim" run --trace="$scratch/trace" -- \
	"$top_builddir/tests/flow/explain_walks" "$scratch/walks" $sets 100 || exit 1
"${PERL:-perl}" "${top_srcdir:?}/tests/flow/ways.pl" "$scratch/walks" "$scratch/trace"
