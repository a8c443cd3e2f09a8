# SPDX-License-Identifier: BSD-2-Clause
# Sourced: instructions counted by callgrind, where that can be done; TAP.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
tmp=$scratch

# Prints why instructions can't be counted here.
uncounted() {
	[ "$(uname -m)" = x86_64 ] || echo "budgets are for x86-64"
	[ -z "$DVX_SAN" ] || echo "this build has sanitizers ($DVX_SAN)"
	command -v valgrind >/dev/null || echo "valgrind is not installed"
}

# Without a way to count there is no test.
must_count() {
	[ -z "$(uncounted)" ] && return
	echo "WARNING: instructions were NOT counted: $(uncounted)" >&2
	skip_all "$(uncounted | head -n 1)"
}

# counted FUNCTION COMMAND...: the instructions within the function
counted() {
	fn=$1
	shift
	rm -f "$tmp/cg"
	valgrind --tool=callgrind --callgrind-out-file="$tmp/cg" --toggle-collect="$fn" "$@" \
		>"$tmp/log" 2>&1 </dev/null || cat "$tmp/log" >&2
	total
}
# counted_parts MARK "FUNCTION..." COMMAND...: the instructions within the functions up to each return of MARK, another
# function, a line for each: a start under valgrind takes longer than most of what is counted
counted_parts() {
	options=--dump-after=$1
	for fn in $2; do options="$options --toggle-collect=$fn"; done
	shift 2
	rm -f "$tmp"/cg*
	# shellcheck disable=SC2086 # words
	valgrind --tool=callgrind --callgrind-out-file="$tmp/cg" $options "$@" \
		>"$tmp/log" 2>&1 </dev/null || cat "$tmp/log" >&2
	for part in $(seq $(($(ls "$tmp"/cg.* | wc -l)))); do cat "$tmp/cg.$part"; done | awk '/^totals:/ { printf "%.0f\n", $2 }'
}
total() {
	awk '/^(summary|totals):/ { t = $2 } END { printf "%.0f", t }' "$tmp/cg"
}

# judge WHAT GOT BUDGET: a budget of 0 is reported only
judge() {
	[ "$2" -gt 0 ] && { [ "$3" -eq 0 ] || [ "$2" -le "$3" ]; }
	report $? "$1: $2 instructions, budget $3"
}
