/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rewrites of fields. libmlx5's table of modifiable fields defines the bits of each dword. Nothing
 * of src/sim is used: explain checks the device's rewrites independently.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "change.h"
#include "dvx/prm/flow.h"
#include "dvx/prm/ste1.h"

#define DWORD_BITS 32u

const struct change_part change_parts[] = {
	{DW_DMAC_HIGH, 0, 32, ETHERNET, 0, 4, 0, F_DMAC, 16},
	{DW_DMAC_LOW, 16, 16, ETHERNET, 4, 2, 0, F_DMAC, 0},
	{DW_DMAC_LOW, 0, 16, TYPE, 0, 2, 0, F_ETHERTYPE, 0},
	{DW_SMAC_HIGH, 0, 32, ETHERNET, 6, 4, 0, F_SMAC, 16},
	{DW_SMAC_LOW, 16, 16, ETHERNET, 10, 2, 0, F_SMAC, 0},
	{DW_SMAC_LOW, 0, 16, TYPE, 0, 2, 0, F_ETHERTYPE, 0},
	{DW_VLAN, 0, 12, TAG, 0, 2, 0, F_VLAN_ID, 0},
	{DW_VLAN, 12, 1, TAG, 0, 2, 12, F_VLAN_DEI, 0},
	{DW_VLAN, 13, 3, TAG, 0, 2, 13, F_VLAN_PCP, 0},
	{DW_CLASS_TTL, 16, 2, IPV4, 0, 2, 0, F_ECN, 0},
	{DW_CLASS_TTL, 18, 6, IPV4, 0, 2, 2, F_DSCP, 0},
	{DW_CLASS_TTL, 8, 8, IPV4, 8, 2, 8, F_TTL, 0},
	{DW_CLASS_TTL, 16, 2, IPV6, 0, 2, 4, F_ECN, 0},
	{DW_CLASS_TTL, 18, 6, IPV6, 0, 2, 6, F_DSCP, 0},
	{DW_CLASS_TTL, 8, 8, IPV6, 6, 2, 0, F_TTL, 0},
	{DW_PORTS, 16, 16, PORTS, 0, 2, 0, F_SPORT, 0},
	{DW_PORTS, 0, 16, PORTS, 2, 2, 0, F_DPORT, 0},
	{DW_TCP_FLAGS, 16, 9, TCP, 12, 2, 0, F_TCP_FLAGS, 0},
	{DW_TCP_SEQ, 0, 32, TCP, 4, 4, 0, F_TCP_SEQ, 0},
	{DW_TCP_ACK, 0, 32, TCP, 8, 4, 0, F_TCP_ACK, 0},
	{DW_IPV4_SRC, 0, 32, IPV4, 12, 4, 0, F_SRC, 0},
	{DW_IPV4_DST, 0, 32, IPV4, 16, 4, 0, F_DST, 0},
	{DW_IPV6_SRC, 0, 32, IPV6, 8, 4, 0, F_SRC, 96},
	{DW_IPV6_SRC + 1, 0, 32, IPV6, 12, 4, 0, F_SRC, 64},
	{DW_IPV6_SRC + 2, 0, 32, IPV6, 16, 4, 0, F_SRC, 32},
	{DW_IPV6_SRC + 3, 0, 32, IPV6, 20, 4, 0, F_SRC, 0},
	{DW_IPV6_DST, 0, 32, IPV6, 24, 4, 0, F_DST, 96},
	{DW_IPV6_DST + 1, 0, 32, IPV6, 28, 4, 0, F_DST, 64},
	{DW_IPV6_DST + 2, 0, 32, IPV6, 32, 4, 0, F_DST, 32},
	{DW_IPV6_DST + 3, 0, 32, IPV6, 36, 4, 0, F_DST, 0},
	{DW_L3_0_HIGH, 0, 32, IPV4, 16, 4, 0, F_DST, 0},
	{DW_L3_0_HIGH, 0, 32, IPV6, 24, 4, 0, F_DST, 96},
	{DW_L3_0_LOW, 0, 32, IPV4, 12, 4, 0, F_SRC, 0},
	{DW_L3_0_LOW, 0, 32, IPV6, 28, 4, 0, F_DST, 64},
	{DW_REG_A, 0, 32, NO_HEADER, 0, 0, 0, F_REG_A, 0},
	{DW_REG_C, 0, 32, NO_HEADER, 0, 0, 0, F_REG_C0, 0},
	{DW_REG_C + 1, 0, 32, NO_HEADER, 0, 0, 0, F_REG_C1, 0},
	{DW_REG_C + 2, 0, 32, NO_HEADER, 0, 0, 0, F_REG_C2, 0},
	{DW_REG_C + 3, 0, 32, NO_HEADER, 0, 0, 0, F_REG_C3, 0},
	{DW_REG_C + 4, 0, 32, NO_HEADER, 0, 0, 0, F_REG_C4, 0},
	{DW_REG_C + 5, 0, 32, NO_HEADER, 0, 0, 0, F_REG_C5, 0},
	{0},
};

/* --- the bits that a rewrite names ------------------------------------------------------------ */

static const struct change_field {
	uint16_t number; /* PRM modify_field */
	uint8_t dword, low, bits;
} fields[] = {
	{PRM_MODIFY_FIELD_OUT_SMAC_47_16, DW_SMAC_HIGH, 0, 32},
	{PRM_MODIFY_FIELD_OUT_SMAC_15_0, DW_SMAC_LOW, 16, 16},
	{PRM_MODIFY_FIELD_OUT_ETHERTYPE, DW_DMAC_LOW, 0, 16},
	{PRM_MODIFY_FIELD_OUT_DMAC_47_16, DW_DMAC_HIGH, 0, 32},
	{PRM_MODIFY_FIELD_OUT_DMAC_15_0, DW_DMAC_LOW, 16, 16},
	{PRM_MODIFY_FIELD_OUT_IP_DSCP, DW_CLASS_TTL, 18, 6},
	{PRM_MODIFY_FIELD_OUT_IP_ECN, DW_CLASS_TTL, 16, 2},
	{PRM_MODIFY_FIELD_OUT_TCP_FLAGS, DW_TCP_FLAGS, 16, 9},
	{PRM_MODIFY_FIELD_OUT_TCP_SPORT, DW_PORTS, 16, 16},
	{PRM_MODIFY_FIELD_OUT_TCP_DPORT, DW_PORTS, 0, 16},
	{PRM_MODIFY_FIELD_OUT_UDP_SPORT, DW_PORTS, 16, 16},
	{PRM_MODIFY_FIELD_OUT_UDP_DPORT, DW_PORTS, 0, 16},
	{PRM_MODIFY_FIELD_OUT_IP_TTL, DW_CLASS_TTL, 8, 8},
	{PRM_MODIFY_FIELD_OUT_IPV6_HOPLIMIT, DW_CLASS_TTL, 8, 8},
	{PRM_MODIFY_FIELD_OUT_SIPV6_127_96, DW_IPV6_SRC, 0, 32},
	{PRM_MODIFY_FIELD_OUT_SIPV6_95_64, DW_IPV6_SRC + 1, 0, 32},
	{PRM_MODIFY_FIELD_OUT_SIPV6_63_32, DW_IPV6_SRC + 2, 0, 32},
	{PRM_MODIFY_FIELD_OUT_SIPV6_31_0, DW_IPV6_SRC + 3, 0, 32},
	{PRM_MODIFY_FIELD_OUT_DIPV6_127_96, DW_IPV6_DST, 0, 32},
	{PRM_MODIFY_FIELD_OUT_DIPV6_95_64, DW_IPV6_DST + 1, 0, 32},
	{PRM_MODIFY_FIELD_OUT_DIPV6_63_32, DW_IPV6_DST + 2, 0, 32},
	{PRM_MODIFY_FIELD_OUT_DIPV6_31_0, DW_IPV6_DST + 3, 0, 32},
	{PRM_MODIFY_FIELD_OUT_SIPV4, DW_IPV4_SRC, 0, 32},
	{PRM_MODIFY_FIELD_OUT_DIPV4, DW_IPV4_DST, 0, 32},
	{PRM_MODIFY_FIELD_OUT_FIRST_VID, DW_VLAN, 0, 16},
	{PRM_MODIFY_FIELD_OUT_TCP_SEQ_NUM, DW_TCP_SEQ, 0, 32},
	{PRM_MODIFY_FIELD_OUT_TCP_ACK_NUM, DW_TCP_ACK, 0, 32},
	{PRM_MODIFY_FIELD_METADATA_REG_A, DW_REG_A, 0, 32},
	{PRM_MODIFY_FIELD_METADATA_REG_B, DW_REG_B, 0, 32},
	{PRM_MODIFY_FIELD_METADATA_REG_C_0, DW_REG_C, 0, 32},
	{PRM_MODIFY_FIELD_METADATA_REG_C_1, DW_REG_C + 1, 0, 32},
	{PRM_MODIFY_FIELD_METADATA_REG_C_2, DW_REG_C + 2, 0, 32},
	{PRM_MODIFY_FIELD_METADATA_REG_C_3, DW_REG_C + 3, 0, 32},
	{PRM_MODIFY_FIELD_METADATA_REG_C_4, DW_REG_C + 4, 0, 32},
	{PRM_MODIFY_FIELD_METADATA_REG_C_5, DW_REG_C + 5, 0, 32},
};

static bool change_field_bits(uint32_t number, uint32_t offset, uint32_t length,
			      struct change_bits *b)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct change_field *f = &fields[i];

		if (f->number != number)
			continue;
		*b = (struct change_bits){f->dword, (uint8_t)(f->low + offset),
					  (uint8_t)(length ? length : DWORD_BITS)};
		/* An addition has the whole field. */
		if (b->low + b->bits > f->low + f->bits)
			b->bits = (uint8_t)(f->bits - offset);
		return offset < f->bits;
	}
	return false;
}

void change_of_prm(struct packet_change *c, const uint8_t *a)
{
	uint32_t field = prm_set_action_in_get_field(a);
	bool known;

	*c = (struct packet_change){.value = prm_set_action_in_get_data(a)};
	switch (prm_set_action_in_get_action_type(a)) {
	case PRM_ACTION_TYPE_SET:
		c->kind = PACKET_SET;
		known = change_field_bits(field, prm_set_action_in_get_offset(a),
					  prm_set_action_in_get_length(a), &c->to);
		break;
	case PRM_ACTION_TYPE_ADD:
		c->kind = PACKET_ADD;
		known = change_field_bits(field, 0, 0, &c->to);
		break;
	case PRM_ACTION_TYPE_COPY:
		c->kind = PACKET_COPY;
		known = change_field_bits(field, prm_copy_action_in_get_src_offset(a),
					  prm_copy_action_in_get_length(a), &c->from) &&
			change_field_bits(prm_copy_action_in_get_dst_field(a),
					  prm_copy_action_in_get_dst_offset(a),
					  prm_copy_action_in_get_length(a), &c->to);
		break;
	default:
		known = false;
	}
	if (!known)
		c->kind = PACKET_UNKNOWN;
}

/* By an entry's number of a dword. */
static const uint8_t entry_dwords[] = {
	[0x00] = DW_DMAC_HIGH,	  [0x01] = DW_DMAC_LOW,	    [0x02] = DW_VLAN,
	[0x08] = DW_SMAC_HIGH,	  [0x09] = DW_SMAC_LOW,	    [0x0e] = DW_CLASS_TTL,
	[0x18] = DW_PORTS,	  [0x19] = DW_TCP_FLAGS,    [0x40] = DW_IPV4_SRC,
	[0x41] = DW_IPV4_DST,	  [0x44] = DW_IPV6_DST,	    [0x45] = DW_IPV6_DST + 1,
	[0x46] = DW_IPV6_DST + 2, [0x47] = DW_IPV6_DST + 3, [0x4c] = DW_IPV6_SRC,
	[0x4d] = DW_IPV6_SRC + 1, [0x4e] = DW_IPV6_SRC + 2, [0x4f] = DW_IPV6_SRC + 3,
	[0x5e] = DW_TCP_SEQ,	  [0x5f] = DW_TCP_ACK,	    [0x7b] = DW_REG_B,
	[0x7c] = DW_REG_A,
};

/* Returns a register's dword. They are numbered in pairs: c4 and c5, c2 and c3, c0 and c1. */
static enum change_dword entry_register(unsigned int number, int format)
{
	static const uint8_t pairs[] = {DW_REG_C + 4, DW_REG_C + 2, DW_REG_C};
	unsigned int first = format >= 2 || (format < 0 && number >= 0x92) ? 0x90 : 0x8c;

	if (number < first || number >= first + 6 ||
	    (format < 0 && (number == 0x90 || number == 0x91)))
		return DW_NONE;
	return (enum change_dword)(pairs[(number - first) / 2] + (number - first) % 2);
}

/* Finds an entry's bits. Shifts are in 64 bits, the dword is the high half; length 0 is 32. */
static bool entry_bits(unsigned int number, unsigned int shift, unsigned int length, int format,
		       struct change_bits *b)
{
	enum change_dword dword = number < sizeof(entry_dwords)
					  ? (enum change_dword)entry_dwords[number]
					  : entry_register(number, format);

	*b = (struct change_bits){(uint8_t)dword, (uint8_t)(shift - DWORD_BITS),
				  (uint8_t)(length ? length : DWORD_BITS)};
	return dword && shift >= DWORD_BITS && b->low + b->bits <= DWORD_BITS;
}

/* Bits of the fields of 64 bits that rewrites of format 0 name. */
static const struct change_v0 {
	uint8_t field, low, bits, dword, dword_low;
} fields_v0[] = {
	{0x00, 16, 32, DW_DMAC_HIGH, 0},   {0x00, 0, 16, DW_DMAC_LOW, 16},
	{0x01, 16, 32, DW_SMAC_HIGH, 0},   {0x01, 0, 16, DW_SMAC_LOW, 16},
	{0x02, 32, 16, DW_DMAC_LOW, 0},	   {0x02, 0, 16, DW_VLAN, 0},
	{0x03, 32, 32, DW_L3_0_HIGH, 0},   {0x03, 0, 32, DW_L3_0_LOW, 0},
	{0x04, 0, 6, DW_CLASS_TTL, 18},	   {0x04, 6, 2, DW_CLASS_TTL, 16},
	{0x04, 8, 8, DW_CLASS_TTL, 8},	   {0x05, 32, 32, DW_IPV6_DST + 2, 0},
	{0x05, 0, 32, DW_IPV6_DST + 3, 0}, {0x06, 32, 32, DW_IPV6_SRC, 0},
	{0x06, 0, 32, DW_IPV6_SRC + 1, 0}, {0x07, 32, 32, DW_IPV6_SRC + 2, 0},
	{0x07, 0, 32, DW_IPV6_SRC + 3, 0}, {0x08, 0, 16, DW_PORTS, 16},
	{0x08, 16, 16, DW_PORTS, 0},	   {0x08, 48, 9, DW_TCP_FLAGS, 16},
	{0x09, 32, 32, DW_TCP_SEQ, 0},	   {0x09, 0, 32, DW_TCP_ACK, 0},
	{0x0c, 32, 32, DW_REG_C, 0},	   {0x0c, 0, 32, DW_REG_C + 1, 0},
	{0x0d, 32, 32, DW_REG_C + 2, 0},   {0x0d, 0, 32, DW_REG_C + 3, 0},
	{0x0e, 32, 32, DW_REG_C + 4, 0},   {0x0e, 0, 32, DW_REG_C + 5, 0},
	{0x16, 32, 32, DW_REG_B, 0},	   {0x16, 0, 32, DW_REG_A, 0},
};

static bool entry_v0_bits(uint32_t field, uint32_t low, uint32_t length, struct change_bits *b)
{
	uint32_t bits = length ? length : DWORD_BITS;

	for (size_t i = 0; i < sizeof(fields_v0) / sizeof(fields_v0[0]); i++) {
		const struct change_v0 *f = &fields_v0[i];

		if (f->field != field || low < f->low || low + bits > (uint32_t)f->low + f->bits)
			continue;
		*b = (struct change_bits){f->dword, (uint8_t)(f->dword_low + low - f->low),
					  (uint8_t)bits};
		return true;
	}
	return false;
}

static void change_of_v0(struct packet_change *c, const uint8_t *a)
{
	static const enum packet_change_kind kinds[] = {[PRM_STE_MODIFY_OP_COPY] = PACKET_COPY,
							[PRM_STE_MODIFY_OP_SET] = PACKET_SET,
							[PRM_STE_MODIFY_OP_ADD] = PACKET_ADD};
	bool copy = a[0] == PRM_STE_MODIFY_OP_COPY;
	uint32_t length = copy ? prm_dr_action_hw_copy_get_destination_length(a)
			       : prm_dr_action_hw_set_get_destination_length(a);
	bool known =
		a[0] && a[0] < sizeof(kinds) / sizeof(kinds[0]) &&
		entry_v0_bits(prm_dr_action_hw_set_get_destination_field_code(a),
			      prm_dr_action_hw_set_get_destination_left_shifter(a), length, &c->to);

	if (!a[0])
		return;
	if (known && copy)
		known = entry_v0_bits(prm_dr_action_hw_copy_get_source_field_code(a),
				      prm_dr_action_hw_copy_get_source_left_shifter(a), length,
				      &c->from);
	c->kind = known ? kinds[a[0]] : PACKET_UNKNOWN;
	c->value = prm_dr_action_hw_set_get_inline_data(a);
}

void change_of_entry(struct packet_change *c, const uint8_t *a, int format)
{
	static const enum packet_change_kind kinds[] = {[PRM_STE_ACTION_COPY] = PACKET_COPY,
							[PRM_STE_ACTION_SET] = PACKET_SET,
							[PRM_STE_ACTION_ADD] = PACKET_ADD};
	uint32_t length = prm_ste_double_action_set_v1_get_destination_length(a);
	bool known = a[0] < sizeof(kinds) / sizeof(kinds[0]);

	if (!format) {
		*c = (struct packet_change){0};
		change_of_v0(c, a);
		return;
	}
	*c = (struct packet_change){.kind = known ? kinds[a[0]] : PACKET_UNKNOWN,
				    .value = prm_ste_double_action_set_v1_get_inline_data(a)};
	if (c->kind == PACKET_NOTHING || c->kind == PACKET_UNKNOWN)
		return;
	known = entry_bits(prm_ste_double_action_set_v1_get_destination_dw_offset(a),
			   prm_ste_double_action_set_v1_get_destination_left_shifter(a), length,
			   format, &c->to);
	if (c->kind == PACKET_COPY)
		known = entry_bits(prm_ste_double_action_copy_v1_get_source_dw_offset(a),
				   prm_ste_double_action_copy_v1_get_source_right_shifter(a),
				   length, format, &c->from) &&
			known;
	if (!known)
		c->kind = PACKET_UNKNOWN;
}

/* --- rewriting --------------------------------------------------------------------------------- */

/*
 * Returns whether the packet has the header. A field of a missing header reads as 0 and stays
 * unwritten.
 */
static bool change_has(const struct changing_packet *p, enum change_header header)
{
	const u128 *v = p->f.value;

	switch (header) {
	case TAG:
		return v[F_VLAN_KIND] != 0;
	case IPV4:
		return v[F_L3] == 1;
	case IPV6:
		return v[F_L3] == 2;
	case PORTS:
		return v[F_L4] == 1 || v[F_L4] == 2;
	case TCP:
		return v[F_L4] == 1;
	default:
		return !p->framed || header == NO_HEADER || p->f.known[F_DMAC];
	}
}

static uint32_t change_load(const struct changing_packet *p, const struct change_part *part)
{
	return (uint32_t)(p->f.value[part->field] >> part->above) & change_mask(part->bits);
}

/* Returns bits; *known stays true if the packet has all of them. */
static uint32_t change_get(const struct changing_packet *p, struct change_bits b, bool *known)
{
	uint32_t v = 0;

	for (const struct change_part *part = change_parts; part->bits; part++) {
		if (part->dword != b.dword || part->low >= b.low + b.bits ||
		    part->low + part->bits <= b.low ||
		    !change_has(p, (enum change_header)part->header))
			continue;
		v |= change_load(p, part) << part->low;
		*known = *known && (p->f.known[part->field] || part->header == NO_HEADER);
	}
	return v >> b.low & change_mask(b.bits);
}

static void words_store(struct changing_packet *p, const struct change_part *part, uint32_t value,
			bool known)
{
	u128 mask = (u128)change_mask(part->bits) << part->above;

	p->f.value[part->field] = (p->f.value[part->field] & ~mask) | (u128)value << part->above;
	p->f.known[part->field] = known;
}

static int change_set(struct changing_packet *p, struct change_bits b, uint32_t value, bool known)
{
	uint32_t mask = change_mask(b.bits) << b.low;
	int ret = 0;

	value <<= b.low;
	for (const struct change_part *part = change_parts; part->bits && !ret; part++) {
		uint32_t m = mask >> part->low & change_mask(part->bits), v;

		if (part->dword != b.dword || !m ||
		    !change_has(p, (enum change_header)part->header))
			continue;
		v = (change_load(p, part) & ~m) | (value >> part->low & m);
		if (p->framed && part->header != NO_HEADER)
			ret = frame_store(p, part, v);
		else
			words_store(p, part, v, known);
	}
	return ret;
}

static int change_rewrite(struct changing_packet *p, const struct packet_change *c)
{
	uint32_t value = c->value;
	bool known = true;

	if (c->kind == PACKET_ADD)
		value += change_get(p, c->to, &known);
	else if (c->kind == PACKET_COPY)
		value = change_get(p, c->from, &known);
	return change_set(p, c->to, value, known);
}

/* --- headers of a packet of which only some fields are known ---------------------------------- */

#define VLAN_FIELDS 4u /* kind, id, dei, pcp */

static void words_move_tag(struct fields *f, enum field to, enum field from)
{
	memcpy(f->value + to, f->value + from, VLAN_FIELDS * sizeof(f->value[0]));
	memcpy(f->known + to, f->known + from, VLAN_FIELDS * sizeof(f->known[0]));
}

static void words_forget(struct fields *f, enum field first, unsigned int n)
{
	memset(f->value + first, 0, n * sizeof(f->value[0]));
	memset(f->known + first, 0, n * sizeof(f->known[0]));
}

static void words_pop(struct fields *f)
{
	words_move_tag(f, F_VLAN_KIND, F_VLAN2_KIND);
	words_forget(f, F_VLAN2_KIND, VLAN_FIELDS);
	f->known[F_VLAN_KIND] = true;
}

/* Inserts a tag. Entries compare two tags, and nothing behind a third one. */
static void words_push(struct fields *f, uint32_t tag)
{
	bool third = f->value[F_VLAN2_KIND] != 0;

	if (third) {
		words_forget(f, F_L3, F_PER_LEVEL - F_L3);
		words_forget(f, (enum field)F_PER_LEVEL, F_REG_A - F_PER_LEVEL);
		f->value[F_ETHERTYPE] = f->value[F_VLAN2_KIND] == 1 ? 0x88a8 : 0x8100;
		f->known[F_ETHERTYPE] = true;
	}
	words_move_tag(f, F_VLAN2_KIND, F_VLAN_KIND);
	f->value[F_VLAN_KIND] = tag >> 16 == 0x88a8 ? 1 : 2;
	f->value[F_VLAN_ID] = tag & 0xfff;
	f->value[F_VLAN_DEI] = tag >> 12 & 1;
	f->value[F_VLAN_PCP] = tag >> 13 & 7;
	for (unsigned int i = 0; i < VLAN_FIELDS; i++)
		f->known[F_VLAN_KIND + i] = true;
}

/* Removes a tunnel: the inner headers become the packet's. */
static void words_decap(struct fields *f)
{
	memcpy(f->value, f->value + F_PER_LEVEL, F_PER_LEVEL * sizeof(f->value[0]));
	memcpy(f->known, f->known + F_PER_LEVEL, F_PER_LEVEL * sizeof(f->known[0]));
	words_forget(f, (enum field)F_PER_LEVEL, F_REG_A - F_PER_LEVEL);
}

/* Removes the Ethernet header of a packet that goes into a tunnel for IP; its EtherType stays. */
static void words_bare(struct fields *f)
{
	words_forget(f, F_DMAC, F_ETHERTYPE - F_DMAC);
	words_forget(f, F_VLAN_KIND, F_L3 - F_VLAN_KIND);
}

static int words_resize(struct changing_packet *p, const struct packet_change *c, const char **why)
{
	if (c->kind == PACKET_REMOVE && c->anchor == PRM_STE_ANCHOR_1ST_VLAN && !c->offset &&
	    c->bytes % 4 == 0) {
		for (unsigned int i = 0; i < c->bytes; i += 4) {
			if (!p->f.value[F_VLAN_KIND]) {
				*why = "removes a VLAN tag, and the packet was given without one";
				return -EINVAL;
			}
			words_pop(&p->f);
		}
		return 0;
	}
	if (c->kind == PACKET_INSERT && c->anchor == PRM_STE_ANCHOR_START_OUTER &&
	    c->offset == 12) {
		words_push(&p->f, c->value);
		return 0;
	}
	if (c->kind == PACKET_REMOVE_TO && c->anchor == PRM_STE_ANCHOR_START_OUTER &&
	    (c->end == PRM_STE_ANCHOR_INNER_MAC || c->end == PRM_STE_ANCHOR_IPV6_IPV4)) {
		(c->end == PRM_STE_ANCHOR_INNER_MAC ? words_decap : words_bare)(&p->f);
		return 0;
	}
	*why = "changes headers in a way that needs the packet's bytes: give it in a file";
	return -EINVAL;
}

/* --- any change -------------------------------------------------------------------------------- */

int packet_change(struct changing_packet *p, const struct packet_change *c, const char **why)
{
	switch (c->kind) {
	case PACKET_NOTHING:
		return 0;
	case PACKET_SET:
	case PACKET_ADD:
	case PACKET_COPY:
		return change_rewrite(p, c);
	case PACKET_ENCAP:
		return p->framed ? frame_encap(p, c) : words_encap(p, c);
	default:
		return p->framed ? frame_resize(p, c, why) : words_resize(p, c, why);
	}
}

int changing_packet_begin(struct changing_packet *p, const struct fields *f, const uint8_t *frame,
			  size_t len)
{
	struct fields again = {0};

	*p = (struct changing_packet){.f = *f, .framed = frame != NULL, .len = len, .room = len};
	if (!frame)
		return 0;
	p->bytes = malloc(len ? len : 1);
	if (!p->bytes)
		return -ENOMEM;
	memcpy(p->bytes, frame, len);
	fields_of_frame_at(&again, &p->at, frame, len);
	return 0;
}

void changing_packet_end(struct changing_packet *p)
{
	free(p->bytes);
	p->bytes = NULL;
}
