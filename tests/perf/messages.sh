#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The device's instructions for an 8-byte message between two queue pairs of one chip that nobody
# observes: alone, and eight for each doorbell; and that they are at most 20 % more while dvx-sim stat counts.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count
needs "${top_builddir:?}/tests/perf/messages"

# message OPERATION WINDOW ROUNDS [stat]: the instructions of a message
message() { echo $(($(counted turn "$top_builddir/tests/perf/messages" "$@") / $3 / $2)); }
rounds=300
while read -r operation lone windowed; do
	for window in 1 8; do
		[ "$window" = 1 ] && budget=$lone || budget=$windowed
		got=$(message "$operation" $window $rounds)
		echo "$got" >"$tmp/$operation.$window"
		judge "$operation, $window for each doorbell" "$got" "$budget"
	done
done <<EOF
write 1020 515
read 1020 515
send 1980 1100
faa 1700 980
ud 1955 1165
EOF
# Long enough for the share of sends whose keys and pages dvx-sim stat looks at.
for operation in write send; do
	judge "$operation, counted" "$(message $operation 8 2000 stat)" $(($(cat "$tmp/$operation.8") * 120 / 100))
done
plan
