/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests the rule model over a fake mlx5dv_dr that records its arguments and fails on request:
 * differences of libmlx5 from the PRM, missing capabilities, and the removal of half-made rules.
 */
#include "tests/test.h"
#include "flow_fake_rig.h"

#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>

#define FIXTURE_fake(name) FIXTURE(name, void *no_state, fake_setup, fake_teardown)

/*
 * Below the root, ip_version is no mask for libmlx5: one matcher becomes two, each made at its
 * first use.
 */
TEST(stage, versions_below, DVX_FLOW_RX, 1)
{
	struct dvx_flow_match v4 = {0}, v6 = {0};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r4, *r6;

	dvx_flow_match_ip_version(&v4, DVX_FLOW_OUTER, 4);
	dvx_flow_match_ip_version(&v6, DVX_FLOW_OUTER, 6);
	assert_int_equal(fake_try_matcher(s, &v6, &mt), 0);
	assert_int_equal(prm_fte_match_set_lyr_2_4_get_ip_version(fake.mask), 6);
	assert_int_equal(fake.matchers, 1);
	assert_int_equal(dvx_flow_matcher_id(mt, 4), 0);
	assert_int_equal(fake_try_rule(mt, &v6, &s->drop, 1, &r6), 0);
	assert_int_equal(fake.matchers, 1);
	assert_int_equal(fake_try_rule(mt, &v4, &s->drop, 1, &r4), 0);
	assert_int_equal(fake.matchers, 2);
	assert_int_equal(prm_fte_match_set_lyr_2_4_get_ip_version(fake.mask), 4);
	assert_int_equal(prm_fte_match_set_lyr_2_4_get_ip_version(fake.value), 4);
	assert_true(dvx_flow_matcher_id(mt, 4) != dvx_flow_matcher_id(mt, 6));
	assert_int_equal(dvx_flow_rule_destroy(r4), 0);
	assert_int_equal(dvx_flow_rule_destroy(r6), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
}

/* In the root there is one matcher, with the PRM's mask. */
TEST(stage, versions_in_root, DVX_FLOW_RX, 0)
{
	struct dvx_flow_match v4 = {0}, v6 = {0};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;

	dvx_flow_match_ip_version(&v4, DVX_FLOW_OUTER, 4);
	dvx_flow_match_ip_version(&v6, DVX_FLOW_OUTER, 6);
	assert_int_equal(fake_try_matcher(s, &v4, &mt), 0);
	assert_int_equal(prm_fte_match_set_lyr_2_4_get_ip_version(fake.mask), 0xf);
	assert_int_equal(fake_try_rule(mt, &v6, &s->drop, 1, &r), 0);
	assert_int_equal(fake.matchers, 1);
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
}

/*
 * Sizes are whole groups, up to the last used one; value and mask have the same size; criteria name
 * the groups.
 */
TEST(stage, sizes, DVX_FLOW_RX, 1)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;

	assert_int_equal(fake_try_matcher(s, &all, &mt), 0);
	assert_int_equal(fake.mask_sz, 64);
	assert_int_equal(fake.criteria, 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	dvx_flow_match_set(&m, "metadata_reg_c_0", 5, 0xff);
	assert_int_equal(fake_try_matcher(s, &m, &mt), 0);
	assert_int_equal(fake.mask_sz, 256);
	assert_int_equal(fake.criteria, 8);
	assert_int_equal(fake_try_rule(mt, &m, &s->drop, 1, &r), 0);
	assert_int_equal(fake.value_sz, 256);
	assert_memory_equal(fake.value, m.value, 256);
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
}

/*
 * libmlx5 gets the tag before the destination, whatever the caller's order. In the TX root, "out"
 * is no action.
 */
TEST(fake, actions)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_action *tag, *pass;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	struct stage s;

	fake_open_stage(&s, DVX_FLOW_RX, 0);
	assert_int_equal(dvx_flow_action_create_tag(s.domain, 1, &tag), 0);
	assert_int_equal(fake_try_matcher(&s, &all, &mt), 0);
	assert_int_equal(fake_try_rule(mt, &all, (struct dvx_flow_action *[]){s.drop, tag}, 2, &r),
			 0);
	assert_int_equal(fake.actions, 2);
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	{
		void *second = fake.action[1];

		assert_int_equal(fake_try_rule(mt, &all, &s.drop, 1, &r), 0);
		assert_ptr_equal(fake.action[0], second);
	}
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	assert_int_equal(dvx_flow_action_destroy(tag), 0);
	fake_close_stage(&s);
	fake_open_stage(&s, DVX_FLOW_TX, 0);
	assert_int_equal(dvx_flow_action_create_default(s.domain, &pass), 0);
	assert_int_equal(fake_try_matcher(&s, &all, &mt), 0);
	assert_int_equal(fake_try_rule(mt, &all, &pass, 1, &r), 0);
	assert_int_equal(fake.actions, 0);
	assert_int_equal(dvx_flow_rule_destroy(r), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	assert_int_equal(dvx_flow_action_destroy(pass), 0);
	fake_close_stage(&s);
}

/* A missing feature is reported by the capability's name. */
TEST(fake, lacking)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_domain_attr attr = {.size = sizeof(attr)};
	struct dvx_flow_match m = {0};
	struct dvx_flow_domain *none = NULL;
	struct dvx_flow_table *table = NULL;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_action *tag;
	struct dvx_flow_rule *r;
	struct stage s;

	fake.domain_err = EOPNOTSUPP;
	fake_refused(dvx_flow_domain_create(dev, &attr, &none), -EOPNOTSUPP, "mlx5_9",
		     "log_steering_sw_icm_size");
	fake.domain_err = 0;
	fake.no_sw = fake.no_sip = fake.no_tag = true;
	fake_open_stage(&s, DVX_FLOW_RX, 0);
	assert_false(dvx_flow_domain_has_levels(s.domain));
	assert_int_equal(dvx_flow_domain_sync(s.domain), 0);
	fake_refused(dvx_flow_table_create(s.domain, 1, &table), -EOPNOTSUPP, "level 1",
		     "flow_table_properties_nic_receive.sw_owner_v2");
	dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0x0a000000, 8);
	fake_refused(fake_try_matcher(&s, &m, &mt), -EOPNOTSUPP,
		     "match.outer_headers.src_ipv4_src_ipv6", "ft_field_support.outer_sip");
	assert_int_equal(fake_try_matcher(&s, &all, &mt), 0);
	assert_int_equal(dvx_flow_action_create_tag(s.domain, 1, &tag), 0);
	fake.rule_err = EINVAL;
	assert_int_equal(fake_try_rule(mt, &all, (struct dvx_flow_action *[]){s.drop, tag}, 2, &r),
			 -EOPNOTSUPP);
	fake_check_error("nic_receive.flow_tag", "");
	assert_int_equal(dvx_flow_action_destroy(tag), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	fake_close_stage(&s);
}

/* In the root, the bit of a field is found by its name. */
TEST(stage, capability_bits, DVX_FLOW_RX, 0)
{
	static const struct {
		const char *field, *cap;
		uint8_t version;
	} table[] = {
		{"misc_parameters.source_vhca_port", "ft_field_support.source_vhca_port", 0},
		{"misc_parameters.vxlan_vni", "ft_field_support.outer_vxlan_vni", 0},
		{"misc_parameters_2.inner_first_mpls.mpls_label",
		 "ft_field_support.inner_first_mpls", 0},
		{"outer_headers.smac_15_0", "ft_field_support.outer_smac", 0},
		{"inner_headers.first_vid", "ft_field_support.inner_first_vid", 0},
		{"outer_headers.ttl_hoplimit", "ft_field_support.outer_ipv4_ttl", 4},
	};
	struct dvx_flow_matcher *mt;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct dvx_flow_match m = {0};

		if (table[i].version)
			dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, table[i].version);
		assert_int_equal(dvx_flow_match_set(&m, table[i].field, 1, 1), 0);
		fake_refused(fake_try_matcher(s, &m, &mt), -EOPNOTSUPP, table[i].field,
			     table[i].cap);
	}
}

/* libmlx5 reports only "not supported"; the library finds the field by trying each alone. */
TEST(stage, blamed, DVX_FLOW_RX, 2)
{
	struct dvx_flow_match m = {0};
	struct dvx_flow_table *high = NULL;
	struct dvx_flow_matcher *mt;

	fake_refused(dvx_flow_table_create(s->domain, 8, &high), -ERANGE, "level 8", "below 8");
	fake.refuse_tcp = true;
	dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0x0a000000, 8);
	dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_TCP, 80, 0xffff);
	dvx_flow_match_set(&m, "outer_headers.tcp_flags", 2, 0x12);
	assert_int_equal(fake_try_matcher(s, &m, &mt), -EOPNOTSUPP);
	assert_null(mt);
	assert_int_equal(fake.matchers, 0);
	fake_check_error("match.outer_headers.tcp_flags", "mlx5_9");
	fake.refuse_tcp = false;
	fake.refuse_both = true;
	dvx_flow_match_set(&m, "outer_headers.ip_ecn", 1, 3);
	fake_refused(fake_try_matcher(s, &m, &mt), -EOPNOTSUPP,
		     "in one matcher:", ": outer_headers.ip_ecn, outer_headers.tcp_flags");
	assert_int_equal(fake.matchers, 0);
	fake.refuse_both = false;
	fake.matcher_err = ENOMEM;
	assert_int_equal(fake_try_matcher(s, &m, &mt), -ENOMEM);
}

/* The message also names the missing capability, and the device. */
TEST(stage, names_capability, DVX_FLOW_RX, 2)
{
	static const struct {
		const char *field, *words;
		uint8_t version, protocol;
		uint16_t port;
	} table[] = {
		{"misc_parameters_3.outer_vxlan_gpe_vni", "bit 7 (VXLAN-GPE)", 4, 17, 4790},
		{"misc_parameters.geneve_vni", "bit 3 (Geneve)", 6, 17, 6081},
		{"misc_parameters.geneve_tlv_option_0_exist", "bit 10 (Geneve option)", 0, 0, 0},
		{"misc_parameters_3.icmp_type", "bit 8 (ICMP)", 4, 1, 0},
		{"misc_parameters_3.icmpv6_code", "bit 9 (ICMPv6)", 6, 58, 0},
		{"misc_parameters_2.outer_first_mpls_over_gre.mpls_label", "bit 4 (MPLS over GRE)",
		 0, 0, 0},
	};
	struct dvx_flow_matcher *mt;

	fake.refuse_misc = true;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct dvx_flow_match m = {0};

		if (table[i].version)
			dvx_flow_match_ip_version(&m, DVX_FLOW_OUTER, table[i].version);
		if (table[i].protocol)
			dvx_flow_match_proto(&m, DVX_FLOW_OUTER, table[i].protocol);
		if (table[i].port)
			dvx_flow_match_port(&m, DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP,
					    table[i].port, 0xffff);
		assert_int_equal(dvx_flow_match_set(&m, table[i].field, 1, 1), 0);
		fake_refused(fake_try_matcher(s, &m, &mt), -EOPNOTSUPP, table[i].field,
			     "mlx5_9 lacks flex_parser_protocols ");
		fake_check_error(table[i].words, "");
	}
}

/* No capability enables it: libmlx5 compares the send queue in RX domains only. */
TEST(stage, no_capability, DVX_FLOW_TX, 2)
{
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher *mt;

	fake.matcher_err = EOPNOTSUPP;
	dvx_flow_match_set(&m, "source_sqn", 5, 0xffffff);
	fake_refused(fake_try_matcher(s, &m, &mt), -EOPNOTSUPP,
		     "match.misc_parameters.source_sqn: libmlx5 compares it in RX domains only",
		     "");
}

/* Entries of format 0 push on sent packets and pop on received ones, no more. */
TEST(stage, format_0, DVX_FLOW_RX, 1)
{
	struct dvx_flow_action *none = NULL, *pop;

	fake_refused(dvx_flow_action_create_push_vlan(s->domain, 0x8100, 1, &none), -EOPNOTSUPP,
		     "dvx_flow_action_create_push_vlan: ",
		     "in RX domains in steering_format_version 0 of mlx5_9");
	assert_int_equal(dvx_flow_action_create_pop_vlan(s->domain, &pop), 0);
	assert_int_equal(dvx_flow_action_destroy(pop), 0);
}

/* Checks that the root refuses the action, naming the capability that the device lacks. */
static void lacks_in_root(struct stage *s, struct dvx_flow_action *tunnel, const char *cap)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *none;
	struct dvx_flow_action *pass;

	assert_int_equal(dvx_flow_action_create_default(s->domain, &pass), 0);
	assert_int_equal(fake_try_matcher(s, &all, &mt), 0);
	fake_refused(fake_try_rule(mt, &all, (struct dvx_flow_action *[]){tunnel, pass}, 2, &none),
		     -EOPNOTSUPP, cap, "use a table of another level");
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	assert_int_equal(dvx_flow_action_destroy(pass), 0);
	assert_int_equal(dvx_flow_action_destroy(tunnel), 0);
}

/* The root needs a capability for each kind of tunnel's begin; the device limits the header. */
TEST(stage, no_tunnels_sent, DVX_FLOW_TX, 0)
{
	static const uint8_t header[66];
	struct dvx_flow_action *tunnel, *none = NULL;

	fake_refused(dvx_flow_action_create_encap_l2(s->domain, header, 66, &none), -EOPNOTSUPP,
		     "dvx_flow_action_create_encap_l2: bytes is 66",
		     "max_encap_header_size of mlx5_9 is 64");
	fake_refused(dvx_flow_action_create_encap_l3(s->domain, header, 12, &none), -EINVAL,
		     "dvx_flow_action_create_encap_l3: bytes is 12", "14 or more");
	fake_refused(dvx_flow_action_create_encap_l2(s->domain, header, 51, &none), -EINVAL,
		     "bytes is 51", "even");
	fake_refused(dvx_flow_action_create_decap_l2(s->domain, &none), -EINVAL,
		     "dvx_flow_action_create_decap_l2: domain is TX", "received");
	assert_int_equal(dvx_flow_action_create_encap_l2(s->domain, header, 50, &tunnel), 0);
	lacks_in_root(s, tunnel,
		      "an encapsulation in the root: mlx5_9 lacks "
		      "flow_table_properties_nic_transmit.reformat;");
	assert_int_equal(dvx_flow_action_create_encap_l3(s->domain, header, 50, &tunnel), 0);
	lacks_in_root(s, tunnel, "flow_table_properties_nic_transmit.reformat_l2_to_l3_tunnel;");
}

/* ... and of its end. */
TEST(stage, no_tunnels_received, DVX_FLOW_RX, 0)
{
	static const uint8_t header[14];
	struct dvx_flow_action *tunnel, *none = NULL;

	fake_refused(dvx_flow_action_create_encap_l2(s->domain, header, 14, &none), -EINVAL,
		     "dvx_flow_action_create_encap_l2: domain is RX", "sent");
	assert_int_equal(dvx_flow_action_create_decap_l2(s->domain, &tunnel), 0);
	lacks_in_root(s, tunnel,
		      "a decapsulation in the root: mlx5_9 lacks "
		      "flow_table_properties_nic_receive.decap;");
	assert_int_equal(dvx_flow_action_create_decap_l3(s->domain, header, 14, &tunnel), 0);
	lacks_in_root(s, tunnel, "flow_table_properties_nic_receive.reformat_l3_tunnel_to_l2;");
}

/* A capability limits the members of an array. */
TEST(stage, no_array, DVX_FLOW_RX, 1)
{
	struct dvx_flow_action *go, *none = NULL;
	struct dvx_flow_table *next;

	assert_int_equal(dvx_flow_table_create(s->domain, 2, &next), 0);
	assert_int_equal(dvx_flow_action_create_table(s->domain, next, &go), 0);
	fake_refused(dvx_flow_action_create_array(s->domain, (struct dvx_flow_action *[]){go, go},
						  2, &none),
		     -EOPNOTSUPP, "n is 2", "log_max_destination of mlx5_9 allows 1");
	assert_null(none);
	assert_int_equal(dvx_flow_action_destroy(go), 0);
	assert_int_equal(dvx_flow_table_destroy(next), 0);
}

/* Software's tables need forced loopback. */
TEST(stage, no_loopback, DVX_FLOW_RX, 0)
{
	struct dvx_flow_table *table = NULL;

	fake.table_err = EOPNOTSUPP;
	fake_refused(dvx_flow_table_create(s->domain, 1, &table), -EOPNOTSUPP,
		     "level 1: mlx5_9 lacks roce_cap.fl_rc_qp_when_roce_enabled", "");
}

/* Checks that only the e-switch manager can match a vport. */
static void vports(void)
{
	struct dvx_flow_match m = {0};
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	struct stage s;

	fake_open_stage(&s, DVX_FLOW_RX, 1);
	dvx_flow_match_set(&m, "misc_parameters.source_port", 77, 0xffff);
	assert_int_equal(fake_try_matcher(&s, &m, &mt), 0);
	fake.rule_err = EREMOTEIO;
	fake.rules_before_err = 0;
	assert_true(fake_try_rule(mt, &m, &s.drop, 1, &r) < 0);
	fake_check_error("match.misc_parameters.source_port: ",
			 fake.eswitch ? "mlx5_9 knows no vport 77"
				      : "mlx5_9 lacks eswitch_manager");
	fake.rule_err = ENOMEM;
	fake.rules_before_err = 0;
	fake_refused(fake_try_rule(mt, &m, &s.drop, 1, &r), -ENOMEM,
		     "libmlx5 has no memory left for the rule", "mlx5_9");
	dvx_flow_match_set(&m, "misc_parameters.source_port", 0xffff, 0xffff);
	fake.rule_err = EOPNOTSUPP;
	fake.rules_before_err = 0;
	fake_refused(fake_try_rule(mt, &m, &s.drop, 1, &r), -EOPNOTSUPP,
		     "libmlx5 refuses the rule; in an RX table its actions are: drop", "");
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
	fake_close_stage(&s);
}

TEST(fake, vports_without_manager)
{
	vports();
}

static int setup_manager(UNUSED void **state)
{
	struct fake manager = {.eswitch = true};

	return fake_setup(&(void *){&manager});
}
#define FIXTURE_manager(name) FIXTURE(name, void *no_state, setup_manager, fake_teardown)

TEST(manager, vports_of_manager)
{
	vports();
}

/* The kernel must support the action that leads back to the root. */
TEST(stage, no_anchor, DVX_FLOW_RX, 1)
{
	struct dvx_flow_action *back;

	fake.anchor_err = EPROTONOSUPPORT;
	fake_refused(dvx_flow_action_create_root(s->domain, 0, &back), -EPROTONOSUPPORT,
		     "steering anchor", "Linux 6.0");
	fake.anchor_err = EPERM;
	fake_refused(dvx_flow_action_create_root(s->domain, 0, &back), -EPERM, "steering anchor",
		     "CAP_NET_RAW");
}

/*
 * When a rule fails in the middle, the rules before it are removed and the caller's array is
 * unchanged.
 */
TEST(stage, half_inserted, DVX_FLOW_RX, 1)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_rule *rules[5] = {NULL}, *untouched[5] = {NULL};
	struct dvx_flow_rule_attr attrs[5];
	struct dvx_flow_bulk bulk = {.size = sizeof(bulk), .attrs = attrs};
	struct dvx_flow_matcher *mt;
	int i;

	assert_int_equal(fake_try_matcher(s, &all, &mt), 0);
	for (i = 0; i < 5; i++)
		attrs[i] = (struct dvx_flow_rule_attr){.size = sizeof(attrs[i]),
						       .matcher = mt,
						       .match = &all,
						       .actions = &s->drop,
						       .action_count = 1};
	fake.rule_err = ENOMEM;
	fake.rules_before_err = 3;
	fake_refused(dvx_flow_rules_insert(&bulk, 5, rules), -ENOMEM,
		     "rule 3: ", "libmlx5 has no memory left");
	assert_memory_equal(rules, untouched, sizeof(rules));
	assert_int_equal(fake.rules, 0);
	fake.rule_err = 0;
	assert_int_equal(dvx_flow_rules_insert(&bulk, 5, rules), 0);
	assert_int_equal(fake.rules, 5);
	/* a rule that cannot be destroyed stays, and keeps its references */
	fake.rule_destroy_err = EBUSY;
	assert_int_equal(dvx_flow_rules_delete(rules, 2), -EBUSY);
	assert_non_null(rules[0]);
	assert_int_equal(dvx_flow_matcher_destroy(mt), -EBUSY);
	assert_int_equal(dvx_flow_action_destroy(s->drop), -EBUSY);
	/* a result that is no errno is a failure, too, whatever errno is */
	fake.rule_destroy_err = -2;
	errno = 0;
	assert_int_equal(dvx_flow_rules_delete(rules, 2), -EIO);
	assert_non_null(rules[0]);
	errno = ENOENT;
	assert_int_equal(dvx_flow_rule_destroy(rules[0]), -EIO);
	fake.rule_destroy_err = 0;
	assert_int_equal(dvx_flow_rules_delete(rules, 5), 0);
	assert_memory_equal(rules, untouched, sizeof(rules));
	assert_int_equal(dvx_flow_rules_insert(&bulk, 0, NULL), 0);
	assert_int_equal(dvx_flow_matcher_destroy(mt), 0);
}

/* An error of libdvx within next() is the reason; an earlier one is not. */
struct giving_up {
	struct stage *s;
	struct dvx_flow_matcher *mt;
	bool by_libdvx;
};

static int give_up(void *arg, size_t i, struct dvx_flow_rule_attr *attr)
{
	static const struct dvx_flow_match all;
	struct giving_up *g = arg;
	struct dvx_flow_action *tag;

	attr->matcher = g->mt;
	attr->match = &all;
	attr->actions = &g->s->drop;
	attr->action_count = 1;
	if (i < 2)
		return 0;
	return g->by_libdvx ? dvx_flow_action_create_tag(g->s->domain, 1u << 24, &tag) : -EIO;
}

TEST(stage, next_sentence, DVX_FLOW_RX, 1)
{
	static const struct dvx_flow_match all;
	struct dvx_flow_rule *rules[5] = {NULL};
	struct giving_up g = {.s = s, .by_libdvx = true};
	struct dvx_flow_bulk bulk = {.size = sizeof(bulk), .next = give_up, .arg = &g};

	assert_int_equal(fake_try_matcher(s, &all, &g.mt), 0);
	fake_refused(dvx_flow_rules_insert(&bulk, 5, rules), -ERANGE,
		     "rule 2: ", "tag 0x1000000 has more than 24 bits");
	g.by_libdvx = false;
	fake_refused(dvx_flow_rules_insert(&bulk, 5, rules), -EIO, "rule 2: the caller gave up",
		     "");
	assert_int_equal(fake.rules, 0);
	assert_int_equal(dvx_flow_matcher_destroy(g.mt), 0);
}
