/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of format 0 (ConnectX-5): prm/ste.prm. */
#include "dvx/prm/ste.h"
#include "dvx/prm/ste1.h"
#include "ste.h"

#define TAG_VALID 0x80000000u /* beside a flow tag */

static void ste_v0_links(struct ste *s)
{
	const uint8_t *p = s->bytes;
	s->tag_bytes = 16;
	s->e.lookup = (uint16_t)prm_ste_rx_steering_mult_get_entry_sub_type(p);
	s->e.byte_mask = (uint16_t)prm_ste_rx_steering_mult_get_byte_mask(p);
	s->e.miss = (uint64_t)prm_ste_rx_steering_mult_get_miss_address_39_32(p) << 32 |
		    (uint64_t)prm_ste_rx_steering_mult_get_miss_address_31_6(p) << 6;
	ste_read_next(&s->e, prm_ste_rx_steering_mult_get_next_table_base_39_32_size(p),
		      prm_ste_rx_steering_mult_get_next_table_base_31_5_size(p));
}

/* Reads a tunnel's words, which have the meaning that they have in format 1. */
static struct packet_change ste_v0_tunnel(uint32_t action)
{
	switch (action) {
	case PRM_STE_TUNNEL_ACTION_DECAP:
		return (struct packet_change){.kind = PACKET_REMOVE_TO,
					      .anchor = PRM_STE_ANCHOR_START_OUTER,
					      .end = PRM_STE_ANCHOR_INNER_MAC};
	case PRM_STE_TUNNEL_ACTION_L3_DECAP:
		return (struct packet_change){.kind = PACKET_UNKNOWN};
	case PRM_STE_TUNNEL_ACTION_POP_VLAN:
		return (struct packet_change){
			.kind = PACKET_REMOVE, .anchor = PRM_STE_ANCHOR_1ST_VLAN, .bytes = 4};
	default:
		return (struct packet_change){.kind = PACKET_NOTHING};
	}
}

static struct packet_change ste_v0_insert(const uint8_t *p)
{
	uint32_t what = prm_ste_sx_transmit_get_action_type(p);

	if (what == PRM_STE_TX_ACTION_ENCAP)
		return (struct packet_change){.kind = PACKET_ENCAP};
	if (what != PRM_STE_TX_ACTION_PUSH_VLAN)
		return (struct packet_change){.kind = what ? PACKET_UNKNOWN : PACKET_NOTHING};
	return (struct packet_change){.kind = PACKET_INSERT,
				      .anchor = PRM_STE_ANCHOR_START_OUTER,
				      .offset = 12,
				      .value = prm_ste_sx_transmit_get_encap_pointer_vlan_data(p)};
}

static void ste_v0_acts(struct ste *s, int format)
{
	const uint8_t *p = s->bytes;

	(void)format;
	s->e.counter = prm_ste_rx_steering_mult_get_counter_trigger_23_16(p) << 16 |
		       prm_ste_rx_steering_mult_get_counter_trigger_15_0(p);
	switch (prm_ste_rx_steering_mult_get_entry_type(p)) {
	case PRM_STE_ENTRY_TYPE_TX:
		s->control = prm_find_struct("ste_sx_transmit");
		ste_add_change(s, ste_v0_insert(p));
		return;
	case PRM_STE_ENTRY_TYPE_MODIFY_PKT:
		s->control = prm_find_struct("ste_modify_packet");
		ste_add_change(s, ste_v0_tunnel(prm_ste_modify_packet_get_tunneling_action(p)));
		if (prm_ste_modify_packet_get_number_of_re_write_actions(p))
			ste_add_change(s, (struct packet_change){.kind = PACKET_LIST});
		return;
	case PRM_STE_ENTRY_TYPE_RX:
		s->e.flow_tag = prm_ste_rx_steering_mult_get_qp_list_pointer(p) & ~TAG_VALID;
		s->e.tags = prm_ste_rx_steering_mult_get_qp_list_pointer(p) & TAG_VALID;
		ste_add_change(s, ste_v0_tunnel(prm_ste_rx_steering_mult_get_tunneling_action(p)));
		break;
	default:
		break;
	}
	s->control = prm_find_struct("ste_rx_steering_mult");
}

static void ste_v0_lookup(struct lookup_type *t, uint16_t lookup, int definer,
			  const struct match_mask *m, const struct match_mask *left)
{
	(void)definer;
	ste_lookup_row(t, "ste_lu_type", lookup);
	if (m && lookup == PRM_STE_LU_TYPE_FLEX_PARSER_TNL_HEADER)
		t->layout = prm_find_struct(ste_tunnel_layout(m));
	if (left && lookup == LOOKUP_ANY && !left->mask[F_SRC])
		t->layout = NULL;
}

const struct ste_reader ste_reader_v0 = {
	.format = 0,
	.links = ste_v0_links,
	.acts = ste_v0_acts,
	.lookup = ste_v0_lookup,
	.adjust_mask = ste_mask_source,
};
