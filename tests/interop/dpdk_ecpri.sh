#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that DPDK's own testpmd (as Debian ships it) describes eCPRI's header to the device by a parse graph node, and
# that its flow takes the packets whose sample it compares, and no others.
. "$top_srcdir/tests/interop/dpdk_lib.sh"

check "a ConnectX whose flex parsers are for software's headers" \
	"$dvx_sim" up n --netdev --check --set chip=cx6dx,parse_graph=1

testpmd "" --total-num-mbufs=4096 --forward-mode=rxonly
check "a flow of eCPRI's real-time control data" command_of "flow create 0 ingress group 1 pattern eth / ecpri common type rtc_ctrl rtc_id is 0x123 / end actions count / queue index 0 / end" "Flow rule #0 created"
check "... to which the root leads" command_of "flow create 0 ingress pattern eth / end actions jump group 1 / end" "Flow rule #1 created"
check "testpmd receives" command_of start "packet forwarding packets/burst"

# Three packets in pcap's format: twice the id 0x123, once 0x124.
frames() {
	perl -e 'print pack "LSSlLLL", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1;
		for (0x123, 0x124, 0x123) {
			my $frame = pack "H28NnnN x34", "02d700000001021122334455aefe", 0x10020008, $_, 0, 0;
			print pack("LLLL", 0, 0, (length $frame) x 2), $frame;
		}' >"$scratch/pcap"
	"$dvx_sim" replay n "$scratch/pcap" | tee "$scratch/replayed"
	grep -q "2  *in receive queues" "$scratch/replayed" && grep -q "1  *dropped by rules" "$scratch/replayed"
}
check "two of three packets have the id" frames
counted() { command_of "flow query 0 0 count" "hits: 2$"; }
check "... as the flow counts" counted
check "testpmd ends" quit
check "the device's rules find nothing" "$dvx_sim" check n
plan
