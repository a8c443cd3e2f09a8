/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the parser accepts the language of the manual page, and checks the rules that its
 * words become. rules_ends.c has what rules do with packets, rules_mistakes.c the mistakes that are
 * refused.
 */
#include "rules/map.h"
#include "rules_parse.h"

TEST(none, verdicts)
{
	static const struct {
		const char *text;
		enum rule_verdict verdict;
		enum rule_dir dir;
		bool count;
	} cases[] = {
		{"drop in", RULE_DROP, RULE_IN, false},
		{"deny inbound any", RULE_DROP, RULE_IN, false},
		{"block egress all count", RULE_DROP, RULE_OUT, true},
		{"pass out", RULE_PASS, RULE_OUT, false},
		{"allow ingress", RULE_PASS, RULE_IN, false},
		{"accept in count", RULE_PASS, RULE_IN, true},
		{"count in", RULE_PASS, RULE_IN, true},
		{"send in to queue 0", RULE_SEND, RULE_IN, false},
		{"SEND In Queue 0 COUNT", RULE_SEND, RULE_IN, true},
		{"drop switch from pf", RULE_DROP, RULE_SWITCH, false},
		{"mirror switch to uplink count", RULE_MIRROR, RULE_SWITCH, true},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct rule *r = only(cases[i].text);

		assert_int_equal(r->verdict, cases[i].verdict);
		assert_int_equal(r->dir, cases[i].dir);
		assert_int_equal(r->count, cases[i].count);
	}
}

/* A rule has the values in the place of a variable; an unused one is no mistake. */
TEST(none, variables)
{
	static const struct {
		const char *defines, *rule, *becomes;
	} cases[] = {
		{"define WEB = 80,443\n", "drop in tcp dst port $WEB",
		 "drop in tcp dst port 80,443"},
		{"define web = { 80, https }\n", "drop in tcp dst port 22, $web",
		 "drop in tcp dst port 22, 80,https"},
		{"define web = {\n 80 ,\n 443 # tls\n}\n", "drop in port != $web",
		 "drop in port != 80,443"},
		{"define n = 10.0.0.0/8 or 192.168.0.1-192.168.0.9\n", "drop in ipv4 src $n tcp",
		 "drop in ipv4 src 10.0.0.0/8,192.168.0.1-192.168.0.9 tcp"},
		{"define a = 80\ndefine b = $a-90, 0x100/0xf00\n", "drop in dport $b",
		 "drop in dport 80-90,0x100/0xf00"},
		{"define lo = 80\ndefine hi = 90\n", "drop in dport $lo-$hi",
		 "drop in dport 80-90"},
		{"define a = ftp\ndefine r = $a-ssh, 3000 - iscsi-target\n", "drop in tcp dport $r",
		 "drop in tcp dport ftp - ssh,3000-iscsi-target"},
		{"define lo = ftp\n", "drop in tcp dport $lo-90", "drop in tcp dport ftp -90"},
		{"define net = 10.1.0.0\n", "drop in src $net/16", "drop in src 10.1.0.0/16"},
		{"define m = 02:00:00:00:00:01\n", "drop in eth dst $m",
		 "drop in eth dst 02:00:00:00:00:01"},
		{"define f = syn,!ack\n", "drop in tcp flags $f", "drop in tcp flags syn,!ack"},
		{"define p = TCP\n", "drop in proto $p", "drop in proto TCP"},
		{"define q = 3\ndefine n = \"dns\"\n", "send in to queue $q \\\n name $n",
		 "send in to queue 3 name \"dns\""},
		{"define unused = 1\n", "drop in", "drop in"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[256], *plain;
		struct rule r;

		snprintf(text, sizeof(text), "%s%s", cases[i].defines, cases[i].rule);
		r = *only(text);
		assert_string_equal(r.text, cases[i].becomes);
		plain = strdup(r.text);
		assert_int_equal(only(plain)->nfields, r.nfields);
		free(plain);
	}
}

/* Lists, by comma or by the word. */
TEST(none, lists)
{
	const struct rule *r =
		only("drop in src 10.0.0.0/8, 192.168.0.0/16 tcp && dst port 80 or 443");

	assert_int_equal(r->outer.src.n, 2);
	assert_int_equal(r->outer.src.net[1].bits, 16);
	assert_int_equal(r->outer.src.net[1].addr[0], 192);
	assert_int_equal(r->outer.dport.n, 2);
	assert_string_equal(r->text,
			    "drop in src 10.0.0.0/8, 192.168.0.0/16 tcp && dst port 80 or 443");
	r = only("drop in inner net 2001:db8::/32 or fe80::/10");
	assert_int_equal(r->inner->host.n, 2);
	assert_int_equal(r->inner->ip, 6);
}

TEST(none, masks_and_ranges)
{
	const struct rule *r = only("drop in ipv4 src 0.0.0.1/0.0.0.3");

	assert_int_equal(r->outer.src.net->bits, NET_MASK);
	assert_int_equal(r->outer.src.net->addr[3], 1);
	assert_int_equal(r->outer.src.net->end[3], 3);
	assert_int_equal(only("drop in src 10.0.0.0/255.0.0.0")->outer.src.net->bits, 8);
	assert_int_equal(only("drop in dst ::1/::ffff")->outer.dst.net->bits, NET_MASK);
	r = only("drop in ipv4 src 10.0.0.1-10.0.0.9, 11.0.0.0/8");
	assert_int_equal(r->outer.src.n, 2);
	assert_int_equal(r->outer.src.net->bits, NET_RANGE);
	assert_int_equal(r->outer.src.net->end[3], 9);
	r = only("drop in tcp dst port 0x50/0xff,0x100/0xff00,22");
	assert_int_equal(r->outer.dport.n, 3);
	assert_int_equal(r->outer.dport.range[1].last, 0x1ff);
	assert_int_equal(r->outer.dport.range[2].first, 0x50);
	assert_int_equal(r->outer.dport.range[2].wild, 0xff00);
	has("drop in ttl 0/0xfe", KEY_TTL, 0, 0xfe);
	has("drop in dscp 0x28/0x38,ef", KEY_DSCP, 0x28, 0x38);
}

static void has_more(const char *text, enum rule_key key, uint64_t second)
{
	const struct rule_field *f = field(only(text), key);

	assert_non_null(f);
	assert_int_equal(f->nmore, 1);
	assert_int_equal(f->more->value, second);
}

TEST(none, sets)
{
	has_more("drop in eth src 2:0:0:0:0:1,2:0:0:0:0:2", KEY_SMAC, 0x020000000002);
	has_more("drop in eth dst 2:0:0:0:0:0/ff:0:0:0:0:0 or 3:0:0:0:0:2", KEY_DMAC,
		 0x030000000002);
	has_more("drop in vlan 5,6", KEY_VLAN_ID, 6);
	has_more("drop in svlan 5 vlan id 6,7", KEY_VLAN2_ID, 7);
	has_more("drop in dscp ef,af11", KEY_DSCP, 10);
	has_more("drop in ttl 1,2 tcp", KEY_TTL, 2);
	has_more("drop in vxlan 7,8", KEY_VXLAN_VNI, 8);
	has_more("drop in mpls 16,17", KEY_MPLS_LABEL, 17);
	has_more("drop in gre key 1,2", KEY_GRE_KEY, 2);
	has_more("drop in vlan_id 1,2", KEY_VLAN_ID, 2);
}

static const struct rule_except *except(const char *text)
{
	const struct rule *r = only(text);

	if (r->nexcepts != 1)
		fail_msg("%s: %zu exceptions", text, r->nexcepts);
	return r->except;
}

/* `not` takes a match; behind a protocol it takes the matches of that header. */
TEST(none, not_binds_a_match_and_its_header)
{
	const struct rule_except *e = except("drop in ipv4 not tcp dst port 22");

	assert_int_equal(e->headers.l4, L4_TCP);
	assert_int_equal(e->headers.dport.range[0].first, 22);
	assert_int_equal(set.rule[0].outer.ip, 4);
	assert_int_equal(set.rule[0].outer.l4, L4_ANY);
	e = except("drop in not tcp src port 1 dst port 2 flags syn ttl 5 dst port 7");
	assert_int_equal(e->headers.sport.n, 1);
	assert_int_equal(e->headers.dport.n, 1);
	assert_int_equal(e->nfields, 1);
	assert_non_null(field(&set.rule[0], KEY_TTL));
	assert_int_equal(set.rule[0].outer.dport.range[0].first, 7);
	e = except("drop in not src 10.0.0.0/8 dst 11.0.0.1");
	assert_int_equal(e->headers.src.n, 1);
	assert_int_equal(e->headers.dst.n, 0);
	assert_int_equal(set.rule[0].outer.dst.n, 1);
	e = except("drop in not dst port 22 src port 3");
	assert_int_equal(e->headers.dport.n, 1);
	assert_int_equal(set.rule[0].outer.sport.n, 1);
	e = except("drop in not icmp type 8 code 1");
	assert_int_equal(e->nfields, 3);
	assert_int_equal(e->headers.ip, 4);
	assert_int_equal(set.rule[0].outer.ip, RULE_IP);
	e = except("drop in not vxlan 7");
	assert_int_equal(e->headers.dport.range[0].first, 4789);
	assert_int_equal(e->field[0].key, KEY_VXLAN_VNI);
	assert_int_equal(set.rule[0].outer.dport.n, 0);
	e = except("drop in vlan 7 not vlan 9 pcp 1");
	assert_int_equal(e->nfields, 3);
	assert_int_equal(e->field[0].key, KEY_CVLAN2);
	e = except("drop in gre inner ipv4 not tcp dst port 80");
	assert_true(e->inner);
	assert_int_equal(only("drop in not tcp and not src 10.0.0.1")->nexcepts, 2);
	assert_int_equal(only("drop in not fragment")->nexcepts, 0);
}

/* A negated match's implied fields leave the match behind it alone. */
TEST(none, not_before_another_match)
{
	has("drop in not fragment ttl 5", KEY_FRAGMENT, 0, 1);
	has("drop in not fragment ttl 5", KEY_TTL, 5, 0xff);
	assert_int_equal(only("drop in not vxlan dst != 2:0:0:0:0:1")->nexcepts, 2);
}

/* A negated field exists: the packet has its header. */
TEST(none, not_needs_the_header)
{
	except("drop in not src 10.0.0.0/8");
	assert_int_equal(set.rule[0].outer.ip, 4);
	except("drop in dst port != 80,443");
	assert_int_equal(set.rule[0].outer.l4, L4_TCP_OR_UDP);
	except("drop in tcp dst port not 22");
	assert_int_equal(set.rule[0].outer.l4, L4_TCP);
	except("drop in ttl != 1");
	assert_int_equal(set.rule[0].outer.ip, RULE_IP);
	except("drop in flags != syn");
	assert_int_equal(set.rule[0].outer.l4, L4_TCP);
	except("drop in flowlabel != 7");
	assert_int_equal(set.rule[0].outer.ip, 6);
	except("drop in vlan != 7");
	assert_non_null(field(&set.rule[0], KEY_CVLAN));
	except("drop in not vlan 7");
	assert_null(field(&set.rule[0], KEY_CVLAN));
	except("drop in label != 16");
	assert_non_null(field(&set.rule[0], KEY_ETHERTYPE));
	except("drop in gre key != 16");
	assert_non_null(field(&set.rule[0], KEY_GRE_HAS_KEY));
	except("drop in eth src != 2:0:0:0:0:1");
	assert_int_equal(set.rule[0].outer.ip, 0);
	assert_int_equal(except("drop in ethertype != ip")->field[0].value, 0x800);
	assert_int_equal(except("drop in proto != tcp")->headers.l4, L4_TCP);
}

TEST(none, issues_examples)
{
	const struct rule *r = only("drop in udp dst port 53");

	assert_int_equal(r->outer.l4, L4_UDP);
	assert_int_equal(r->outer.ip, RULE_IP);
	assert_int_equal(r->outer.dport.n, 1);
	assert_int_equal(r->outer.dport.range[0].first, 53);
	r = only("send in ipv4 src 10.0.0.0/8 tcp dst port 80-443 to queue 3 tag 7 count");
	assert_int_equal(r->outer.ip, 4);
	assert_int_equal(r->outer.src.net->bits, 8);
	assert_int_equal(r->outer.src.net->addr[0], 10);
	assert_int_equal(r->outer.l4, L4_TCP);
	assert_int_equal(r->outer.dport.range[0].first, 80);
	assert_int_equal(r->outer.dport.range[0].last, 443);
	assert_int_equal(r->queue, 3);
	assert_int_equal(r->tag, 7);
	assert_true(r->has_tag && r->count);
}

TEST(none, fields)
{
	has("drop in eth src 02:00:00:00:00:01", KEY_SMAC, 0x020000000001, 0xffffffffffff);
	has("drop in ether dst 01:00:00:00:00:00/01:00:00:00:00:00", KEY_DMAC, 0x010000000000,
	    0x010000000000);
	has("drop in dst_mac 2:0:0:0:0:1", KEY_DMAC, 0x020000000001, 0xffffffffffff);
	has("drop in eth type arp", KEY_ETHERTYPE, 0x806, 0xffff);
	has("drop in ethertype 0x88cc", KEY_ETHERTYPE, 0x88cc, 0xffff);
	has("drop in arp", KEY_ETHERTYPE, 0x806, 0xffff);
	has("drop in vlan", KEY_CVLAN, 1, 1);
	has("drop in vlan 100", KEY_VLAN_ID, 100, 0xfff);
	has("drop in vlan id 100 pcp 3 dei 1", KEY_VLAN_PCP, 3, 7);
	has("drop in svlan 5", KEY_SVLAN, 1, 1);
	has("drop in vlan 7 vlan 9", KEY_VLAN_ID, 7, 0xfff);
	has("drop in vlan 7 vlan 9", KEY_VLAN2_ID, 9, 0xfff);
	has("drop in vlan 7 num_of_vlans 1", KEY_CVLAN2, 0, 1);
	has("drop in svlan num_of_vlans 1 id 7", KEY_SVLAN2, 0, 1);
	has("drop in num_of_vlans 0", KEY_CVLAN, 0, 1);
	has("drop in num_of_vlans 0-1", KEY_SVLAN2, 0, 1);
	has("drop in svlan num_of_vlans 0-1", KEY_CVLAN2, 0, 1);
	assert_true(only("drop in native ipv4")->native);
	has("drop in vlan 7 vlan 9", KEY_CVLAN2, 1, 1);
	has("drop in qinq pcp 1 vlan id 9 pcp 2", KEY_VLAN_PCP, 1, 7);
	has("drop in svlan vlan 9 dei 1 pcp 2", KEY_VLAN2_PCP, 2, 7);
	has("drop in svlan vlan 9 dei 1 pcp 2", KEY_VLAN2_DEI, 1, 1);
	has("drop in vlan svlan", KEY_SVLAN2, 1, 1);
	has("drop in inner svlan 7 vlan 9", KEY_INNER(KEY_VLAN2_ID), 9, 0xfff);
	has("drop in vlan_id 6 vlan_prio 3", KEY_CVLAN, 1, 1);
	has("drop in vlan_id 6 vlan_prio 3", KEY_VLAN_PCP, 3, 7);
	has("drop in svlan vlan_id 6", KEY_SVLAN, 1, 1);
	has("drop in protocol ip src 10.0.0.1", KEY_ETHERTYPE, 0x800, 0xffff);
	has("drop in ipv6 ethertype ipv6", KEY_ETHERTYPE, 0x86dd, 0xffff);
	has("drop in protocol arp", KEY_ETHERTYPE, 0x806, 0xffff);
	has("drop in protocol 0x88cc", KEY_ETHERTYPE, 0x88cc, 0xffff);
	has("drop in protocol sctp", KEY_PROTO, 132, 0xff);
	has("drop in protocol 47", KEY_PROTO, 47, 0xff);
	has("drop in untagged", KEY_CVLAN, 0, 1);
	has("drop in proto gre", KEY_PROTO, 47, 0xff);
	has("drop in dscp ef", KEY_DSCP, 46, 0x3f);
	has("drop in tos 0x10/0xfc", KEY_DSCP, 4, 0x3f);
	has("drop in ecn 3", KEY_ECN, 3, 3);
	has("drop in ttl 1", KEY_TTL, 1, 0xff);
	has("drop in ip6 hoplimit 255", KEY_TTL, 255, 0xff);
	has("drop in fragment", KEY_FRAGMENT, 1, 1);
	has("drop in not frag", KEY_FRAGMENT, 0, 1);
	has("drop in !frag", KEY_FRAGMENT, 0, 1);
	has("drop in flowlabel 0x12345", KEY_FLOWLABEL, 0x12345, 0xfffff);
	has("drop in tcp flags syn,!ack", KEY_TCP_FLAGS, 2, 0x12);
	has("drop in flags 0x2/0x12", KEY_TCP_FLAGS, 2, 0x12);
	has("drop in icmp type echo-request code 0", KEY_ICMP_TYPE, 8, 0xff);
	has("drop in icmp6 type 135", KEY_ICMP6_TYPE, 135, 0xff);
	has("drop in reg_c0 5/0xff", KEY_REG_C0, 5, 0xff);
	has("drop in reg_a 4294967295", KEY_REG_A, 0xffffffff, 0xffffffff);
	has("drop in vport 2", KEY_VPORT, 2, 0xffff);
	has("drop out sqn 0x123", KEY_SQN, 0x123, 0xffffff);
}

static void one_port(const char *text, uint16_t port)
{
	const struct rule *r = only(text);

	assert_int_equal(r->outer.l4, L4_UDP);
	assert_int_equal(r->outer.dport.n, 1);
	assert_int_equal(r->outer.dport.range[0].first, port);
	assert_int_equal(r->outer.dport.range[0].last, port);
}

TEST(none, tunnels)
{
	has("drop in vxlan 7/0xff", KEY_VXLAN_VNI, 7, 0xff);
	has("drop in vxlan vni 7", KEY_VXLAN_VNI, 7, 0xffffff);
	has("drop in udp dst port 4789 vxlan enc_key_id 0x700/0xff00", KEY_VXLAN_VNI, 0x700,
	    0xff00);
	has("drop in vxlan-gpe vni 8", KEY_GPE_VNI, 8, 0xffffff);
	has("drop in geneve and vni 9", KEY_GENEVE_VNI, 9, 0xffffff);
	one_port("drop in vxlan", 4789);
	one_port("drop in vxlan_gpe", 4790);
	one_port("drop in geneve src port 1", 6081);
	one_port("drop in udp dst port vxlan", 4789);
	has("drop in gre", KEY_PROTO, 47, 0xff);
	has("drop in gre key 5", KEY_GRE_KEY, 5, 0xffffffff);
	has("drop in key 5", KEY_GRE_HAS_KEY, 1, 1);
	has("drop in ipv6 gre key 0x500/0xff00", KEY_PROTO, 47, 0xff);
	has("drop in mpls", KEY_ETHERTYPE, 0x8847, 0xffff);
	has("drop in eth type mpls label 100", KEY_MPLS_LABEL, 100, 0xfffff);
	has("drop in mpls 100 tc 3", KEY_MPLS_TC, 3, 7);
	has("drop in mpls_ttl 64", KEY_MPLS_TTL, 64, 255);
	has("drop in mpls_ttl 64", KEY_ETHERTYPE, 0x8847, 0xffff);
	has("drop in inner mpls_bos 0 mpls_ttl 1", KEY_INNER(KEY_MPLS_BOTTOM), 0, 1);
	has("drop in gtpu teid 0x1234 inner ipv4", KEY_GTPU_TEID, 0x1234, 0xffffffff);
	has("drop in nvgre 7/0xff", KEY_GRE_KEY, 0x700, 0xff00);
	has("drop in nvgre vni 7", KEY_GRE_KEY, 0x700, 0xffffff00);
	has("drop in nvgre", KEY_GRE_HAS_KEY, 1, 1);
	has("drop in gretap", KEY_GRE_PROTO, 0x6558, 0xffff);
	has("drop in gretap 7", KEY_GRE_HAS_KEY, 1, 1);
	has("drop in gretap key 7", KEY_GRE_KEY, 7, 0xffffffff);
	has("drop in gtpu 7/0xff", KEY_GTPU_TEID, 7, 0xff);
	has("drop in geneve oam", KEY_GENEVE_OAM, 1, 1);
	has("drop in geneve 9 oam 0", KEY_GENEVE_OAM, 0, 1);
	has("drop in geneve 9 option 0x102 type 0x80 7", KEY_GENEVE_OPTION, 7, 0xffffffff);
	has("drop in geneve option 1 type 2 0x700/0xff00", KEY_GENEVE_OPTION, 0x700, 0xff00);
	assert_int_equal(only("drop in geneve option 0x102 type 0x80 7")->option, 0x1028001);
	has("drop in vxlan 9 gbp 5", KEY_VXLAN_GBP, 0x80000005, 0x8000ffff);
	has("drop in vxlan gbp 0x500/0xff00", KEY_VXLAN_GBP, 0x80000500, 0x8000ff00);
	has("drop in mpls_label 100", KEY_ETHERTYPE, 0x8847, 0xffff);
	assert_int_equal(only("drop in mpls 100 ipv4 dst 10.0.0.1 tcp")->outer.ip, 4);
	assert_int_equal(only("drop in ipv6 mpls 100")->outer.ip, 6);
	assert_int_equal(only("drop in mpls 100 udp port 53")->outer.ip, RULE_IP);
}

/* `inner` begins the matches of the headers inside a tunnel, `outer` ends them. */
TEST(none, inner)
{
	const struct rule *r =
		only("drop in geneve 9 inner ipv4 dst 10.0.0.0/8 tcp dst port 80-81");

	assert_int_equal(r->outer.l4, L4_UDP);
	assert_int_equal(r->outer.dport.range[0].first, 6081);
	assert_int_equal(r->inner->ip, 4);
	assert_int_equal(r->inner->dst.net->bits, 8);
	assert_int_equal(r->inner->l4, L4_TCP);
	assert_int_equal(r->inner->dport.range[0].last, 81);
	r = only("drop in inner udp port 53 outer ipv6 src 2001:db8::/32");
	assert_int_equal(r->inner->ip, RULE_IP);
	assert_int_equal(r->inner->port.n, 1);
	assert_int_equal(r->outer.ip, 6);
	assert_int_equal(r->outer.src.net->bits, 32);
	assert_int_equal(r->outer.l4, L4_ANY);
	has("drop in vlan 5 inner vlan 6", KEY_VLAN_ID, 5, 0xfff);
	has("drop in vlan 5 inner vlan 6", KEY_INNER(KEY_VLAN_ID), 6, 0xfff);
	has("drop in inner eth dst 02:00:00:00:00:01", KEY_INNER(KEY_DMAC), 0x020000000001,
	    0xffffffffffff);
	has("send in geneve 5 decap to queue 1", KEY_GENEVE_PROTO, 0x6558, 0xffff);
	has("send in vxlan-gpe 5 decap to queue 1", KEY_GPE_NEXT, 3, 0xff);
	has("send in gre inner ipv6 decap " HOP " to queue 1", KEY_GRE_PROTO, 0x86dd, 0xffff);
	has("drop in inner mpls 100", KEY_INNER(KEY_MPLS_LABEL), 100, 0xfffff);
	has("drop in gre inner ipv6 flowlabel 1 ttl 5", KEY_INNER(KEY_TTL), 5, 0xff);
	has("drop in inner tcp flags syn", KEY_INNER(KEY_TCP_FLAGS), 2, 2);
	has("drop in inner icmp", KEY_INNER(KEY_PROTO), 1, 0xff);
}

TEST(none, implications)
{
	assert_int_equal(only("drop in eth type ip")->outer.ip, 0);
	assert_int_equal(only("drop in eth type ip tcp")->outer.ip, 4);
	assert_int_equal(only("drop in eth type 0x86dd ttl 1")->outer.ip, 6);
	assert_int_equal(only("drop in proto tcp")->outer.l4, L4_TCP);
	assert_int_equal(only("drop in proto 17")->nfields, 0);
	assert_int_equal(only("drop in port 53")->outer.l4, L4_TCP_OR_UDP);
	assert_int_equal(only("drop in flags syn")->outer.l4, L4_TCP);
	assert_int_equal(only("drop in icmp6")->outer.ip, 6);
	assert_int_equal(only("drop in ttl 1")->outer.ip, RULE_IP);
	assert_int_equal(only("drop in host fe80::1")->outer.ip, 6);
	assert_int_equal(only("drop in eth src 02:00:00:00:00:01")->outer.ip, 0);
}

TEST(none, ports)
{
	const struct rule *r = only("drop in tcp dst port 443,80,81-90,http-alt,22,85-100");

	/* http-alt is 8080, if /etc/services is there at all: the list is sorted and joined. */
	assert_true(r->outer.dport.n == 4);
	assert_int_equal(r->outer.dport.range[0].first, 22);
	assert_int_equal(r->outer.dport.range[1].first, 80);
	assert_int_equal(r->outer.dport.range[1].last, 100);
	assert_int_equal(r->outer.dport.range[2].first, 443);
	r = only("drop in port 0-65535");
	assert_int_equal(r->outer.port.n, 1);
	assert_int_equal(r->outer.port.range[0].last, 65535);
	r = only("drop in udp src port dns dst port ntp");
	assert_int_equal(r->outer.sport.range[0].first, 53);
	assert_int_equal(r->outer.dport.range[0].first, 123);
}

TEST(none, names)
{
	const struct rule *r = only("send in udp to queue 1 name \"dns-1.a\" count");

	assert_string_equal(r->name, "dns-1.a");
	assert_int_equal(r->name_at.column, 29);
	assert_string_equal(r->text, "send in udp to queue 1 name \"dns-1.a\" count");
	assert_string_equal(only("drop in name web")->name, "web");
	assert_string_equal(only("drop in name \"tcp\"")->name, "tcp");
	assert_null(only("drop in")->name);
}

TEST(none, lines)
{
	static const char text[] = "# all of it\n\n  drop in   \\\n\tudp\r\n"
				   "pass in # the rest\ncount out";

	ruleset_free(&set);
	assert_int_equal(rules_parse(text, strlen(text), &set, NULL, NULL), 0);
	assert_int_equal(set.n, 3);
	assert_string_equal(set.rule[0].text, "drop in udp");
	assert_int_equal(set.rule[0].line, 3);
	assert_string_equal(set.rule[1].text, "pass in");
	assert_int_equal(set.rule[1].line, 5);
	assert_string_equal(set.rule[2].text, "count out");
	ruleset_free(&set);
	assert_int_equal(rules_parse("", 0, &set, NULL, NULL), 0);
	assert_int_equal(set.n, 0);
	ruleset_free(&set);
}

/*
 * Makes another name of 16 letters with the hash of this one: its second half compensates its
 * first.
 */
static bool same_hash(char out[17], const char name[17])
{
	uint64_t half, mine, its, delta;

	memcpy(&half, name, sizeof(half));
	mine = map_mix(1, half);
	memcpy(out, name, 17);
	for (unsigned int i = 1; i < 1u << 20; i++) {
		for (unsigned int k = 0; k < 5; k++)
			out[k + 1] = (char)('a' + (i >> 4 * k & 15));
		memcpy(&its, out, sizeof(its));
		memcpy(&half, name + 8, sizeof(half));
		delta = mine ^ map_mix(1, its);
		half ^= delta;
		memcpy(out + 8, &half, sizeof(half));
		if (strspn(out, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
		    16)
			return true;
	}
	return false;
}

TEST(none, names_of_one_hash_are_two)
{
	const char *one = "aaaaaaaaaaaaaaaa";
	char other[17], text[256];

	assert_true(same_hash(other, one));
	assert_true(map_mix_text(1, one) == map_mix_text(1, other));
	snprintf(text, sizeof(text), "define %s = 80\ndefine %s = 443\ndrop in tcp dst port $%s",
		 one, other, other);
	assert_int_equal(only(text)->outer.dport.range->first, 443);
	ruleset_free(&set);
	snprintf(text, sizeof(text), "drop in name %s\npass in name %s\npass out name %s", one,
		 other, other);
	assert_int_equal(rules_parse(text, strlen(text), &set, NULL, NULL), 1);
}
