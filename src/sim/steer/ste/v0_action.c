/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions of version 0. The kind of an entry's control part says what its fields mean. The send
 * side inserts headers, the receive side removes them, and a list of rewrites comes last.
 */
#include <string.h>
#include "obj/flow.h"
#include "steer/parse.h"
#include "steer/reformat.h"
#include "tag.h"
#include "v0.h"

#define WORD	    2u /* unit of sizes */
#define LIST_UNIT   64u
#define LIST_ACTION 8u
#define DWORD_BITS  32u
#define MACS_BYTES  12u
#define VLAN_BYTES  4u
#define TAG_VALID   0x80000000u /* beside a flow tag */

/* --- rewrites ---------------------------------------------------------------------------------- */

/*
 * Bits of the 64-bit fields that rewrites name, as libmlx5's table for modify actions has them. L3
 * words of IPv4 and IPv6 share their numbers.
 */
static const struct v0_part {
	uint8_t field, low, bits;
	uint8_t dword, dword_low; /* enum rewrite_dword */
} parts[] = {
	{0x00, 16, 32, REWRITE_DMAC_47_16, 0},
	{0x00, 0, 16, REWRITE_DMAC_15_0, 16},
	{0x01, 16, 32, REWRITE_SMAC_47_16, 0},
	{0x01, 0, 16, REWRITE_SMAC_15_0, 16},
	{0x02, 32, 16, REWRITE_DMAC_15_0, 0}, /* EtherType */
	{0x02, 0, 16, REWRITE_VLAN, 0},
	{0x03, 32, 32, REWRITE_L3_0_HIGH, 0},
	{0x03, 0, 32, REWRITE_L3_0_LOW, 0},
	{0x04, 8, 8, REWRITE_CLASS_TTL, 8},
	{0x04, 6, 2, REWRITE_CLASS_TTL, 16}, /* ECN */
	{0x04, 0, 6, REWRITE_CLASS_TTL, 18}, /* DSCP */
	{0x05, 32, 32, REWRITE_IPV6_DST_63_32, 0},
	{0x05, 0, 32, REWRITE_IPV6_DST_31_0, 0},
	{0x06, 32, 32, REWRITE_IPV6_SRC_127_96, 0},
	{0x06, 0, 32, REWRITE_IPV6_SRC_95_64, 0},
	{0x07, 32, 32, REWRITE_IPV6_SRC_63_32, 0},
	{0x07, 0, 32, REWRITE_IPV6_SRC_31_0, 0},
	{0x08, 48, 9, REWRITE_TCP_FLAGS, 16},
	{0x08, 16, 16, REWRITE_PORTS, 0}, /* destination */
	{0x08, 0, 16, REWRITE_PORTS, 16},
	{0x09, 32, 32, REWRITE_TCP_SEQ, 0},
	{0x09, 0, 32, REWRITE_TCP_ACK, 0},
	{0x0c, 32, 32, REWRITE_REG_C0, 0},
	{0x0c, 0, 32, REWRITE_REG_C1, 0},
	{0x0d, 32, 32, REWRITE_REG_C2, 0},
	{0x0d, 0, 32, REWRITE_REG_C3, 0},
	{0x0e, 32, 32, REWRITE_REG_C4, 0},
	{0x0e, 0, 32, REWRITE_REG_C5, 0},
	{0x16, 32, 32, REWRITE_REG_B, 0},
	{0x16, 0, 32, REWRITE_REG_A, 0},
};

/* Bits 49:32 of field 2: the kind of the VLAN tag above the EtherType. */
#define VLAN_KIND_FIELD 0x02
#define VLAN_KIND_LOW	32u
#define VLAN_KIND_BITS	18u

/* Finds the bits of a rewrite. length 0 stands for 32. Returns false after steer_lost(). */
static bool v0_bits(const struct steer_walk *w, unsigned int field, unsigned int low,
		    unsigned int length, struct rewrite_bits *b)
{
	unsigned int bits = length ? length : DWORD_BITS;

	for (const struct v0_part *p = parts; p < parts + sizeof(parts) / sizeof(parts[0]); p++) {
		if (p->field != field || low < p->low || low + bits > p->low + p->bits)
			continue;
		*b = (struct rewrite_bits){.dword = (enum rewrite_dword)p->dword,
					   .low = p->dword_low + low - p->low,
					   .bits = bits};
		return true;
	}
	return steer_lost(w, "a rewrite's field 0x%02x, bits %u to %u, is not implemented", field,
			  low, low + bits - 1);
}

static bool v0_destination(const struct steer_walk *w, const uint8_t *a, struct rewrite_bits *b)
{
	return v0_bits(w, prm_dr_action_hw_set_get_destination_field_code(a),
		       prm_dr_action_hw_set_get_destination_left_shifter(a),
		       prm_dr_action_hw_set_get_destination_length(a), b);
}

/* Sets the kind of the first VLAN tag and the EtherType behind it, as one field has them. */
static bool v0_set_vlan_kind(const struct steer_walk *w, uint32_t value, unsigned int *changed)
{
	const struct rewrite_bits ethertype = {REWRITE_DMAC_15_0, 0, 16};
	struct packet *p = w->packet;

	if (!p->outer.vlans)
		return steer_lost(w, "a rewrite sets the kind of a VLAN tag that is not there");
	rewrite_set(p, ethertype, value & 0xffff, changed);
	packet_store16(p->data + p->outer.l2 + MACS_BYTES,
		       value >> 16 == TAG_VLAN_SERVICE ? ETHERTYPE_SVLAN : ETHERTYPE_CVLAN);
	return true;
}

static bool v0_set(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	uint32_t value = prm_dr_action_hw_set_get_inline_data(a);
	struct rewrite_bits to;

	if (prm_dr_action_hw_set_get_destination_field_code(a) == VLAN_KIND_FIELD &&
	    prm_dr_action_hw_set_get_destination_left_shifter(a) == VLAN_KIND_LOW &&
	    prm_dr_action_hw_set_get_destination_length(a) == VLAN_KIND_BITS)
		return v0_set_vlan_kind(w, value, changed);
	if (!v0_destination(w, a, &to))
		return false;
	rewrite_set(w->packet, to, value, changed);
	return true;
}

static bool v0_add(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	struct rewrite_bits to;

	if (!v0_destination(w, a, &to))
		return false;
	rewrite_add(w->packet, to, prm_dr_action_hw_set_get_inline_data(a), changed);
	return true;
}

static bool v0_copy(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	uint32_t length = prm_dr_action_hw_copy_get_destination_length(a);
	struct rewrite_bits to, from;

	if (!v0_bits(w, prm_dr_action_hw_copy_get_destination_field_code(a),
		     prm_dr_action_hw_copy_get_destination_left_shifter(a), length, &to) ||
	    !v0_bits(w, prm_dr_action_hw_copy_get_source_field_code(a),
		     prm_dr_action_hw_copy_get_source_left_shifter(a), length, &from))
		return false;
	rewrite_copy(w->packet, to, from, changed);
	return true;
}

static bool v0_rewrite(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	switch (a[0]) {
	case 0: /* libmlx5 leaves a gap between rewrites of one field */
		return true;
	case PRM_STE_MODIFY_OP_COPY:
		return v0_copy(w, a, changed);
	case PRM_STE_MODIFY_OP_SET:
		return v0_set(w, a, changed);
	case PRM_STE_MODIFY_OP_ADD:
		return v0_add(w, a, changed);
	default:
		return steer_lost(w, "a rewrite's opcode 0x%02x does not exist", a[0]);
	}
}

/* Executes the list of rewrites. A rewrite sees the headers as earlier ones have left them. */
static bool v0_modify_list(struct steer_walk *w, const uint8_t *ste, unsigned int *changed)
{
	unsigned int n = prm_ste_modify_packet_get_number_of_re_write_actions(ste);
	uint64_t at = icm_addr(ICM_MODIFY, 0) +
		      (uint64_t)LIST_UNIT *
			      prm_ste_modify_packet_get_header_re_write_actions_pointer(ste);
	const uint8_t *list = n ? icm_bytes(w->vhca, at, n * LIST_ACTION) : NULL;

	if (n && !list)
		return steer_lost(w,
				  "an entry's list of %u rewrites at 0x%" PRIx64
				  " is not in allocated steering memory",
				  n, at);
	if (!ste_charge(w, n))
		return false;
	for (; n; n--, list += LIST_ACTION)
		if (!v0_rewrite(w, list, changed))
			return false;
	return true;
}

/* --- headers ----------------------------------------------------------------------------------- */

/*
 * Puts an Ethernet header before the inner IP header, which the list of rewrites fills in: with a
 * VLAN tag if the entry has action_description 1.
 */
static bool v0_decap_l3(const struct steer_walk *w, const uint8_t *ste, unsigned int *changed)
{
	bool vlan = prm_ste_modify_packet_get_action_description(ste);
	uint32_t bytes = MACS_BYTES + 2u + (vlan ? VLAN_BYTES : 0);
	struct packet *p = w->packet;
	uint8_t *header;

	if (!p->inner.l3)
		return steer_lost(w, "an action removes the headers before an inner IP header, "
				     "which the packet does not have");
	header = p->data + p->inner.l3 - bytes;
	memset(header, 0, bytes);
	if (vlan)
		packet_store16(header + MACS_BYTES, ETHERTYPE_CVLAN);
	packet_store16(header + bytes - 2,
		       p->inner.ip_version == 4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6);
	return ste_remove(w, 0, p->inner.l3 - bytes, changed);
}

static bool v0_decap(const struct steer_walk *w, unsigned int *changed)
{
	const struct packet *p = w->packet;

	if (!p->inner.ethernet)
		return steer_lost(w, "an action removes the headers before an inner Ethernet "
				     "header, which the packet does not have");
	return ste_remove(w, 0, p->inner.l2, changed);
}

static bool v0_tunneling(const struct steer_walk *w, const uint8_t *ste, unsigned int *changed)
{
	uint32_t action = prm_ste_rx_steering_mult_get_tunneling_action(ste);

	switch (action) {
	case PRM_STE_TUNNEL_ACTION_NONE:
		return true;
	case PRM_STE_TUNNEL_ACTION_DECAP:
		return v0_decap(w, changed);
	case PRM_STE_TUNNEL_ACTION_L3_DECAP:
		return v0_decap_l3(w, ste, changed);
	case PRM_STE_TUNNEL_ACTION_POP_VLAN:
		return reformat_pop(w, changed);
	default:
		return steer_lost(w, "an entry's tunneling_action %u is not implemented", action);
	}
}

static bool v0_encap(const struct steer_walk *w, const uint8_t *ste, bool l3, unsigned int *changed)
{
	uint32_t bytes = WORD * prm_ste_sx_transmit_get_action_description(ste);
	const struct flow_reformat *r =
		reformat_find(w, prm_ste_sx_transmit_get_encap_pointer_vlan_data(ste), bytes);

	if (!r)
		return false;
	return l3 ? reformat_encap_l3(w, r->data, bytes, changed)
		  : reformat_encap(w, r->data, bytes, changed);
}

static bool v0_insert(const struct steer_walk *w, const uint8_t *ste, unsigned int *changed)
{
	uint32_t action = prm_ste_sx_transmit_get_action_type(ste);

	if (!action)
		return true;
	if (action == PRM_STE_TX_ACTION_ENCAP || action == PRM_STE_TX_ACTION_ENCAP_L3)
		return v0_encap(w, ste, action == PRM_STE_TX_ACTION_ENCAP_L3, changed);
	if (action != PRM_STE_TX_ACTION_PUSH_VLAN)
		return steer_lost(w, "an entry's action_type %u is not implemented", action);
	return reformat_push(w, prm_ste_sx_transmit_get_encap_pointer_vlan_data(ste), changed);
}

/* --- by kind ----------------------------------------------------------------------------------- */

bool ste_v0_act(struct steer_walk *w, const uint8_t *ste, unsigned int *changed)
{
	uint32_t tag = prm_ste_rx_steering_mult_get_qp_list_pointer(ste);

	switch (prm_ste_general_get_entry_type(ste)) {
	case PRM_STE_ENTRY_TYPE_TX:
		return v0_insert(w, ste, changed);
	case PRM_STE_ENTRY_TYPE_RX:
		if (tag & TAG_VALID)
			w->packet->flow_tag = tag & ~TAG_VALID;
		return v0_tunneling(w, ste, changed);
	default: /* v0_decision() refuses others */
		if (!w->tx && !v0_tunneling(w, ste, changed))
			return false;
		return v0_modify_list(w, ste, changed);
	}
}
