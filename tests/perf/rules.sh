#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a rule of hardware steering costs the device as many instructions among 1,000,000 as among 1,000, from its WQE
# to its completion; and that a packet that meets one costs at most 1.25 times what it costs by an entry of software.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count
writes=${top_builddir:?}/tests/perf/rules_wqe
walks=$top_builddir/tests/perf/rules_walk
needs "$writes"
needs "$walks"
many=30000
[ -z "${DVX_TEST_LONG-}" ] || many=1000000
packets=2000

for rules in 1000 $many; do
	judge "a rule of $rules, written and removed: half of it" \
		$(($(counted rules_burst "$writes" "$rules") / 2 / rules)) 600
done
entry=$(($(counted connection_met "$walks" entry 10000 $packets) / packets))
for rules in 1000 $many; do
	judge "a packet that meets one of $rules rules (an entry of software: $entry)" \
		$(($(counted connection_met "$walks" rule "$rules" $packets) / packets)) $((entry * 125 / 100))
done

# Collecting stops while libdvx waits for the device. Libtool's wrapper is a script.
needs "$top_builddir/tests/perf/rules_easy"
program=$top_builddir/tests/perf/.libs/rules_easy
[ -x "$program" ] || program=$top_builddir/tests/perf/rules_easy
easy() { # CALL BUDGET
	printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s\nexec valgrind --tool=callgrind --callgrind-out-file=%s %s %s %s 2000\n' \
		"$top_builddir/src/lib/.libs" "$tmp/cg" "--toggle-collect=$1" \
		--toggle-collect=dvx_service_queue_wait "$program" >"$tmp/run"
	rm -f "$tmp/cg"
	"$dvx_sim" run --set chip=bf3 -- sh "$tmp/run" >"$tmp/log" 2>&1 </dev/null || sed 's/^/# /' "$tmp/log"
	judge "$1(), one of 2000 with its part of a doorbell, without waiting" $(($(total) / 2000)) "$2"
}
easy dvx_rules_insert 230
easy dvx_rules_delete 195
plan
