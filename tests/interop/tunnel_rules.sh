#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-flow's rules on tunnels, MPLS and inner headers count the packets that tshark's
# filters find in the same file; scapy made the file.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
command -v tshark >/dev/null && /usr/bin/python3 -c 'import scapy.all' 2>/dev/null ||
	skip_all "scapy or tshark is not installed: nobody counts beside the rules"
pcap=$work/tunnels.pcap
"$dvx_sim" up "$chip" || exit 99
check "packets are made" /usr/bin/python3 "$top_srcdir/tests/interop/tunnels.py" write "$pcap" 100
check "a daemon starts" start

# A rule, and the filter that tells its packets from those that no rule before it took.
cat >"$work/both" <<'END'
count in vxlan vni 7|udp.dstport == 4789 && vxlan.vni == 7
count in vxlan-gpe 9|udp.dstport == 4790 && vxlan.vni == 9
count in geneve 9 oam|geneve.vni == 9 && geneve.flags.oam == 1
drop in geneve 9 count|geneve.vni == 9
count in gre key 5|gre.key == 5
count in mpls label 100|mpls.label == 100 && !vxlan && !geneve && !gre
drop in gre inner tcp dst port 443 count|gre && tcp.dstport == 443
count in geneve inner ipv6|frame.protocols matches "geneve:.*ipv6"
count in inner udp dst port 53|udp.dstport == 53 && (vxlan || geneve || gre || ip.proto == 4 || ip.proto == 41 || ipv6.nxt == 4 || ipv6.nxt == 41)
count in inner mpls label 100|mpls.label == 100
count in|frame
END
cut -d'|' -f1 "$work/both" >"$work/rules"
check "the rules hold" client apply "$work/rules"
check "the packets are replayed" "$dvx_sim" replay "$chip" "$pcap"

before=
n=0
while IFS='|' read -r rule filter; do
	wanted=$(tshark -r "$pcap" -Y "($filter)$before" -T fields -e frame.number 2>"$work/tshark" | wc -l)
	before="$before && !($filter)"
	agrees() {
		echo "tshark finds $wanted with ($filter)"
		cat "$work/tshark"
		[ "$wanted" -gt 0 ] && is ".rules[$n].packets" "$wanted"
	}
	check "$rule: $wanted packets" agrees
	n=$((n + 1))
done <"$work/both"
check "the daemon ends" stop
plan
