/* SPDX-License-Identifier: BSD-2-Clause */
/* The control part of an entry, its lookup type's layout, and its actions. */
#include <stdio.h>
#include <string.h>
#include "dvx/prm/ste.h"
#include "dvx/prm/ste1.h"
#include "ste.h"

/* Actions of format 1, by their id; four bytes or eight. */
static const struct {
	uint8_t id;
	const char *layout;
	bool rewrites;
} actions[] = {
	{PRM_STE_ACTION_COPY, "ste_double_action_copy_v1", true},
	{PRM_STE_ACTION_SET, "ste_double_action_set_v1", true},
	{PRM_STE_ACTION_ADD, "ste_double_action_add_v1", true},
	{PRM_STE_ACTION_REMOVE_BY_SIZE, "ste_single_action_remove_header_size_v1", true},
	{PRM_STE_ACTION_REMOVE_HEADER_TO_HEADER, "ste_single_action_remove_header_v1", true},
	{PRM_STE_ACTION_INSERT_INLINE, "ste_double_action_insert_with_inline_v1", true},
	{PRM_STE_ACTION_INSERT_POINTER, "ste_double_action_insert_with_ptr_v1", true},
	{PRM_STE_ACTION_FLOW_TAG, "ste_single_action_flow_tag_v1", false},
	{PRM_STE_ACTION_ACCELERATED_LIST, "ste_double_action_accelerated_modify_action_list_v1",
	 true},
	{PRM_STE_ACTION_MODIFY_LIST, "ste_single_action_modify_list_v1", true},
	{PRM_STE_ACTION_ASO, "ste_double_action_aso_v1", false},
};

static const struct prm_enum_value *lookup_row(unsigned int format, uint16_t lookup)
{
	return prm_enum_find(prm_find_enum(format ? "ste_lu_type_v1" : "ste_lu_type"), lookup);
}

const char *ste_lookup_name(unsigned int format, uint16_t lookup, bool any)
{
	const struct prm_enum_value *v = lookup_row(format, lookup);

	if (format && lookup >> 8 == PRM_STE_FORMAT_MATCH)
		return (lookup & 0xff) == LOOKUP_ANY ? "actions only" : "by definer";
	if (lookup == LOOKUP_ANY && format && any)
		return "any packet";
	return v ? v->name : "unknown lookup";
}

bool ste_lookup_inner(unsigned int format, uint16_t lookup)
{
	const struct prm_enum_value *v = lookup_row(format, lookup);
	size_t len = v ? strlen(v->name) : 0;

	return (format && lookup == PRM_STE_LU_TYPE_V1_ETHL2_TNL) ||
	       (len > 2 && !strcmp(v->name + len - 2, "_I"));
}

/* What two layouts of one lookup type are told apart by. */
static bool asks_icmp(const struct match_mask *m)
{
	return m->mask[F_ICMP_TYPE] || m->mask[F_ICMP_CODE] || m->mask[F_ICMP_DATA];
}

/* LOOKUP_ANY is the lookup of these, too. */
static bool asks_inner_ipv4(const struct match_mask *left)
{
	return left->mask[F_INNER(F_TTL)] || left->mask[F_INNER(F_IHL)];
}

static const char *tunnel_layout(const struct match_mask *m)
{
	if (m->mask[F_GPE_VNI] || m->mask[F_GPE_NEXT] || m->mask[F_GPE_FLAGS])
		return "ste_flex_parser_tnl_vxlan_gpe";
	return m->mask[F_TUNNEL_0] || m->mask[F_TUNNEL_1] ? "ste_tunnel_header_v1"
							  : "ste_flex_parser_tnl_geneve";
}

/* The enum's text begins with the layout's name. */
const struct prm_struct *ste_tag_layout(unsigned int format, uint16_t lookup, int definer,
					const struct match_mask *m)
{
	const struct prm_enum_value *v = lookup_row(format, lookup);
	char name[64];

	if (format && lookup >> 8 == PRM_STE_FORMAT_MATCH) {
		snprintf(name, sizeof(name), "ste_def%d_v1", definer);
		return definer < 0 ? NULL : prm_find_struct(name);
	}
	if (!v)
		return NULL;
	if (format && lookup == PRM_STE_LU_TYPE_V1_ETHL4_MISC_O && asks_icmp(m))
		return prm_find_struct("ste_icmp_v1");
	if (format && lookup == PRM_STE_LU_TYPE_V1_FLEX_PARSER_TNL_HEADER)
		return prm_find_struct(tunnel_layout(m));
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(v->text, ",; "), v->text);
	return prm_find_struct(name);
}

void matcher_views(const struct dump_matcher *m, enum side side, unsigned int format,
		   struct builder_view view[BUILDERS_MAX])
{
	struct match_mask left = m->mask;

	/* An entry that names a source on the receive side wants the packet from inside, too. */
	if (side == SIDE_RX && format && left.mask[F_SOURCE])
		left.mask[F_LOOPED] = 1;
	for (unsigned int i = 0; i < m->builders[side]; i++) {
		struct builder_view *v = &view[i];

		memset(v, 0, sizeof(*v));
		v->lookup = m->lookup[side][i];
		v->definer = m->definer[side][i];
		v->tag_bytes =
			format && v->lookup >> 8 == PRM_STE_FORMAT_MATCH ? STE_TAG_BYTES : 16;
		if (v->lookup != LOOKUP_ANY || (format && asks_inner_ipv4(&left)))
			v->layout = ste_tag_layout(format, v->lookup, v->definer, &m->mask);
		v->rows = tag_rows(v->layout, ste_lookup_inner(format, v->lookup), v->row);
		tag_mask(v, &left);
	}
}

/* A table's address and size in one: its lowest one bit is half its size in bytes. */
static void read_next(struct ste *s, uint64_t high, uint64_t low)
{
	uint64_t index = high << 27 | low;
	uint64_t n = index & (~index + 1);

	s->next = (index ^ n) << 5;
	s->next_entries = (uint32_t)n;
}

/* --- format 0 --- */

static void read_v0(struct ste *s, const uint8_t *p)
{
	uint32_t kind = prm_ste_rx_steering_mult_get_entry_type(p);

	s->control =
		prm_find_struct(kind == PRM_STE_ENTRY_TYPE_TX		? "ste_sx_transmit"
				: kind == PRM_STE_ENTRY_TYPE_MODIFY_PKT ? "ste_modify_packet"
									: "ste_rx_steering_mult");
	s->lookup = (uint16_t)prm_ste_rx_steering_mult_get_entry_sub_type(p);
	s->next_lookup = (uint16_t)prm_ste_rx_steering_mult_get_next_lu_type(p);
	s->byte_mask = (uint16_t)prm_ste_rx_steering_mult_get_byte_mask(p);
	s->miss = (uint64_t)prm_ste_rx_steering_mult_get_miss_address_39_32(p) << 32 |
		  (uint64_t)prm_ste_rx_steering_mult_get_miss_address_31_6(p) << 6;
	read_next(s, prm_ste_rx_steering_mult_get_next_table_base_39_32_size(p),
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

/* --- later formats --- */

static void read_action(struct ste *s, unsigned int at, unsigned int left)
{
	struct ste_action *a = &s->action[s->nactions++];

	*a = (struct ste_action){.id = s->bytes[at], .at = (uint8_t)at, .len = 4};
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (actions[i].id == a->id) {
			a->layout = prm_find_struct(actions[i].layout);
			a->len = (uint8_t)a->layout->bytes;
			s->rewrites = s->rewrites || actions[i].rewrites;
		}
	if (a->len > left) {
		a->layout = NULL;
		a->len = (uint8_t)left;
	}
	if (a->id == PRM_STE_ACTION_FLOW_TAG && a->layout) {
		s->tags = true;
		s->flow_tag = prm_ste_single_action_flow_tag_v1_get_flow_tag(s->bytes + at);
	}
}

static void read_actions(struct ste *s, unsigned int at)
{
	while (at < 32 && s->nactions < 3) {
		if (s->bytes[at]) {
			read_action(s, at, 32 - at);
			at += s->action[s->nactions - 1].len;
		} else {
			at += 4;
		}
	}
}

static void read_v1(struct ste *s, const uint8_t *p)
{
	uint32_t format = prm_ste_match_bwc_v1_get_entry_format(p);
	bool wide = format == PRM_STE_FORMAT_MATCH;

	s->control = prm_find_struct(wide ? "ste_mask_and_match_v1" : "ste_match_bwc_v1");
	s->lookup = (uint16_t)(format << 8 | prm_ste_match_bwc_v1_get_match_definer_ctx_idx(p));
	s->next_lookup = (uint16_t)prm_ste_match_bwc_v1_get_hash_definer_ctx_idx(p);
	s->miss = (uint64_t)prm_ste_match_bwc_v1_get_miss_address_39_32(p) << 32 |
		  (uint64_t)prm_ste_match_bwc_v1_get_miss_address_31_6(p) << 6;
	read_next(s, prm_ste_match_bwc_v1_get_next_table_base_39_32_size(p),
		  prm_ste_match_bwc_v1_get_next_table_base_31_5_size(p));
	s->counter = prm_ste_match_bwc_v1_get_counter_id(p);
	if (!wide) {
		s->next_lookup |= (uint16_t)(prm_ste_match_bwc_v1_get_next_entry_format(p) << 8);
		s->byte_mask = (uint16_t)prm_ste_match_bwc_v1_get_byte_mask(p);
	}
	s->tag_bytes = wide ? STE_TAG_BYTES : 16;
	read_actions(s, wide ? 20 : 24);
}

static bool ste_all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

/* The mask is in the entry where the dump has it; definers and format 0 leave it to the matcher. */
static void read_mask(struct ste *s, const struct dump_entry *e, const struct builder_view *view)
{
	if (e->len == STE_BYTES && s->tag_bytes == 16) {
		memcpy(s->mask, e->bytes + 48, 16);
		s->mask_known = true;
	} else if (view && view->mask_known) {
		memcpy(s->mask, view->mask, sizeof(s->mask));
		s->mask_known = true;
	}
	s->any = (s->format && s->lookup == (LOOKUP_MATCH | LOOKUP_ANY)) ||
		 (s->mask_known && ste_all_zero(s->mask, s->tag_bytes));
}

void ste_read(struct ste *s, const struct dump_entry *e, const struct builder_view *view)
{
	memset(s, 0, sizeof(*s));
	s->format = e->format;
	s->bytes = e->bytes;
	s->tag_bytes = 16;
	if (e->format)
		read_v1(s, e->bytes);
	else
		read_v0(s, e->bytes);
	memcpy(s->tag, e->bytes + 32, s->tag_bytes <= e->len - 32 ? s->tag_bytes : 16);
	s->tag_layout = view ? view->layout : ste_tag_layout(s->format, s->lookup, -1, false);
	read_mask(s, e, view);
}
