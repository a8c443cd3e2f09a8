/* SPDX-License-Identifier: BSD-2-Clause */
/* General objects: one set of commands for all types; obj_type selects the handlers. */
#include "cmd.h"
#include "prm/reflect.h"

static const struct object_row {
	uint16_t type;
	/* query, modify: NULL if the type has none */
	fw_handler *create, *destroy, *query, *modify;
} objects[] = {
	{PRM_OBJ_TYPE_MKEY, fw_create_alias, fw_destroy_alias, fw_query_alias, NULL},
	{PRM_OBJ_TYPE_SW_ICM, fw_create_sw_icm, fw_destroy_object, NULL, NULL},
	{PRM_OBJ_TYPE_RESERVED_QPN, fw_create_reserved_qpn, fw_destroy_reserved_qpn, NULL, NULL},
	{PRM_OBJ_TYPE_AV_QP_MAPPING, fw_create_av_qp_mapping, fw_destroy_av_qp_mapping,
	 fw_query_av_qp_mapping, NULL},
	{PRM_OBJ_TYPE_ENCRYPTION_KEY, fw_create_dek, fw_destroy_dek, fw_query_dek, fw_modify_dek},
	{PRM_OBJ_TYPE_CRYPTO_LOGIN, fw_create_crypto_login, fw_destroy_crypto_login,
	 fw_query_crypto_login, NULL},
	{PRM_OBJ_TYPE_SCHEDULING_ELEMENT, fw_create_sched_elem, fw_destroy_sched_elem,
	 fw_query_sched_elem, fw_modify_sched_elem},
};

static const struct object_row *fw_general_row_of(struct fw_cmd *c)
{
	uint32_t type = prm_general_obj_in_cmd_hdr_get_obj_type(c->in);

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (objects[i].type == type)
			return &objects[i];
	fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_OBJECT_TYPE,
		  "obj_type 0x%x is not implemented, only aliases of MKEYs (0x%x) and the types "
		  "in cap.general_obj_types",
		  type, PRM_OBJ_TYPE_MKEY);
	return NULL;
}

static const struct object_row *fw_general_find_row(struct fw_cmd *c)
{
	uint32_t tunnel = prm_general_obj_in_cmd_hdr_get_vhca_tunnel_id(c->in);
	const struct object_row *row = fw_general_row_of(c);

	if (!row || !tunnel)
		return row;
	fw_refuse(c, PRM_STATUS_BAD_PARAM, FW_SYN_UNSUPPORTED,
		  "vhca_tunnel_id %u: commands for another function are not implemented", tunnel);
	return NULL;
}

/* Checks the reserved bits of the object, which follows the header. */
static int fw_general_check_reserved(struct fw_cmd *c, const struct object_row *row)
{
	return fw_check_reserved(c, prm_object(row->type), PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES);
}

int fw_create_general_object(struct fw_cmd *c)
{
	const struct object_row *row = fw_general_find_row(c);

	return row && !fw_general_check_reserved(c, row) ? row->create(c) : -1;
}

int fw_modify_general_object(struct fw_cmd *c)
{
	const struct object_row *row = fw_general_find_row(c);

	if (!row)
		return -1;
	if (!row->modify)
		return fw_refuse(c, PRM_STATUS_BAD_OP, FW_SYN_OBJECT_TYPE,
				 "obj_type 0x%x can't be modified", row->type);
	return fw_general_check_reserved(c, row) ? -1 : row->modify(c);
}

int fw_query_general_object(struct fw_cmd *c)
{
	const struct object_row *row = fw_general_find_row(c);

	if (!row)
		return -1;
	if (!row->query)
		return fw_refuse(c, PRM_STATUS_BAD_OP, FW_SYN_OBJECT_TYPE,
				 "obj_type 0x%x can't be queried", row->type);
	return row->query(c);
}

int fw_destroy_general_object(struct fw_cmd *c)
{
	const struct object_row *row = fw_general_find_row(c);

	return row ? row->destroy(c) : -1;
}
