/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Geneve option that a flex parser takes out of packets, by class and type: rules compare the
 * first word of its data, and whether it is there. The chip has one such parser for all functions.
 */
#include <string.h>
#include "cmd.h"
#include "obj/device.h"

#define FW_OPTION_BYTES (PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + PRM_GENEVE_TLV_OPTION_BYTES)

struct geneve_option {
	struct obj o;
	struct device *dev;
	uint8_t bytes[PRM_GENEVE_TLV_OPTION_BYTES];
};

static int fw_geneve_option_check(struct fw_cmd *c, const uint8_t *option)
{
	uint32_t words;

	if (c->in_len < FW_OPTION_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, a Geneve option needs %zu", c->in_len,
				 (size_t)FW_OPTION_BYTES);
	if (prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "log_obj_range is set: one option at a time");
	if (prm_geneve_tlv_option_get_geneve_option_fte_index(option))
		return fw_refuse(c, FW_SYN_INDEX,
				 "geneve_option_fte_index %u: match parameters have option 0 only",
				 prm_geneve_tlv_option_get_geneve_option_fte_index(option));
	words = prm_geneve_tlv_option_get_option_data_length(option);
	if (!words || words > VHCA_MAX_GENEVE_OPTION)
		return fw_refuse(c, FW_SYN_SIZE,
				 "option_data_length %u is not within 1 and "
				 "max_geneve_tlv_option_data_len (%u)",
				 words, VHCA_MAX_GENEVE_OPTION);
	return fw_nothing_after(c, FW_OPTION_BYTES);
}

int fw_create_geneve_option(struct fw_cmd *c)
{
	const uint8_t *option = (const uint8_t *)c->in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	struct device *dev = c->vhca->dev;
	struct geneve_option *g;

	if (fw_geneve_option_check(c, option))
		return -1;
	if (dev->geneve_option)
		return fw_refuse_as(c, PRM_STATUS_NO_RES, FW_SYN_LIMIT,
				    "the chip's one parser takes Geneve's option of class 0x%x, "
				    "type 0x%x (max_geneve_tlv_options is 1)",
				    dev->geneve_option >> 16, dev->geneve_option >> 8 & 0xff);
	g = fw_new(c, OBJ_GENEVE_OPTION, sizeof(*g));
	if (!g)
		return -1;
	g->dev = dev;
	memcpy(g->bytes, option, sizeof(g->bytes));
	dev->geneve_option = prm_geneve_tlv_option_get_option_class(option) << 16 |
			     prm_geneve_tlv_option_get_option_type(option) << 8 | 1;
	return fw_made(c, &g->o, 0);
}

int fw_query_geneve_option(struct fw_cmd *c)
{
	const struct geneve_option *g = c->obj;

	return fw_general_reply(c, g->bytes, sizeof(g->bytes));
}

void fw_geneve_option_free(struct obj *o)
{
	((struct geneve_option *)o)->dev->geneve_option = 0;
	obj_free(o);
}
