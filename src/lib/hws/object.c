/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cmd.h>
#include "hws.h"

int dvx_hws_object_create(struct dvx_dev *dev, uint16_t type, uint32_t log_range, void *in,
			  size_t len, struct hws_object *out)
{
	uint8_t reply[PRM_GENERAL_OBJ_OUT_CMD_HDR_BYTES];
	int err;

	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, type);
	prm_general_obj_in_cmd_hdr_set_log_obj_range(in, log_range);
	err = dvx_obj_create(dev, in, len, reply, sizeof(reply), &out->obj);
	if (!err)
		out->id = prm_general_obj_out_cmd_hdr_get_obj_id(reply);
	return err;
}

int dvx_hws_pair_destroy(struct hws_pair *pair)
{
	int err = 0;

	for (uint32_t i = HWS_SIDES; i-- && !err;)
		err = dvx_hws_object_destroy(&pair->side[i]);
	return err;
}

int dvx_hws_object_destroy(struct hws_object *o)
{
	int err = dvx_obj_destroy(o->obj);

	if (!err)
		o->obj = NULL;
	return err;
}
