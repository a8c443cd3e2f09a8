/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the parser accepts the language of the manual page, and reports each mistake with
 * line, column, width and what was expected.
 */
#include "tests/test.h"
#include <stdio.h>
#include "rules/rule.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- what is right ---------------------------------------------------------------------------- */

static struct ruleset set;

static const struct rule *only(const char *text)
{
	int ret;

	ruleset_free(&set);
	ret = rules_parse(text, strlen(text), &set, NULL, NULL);
	if (ret || set.n != 1)
		print_message("%s: %d mistakes, %zu rules\n", text, ret, set.n);
	assert_int_equal(ret, 0);
	assert_int_equal(set.n, 1);
	return &set.rule[0];
}

static const struct rule_field *field(const struct rule *r, enum rule_key key)
{
	for (size_t i = 0; i < r->nfields; i++)
		if (r->field[i].key == key)
			return &r->field[i];
	return NULL;
}

static void has(const char *text, enum rule_key key, uint64_t value, uint64_t mask)
{
	const struct rule_field *f = field(only(text), key);

	if (!f)
		fail_msg("%s: no such field", text);
	assert_int_equal(f->value, value);
	assert_int_equal(f->mask, mask);
}

TEST(verdicts)
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
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct rule *r = only(cases[i].text);

		assert_int_equal(r->verdict, cases[i].verdict);
		assert_int_equal(r->dir, cases[i].dir);
		assert_int_equal(r->count, cases[i].count);
	}
}

/* Lists, by comma or by the word. */
TEST(lists)
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

TEST(masks_and_ranges)
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

TEST(sets)
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

/* `not` takes a match; behind a protocol it takes what follows of its header. */
TEST(not_binds_a_match_and_its_header)
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

/* A field that is negated is there. */
TEST(not_needs_the_header)
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

TEST(issues_examples)
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

TEST(fields)
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
	has("drop in vlan 7 vlan 9", KEY_CVLAN2, 1, 1);
	has("drop in qinq pcp 1 vlan id 9 pcp 2", KEY_VLAN_PCP, 1, 7);
	has("drop in svlan vlan 9 dei 1 pcp 2", KEY_VLAN2_PCP, 2, 7);
	has("drop in svlan vlan 9 dei 1 pcp 2", KEY_VLAN2_DEI, 1, 1);
	has("drop in vlan svlan", KEY_SVLAN2, 1, 1);
	has("drop in inner svlan 7 vlan 9", KEY_INNER(KEY_VLAN2_ID), 9, 0xfff);
	has("drop in vlan_id 6 vlan_prio 3", KEY_CVLAN, 1, 1);
	has("drop in vlan_id 6 vlan_prio 3", KEY_VLAN_PCP, 3, 7);
	has("drop in svlan vlan_id 6", KEY_SVLAN, 1, 1);
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

TEST(tunnels)
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
	has("drop in geneve oam", KEY_GENEVE_OAM, 1, 1);
	has("drop in geneve 9 oam 0", KEY_GENEVE_OAM, 0, 1);
	has("drop in mpls_label 100", KEY_ETHERTYPE, 0x8847, 0xffff);
	assert_int_equal(only("drop in mpls 100 ipv4 dst 10.0.0.1 tcp")->outer.ip, 4);
	assert_int_equal(only("drop in ipv6 mpls 100")->outer.ip, 6);
	assert_int_equal(only("drop in mpls 100 udp port 53")->outer.ip, RULE_IP);
}

/* `inner` begins what is said of the headers inside a tunnel, `outer` ends it. */
TEST(inner)
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
	has("drop in inner mpls 100", KEY_INNER(KEY_MPLS_LABEL), 100, 0xfffff);
	has("drop in gre inner ipv6 flowlabel 1 ttl 5", KEY_INNER(KEY_TTL), 5, 0xff);
	has("drop in inner tcp flags syn", KEY_INNER(KEY_TCP_FLAGS), 2, 2);
	has("drop in inner icmp", KEY_INNER(KEY_PROTO), 1, 0xff);
}

TEST(implications)
{
	assert_int_equal(only("drop in eth type ip")->outer.ip, 4);
	assert_int_equal(only("drop in eth type 0x86dd")->outer.ip, 6);
	assert_int_equal(only("drop in proto tcp")->outer.l4, L4_TCP);
	assert_int_equal(only("drop in proto 17")->nfields, 0);
	assert_int_equal(only("drop in port 53")->outer.l4, L4_TCP_OR_UDP);
	assert_int_equal(only("drop in flags syn")->outer.l4, L4_TCP);
	assert_int_equal(only("drop in icmp6")->outer.ip, 6);
	assert_int_equal(only("drop in ttl 1")->outer.ip, RULE_IP);
	assert_int_equal(only("drop in host fe80::1")->outer.ip, 6);
	assert_int_equal(only("drop in eth src 02:00:00:00:00:01")->outer.ip, 0);
}

TEST(ports)
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

TEST(names)
{
	const struct rule *r = only("send in udp to queue 1 name \"dns-1.a\" count");

	assert_string_equal(r->name, "dns-1.a");
	assert_int_equal(r->name_at.column, 29);
	assert_string_equal(r->text, "send in udp to queue 1 name \"dns-1.a\" count");
	assert_string_equal(only("drop in name web")->name, "web");
	assert_string_equal(only("drop in name \"tcp\"")->name, "tcp");
	assert_null(only("drop in")->name);
}

/* Several queues: default, given kinds, a key in both notations; rules that spread alike share. */
TEST(spreads)
{
	static const char key[] = "6d:5a:56:da:25:5b:0e:c2:41:67:25:3d:43:a3:8f:b0:d0:ca:2b:cb:"
				  "ae:7b:30:b4:77:cb:2d:a3:80:30:f2:0c:6a:42:b7:3b:be:ac:01:fa";
	char text[1024], plain[2 * HASH_KEY_BYTES + 1] = "";
	const struct rule_rss *r =
		only("send in ipv4 dst 10.0.0.0/8 to rss 0-3 on ipv4,tcp count")->rss;

	assert_int_equal(r->first, 0);
	assert_int_equal(r->last, 3);
	assert_int_equal(r->on, HASH_IPV4 | HASH_TCP);
	assert_false(r->has_key);
	assert_int_equal(only("send in to rss 2-4")->rss->on, HASH_ALL);
	for (size_t i = 0; i < HASH_KEY_BYTES; i++)
		memcpy(plain + 2 * i, key + 3 * i, 2);
	snprintf(text, sizeof(text),
		 "send in tcp to rss 0-1 key %s\nsend in udp to rss 0-1 key 0x%s "
		 "on ipv4, ipv6, tcp, udp\nsend in to rss 0-1",
		 key, plain);
	ruleset_free(&set);
	assert_int_equal(rules_parse(text, strlen(text), &set, NULL, NULL), 0);
	assert_ptr_equal(set.rule[0].rss, set.rule[1].rss);
	assert_ptr_not_equal(set.rule[0].rss, set.rule[2].rss);
	assert_int_equal(set.rule[0].rss->key[0], 0x6d);
	assert_int_equal(set.rule[0].rss->key[39], 0xfa);
}

TEST(tables)
{
	static const char text[] = "mirror in udp dst port 53 to queue 2\nsend in tcp goto web\n"
				   "table web\ndrop in\ntable main\nsend in udp goto dns\n"
				   "table dns\ncount in\ntable web\npass in";
	static const uint32_t in[] = {0, 0, 1, 0, 2, 1};

	ruleset_free(&set);
	assert_int_equal(rules_parse(text, strlen(text), &set, NULL, NULL), 0);
	assert_int_equal(set.n, COUNT(in));
	for (size_t i = 0; i < set.n; i++)
		assert_int_equal(set.rule[i].table, in[i]);
	assert_int_equal(set.rule[0].verdict, RULE_MIRROR);
	assert_int_equal(set.rule[0].queue, 2);
	assert_int_equal(set.rule[1].verdict, RULE_GOTO);
	assert_int_equal(set.rule[1].go, 1);
	assert_int_equal(set.rule[3].go, 2);
	assert_string_equal(set.table[2].name, "dns");
}

TEST(lines)
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

/* --- what is wrong ---------------------------------------------------------------------------- */

static char told[4096];

static void tell(void *arg, const struct mistake *m)
{
	size_t used = strlen(told);

	(void)arg;
	snprintf(told + used, sizeof(told) - used, "%u:%u+%u %s\n", m->line, m->column, m->width,
		 m->text);
}

TEST(mistakes)
{
	static const struct {
		const char *text, *told;
	} cases[] = {
		{"drop udp", "1:6+3 expected in or out, not \"udp\""},
		{"foo in", "1:1+3 expected drop, pass, send, mirror, count or table, not \"foo\""},
		{"drop in udpp",
		 "1:9+4 expected something to match (eth, vlan, ipv4, ipv6, src, dst, proto, "
		 "tcp, udp, port, ...), to queue, to rss, goto, tag, count, name, set, push, pop "
		 "or decap, not "
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
		{"drop in protocol ip ip6", "1:21+3 this is IPv6, but the rule said IPv4 before"},
		{"drop in protocol ipv6 ipv4",
		 "1:23+4 this is IPv4, but the rule said IPv6 before"},
		{"drop in protocol wifi", "1:18+4 no protocol is called \"wifi\""},
		{"drop in ipv4 set ttl 4",
		 "1:18+5 a rule that drops its packets cannot change them"},
		{"send in tcp set tcp dst port 80 udp src port 1 to queue 1",
		 "1:33+14 \"set src port\" needs a rule for packets of UDP: write `udp' among"},
		{"send in set ipv4 dst 10.0.0.1 to queue 1",
		 "1:13+17 \"set ip dst\" needs a rule for packets of IPv4: write `ipv4' among"},
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
		 "1:12+1 expected something to set (eth, ipv4, ipv6, tcp, udp, ttl or "
		 "vlan), not the line's end"},
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
		{"drop in ipv4 inner tcp udp", "1:24+3 a second protocol in one rule"},
		{"drop in code 8", "1:9+6 code belongs behind icmp"},
		{"drop in to queue 1", "1:9+10 only a rule that begins with send or mirror has a queue"},
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
		 "2:1+4 expected drop, pass, send, mirror, count or table"},
		{"\xef\xbb\xbf"
		 "drip in",
		 "1:1+4 expected drop, pass, send, mirror, count or table"},
		{"drop in\n\xef\xbb\xbf"
		 "drop in",
		 "2:1+1 a byte order mark (U+FEFF) is not allowed in a rule"},
		{"drop\xc2\xa0in", "1:5+1 a no-break space (U+00A0) is not allowed in a rule"},
		{"drop in \xe2\x80\x8budp",
		 "1:9+1 a zero width space (U+200B) is not allowed in a rule"},
		{"\xff\xfe"
		 "d\0r\0",
		 "1:1+1 the text is UTF-16; save it as UTF-8"},
		/* what tcpdump and tc say otherwise */
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
		/* where packets go */
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
		 "1:15+3 expected the end of the line, to queue, to rss, goto, "
		 "tag, count, name, set, push, pop or decap, not \"udp\""},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int ret;

		told[0] = 0;
		ret = rules_parse(cases[i].text, strlen(cases[i].text), &set, tell, NULL);
		if (strncmp(told, cases[i].told, strlen(cases[i].told)))
			print_message("%s\n  wanted %s\n  told   %s\n", cases[i].text,
				      cases[i].told, told);
		assert_true(ret >= 1);
		assert_memory_equal(told, cases[i].told, strlen(cases[i].told));
		assert_null(set.rule);
	}
}

/* Each bad line is reported, up to a limit, also between good ones. */
TEST(many_mistakes)
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
	assert_non_null(strstr(told, "\n3:6+3 expected in or out"));
}
