/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet reformat contexts: tunnels' headers that entries add, Ethernet headers that take the place
 * of a tunnel, and bytes that entries insert or remove at a header.
 */
#include <string.h>
#include "cmd.h"
#include "obj/device.h"
#include "obj/flow.h"
#include "obj/profile.h"

#define CONTEXT_AT \
	(PRM_ALLOC_PACKET_REFORMAT_CONTEXT_IN_BYTES - PRM_PACKET_REFORMAT_CONTEXT_IN_BYTES)
#define DATA_AT	       (CONTEXT_AT + 6u) /* of reformat_data */
#define ETHERNET_BYTES 14u
#define TAG_BYTES      4u

/* [I] Entries of format 0 have no anchors. */
bool fw_moves_headers(const struct profile *p)
{
	return p->steering_format_version;
}

static bool fw_flow_reformat_moves(uint32_t type)
{
	return type == PRM_REFORMAT_TYPE_INSERT_HDR || type == PRM_REFORMAT_TYPE_REMOVE_HDR;
}

static int fw_flow_reformat_check_anchor(struct fw_cmd *c, const void *ctx)
{
	uint32_t anchor = prm_packet_reformat_context_in_get_reformat_param_0(ctx);
	uint32_t offset = prm_packet_reformat_context_in_get_reformat_param_1(ctx);

	if (anchor != PRM_REFORMAT_ANCHOR_MAC_START && anchor != PRM_REFORMAT_ANCHOR_IP_START &&
	    anchor != PRM_REFORMAT_ANCHOR_TCP_UDP_START)
		return fw_refuse(
			c, FW_SYN_RESERVED,
			"reformat_param_0 0x%x: a header is counted from Ethernet's (0x1), "
			"IP's (0x7) or that of TCP and UDP (0x9)",
			anchor);
	if (offset > VHCA_MAX_REFORMAT_BYTES || offset % 2)
		return fw_refuse(c, FW_SYN_SIZE,
				 "reformat_param_1 %u: an even number up to %u (cap.max_reformat_"
				 "insert_offset, _remove_offset)",
				 offset, VHCA_MAX_REFORMAT_BYTES);
	return 0;
}

static int fw_flow_reformat_check_type(struct fw_cmd *c, const void *packet_reformat_context_in)
{
	uint32_t type =
		prm_packet_reformat_context_in_get_reformat_type(packet_reformat_context_in);
	const struct fw_absent features[] = {
		FW_ABSENT(packet_reformat_context_in, reformat_param_0,
			  "only INSERT_HDR and REMOVE_HDR have an anchor"),
		FW_ABSENT(packet_reformat_context_in, reformat_param_1,
			  "only INSERT_HDR and REMOVE_HDR have an offset"),
	};

	if (fw_flow_reformat_moves(type) && fw_moves_headers(c->vhca->dev->profile))
		return fw_flow_reformat_check_anchor(c, packet_reformat_context_in);
	if (type > PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL)
		return fw_refuse(
			c, FW_SYN_CAP_CLEAR,
			"reformat_type 0x%x: its capability is 0; those of tunnels are 0x0 "
			"to 0x%x",
			type, PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL);
	return FW_CHECK_ABSENT(c, features);
}

/*
 * [I] Sizes are even, as STEs count words. A tunnel's header begins with Ethernet's; a header that
 * takes the place of a tunnel is an Ethernet header with at most one tag.
 */
static int fw_flow_reformat_check_size(struct fw_cmd *c, uint32_t type, uint32_t size)
{
	const uint32_t least = fw_flow_reformat_moves(type) ? 2 : ETHERNET_BYTES;
	/* The mailbox does not have the bytes that are removed. */
	const uint32_t data = type == PRM_REFORMAT_TYPE_REMOVE_HDR ? 0 : size;

	if (type == PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2 && size != ETHERNET_BYTES &&
	    size != ETHERNET_BYTES + TAG_BYTES)
		return fw_refuse(c, FW_SYN_SIZE,
				 "reformat_data_size %u: an Ethernet header has %u bytes, with a "
				 "VLAN tag %u",
				 size, ETHERNET_BYTES, ETHERNET_BYTES + TAG_BYTES);
	if (size < least || size > VHCA_MAX_REFORMAT_BYTES || size % 2)
		return fw_refuse(c, FW_SYN_SIZE,
				 "reformat_data_size %u: an even number from %u to "
				 "max_encap_header_size (%u) is needed",
				 size, least, VHCA_MAX_REFORMAT_BYTES);
	if (c->in_len < DATA_AT + data)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "reformat_data_size %u: the mailbox of %zu bytes has room for %zu",
				 size, c->in_len, c->in_len - DATA_AT);
	return fw_nothing_after(c, DATA_AT + data);
}

int fw_alloc_packet_reformat(struct fw_cmd *c)
{
	const void *ctx = prm_alloc_packet_reformat_context_in_cat_packet_reformat_context(c->in);
	uint32_t type = prm_packet_reformat_context_in_get_reformat_type(ctx);
	uint32_t size = prm_packet_reformat_context_in_get_reformat_data_size(ctx);
	struct flow_reformat *r;

	if (fw_flow_reformat_check_type(c, ctx) || fw_flow_reformat_check_size(c, type, size))
		return -1;
	r = fw_new(c, OBJ_REFORMAT, sizeof(*r) + size);
	if (!r)
		return -1;
	r->type = (uint8_t)type;
	r->anchor = (uint8_t)prm_packet_reformat_context_in_get_reformat_param_0(ctx);
	r->offset = (uint8_t)prm_packet_reformat_context_in_get_reformat_param_1(ctx);
	r->bytes = (uint8_t)size;
	if (type != PRM_REFORMAT_TYPE_REMOVE_HDR)
		memcpy(r->data, (const uint8_t *)c->in + DATA_AT, size);
	return fw_made(c, &r->o, 0);
}
