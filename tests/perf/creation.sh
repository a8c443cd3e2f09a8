#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a queue costs the device as much among 2,000 others (10,000 in check long) as among 100:
# instructions of its creation and of its destruction. 1.3 times is allowed for the depth of trees.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count
program=${top_builddir:?}/tests/perf/creation
needs "$program"
many=${DVX_TEST_LONG:+10000}
many=${many:-2000}

# function of the program, how often it is called
for kind in cq qp; do
	for fn in queue_made:2 queue_ended:1; do
		times=${fn#*:} fn=${fn%:*}
		few=$(($(counted "$fn" "$program" "$kind" 100) / times))
		judge "$kind, $fn, among $many ($few among 100)" \
			$(($(counted "$fn" "$program" "$kind" $many) / times)) $((few * 13 / 10))
	done
done
plan
