#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The device's instructions for an 8-byte message between two queue pairs of one chip that nobody
# observes: alone, and eight for each doorbell; and that they are at most 20 % more while dvx-sim stat counts.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count
needs "${top_builddir:?}/tests/perf/messages"

# messages OPERATION ROUNDS stat|plain WINDOW...: the instructions of a message of each window
messages() {
	rounds=$2
	totals=$(counted_parts window_done turn "$top_builddir/tests/perf/messages" "$@")
	shift 3
	for total in $totals; do
		echo $((total / rounds / $1))
		shift
	done
}
while read -r operation lone windowed; do
	# shellcheck disable=SC2046 # words
	set -- $(messages "$operation" 300 plain 1 8)
	judge "$operation, 1 for each doorbell" "$1" "$lone"
	judge "$operation, 8 for each doorbell" "$2" "$windowed"
	echo "$2" >"$tmp/$operation"
done <<EOF
write 1020 515
read 1020 515
send 1980 1100
faa 1700 980
ud 1955 1165
EOF
# Long enough for the share of sends whose keys and pages dvx-sim stat looks at.
for operation in write send; do
	judge "$operation, counted" "$(messages $operation 2000 stat 8)" $(($(cat "$tmp/$operation") * 120 / 100))
done
plan
