/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matchers whose rules have ranges: which packets they take, where their definer has a field, what is
 * refused; and which fields the definers of other matchers have room for.
 */
#include "tests/test.h"
#include <dvx/rules.h>
#include "lib_hws_rig.h"
#include "lib/hws/hws.h"

/* Rules of UDP with a range of ports lead to b; other packets go to a. */
struct ranged {
	struct dvx_flow_match match, port;
	struct dvx_flow_matcher *m, *rest;
	struct dvx_flow_rule *to_a;
	struct dvx_hws_image image, drop;
	uint8_t tag[DVX_TAG_BYTES];
	struct ring_of_rules r; /* for port_gets() */
};

/* The match has the IP version and protocol of `port`, and not its port. */
static void ranged_match(struct ranged *t)
{
	t->port = udp(4, 53);
	OK(dvx_flow_match_set(&t->match, "outer_headers.ip_version", 4, 0xf));
	OK(dvx_flow_match_set(&t->match, "outer_headers.ip_protocol", 17, 0xff));
}

static void ranged_open(struct ranged *t, struct stage *s, const char *const *fields, uint32_t n)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr), .match = &t->match};
	struct dvx_flow_rule_attr rule_of;

	*t = (struct ranged){.r.s = s};
	ranged_match(t);
	OK(dvx_hws_matcher_create_ranges(s->table, &attr, fields, n, &t->m));
	assert_int_equal(dvx_hws_tag_bytes(t->m), DVX_TAG_BYTES);
	OK(dvx_hws_tag_make(t->m, &t->match, t->tag));
	rule_of = rule_attr(t->m, &t->match, &s->to_b, 1);
	OK(dvx_hws_image_make(&rule_of, 0, &t->image));
	rule_of = rule_attr(t->m, &t->match, &s->drop, 1);
	OK(dvx_hws_image_make(&rule_of, 0, &t->drop));
	t->rest = matcher(s->table, &all, 1);
	t->to_a = rule(t->rest, &all, &s->to_a, 1);
}

static void ranged_close(struct ranged *t)
{
	OK(dvx_flow_rule_destroy(t->to_a));
	OK(dvx_flow_matcher_destroy(t->rest));
	OK(dvx_flow_matcher_destroy(t->m));
}

static const char *const ports[] = {"outer_headers.udp_dport", "outer_headers.udp_sport"};

/* A rule takes the packets between its limits and on them; a removed one takes none. */
TEST(below, range_of_ports)
{
	struct dvx_hws_range range = {1000, 2000};
	struct ranged t;

	ranged_open(&t, s, ports, 1);
	OK(dvx_hws_range_rule_write(t.m, &t.image, t.tag, &range));
	port_gets(&t.r, &s->b, 1000);
	port_gets(&t.r, &s->b, 1500);
	port_gets(&t.r, &s->b, 2000);
	port_gets(&t.r, &s->a, 999);
	port_gets(&t.r, &s->a, 2001);
	OK(dvx_hws_range_rule_remove(t.m, &t.image, t.tag, &range));
	port_gets(&t.r, &s->a, 1500);
	refused(dvx_hws_range_rule_remove(t.m, &t.image, t.tag, &range), -ENOENT,
		"dvx_hws_range_rule_remove", "no rule");
	ranged_close(&t);
}

/* Two ranges of one packet hold together; another rule of the tag is replaced only if its ranges are the same. */
TEST(below, two_ranges)
{
	struct dvx_hws_range first[] = {{50, 60}, {1000, 1000}}, other[] = {{50, 60}, {0, 999}};
	struct ranged t;

	ranged_open(&t, s, ports, 2);
	OK(dvx_hws_range_rule_write(t.m, &t.image, t.tag, first)); /* frames come from port 1000 */
	OK(dvx_hws_range_rule_write(t.m, &t.drop, t.tag, other));
	port_gets(&t.r, &s->b, 55);
	port_gets(&t.r, &s->a, 61);
	OK(dvx_hws_range_rule_remove(t.m, &t.drop, t.tag, first));
	port_gets(&t.r, &s->a, 55);
	OK(dvx_hws_range_rule_write(t.m, &t.drop, t.tag, first));
	OK(dvx_hws_range_rule_write(t.m, &t.image, t.tag, first));
	port_gets(&t.r, &s->b, 55);
	ranged_close(&t);
}

/* A row has room for four rules; the spill table takes the next one. */
TEST(below, ranges_spill)
{
	struct dvx_hws_range range = {0, 10};
	struct dvx_flow_rule_attr to_b;
	struct dvx_hws_image spill;
	struct ranged t;

	ranged_open(&t, s, ports, 1);
	to_b = rule_attr(t.m, &t.match, &s->to_b, 1);
	OK(dvx_hws_image_make(&to_b, DVX_HWS_SPILL, &spill));
	for (; range.most < 14; range.most++)
		OK(dvx_hws_range_rule_write(t.m, &t.image, t.tag, &range));
	range.most = 70;
	refused(dvx_hws_range_rule_write(t.m, &t.image, t.tag, &range), -ENOMEM, "row is full",
		"DVX_HWS_SPILL");
	port_gets(&t.r, &s->a, 70);
	OK(dvx_hws_range_rule_write(t.m, &spill, t.tag, &range));
	port_gets(&t.r, &s->b, 70);
	OK(dvx_hws_range_rule_remove(t.m, &spill, t.tag, &range));
	ranged_close(&t);
}

/*
 * Selectors and places as DPDK's mlx5dr_definer_find_best_range_fit() and mlx5dr_definer_get_range_byte_off() have them:
 * four octets of the field's dword, the last one first; the most value at dword 3 or 5 of a long tag, the least behind.
 */
TEST(below, definer_of_ranges)
{
	const struct hws_ranges *own;
	const struct hws_key *key;
	struct ranged t;

	ranged_open(&t, s, ports, 2);
	own = &((const struct hws_matcher *)t.m->impl)->ranges;
	key = own->key;
	for (uint32_t i = 0; i < HWS_OCTETS; i++)
		assert_int_equal(key->octets[i], 4 * 0x18 + 3 - i % 4);
	assert_int_equal(prm_load32(key->mask, 40), 0x0000ffff);
	assert_int_equal(prm_load32(key->mask, 36), 0xffff0000);
	assert_int_equal(own->place[0].pair, 3);
	assert_int_equal(own->place[0].shift, 0);
	assert_int_equal(own->place[1].pair, 5);
	assert_int_equal(own->place[1].shift, 16);
	ranged_close(&t);
}

TEST(below, ranges_refused)
{
	static const char *const wide[] = {"outer_headers.dst_ipv4_dst_ipv6"},
				 *const none[] = {"nix"},
				 *const version[] = {"outer_headers.ip_version"};
	struct dvx_hws_range upside = {2, 1}, high = {0, 65536}, good = {0, 1};
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr)};
	struct dvx_flow_matcher *m = NULL, *plain;
	struct dvx_rules_attr rules = {.size = sizeof(rules)};
	struct dvx_flow_rule *no_rule = NULL;
	struct dvx_rules *no_rules = NULL;
	struct dvx_flow_rule_attr to_b;
	struct ranged t;

	ranged_open(&t, s, ports, 1);
	plain = matcher(s->table, &t.port, 0);
	refused(dvx_hws_range_rule_write(t.m, &t.image, t.tag, &upside), -ERANGE, "ranges[0]",
		"2 to 1");
	refused(dvx_hws_range_rule_write(t.m, &t.image, t.tag, &high), -ERANGE, "ranges[0]",
		"at most 65535");
	refused(dvx_hws_range_rule_write(plain, &t.image, t.tag, &good), -EINVAL, "not made by",
		"create_ranges()");
	to_b = rule_attr(t.m, &t.match, &s->to_b, 1);
	refused(dvx_flow_rule_create(&to_b, &no_rule), -EINVAL, "have ranges",
		"dvx_hws_range_rule_write()");
	rules.matcher = t.m;
	refused(dvx_rules_create(&rules, &no_rules), -EINVAL, "dvx_rules_create", "have ranges");
	attr.match = &t.match;
	refused(dvx_hws_matcher_create_ranges(s->table, &attr, wide, 1, &m), -ERANGE, "fields[0]",
		"128 bits");
	refused(dvx_hws_matcher_create_ranges(s->table, &attr, version, 1, &m), -EINVAL,
		"ip_version", "attr.match, too");
	assert_int_equal(dvx_hws_matcher_create_ranges(s->table, &attr, none, 1, &m), -ENOENT);
	refused(dvx_hws_matcher_create_ranges(s->table, &attr, ports, 5, &m), -ERANGE, "n is 5",
		"1 to 4");
	refused(dvx_hws_matcher_create_ranges(s->root, &attr, ports, 1, &m), -EINVAL,
		"table is not", "level 1");
	attr.match = &t.port;
	refused(dvx_hws_matcher_create_ranges(s->table, &attr, ports, 1, &m), -EINVAL, "udp_dport",
		"attr.match, too");
	/* a port's range needs the protocol, as its mask does */
	memset(&t.match, 0, sizeof(t.match));
	attr.match = &t.match;
	assert_int_equal(dvx_hws_matcher_create_ranges(s->table, &attr, ports, 1, &m), -EINVAL);
	attr.match = &t.port;
	attr.priority = 65536;
	refused(dvx_hws_matcher_create_ranges(s->table, &attr, ports, 1, &m), -ERANGE,
		"priority 65536", "65536");
	OK(dvx_flow_matcher_destroy(plain));
	ranged_close(&t);
}

/* Both MAC addresses, a VLAN, /16 of both IPv4 addresses and TCP ports. */
static struct dvx_flow_match macs_to_ports(void)
{
	static const uint8_t mac[6] = {2, 1, 2, 3, 4, 5}, all[6] = {255, 255, 255, 255, 255, 255};
	struct dvx_flow_match m = {0};

	OK(dvx_flow_match_vlan(&m, DVX_FLOW_OUTER, 5, 0xfff));
	for (int end = DVX_FLOW_SRC; end <= DVX_FLOW_DST; end++) {
		OK(dvx_flow_match_mac(&m, DVX_FLOW_OUTER, end, mac, all));
		OK(dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, end, 0x0a000000, 16));
		OK(dvx_flow_match_port(&m, DVX_FLOW_OUTER, end, DVX_FLOW_TCP, 80, 0xffff));
	}
	return m;
}

/* Tags have the dwords whose octets cannot be selected, as IPv4's addresses, whatever comes before. */
TEST(below, tags_of_far_dwords)
{
	struct dvx_flow_match m = macs_to_ports();
	struct dvx_flow_matcher *mt = matcher(s->table, &m, 0);

	assert_int_equal(dvx_hws_tag_bytes(mt), DVX_TAG_BYTES);
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_match_set(&m, "misc_parameters.outer_second_cvlan_tag", 1, 1));
	OK(dvx_flow_match_set(&m, "misc_parameters.outer_second_vid", 6, 0xfff));
	OK(dvx_flow_match_set(&m, "outer_headers.tcp_flags", 2, 0x1ff));
	mt = matcher(s->table, &m, 0);
	assert_int_equal(dvx_hws_tag_bytes(mt), DVX_LONG_TAG_BYTES);
	OK(dvx_flow_matcher_destroy(mt));
}
