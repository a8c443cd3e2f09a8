#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Counts the instructions of the hot path under callgrind and fails when a budget is exceeded.
# On plain memory: no device. Compiled here, at -O2, whatever the build's own flags are.
rounds=6400
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count

lib=${top_builddir:?}/src/lib/.libs
${CC:-gcc} -std=gnu11 -O2 -I"$top_builddir/include" -I"${top_srcdir:?}/include" \
	-o "$tmp/budget" "$top_srcdir/tests/perf/budget.c" -L"$lib" -Wl,-rpath,"$lib" -ldvx || exit 99

# name, budget a round (0: only reported), what it is: counted over all rounds, wraps of the ring too
while read -r fn budget what; do
	got=$(counted "$fn" "$tmp/budget" "$fn" $rounds)
	judge "$what, $rounds times ($((got / rounds)).$((got * 10 / rounds % 10)) instructions each)" "$got" $((budget * rounds))
done <<EOF
post_write8 42 signaled 8-byte inline RDMA_WRITE and its doorbell
post_template8 37 the same from a template
poll_all 21 poll of one CQE: cookie, retire, consumer index
poll_empty 7 empty poll
receive_all 51 a packet received: poll, tag and length, its room posted anew
repost_all 30 a packet received: poll, tag and length, its room posted again as it was
peek_all 0 the same poll by its separate steps
post_write8_bf 0 8-byte inline RDMA_WRITE through BlueFlame
post_batch 29 one of 16 such WRITEs with one doorbell
recv_post 34 receive of one piece
post_write_sge4 97 RDMA_WRITE of four pieces and its doorbell
poll_many_all 18 poll of one CQE of up to 16 at a time
minis_all 10 a packet of a compressed session
post_write_sge 44 RDMA_WRITE of one piece and its doorbell
post_eth 47 raw packet, 18 bytes inline and one piece, and its doorbell
post_multi 15 one of 16 packets in one request and its doorbell
match_ipv4 125 IPv4 address of a rule's match
post_dma 0 MMO copy and its doorbell
EOF
plan
