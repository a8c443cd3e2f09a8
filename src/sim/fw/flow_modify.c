/* SPDX-License-Identifier: BSD-2-Clause */
/* Modify header contexts: lists of rewrites that entries of firmware's tables refer to. */
#include <string.h>
#include "cmd.h"
#include "obj/flow.h"
#include "steer/modify.h"

#define ACTION_BYTES 8u

static int fw_flow_modify_check_range(struct fw_cmd *c, uint32_t i, uint32_t field, uint32_t offset,
				      uint32_t length)
{
	unsigned int bits = modify_field_bits(field);

	length = length ? length : 32;
	if (!bits)
		return fw_refuse(c, FW_SYN_MATCH_FIELD,
				 "actions[%u]: field 0x%x cannot be rewritten", i, field);
	if (offset + length > bits)
		return fw_refuse(c, FW_SYN_RANGE,
				 "actions[%u]: offset %u and length %u, field 0x%x has %u bits", i,
				 offset, length, field, bits);
	return 0;
}

int fw_flow_modify_check_action(struct fw_cmd *c, uint32_t i, const void *a)
{
	uint32_t type = prm_set_action_in_get_action_type(a);
	uint32_t field = prm_set_action_in_get_field(a);

	switch (type) {
	case PRM_ACTION_TYPE_SET:
		return fw_flow_modify_check_range(c, i, field, prm_set_action_in_get_offset(a),
						  prm_set_action_in_get_length(a));
	case PRM_ACTION_TYPE_ADD:
		return fw_flow_modify_check_range(c, i, field, 0, 1);
	case PRM_ACTION_TYPE_COPY:
		if (fw_flow_modify_check_range(c, i, field, prm_copy_action_in_get_src_offset(a),
					       prm_copy_action_in_get_length(a)))
			return -1;
		return fw_flow_modify_check_range(c, i, prm_copy_action_in_get_dst_field(a),
						  prm_copy_action_in_get_dst_offset(a),
						  prm_copy_action_in_get_length(a));
	default:
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"actions[%u]: action_type %u: SET (1), ADD (2) and COPY (3) are known", i,
			type);
	}
}

static int fw_flow_modify_check(struct fw_cmd *c, const uint8_t *actions, uint32_t n)
{
	if (fw_flow_table_check_type(c, prm_alloc_modify_header_context_in_get_table_type(c->in)))
		return -1;
	if (!n || n > VHCA_MAX_MODIFY_ACTIONS)
		return fw_refuse(c, FW_SYN_SIZE,
				 "num_of_actions %u: max_modify_header_actions is %u", n,
				 VHCA_MAX_MODIFY_ACTIONS);
	if (fw_list_fits(c, PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES, n, "actions"))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (fw_flow_modify_check_action(c, i, actions + (size_t)i * ACTION_BYTES))
			return -1;
	return 0;
}

int fw_alloc_modify_header(struct fw_cmd *c)
{
	const uint8_t *actions = (const uint8_t *)c->in + PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES;
	uint32_t n = prm_alloc_modify_header_context_in_get_num_of_actions(c->in);
	struct flow_modify *m;

	if (fw_flow_modify_check(c, actions, n))
		return -1;
	m = fw_new(c, OBJ_MODIFY_HEADER, sizeof(*m) + (size_t)n * ACTION_BYTES);
	if (!m)
		return -1;
	m->table_type = (uint8_t)prm_alloc_modify_header_context_in_get_table_type(c->in);
	m->n = (uint8_t)n;
	memcpy(m->actions, actions, (size_t)n * ACTION_BYTES);
	return fw_made(c, &m->o, 0);
}
