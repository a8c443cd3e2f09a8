#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that TCP connections of two kernels pass NAT, VLAN and tunnel rules of NICs and of an e-switch, byte for byte,
# that tshark sees the tunnel's headers on the wire, and that the examples notice rules that do something else.
. "$top_srcdir/tests/tap.sh"

example() { # EXAMPLE: a path from examples/
	timeout 100 "$top_srcdir/examples/$1" "$top_builddir" "$scratch/held" >"$scratch/said" 2>&1
	done=$?
	# What a kernel or container can lack. Programs that are missing are a mistake of ours.
	lacks=$(sed -n 's/.*left out: //p' "$scratch/said")
	case $lacks in
	*/dev/net/tun | *"network namespaces") skip_all "$lacks" ;;
	?*) bail_out "$1 is left out: $lacks" ;;
	esac
	[ "$done" = 0 ] || cat "$scratch/said"
	report "$done" "$1 succeeds"
	check "... every byte came" sh -c "tail -n 1 '$scratch/held' | grep -q '1000000 bytes equal'"
}
altered() { # EXAMPLE FILE SED SENTENCE: with one word of a file changed
	rm -rf "$scratch/altered"
	cp -R "$top_srcdir/examples" "$scratch/altered"
	chmod -R u+w "$scratch/altered"
	sed "$3" "$top_srcdir/examples/$2" >"$scratch/altered/$2"
	timeout 100 "$scratch/altered/$1" "$top_builddir" >"$scratch/said" 2>&1 && return 1
	cat "$scratch/said"
	grep -q "$4" "$scratch/said"
}

example nat-vlan
check "a mirror of other packets is noticed" altered nat-vlan nat-dpu.flow '/^mirror/s/port 80/port 81/' 'queue 1 has 0 copies'
check "another port than the server's is noticed" altered nat-vlan nat-dpu.flow s/8080/8081/g 'the connection failed'

example eswitch/eswitch
# Each packet of the tunnel has an outer IPv4 header of the right length and checksum, and a source port of its flow.
tshark -r "$scratch/held.pcap" -Y 'vxlan.vni == 42 && ip.src == 192.0.2.1' -o ip.check_checksum:TRUE -T fields \
	-e ip.checksum.status -e udp.srcport -e eth.dst -e tcp.dstport 2>/dev/null | sort | uniq -c >"$scratch/there"
check "tshark: one flow there, through the tunnel, to the server's port" \
	grep -Eqx ' *[0-9]+ 1,1	[0-9]+	02:d7:00:00:00:04,[0-9a-f:]{17}	8080' "$scratch/there"
check "... and nothing else" [ "$(wc -l <"$scratch/there")" = 1 ]
check "a mirror of other packets is noticed" altered eswitch/eswitch eswitch/edge.flow '/^mirror/s/port 80/port 81/' 'vf1 got'
plan
