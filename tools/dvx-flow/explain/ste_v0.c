/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of format 0 (ConnectX-5): prm/ste.prm. */
#include "dvx/prm/ste.h"
#include "ste.h"

static void ste_v0_read(struct ste *s, const uint8_t *p)
{
	uint32_t kind = prm_ste_rx_steering_mult_get_entry_type(p);

	s->control =
		prm_find_struct(kind == PRM_STE_ENTRY_TYPE_TX		? "ste_sx_transmit"
				: kind == PRM_STE_ENTRY_TYPE_MODIFY_PKT ? "ste_modify_packet"
									: "ste_rx_steering_mult");
	s->tag_bytes = 16;
	s->lookup = (uint16_t)prm_ste_rx_steering_mult_get_entry_sub_type(p);
	s->next_lookup = (uint16_t)prm_ste_rx_steering_mult_get_next_lu_type(p);
	s->byte_mask = (uint16_t)prm_ste_rx_steering_mult_get_byte_mask(p);
	s->miss = (uint64_t)prm_ste_rx_steering_mult_get_miss_address_39_32(p) << 32 |
		  (uint64_t)prm_ste_rx_steering_mult_get_miss_address_31_6(p) << 6;
	ste_read_next(s, prm_ste_rx_steering_mult_get_next_table_base_39_32_size(p),
		      prm_ste_rx_steering_mult_get_next_table_base_31_5_size(p));
	s->counter = prm_ste_rx_steering_mult_get_counter_trigger_23_16(p) << 16 |
		     prm_ste_rx_steering_mult_get_counter_trigger_15_0(p);
	if (kind == PRM_STE_ENTRY_TYPE_RX) {
		s->flow_tag = prm_ste_rx_steering_mult_get_qp_list_pointer(p);
		s->tags = s->flow_tag != 0;
		s->rewrites = prm_ste_rx_steering_mult_get_tunneling_action(p) > 1;
	} else if (kind == PRM_STE_ENTRY_TYPE_TX) {
		s->rewrites = prm_ste_sx_transmit_get_action_type(p) ||
			      prm_ste_sx_transmit_get_encap_pointer_vlan_data(p);
	} else {
		s->rewrites = true;
	}
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

const struct ste_reader ste_reader_v0 = {.format = 0, .read = ste_v0_read, .lookup = ste_v0_lookup};
