#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that rules begin tunnels of sent packets and end those of received ones: tcpdump finds outer and inner headers in
# the captures of queues.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
peer=$top_builddir/tests/steer/dr_fdb_peer
needs "$peer"
command -v tcpdump >/dev/null || skip_all "no tcpdump"
up "$chip" || exit 99

hop="eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02"
cat >"$work/rules" <<END
pass out ipv4 udp src port 9 dec ttl encap vxlan vni 42 src 192.0.2.1 dst 192.0.2.2 $hop count
pass out udp src port 10 encap geneve vni 7 option 0x102 type 0x80 0x20007 src 2001:db8::1 dst 2001:db8::2 $hop ttl 9 count
pass out udp src port 11 encap vxlan vni 43 gbp 300 src 192.0.2.1 dst 192.0.2.2 $hop
pass out udp src port 12 encap nvgre vni 5 src 192.0.2.1 dst 192.0.2.2 $hop
pass out ipv4 udp src port 13 encap gre key 6 src 192.0.2.1 dst 192.0.2.2 $hop
pass out ipv4 udp src port 14 encap mplsoudp label 16 src 192.0.2.1 dst 192.0.2.2 $hop
send in vxlan vni 42 to queue 0
drop in geneve vni 7 option 0x102 type 0x80 0x20006 count
send in geneve vni 7 option 0x102 type 0x80 0x20007/0xfffff to queue 0
send in vxlan vni 43 gbp 301 to queue 0
send in vxlan vni 43 gbp 300 decap to queue 1
send in nvgre vni 5 decap to queue 1
send in gre key 6 inner ipv4 decap eth src 02:00:00:00:00:05 dst 02:00:00:00:00:06 to queue 1
send in udp dst port 6635 to queue 0
END
# The wire is a loop: what the function sends comes back to it.
tunnels() {
	start --queues 2 --capture "$work/cap" && client apply --quiet "$work/rules" &&
			printf 'send %s\n' 9 10 11 12 13 14 | on_chip "$peer" >"$work/peer" &&
		is '[.rules[:2][].packets, .queues[].packets]|join(" ")' "1 1 3 3"
}
check "six packets in tunnels, three leave theirs" tunnels
has() { # QUEUE WORDS
	tcpdump -Z "$(id -un)" -nevvr "$work/cap/queue$1.pcap" 2>/dev/null >"$work/dump"
	cat "$work/dump"
	grep -qF -- "$2" "$work/dump"
}
check "VXLAN: outer addresses and length" has 0 "02:00:00:00:00:01 > 02:00:00:00:00:02, ethertype IPv4 (0x0800), length 112: (tos 0x0, ttl 64"
no_wrong_sum() { has 0 "192.0.2.2.4789: [no cksum] VXLAN, flags [I] (0x08), vni 42" && ! sed -n 1p "$work/dump" | grep bad; }
check "VXLAN: the header, with IPv4's checksum" no_wrong_sum
check "VXLAN: the inner packet, changed before" has 0 "02:11:22:33:44:01 > 02:11:22:33:44:02, ethertype IPv4 (0x0800), length 62: (tos 0x0, ttl 63"
check "Geneve over IPv6" has 0 "(hlim 9, next-header UDP (17) payload length: 86) 2001:db8::1."
check "Geneve: its header" has 0 "Geneve, Flags [C], vni 0x7, proto TEB (0x6558), options [class Open Virtual Networking (OVN) (0x102) type 0x80(C) len 8 data 00020007]"
check "decap leaves the inner packet" has 1 "02:11:22:33:44:01 > 02:11:22:33:44:02, ethertype IPv4 (0x0800), length 62:"
check "decap gives IP an Ethernet header" has 1 \
	"02:00:00:00:00:05 > 02:00:00:00:00:06, ethertype IPv4 (0x0800), length 62: (tos 0x0, ttl 64"
explained() {
	client explain "in ipv6 geneve 7 option 0x102 type 0x80 0x20007" | grep 'send in geneve vni 7 option' &&
		client explain "in ipv6 geneve 7 option 0x102 type 0x80 0x20006" | grep 'drop in geneve' &&
		client explain "in ipv6 geneve 7 option 0x102 type 0x81 0x20006" | grep 'default way'
}
check "explain follows packets with an option" explained
other="drop in geneve option 1 type 2 3"
one_option() {
	echo "$other" | fails 1 "all rules compare that of class 0x102, type 0x80 (line" client add - &&
		echo "$other" | fails 4 "^-:1:16: .* looks for that of class 0x102, type 0x80, .*: apply a file without options first" client apply - &&
		fails 4 "no parser of Geneve options; if other" "$dvx_sim" exec "$chip" --function dpu -- "$flow" check -q --device mlx5_0 "$work/rules"
}
check "the device has one parser of options" one_option
freed() {
	echo "pass in udp" | client apply --quiet - && echo "$other" | client add - && client flush && echo "$other 0x300/0xff00" | sed 's/ 3 / /' |
		client apply --quiet -
}
check "which is free when no rule compares one" freed
check "MPLS over UDP" has 0 "192.0.2.2.6635: [no cksum] MPLS (label 16, tc 0, [S], ttl 64)"
plan
