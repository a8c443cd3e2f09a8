/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes of the flex parser's graph: headers that the device does not know, which software describes
 * by the header before them. Flex parsers take words out of them, which rules compare by number.
 * [I] A node ends the parser's way: nothing is parsed behind it.
 */
#include <string.h>
#include "cmd.h"
#include "obj/device.h"

#define FW_NODE_BYTES (PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + PRM_PARSE_GRAPH_FLEX_BYTES)
#define FW_NODE_ROWS  8u /* of each of its tables */
#define FW_MODE_FIXED 0u
#define FW_OUTER      0u

struct parse_node {
	struct obj o;
	struct device *dev;
	uint8_t samples; /* bits of flex parsers */
	uint8_t bytes[PRM_PARSE_GRAPH_FLEX_BYTES];
};

/* [I] Geneve's option keeps its parser, and in format 0 ICMP its four. */
static uint8_t fw_node_parsers(const struct profile *p)
{
	return p->steering_format_version ? 0xbf : 0xb0;
}

static int fw_node_check_length(struct fw_cmd *c, const uint8_t *node)
{
	const uint32_t bytes = prm_parse_graph_flex_get_header_length_base_value(node);

	if (prm_parse_graph_flex_get_header_length_mode(node) != FW_MODE_FIXED)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "header_length_mode %u: headers of fixed length only (0)",
				 prm_parse_graph_flex_get_header_length_mode(node));
	if (!bytes || bytes > VHCA_MAX_NODE_BYTES)
		return fw_refuse(c, FW_SYN_SIZE,
				 "header_length_base_value %u is not within 1 and "
				 "max_base_header_length (%u)",
				 bytes, VHCA_MAX_NODE_BYTES);
	return 0;
}

static int fw_node_check_sample(struct fw_cmd *c, const uint8_t *s, unsigned int i)
{
	const uint32_t at = prm_parse_graph_sample_get_flow_match_sample_field_base_offset(s);

	if (prm_parse_graph_sample_get_flow_match_sample_offset_mode(s) != FW_MODE_FIXED)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "sample_table[%u].flow_match_sample_offset_mode %u: fixed "
				 "offsets only (0)",
				 i, prm_parse_graph_sample_get_flow_match_sample_offset_mode(s));
	if (prm_parse_graph_sample_get_flow_match_sample_tunnel_mode(s) != FW_OUTER)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "sample_table[%u].flow_match_sample_tunnel_mode %u: outer "
				 "headers only (0)",
				 i, prm_parse_graph_sample_get_flow_match_sample_tunnel_mode(s));
	if (at > VHCA_MAX_SAMPLE_OFFSET)
		return fw_refuse(c, FW_SYN_SIZE,
				 "sample_table[%u].flow_match_sample_field_base_offset %u is over "
				 "max_sample_base_offset (%u)",
				 i, at, VHCA_MAX_SAMPLE_OFFSET);
	return 0;
}

static int fw_node_check_arc(struct fw_cmd *c, const uint8_t *arc, unsigned int i)
{
	const uint32_t from = prm_parse_graph_arc_get_arc_parse_graph_node(arc);

	if (prm_parse_graph_arc_get_start_inner_tunnel(arc) ||
	    prm_parse_graph_arc_get_parse_graph_node_handle(arc) || from > 31 ||
	    !(VHCA_NODE_IN >> from & 1))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "input_arc[%u]: node 0x%x is none of node_in (0x%x: Ethernet, IP, "
				 "UDP, TCP), outside of tunnels",
				 i, from, VHCA_NODE_IN);
	return 0;
}

/* Checks the node's tables; reports how many arcs and samples it has. */
static int fw_node_check_tables(struct fw_cmd *c, const uint8_t *node, unsigned int *arcs,
				unsigned int *samples)
{
	for (unsigned int i = 0; i < FW_NODE_ROWS; i++) {
		const uint8_t *s = prm_parse_graph_flex_cat_sample_table(node, i);
		const uint8_t *in = prm_parse_graph_flex_cat_input_arc(node, i);
		const uint8_t *out = prm_parse_graph_flex_cat_output_arc(node, i);
		const bool sample = prm_parse_graph_sample_get_flow_match_sample_en(s);
		const bool arc = prm_parse_graph_arc_get_arc_parse_graph_node(in);

		if ((sample && fw_node_check_sample(c, s, i)) ||
		    (arc && fw_node_check_arc(c, in, i)))
			return -1;
		if (prm_parse_graph_arc_get_arc_parse_graph_node(out))
			return fw_refuse(c, FW_SYN_UNSUPPORTED,
					 "output_arc[%u]: max_num_arc_out is 0, no header follows "
					 "a node",
					 i);
		*samples += sample;
		*arcs += arc;
	}
	return 0;
}

static int fw_node_check(struct fw_cmd *c, const uint8_t *node, unsigned int *samples)
{
	unsigned int arcs = 0;

	if (!c->vhca->dev->profile->parse_graph)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "general_obj_types lacks PARSE_GRAPH_NODE: mlxconfig's "
				 "PROG_PARSE_GRAPH is 0 (dvx-sim: --set parse_graph=1)");
	if (c->in_len < FW_NODE_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, a parse graph node needs %zu",
				 c->in_len, (size_t)FW_NODE_BYTES);
	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED, "log_obj_range is set: one node at a time");
	if (fw_node_check_length(c, node) || fw_node_check_tables(c, node, &arcs, samples))
		return -1;
	if (!arcs || !*samples)
		return fw_refuse(c, FW_SYN_SIZE,
				 "%u input_arc and %u sample_table: a node needs one of each", arcs,
				 *samples);
	return fw_nothing_after(c, FW_NODE_BYTES);
}

/* Fills a flex parser's number into the sample, and the sample into the device. */
static void fw_node_take(struct parse_node *n, uint8_t *sample, unsigned int parser)
{
	struct flex_sample *to = &n->dev->flex_sample[parser];

	n->samples |= (uint8_t)(1u << parser);
	prm_parse_graph_sample_set_flow_match_sample_field_id(sample, parser);
	to->offset =
		(uint8_t)prm_parse_graph_sample_get_flow_match_sample_field_base_offset(sample);
	for (unsigned int i = 0; i < FLEX_ARCS; i++) {
		const uint8_t *in = prm_parse_graph_flex_cat_input_arc(n->bytes, i);
		const uint32_t from = prm_parse_graph_arc_get_arc_parse_graph_node(in);

		if (from)
			to->arc[to->arcs++] = (struct flex_arc){
				(uint8_t)from,
				(uint16_t)prm_parse_graph_arc_get_compare_condition_value(in)};
	}
}

/* Returns the flex parsers that take no sample yet. */
static uint8_t fw_node_free_parsers(const struct device *dev)
{
	uint8_t parsers = fw_node_parsers(dev->profile);

	for (unsigned int i = 0; i < FLEX_PARSERS; i++)
		if (dev->flex_sample[i].arcs)
			parsers &= (uint8_t) ~(1u << i);
	return parsers;
}

int fw_create_parse_node(struct fw_cmd *c)
{
	const uint8_t *node = (const uint8_t *)c->in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	struct device *dev = c->vhca->dev;
	unsigned int samples = 0, parsers = fw_node_free_parsers(dev);
	struct parse_node *n;

	if (fw_node_check(c, node, &samples))
		return -1;
	if (samples > (unsigned int)__builtin_popcount(parsers))
		return fw_refuse_as(c, PRM_STATUS_NO_RES, FW_SYN_LIMIT,
				    "%u samples: %d flex parsers of the chip are free", samples,
				    __builtin_popcount(parsers));
	n = fw_new(c, OBJ_PARSE_NODE, sizeof(*n));
	if (!n)
		return -1;
	n->dev = dev;
	memcpy(n->bytes, node, sizeof(n->bytes));
	for (unsigned int i = 0; i < FW_NODE_ROWS; i++) {
		uint8_t *sample = prm_parse_graph_flex_at_sample_table(n->bytes, i);

		if (!prm_parse_graph_sample_get_flow_match_sample_en(sample))
			continue;
		fw_node_take(n, sample, (unsigned int)__builtin_ctz(parsers));
		parsers &= parsers - 1;
	}
	return fw_made(c, &n->o, 0);
}

int fw_query_parse_node(struct fw_cmd *c)
{
	const struct parse_node *n = c->obj;

	return fw_general_reply(c, n->bytes, sizeof(n->bytes));
}

void fw_parse_node_free(struct obj *o)
{
	struct parse_node *n = (struct parse_node *)o;

	for (unsigned int i = 0; i < FLEX_PARSERS; i++)
		if (n->samples >> i & 1)
			n->dev->flex_sample[i] = (struct flex_sample){0};
	obj_free(o);
}
