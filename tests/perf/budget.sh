#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts the instructions of the hot path under callgrind and fails when a budget is exceeded.
# On plain memory: no device. Compiled here, at -O2, whatever the build's own flags are.
rounds=6400
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count

lib=${top_builddir:?}/src/lib/.libs
for program in budget_rules budget; do
	${CC:-gcc} -std=gnu11 -O2 -I"$top_builddir/include" -I"${top_srcdir:?}/include" -o "$tmp/$program" \
		"$top_srcdir/tests/perf/$program.c" -L"$lib" -Wl,-rpath,"$lib" -ldvx || exit 99
done

say() { # WHAT TOTAL BUDGET
	judge "$1, $rounds times ($(($2 / rounds)).$(($2 * 10 / rounds % 10)) instructions each)" "$2" $(($3 * rounds))
}
# rows PROGRAM: a table of a function, how it is called, its budget a round (0: only reported, -: for each_further), what it is.
# Counted over all rounds, wraps of the ring too.
rows() {
	cat >"$tmp/table"
	calls=$(cut -d ' ' -f 1 "$tmp/table")
	# shellcheck disable=SC2086 # words
	counted_parts row_counted "$(echo "$calls" | sed 's/,.*//' | sort -u)" "$tmp/$1" $rounds $calls | paste -d ' ' - "$tmp/table" >"$tmp/counts"
	while read -r total call budget what; do
		[ "$budget" = - ] || say "$what" "$total" "$budget"
	done <"$tmp/counts"
}
# each_further WHAT BUDGET FUNCTION [,session]: by 64 and by 16 at a time; the difference is the cost of those beyond the first
each_further() {
	say "$1" $(($(awk -v few="$3,16${4-}" -v many="$3,64${4-}" '
		$2 == many { n += $1 * 64 } $2 == few { n -= $1 * 16 } END { printf "%.0f", n / 48 }' "$tmp/counts"))) "$2"
}
rows budget <<EOF
post_write8 42 signaled 8-byte inline RDMA_WRITE and its doorbell
post_template8 37 the same from a template
poll_all 21 poll of one CQE: cookie, retire, consumer index
poll_empty 7 empty poll
receive_all 48 a packet received: poll, tag and length, its room posted anew
repost_all 34 a packet received: poll, tag and length, its room posted again as it was
peek_all 0 the same poll by its separate steps
post_write8_bf 0 8-byte inline RDMA_WRITE through BlueFlame
post_batch,16 30 one of 16 such WRITEs with one doorbell
recv_post 30 receive of one piece
post_write_sge4 97 RDMA_WRITE of four pieces and its doorbell
poll_many_all 16 poll of one CQE of up to 16 at a time
rx_many_all,16 29 a packet received, of up to 16 at a time
rx_many_all,16,session 19 a packet of a compressed session of 16
post_write_sge 44 RDMA_WRITE of one piece and its doorbell
post_eth 47 raw packet, 18 bytes inline and one piece, and its doorbell
post_multi 15 one of 16 packets in one request and its doorbell
match_ipv4 125 IPv4 address of a rule's match
post_dma 0 MMO copy and its doorbell
post_batch,64 -
rx_many_all,64,session -
EOF
each_further "each further WRITE of a batch" 26 post_batch
each_further "each further packet of a compressed session" 10 rx_many_all ,session
rows budget_rules <<EOF
post_rules 45 one of 32 rules with one doorbell, tags given
post_tuples 60 the same, tags made of addresses, ports and protocol
post_arguments 95 one of 32 rules with a list of rewrites, and its argument
post_deletions 45 one of 32 deletions
post_all_rules 30 one of 32 rules that one call posts, and its doorbell
post_all_tuples 38 the same, tags made of addresses, ports and protocol
post_all_arguments 69 one of 32 rules with a list of rewrites, and its argument, by two calls
post_all_deletions 30 one of 32 deletions by one call
EOF
# It posts rules, too, which would be counted.
rows budget_rules <<EOF
poll_rules 8 one of 32 rules completed, by the last one
EOF
plan
