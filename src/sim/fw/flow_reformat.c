/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet reformat contexts: tunnels' headers that entries add, and Ethernet headers that take the
 * place of a tunnel.
 */
#include <string.h>
#include "cmd.h"
#include "obj/flow.h"

#define CONTEXT_AT \
	(PRM_ALLOC_PACKET_REFORMAT_CONTEXT_IN_BYTES - PRM_PACKET_REFORMAT_CONTEXT_IN_BYTES)
#define DATA_AT	       (CONTEXT_AT + 6u) /* of reformat_data */
#define ETHERNET_BYTES 14u
#define TAG_BYTES      4u

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

	if (type > PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "reformat_type 0x%x: only those of tunnels (0x0 to 0x%x) have a "
				 "capability",
				 type, PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL);
	return FW_CHECK_ABSENT(c, features);
}

/*
 * [I] A header to add begins with Ethernet's, and has an even length, as STEs count words. One that
 * takes the place of a tunnel is an Ethernet header with at most one tag.
 */
static int fw_flow_reformat_check_size(struct fw_cmd *c, uint32_t type, uint32_t size)
{
	if (type == PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2 && size != ETHERNET_BYTES &&
	    size != ETHERNET_BYTES + TAG_BYTES)
		return fw_refuse(c, FW_SYN_SIZE,
				 "reformat_data_size %u: an Ethernet header has %u bytes, with a "
				 "VLAN tag %u",
				 size, ETHERNET_BYTES, ETHERNET_BYTES + TAG_BYTES);
	if (size < ETHERNET_BYTES || size > VHCA_MAX_REFORMAT_BYTES || size % 2)
		return fw_refuse(c, FW_SYN_SIZE,
				 "reformat_data_size %u: an even number from %u to "
				 "max_encap_header_size (%u) is needed",
				 size, ETHERNET_BYTES, VHCA_MAX_REFORMAT_BYTES);
	if (c->in_len < DATA_AT + size)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "reformat_data_size %u: the mailbox of %zu bytes has room for %zu",
				 size, c->in_len, c->in_len - DATA_AT);
	return fw_nothing_after(c, DATA_AT + size);
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
	r->bytes = (uint8_t)size;
	memcpy(r->data, (const uint8_t *)c->in + DATA_AT, size);
	return fw_made(c, &r->o, 0);
}
