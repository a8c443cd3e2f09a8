/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules that libdvx refuses, in the root and below alike, with words that name the field; objects
 * in use, which stay; the contents of a dump.
 */
#include "tests/test.h"
#include "lib_flow_stage.h"

static void matcher_refused(struct stage *s, const struct dvx_flow_match *m, const char *field,
			    const char *why)
{
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr), .match = m};
	struct dvx_flow_matcher *none = NULL;

	refused(dvx_flow_matcher_create(s->table, &attr, &none), -EINVAL, field, why);
}

/* Masks with different meanings by level are refused. */
TEST(levels, masks_refused)
{
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr)};
	struct dvx_flow_matcher *none = NULL;
	struct dvx_flow_match m = {0};

	OK(dvx_flow_match_set(&m, "misc_parameters.source_port", 1, 0xff));
	matcher_refused(s, &m, "match.misc_parameters.source_port", "0xffff");
	m = (struct dvx_flow_match){0};
	OK(dvx_flow_match_set(&m, "outer_headers.ip_version", 4, 4));
	matcher_refused(s, &m, "match.outer_headers.ip_version", "0xf");
	m = (struct dvx_flow_match){0};
	OK(dvx_flow_match_set(&m, "outer_headers.dst_ipv4_dst_ipv6.ipv4_layout.ipv4", 1, 1));
	matcher_refused(s, &m, "match.outer_headers.ip_version", "depend");
	m = (struct dvx_flow_match){0};
	OK(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, 1, 1));
	matcher_refused(s, &m, "match.outer_headers.ip_version", "depend");
	m = (struct dvx_flow_match){0};
	OK(dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, 4));
	OK(dvx_flow_match_set(&m, "outer_headers.tcp_dport", 1, 0xffff));
	matcher_refused(s, &m, "match.outer_headers.ip_protocol", "0xff");
	OK(dvx_flow_match_set(&m, "outer_headers.udp_dport", 1, 0xffff));
	matcher_refused(s, &m, "match.outer_headers.udp_dport", "no packet is both");
	m = (struct dvx_flow_match){0};
	OK(dvx_flow_match_set(&m, "misc_parameters.outer_ipv6_flow_label", 1, 1));
	OK(dvx_flow_match_set(&m, "misc_parameters_3.icmp_type", 1, 1));
	matcher_refused(s, &m, "match.misc_parameters_3.icmp_type", "IPv4");
	m = (struct dvx_flow_match){0};
	OK(dvx_flow_match_set(&m, "misc_parameters_3.inner_tcp_seq_num", 1, 1));
	attr.match = &m;
	refused(dvx_flow_matcher_create(s->table, &attr, &none), -EOPNOTSUPP,
		"match.misc_parameters_3.inner_tcp_seq_num", "the outer header's number");
	attr.match = NULL;
	m = (struct dvx_flow_match){0};
	m.mask[500] = 0x10;
	matcher_refused(s, &m, "reserved bit 0xfa3", "");
	refused(dvx_flow_matcher_create(s->table, &attr, &none), -EINVAL, "attr.match", "NULL");
	attr.match = &m;
	attr.priority = level ? 65536 : 16;
	refused(dvx_flow_matcher_create(s->table, &attr, &none), -ERANGE, "attr.priority",
		level ? "65536" : "16");
	attr.size = 0;
	refused(dvx_flow_matcher_create(s->table, &attr, &none), -EINVAL, "attr.size", "");
}

/* Fields that this chip does not match are refused by their capability, or by name. */
TEST(levels, no_capability)
{
	struct dvx_flow_match m = udp(4, 6081);
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr), .match = &m};
	struct dvx_flow_matcher *none = NULL;
	struct dvx_flow_rule *r = NULL;
	struct dvx_flow_rule_attr ra;

	if (level) {
		OK(dvx_flow_match_set(&m, "misc_parameters.outer_esp_spi", 1, 0xffffffff));
		refused(dvx_flow_matcher_create(s->table, &attr, &none), -EOPNOTSUPP,
			"match.misc_parameters.outer_esp_spi",
			STAGE_FLAGS ? "hardware steering" : "libmlx5 has no entry");
		m = udp(4, 53);
		OK(dvx_flow_match_set(&m, "misc_parameters_4.prog_sample_field_value_0", 1, 1));
		refused(dvx_flow_matcher_create(s->table, &attr, &none), -EOPNOTSUPP,
			"match.misc_parameters_4.prog_sample_field_value_0",
			STAGE_FLAGS ? "hardware steering" : "PARSE_GRAPH_NODE");
	} else {
		OK(dvx_flow_match_set(&m, "outer_headers.ipv4_ihl", 5, 0xf));
		OK(dvx_flow_matcher_create(s->table, &attr, &none));
		ra = rule_attr(none, &m, &s->drop, 1);
		assert_true(dvx_flow_rule_create(&ra, &r) < 0);
		error_has("match.outer_headers.ipv4_ihl", "the root");
		OK(dvx_flow_matcher_destroy(none));
		m = udp(4, 4789);
		OK(dvx_flow_match_set(&m, "misc_parameters.outer_esp_spi", 1, 0xffffff));
		refused(dvx_flow_matcher_create(s->table, &attr, &none), -EOPNOTSUPP,
			"match.misc_parameters.outer_esp_spi",
			"nic_receive.ft_field_support.outer_esp_spi");
	}
}

/* A tunnel's header words need its port: below the root they mean any tunnel's. */
TEST(levels, tunnel_without_port)
{
	static const struct {
		const char *field;
		uint16_t port;
	} words[] = {
		{"misc_parameters.geneve_vni", 6081},
		{"misc_parameters.geneve_oam", 6081},
		{"misc_parameters.geneve_opt_len", 6081},
		{"misc_parameters.geneve_protocol_type", 6081},
		{"misc_parameters_3.outer_vxlan_gpe_vni", 4790},
		{"misc_parameters_3.outer_vxlan_gpe_flags", 4790},
		{"misc_parameters_3.outer_vxlan_gpe_next_protocol", 4790},
		{"misc_parameters_3.geneve_tlv_option_0_data", 6081},
#ifndef STAGE_HARDWARE /* it has no words of GTP-U */
		{"misc_parameters_3.gtpu_msg_flags", 2152},
		{"misc_parameters_3.gtpu_msg_type", 2152},
		{"misc_parameters_3.gtpu_teid", 2152},
#endif
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const uint16_t port = words[i].port;
		struct dvx_flow_match m = {0}, other;
		struct dvx_flow_matcher *mt;
		struct dvx_flow_rule *r = NULL;
		struct dvx_flow_rule_attr a;

		OK(dvx_flow_match_set(&m, words[i].field, 1, 1));
		matcher_refused(s, &m, "match.outer_headers.ip_version", "0xf");
		OK(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, port & 0xff,
				       0xff));
		OK(dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, 4));
		matcher_refused(s, &m, "match.outer_headers.udp_dport: mask 0xff",
				"must be 0xffff");
		OK(dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP, port,
				       0xffff));
		mt = matcher(s->table, &m, 0);
		other = m;
		a = rule_attr(mt, &other, &s->drop, 1);
		OK(dvx_flow_match_set(&other, "outer_headers.udp_dport", 4789, 0xffff));
		refused(dvx_flow_rule_create(&a, &r), -EINVAL,
			"match.outer_headers.udp_dport: value 4789", "the tunnel of port");
		other = m;
		OK(dvx_flow_rule_create(&a, &r));
		OK(dvx_flow_rule_destroy(r));
		OK(dvx_flow_matcher_destroy(mt));
	}
}

static void rule_refused(const struct dvx_flow_rule_attr *attr, const char *field, const char *why)
{
	struct dvx_flow_rule *none = NULL;

	refused(dvx_flow_rule_create(attr, &none), -EINVAL, field, why);
}

/* Values outside their matcher, and actions that exclude each other, are refused. */
TEST(levels, rules_refused)
{
	struct dvx_flow_match m = udp(4, 0x91), bad;
	struct dvx_flow_action *tag, *both[3];
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule_attr a;
	struct dvx_flow_rule *r;

	OK(dvx_flow_match_set(&m, "outer_headers.udp_dport", 0x91, 0xff));
	mt = matcher(s->table, &m, 0);
	a = rule_attr(mt, &bad, &s->to_a, 1);
	bad = m;
	bad.value[30] = 0x1f;
	rule_refused(&a, "match.outer_headers.udp_dport: value 0x1f91", "outside mask 0xff");
	bad = m;
	bad.mask[30] = 0xff;
	rule_refused(&a, "match.outer_headers.udp_dport: mask 0xffff", "matcher's is 0xff");
	bad = m;
	memset(bad.mask, 0, sizeof(bad.mask));
	OK(dvx_flow_rule_create(&a, &r));
	OK(dvx_flow_rule_destroy(r));
	prm_fte_match_set_lyr_2_4_set_ip_version(bad.value, 5);
	rule_refused(&a, "match.outer_headers.ip_version: value 5", "4 nor 6");
	prm_fte_match_set_lyr_2_4_set_ip_version(bad.value, 4);
	prm_fte_match_set_lyr_2_4_set_ip_protocol(bad.value, 6);
	rule_refused(&a, "match.outer_headers.ip_protocol: value 6", "17");
	bad = m;
	bad.value[511] = 1;
	rule_refused(&a, "reserved", "value");
	bad = m;
	a.action_count = 0;
	rule_refused(&a, "attr.action_count", "");
	OK(dvx_flow_action_create_tag(s->domain, 5, &tag));
	a = rule_attr(mt, &m, &tag, 1);
	rule_refused(&a, "attr.actions", "no destination");
	both[0] = s->to_a;
	both[1] = s->drop;
	both[2] = NULL;
	a = rule_attr(mt, &m, both, 2);
	rule_refused(&a, "attr.actions[1]", "two destinations");
	both[1] = NULL;
	rule_refused(&a, "attr.actions[1]", "domain");
	both[1] = both[2] = tag;
	a.action_count = 3;
	rule_refused(&a, "attr.actions[2]", "two tags");
	if (level) {
		a = rule_attr(mt, &m, &s->to_table, 1);
		rule_refused(&a, "attr.actions[0]", "not above");
	}
	a.matcher = NULL;
	rule_refused(&a, "attr.matcher", "NULL");
	OK(dvx_flow_action_destroy(tag));
	OK(dvx_flow_matcher_destroy(mt));
}

/* Checks kinds of a second tag, which also has one field in an entry. */
static void second_kinds(struct stage *s)
{
	struct dvx_flow_match both = {0}, one = {0};
	struct dvx_flow_matcher *kinds, *half;
	struct dvx_flow_rule_attr a;

	OK(dvx_flow_match_set(&both, "outer_second_cvlan_tag", 1, 1));
	OK(dvx_flow_match_set(&both, "outer_second_svlan_tag", 1, 1));
	OK(dvx_flow_match_set(&one, "outer_second_svlan_tag", 0, 1));
	kinds = matcher(s->table, &both, 2);
	half = matcher(s->table, &one, 3);
	a = rule_attr(kinds, &both, &s->to_a, 1);
	rule_refused(&a, "match.misc_parameters: no second tag is both",
		     "outer_second_cvlan_tag 1");
	a = rule_attr(half, &one, &s->to_a, 1);
	rule_refused(&a, "match.misc_parameters.outer_second_svlan_tag",
		     "outer_second_cvlan_tag matched too");
	OK(dvx_flow_matcher_destroy(half));
	OK(dvx_flow_matcher_destroy(kinds));
}

/* No tag, a customer's, a provider's: a match must mean the same at every level. */
TEST(levels, vlan_kinds)
{
	struct dvx_flow_match both = {0}, one = {0}, m;
	struct dvx_flow_matcher *kinds, *half;
	struct dvx_flow_rule *untagged, *tagged;
	struct dvx_flow_rule_attr a;

	OK(dvx_flow_match_set(&both, "outer_headers.cvlan_tag", 0, 1));
	OK(dvx_flow_match_set(&both, "outer_headers.svlan_tag", 0, 1));
	OK(dvx_flow_match_set(&one, "outer_headers.cvlan_tag", 0, 1));
	kinds = matcher(s->table, &both, 0);
	half = matcher(s->table, &one, 1);
	untagged = rule(kinds, &both, &s->to_a, 1);
	m = both;
	OK(dvx_flow_match_set(&m, "outer_headers.cvlan_tag", 1, 1));
	tagged = rule(kinds, &m, &s->to_b, 1);
	OK(dvx_flow_match_set(&m, "outer_headers.svlan_tag", 1, 1));
	a = rule_attr(kinds, &m, &s->to_a, 1);
	rule_refused(&a, "match.outer_headers", "both");
	a = rule_attr(half, &one, &s->to_a, 1);
	rule_refused(&a, "match.outer_headers.cvlan_tag", "svlan_tag matched too");
	second_kinds(s);
	spec_send(s->f, (struct frame_spec){0});
	spec_send(s->f, (struct frame_spec){.vlan = 9});
	inbox_gets(&s->a, (struct frame_spec){0}, 0);
	inbox_gets(&s->b, (struct frame_spec){.vlan = 9}, 0);
	OK(dvx_flow_rule_destroy(tagged));
	OK(dvx_flow_rule_destroy(untagged));
	OK(dvx_flow_matcher_destroy(half));
	OK(dvx_flow_matcher_destroy(kinds));
}

/* Senseless actions are refused when they are made. */
TEST(levels, actions_refused)
{
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr), .side = DVX_FLOW_TX};
	struct dvx_flow_action *none = NULL;
	struct dvx_flow_counter *counter;
	struct dvx_flow_domain *tx;
	struct dvx_flow_table *root;

	OK(dvx_flow_domain_create(s->f->r.dev, &attr, &tx));
	OK(dvx_flow_table_create(tx, 0, &root));
	OK(dvx_flow_counter_create(s->f->r.dev, 1, &counter));
	refused(dvx_flow_action_create_tag(s->domain, 1 << 24, &none), -ERANGE, "tag 0x1000000",
		"24 bits");
	refused(dvx_flow_action_create_tag(tx, 1, &none), -EINVAL, "tag", "TX");
	refused(dvx_flow_action_create_queue(tx, s->a.rxq, &none), -EINVAL, "queue", "TX");
	refused(dvx_flow_action_create_table(tx, root, &none), -EINVAL, "table", "root");
	refused(dvx_flow_action_create_table(s->domain, root, &none), -EINVAL, "table", "domain");
	refused(dvx_flow_action_create_count(s->domain, counter, 1, &none), -ERANGE, "index 1",
		"size, 1");
	assert_int_equal(dvx_flow_action_create_root(s->domain, 16, &none), -ERANGE);
	assert_null(none);
	OK(dvx_flow_counter_destroy(counter));
	OK(dvx_flow_table_destroy(root));
	OK(dvx_flow_domain_destroy(tx));
	attr.side = (enum dvx_flow_side)3;
	refused(dvx_flow_domain_create(s->f->r.dev, &attr, &tx), -EINVAL, "attr.side", "3");
	attr.side = DVX_FLOW_RX;
	attr.flags = 8;
	refused(dvx_flow_domain_create(s->f->r.dev, &attr, &tx), -EINVAL, "attr.flags", "0x8");
}

static uint32_t below(uint32_t n)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)(x >> 32) % n;
}

/* Sets random bits, on top of values that make most fields acceptable. */
static void scribble(struct dvx_flow_match *m)
{
	uint32_t i, n = below(4);

	memset(m, 0, sizeof(*m));
	if (below(4)) {
		OK(dvx_flow_match_ip_version(m, DVX_FLOW_OUTER, below(2) ? 4 : 6));
		OK(dvx_flow_match_proto(m, DVX_FLOW_OUTER, below(2) ? 6 : 17));
	}
	for (i = 0; i < n; i++) {
		uint32_t at = below(below(3) ? 64 : 512);

		m->mask[at] |= (uint8_t)below(256);
		m->value[at] |= (uint8_t)(m->mask[at] & below(256));
	}
}

/* Anything is accepted or refused with words; and all of it can be removed. */
TEST(levels, anything)
{
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr)};
	uint32_t i, taken = 0, ruled = 0;
	struct dvx_flow_match m;

	attr.match = &m;
	for (i = 0; i < 3000; i++) {
		struct dvx_flow_matcher *mt = NULL;
		struct dvx_flow_rule *r = NULL;
		struct dvx_flow_rule_attr ra;
		int err;

		scribble(&m);
		attr.priority = below(16);
		err = dvx_flow_matcher_create(s->table, &attr, &mt);
		if (err) {
			assert_true(err == -EINVAL || err == -EOPNOTSUPP);
			error_has("match", "");
			continue;
		}
		taken++;
		ra = rule_attr(mt, &m, &s->drop, 1);
		err = dvx_flow_rule_create(&ra, &r);
		assert_true(!err || dvx_last_error()->what[0]);
		ruled += !err;
		if (below(2))
			spec_send(s->f, (struct frame_spec){.dport = (uint16_t)below(65536) | 1});
		OK(dvx_flow_rule_destroy(r));
		OK(dvx_flow_matcher_destroy(mt));
	}
	assert_true(taken > 500 && ruled > 400);
}

/* Objects in use refuse to be destroyed, and keep working. */
TEST(levels, busy)
{
	struct dvx_flow_match m = udp(4, 9);
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;

	mt = matcher(s->table, &m, 0);
	r = rule(mt, &m, &s->to_a, 1);
	assert_int_equal(dvx_flow_matcher_destroy(mt), -EBUSY);
	assert_int_equal(dvx_flow_table_destroy(s->table), -EBUSY);
	assert_int_equal(dvx_flow_domain_destroy(s->domain), -EBUSY);
	assert_int_equal(dvx_flow_action_destroy(s->to_a), -EBUSY);
	assert_int_equal(dvx_rxq_destroy(s->a.rxq), -EBUSY);
	assert_int_equal(dvx_cq_destroy(s->a.cq), -EBUSY);
	assert_int_equal(dvx_dev_close(s->f->r.dev), -EBUSY);
	spec_send(s->f, (struct frame_spec){.dport = 9});
	inbox_gets(&s->a, (struct frame_spec){.dport = 9}, 0);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_rule_destroy(NULL));
	OK(dvx_flow_matcher_destroy(NULL));
	OK(dvx_flow_table_destroy(NULL));
	OK(dvx_flow_domain_destroy(NULL));
	OK(dvx_flow_action_destroy(NULL));
	OK(dvx_flow_counter_destroy(NULL));
}

/* A second rule with the same values is refused if the domain was made so. */
TEST(levels, duplicates)
{
	struct dvx_flow_domain_attr attr = {
		.size = sizeof(attr), .side = DVX_FLOW_RX, .flags = DVX_FLOW_NO_DUPLICATES};
	struct dvx_flow_match m = udp(4, 1);
	struct dvx_flow_rule *r, *again = NULL;
	struct dvx_flow_rule_attr ra;
	struct dvx_flow_domain *domain;
	struct dvx_flow_action *drop;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_table *table;
	struct flow_rig *f = s->f;

	OK(dvx_flow_domain_create(f->r.dev, &attr, &domain));
	OK(dvx_flow_table_create(domain, level, &table));
	assert_int_equal(dvx_flow_table_level(table), level);
	OK(dvx_flow_action_create_drop(domain, &drop));
	mt = matcher(table, &m, 0);
	r = rule(mt, &m, &drop, 1);
	ra = rule_attr(mt, &m, &drop, 1);
	if (level) {
		refused(dvx_flow_rule_create(&ra, &again), -EEXIST, "match", "has this rule");
	} else {
		OK(dvx_flow_rule_create(&ra, &again));
	}
	OK(dvx_flow_rule_destroy(again));
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(drop));
	OK(dvx_flow_table_destroy(table));
	OK(dvx_flow_domain_destroy(domain));
}

/* Checks that a table's dump has its rules, and no other table. */
static __attribute__((unused)) void dumps_alone(struct dvx_flow_table *table, const char *rule_id)
{
	size_t size, tables = 0;
	char *text;
	FILE *to = open_memstream(&text, &size);

	OK(dvx_flow_table_dump(table, to));
	fclose(to);
	for (const char *p = text; (p = strstr(p, "\n3100,")); p++)
		tables++;
	assert_int_equal(tables, 1);
	assert_non_null(strstr(text, rule_id));
	free(text);
}

/* The dump has the existing objects, under the ids that they report. */
TEST(software_levels, dump)
{
	struct dvx_flow_match m = udp(6, 1);
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	char *text, id[32];
	size_t size;
	FILE *to;

	mt = matcher(s->table, &m, 0);
	r = rule(mt, &m, &s->drop, 1);
	to = open_memstream(&text, &size);
	OK(dvx_flow_domain_dump(s->domain, to));
	fclose(to);
	assert_non_null(strstr(text, "3000,")); /* the domain */
	if (level) {
		assert_int_equal(dvx_flow_matcher_id(mt, 4), 0);
		assert_int_not_equal(dvx_flow_matcher_id(mt, 6), 0);
		snprintf(id, sizeof(id), ",0x%llx,",
			 (unsigned long long)dvx_flow_matcher_id(mt, 0));
		assert_non_null(strstr(text, id));
		snprintf(id, sizeof(id), ",0x%llx,", (unsigned long long)dvx_flow_rule_id(r));
		assert_non_null(strstr(text, id));
		dumps_alone(s->table, id);
		snprintf(id, sizeof(id), ",0x%llx,",
			 (unsigned long long)dvx_flow_table_id(s->table));
		assert_non_null(strstr(text, id));
	}
	free(text);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
}
