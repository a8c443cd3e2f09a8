/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of format 0 (ConnectX-5): prm/ste.prm. */
#include "dvx/prm/ste.h"
#include "dvx/prm/ste1.h"
#include "ste.h"

static void ste_v0_links(struct ste *s, const uint8_t *p)
{
	s->tag_bytes = 16;
	s->lookup = (uint16_t)prm_ste_rx_steering_mult_get_entry_sub_type(p);
	s->next_lookup = (uint16_t)prm_ste_rx_steering_mult_get_next_lu_type(p);
	s->byte_mask = (uint16_t)prm_ste_rx_steering_mult_get_byte_mask(p);
	s->miss = (uint64_t)prm_ste_rx_steering_mult_get_miss_address_39_32(p) << 32 |
		  (uint64_t)prm_ste_rx_steering_mult_get_miss_address_31_6(p) << 6;
	ste_read_next(s, prm_ste_rx_steering_mult_get_next_table_base_39_32_size(p),
		      prm_ste_rx_steering_mult_get_next_table_base_31_5_size(p));
}

static void ste_v0_acts(struct ste *s, const uint8_t *p)
{
	uint32_t kind = prm_ste_rx_steering_mult_get_entry_type(p);

	s->control =
		prm_find_struct(kind == PRM_STE_ENTRY_TYPE_TX		? "ste_sx_transmit"
				: kind == PRM_STE_ENTRY_TYPE_MODIFY_PKT ? "ste_modify_packet"
									: "ste_rx_steering_mult");
	s->counter = prm_ste_rx_steering_mult_get_counter_trigger_23_16(p) << 16 |
		     prm_ste_rx_steering_mult_get_counter_trigger_15_0(p);
	if (kind == PRM_STE_ENTRY_TYPE_RX) {
		s->flow_tag = prm_ste_rx_steering_mult_get_qp_list_pointer(p);
		s->tags = s->flow_tag != 0;
	}
}

/* Reads a tunnel's words, which have the meaning that they have in format 1. */
static void ste_v0_tunnel(struct packet_change *c, uint32_t action)
{
	switch (action) {
	case PRM_STE_TUNNEL_ACTION_DECAP:
		c->kind = PACKET_REMOVE_TO;
		c->anchor = PRM_STE_ANCHOR_START_OUTER;
		c->end = PRM_STE_ANCHOR_INNER_MAC;
		break;
	case PRM_STE_TUNNEL_ACTION_L3_DECAP:
		c->kind = PACKET_UNKNOWN;
		break;
	case PRM_STE_TUNNEL_ACTION_POP_VLAN:
		c->kind = PACKET_REMOVE;
		c->anchor = PRM_STE_ANCHOR_1ST_VLAN;
		c->bytes = 4;
		break;
	default:
		break;
	}
}

static void ste_v0_insert(struct packet_change *c, const uint8_t *p)
{
	uint32_t what = prm_ste_sx_transmit_get_action_description(p);

	if (what == PRM_STE_ACTION_DESCRIPTION_PUSH_VLAN) {
		c->kind = PACKET_INSERT;
		c->anchor = PRM_STE_ANCHOR_START_OUTER;
		c->offset = 12;
		c->value = prm_ste_sx_transmit_get_encap_pointer_vlan_data(p);
	} else if (what) {
		c->kind = PACKET_UNKNOWN;
	}
}

static bool ste_v0_change(const struct ste *s, unsigned int i, int format, struct packet_change *c)
{
	uint32_t kind = prm_ste_rx_steering_mult_get_entry_type(s->bytes);

	(void)format;
	if (i > 1)
		return false;
	*c = (struct packet_change){.kind = PACKET_NOTHING};
	if (kind == PRM_STE_ENTRY_TYPE_TX && !i)
		ste_v0_insert(c, s->bytes);
	else if (kind == PRM_STE_ENTRY_TYPE_RX && !i)
		ste_v0_tunnel(c, prm_ste_rx_steering_mult_get_tunneling_action(s->bytes));
	else if (kind == PRM_STE_ENTRY_TYPE_MODIFY_PKT && !i)
		ste_v0_tunnel(c, prm_ste_modify_packet_get_tunneling_action(s->bytes));
	else if (kind == PRM_STE_ENTRY_TYPE_MODIFY_PKT &&
		 prm_ste_modify_packet_get_number_of_re_write_actions(s->bytes))
		c->kind = PACKET_LIST;
	return true;
}

static void ste_v0_lookup(struct lookup_type *t, uint16_t lookup, int definer,
			  const struct match_mask *m, const struct match_mask *left)
{
	(void)definer;
	(void)left;
	ste_lookup_row(t, "ste_lu_type", lookup);
	if (m && lookup == LOOKUP_ANY)
		t->layout = NULL;
}

const struct ste_reader ste_reader_v0 = {
	.format = 0,
	.links = ste_v0_links,
	.acts = ste_v0_acts,
	.change = ste_v0_change,
	.lookup = ste_v0_lookup,
};
