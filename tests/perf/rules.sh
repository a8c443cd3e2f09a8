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
many=100000
[ -z "${DVX_TEST_LONG-}" ] || many=1000000
packets=2000

for rules in 1000 $many; do
	judge "a rule of $rules, written and removed: half of it" \
		$(($(counted rules_burst "$writes" "$rules") / 2 / rules)) 760
done
entry=$(($(counted connection_met "$walks" entry 10000 $packets) / packets))
for rules in 1000 $many; do
	judge "a packet that meets one of $rules rules (an entry of software: $entry)" \
		$(($(counted connection_met "$walks" rule "$rules" $packets) / packets)) $((entry * 125 / 100))
done
plan
