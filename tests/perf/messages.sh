#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The device's instructions for an 8-byte message between two queue pairs of one chip that nobody
# observes: alone, and eight for each doorbell.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count
needs "${top_builddir:?}/tests/perf/messages"

rounds=300
while read -r operation lone windowed; do
	for window in 1 8; do
		[ "$window" = 1 ] && budget=$lone || budget=$windowed
		judge "$operation, $window for each doorbell" \
			$(($(counted turn "$top_builddir/tests/perf/messages" "$operation" $window $rounds) / rounds / window)) \
			"$budget"
	done
done <<EOF
write 1340 755
read 1360 770
send 2235 1270
faa 1960 1130
ud 2240 1340
EOF
plan
