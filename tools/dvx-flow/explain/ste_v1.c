/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of format 1 (ConnectX-6 Dx and later): prm/ste1.prm. */
#include <stdio.h>
#include "dvx/prm/ste.h"
#include "dvx/prm/ste1.h"
#include "ste.h"

/* Actions by ID; four bytes or eight, in all formats. */
static const struct {
	uint8_t id;
	const char *layout, *v3; /* v3: of format 3, if it has one of its own */
} v1_actions[] = {
	{PRM_STE_ACTION_COPY, "ste_double_action_copy_v1", NULL},
	{PRM_STE_ACTION_SET, "ste_double_action_set_v1", NULL},
	{PRM_STE_ACTION_ADD, "ste_double_action_add_v1", NULL},
	{PRM_STE_ACTION_REMOVE_BY_SIZE, "ste_single_action_remove_header_size_v1",
	 "ste_single_action_remove_header_size_v3"},
	{PRM_STE_ACTION_REMOVE_HEADER_TO_HEADER, "ste_single_action_remove_header_v1",
	 "ste_single_action_remove_header_v3"},
	{PRM_STE_ACTION_INSERT_INLINE, "ste_double_action_insert_with_inline_v1",
	 "ste_double_action_insert_with_inline_v3"},
	{PRM_STE_ACTION_INSERT_POINTER, "ste_double_action_insert_with_ptr_v1",
	 "ste_double_action_insert_with_ptr_v3"},
	{PRM_STE_ACTION_FLOW_TAG, "ste_single_action_flow_tag_v1", NULL},
	{PRM_STE_ACTION_ACCELERATED_LIST, "ste_double_action_accelerated_modify_action_list_v1",
	 NULL},
	{PRM_STE_ACTION_MODIFY_LIST, "ste_single_action_modify_list_v1", NULL},
	{PRM_STE_ACTION_ASO, "ste_double_action_aso_v1", NULL},
};

static void ste_v1_links(struct ste *s)
{
	const uint8_t *p = s->bytes;
	uint32_t format = prm_ste_match_bwc_v1_get_entry_format(p);
	bool wide = format == PRM_STE_FORMAT_MATCH;

	s->e.lookup = (uint16_t)(format << 8 | prm_ste_match_bwc_v1_get_match_definer_ctx_idx(p));
	s->e.miss = (uint64_t)prm_ste_match_bwc_v1_get_miss_address_39_32(p) << 32 |
		    (uint64_t)prm_ste_match_bwc_v1_get_miss_address_31_6(p) << 6;
	ste_read_next(&s->e, prm_ste_match_bwc_v1_get_next_table_base_39_32_size(p),
		      prm_ste_match_bwc_v1_get_next_table_base_31_5_size(p));
	if (!wide)
		s->e.byte_mask = (uint16_t)prm_ste_match_bwc_v1_get_byte_mask(p);
	s->tag_bytes = wide ? STE_WIDE_BYTES : 16;
	s->e.any = s->e.lookup == (PRM_STE_FORMAT_MATCH << 8 | LOOKUP_ANY);
}

/* A field of an action in format 3, and in formats 1 and 2. */
#define MOVED(format, name, a, field) \
	((format) > 2 ? prm_ste_##name##_v3_get_##field(a) : prm_ste_##name##_v1_get_##field(a))

static struct packet_change ste_v1_remove_size(const uint8_t *a, int format)
{
	return (struct packet_change){
		.kind = PACKET_REMOVE,
		.anchor = (uint8_t)MOVED(format, single_action_remove_header_size, a, start_anchor),
		.offset = (uint16_t)(2 * MOVED(format, single_action_remove_header_size, a,
					       start_offset)),
		.bytes = (uint16_t)(2 * MOVED(format, single_action_remove_header_size, a,
					      remove_size))};
}

static struct packet_change ste_v1_remove_to(const uint8_t *a, int format)
{
	return (struct packet_change){
		.kind = PACKET_REMOVE_TO,
		.anchor = (uint8_t)MOVED(format, single_action_remove_header, a, start_anchor),
		.end = (uint8_t)MOVED(format, single_action_remove_header, a, end_anchor)};
}

static struct packet_change ste_v1_insert(const uint8_t *a, int format)
{
	return (struct packet_change){
		.kind = PACKET_INSERT,
		.anchor = (uint8_t)MOVED(format, double_action_insert_with_inline, a, start_anchor),
		.offset = (uint16_t)(2 * MOVED(format, double_action_insert_with_inline, a,
					       start_offset)),
		.value = MOVED(format, double_action_insert_with_inline, a, inline_data)};
}

/* Returns where an object's result goes: the low byte of register C 1, 3 or 5. */
static struct change_bits ste_v1_result(const uint8_t *a)
{
	uint32_t pair = prm_ste_double_action_aso_v1_get_dest_reg_id(a);

	if (pair > 2)
		return (struct change_bits){.dword = DW_NONE};
	return (struct change_bits){.dword = (uint8_t)(DW_REG_C + 2 * pair + 1), .bits = 8};
}

/* Reads a change. */
static struct packet_change ste_v1_change(const uint8_t *a, int format)
{
	struct packet_change c = {.kind = PACKET_UNKNOWN};

	switch (a[0]) {
	case PRM_STE_ACTION_REMOVE_BY_SIZE:
		return ste_v1_remove_size(a, format);
	case PRM_STE_ACTION_REMOVE_HEADER_TO_HEADER:
		return ste_v1_remove_to(a, format);
	case PRM_STE_ACTION_INSERT_INLINE:
		return ste_v1_insert(a, format);
	case PRM_STE_ACTION_INSERT_POINTER:
		if (MOVED(format, double_action_insert_with_ptr, a, start_anchor) ==
		    PRM_STE_ANCHOR_START_OUTER)
			c.kind = PACKET_ENCAP;
		return c;
	case PRM_STE_ACTION_ACCELERATED_LIST:
	case PRM_STE_ACTION_MODIFY_LIST:
		return (struct packet_change){.kind = PACKET_LIST};
	case PRM_STE_ACTION_FLOW_TAG:
		return (struct packet_change){.kind = PACKET_NOTHING};
	case PRM_STE_ACTION_ASO:
		return (struct packet_change){.kind = PACKET_OBJECT, .to = ste_v1_result(a)};
	default:
		change_of_entry(&c, a, format);
		c.inlined = true;
		return c;
	}
}

static void ste_v1_read_action(struct ste *s, unsigned int at, int format)
{
	struct ste_action *a = &s->action[s->nactions++];
	uint8_t left = (uint8_t)(32 - at);

	*a = (struct ste_action){.id = s->bytes[at], .at = (uint8_t)at, .len = 4};
	for (size_t i = 0; i < sizeof(v1_actions) / sizeof(v1_actions[0]); i++)
		if (v1_actions[i].id == a->id) {
			a->layout = prm_find_struct(
				format > 2 && v1_actions[i].v3 ? v1_actions[i].v3 : v1_actions[i].layout);
			a->len = (uint8_t)a->layout->bytes;
		}
	if (a->len > left) {
		a->layout = NULL;
		a->len = left;
	}
	if (a->id == PRM_STE_ACTION_FLOW_TAG && a->layout) {
		s->e.tags = true;
		s->e.flow_tag = prm_ste_single_action_flow_tag_v1_get_flow_tag(s->bytes + at);
	}
	ste_add_change(s, a->layout ? ste_v1_change(s->bytes + at, format)
				    : (struct packet_change){.kind = PACKET_UNKNOWN});
}

static void ste_v1_acts(struct ste *s, int format)
{
	bool wide = s->tag_bytes == STE_WIDE_BYTES;
	unsigned int at = wide ? 20 : 24;

	s->control = prm_find_struct(wide ? "ste_mask_and_match_v1" : "ste_match_bwc_v1");
	s->e.counter = prm_ste_match_bwc_v1_get_counter_id(s->bytes);
	while (at < 32 && s->nactions < CHANGES_MAX)
		if (s->bytes[at]) {
			ste_v1_read_action(s, at, format);
			at += s->action[s->nactions - 1].len;
		} else {
			at += 4;
		}
}

/* Returns whether the matcher has ICMP fields, which decide the layout of a lookup type. */
static bool asks_icmp(const struct match_mask *m)
{
	return m->mask[F_ICMP_TYPE] || m->mask[F_ICMP_CODE] || m->mask[F_ICMP_DATA];
}

/* Returns whether it has inner TTL or IHL, whose lookup type LOOKUP_ANY is as well. */
static bool asks_inner_ipv4(const struct match_mask *left)
{
	return left->mask[F_INNER(F_TTL)] || left->mask[F_INNER(F_IHL)];
}

static void ste_v1_definer(struct lookup_type *t, uint16_t lookup, int definer)
{
	char name[64];

	snprintf(name, sizeof(name), "ste_def%d_v1", definer);
	*t = (struct lookup_type){
		.lookup = lookup,
		.name = (lookup & 0xff) == LOOKUP_ANY ? "actions only" : "by definer",
		.layout = definer < 0 ? NULL : prm_find_struct(name),
		.tag_bytes = STE_WIDE_BYTES,
	};
}

static void ste_v1_lookup(struct lookup_type *t, uint16_t lookup, int definer,
			  const struct match_mask *m, const struct match_mask *left)
{
	if (lookup >> 8 == PRM_STE_FORMAT_MATCH) {
		ste_v1_definer(t, lookup, definer);
		return;
	}
	ste_lookup_row(t, "ste_lu_type_v1", lookup);
	t->inner = t->inner || lookup == PRM_STE_LU_TYPE_V1_ETHL2_TNL;
	if (m && lookup == PRM_STE_LU_TYPE_V1_ETHL4_MISC_O && asks_icmp(m))
		t->layout = prm_find_struct("ste_icmp_v1");
	if (m && lookup == PRM_STE_LU_TYPE_V1_FLEX_PARSER_TNL_HEADER)
		t->layout = prm_find_struct(ste_tunnel_layout(m));
	if (left && lookup == LOOKUP_ANY && !asks_inner_ipv4(left))
		t->layout = NULL;
}

const struct ste_reader ste_reader_v1 = {
	.format = 1,
	.any_name = "any packet",
	.links = ste_v1_links,
	.acts = ste_v1_acts,
	.lookup = ste_v1_lookup,
	.adjust_mask = ste_mask_source,
};
