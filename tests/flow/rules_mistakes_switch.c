/* SPDX-License-Identifier: BSD-2-Clause */
/* Mistakes in rules of the e-switch, in what they do with packets, and in rates. */
#include "rules_mistakes.h"

#define HOP "eth src 2:0:0:0:0:1 dst 2:0:0:0:0:2"

TEST(none, mistakes_of_switch_rules)
{
	static const struct mistake_row rows[] = {
		{"send switch from vf to pf",
		 "1:18+2 no vport is called \"vf\": write pf, vf0, vf1, ..., ecpf, uplink, or "
		 "vport and its number"},
		{"send switch to vport 65536", "1:22+5 a vport is 0 to 65535, not 65536"},
		{"send switch from uplink to queue 0",
		 "1:25+10 a rule for switched packets has no queue: write `to vf0'"},
		{"send switch to rss 0-1", "a rule for switched packets has no queue"},
		{"send in to pf", "1:12+2 a rule for incoming packets has no vport: write `to "
				  "queue 0'"},
		{"send out to pf", "1:13+2 a vport takes switched packets; this rule is for "
				   "outgoing ones"},
		{"send switch from pf", "1:1+19 send needs a vport: write `to vf0' behind"},
		{"pass switch to vf0", "1:16+3 only a rule that begins with send or mirror has a "
				       "vport"},
		{"send switch to vf0 to vf1", "1:23+3 a rule has one destination"},
		{"drop switch not from pf", "1:13+3 devices compare a vport or a send queue as a "
					    "whole"},
		{"drop switch from pf from vf0", "1:21+8 a second vport in one rule"},
		{"drop out from pf", "1:10+7 vport is the origin of incoming packets"},
		{"send switch to vf0 tag 7", "1:20+5 a tag is in a receive queue's completions"},
		{"send switch from vf0 vxlan decap to pf",
		 "1:28+5 the e-switch ends tunnels of packets from the wire: write `from uplink'"},
		{"send switch from uplink,vf0 vxlan decap to pf", "1:35+5 the e-switch ends"},
		{"send in vxlan encap vxlan vni 4 to queue 0",
		 "1:15+11 tunnels begin at outgoing packets; this rule is for incoming ones"},
		{"pass out encap vxlan vni 4",
		 "1:10+11 encap needs the tunnel's two addresses: write `src 192.0.2.1' behind"},
		{"pass out encap vxlan src 10.0.0.1 dst 10.0.0.2 " HOP,
		 "1:10+11 encap needs the tunnel's VNI: write `vni 42' behind it"},
		{"pass out encap vxlan vni 4 src 10.0.0.1 dst 10.0.0.2 dst 2:0:0:0:0:1",
		 "encap needs the MACs of the next hop: write `eth src"},
		{"pass out encap vxlan vni 16777216",
		 "1:22+12 a VNI is 0 to 16777215, not 16777216"},
		{"pass out encap vxlan vni 4 vni 5", "1:28+5 a second one of this in one encap"},
		{"pass out encap vxlan src 10.0.0.1 dst ::1",
		 "1:35+7 the tunnel's addresses are of one version, and this is IPv6"},
		{"pass out encap vxlan dst port 0", "1:22+10 a port is 1 to 65535, not 0"},
		{"pass out encap vxlan ttl 256", "1:22+7 a TTL is 1 to 255, not 256"},
		{"pass out encap gtpu teid 4", "1:10+10 GTP-U's header has a length, which"},
		{"pass out encap udp", "1:16+3 expected "},
		{"pass out encap nvgre key 4",
		 "1:22+5 the number of nvgre is its VNI: write `vni 42'"},
		{"pass out encap mplsoudp src 10.0.0.1 dst 10.0.0.2",
		 "encap needs the tunnel's label: write `label 42' behind it"},
		{"pass out encap mplsoudp label 1048576", "1:25+13 a label is 0 to 1048575, not"},
		{"pass out encap gretap dst port 1", "1:23+10 gretap has no ports"},
		{"pass out udp encap gre src 10.0.0.1 dst 10.0.0.2 " HOP,
		 "gre carries IP, so encap needs a rule for packets of one IP version: write "
		 "`ipv4'"},
		{"pass out ipv4 push vlan 5 encap gre src 10.0.0.1 dst 10.0.0.2 " HOP,
		 "1:15+11 \"push vlan\" changes the Ethernet header, which goes: gre carries IP"},
		{"drop in mplsoudp 7", "1:18+1 labels behind UDP are not compared"},
		{"drop in nvgre 16777216", "1:15+8 a VNI is 0 to 16777215, not 16777216"},
		{"drop in geneve gbp 4", "1:16+5 gbp is the group policy of VXLAN"},
		{"drop in vxlan gbp 65536", "1:15+9 a group policy is 0 to 65535, not 65536"},
		{"pass out encap vxlan gbp 65536",
		 "1:22+9 a group policy is 0 to 65535, not 65536"},
		{"pass out encap geneve gbp 4", "1:23+5 geneve has no group policy"},
		{"pass out encap vxlan option 1 type 2 3", "1:22+17 vxlan has no options"},
		{"drop in vxlan option 1 type 2 3",
		 "1:15+17 options are Geneve's; they belong behind geneve"},
		{"drop in geneve option 0x10000 type 2 3",
		 "1:16+23 an option's class is 0 to 0xffff, not 0x10000"},
		{"drop in geneve option 1 type 256 3",
		 "1:16+19 an option's type is 0 to 0xff, not 0x100"},
		{"drop in geneve option 1 type 2 0",
		 "1:16+17 packets without the option match this, too"},
		{"drop in geneve option 1 type 2 3\ndrop in geneve option 1 type 3 3",
		 "2:16+17 the device looks for one option: all rules compare that of class 0x1, "
		 "type 0x2 (line 1)"},
		{"pass out encap geneve option 0x10000 type 2 3",
		 "1:23+23 an option's class is 0 to 0xffff, not 0x10000"},
		{"pass out encap geneve option 1 type 256 3",
		 "an option's type is 0 to 0xff, not 0x100"},
		{"pass out encap geneve option 1 2", "1:32+1 expected type, not \"2\""},
		{"drop in teid 4", "1:9+6 teid belongs behind gtpu"},
		{"drop in vxlan teid 4", "1:15+6 teid belongs behind gtpu"},
		{"drop in gtpu vni 4", "1:14+5 vni belongs behind vxlan, vxlan-gpe, geneve"},
		{"drop out encap vxlan vni 4", "1:10+11 a rule that drops its packets cannot"},
		{"send switch goto web\ntable web\ndrop in",
		 "1:18+3 the table \"web\" has no rule for switched packets"},
	};

	mistakes_are(rows, COUNT(rows));
}

TEST(none, mistakes_of_rates)
{
	static const struct mistake_row rows[] = {
		{"drop in over 0/s", "1:14+3 a rate is 1 to 1992187500 packets a second, not 0"},
		{"drop in over 1 bit/s", "1:14+7 a rate is 2 bit/s to 2040 Gbit/s, not 1 bit/s"},
		{"drop in over 18446744073709551615 Gbit/s", "1:14+27 a rate is 2 bit/s to 2040"},
		{"drop in over 100 Mbps", "expected '/', not the line's end"},
		{"drop in over 5 MB/s",
		 "1:14+6 a rate is in packets (1000/s) or bits (bit/s, kbit/s, "
		 "Mbit/s, Gbit/s), not MB"},
		{"drop in over 5/min", "1:16+3 a rate is in a second: 1000/s, 100 Mbit/s"},
		{"drop in over 5/s over 6/s", "1:23+3 a second rate in one rule"},
		{"drop in over 5/s burst 2G", "1:24+2 a burst is in packets (100, 2k), not G"},
		{"drop in over 5/s burst 20M", "1:24+3 a burst is at most 16777215 packets"},
		{"drop in over 5 kbit/s burst 64kbit",
		 "1:29+6 a burst is in bytes (65536, 64k, 1M), not kbit"},
		{"drop in over 5 kbit/s burst 2048M", "1:29+5 a burst is at most 2147483647 bytes"},
		{"drop in expire 0s", "1:16+2 expire takes 1s to 366d"},
		{"drop in expire 367d", "1:16+4 expire takes 1s to 366d"},
		{"drop in expire 5ms", "1:16+3 a time is in s, min, h or d (expire 60s), not ms"},
		{"drop in expire 5s expire 5s", "1:26+2 a second expire in one rule"},
		{"mirror in sample 1 to queue 1",
		 "1:18+1 sample copies one packet in 2 to 4294967295; without it each packet is "
		 "copied"},
		{"mirror in sample 4294967296 to queue 1", "1:18+10 sample copies one packet in 2"},
		{"mirror in sample 9 to queue 1 sample 9", "1:38+1 a second sample in one rule"},
		{"send in to queue 1 sample 9",
		 "1:27+1 sample belongs to mirror, which copies one packet in so many"},
		{"drop in over 5/s expire 60s", "1:25+3 a rule has a rate or an end"},
		{"mirror in over 5/s to queue 1",
		 "1:16+3 a mirror copies packets whatever their rate"},
		{"send in ipv4 over 5/s set ttl 9 to queue 1",
		 "1:27+5 a rule with a rate changes no packets: send them to a table (goto)"},
		{"drop in burst 5", "not \"burst\""},
		{"pass in tcp ct established",
		 "1:13+14 ct is for switched packets: the tables of `in' have one side of a "
		 "connection only"},
		{"track in tcp", "1:1+12 track is for switched packets"},
		{"track switch udp", "only TCP connections are tracked: write `track switch tcp'"},
		{"track switch from vf0 tcp", "leave out from, sqn and ct"},
		{"track switch tcp set ttl 3", "track has max, expire, count and name"},
		{"track switch tcp max 0", "1:22+1 max is 1 to 1000000 connections, not 0"},
		{"drop switch tcp max 5", "1:21+1 max is the number of connections of a rule"},
		{"track switch tcp to vf0", "only a rule that begins with send or mirror"},
		{"drop switch tcp ct invalid",
		 "1:17+10 no rule tracks connections: write `track switch tcp' before this one"},
		{"track switch tcp\ndrop switch tcp ct related", "no state is related"},
		{"track switch tcp\ndrop switch tcp ct mark 5", "not \"5\""},
		{"track switch tcp\ndrop switch tcp ct zone new", "ct compares the state"},
		{"track switch tcp\ndrop switch from vf0 tcp ct invalid,established",
		 "2:26+22 in a rule with from, `ct established' stands alone"},
		{"track switch tcp\ndrop switch from vf0 tcp ct != invalid", "stands alone"},
		{"track switch tcp\ntrack switch tcp", "another rule tracks"},
		{"mirror switch any to vf0\ntrack switch tcp", "track stands before mirrors"},
		{"table a\ntrack switch tcp", "connections are tracked in the table \"main\""},
	};

	mistakes_are(rows, COUNT(rows));
}
