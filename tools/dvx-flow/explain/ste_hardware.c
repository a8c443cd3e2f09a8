/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries of hardware steering, as a rule's request has them (PRM wqe_gta_data_seg_ste): operands, and
 * a tag at the end. Action templates (PRM stc) say what operands mean, and a key what the tag has.
 */
#include <stdlib.h>
#include <string.h>
#include "dvx/prm/flow.h"
#include "dvx/prm/hws.h"
#include "ste.h"

#define LOOKUP_HARDWARE 61 /* the format of definers that select dwords and bytes */
#define TAG_AT		20
#define STC_PARAM_AT	32
#define REWRITE_BYTES	8
#define REWRITE_DATA	4
#define WORD_BYTES	2

/* Parts of a match, and explain's fields. */
static const struct {
	const char *path;
	uint8_t bits, field, low;
} keys[] = {
#define KEY(key, path, bits, seen, low, noun) {path, bits, F_##seen, low},
#define IMPLIED(key, before, after, bits, seen, low) \
	{before "outer" after, bits, F_##seen, low}, \
		{before "inner" after, bits, F_INNER(F_##seen), low},
#define LEVEL_KEY(key, before, after, bits, seen, low, noun) \
	IMPLIED(key, before, after, bits, seen, low)
#include "rules/keys.def"
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

static uint32_t hardware_bit_of(size_t key)
{
	static uint32_t bits[KEYS];
	const struct prm_struct *match = prm_find_struct("fte_match_param");
	uint64_t bit = UINT32_MAX;

	if (!bits[key])
		bits[key] = prm_find_field(match, keys[key].path, &bit) ? (uint32_t)bit + 1 : 0;
	return bits[key] - 1;
}

/* Returns the field, and its lowest bit that is among these bits of a match. */
static struct tag_row hardware_row_of(uint32_t from, uint32_t width)
{
	for (size_t i = 0; i < KEYS; i++) {
		uint32_t at = hardware_bit_of(i);
		enum field f = (enum field)keys[i].field;

		if (from < at || from + width > at + keys[i].bits)
			continue;
		if (f == F_L3 || f == F_INNER(F_L3)) /* a kind of two bits for a version of four */
			return (struct tag_row){.field = f};
		return (struct tag_row){
			.field = f,
			.shift = (uint8_t)(keys[i].low + at + keys[i].bits - from - width)};
	}
	return (struct tag_row){.field = F_NONE};
}

bool hardware_key(struct steering_matcher *m, enum side side, uint32_t bytes, const uint8_t *mask,
		  const uint8_t *fixed)
{
	struct builder_view *v = calloc(1, sizeof(*v));

	free(m->view[side]);
	m->view[side] = v;
	if (!v)
		return false;
	v->type = (struct lookup_type){
		.lookup = LOOKUP_HARDWARE, .name = "by hash", .tag_bytes = STE_TAG_BYTES};
	v->hashed = (uint8_t)bytes;
	v->mask_known = true;
	memcpy(v->mask, mask, sizeof(v->mask));
	memcpy(v->fixed, fixed, sizeof(v->fixed));
	m->mask.known = true;
	m->builders[side] = 1;
	return true;
}

bool hardware_move(struct steering_matcher *m, enum side side, uint32_t from, uint32_t to,
		   uint32_t width)
{
	struct tag_row row = hardware_row_of(from, width);
	struct builder_view *v = m->view[side];

	if (!v || v->rows == KEYS_MAX || !width || width > 32 || to + width > 8 * STE_TAG_BYTES)
		return false;
	row.bit = (uint16_t)to;
	row.width = (uint8_t)width;
	v->row[v->rows++] = row;
	if (row.field == F_NONE) {
		m->mask.more = true;
		return true;
	}
	m->mask.mask[row.field] |= (u128)prm_bits_get(v->mask, to, width) << row.shift;
	if (row.field % F_PER_LEVEL == F_SRC || row.field % F_PER_LEVEL == F_DST)
		v->v6 = v->v6 || row.shift >= 32;
	m->mask.l3 = v->v6 ? 2 : 1;
	return true;
}

uint32_t hardware_row(const struct builder_view *v, uint8_t tag[STE_TAG_BYTES], uint32_t n)
{
	for (unsigned int i = 0; i < STE_TAG_BYTES; i++)
		tag[i] = (uint8_t)((tag[i] | v->fixed[i]) & v->mask[i]);
	return tag_slot(tag + STE_TAG_BYTES - v->hashed, v->hashed, 0, n);
}

/* --- entries --- */

static void ste_hardware_links(struct ste *s)
{
	s->e.lookup = LOOKUP_HARDWARE;
	s->tag_bytes = STE_TAG_BYTES;
	s->tag_at = TAG_AT;
}

static void ste_hardware_lookup(struct lookup_type *t, uint16_t lookup, int definer,
				const struct match_mask *m, const struct match_mask *left)
{
	(void)definer;
	(void)m;
	(void)left;
	*t = (struct lookup_type){.lookup = lookup, .name = "by index", .tag_bytes = STE_TAG_BYTES};
}

/* A rewrite is in the template, its value in the entry. */
static struct packet_change ste_hardware_rewrite(const uint8_t *stc, const uint8_t *entry)
{
	uint8_t action[REWRITE_BYTES];
	struct packet_change c;

	memcpy(action, stc + STC_PARAM_AT, sizeof(action));
	if (prm_stc_get_action_type(stc) != PRM_STC_ACTION_COPY)
		prm_store32(action, REWRITE_DATA, prm_wqe_gta_data_seg_ste_get_dw7(entry));
	change_of_prm(&c, action);
	return c;
}

static struct packet_change ste_hardware_insert(const uint8_t *stc, const uint8_t *entry)
{
	if (prm_stc_get_encap(stc))
		return (struct packet_change){.kind = PACKET_ENCAP};
	return (struct packet_change){
		.kind = PACKET_INSERT,
		.anchor = (uint8_t)prm_stc_get_insert_anchor(stc),
		.offset = (uint16_t)(WORD_BYTES * prm_stc_get_insert_offset(stc)),
		.value = prm_wqe_gta_data_seg_ste_get_dw7(entry)};
}

static struct packet_change ste_hardware_change(const uint8_t *stc, const uint8_t *entry)
{
	switch (prm_stc_get_action_type(stc)) {
	case PRM_STC_ACTION_SET:
	case PRM_STC_ACTION_ADD:
	case PRM_STC_ACTION_COPY:
		return ste_hardware_rewrite(stc, entry);
	case PRM_STC_ACTION_ACC_MODIFY_LIST:
		return (struct packet_change){.kind = PACKET_LIST};
	case PRM_STC_ACTION_HEADER_INSERT:
		return ste_hardware_insert(stc, entry);
	case PRM_STC_ACTION_HEADER_REMOVE:
		return (struct packet_change){.kind = PACKET_REMOVE_TO,
					      .anchor =
						      (uint8_t)prm_stc_get_remove_start_anchor(stc),
					      .end = (uint8_t)prm_stc_get_remove_end_anchor(stc)};
	case PRM_STC_ACTION_REMOVE_WORDS:
		return (struct packet_change){
			.kind = PACKET_REMOVE,
			.anchor = (uint8_t)prm_stc_get_words_start_anchor(stc),
			.offset = (uint16_t)(WORD_BYTES * prm_stc_get_remove_offset(stc)),
			.bytes = (uint16_t)(WORD_BYTES * prm_stc_get_remove_size(stc))};
	case PRM_STC_ACTION_ASO:
		return (struct packet_change){
			.kind = PACKET_OBJECT,
			.to = {.dword = (uint8_t)(DW_REG_C + prm_stc_get_return_reg_id(stc)),
			       .bits = 8}};
	case PRM_STC_ACTION_NOP:
	case PRM_STC_ACTION_TAG:
		return (struct packet_change){.kind = PACKET_NOTHING};
	default:
		return (struct packet_change){.kind = PACKET_UNKNOWN};
	}
}

/* The templates behind CTRL are HIT and three for dwords 5 to 7, or two if 6 and 7 are a pair. */
static void ste_hardware_acts(struct ste *s, int format)
{
	const uint8_t *ctrl = s->template[TEMPLATE_CTRL];

	(void)format;
	s->control = prm_find_struct("wqe_gta_data_seg_ste");
	if (ctrl && prm_stc_get_action_type(ctrl) == PRM_STC_ACTION_COUNTER)
		s->e.counter = prm_stc_get_flow_counter_id(ctrl) +
			       prm_wqe_gta_data_seg_ste_get_counter_id(s->bytes);
	for (unsigned int i = TEMPLATE_DW5; i <= TEMPLATE_DW7; i++) {
		const uint8_t *stc = s->template[i];

		if (!stc)
			continue;
		if (prm_stc_get_action_type(stc) == PRM_STC_ACTION_TAG) {
			s->e.tags = true;
			s->e.flow_tag = prm_load32(s->bytes, 4 * (5 + i - TEMPLATE_DW5));
		}
		ste_add_change(s, ste_hardware_change(stc, s->bytes));
	}
}

const struct ste_reader ste_reader_hardware = {
	.format = STEERING_HARDWARE,
	.links = ste_hardware_links,
	.acts = ste_hardware_acts,
	.lookup = ste_hardware_lookup,
};
