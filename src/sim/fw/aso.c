/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of advanced steering operations: flow meters, first hits, tracked connections. All have
 * one layout, and differ in the context behind it. A context begins with zeros whatever CREATE has
 * there, and connections come in ranges of 2^6 or more (Mellanox/pydiru, tests/test_mlx5dr_aso.py,
 * which runs on hardware). [I] DESTROY takes the number of the first object of a range only.
 */
#include <string.h>
#include "cmd.h"
#include "obj/aso.h"
#include "obj/device.h"

#define FW_ASO_CONTEXT_AT   64u
#define FW_ASO_LOG_LEAST_CT 6u
#define FW_ASO_BYTES	    (PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + PRM_FLOW_METER_ASO_OBJ_BYTES)

#define FW_ARGUMENT_BYTES   (PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES + PRM_MODIFY_HEADER_ARG_BYTES)

_Static_assert(PRM_FLOW_HIT_ASO_BYTES == PRM_FLOW_METER_ASO_OBJ_BYTES &&
		       PRM_CONN_TRACK_OFFLOAD_BYTES == PRM_FLOW_METER_ASO_OBJ_BYTES &&
		       FW_ASO_CONTEXT_AT + ASO_BYTES == PRM_FLOW_METER_ASO_OBJ_BYTES,
	       "all kinds have one layout");

static enum obj_type fw_aso_type(const struct fw_cmd *c)
{
	switch (prm_general_obj_in_cmd_hdr_get_obj_type(c->in)) {
	case PRM_OBJ_TYPE_FLOW_METER_ASO:
		return OBJ_ASO_METER;
	case PRM_OBJ_TYPE_ASO_FIRST_HIT:
		return OBJ_ASO_HIT;
	case PRM_OBJ_TYPE_HEADER_MODIFY_ARGUMENT:
		return OBJ_ARGUMENT;
	default:
		return OBJ_ASO_CT;
	}
}

bool fw_aso_exists(const struct profile *p)
{
	return p->steering_format_version >= 1;
}

/* Returns whether objects of the command's kind exist, and how many one CREATE makes. */
static bool fw_aso_limit(const struct fw_cmd *c, uint32_t *log_most)
{
	const struct profile *p = c->vhca->dev->profile;
	const bool argument = fw_aso_type(c) == OBJ_ARGUMENT;

	*log_most = argument ? VHCA_LOG_MAX_ARGUMENTS : VHCA_LOG_MAX_ASO_RANGE;
	return argument ? p->rules_by_wqe : fw_aso_exists(p);
}

static int fw_aso_check(struct fw_cmd *c)
{
	const size_t bytes = fw_aso_type(c) == OBJ_ARGUMENT ? FW_ARGUMENT_BYTES : FW_ASO_BYTES;
	uint32_t log = prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in), log_most;

	if (!fw_aso_limit(c, &log_most))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "obj_type 0x%x, but its bit in cap.general_obj_types is 0",
				 prm_general_obj_in_cmd_hdr_get_obj_type(c->in));
	if (c->in_len < bytes)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, the object needs %zu", c->in_len,
				 bytes);
	if (fw_aso_type(c) == OBJ_ASO_CT && log < FW_ASO_LOG_LEAST_CT)
		return fw_refuse(c, FW_SYN_SIZE, "log_obj_range %u: connections need %u or more",
				 log, FW_ASO_LOG_LEAST_CT);
	if (log > log_most)
		return fw_refuse(c, FW_SYN_SIZE, "log_obj_range %u is more than %s %u", log,
				 fw_aso_type(c) == OBJ_ARGUMENT
					 ? "cap.log_header_modify_argument_max_alloc"
					 : "qos.log_meter_aso_max_alloc",
				 log_most);
	return fw_nothing_after(c, bytes);
}

int fw_create_aso(struct fw_cmd *c)
{
	const uint8_t *object = (const uint8_t *)c->in + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	uint32_t n = 1u << prm_general_obj_in_cmd_hdr_get_log_obj_range(c->in);
	const struct pd_object *first;
	struct obj *pd;

	if (fw_aso_check(c))
		return -1;
	pd = fw_find(c, OBJ_PD, prm_flow_meter_aso_obj_get_meter_aso_access_pd(object),
		     "access_pd");
	if (!pd)
		return -1;
	first = aso_new(pd, fw_aso_type(c), c->uid, n);
	if (!first)
		return fw_refuse(c, FW_SYN_LIMIT,
				 "log_obj_range: no %u numbers in a row are free, or no memory", n);
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, first->o.id);
	return 0;
}

int fw_query_aso(struct fw_cmd *c)
{
	const struct pd_object *a = c->obj;
	uint32_t offset = prm_general_obj_in_cmd_hdr_get_obj_offset(c->in);
	uint8_t *object = (uint8_t *)c->out + PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;

	if (offset && offset >= a->range)
		return fw_refuse(c, FW_SYN_INDEX,
				 "obj_offset %u: obj_id 0x%x is the first of %u objects", offset,
				 a->o.id, a->range ? a->range : 1);
	if (fw_reply_fits(c, FW_ASO_BYTES))
		return -1;
	a = obj_find(c->vhca, fw_aso_type(c), a->o.id + offset);
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, a->o.id);
	prm_flow_meter_aso_obj_set_meter_aso_access_pd(object, a->pd->id);
	memcpy(object + FW_ASO_CONTEXT_AT, a->context, ASO_BYTES);
	return 0;
}

int fw_destroy_aso(struct fw_cmd *c)
{
	const struct pd_object *first = c->obj;
	enum obj_type type = fw_aso_type(c);
	uint32_t id = first->o.id, n = first->range;

	if (!n)
		return fw_refuse(c, FW_SYN_NO_OBJECT, "obj_id 0x%x is not the first of its range",
				 id);
	for (uint32_t i = 0; i < n; i++) {
		const struct obj *o = obj_find(c->vhca, type, id + i);

		if (o->refs)
			return fw_refuse(c, FW_SYN_BUSY, "obj_id 0x%x: %u entries use object 0x%x",
					 id, o->refs, o->id);
	}
	for (uint32_t i = 0; i < n; i++)
		fw_aso_free(obj_find(c->vhca, type, id + i));
	return 0;
}

void fw_aso_free(struct obj *o)
{
	obj_put(((struct pd_object *)o)->pd);
	obj_free(o);
}
