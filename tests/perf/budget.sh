#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts the instructions of the hot path under callgrind and fails when a budget is exceeded.
# On plain memory: no device. Compiled here, at -O2, whatever the build's own flags are.
rounds=6400

skip() {
	echo "1..0 # SKIP $1"
	echo "WARNING: instruction budgets were NOT checked: $1" >&2
	exit 0
}

case $(uname -m) in x86_64) ;; *) skip "budgets are for x86-64" ;; esac
[ -z "$DVX_SAN" ] || skip "this build has sanitizers ($DVX_SAN)"
command -v valgrind >/dev/null || skip "valgrind is not installed"

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
lib=${top_builddir:?}/src/lib/.libs
${CC:-gcc} -std=gnu11 -O2 -I"$top_builddir/include" -I"${top_srcdir:?}/include" \
	-o "$tmp/budget" "$top_srcdir/tests/perf/budget.c" -L"$lib" -Wl,-rpath,"$lib" -ldvx || exit 99

# Tenths of an instruction per round, so that wraps of the ring count too.
count() {
	valgrind --tool=callgrind --callgrind-out-file="$tmp/out" --toggle-collect="$1" \
		"$tmp/budget" "$1" $rounds >"$tmp/log" 2>&1 || { cat "$tmp/log" >&2; return 1; }
	awk -v n=$rounds '/^(summary|totals):/ { t = $2 } END { printf "%d", t * 10 / n }' "$tmp/out"
}

n=0
# name, budget (0: only reported), what it is
while read -r fn budget what; do
	n=$((n + 1))
	tenths=$(count "$fn") || tenths=0
	got=$((tenths / 10)).$((tenths % 10))
	if [ "$tenths" -le 0 ]; then
		echo "not ok $n - $what: nothing was counted"
	elif [ "$budget" -eq 0 ]; then
		echo "ok $n - $what: $got instructions"
	elif [ "$tenths" -le $((budget * 10)) ]; then
		echo "ok $n - $what: $got instructions, budget $budget"
	else
		echo "not ok $n - $what: $got instructions, budget $budget"
	fi
done <<EOF
post_write8 60 signaled 8-byte inline RDMA_WRITE and its doorbell
poll_all 25 poll of one CQE: cookie, retire, consumer index
poll_empty 8 empty poll
receive_all 52 a packet received: poll, tag and length, its room posted anew
repost_all 28 a packet received: poll, tag and length, its room posted again as it was
peek_all 0 the same poll by its separate steps
post_write8_bf 0 8-byte inline RDMA_WRITE through BlueFlame
post_write_sge 0 RDMA_WRITE of one piece and its doorbell
post_eth 61 raw packet, 18 bytes inline and one piece, and its doorbell
post_dma 0 MMO copy and its doorbell
EOF
echo "1..$n"
