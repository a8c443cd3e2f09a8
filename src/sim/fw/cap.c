/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QUERY_HCA_CAP. A page reports what dvx-sim implements (caps.def). Maximum and current values are
 * equal, as nothing is configurable.
 */
#include <string.h>
#include <dvx/prm/hws.h>
#include "cmd.h"
#include "obj/counter.h"
#include "obj/cq.h"
#include "obj/device.h"
#include "obj/icm.h"
#include "obj/memic.h"
#include "obj/mkey.h"
#include "prm/reflect.h"
#include "steer/flex.h"
#include "steer/params.h"
#include "steer/rules/rules.h"
#include "steer/ste/definer.h"

#define PAGE_BYTES	   4096
#define CAP_LOG_MEMIC_UNIT 6 /* log2 of MEMIC_UNIT */
#define CAP_GENERATE_RULES 2 /* generate_wqe_type: rules of hardware steering */
/* Between functions, for hardware steering. */
#define CAP_CROSS_RULES                                                               \
	(PRM_CROSS_VHCA_OBJECT_STC_TO_TIR | PRM_CROSS_VHCA_OBJECT_STC_TO_FLOW_TABLE | \
	 PRM_CROSS_VHCA_OBJECT_FLOW_TABLE_TO_FLOW_TABLE | PRM_CROSS_VHCA_OBJECT_FLOW_TABLE_TO_RTC)
#define CAP_ALLOWED_RULES \
	(PRM_ALLOWED_OBJECT_TIR | PRM_ALLOWED_OBJECT_FLOW_TABLE | PRM_ALLOWED_OBJECT_RTC)
#define CAP_ARGUMENT_LOG 6 /* log2 of an argument's bytes: CREATEs of one are allowed */

/* Values of wqe_inline_mode; 1 is the vport's. */
enum { CAP_INLINE_L2, CAP_INLINE_NOT_REQUIRED = 2 };

#define CAP_DW_FLEX_0 0x89u /* definer_hl.flex_parser_0; those of the next ones come before it */

/* Bits of flex_parser_protocols: tunnels, words that flex parsers take, and ICMP. */
enum {
	CAP_FLEX_GENEVE = 1 << 3,
	CAP_FLEX_GENEVE_OPTION = 1 << 10,
	CAP_FLEX_MPLS_GRE = 1 << 4,
	CAP_FLEX_MPLS_UDP = 1 << 5,
	CAP_FLEX_VXLAN_GPE = 1 << 7,
	CAP_FLEX_ICMP = 1 << 8,
	CAP_FLEX_ICMP6 = 1 << 9,
	CAP_FLEX_GTPU_DW_2 = 1 << 16,
	CAP_FLEX_GTPU_EXT = 1 << 17,
	CAP_FLEX_GTPU_DW_0 = 1 << 18,
	CAP_FLEX_GTPU = 1 << 11, /* [I] as with FLEX_PARSER_PROFILE_ENABLE 3 of mlxconfig */
};

/* Returns the value for a chip whose flex parsers are not for software's nodes; 0 for others. */
static uint32_t cap_flex_tunnels(const struct profile *p, uint32_t value)
{
	return p->parse_graph ? 0 : value;
}

/* Returns the value for a chip whose first flex parsers take GTP-U; 0 for others. */
static uint32_t cap_flex_gtpu(const struct profile *p, uint32_t value)
{
	return p->steering_format_version ? cap_flex_tunnels(p, value) : 0;
}

/* [I] Returns the dword of definer_hl that has the word of a flex parser for GTP-U; 0: none has. */
static uint32_t cap_select_gtpu(const struct profile *p, enum flex_parser parser)
{
	return p->rules_by_wqe ? cap_flex_gtpu(p, CAP_DW_FLEX_0 - parser) : 0;
}

/* Returns the value for a chip whose entries compare ICMP by flex parsers; 0 for others. */
static uint32_t cap_flex(const struct profile *p, uint32_t value)
{
	return p->steering_format_version ? 0 : value;
}

/* Returns whether keys of the chip may be wrapped. */
static bool cap_takes_wrapped(const struct profile *p)
{
	return p->crypto && p->crypto_wrapped;
}

/* Lists CRYPTO_LOGIN only for a chip that takes wrapped keys. */
static uint64_t cap_general_objects(const struct profile *p)
{
	return 1ull << PRM_OBJ_TYPE_SW_ICM | 1ull << PRM_OBJ_TYPE_RESERVED_QPN |
	       1ull << PRM_OBJ_TYPE_SCHEDULING_ELEMENT | 1ull << PRM_OBJ_TYPE_AV_QP_MAPPING |
	       (p->crypto ? 1ull << PRM_OBJ_TYPE_ENCRYPTION_KEY : 0) |
	       (cap_takes_wrapped(p) ? 1ull << PRM_OBJ_TYPE_CRYPTO_LOGIN : 0) |
	       1ull << PRM_OBJ_TYPE_SAMPLER | 1ull << PRM_OBJ_TYPE_FLOW_METER |
	       1ull << PRM_OBJ_TYPE_GENEVE_TLV_OPT |
	       (p->parse_graph ? 1ull << PRM_OBJ_TYPE_PARSE_GRAPH_NODE : 0) |
	       (p->rules_by_wqe ? 1ull << PRM_OBJ_TYPE_HEADER_MODIFY_ARGUMENT : 0) |
	       (profile_has_definers(p) ? 1ull << PRM_OBJ_TYPE_MATCH_DEFINER : 0) |
	       (fw_aso_exists(p)
			? 1ull << PRM_OBJ_TYPE_FLOW_METER_ASO | 1ull << PRM_OBJ_TYPE_ASO_FIRST_HIT |
				  1ull << PRM_OBJ_TYPE_ASO_CT
			: 0);
}

/* --- pages ------------------------------------------------------------------------------------ */

/* Sets the bits of each field that params.def has: it can be matched under any mask. */
static void cap_fill_fields(void *fields)
{
	const char *path;

	for (size_t i = 0; (path = params_path(i)) != NULL; i++) {
		const struct prm_field *f = prm_match_cap(path);

		if (f)
			prm_bits_set(fields, f->offset, f->width, UINT64_MAX);
	}
	/* ttl_hoplimit is one match parameter, and has two bits. */
	prm_flow_table_fields_supported_set_outer_ipv6_hop_limit(fields, 1);
	prm_flow_table_fields_supported_set_inner_ipv6_hop_limit(fields, 1);
}

/* Sets the match fields of a kind of table. */
static void cap_fill_match(void *props)
{
	cap_fill_fields(prm_flow_table_prop_layout_at_ft_field_support(props));
	cap_fill_fields(prm_flow_table_prop_layout_at_ft_field_bitmask_support(props));
}

/* Sets the bit of tables that software writes: format 0 has its own. */
static void cap_set_owner(const struct profile *p, void *props, bool owner)
{
	if (p->steering_format_version)
		prm_flow_table_prop_layout_set_sw_owner_v2(props, owner);
	else
		prm_flow_table_prop_layout_set_sw_owner(props, owner);
}

/* Sets what entries of a kind of tables can do with packet reformat contexts. */
static void cap_set_reformat(const struct profile *p, void *props)
{
	prm_flow_table_prop_layout_set_reformat_insert(props, fw_moves_headers(p));
	prm_flow_table_prop_layout_set_reformat_remove(props, fw_moves_headers(p));
	prm_flow_table_prop_layout_set_reformat(props, 1);
	prm_flow_table_prop_layout_set_reformat_and_modify_action(props, 1);
	prm_flow_table_prop_layout_set_reformat_and_fwd_to_table(props, 1);
}

/* Sets that entries remove and add up to two VLAN tags, beside all other changes. */
static void cap_set_vlans(void *props)
{
	prm_flow_table_prop_layout_set_pop_vlan(props, 1);
	prm_flow_table_prop_layout_set_push_vlan(props, 1);
	prm_flow_table_prop_layout_set_pop_vlan_2(props, 1);
	prm_flow_table_prop_layout_set_push_vlan_2(props, 1);
	prm_flow_table_prop_layout_set_reformat_and_vlan_action(props, 1);
	prm_flow_table_prop_layout_set_modify_and_vlan_action(props, 1);
}

/* Sets what tables can do with packets that are sent: begin tunnels. */
static void cap_set_sends(const struct profile *p, void *props)
{
	cap_set_reformat(p, props);
	prm_flow_table_prop_layout_set_reformat_l2_to_l3_tunnel(props, 1);
}

/* Sets what tables can do with packets that arrive: end tunnels, sample. */
static void cap_set_arrivals(const struct profile *p, void *props)
{
	cap_set_reformat(p, props);
	prm_flow_table_prop_layout_set_decap(props, 1);
	prm_flow_table_prop_layout_set_reformat_l3_tunnel_to_l2(props, 1);
	prm_flow_table_prop_layout_set_termination_table(props, 1);
	prm_flow_table_prop_layout_set_log_max_ft_sampler_num(props, VHCA_LOG_MAX_SAMPLER);
}

/* Sets that entries meter packets. */
static void cap_set_aso(const struct profile *p, void *props)
{
	prm_flow_table_prop_layout_set_execute_aso(props, fw_aso_exists(p));
}

#define CAP_REGISTERS 0x3fu /* that rewrites set: reg_c_0 to 5 (steer/modify.c) */

/* Sets the fields in which receive and transmit tables differ, and the match fields. */
static void cap_fill_flow_table(const struct vhca *v, void *cap)
{
	const struct profile *p = v->dev->profile;
	void *rx = prm_flow_table_nic_cap_at_flow_table_properties_nic_receive(cap);
	void *tx = prm_flow_table_nic_cap_at_flow_table_properties_nic_transmit(cap);

	cap_fill_match(rx);
	cap_fill_match(tx);
	prm_flow_table_prop_layout_set_flow_tag(rx, 1);
	prm_flow_table_prop_layout_set_cross_vhca_object(rx, profile_shares_rules(p));
	prm_flow_table_prop_layout_set_cross_vhca_object(tx, profile_shares_rules(p));
	cap_set_aso(p, rx);
	cap_set_aso(p, tx);
	cap_set_arrivals(p, rx);
	cap_set_sends(p, tx);
	prm_flow_table_nic_cap_set_header_modify_nic_receive_reg_c(cap, CAP_REGISTERS);
	prm_flow_table_nic_cap_set_header_modify_nic_transmit_reg_c(cap, CAP_REGISTERS);
	prm_flow_table_nic_cap_set_encap_general_header(cap, 1);
	prm_flow_table_nic_cap_set_sw_owner_reformat_supported(cap, 1);
	prm_flow_table_nic_cap_set_log_max_packet_reformat_context(cap, VHCA_LOG_MAX_REFORMAT);
	prm_flow_table_nic_cap_set_max_encap_header_size(cap, VHCA_MAX_REFORMAT_BYTES);
	prm_flow_table_nic_cap_set_nic_rx_multi_path_tirs(cap, 1);
	prm_flow_table_nic_cap_set_nic_rx_multi_path_tirs_fts(cap, 1);
	/* Software-managed steering needs table ownership and the addresses of end points. */
	cap_set_owner(p, rx, p->sw_owner_rx);
	cap_set_owner(p, tx, p->sw_owner_tx);
	prm_flow_table_nic_cap_set_sw_steering_nic_rx_action_drop_icm_address(
		cap, icm_addr(ICM_END, ICM_DROP));
	prm_flow_table_nic_cap_set_sw_steering_nic_tx_action_drop_icm_address(
		cap, icm_addr(ICM_END, ICM_DROP));
	prm_flow_table_nic_cap_set_sw_steering_nic_tx_action_allow_icm_address(
		cap, icm_addr(ICM_END, ICM_ALLOW));
}

/*
 * Sets the addresses in which the FDB's tables end. [I] The two sides of an address may differ, as
 * on hardware, and software may not exchange them.
 */
static void cap_fill_fdb(const struct vhca *v, void *cap)
{
	const uint64_t drop = icm_addr(ICM_END, ICM_DROP);
	const struct profile *p = v->dev->profile;
	void *props = prm_flow_table_eswitch_cap_at_flow_table_properties_nic_esw_fdb(cap);

	if (v != v->dev->manager)
		return;
	cap_set_owner(p, props, p->sw_owner_rx && p->sw_owner_tx);
	cap_fill_match(props);
	cap_fill_match(prm_flow_table_eswitch_cap_at_flow_table_properties_esw_acl_ingress(cap));
	cap_fill_match(prm_flow_table_eswitch_cap_at_flow_table_properties_esw_acl_egress(cap));
	cap_set_arrivals(p, props);
	cap_set_sends(p, props);
	cap_set_aso(p, props);
	cap_set_vlans(props);
	prm_flow_table_eswitch_cap_set_header_modify_esw_fdb_reg_c(cap, CAP_REGISTERS);
	prm_flow_table_eswitch_cap_set_sw_steering_fdb_action_drop_icm_address_rx(cap, drop);
	prm_flow_table_eswitch_cap_set_sw_steering_fdb_action_drop_icm_address_tx(cap, drop);
	prm_flow_table_eswitch_cap_set_sw_steering_uplink_icm_address_rx(
		cap, icm_vport(VPORT_UPLINK, false));
	prm_flow_table_eswitch_cap_set_sw_steering_uplink_icm_address_tx(
		cap, icm_vport(VPORT_UPLINK, true));
}

/* Returns log2 of the number of SFs, rounded up. */
static uint32_t cap_log_max_sf(const struct profile *p)
{
	return p->sfs > 1 ? 32u - (uint32_t)__builtin_clz(p->sfs - 1u) : 0;
}

#define CAP_STC_AT    16u /* stc_action_type: actions 0 to 63, then those that end a rule [I] */
#define CAP_STC_FIRST PRM_STC_ACTION_JUMP_TO_STE_TABLE

/* Sets the bits of the action templates that are implemented. */
static void cap_fill_rules(const struct vhca *v, uint8_t *cap)
{
	uint64_t bits[2] = {0};

	if (!v->dev->profile->rules_by_wqe)
		return;
	for (unsigned int i = 0; i < 64; i++) {
		bits[0] |= (uint64_t)rules_action_exists(i) << i;
		bits[1] |= (uint64_t)rules_action_exists(CAP_STC_FIRST + i) << i;
	}
	prm_store64(cap, CAP_STC_AT, bits[0]);
	prm_store64(cap, CAP_STC_AT + sizeof(bits[0]), bits[1]);
}

/* Fills in the fields that caps.def has for a page. */
static void cap_fill(const struct vhca *v, uint32_t type, void *page)
{
	const struct profile *p = v->dev->profile;
	void *scheme = prm_odp_cap_at_transport_page_fault_scheme_cap(page);
	void *rx = prm_flow_table_nic_cap_at_flow_table_properties_nic_receive(page);
	void *tx = prm_flow_table_nic_cap_at_flow_table_properties_nic_transmit(page);
	void *fdb = prm_flow_table_eswitch_cap_at_flow_table_properties_nic_esw_fdb(page);
	void *in = prm_flow_table_eswitch_cap_at_flow_table_properties_esw_acl_ingress(page);
	void *out = prm_flow_table_eswitch_cap_at_flow_table_properties_esw_acl_egress(page);
	const bool manager = v == v->dev->manager;

#define SET(page_type, structure, at, field, value) \
	if (type == PRM_HCA_CAP_TYPE_##page_type)   \
		prm_##structure##_set_##field(at, value);
#define GENERAL(field, value)	SET(GENERAL, cmd_hca_cap, page, field, value)
#define GENERAL_2(field, value) SET(GENERAL_2, cmd_hca_cap_2, page, field, value)
#define ETHERNET(field, value) \
	SET(ETHERNET_OFFLOADS, per_protocol_networking_offload_caps, page, field, value)
#define ODP(transport, field)                   \
	SET(ODP, odp_per_transport_service_cap, \
	    prm_odp_scheme_cap_at_##transport##_odp_caps(scheme), field, 1)
#define ATOMIC(field, value)  SET(ATOMIC, atomic_caps, page, field, value)
#define ROCE(field, value)    SET(ROCE, roce_cap, page, field, value)
#define QOS(field, value)     SET(QOS, qos_cap, page, field, value)
#define DEV_MEM(field, value) SET(DEV_MEM, device_mem_cap, page, field, value)
#define CRYPTO(field, value)  SET(CRYPTO, crypto_caps, page, field, value)
#define FLOW_TABLE(field, value)                                                         \
	SET(FLOW_TABLE, flow_table_prop_layout, rx, field, value)                        \
	SET(FLOW_TABLE, flow_table_prop_layout, tx, field, value)                        \
	SET(ESWITCH_FLOW_TABLE, flow_table_prop_layout, fdb, field, manager ? value : 0) \
	SET(ESWITCH_FLOW_TABLE, flow_table_prop_layout, in, field, manager ? value : 0)  \
	SET(ESWITCH_FLOW_TABLE, flow_table_prop_layout, out, field, manager ? value : 0)
#define FDB_TABLES(field, value) \
	SET(ESWITCH_FLOW_TABLE, flow_table_eswitch_cap, page, field, manager ? value : 0)
#define RULES(field, value)                                              \
	SET(WQE_BASED_FLOW_TABLE, wqe_based_flow_table_cap, page, field, \
	    p->rules_by_wqe ? value : 0)
#define NODE(field, value) \
	SET(PARSE_GRAPH_NODE, parse_graph_node_cap, page, field, p->parse_graph ? value : 0)
#define ESWITCH(field, value) SET(ESWITCH, e_switch_cap, page, field, manager ? value : 0)
#include "caps.def"
	if (type == PRM_HCA_CAP_TYPE_FLOW_TABLE)
		cap_fill_flow_table(v, page);
	if (type == PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE)
		cap_fill_fdb(v, page);
	if (type == PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE)
		cap_fill_rules(v, page);
}

/* Capability pages. dvx-sim implements nothing of those without a structure. */
static const struct {
	uint16_t type;
	const char *prm_struct; /* for the trace */
} pages[] = {
	{PRM_HCA_CAP_TYPE_GENERAL, "cmd_hca_cap"},
	{PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, "per_protocol_networking_offload_caps"},
	{PRM_HCA_CAP_TYPE_ODP, "odp_cap"},
	{PRM_HCA_CAP_TYPE_ATOMIC, "atomic_caps"},
	{PRM_HCA_CAP_TYPE_ROCE, "roce_cap"},
	{PRM_HCA_CAP_TYPE_FLOW_TABLE, "flow_table_nic_cap"},
	{PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE, "flow_table_eswitch_cap"},
	{PRM_HCA_CAP_TYPE_ESWITCH, "e_switch_cap"},
	{PRM_HCA_CAP_TYPE_QOS, "qos_cap"},
	{PRM_HCA_CAP_TYPE_DEV_MEM, "device_mem_cap"},
	{PRM_HCA_CAP_TYPE_DEV_EVENT, NULL},
	{PRM_HCA_CAP_TYPE_CRYPTO, "crypto_caps"},
	{PRM_HCA_CAP_TYPE_GENERAL_2, "cmd_hca_cap_2"},
	{PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, "wqe_based_flow_table_cap"},
	{PRM_HCA_CAP_TYPE_PARSE_GRAPH_NODE, "parse_graph_node_cap"},
};

int fw_query_hca_cap(struct fw_cmd *c)
{
	uint8_t page[PAGE_BYTES] = {0};
	uint32_t type = c->op_mod >> 1;
	size_t room = c->out_len - FW_CAP_AT;
	const struct vhca *v = fw_vport_find(c, prm_query_hca_cap_in_get_other_function(c->in),
					     prm_query_hca_cap_in_get_function_id(c->in));

	if (!v)
		return -1;
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		if (pages[i].type != type)
			continue;
		cap_fill(v, type, page);
		memcpy((uint8_t *)c->out + FW_CAP_AT, page,
		       room < sizeof(page) ? room : sizeof(page));
		return 0;
	}
	return fw_refuse(c, FW_SYN_CAP_PAGE, "op_mod 0x%x: capability page 0x%x does not exist",
			 c->op_mod, type);
}

const char *fw_cap_struct(uint16_t op_mod)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (pages[i].type == op_mod >> 1)
			return pages[i].prm_struct;
	return NULL;
}
