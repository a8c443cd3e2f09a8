#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the e-switch of one chip puts its host's packets into tunnels, and that of another one takes them out for its
# own host; and that explain has the headers.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
peer=$top_builddir/tests/steer/dr_fdb_peer
needs "$peer"
chips="$chip $chip-b"
for name in $chips; do
	up --set switchdev=1 --wire "peer=$chip" "$name" || exit 99
done

on_chip() { run_on "$at" "$function" "$@"; }
daemons=
begin() { # CHIP FUNCTION: starts a daemon there, and applies the rules of standard input
	at=$1 function=$2
	background "$work/$1.$2" "$dvx_sim" exec "$1" -f "$2" -- "$flow" daemon --json ${steering:+--steering "$steering"} || return 1
	daemons="$daemons $child"
	client apply --quiet -
}
hop="eth src 02:00:00:00:00:01 dst 02:00:00:00:00:02"
begins() {
	begin "$chip" dpu <<END
send switch from pf ipv4 udp src port 30 dec ttl encap vxlan vni 42 src 192.0.2.1 dst 192.0.2.2 $hop to uplink count
send switch from pf udp src port 31 encap geneve vni 7 option 0x102 type 0x80 0x20007 src 2001:db8::1 dst 2001:db8::2 $hop to uplink count
send switch from pf udp src port 32 encap vxlan vni 43 src 192.0.2.1 dst 192.0.2.2 $hop to uplink count
pass out ipv4 udp src port 33 encap vxlan vni 44 src 192.0.2.1 dst 192.0.2.2 $hop
send switch from pf ipv4 udp src port 34 encap gre key 7 src 192.0.2.1 dst 192.0.2.2 $hop to uplink
send switch from ecpf vxlan vni 44 inner udp src port 33 to pf
END
}
check "rules that begin tunnels" begins
ends() {
	begin "$chip-b" dpu <<END
send switch from uplink vxlan vni 42 decap to pf count
send switch from uplink geneve vni 7 decap to pf count
send switch from uplink gre key 7 inner ipv4 decap eth src 02:00:00:00:00:05 dst 02:00:00:00:00:06 to pf
END
	begin "$chip-b" host <<END
count in ipv4 udp src port 30 ttl 63
count in udp src port 31
count in eth src 02:00:00:00:00:05 dst 02:00:00:00:00:06 ipv4 udp src port 34
count in any
END
}
check "rules that end tunnels, and count what the host gets" ends

counts() { # CHIP FUNCTION WANTED
	at=$1 function=$2
	is '[.rules[].packets | select(.)] | join(" ")' "$3"
}
# The last packet stays in its tunnel, and goes to the second chip's manager.
passes() {
	printf 'send %s\n' 32 30 31 34 | "$dvx_sim" exec "$chip" -f host -- "$peer" >"$work/peer" && counts "$chip" dpu "1 1 1" &&
		counts "$chip-b" dpu "1 1" && counts "$chip-b" host "1 1 1 0"
}
check "three of four packets arrive without a tunnel" passes

explains() { # CHIP WORDS PACKET
	at=$1 function=dpu
	client explain "$3" >"$work/explained"
	cat "$work/explained"
	grep -qF -- "$2" "$work/explained"
}
check "explain: the tunnel's headers" explains "$chip" \
	"the packet changes: headers ipv4 10.0.0.1 > ? udp 30 > ? -> ipv4 192.0.2.1 > 192.0.2.2 udp ? > 4789, inside ipv4 10.0.0.1 > ? udp 30 > ?" \
	"switch from pf ipv4 src 10.0.0.1 udp src port 30 ttl 64"
check "explain: a tunnel for IP" explains "$chip" \
	"-> ipv4 192.0.2.1 > 192.0.2.2 proto 47, inside ipv4 10.0.0.1 > ? udp 34 > ?" \
	"switch from pf ipv4 src 10.0.0.1 udp src port 34 ttl 64"
check "explain: rules of the e-switch see them" explains "$chip" "=> pf: its function receives it" \
	"out ipv4 src 10.0.0.1 udp src port 33"
check "explain: the end of a tunnel" explains "$chip-b" "inside ipv4 ? > 10.0.0.2 udp -> ipv4 ? > 10.0.0.2 udp" \
	"switch from uplink ipv4 dst 192.0.2.2 vxlan vni 42 inner ipv4 dst 10.0.0.2 udp"
# shellcheck disable=SC2086 # words
kill $daemons && wait $daemons

# A ConnectX-5 begins tunnels on the side of functions alone.
side() {
	echo "send switch encap vxlan vni 42 src 192.0.2.1 dst 192.0.2.2 $hop to uplink" >"$work/bad"
	fails 4 "an encapsulation on mlx5_0 (ConnectX-5, -6) only on the TX side: name a source (not uplink): Op" \
		"$dvx_sim" run --set chip=cx5,switchdev=1 -- "$flow" check --device mlx5_0 "$work/bad" &&
		sed -i 's/switch/switch from pf/' "$work/bad" && "$dvx_sim" run --set chip=cx5,switchdev=1 -- "$flow" check --device mlx5_0 "$work/bad"
}
check "encap on a ConnectX-5: the side and what to write" side
plan
