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

# costs KIND N: instructions of a destruction, and of a creation, of which there are two
costs() {
	counted_parts call_counted "queue_made queue_ended" "$program" "$@" | xargs | awk '{ print $1, int($2 / 2) }'
}
for kind in cq qp; do
	few=$(costs $kind 100)
	got=$(costs $kind $many)
	judge "$kind, destruction among $many (${few% *} among 100)" "${got% *}" $((${few% *} * 13 / 10))
	judge "$kind, creation among $many (${few#* } among 100)" "${got#* }" $((${few#* } * 13 / 10))
done
plan
