/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DevX flow tables, groups and entries. The commands that destroy them name the object, its table
 * and the type of the table.
 */
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include "priv.h"

bool devx_is_flow(uint16_t create)
{
	return create == PRM_OPCODE_CREATE_FLOW_TABLE || create == PRM_OPCODE_CREATE_FLOW_GROUP ||
	       create == PRM_OPCODE_SET_FLOW_TABLE_ENTRY;
}

size_t devx_number_at(uint16_t opcode)
{
	switch (opcode) {
	case PRM_OPCODE_MODIFY_FLOW_TABLE:
	case PRM_OPCODE_QUERY_FLOW_TABLE:
		return 0x14;
	case PRM_OPCODE_QUERY_FLOW_GROUP:
		return 0x18;
	case PRM_OPCODE_QUERY_FLOW_COUNTER:
	case PRM_OPCODE_QUERY_Q_COUNTER:
		return 0x1c;
	case PRM_OPCODE_SET_FLOW_TABLE_ENTRY:
	case PRM_OPCODE_QUERY_FLOW_TABLE_ENTRY:
		return 0x20;
	default:
		return 8;
	}
}

/* Copies vport and table type, which are at the same place in all these commands. */
static void devx_flow_copy_table(struct devx_obj *o, const struct devx_cmd *c)
{
	const void *in = c->in;

	prm_destroy_flow_table_in_set_other_vport(o->din,
						  prm_create_flow_table_in_get_other_vport(in));
	prm_destroy_flow_table_in_set_vport_number(o->din,
						   prm_create_flow_table_in_get_vport_number(in));
	prm_destroy_flow_table_in_set_table_type(o->din,
						 prm_create_flow_table_in_get_table_type(in));
	o->dinlen = PRM_DESTROY_FLOW_TABLE_IN_BYTES;
}

uint32_t devx_flow_remember(struct devx_obj *o, const struct devx_cmd *c, const void *out)
{
	uint32_t number;

	devx_flow_copy_table(o, c);
	switch (c->opcode) {
	case PRM_OPCODE_CREATE_FLOW_TABLE:
		number = prm_create_flow_table_out_get_table_id(out);
		prm_destroy_flow_table_in_set_table_id(o->din, number);
		return number;
	case PRM_OPCODE_CREATE_FLOW_GROUP:
		number = prm_create_flow_group_out_get_group_id(out);
		prm_destroy_flow_group_in_set_table_id(
			o->din, prm_create_flow_group_in_get_table_id(c->in));
		prm_destroy_flow_group_in_set_group_id(o->din, number);
		return number;
	default:
		number = prm_set_fte_in_get_flow_index(c->in);
		prm_delete_fte_in_set_table_id(o->din, prm_set_fte_in_get_table_id(c->in));
		prm_delete_fte_in_set_flow_index(o->din, number);
		return number;
	}
}
