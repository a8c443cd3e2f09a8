/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware names header fields by number, entries of software by a dword of the parsed headers.
 * Both kinds of rewrites are done by the same code, so a field here is bits of such a dword.
 */
#include <dvx/prm/flow.h>
#include "modify.h"
#include "ste1.h"

#define SHIFTER_DWORD 32u /* shifts count in 64 bits, see rewrite.c */

enum need { ANY, IPV4, IPV6, TCP, UDP, VLAN };

static const struct field {
	uint16_t number;
	uint8_t dword, low, bits;
	uint8_t need;
} fields[] = {
	{PRM_MODIFY_FIELD_OUT_SMAC_47_16, 0x08, 0, 32, ANY},
	{PRM_MODIFY_FIELD_OUT_SMAC_15_0, 0x09, 16, 16, ANY},
	{PRM_MODIFY_FIELD_OUT_ETHERTYPE, 0x01, 0, 16, ANY},
	{PRM_MODIFY_FIELD_OUT_DMAC_47_16, 0x00, 0, 32, ANY},
	{PRM_MODIFY_FIELD_OUT_DMAC_15_0, 0x01, 16, 16, ANY},
	{PRM_MODIFY_FIELD_OUT_IP_DSCP, 0x0e, 18, 6, ANY},
	{PRM_MODIFY_FIELD_OUT_IP_ECN, 0x0e, 16, 2, ANY},
	{PRM_MODIFY_FIELD_OUT_TCP_FLAGS, 0x19, 16, 9, TCP},
	{PRM_MODIFY_FIELD_OUT_TCP_SPORT, 0x18, 16, 16, TCP},
	{PRM_MODIFY_FIELD_OUT_TCP_DPORT, 0x18, 0, 16, TCP},
	{PRM_MODIFY_FIELD_OUT_IP_TTL, 0x0e, 8, 8, IPV4},
	{PRM_MODIFY_FIELD_OUT_UDP_SPORT, 0x18, 16, 16, UDP},
	{PRM_MODIFY_FIELD_OUT_UDP_DPORT, 0x18, 0, 16, UDP},
	{PRM_MODIFY_FIELD_OUT_SIPV6_127_96, 0x4c, 0, 32, IPV6},
	{PRM_MODIFY_FIELD_OUT_SIPV6_95_64, 0x4d, 0, 32, IPV6},
	{PRM_MODIFY_FIELD_OUT_SIPV6_63_32, 0x4e, 0, 32, IPV6},
	{PRM_MODIFY_FIELD_OUT_SIPV6_31_0, 0x4f, 0, 32, IPV6},
	{PRM_MODIFY_FIELD_OUT_DIPV6_127_96, 0x44, 0, 32, IPV6},
	{PRM_MODIFY_FIELD_OUT_DIPV6_95_64, 0x45, 0, 32, IPV6},
	{PRM_MODIFY_FIELD_OUT_DIPV6_63_32, 0x46, 0, 32, IPV6},
	{PRM_MODIFY_FIELD_OUT_DIPV6_31_0, 0x47, 0, 32, IPV6},
	{PRM_MODIFY_FIELD_OUT_SIPV4, 0x40, 0, 32, IPV4},
	{PRM_MODIFY_FIELD_OUT_DIPV4, 0x41, 0, 32, IPV4},
	{PRM_MODIFY_FIELD_OUT_FIRST_VID, 0x02, 0, 12, VLAN},
	{PRM_MODIFY_FIELD_OUT_IPV6_HOPLIMIT, 0x0e, 8, 8, IPV6},
	{PRM_MODIFY_FIELD_METADATA_REG_A, 0x7c, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_B, 0x7b, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_0, 0x90, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_1, 0x91, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_2, 0x8e, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_3, 0x8f, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_4, 0x8c, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_5, 0x8d, 0, 32, ANY},
	{PRM_MODIFY_FIELD_OUT_TCP_SEQ_NUM, 0x5e, 0, 32, TCP},
	{PRM_MODIFY_FIELD_OUT_TCP_ACK_NUM, 0x5f, 0, 32, TCP},
};

static const struct field *modify_find(uint32_t number)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].number == number)
			return &fields[i];
	return NULL;
}

unsigned int modify_field_bits(uint32_t field)
{
	const struct field *f = modify_find(field);

	return f ? f->bits : 0;
}

static bool modify_has(const struct packet_headers *h, enum need need)
{
	switch (need) {
	case IPV4:
		return h->ip_version == 4;
	case IPV6:
		return h->ip_version == 6;
	case TCP:
		return h->l4_type == PACKET_TCP;
	case UDP:
		return h->l4_type == PACKET_UDP;
	case VLAN:
		return h->vlans;
	default:
		return true;
	}
}

static void to_set(const struct field *f, const uint8_t *a, uint8_t *ste)
{
	uint32_t low = f->low + prm_set_action_in_get_offset(a);

	ste[0] = PRM_STE_ACTION_SET;
	prm_ste_double_action_set_v1_set_destination_dw_offset(ste, f->dword);
	prm_ste_double_action_set_v1_set_destination_left_shifter(ste, SHIFTER_DWORD + low);
	prm_ste_double_action_set_v1_set_destination_length(ste, prm_set_action_in_get_length(a));
	prm_ste_double_action_set_v1_set_inline_data(ste, prm_set_action_in_get_data(a));
}

static void to_add(const struct field *f, const uint8_t *a, uint8_t *ste)
{
	ste[0] = PRM_STE_ACTION_ADD;
	prm_ste_double_action_set_v1_set_destination_dw_offset(ste, f->dword);
	prm_ste_double_action_set_v1_set_destination_left_shifter(ste, SHIFTER_DWORD + f->low);
	prm_ste_double_action_set_v1_set_destination_length(ste, f->bits % 32u);
	prm_ste_double_action_set_v1_set_inline_data(ste, prm_add_action_in_get_data(a));
}

static void to_copy(const struct field *from, const struct field *to, const uint8_t *a,
		    uint8_t *ste)
{
	uint32_t low = to->low + prm_copy_action_in_get_dst_offset(a);
	uint32_t from_low = from->low + prm_copy_action_in_get_src_offset(a);

	ste[0] = PRM_STE_ACTION_COPY;
	prm_ste_double_action_copy_v1_set_destination_dw_offset(ste, to->dword);
	prm_ste_double_action_copy_v1_set_destination_left_shifter(ste, SHIFTER_DWORD + low);
	prm_ste_double_action_copy_v1_set_destination_length(ste, prm_copy_action_in_get_length(a));
	prm_ste_double_action_copy_v1_set_source_dw_offset(ste, from->dword);
	prm_ste_double_action_copy_v1_set_source_right_shifter(ste, SHIFTER_DWORD + from_low);
}

/* The context was checked when it was made: types, fields and ranges are good. */
static void rewrite(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct packet_headers *h = &w->packet->outer;
	uint32_t type = prm_set_action_in_get_action_type(a);
	const struct field *f = modify_find(prm_set_action_in_get_field(a)), *to = f;
	uint8_t ste[8] = {0};

	if (type == PRM_ACTION_TYPE_COPY)
		to = modify_find(prm_copy_action_in_get_dst_field(a));
	if (!modify_has(h, f->need) || !modify_has(h, to->need))
		return;
	if (type == PRM_ACTION_TYPE_SET)
		to_set(f, a, ste);
	else if (type == PRM_ACTION_TYPE_ADD)
		to_add(f, a, ste);
	else
		to_copy(f, to, a, ste);
	ste_rewrite(w, ste, changed);
}

void modify_headers(const struct steer_walk *w, const uint8_t *actions, unsigned int n)
{
	unsigned int changed = 0;

	for (unsigned int i = 0; i < n; i++)
		rewrite(w, actions + 8ul * i, &changed);
	if (changed & STE_HEADERS)
		packet_parse_headers(w->packet);
}
