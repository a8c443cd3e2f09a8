#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a packet costs the device as much among 1,000 meters and 100,000 tracked connections as among
# 10: instructions of an entry with its object. 1.2 times is allowed.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count
program=${top_builddir:?}/tests/perf/aso_walk
needs "$program"
packets=2000

for kind in meter:1000 connection:100000; do
	many=${kind#*:} kind=${kind%:*}
	few=$(($(counted aso_met "$program" "$kind" 10 $packets) / packets))
	judge "$kind, a packet among $many ($few among 10)" \
		$(($(counted aso_met "$program" "$kind" "$many" $packets) / packets)) $((few * 12 / 10))
done
plan
