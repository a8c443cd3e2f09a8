#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that ports/1/counters count what is on the wire: packets and bytes agree with a capture that
# tcpdump reads, each function has sent what the other has received, and hw_counters know of WRITEs.
if ! command -v tcpdump >/dev/null; then
	echo "1..0 # SKIP tcpdump is not installed: nobody counts beside the counters"
	exit 0
fi
. "$(dirname "$0")/pair.sh"

sysfs=/sys/class/infiniband/mlx5_0/ports/1
of() { timeout 300 "$sim" exec "$chip" --function "$1" -- cat "$sysfs/$2"; }
check() {
	title=$1
	shift
	"$@" >"$dir/server" 2>"$dir/client"
	result $? "$title"
}

new() { [ -z "$(timeout 300 "$sim" exec "$chip" -- sh -c "grep -Hv '^0\$' $sysfs/counters/* $sysfs/hw_counters/[!l]*")" ]; }
mirrored() {
	for what in packets data; do
		[ "$(of host counters/port_xmit_$what)" = "$(of dpu counters/port_rcv_$what)" ] || return
		[ "$(of dpu counters/port_xmit_$what)" = "$(of host counters/port_rcv_$what)" ] || return
	done
	[ "$(of host counters/port_xmit_packets)" -gt 0 ]
}
# tcpdump says "length N" of each Ethernet packet.
on_wire() {
	tcpdump -r "$dir/all.pcap" -nqe 2>/dev/null | sed -n 's/.*, length \([0-9]*\): .*/\1/p' |
		awk '{ n++; b += $1 } END { print n, b }'
}
captured() {
	packets=$(($(of host counters/port_xmit_packets) + $(of dpu counters/port_xmit_packets)))
	words=$(($(of host counters/port_xmit_data) + $(of dpu counters/port_xmit_data)))
	set -- $(on_wire)
	echo "on the wire: $1 packets, $2 bytes; counted: $packets packets, $words words"
	# each function's bytes lose up to 3 in the division
	[ "$1" = "$packets" ] && [ $(($2 - 4 * words)) -ge 0 ] && [ $(($2 - 4 * words)) -lt 8 ]
}
writes() {
	before=$(of dpu hw_counters/rx_write_requests)
	pair dpu ib_write_bw -d mlx5_0 -x 1 -n 500 -s 64 >"$dir/pair"
	n=$((n - 1))
	grep -q SKIP "$dir/pair" || [ $(($(of dpu hw_counters/rx_write_requests) - before)) -ge 500 ]
}

plan 6
check "a new chip has counted nothing" new
# Of timeout's own, signals come twice, and a SIGCONT behind them (see capture.sh).
timeout --foreground "$bound" "$sim" capture "$chip" "$dir/all.pcap" >"$dir/capture" 2>&1 &
capture=$!
until grep -qs capturing "$dir/capture"; do kill -0 $capture || break; sleep 0.02; done
pair dpu ibv_rc_pingpong -g 1 -n 100 -s 3001 -m 1024
pair dpu ibv_rc_pingpong -g 3 -n 100 -s 1
kill -TERM $capture
wait $capture
check "each function sent as much as the other received" mirrored
check "packets and bytes are those of the capture" captured
check "the peer's WRITEs are counted where they arrive" writes
exit "$failed"
