/* SPDX-License-Identifier: BSD-2-Clause */
/* Each field that software's tables match here, by unmodified libmlx5 and packets: a rule with the
 * packet's value takes it, a rule with another value does not; and the same in the root, whose
 * tables are firmware's. Registers that one table sets and the next one matches. Decapsulation. */
#include "tests/test.h"
#include "dr_packets.h"
#include "tests/verbs/raw_end.h"
#include "tests/patience.h"

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/object.h>

/* Parts of the match parameters: each has an enable bit and an offset in bits. */
enum part { OUTER, MISC, INNER, MISC2, MISC3, MISC4, MISC5, PARTS };
#define PARAM_BYTES (PARTS * 64u)

static const struct field {
	const char *name;
	uint8_t part;
	uint16_t bit;
	uint8_t width;
	uint32_t value;
	uint8_t packet;
	uint8_t ip; /* IP version that the rule also matches; 0: none */
} fields[] = {
	{"smac_47_16", OUTER, 0x000, 32, 0x02112233, UDP4, 0},
	{"smac_15_0", OUTER, 0x020, 16, 0x4455, UDP4, 0},
	{"ethertype", OUTER, 0x030, 16, 0x86dd, TCP6, 0},
	{"dmac_47_16", OUTER, 0x040, 32, 0x02d70000, TCP4, 0},
	{"dmac_15_0", OUTER, 0x060, 16, 1, TCP4, 0},
	{"first_prio", OUTER, 0x070, 3, 6, CVLAN, 0},
	{"first_cfi", OUTER, 0x073, 1, 1, SVLAN, 0},
	{"first_vid", OUTER, 0x074, 12, 0x123, SVLAN, 0},
	{"first_vid behind one tag", OUTER, 0x074, 12, 77, CVLAN, 0},
	{"cvlan_tag", OUTER, 0x090, 1, 1, CVLAN, 0},
	{"svlan_tag", OUTER, 0x091, 1, 1, SVLAN, 0},
	{"frag", OUTER, 0x092, 1, 0, UDP4, 4},
	{"ip_protocol", OUTER, 0x080, 8, 17, UDP4, 4},
	{"ip_protocol of IPv6", OUTER, 0x080, 8, 58, ICMP6, 6},
	{"ip_dscp", OUTER, 0x088, 6, 46, TCP4, 4},
	{"ip_ecn", OUTER, 0x08e, 2, 1, TCP4, 4},
	{"ip_dscp of IPv6", OUTER, 0x088, 6, 10, TCP6, 6},
	{"tcp_flags", OUTER, 0x097, 9, 0x12, TCP4, 4},
	{"tcp_sport", OUTER, 0x0a0, 16, 0x1234, TCP4, 4},
	{"tcp_dport", OUTER, 0x0b0, 16, 80, TCP4, 4},
	{"tcp_dport of IPv6", OUTER, 0x0b0, 16, 80, TCP6, 6},
	{"tcp_flags of IPv6", OUTER, 0x097, 9, 0x12, TCP6, 6},
	{"ipv4_ihl", OUTER, 0x0d0, 4, 5, UDP4, 4},
	{"ttl_hoplimit", OUTER, 0x0d8, 8, 61, UDP4, 4},
	{"ttl_hoplimit of IPv6", OUTER, 0x0d8, 8, 33, TCP6, 6},
	{"udp_sport", OUTER, 0x0e0, 16, 1000, UDP4, 4},
	{"udp_dport", OUTER, 0x0f0, 16, 53, UDP4, 4},
	{"udp_dport behind two tags", OUTER, 0x0f0, 16, 53, SVLAN, 4},
	{"src_ipv4", OUTER, 0x160, 32, 0x0a000001, UDP4, 4},
	{"dst_ipv4", OUTER, 0x1e0, 32, 0x0b000002, UDP4, 4},
	{"src_ipv6 127:96", OUTER, 0x100, 32, 0x20010db8, TCP6, 6},
	{"src_ipv6 31:0", OUTER, 0x160, 32, 1, TCP6, 6},
	{"dst_ipv6 127:96", OUTER, 0x180, 32, 0x20010db8, TCP6, 6},
	{"dst_ipv6 31:0", OUTER, 0x1e0, 32, 2, TCP6, 6},
	{"outer_second_prio", MISC, 0x040, 3, 3, SVLAN, 0},
	{"outer_second_vid", MISC, 0x044, 12, 0x456, SVLAN, 0},
	{"outer_second_cvlan_tag", MISC, 0x060, 1, 1, SVLAN, 0},
	{"outer_ipv6_flow_label", MISC, 0x0ec, 20, 0x12345, TCP6, 6},
	{"vxlan_vni", MISC, 0x0a0, 24, 0xabcdef, VXLAN, 0},
	{"inner dmac_47_16", INNER, 0x040, 32, 0x02aabbcc, VXLAN, 0},
	{"inner smac_15_0", INNER, 0x020, 16, 0xddff, VXLAN, 0},
	{"inner ethertype", INNER, 0x030, 16, 0x0800, VXLAN, 0},
	{"inner ip_protocol", INNER, 0x080, 8, 6, VXLAN, 4},
	{"inner tcp_dport", INNER, 0x0b0, 16, 443, VXLAN, 4},
	{"inner dst_ipv4", INNER, 0x1e0, 32, 0x0b000002, VXLAN, 4},
	{"inner ttl_hoplimit", INNER, 0x0d8, 8, 61, VXLAN, 4},
	{"outer_tcp_seq_num", MISC3, 0x020, 32, 0x11223344, TCP4, 4},
	{"outer_tcp_ack_num", MISC3, 0x060, 32, 0x55667788, TCP4, 4},
	{"icmp_type", MISC3, 0x100, 8, 8, ICMP4, 4},
	{"icmp_code", MISC3, 0x108, 8, 3, ICMP4, 4},
	{"icmp_header_data", MISC3, 0x0c0, 32, 0xcafe0001, ICMP4, 4},
	{"icmpv6_type", MISC3, 0x110, 8, 128, ICMP6, 6},
	{"icmpv6_header_data", MISC3, 0x0e0, 32, 0xbeef0002, ICMP6, 6},
	{"gre_c_present", MISC, 0x000, 1, 1, GRE, 0},
	{"gre_c_present 0", MISC, 0x000, 1, 0, NVGRE, 0},
	{"gre_k_present", MISC, 0x002, 1, 1, NVGRE, 0},
	{"gre_s_present", MISC, 0x003, 1, 1, GRE, 0},
	{"gre_protocol", MISC, 0x070, 16, 0x86dd, GRE, 0},
	{"gre_key", MISC, 0x080, 32, 0xcafebabe, GRE, 0},
	{"gre_key as NVGRE has it", MISC, 0x080, 24, 0x123456, NVGRE, 0},
	{"inner dst_ipv6 in GRE", INNER, 0x1e0, 32, 2, GRE, 6},
	{"inner tcp_dport in GRE", INNER, 0x0b0, 16, 80, GRE, 6},
	{"inner ethertype in GRE", INNER, 0x030, 16, 0x86dd, GRE, 0},
	{"inner dmac in NVGRE", INNER, 0x040, 32, 0x02aabbcc, NVGRE, 0},
	{"geneve_vni", MISC, 0x0c0, 24, 0xabcdef, GENEVE, 0},
	{"geneve_oam", MISC, 0x0df, 1, 1, GENEVE, 0},
	{"geneve_opt_len", MISC, 0x12a, 6, 2, GENEVE, 0},
	{"geneve_protocol_type", MISC, 0x130, 16, 0x6558, GENEVE, 0},
	{"geneve_tlv_option_0_data", MISC3, 0x120, 32, 0x11223344, GENEVE, 0},
	{"geneve_tlv_option_0_exist", MISC, 0x0de, 1, 1, GENEVE, 0},
	{"inner tcp_dport in Geneve", INNER, 0x0b0, 16, 443, GENEVE, 4},
	{"vxlan_gpe_vni", MISC3, 0x088, 24, 0x123456, GPE, 0},
	{"vxlan_gpe_next_protocol", MISC3, 0x0a0, 8, 1, GPE, 0},
	{"vxlan_gpe_flags", MISC3, 0x0a8, 8, 0x0c, GPE, 0},
	{"inner tcp_dport in VXLAN-GPE", INNER, 0x0b0, 16, 80, GPE, 4},
	{"gtpu_teid", MISC3, 0x140, 32, 0xcafe1234, GTPU, 0},
	{"gtpu_msg_type", MISC3, 0x160, 8, 255, GTPU, 0},
	{"gtpu_msg_flags", MISC3, 0x168, 8, 0x36, GTPU, 0},
	{"inner tcp_dport in GTP-U", INNER, 0x0b0, 16, 80, GTPU, 4},
	{"gtpu_dw_0", MISC3, 0x1c0, 32, 0x36ff0038, GTPU, 0},
	{"gtpu_dw_2", MISC3, 0x180, 32, 0x00070085, GTPU, 0},
	{"gtpu_first_ext_dw_0", MISC3, 0x1a0, 32, 0x01100900, GTPU, 0},
	{"mpls_label in GRE", MISC2, 0x040, 20, 300, MPLS_GRE, 0},
	{"mpls_exp in GRE", MISC2, 0x054, 3, 2, MPLS_GRE, 0},
	{"inner udp_dport behind labels in GRE", INNER, 0x0f0, 16, 53, MPLS_GRE, 4},
	{"mpls_label in UDP", MISC2, 0x060, 20, 400, MPLS_UDP, 0},
	{"mpls_s_bos in UDP", MISC2, 0x077, 1, 0, MPLS_UDP, 0},
	{"mpls_ttl in UDP", MISC2, 0x078, 8, 66, MPLS_UDP, 0},
	{"inner udp_dport behind labels in UDP", INNER, 0x0f0, 16, 53, MPLS_UDP, 4},
	{"outer mpls_label", MISC2, 0x000, 20, 100, MPLS, 0},
	{"outer mpls_exp", MISC2, 0x014, 3, 1, MPLS, 0},
	{"outer mpls_s_bos", MISC2, 0x017, 1, 0, MPLS, 0},
	{"outer mpls_ttl", MISC2, 0x018, 8, 64, MPLS, 0},
	{"ethertype before labels", OUTER, 0x030, 16, 0x8847, MPLS, 0},
	{"udp_dport behind labels", OUTER, 0x0f0, 16, 53, MPLS, 4},
	{"inner mpls_label", MISC2, 0x020, 20, 100, NVGRE, 0},
	{"inner mpls_s_bos", MISC2, 0x037, 1, 1, NVGRE, 0},
	{"inner udp_dport behind labels", INNER, 0x0f0, 16, 53, NVGRE, 4},
	{"tunnel_header_0 of VXLAN", MISC5, 0x080, 32, 0x08000000, VXLAN, 0},
	{"tunnel_header_1 of VXLAN", MISC5, 0x0a0, 32, 0xabcdef00, VXLAN, 0},
	{"tunnel_header_0 of Geneve", MISC5, 0x080, 32, 0x02806558, GENEVE, 0},
	{"tunnel_header_0 of GRE", MISC5, 0x080, 32, 0xb00086dd, GRE, 0},
	{"a sample, and no flex parser", MISC4, 0x000, 32, 0, UDP4, 0},
};
#define NFIELDS (sizeof(fields) / sizeof(fields[0]))

struct params {
	struct mlx5dv_flow_match_parameters head;
	uint8_t bytes[PARAM_BYTES];
};

struct counter {
	struct mlx5dv_devx_obj *obj;
	struct mlx5dv_dr_action *action;
	uint32_t id;
};

static struct {
	struct end end;
	struct mlx5dv_dr_domain *domain;
	struct mlx5dv_dr_table *table[3];
	struct mlx5dv_dr_matcher *root, *rest;
	struct mlx5dv_dr_rule *root_rule, *rest_rule;
	struct mlx5dv_dr_action *to[3], *drop;
	struct counter hits, misses;
	struct mlx5dv_devx_obj *option; /* of Geneve */
	unsigned int level; /* level of the table under test */
} t;

/* --- counters -------------------------------------------------------------------------------- */

static void counter_open(struct counter *c)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0}, out[PRM_ALLOC_FLOW_COUNTER_OUT_BYTES];

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	c->obj = mlx5dv_devx_obj_create(t.end.ctx, in, sizeof(in), out, sizeof(out));
	assert_non_null(c->obj);
	c->id = prm_alloc_flow_counter_out_get_flow_counter_id(out);
	c->action = mlx5dv_dr_action_create_flow_counter(c->obj, 0);
	assert_non_null(c->action);
}

static void counter_close(struct counter *c)
{
	assert_int_equal(mlx5dv_dr_action_destroy(c->action), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(c->obj), 0);
}

static uint64_t counted(const struct counter *c)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0};
	uint8_t out[PRM_QUERY_FLOW_COUNTER_OUT_BYTES + PRM_TRAFFIC_COUNTER_BYTES];

	prm_query_flow_counter_in_set_opcode(in, PRM_OPCODE_QUERY_FLOW_COUNTER);
	prm_query_flow_counter_in_set_flow_counter_id(in, c->id);
	assert_int_equal(mlx5dv_devx_obj_query(c->obj, in, sizeof(in), out, sizeof(out)), 0);
	return prm_traffic_counter_get_packets(out + PRM_QUERY_FLOW_COUNTER_OUT_BYTES);
}

/* Sends one packet; returns whether the rule under test took it: each is counted here or there. */
static bool taken(enum which which)
{
	uint64_t hits = counted(&t.hits), misses = counted(&t.misses);
	time_t end = patience_from_now();

	assert_int_equal(mlx5dv_dr_domain_sync(t.domain, 3), 0);
	send_hex(&t.end, packets[which]);
	while (counted(&t.hits) == hits && counted(&t.misses) == misses)
		assert_false(patience_over(end));
	return counted(&t.hits) == hits + 1;
}

/* --- rules ----------------------------------------------------------------------------------- */

static void put(struct params *p, unsigned int part, unsigned int bit, unsigned int width,
		uint32_t value)
{
	for (unsigned int i = 0; i < width; i++) {
		unsigned int at = part * 512 + bit + i;
		uint8_t one = (uint8_t)(0x80 >> at % 8);

		p->bytes[at / 8] &= (uint8_t)~one;
		if (value >> (width - 1 - i) & 1)
			p->bytes[at / 8] |= one;
	}
}

static struct params nothing(void)
{
	struct params p = {.head = {.match_sz = PARAM_BYTES}};

	return p;
}

/* Returns the part of the IP version: the headers that have the field. */
static unsigned int ip_part(const struct field *f)
{
	return f->part == INNER ? INNER : OUTER;
}

static struct params of_field(const struct field *f, uint32_t value)
{
	struct params p = nothing();

	/* The root's mask has all bits, an entry's the version. */
	if (f->ip)
		put(&p, ip_part(f), 0x093, 4, value == UINT32_MAX && !t.level ? 0xf : f->ip);
	put(&p, f->part, f->bit, f->width, value);
	return p;
}

static bool match_takes(const char *name, uint8_t criteria, struct params *mask,
			struct params *value, enum which packet)
{
	struct mlx5dv_dr_action *actions[] = {t.hits.action, t.drop};
	struct mlx5dv_dr_matcher *m =
		mlx5dv_dr_matcher_create(t.table[t.level], 1, criteria, &mask->head);
	struct mlx5dv_dr_rule *rule;
	bool got;

	if (!m)
		fail_msg("%s: no matcher: %s", name, strerror(errno));
	rule = mlx5dv_dr_rule_create(m, &value->head, 2, actions);
	if (!rule)
		fail_msg("%s: no rule: %s", name, strerror(errno));
	got = taken(packet);
	assert_int_equal(mlx5dv_dr_rule_destroy(rule), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(m), 0);
	return got;
}

static bool rule_takes(const struct field *f, uint32_t value)
{
	struct params mask = of_field(f, UINT32_MAX), p = of_field(f, value);
	uint8_t criteria = (uint8_t)(1 << f->part | (f->ip ? 1 << ip_part(f) : 0));

	return match_takes(f->name, criteria, &mask, &p, f->packet);
}

static unsigned int wrong(const struct field *f, uint32_t value, bool takes)
{
	if (rule_takes(f, value) == takes)
		return 0;
	print_error("%s: a rule with 0x%x %s the packet\n", f->name, value,
		    takes ? "misses" : "takes");
	return 1;
}

/* Returns whether firmware's tables lack it here: IPv4's header length, samples, raw tunnels. */
static bool entries_only(const struct field *f)
{
	return f->part >= MISC4 || (f->part == OUTER && f->bit == 0x0d0);
}

/* Returns the general capability page. */
static const void *device_caps(void)
{
	static uint8_t out[16 + 4096];
	uint8_t in[PRM_QUERY_HCA_CAP_IN_BYTES] = {0};

	prm_query_hca_cap_in_set_opcode(in, PRM_OPCODE_QUERY_HCA_CAP);
	prm_query_hca_cap_in_set_op_mod(in, PRM_HCA_CAP_TYPE_GENERAL << 1 | 1);
	assert_int_equal(mlx5dv_devx_general_cmd(t.end.ctx, in, sizeof(in), out, sizeof(out)), 0);
	return out + 16;
}

/* Has a flex parser take the option of class 0x102 and type 0x80 out of Geneve's header. */
static void option_open(void)
{
	uint8_t in[PRM_CREATE_GENEVE_TLV_OPTION_IN_BYTES] = {0};
	uint8_t out[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];
	void *option = prm_create_geneve_tlv_option_in_at_geneve_tlv_opt(in);

	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_GENEVE_TLV_OPT);
	prm_geneve_tlv_option_set_option_class(option, 0x102);
	prm_geneve_tlv_option_set_option_type(option, 0x80);
	prm_geneve_tlv_option_set_option_data_length(option, 1);
	t.option = mlx5dv_devx_obj_create(t.end.ctx, in, sizeof(in), out, sizeof(out));
	assert_non_null(t.option);
}

/* Returns whether libmlx5 44 makes no entry of it: whether a Geneve option is there. */
static bool root_only(const struct field *f)
{
	return f->part == MISC && f->bit == 0x0de;
}

/* Returns whether flex parsers of the device do not take this word. */
static bool no_parser(const struct field *f)
{
	static const struct {
		uint8_t part;
		uint16_t first, last;
		uint8_t protocol; /* bit of flex_parser_protocols */
	} words[] = {
		{MISC2, 0x040, 0x05f, 4},
		{MISC2, 0x060, 0x07f, 5},
		{MISC3, 0x140, 0x17f, 11},
		{MISC3, 0x180, 0x1ff, 18},
	};
	const uint32_t has = prm_cmd_hca_cap_get_flex_parser_protocols(device_caps());

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (f->part == words[i].part && f->bit >= words[i].first && f->bit <= words[i].last)
			return !(has >> words[i].protocol & 1);
	return false;
}

static void each_field(unsigned int level)
{
	unsigned int bad = 0;

	t.level = level;
	for (size_t i = 0; i < NFIELDS; i++) {
		if (t.level ? no_parser(&fields[i]) || root_only(&fields[i])
			    : entries_only(&fields[i]))
			continue;
		bad += wrong(&fields[i], fields[i].value, true);
		bad += wrong(&fields[i], fields[i].value ^ 1, false);
	}
	assert_int_equal(bad, 0);
}

TEST(none, each_field_of_entries)
{
	each_field(1);
}

TEST(none, each_field_in_root)
{
	each_field(0);
}

/* --- samples ----------------------------------------------------------------------------------- */

#define NODE_BYTES PRM_CREATE_PARSE_GRAPH_NODE_IN_BYTES

/* Describes eCPRI's header, of which the device takes two words; reports their numbers. */
static struct mlx5dv_devx_obj *node_open(uint32_t ids[2])
{
	uint8_t in[NODE_BYTES] = {0}, out[NODE_BYTES];
	void *node = prm_create_parse_graph_node_in_at_flex(in);
	void *arc = prm_parse_graph_flex_at_input_arc(node, 0);
	struct mlx5dv_devx_obj *obj;

	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_PARSE_GRAPH_NODE);
	prm_parse_graph_flex_set_header_length_base_value(node, 8);
	prm_parse_graph_arc_set_arc_parse_graph_node(arc, PRM_GRAPH_NODE_MAC);
	prm_parse_graph_arc_set_compare_condition_value(arc, 0xaefe);
	for (unsigned int i = 0; i < 2; i++) {
		void *s = prm_parse_graph_flex_at_sample_table(node, i);

		prm_parse_graph_sample_set_flow_match_sample_en(s, 1);
		prm_parse_graph_sample_set_flow_match_sample_field_base_offset(s, 4 * i);
	}
	obj = mlx5dv_devx_obj_create(t.end.ctx, in, sizeof(in), out, 16);
	if (!obj)
		return NULL;
	memset(in, 0, sizeof(in));
	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_QUERY_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, PRM_OBJ_TYPE_PARSE_GRAPH_NODE);
	prm_general_obj_in_cmd_hdr_set_obj_id(in, prm_general_obj_out_cmd_hdr_get_obj_id(out));
	assert_int_equal(mlx5dv_devx_obj_query(obj, in, 16, out, sizeof(out)), 0);
	node = prm_create_parse_graph_node_in_at_flex(out);
	for (unsigned int i = 0; i < 2; i++)
		ids[i] = prm_parse_graph_sample_get_flow_match_sample_field_id(
			prm_parse_graph_flex_at_sample_table(node, i));
	return obj;
}

/* `slot`: of the parameters, which have room for four samples. */
static bool sample_takes(unsigned int slot, uint32_t id, uint32_t value, enum which packet)
{
	struct params mask = nothing(), p = nothing();

	put(&mask, MISC4, slot * 64, 32, UINT32_MAX);
	put(&mask, MISC4, slot * 64 + 32, 32, id);
	put(&p, MISC4, slot * 64, 32, value);
	put(&p, MISC4, slot * 64 + 32, 32, id);
	return match_takes("a sample", 1 << MISC4, &mask, &p, packet);
}

/* A chip takes words of a header that software describes, if its flex parsers are for that. */
TEST(none, samples)
{
	uint32_t ids[2] = {0};
	struct mlx5dv_devx_obj *node = node_open(ids);

	if (!(prm_cmd_hca_cap_get_general_obj_types(device_caps()) >>
		      PRM_OBJ_TYPE_PARSE_GRAPH_NODE &
	      1)) {
		assert_null(node);
		return;
	}
	assert_non_null(node);
	t.level = 1;
	assert_true(sample_takes(0, ids[0], 0x10020008, ECPRI));
	assert_false(sample_takes(0, ids[0], 0x10020009, ECPRI));
	assert_true(sample_takes(3, ids[1], 0x01234567, ECPRI));
	assert_false(sample_takes(3, ids[1], 0x01234567, UDP4));
	assert_int_equal(mlx5dv_devx_obj_destroy(node), 0);
	assert_false(sample_takes(3, ids[1], 0x01234567, ECPRI));
}

/* --- layouts ----------------------------------------------------------------------------------- */

/* Format 61 is of hardware steering. */
static bool device_has_definers(void)
{
	return prm_cmd_hca_cap_get_match_definer_format_supported(device_caps()) & ~(1ull << 61);
}

static struct params destination(uint32_t address, bool mask)
{
	struct params p = nothing();

	put(&p, OUTER, 0x093, 4, 4);
	put(&p, OUTER, 0x080, 8, mask ? 0xff : 17);
	put(&p, OUTER, 0x0f0, 16, mask ? 0xffff : 53);
	put(&p, OUTER, 0x1e0, 32, address);
	return p;
}

#define LAYOUT_RULES 64u

/* A matcher takes a size where definers are, and its rules match then as before. */
TEST(none, layout)
{
	struct mlx5dv_dr_matcher_layout layout = {.flags = MLX5DV_DR_MATCHER_LAYOUT_NUM_RULE,
						  .log_num_of_rules_hint = 4};
	struct mlx5dv_dr_action *actions[] = {t.hits.action, t.drop};
	struct params p = destination(UINT32_MAX, true);
	struct mlx5dv_dr_matcher *m = mlx5dv_dr_matcher_create(t.table[1], 1, 1 << OUTER, &p.head);
	struct mlx5dv_dr_rule *rules[LAYOUT_RULES];

	assert_non_null(m);
	assert_int_equal(mlx5dv_dr_matcher_set_layout(m, &layout),
			 device_has_definers() ? 0 : EOPNOTSUPP);
	for (unsigned int i = 0; i < LAYOUT_RULES; i++) {
		p = destination(0x0b000002 + i, false);
		rules[i] = mlx5dv_dr_rule_create(m, &p.head, 2, actions);
		assert_non_null(rules[i]);
	}
	assert_true(taken(UDP4));
	assert_false(taken(TCP4));
	assert_int_equal(mlx5dv_dr_rule_destroy(rules[0]), 0);
	assert_false(taken(UDP4));
	for (unsigned int i = 1; i < LAYOUT_RULES; i++)
		assert_int_equal(mlx5dv_dr_rule_destroy(rules[i]), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(m), 0);
}

/* --- registers ------------------------------------------------------------------------------- */

#define FIELD_OUT_METADATA_REGC_0 0x51
#define REGISTERS		  6u

/* Table 1 sets register C of that number and goes to table 2, which has a rule that matches it. */
static bool register_passes(unsigned int number, uint32_t set, uint32_t match)
{
	struct params all = nothing(), mask = nothing(), value = nothing();
	uint64_t cmd =
		htobe64(1ull << 60 | (uint64_t)(FIELD_OUT_METADATA_REGC_0 + number) << 48 | set);
	struct mlx5dv_dr_action *rewrite =
		mlx5dv_dr_action_create_modify_header(t.domain, 0, sizeof(cmd), (__be64 *)&cmd);
	struct mlx5dv_dr_action *first[] = {rewrite, t.to[2]}, *second[] = {t.hits.action, t.drop};
	/* C0 is the last of the eight in the parameters */
	unsigned int bit = 0x100 - 32 * number - 32;
	struct mlx5dv_dr_matcher *m1, *m2;
	struct mlx5dv_dr_rule *r1, *r2;
	bool got;

	assert_non_null(rewrite);
	put(&mask, MISC2, 0x080 + bit, 32, UINT32_MAX);
	put(&value, MISC2, 0x080 + bit, 32, match);
	m2 = mlx5dv_dr_matcher_create(t.table[2], 0, 1 << MISC2, &mask.head);
	assert_non_null(m2);
	r2 = mlx5dv_dr_rule_create(m2, &value.head, 2, second);
	put(&all, OUTER, 0x030, 16, 0xffff);
	m1 = mlx5dv_dr_matcher_create(t.table[1], 2, 1 << OUTER, &all.head);
	assert_non_null(m1);
	put(&all, OUTER, 0x030, 16, 0x0800);
	r1 = mlx5dv_dr_rule_create(m1, &all.head, 2, first);
	assert_non_null(r1);
	assert_non_null(r2);
	got = taken(UDP4);
	assert_int_equal(mlx5dv_dr_rule_destroy(r1), 0);
	assert_int_equal(mlx5dv_dr_rule_destroy(r2), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(m1), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(m2), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(rewrite), 0);
	return got;
}

TEST(none, registers)
{
	for (unsigned int i = 0; i < REGISTERS; i++)
		assert_true(register_passes(i, 0x12345678 + i, 0x12345678 + i));
}

/* --- decapsulation ---------------------------------------------------------------------------- */

#define OUTER4(l, p)        \
	"4500" l "00010000" \
	"40" p "0000"       \
	"0a000001"          \
	"0b000002"
#define NEW_ETH4 "02aaaaaaaaaa02bbbbbbbbbb0800"
#define NEW_ETH6 "02aaaaaaaaaa02bbbbbbbbbb86dd"
#define CARRIED4           \
	"4500002000010000" \
	"40110000"         \
	"c0a80001"         \
	"c0a80002"         \
	"03e80035000c0000" \
	"deadbeef"
#define CARRIED6                           \
	"60000000000c1140"                 \
	"20010db8000000000000000000000001" \
	"20010db8000000000000000000000002" \
	"03e80035000c0000"                 \
	"deadbeef"
#define CARRIED_ETH                \
	"02aabbccddee02aabbccddff" \
	"0800" CARRIED4

static const struct {
	const char *name, *packet;
	const char *header; /* new header of the inner packet; NULL: it has one */
	const char *arrives;
} tunnels[] = {
	{"VXLAN",
	 ETH "0800" OUTER4("0052", "11") "100012b5003e0000"
					 "0800000000000700" CARRIED_ETH,
	 NULL, CARRIED_ETH},
	{"Geneve with options",
	 ETH "0800" OUTER4("005a", "11") "100017c100460000"
					 "0200655800000900"
					 "0102000111223344" CARRIED_ETH,
	 NULL, CARRIED_ETH},
	{"NVGRE behind a tag",
	 ETH "81000005"
	     "0800" OUTER4("004a", "2f") "2000655800000500" CARRIED_ETH,
	 NULL, CARRIED_ETH},
	{"GRE", ETH "0800" OUTER4("0044", "2f") "300008000000000500000001" CARRIED4, NEW_ETH4,
	 NEW_ETH4 CARRIED4},
	{"GRE with IPv6", ETH "0800" OUTER4("004c", "2f") "000086dd" CARRIED6, NEW_ETH6,
	 NEW_ETH6 CARRIED6},
	{"VXLAN-GPE",
	 ETH "0800" OUTER4("0044", "11") "100012b600300000"
					 "0c00000100000900" CARRIED4,
	 NEW_ETH4, NEW_ETH4 CARRIED4},
	{"IP in IP", ETH "0800" OUTER4("0034", "04") CARRIED4, NEW_ETH4, NEW_ETH4 CARRIED4},
};

/* Sends one packet; returns what arrives in the queue. */
static uint32_t sent_and_got(const char *hex)
{
	struct ibv_wc wc;

	post_recv(&t.end, 0, SLOT);
	send_hex(&t.end, hex);
	poll_ok(t.end.rcq, 0, &wc);
	return wc.byte_len;
}

static struct mlx5dv_dr_action *decap(const char *header)
{
	uint8_t bytes[64];
	uint32_t n = header ? from_hex(bytes, header) : 0;

	return mlx5dv_dr_action_create_packet_reformat(
		t.domain, 0,
		header ? MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2
		       : MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2,
		n, header ? bytes : NULL);
}

/*
 * A rule removes a tunnelled packet's outer headers, and the inner packet arrives in the queue,
 * behind a new Ethernet header if it had none.
 */
TEST(none, each_tunnel)
{
	struct mlx5dv_dr_action *to_queue = mlx5dv_dr_action_create_dest_ibv_qp(t.end.qp);
	struct params any = nothing();
	struct mlx5dv_dr_matcher *m = mlx5dv_dr_matcher_create(t.table[1], 0, 0, &any.head);
	uint8_t wanted[SLOT];

	assert_non_null(to_queue);
	assert_non_null(m);
	for (size_t i = 0; i < sizeof(tunnels) / sizeof(tunnels[0]); i++) {
		struct mlx5dv_dr_action *off = decap(tunnels[i].header);
		struct mlx5dv_dr_action *actions[] = {off, to_queue};
		struct mlx5dv_dr_rule *rule;
		uint32_t n = from_hex(wanted, tunnels[i].arrives), got;

		assert_non_null(off);
		rule = mlx5dv_dr_rule_create(m, &any.head, 2, actions);
		assert_non_null(rule);
		got = sent_and_got(tunnels[i].packet);
		if (got < n || memcmp(slot_in(&t.end, 0), wanted, n))
			fail_msg("%s: %u bytes arrive, the inner packet has %u", tunnels[i].name,
				 got, n);
		assert_int_equal(mlx5dv_dr_rule_destroy(rule), 0);
		assert_int_equal(mlx5dv_dr_action_destroy(off), 0);
	}
	assert_int_equal(mlx5dv_dr_matcher_destroy(m), 0);
	assert_int_equal(mlx5dv_dr_action_destroy(to_queue), 0);
}

/* --- tables ---------------------------------------------------------------------------------- */

/* Counts what no rule of table 1 took: a lost packet would be in neither counter. */
static void open_tables(void)
{
	struct params all = nothing();
	struct mlx5dv_dr_action *rest[2];

	t.domain = mlx5dv_dr_domain_create(t.end.ctx, MLX5DV_DR_DOMAIN_TYPE_NIC_RX);
	assert_non_null(t.domain);
	t.drop = mlx5dv_dr_action_create_drop();
	rest[0] = t.misses.action;
	rest[1] = t.drop;
	for (unsigned int i = 0; i < 3; i++) {
		t.table[i] = mlx5dv_dr_table_create(t.domain, i);
		assert_non_null(t.table[i]);
		t.to[i] = i ? mlx5dv_dr_action_create_dest_table(t.table[i]) : NULL;
	}
	all.head.match_sz = 64;
	t.root = mlx5dv_dr_matcher_create(t.table[0], 9, 0, &all.head);
	assert_non_null(t.root);
	t.root_rule = mlx5dv_dr_rule_create(t.root, &all.head, 1, &t.to[1]);
	assert_non_null(t.root_rule);
	t.rest = mlx5dv_dr_matcher_create(t.table[1], 9, 0, &all.head);
	assert_non_null(t.rest);
	t.rest_rule = mlx5dv_dr_rule_create(t.rest, &all.head, 2, rest);
	assert_non_null(t.rest_rule);
}

static int setup(UNUSED void **state)
{
	end_open(&t.end, 0);
	counter_open(&t.hits);
	counter_open(&t.misses);
	option_open();
	open_tables();
	return 0;
}

static int teardown(UNUSED void **state)
{
	assert_int_equal(mlx5dv_dr_rule_destroy(t.rest_rule), 0);
	assert_int_equal(mlx5dv_dr_rule_destroy(t.root_rule), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(t.rest), 0);
	assert_int_equal(mlx5dv_dr_matcher_destroy(t.root), 0);
	for (unsigned int i = 3; i-- > 0;) {
		if (t.to[i])
			assert_int_equal(mlx5dv_dr_action_destroy(t.to[i]), 0);
		assert_int_equal(mlx5dv_dr_table_destroy(t.table[i]), 0);
	}
	assert_int_equal(mlx5dv_dr_action_destroy(t.drop), 0);
	counter_close(&t.hits);
	counter_close(&t.misses);
	assert_int_equal(mlx5dv_dr_domain_destroy(t.domain), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(t.option), 0);
	end_close(&t.end);
	return 0;
}

TEST_GROUP(setup, teardown)
