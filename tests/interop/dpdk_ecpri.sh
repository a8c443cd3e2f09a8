#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that DPDK's own testpmd (as Debian ships it) describes eCPRI's header to the device by a parse graph node, and
# that its flow takes the packets whose sample it compares, and no others.
. "$top_srcdir/tests/tap.sh"

if [ -z "$DVX_NETNS" ]; then
	[ -n "${DVX_TEST_LONG-}" ] || skip_all "check long runs it"
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	command -v dpdk-testpmd >/dev/null || skip_all "dpdk is not installed"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	own='mount -t sysfs sysfs /sys && exec "$@"'
	unshare -mn $as sh -c "$own" sh true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	finish
	DVX_NETNS=1 exec unshare -mn $as sh -c "$own" sh sh "$0"
fi
[ -z "$asan" ] || skip_all "a sanitizer's runtime and DPDK want the same addresses"

chips=n
check "a ConnectX whose flex parsers are for software's headers" \
	"$dvx_sim" up n --netdev --set chip=cx6dx,parse_graph=1

mkfifo "$scratch/commands"
timeout 300 "$dvx_sim" exec n -f host -- stdbuf -oL dpdk-testpmd --no-huge -m 512 --no-telemetry --file-prefix "dvx$$" \
	-d librte_net_mlx5.so -d librte_mempool_ring.so -a 0000:03:00.0 -- -i --total-num-mbufs=4096 --forward-mode=rxonly \
	<"$scratch/commands" >"$scratch/pmd" 2>&1 &
pmd=$!
exec 5>"$scratch/commands"
# COMMAND OUTPUT: returns when testpmd has printed it
command_of() {
	echo "$1" >&5
	shows_up "$scratch/pmd" "$2" "$pmd" && cat "$scratch/pmd"
}
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
quit() { command_of quit "Bye" && wait "$pmd"; }
check "testpmd ends" quit
exec 5>&-
plan
