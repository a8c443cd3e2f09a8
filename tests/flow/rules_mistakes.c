/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that each mistake in a rule is reported with line, column, width and what was expected. */
#include "rules_mistakes.h"

/* Mistakes in a variable's value are reported where the rule names it. */
TEST(none, mistakes_of_variables)
{
	static const struct mistake_row rows[] = {
		{"define", "1:7+1 expected a variable's name, not the line's end"},
		{"define 7a = 1",
		 "1:8+1 a variable's name is a letter, then letters, digits and _"},
		{"define a-b = 1", "1:8+3 a variable's name is a letter"},
		{"define $a = 1", "1:8+2 a definition names its variable without $"},
		{"define a 1", "1:10+1 expected =, not \"1\""},
		{"define a =", "1:11+1 the set is empty; write define a = VALUES, e.g. 80,443"},
		{"define a = { }", "1:12+1 the set is empty"},
		{"define a = { 80\ndrop in\n",
		 "2:1+4 expected a comma or the end of the line, not \"drop\""},
		{"define a = { 80\n", "1:12+1 the brace that ends this set is missing"},
		{"define a = 80,", "1:15+1 expected a value, not the line's end"},
		{"define a = 80,,90", "1:15+1 expected a value, not \",\""},
		{"define a = 80 90", "1:15+2 expected a comma or the end of the line, not \"90\""},
		{"define a = drop", "1:12+4 expected a value, not \"drop\""},
		{"define a = { 80 } 90", "1:19+2 expected the end of the line, not \"90\""},
		{"define a = 80,10.0.0.1",
		 "1:15+8 a set has values of one kind: this is an IPv4 address, before it "
		 "stands a number or a name"},
		{"define a = 80\ndefine b = 10.0.0.1,$a",
		 "2:21+2 a set has values of one kind: $a has a number or a name, before it "
		 "stands an IPv4 address"},
		{"define a = 1\n\ndefine a = 2",
		 "3:8+1 $a is defined in line 1, too; a variable has one definition"},
		{"define a = $a", "1:12+2 $a is defined by itself"},
		{"define a = 1,$b\ndefine b = $a", "1:14+2 $a and $b (line 2) are defined by each "
						   "other; write the values of one"},
		{"drop in vlan $a\ndefine a = 1",
		 "1:14+2 $a is defined behind this line, in line 2; define it before"},
		{"drop in vlan $web", "1:14+4 no variable is called \"web\"; write define NAME = "
				      "VALUES above"},
		{"define web = 1\ndrop in vlan $wbe",
		 "2:14+4 no variable is called \"wbe\"; did you mean \"$web\"?"},
		{"define web = 80,443\ndrop in src $web",
		 "2:13+4 expected an IPv4 address, an IPv6 address, a MAC address, host or port, "
		 "not \"$web\", which is 80,443 (line 1)"},
		{"define net = 10.0.0.0/8\ndrop in dst port $net",
		 "2:18+4 expected a number or a name, not \"$net\", which is 10.0.0.0/8 (line 1)"},
		{"define q = 1,2\nsend in to queue $q", "2:18+2 expected the end of the line"},
		{"define p = 70000\ndrop in dst port $p", "2:18+2 a port is 0 to 65535, not 70000"},
		{"define p = 80,90\ndrop in dst port $p-100",
		 "2:20+1 $p is a list (80,90); one value stands before \"-\""},
		{"define p = 80,90\ndrop in dst port 1-$p",
		 "2:20+2 $p is a list (80,90); one value stands here"},
		{"define p = 80,90\ndefine q = 1-$p", "2:14+2 expected one value, not \"$p\""},
		{"define p = tcp\ndrop in $p", "2:9+2 expected something to match"},
		{"drop in vlan $", "1:14+1 \"$\" is not allowed in a rule"},
		{"drop in dst port { 80 }", "1:18+1 a list in a rule has no braces: port 80,443"},
		{"define a = 1,\ndrop in vlan $a", "1:14+1 expected a value"},
	};

	mistakes_are(rows, COUNT(rows));
}

/* A rule that is added alone may name the variables of the rules in effect. */
TEST(none, variables_of_the_rules_in_effect)
{
	static const char file[] = "define bad = { 10.0.0.0/8, 192.0.2.1 }\n"
				   "define worse = $bad, 192.0.2.7\ndrop in src $bad\n";
	static const struct {
		const char *text, *told;
	} wrong[] = {
		{"drop in src $bat",
		 "1:13+4 no variable is called \"bat\"; did you mean \"$bad\"?\n"},
		{"drop in src $other",
		 "1:13+6 the rules in effect define no variable \"other\"; write "
		 "its values, or apply a file that defines it\n"},
		{"drop in src 10.0.0.0-$bad",
		 "1:22+4 $bad is a list (10.0.0.0/8,192.0.2.1); one value "
		 "stands here\n"},
		{"define a = 1", "1:1+6 a definition belongs to a file of rules; apply the file\n"},
		{"table web",
		 "1:7+3 a table begins in a file of rules; to add to it, insert the rule "
		 "before one of the table\n"},
	};
	struct ruleset of;

	assert_int_equal(rules_parse(file, strlen(file), &of, tell, NULL), 0);
	assert_int_equal(rules_parse_part("drop in dst $worse", 18, &of, &set, tell, NULL), 0);
	assert_string_equal(set.rule[0].text, "drop in dst 10.0.0.0/8,192.0.2.1,192.0.2.7");
	ruleset_free(&set);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		told[0] = 0;
		assert_true(rules_parse_part(wrong[i].text, strlen(wrong[i].text), &of, &set, tell,
					     NULL));
		assert_string_equal(told, wrong[i].told);
	}
	ruleset_free(&of);
}

TEST(none, mistakes)
{
	static const struct mistake_row rows[] = {
		{"drop udp", "1:6+3 expected in, out or switch, not \"udp\""},
		{"foo in",
		 "1:1+3 expected drop, pass, send, mirror, track, count, table, define or "
		 "include, not \"foo\""},
		{"defin a = 1",
		 "1:1+5 expected drop, pass, send, mirror, track, count, table, define or "
		 "include, not \"defin\"; did you mean \"define\"?"},
		{"drop in num_of_vlans 1", "1:9+14 num_of_vlans 1 belongs behind vlan or svlan"},
		{"drop in vlan 7 num_of_vlans 2",
		 "1:16+14 num_of_vlans 2 belongs behind two words"},
		{"drop in num_of_vlans 3", "1:9+14 the device sees two VLAN tags"},
		{"drop in num_of_vlans 1-2", "1:9+16 num_of_vlans is 0, 1, 2 or 0-1"},
		{"drop in not num_of_vlans 0-1", "1:13+16 num_of_vlans cannot be negated"},
		{"drop in not native", "1:13+6 native cannot be negated"},
		{"drop in inner native ipv4",
		 "1:15+6 native is compared in the outer headers only"},
		{"drop in vlan 5 native", "1:1+21 native says which VLAN tags there are"},
		{"drop in native num_of_vlans 0-1", "1:1+31 native says which VLAN tags there are"},
		{"drop in fragment udp dst port 0",
		 "1:1+31 no packet matches this rule: in fragments"},
		{"drop in vlan 7 num_of_vlans 1 vlan 9", "1:31+4 a second"},
		{"send out push vxlan vni 5 to queue 1", "1:15+5 expected vlan, not \"vxlan\""},
		{"include \"x\"", "1:1+7 include is possible in files that"},
		{"drop in udpp",
		 "1:9+4 expected something to match (eth, vlan, ipv4, ipv6, src, dst, proto, "
		 "tcp, udp, port, ...), to queue, to rss, to a vport, goto, tag, count, name, "
		 "set, push, pop, decap, encap, over, expire, sample or max, not "
		 "\"udpp\"; did you mean \"udp\"?"},
		{"drop in udp dst prot 53", "1:17+4 expected an IPv4 address, an IPv6 address, a "
					    "MAC address, host or port, not "
					    "\"prot\"; did you mean \"port\"?\n"},
		{"drop in src hosts", "1:13+5 expected an IPv4 address, an IPv6 address, a MAC "
				      "address, host or port, not "
				      "\"hosts\"; did you mean \"host\"?"},
		{"drop in\n\n  pass in src", "3:14+1 expected an IPv4 address, an IPv6 address"},
		{"drop in dst port 70000", "1:18+5 a port is 0 to 65535, not 70000"},
		{"drop in dst port 90-80", "1:18+5 a range goes upwards: 80-90"},
		{"drop in dst port nonesuch", "1:18+8 no service is called \"nonesuch\""},
		{"drop in src 10.0.0.1/8",
		 "1:13+10 the address has bits behind its prefix; write 10.0.0.0/8"},
		{"drop in src 10.0.0.0/33", "1:13+11 an IPv4 prefix has 0 to 32 bits, not 33"},
		{"drop in src fe80::/129", "1:13+10 an IPv6 prefix has 0 to 128 bits, not 129"},
		{"drop in src 10.0.0.1/0.0.0.2", "1:13+16 the address has bits outside the mask"},
		{"drop in src 0.0.0.0/0.0.0.0", "1:13+15 a mask of 0 compares nothing"},
		{"drop in src 10.0.0.9-10.0.0.1",
		 "1:13+17 a range goes upwards: 10.0.0.1-10.0.0.9"},
		{"drop in src fe80::2-fe80::1", "1:13+15 a range goes upwards: fe80::1-fe80::2"},
		{"drop in src 10.0.0.1-fe80::1", "1:22+7 expected an IPv4 address, not"},
		{"drop in src 10.0.0.1/ff::", "1:22+4 expected a number or an IPv4 address"},
		{"drop in port 0x50/0xf", "1:14+8 the port has bits outside the mask"},
		{"drop in port 0/0x10000", "1:14+9 a port and its mask are 0 to 0xffff"},
		{"drop in port 0/0", "1:14+3 a mask of 0 compares nothing"},
		{"drop in vlan 5,4096", "1:14+6 a VLAN id is 0 to 4095, not 4096"},
		{"drop in ttl 1,2 ttl 1", "1:17+5 a second TTL in one rule"},
		{"drop in src 10.0.0", "1:13+6 an IPv4 address is four numbers"},
		{"drop in src 1:2:3", "1:13+5 neither an IPv6 address"},
		{"drop in ipv4 src fe80::1", "1:18+7 this is IPv6, but the rule said IPv4 before"},
		{"drop in arp ipv4",
		 "1:13+4 this is IPv4, but the rule said EtherType 0x0806 before"},
		{"drop in proto ip", "1:15+2 no protocol is called \"ip\""},
		{"drop in protocol ip ip6",
		 "1:21+3 this is IPv6, but the rule said EtherType 0x0800 before"},
		{"drop in protocol ipv6 ipv4",
		 "1:23+4 this is IPv4, but the rule said EtherType 0x86dd before"},
		{"drop in protocol wifi", "1:18+4 no protocol is called \"wifi\""},
		{"drop in ipv4 set ttl 4",
		 "1:18+5 a rule that drops its packets cannot change them"},
		{"send in tcp set tcp dst port 80 udp src port 1 to queue 1",
		 "1:33+14 \"set src port\" needs a rule for packets of UDP: write `udp' among"},
		{"send in set ipv4 dst 10.0.0.1 to queue 1",
		 "1:13+17 \"set ip dst\" needs a rule for packets of IPv4: write `ipv4' among"},
		{"pass in ipv6 set ipv6 dst fe80::1",
		 "1:18+16 \"set ip dst\" would leave ICMPv6's checksum wrong"},
		{"pass out icmp6 set ipv6 src fe80::1",
		 "1:20+16 \"set ip src\" would leave this protocol's checksum wrong"},
		{"pass in ipv4 proto udplite set ipv4 src 10.0.0.1",
		 "1:32+17 \"set ip src\" would leave this protocol's checksum wrong"},
		{"send in ipv4 set ipv4 dst fe80::1 to queue 0",
		 "1:27+7 expected an IPv4 address, not \"fe80::1\""},
		{"send in ipv4 set ipv4 dst 10.0.0.0/8 to queue 0", "1:35+1 expected"},
		{"send in tcp set tcp dst port 80000 to queue 0",
		 "1:17+18 \"set dst port\" takes 0 to 65535, not 80000"},
		{"send in tcp set tcp port 4 to queue 0",
		 "1:17+10 which port? write `src port' or"},
		{"pass in tcp dec ttl",
		 "1:13+7 \"dec ttl\" needs a rule for packets of one IP version"},
		{"pass in ipv4 set ttl 1 dec ttl",
		 "1:24+7 \"set ttl\" and \"dec ttl\" in one rule"},
		{"pass in ipv4 set ttl 3 ttl 4", "1:24+5 a second \"set ttl\" in one rule"},
		{"pass in ipv4 set ttl 256", "1:18+7 \"set ttl\" takes 0 to 255, not 256"},
		{"pass in set",
		 "1:12+1 expected something to set (eth, ipv4, ipv6, tcp, udp, ttl, dscp "
		 "or vlan), not the line's end"},
		{"pass in vlan 7 set dscp ef",
		 "1:20+7 \"set dscp\" needs a rule for packets of IP: write `ipv4' or"},
		{"pass in ipv4 set dscp 64", "1:18+7 \"set dscp\" takes 0 to 63, not 64"},
		{"pass in ipv4 set dscp af44", "1:23+4 no DSCP is called \"af44\""},
		{"pass in pop vlan", "1:9+8 \"pop vlan\" needs a rule for packets with a VLAN tag"},
		{"pass in set vlan 5",
		 "1:13+6 \"set vlan\" needs a rule for packets with a VLAN tag"},
		{"pass in vlan pop vlan push vlan 5",
		 "1:23+11 a rule for incoming packets pops a VLAN tag or pushes one"},
		{"pass in push vlan", "1:18+1 expected a number, not the line's end"},
		{"pass in push vlan 4096", "1:9+14 a VLAN is 0 to 4095, not 4096"},
		{"pass in push vlan 1 pcp 8", "1:9+17 a priority (pcp) is 0 to 7, not 8"},
		{"send in udp decap to queue 1",
		 "1:13+5 \"decap\" needs a rule for packets of a tunnel"},
		{"send in gre decap to queue 1",
		 "1:13+5 gre carries IP, so decap needs a rule for packets of one IP version"},
		{"send in gtpu inner ipv4 decap to queue 1",
		 "1:25+5 packets in gtpu have no Ethernet header: write decap's `eth src"},
		{"send in vxlan decap eth src 2:0:0:0:0:1 to queue 1",
		 "1:15+5 packets in vxlan have an Ethernet header, which stays"},
		{"send in gtpu inner ipv4 decap eth src 2::1 to queue 1",
		 "1:39+4 expected a MAC address"},
		{"send in gtpu decap src 2:0:0:0:0:1 src 2:0:0:0:0:1",
		 "1:36+15 a second one of this in one decap"},
		{"pass out vxlan decap", "1:16+5 tunnels end at incoming packets"},
		{"send in vxlan set eth dst 2:0:0:0:0:1 decap to queue 0",
		 "1:19+19 \"decap\" and \"set eth dst\" in one rule"},
		{"drop in ttl 256", "1:9+7 a TTL is 0 to 255, not 256"},
		{"drop in vlan 4096", "1:14+4 a VLAN id is 0 to 4095, not 4096"},
		{"drop in pcp 3", "1:9+5 VLAN pcp belongs behind vlan or svlan"},
		{"drop in untagged vlan_id 3", "1:18+9 VLAN id belongs behind vlan or svlan"},
		{"drop in vlan 1 vlan 2 svlan 3", "1:23+5 a rule names at most two VLAN tags"},
		{"drop in vlan untagged", "1:14+8 a second VLAN tag in one rule"},
		{"drop in untagged vlan", "1:18+4 a second VLAN tag in one rule"},
		{"drop in eth type vlan", "1:13+9 the EtherType behind all VLAN tags is compared"},
		{"drop in ethertype 5", "1:9+11 an EtherType is 0x600 to 0xffff"},
		{"drop in reg_c0 5/4", "1:16+3 the value has bits outside the mask"},
		{"drop in reg_c0 0/0", "1:9+10 a mask of 0 compares nothing"},
		{"drop in reg_c0 4294967296", "1:9+17 a register's value is 0 to 4294967295"},
		{"drop in flowlabel 1/0x100000", "1:19+10 the value has bits"},
		{"drop in eth src 02:00:00:00:00:01/02:00:00:00:00:00", "1:17+35 the MAC has bits"},
		{"drop in tcp udp", "1:13+3 a second protocol in one rule"},
		{"drop in udp flags syn", "1:1+21 UDP has no flags"},
		{"drop in proto gre port 1",
		 "1:1+24 ports go with tcp or udp, not with protocol 47"},
		{"drop in flags sin", "1:15+3 no TCP flag is called \"sin\""},
		{"drop in flags syn,!syn", "1:19+4 the flag syn cannot be both set and clear"},
		{"drop in type 8", "1:9+6 type needs a protocol before it"},
		{"drop in vni 8", "1:9+5 vni belongs behind vxlan"},
		{"drop in vxlan vni 16777216", "1:15+12 a VNI is 0 to 16777215"},
		{"drop in vxlan geneve", "1:15+6 a packet is in one tunnel; the rule said vxlan"},
		{"drop in vxlan dst port 80", "1:1+25 vxlan is UDP to port 4789"},
		{"drop in vxlan dst port 4789,80", "1:1+30 vxlan is UDP to port 4789"},
		{"drop in tcp vxlan", "1:13+5 a second protocol in one rule"},
		{"drop in gre port 80", "1:1+19 ports go with tcp or udp, not with protocol 47"},
		{"drop in vxlan oam",
		 "1:15+3 oam is a bit of Geneve's header; it belongs behind geneve"},
		{"drop in mpls_ttl 256", "1:9+12 a TTL of MPLS is 0 to 255, not 256"},
		{"drop in mpls 1048576", "1:9+12 a label of MPLS is 0 to 1048575"},
		{"drop in arp mpls", "1:13+4 a second EtherType"},
		{"drop in inner untagged", "1:1+22 a packet without a tunnel matches this, too"},
		{"drop in inner vxlan 7", "1:15+5 a tunnel is compared in the outer headers only"},
		{"drop in inner key 7", "1:15+5 a GRE key is compared in the outer headers only"},
		{"drop in inner icmp type 8", "1:20+6 ICMP type is compared in the outer headers"},
		{"drop in icmp inner type 8", "1:20+6 type needs a protocol before it"},
		{"drop in ipv4 inner tcp udp", "1:24+3 a second protocol in one rule"},
		{"drop in code 8", "1:9+6 code belongs behind icmp"},
		{"drop in to queue 1",
		 "1:9+10 only a rule that begins with send or mirror has a queue"},
		{"drop in tag 1", "1:9+5 only a rule that begins with send has a tag"},
		{"send in", "1:1+7 send needs a queue"},
		{"send in to queue 5000", "1:9+13 a queue is 0 to 63, not 5000"},
		{"drop in inner", "1:1+13 inner needs a match behind it"},
		{"drop in inner any", "1:1+17 inner needs a match"},
		{"drop in vxlan inner vport 3", "1:1+27 inner needs a match"},
		{"send in to queue 64", "1:9+11 a queue is 0 to 63, not 64"},
		{"send in to queue", "1:17+1 expected a number, not the line's end"},
		{"send in to queue 1 tag 16777216", "1:20+12 a tag is 0 to 16777215, not 16777216"},
		{"send out to queue 1", "1:10+10 a queue takes incoming packets"},
		{"drop in ipv4 flowlabel 5", "1:14+9 this is IPv6, but the rule said IPv4 before"},
		{"drop out vport 1", "1:10+7 vport is the origin of incoming packets"},
		{"drop in sqn 1", "1:9+5 sqn is the send queue of outgoing packets"},
		{"drop in port 99999999999999999999",
		 "1:14+20 99999999999999999999 is too large a number"},
		{"drop in \033[31m", "1:9+1 a control character is not allowed in a rule"},
		{"drop in \"x\"", "1:9+3 expected something to match"},
		{"drop in \"x", "1:9+2 the quote that ends this name is missing"},
		{"drop in name", "1:13+1 expected a name, not the line's end"},
		{"drop in name 7", "1:14+1 expected a name, not \"7\""},
		{"drop in name \"7\"", "1:14+3 a name is a letter, then letters, digits"},
		{"drop in name \"\"", "1:14+2 a name is a letter, then"},
		{"drop in name \"a b\"", "1:14+5 a name is a letter, then"},
		{"drop in name a name b", "1:21+1 a second name of one rule"},
		{"drop in name a\npass in\npass in name \"a\"",
		 "3:14+3 the rule in line 1 is called \"a\", too"},
		{"# \xc3\xa4\xc3\xb6\ndrop in \xc3\xa4",
		 "2:9+1 \"\xc3\xa4\" is not allowed in a rule"},
		/* invisible characters; a byte order mark at the beginning is skipped */
		{"\xef\xbb\xbf# windows\r\ndrip in",
		 "2:1+4 expected drop, pass, send, mirror, track, count, table, define or include"},
		{"\xef\xbb\xbf"
		 "drip in",
		 "1:1+4 expected drop, pass, send, mirror, track, count, table, define or include"},
		{"drop in\n\xef\xbb\xbf"
		 "drop in",
		 "2:1+1 a byte order mark (U+FEFF) is not allowed in a rule"},
		{"drop\xc2\xa0in", "1:5+1 a no-break space (U+00A0) is not allowed in a rule"},
		{"drop in \xe2\x80\x8budp",
		 "1:9+1 a zero width space (U+200B) is not allowed in a rule"},
		{"\xff\xfe"
		 "d\0r\0",
		 "1:1+1 the text is UTF-16; save it as UTF-8"},
		/* words that tcpdump and tc have for these */
		{"drop in tcp or udp", "1:13+2 \"or\" is possible in lists only (port 80,443; src"},
		{"drop in tcp || udp", "1:13+2 \"or\" is possible in lists only"},
		{"drop in port 80 or port 443", "1:20+4 \"or\" is possible in lists only"},
		{"drop in src 10.0.0.1 or dst 10.0.0.1", "1:25+3 \"or\" is possible in lists only"},
		{"drop in not", "1:12+1 \"not\" stands before a match"},
		{"drop in vlan not 7", "1:18+1 \"not\" stands before a match (not tcp dst port 22, "
				       "not src 10.0.0.0/8), or \"!=\" before its value"},
		{"drop in not not tcp", "1:13+3 \"not\" stands before a match"},
		{"drop in not any", "1:13+3 no packet matches not any"},
		{"drop in not eth", "1:9+3 not needs a match behind it"},
		{"drop in not inner tcp", "1:9+3 not needs a match behind it"},
		{"drop in not ipv4",
		 "1:9+3 no device compares that a packet is not IPv4: write `ipv6', "
		 "`arp' or `ethertype != 0x0800'"},
		{"drop in !ip6 tcp", "1:9+1 no device compares that a packet is not IPv6"},
		{"drop in not vport 2", "1:9+3 devices compare a vport or a send queue as a whole"},
		{"drop in not dst port != 22", "1:22+2 one match is negated twice"},
		{"drop in ipv6 not src 10.0.0.1", "1:14+3 this is IPv4, but the rule said IPv6"},
		{"drop in arp ttl != 1",
		 "1:1+20 the rule matches an IP field and EtherType 0x0806"},
		{"drop in gre port != 80", "1:1+22 ports go with tcp or udp, not with protocol 47"},
		{"drop in udp flags != syn", "1:1+24 UDP has no flags"},
		{"drop in not tcp udp dst port 5 tcp", "1:32+3 a second protocol in one rule"},
		{"drop in inner not eth dst 2:0:0:0:0:1",
		 "1:1+37 a packet without a tunnel matches this, too"},
		{"drop in tcp not port 0-65535", "1:1+28 no packet matches this rule"},
		{"drop in tcp not tcp", "1:1+19 no packet matches this rule"},
		{"drop in src 10.0.0.1,fe80::1",
		 "1:22+7 this is IPv6, but the rule said IPv4 before"},
		{"drop in src 10.0.0.1,",
		 "1:22+1 expected an IPv4 address or an IPv6 address, not the line's end"},
		{"drop in host 10.0.0.1 host 10.0.0.2",
		 "1:23+13 a second host address in one rule; if it may be either"},
		{"drop in eth src 02:00:00:00:00:01,10.0.0.1", "1:35+8 expected a MAC address"},
		/* destinations */
		{"mirror in udp", "1:1+13 mirror needs a queue: write `to queue 0'"},
		{"mirror out udp to queue 1", "1:16+10 a queue takes incoming packets"},
		{"mirror in to queue 1 tag 7",
		 "1:22+5 only a rule that begins with send has a tag"},
		{"mirror in ipv4 dec ttl to queue 1",
		 "1:16+7 a rule that copies packets does not change them"},
		{"mirror in to rss 0-1", "1:18+1 mirror copies to one queue: write `to queue 0'"},
		{"drop in to queue 1",
		 "1:9+10 only a rule that begins with send or mirror has a queue"},
		{"send in to queue 1 to queue 2",
		 "1:20+10 a rule has one destination; this is the second"},
		{"send in goto web to queue 2\ntable web\ndrop in",
		 "1:18+10 a rule has one destination"},
		{"send in to rss 3", "1:17+1 expected '-', not the line's end"},
		{"send in to rss 3-1", "1:18+1 rss spreads over several queues: its last one is "
				       "above 3"},
		{"send in to rss 0-64", "1:18+2 a queue is 0 to 63, not 64"},
		{"send out to rss 0-3", "1:17+1 a queue takes incoming packets"},
		{"send in to rss 0-3 on", "1:22+1 expected ipv4, ipv6, tcp or udp, not the line's"},
		{"send in to rss 0-3 on tcp",
		 "1:23+3 ports are hashed with addresses: write `on ipv4,tcp', `on ipv6,tcp' or"},
		{"send in to rss 0-3 on ipv4,ipv4", "1:28+4 this is in the list already"},
		{"send in to rss 0-3 key 7", "1:24+1 expected a key of 40 bytes, not \"7\""},
		{"send in to rss 0-3 key 6d:5a:56:da:25:5b:0e:c2:41",
		 "1:24+26 a key of rss has 40 bytes (80 hexadecimal digits), not 18"},
		{"drop in goto web", "1:14+3 only a rule that begins with send leads to a table"},
		{"send in goto web", "1:14+3 no table is called \"web\": write a line `table web'"},
		{"send in goto web\ntable web2\ndrop in",
		 "1:14+3 no table is called \"web\"; did you mean \"web2\"?"},
		{"send in goto main", "1:14+4 packets begin in the table \"main\""},
		{"send in tag 3 goto web\ntable web\ndrop in",
		 "1:1+22 a rule that leads to a table sets no tag"},
		{"send in goto web\ntable web\ndrop out",
		 "1:14+3 the table \"web\" has no rule for incoming packets"},
		{"send in goto web\ntable web",
		 "1:14+3 the table \"web\" has no rule for incoming packets"},
		{"table web\ndrop in",
		 "1:7+3 the table \"web\" has rules for incoming packets, but no such rule leads "
		 "here: write `send in any goto web' in another table"},
		{"send in goto a\ntable a\nsend in goto b\ntable b\ndrop in tcp\nsend in goto a\n"
		 "send in goto c\ntable c\ndrop in",
		 "6:14+1 the tables lead in a circle: \"b\" leads to \"a\" again"},
		{"send in goto a\ntable a\nsend in goto a",
		 "3:14+1 the tables lead in a circle: \"a\" leads to \"a\" again"},
		{"table", "1:6+1 expected a name"},
		{"drop in count udp",
		 "1:15+3 expected the end of the line, to queue, to rss, to a vport, goto, "
		 "tag, count, name, set, push, pop, decap, encap, over, expire, sample or max, not "
		 "\"udp\""},
	};

	mistakes_are(rows, COUNT(rows));
}

/* Each bad line is reported, up to a limit, also between good ones. */
TEST(none, many_mistakes)
{
	char text[4096] = "";
	unsigned int lines_told = 0;

	for (int i = 0; i < 30; i++)
		strcat(text, i % 3 ? "drop inn\n" : "drop in udp\n");
	told[0] = 0;
	assert_int_equal(rules_parse(text, strlen(text), &set, tell, NULL), MISTAKES_MAX);
	for (char *p = told; *p; p++)
		lines_told += *p == '\n';
	assert_int_equal(lines_told, MISTAKES_MAX);
	assert_non_null(strstr(told, "\n3:6+3 expected in, out or switch"));
}

/* Doubles a list of 26 addresses (1 KB) n times: a0 to an. */
static void variables_doubled(char *text, int n)
{
	strcpy(text, "define a0 = 2001:db8:1111:2222:3333:4444:5555:666");
	for (int i = 1; i < 26; i++)
		strcat(text, ",2001:db8:1111:2222:3333:4444:5555:666");
	for (int i = 1; i <= n; i++)
		sprintf(text + strlen(text), "\ndefine a%d = $a%d,$a%d", i, i - 1, i - 1);
}

/* A few lines cannot make billions of values: neither in definitions nor in rules. */
TEST(none, variables_of_too_many_values)
{
	static const char why[] =
		"the values of variables have more than 67108864 bytes where they are used";
	char text[8192];

	variables_doubled(text, 40);
	told[0] = 0;
	assert_int_equal(rules_parse(text, strlen(text), &set, tell, NULL), 1);
	assert_non_null(strstr(told, "17:14+4 with $a15 here, "));
	assert_non_null(strstr(told, why));
	variables_doubled(text, 14);
	for (int i = 0; i < 9; i++)
		strcat(text, "\ndrop in ipv6 dst $a14 src $a14");
	told[0] = 0;
	assert_int_equal(rules_parse(text, strlen(text), &set, tell, NULL), 1);
	assert_non_null(strstr(told, "17:18+4 with $a14 here, "));
	assert_non_null(strstr(told, why));
}

/* The expansion of negations nests as deep as they are many. */
TEST(none, many_negations)
{
	char text[8192] = "drop in ipv4";

	for (int i = 0; i < 256; i++)
		strcat(text, " not dst 10.0.0.1");
	assert_int_equal(rules_parse(text, strlen(text), &set, tell, NULL), 0);
	ruleset_free(&set);
	strcat(text, " not src 10.0.0.1");
	told[0] = 0;
	assert_int_equal(rules_parse(text, strlen(text), &set, tell, NULL), 1);
	assert_non_null(
		strstr(told, "1:4366+3 a rule has not at most 256 times; one takes a list"));
}

/* Nothing ends at a byte of zero, which would drop rules. */
TEST(none, bytes_of_zero)
{
#define BYTES(s, t)                 \
	{                           \
		s, sizeof(s) - 1, t \
	}
	static const struct {
		const char *text;
		size_t len;
		const char *told;
	} cases[] = {
		BYTES("drop in udp\n\0drop in tcp\n", "2:1+12 a byte of zero"),
		BYTES("# seal\0 \xff ?\ndrop in udp\n", "1:7+5 a byte of zero"),
		BYTES("drop in udp name \"a\0b\"", "1:18+2 the quote"),
		BYTES("drop in udp # \0", "1:15+1 a byte of zero"),
		BYTES("drop in udp \\\n\0", "2:1+1 a byte of zero"),
		BYTES("drop in u\0dp", "1:9+1 expected something"),
		BYTES("\0\0\0\0", "1:1+4 a byte of zero"),
		BYTES("d\0r\0o\0p\0 \0i\0n\0", "1:1+1 expected drop"),
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		told[0] = 0;
		if (rules_parse(cases[i].text, cases[i].len, &set, tell, NULL) < 1 ||
		    strncmp(told, cases[i].told, strlen(cases[i].told)))
			fail_msg("case %zu: told %s", i, told);
	}
}
