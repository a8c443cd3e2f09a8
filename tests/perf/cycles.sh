#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reports cycles of the hot path beside loops written by hand, and libmlx5's. No time fails a test: a crash does.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
[ "$(uname -m)" = x86_64 ] || skip_all "cycles are read by an x86-64 instruction"
[ -z "$DVX_SAN" ] || skip_all "this build has sanitizers ($DVX_SAN)"

lib=${top_builddir:?}/src/lib/.libs
${CC:-gcc} -std=gnu11 -O2 -I"$top_builddir/include" -I"${top_srcdir:?}/include" \
	-o "$scratch/cycles" "$top_srcdir/tests/perf/cycles.c" "$top_srcdir/tests/perf/cycles_verbs.c" \
	"$top_srcdir/tests/verbs/verbs_qp.c" \
	-L"$lib" -Wl,-rpath,"$lib" -ldvx -lmlx5 -libverbs || exit 99
"$dvx_sim" run -- "$scratch/cycles" >"$scratch/said"
report $? "cycles of posts and polls (of the time stamp counter, least of many runs)"
sed 's/^/# /' "$scratch/said"
${CC:-gcc} -std=gnu11 -O2 -I"$top_builddir/include" -I"${top_srcdir:?}/include" \
	-o "$scratch/rules" "$top_srcdir/tests/perf/cycles_rules.c" -L"$lib" -Wl,-rpath,"$lib" -ldvx || exit 99
"$scratch/rules" >"$scratch/said"
report $? "cycles of rules by requests"
sed 's/^/# /' "$scratch/said"
plan
