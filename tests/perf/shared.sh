#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a ring whose pages are shared costs its program as much among 4,000 others as among 100:
# instructions of its umem, made and destroyed, and that all are shared.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count
program=${top_builddir:?}/tests/perf/shared_rings
needs "$program"
# Before, all mappings are read for each piece that returns, so there are 1,024 pieces at most.
printf '6.11\n%s\n' "$(uname -r)" | sort -VC || skip_all "Linux before 6.11 does not tell one mapping"

# shared N: the instructions among N; how many pieces there are is in $tmp/pieces
shared() {
	printf '#!/bin/sh\nexec valgrind --tool=callgrind --callgrind-out-file=%s %s %s %s >%s\n' \
		"$tmp/cg" --toggle-collect=ring_more "$program" "$1" "$tmp/pieces" >"$tmp/run"
	rm -f "$tmp/cg"
	timeout 600 "$dvx_sim" run -- sh "$tmp/run" >"$tmp/log" 2>&1 </dev/null || sed 's/^/# /' "$tmp/log" >&2
	total
}

few=$(shared 100)
for n in 900 4000; do
	judge "a ring, made and destroyed, among $n ($few among 100)" "$(shared $n)" $((few * 13 / 10))
	check "$n rings are shared" test "$(cat "$tmp/pieces")" -ge $n
done
plan
