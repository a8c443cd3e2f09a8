/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves commands on nodes of the flex parser's graph: samples and their parsers, good and bad inputs, owners. */
#include "tests/test.h"
#include <dvx/prm/object.h>
#include "fw_fixture.h"
#include "fw/cmd.h"

#define NODE_BYTES 432u
#define TYPE                                                  \
	{                                                     \
		"hdr.obj_type", PRM_OBJ_TYPE_PARSE_GRAPH_NODE \
	}
/* eCPRI's header behind Ethernet, and its first word. */
#define NODE                                                                    \
	{"flex.header_length_base_value", 8},                                   \
		{"flex.input_arc[0].arc_parse_graph_node", PRM_GRAPH_NODE_MAC}, \
		{"flex.input_arc[0].compare_condition_value", 0xaefe},          \
	{                                                                       \
		"flex.sample_table[0].flow_match_sample_en", 1                  \
	}

#define CREATE(f, v, ...)                                                                \
	fx_general(f, v, PRM_OPCODE_CREATE_GENERAL_OBJECT, "create_parse_graph_node_in", \
		   NODE_BYTES, FX_FIELDS(TYPE, __VA_ARGS__))
#define OP(f, v, op, id)                                                                 \
	fx_general(f, v, PRM_OPCODE_##op##_GENERAL_OBJECT, "create_parse_graph_node_in", \
		   PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES, FX_FIELDS(TYPE, {"hdr.obj_id", id}))
#define REFUSES(reason, ...)                                         \
	do {                                                         \
		assert_int_equal(CREATE(f, f->v, __VA_ARGS__), BAD); \
		assert_int_equal(f->syndrome, reason);               \
	} while (0)

/* Flex parsers are the chip's: 7 of a chip whose entries have format 1. */
TEST(fx, samples_have_numbers)
{
	uint32_t first, second;

	f->profile.parse_graph = true;
	assert_int_equal(CREATE(f, f->v, NODE, {"flex.sample_table[5].flow_match_sample_en", 1},
				{"flex.sample_table[5].flow_match_sample_field_base_offset", 4}),
			 0);
	first = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	assert_int_equal(OP(f, f->v, QUERY, first), 0);
	fx_holds(prm_find_struct("create_parse_graph_node_in"), f->out,
		 FX_FIELDS(NODE, {"flex.sample_table[0].flow_match_sample_field_id", 0},
			   {"flex.sample_table[5].flow_match_sample_field_id", 1}));
	for (unsigned int i = 2; i < 7; i++) {
		assert_int_equal(CREATE(f, f->dpu, NODE), 0);
		second = prm_general_obj_out_cmd_hdr_get_obj_id(f->out);
	}
	assert_int_equal(OP(f, f->dpu, QUERY, second), 0);
	fx_holds(prm_find_struct("create_parse_graph_node_in"), f->out,
		 FX_FIELDS(NODE, {"flex.sample_table[0].flow_match_sample_field_id", 7}));
	assert_int_equal(CREATE(f, f->v, NODE), PRM_STATUS_NO_RES);
	assert_int_equal(f->syndrome, FW_SYN_LIMIT);
	assert_int_equal(OP(f, f->v, DESTROY, first), 0);
	assert_int_equal(CREATE(f, f->v, NODE), 0);
}

TEST(fx, wrong_nodes)
{
	REFUSES(FW_SYN_UNSUPPORTED, NODE);
	f->profile.parse_graph = true;
	REFUSES(FW_SYN_UNSUPPORTED, NODE, {"flex.header_length_mode", 1});
	REFUSES(FW_SYN_SIZE, NODE, {"flex.header_length_base_value", 0});
	REFUSES(FW_SYN_SIZE, NODE, {"flex.header_length_base_value", 129});
	REFUSES(FW_SYN_UNSUPPORTED, NODE,
		{"flex.sample_table[0].flow_match_sample_offset_mode", 1});
	REFUSES(FW_SYN_UNSUPPORTED, NODE,
		{"flex.sample_table[0].flow_match_sample_tunnel_mode", 1});
	REFUSES(FW_SYN_SIZE, NODE,
		{"flex.sample_table[0].flow_match_sample_field_base_offset", 125});
	REFUSES(FW_SYN_UNSUPPORTED, NODE,
		{"flex.input_arc[1].arc_parse_graph_node", PRM_GRAPH_NODE_GENEVE});
	REFUSES(FW_SYN_UNSUPPORTED, NODE, {"flex.input_arc[0].start_inner_tunnel", 1});
	REFUSES(FW_SYN_UNSUPPORTED, NODE,
		{"flex.output_arc[0].arc_parse_graph_node", PRM_GRAPH_NODE_IP});
	REFUSES(FW_SYN_SIZE, NODE, {"flex.input_arc[0].arc_parse_graph_node", 0});
	REFUSES(FW_SYN_SIZE, NODE, {"flex.sample_table[0].flow_match_sample_en", 0});
	REFUSES(FW_SYN_UNSUPPORTED, NODE, {"hdr.log_obj_range", 1});
	assert_int_equal(fx_general(f, f->v, PRM_OPCODE_CREATE_GENERAL_OBJECT,
				    "create_parse_graph_node_in", NODE_BYTES - 4,
				    FX_FIELDS(TYPE, NODE)),
			 PRM_STATUS_BAD_INP_LEN);
	assert_int_equal(f->syndrome, FW_SYN_IN_SHORT);
}

/* --- the UDP ports of VXLAN -------------------------------------------------------------------- */

#define PORT(op, port) \
	fx_cmd(f, f->v, PRM_OPCODE_##op##_VXLAN_UDP_DPORT, 0, FX_FIELDS({"vxlan_udp_port", port}))

TEST(fx, vxlan_has_four_further_ports)
{
	assert_int_equal(PORT(ADD, 4789), 0);
	for (uint16_t port = 1; port <= 4; port++)
		assert_int_equal(PORT(ADD, port), 0);
	assert_int_equal(PORT(ADD, 4), 0);
	assert_int_equal(PORT(ADD, 5), PRM_STATUS_NO_RES);
	assert_int_equal(PORT(DELETE, 2), 0);
	assert_int_equal(PORT(DELETE, 2), BAD);
	assert_int_equal(PORT(ADD, 5), 0);
	assert_int_equal(PORT(DELETE, 5), 0);
	assert_int_equal(PORT(ADD, 0), BAD);
	assert_int_equal(PORT(DELETE, 0), BAD);
	assert_int_equal(fx_cmd(f, f->v, PRM_OPCODE_ADD_VXLAN_UDP_DPORT, FX_UID,
				FX_FIELDS({"vxlan_udp_port", 6})),
			 BAD);
}
