/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware's modify header contexts. They name fields by number; each field is bits of a dword
 * (rewrite.h).
 */
#include <dvx/prm/flow.h>
#include "modify.h"
#include "priv.h"
#include "rewrite.h"

enum need { ANY, NEEDS_IPV4, NEEDS_IPV6, NEEDS_TCP, NEEDS_UDP, NEEDS_VLAN };

static const struct modify_field {
	uint16_t number;
	uint8_t dword, low, bits;
	uint8_t need; /* enum need: header that the packet must have */
} fields[] = {
	{PRM_MODIFY_FIELD_OUT_SMAC_47_16, REWRITE_SMAC_47_16, 0, 32, ANY},
	{PRM_MODIFY_FIELD_OUT_SMAC_15_0, REWRITE_SMAC_15_0, 16, 16, ANY},
	{PRM_MODIFY_FIELD_OUT_ETHERTYPE, REWRITE_DMAC_15_0, 0, 16, ANY},
	{PRM_MODIFY_FIELD_OUT_DMAC_47_16, REWRITE_DMAC_47_16, 0, 32, ANY},
	{PRM_MODIFY_FIELD_OUT_DMAC_15_0, REWRITE_DMAC_15_0, 16, 16, ANY},
	{PRM_MODIFY_FIELD_OUT_IP_DSCP, REWRITE_CLASS_TTL, 18, 6, ANY},
	{PRM_MODIFY_FIELD_OUT_IP_ECN, REWRITE_CLASS_TTL, 16, 2, ANY},
	{PRM_MODIFY_FIELD_OUT_TCP_FLAGS, REWRITE_TCP_FLAGS, 16, 9, NEEDS_TCP},
	{PRM_MODIFY_FIELD_OUT_TCP_SPORT, REWRITE_PORTS, 16, 16, NEEDS_TCP},
	{PRM_MODIFY_FIELD_OUT_TCP_DPORT, REWRITE_PORTS, 0, 16, NEEDS_TCP},
	{PRM_MODIFY_FIELD_OUT_IP_TTL, REWRITE_CLASS_TTL, 8, 8, NEEDS_IPV4},
	{PRM_MODIFY_FIELD_OUT_UDP_SPORT, REWRITE_PORTS, 16, 16, NEEDS_UDP},
	{PRM_MODIFY_FIELD_OUT_UDP_DPORT, REWRITE_PORTS, 0, 16, NEEDS_UDP},
	{PRM_MODIFY_FIELD_OUT_SIPV6_127_96, REWRITE_IPV6_SRC_127_96, 0, 32, NEEDS_IPV6},
	{PRM_MODIFY_FIELD_OUT_SIPV6_95_64, REWRITE_IPV6_SRC_95_64, 0, 32, NEEDS_IPV6},
	{PRM_MODIFY_FIELD_OUT_SIPV6_63_32, REWRITE_IPV6_SRC_63_32, 0, 32, NEEDS_IPV6},
	{PRM_MODIFY_FIELD_OUT_SIPV6_31_0, REWRITE_IPV6_SRC_31_0, 0, 32, NEEDS_IPV6},
	{PRM_MODIFY_FIELD_OUT_DIPV6_127_96, REWRITE_IPV6_DST_127_96, 0, 32, NEEDS_IPV6},
	{PRM_MODIFY_FIELD_OUT_DIPV6_95_64, REWRITE_IPV6_DST_95_64, 0, 32, NEEDS_IPV6},
	{PRM_MODIFY_FIELD_OUT_DIPV6_63_32, REWRITE_IPV6_DST_63_32, 0, 32, NEEDS_IPV6},
	{PRM_MODIFY_FIELD_OUT_DIPV6_31_0, REWRITE_IPV6_DST_31_0, 0, 32, NEEDS_IPV6},
	{PRM_MODIFY_FIELD_OUT_SIPV4, REWRITE_IPV4_SRC, 0, 32, NEEDS_IPV4},
	{PRM_MODIFY_FIELD_OUT_DIPV4, REWRITE_IPV4_DST, 0, 32, NEEDS_IPV4},
	{PRM_MODIFY_FIELD_OUT_FIRST_VID, REWRITE_VLAN, 0, 12, NEEDS_VLAN},
	{PRM_MODIFY_FIELD_OUT_IPV6_HOPLIMIT, REWRITE_CLASS_TTL, 8, 8, NEEDS_IPV6},
	{PRM_MODIFY_FIELD_METADATA_REG_A, REWRITE_REG_A, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_B, REWRITE_REG_B, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_0, REWRITE_REG_C0, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_1, REWRITE_REG_C1, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_2, REWRITE_REG_C2, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_3, REWRITE_REG_C3, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_4, REWRITE_REG_C4, 0, 32, ANY},
	{PRM_MODIFY_FIELD_METADATA_REG_C_5, REWRITE_REG_C5, 0, 32, ANY},
	{PRM_MODIFY_FIELD_OUT_TCP_SEQ_NUM, REWRITE_TCP_SEQ, 0, 32, NEEDS_TCP},
	{PRM_MODIFY_FIELD_OUT_TCP_ACK_NUM, REWRITE_TCP_ACK, 0, 32, NEEDS_TCP},
};

static const struct modify_field *modify_find(uint32_t number)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].number == number)
			return &fields[i];
	return NULL;
}

unsigned int modify_field_bits(uint32_t field)
{
	const struct modify_field *f = modify_find(field);

	return f ? f->bits : 0;
}

static bool modify_has(const struct packet_headers *h, enum need need)
{
	switch (need) {
	case NEEDS_IPV4:
		return h->ip_version == 4;
	case NEEDS_IPV6:
		return h->ip_version == 6;
	case NEEDS_TCP:
		return h->l4_type == PACKET_TCP;
	case NEEDS_UDP:
		return h->l4_type == PACKET_UDP;
	case NEEDS_VLAN:
		return h->vlans;
	default:
		return true;
	}
}

static struct rewrite_bits modify_bits(const struct modify_field *f, uint32_t offset,
				       uint32_t length)
{
	return (struct rewrite_bits){.dword = (enum rewrite_dword)f->dword,
				     .low = f->low + offset,
				     .bits = length ? length : 32};
}

/* Executes an action. Its type, field and range were checked when the context was created. */
static void modify_header(const struct steer_walk *w, const uint8_t *a, unsigned int *changed)
{
	const struct packet_headers *h = &w->packet->outer;
	uint32_t type = prm_set_action_in_get_action_type(a);
	uint32_t offset = prm_set_action_in_get_offset(a);
	uint32_t length = prm_set_action_in_get_length(a);
	const struct modify_field *f = modify_find(prm_set_action_in_get_field(a)), *to = f;

	if (type == PRM_ACTION_TYPE_COPY)
		to = modify_find(prm_copy_action_in_get_dst_field(a));
	if (!modify_has(h, f->need) || !modify_has(h, to->need))
		return;
	if (type == PRM_ACTION_TYPE_SET)
		rewrite_set(w->packet, modify_bits(f, offset, length),
			    prm_set_action_in_get_data(a), changed);
	else if (type == PRM_ACTION_TYPE_ADD)
		rewrite_add(w->packet, modify_bits(f, 0, f->bits), prm_add_action_in_get_data(a),
			    changed);
	else
		rewrite_copy(w->packet,
			     modify_bits(to, prm_copy_action_in_get_dst_offset(a),
					 prm_copy_action_in_get_length(a)),
			     modify_bits(f, prm_copy_action_in_get_src_offset(a), 0), changed);
}

void modify_headers(const struct steer_walk *w, const uint8_t *actions, unsigned int n)
{
	unsigned int changed = 0;

	for (unsigned int i = 0; i < n; i++)
		modify_header(w, actions + 8ul * i, &changed);
	if (changed & REWRITE_HEADERS)
		packet_parse_headers(w->packet);
}
