/* SPDX-License-Identifier: BSD-2-Clause */
/* General objects: one set of commands for all types; obj_type selects the handlers. */
#include <string.h>
#include "cmd.h"
#include "prm/reflect.h"

static const struct object_row {
	uint16_t type, opcode;
	fw_handler *handler;
	int obj; /* enum obj_type of c->obj; -1: the handler finds none, or itself */
} objects[] = {
#define ON(verb, type, fn, obj) \
	{PRM_OBJ_TYPE_##type, PRM_OPCODE_##verb##_GENERAL_OBJECT, fw_##fn, OBJ_##obj},
#define OBJECT(verb, type, fn) \
	{PRM_OBJ_TYPE_##type, PRM_OPCODE_##verb##_GENERAL_OBJECT, fw_##fn, -1},
#include "commands.def"
};

/* Refuses a type that has no row for the command; `exists` if it has one for another command. */
static int fw_general_refuse(struct fw_cmd *c, uint32_t type, bool exists)
{
	if (exists)
		return fw_refuse_as(
			c, PRM_STATUS_BAD_OP, FW_SYN_OBJECT_TYPE, "obj_type 0x%x can't be %s", type,
			c->opcode == PRM_OPCODE_QUERY_GENERAL_OBJECT ? "queried" : "modified");
	return fw_refuse(c, FW_SYN_OBJECT_TYPE,
			 "obj_type 0x%x is not implemented, only aliases and the types in "
			 "cap.general_obj_types",
			 type);
}

/* Checks the reserved bits of the object that follows the header in CREATE and MODIFY. */
static int fw_general_check_reserved(struct fw_cmd *c, uint32_t type, bool alias)
{
	if (c->opcode != PRM_OPCODE_CREATE_GENERAL_OBJECT &&
	    c->opcode != PRM_OPCODE_MODIFY_GENERAL_OBJECT)
		return 0;
	return fw_check_reserved(c, alias ? prm_find_struct("alias_context") : prm_object(type),
				 PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES);
}

int fw_general_object(struct fw_cmd *c)
{
	uint32_t type = prm_general_obj_in_cmd_hdr_get_obj_type(c->in);
	uint32_t tunnel = prm_general_obj_in_cmd_hdr_get_vhca_tunnel_id(c->in);
	const bool alias = c->opcode == PRM_OPCODE_CREATE_GENERAL_OBJECT &&
			   prm_general_obj_in_cmd_hdr_get_alias_object(c->in);
	const struct object_row *row = NULL;
	bool exists = false;

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		if (objects[i].type != type)
			continue;
		exists = true;
		if (objects[i].opcode == c->opcode)
			row = &objects[i];
	}
	if (exists && tunnel)
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"vhca_tunnel_id %u: commands for another function are not implemented",
			tunnel);
	if (!row)
		return fw_general_refuse(c, type, exists);
	if (alias && !fw_alias_exists(type))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "alias_object is set: objects of type 0x%x are not aliased", type);
	if (fw_general_check_reserved(c, type, alias))
		return -1;
	if (row->obj >= 0)
		c->obj = fw_find(c, (enum obj_type)row->obj,
				 prm_general_obj_in_cmd_hdr_get_obj_id(c->in), "obj_id");
	return row->obj >= 0 && !c->obj ? -1 : row->handler(c);
}

int fw_general_reply(struct fw_cmd *c, const void *bytes, size_t len)
{
	if (fw_reply_fits(c, PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + len))
		return -1;
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, ((const struct obj *)c->obj)->id);
	memcpy((uint8_t *)c->out + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES, bytes, len);
	return 0;
}
