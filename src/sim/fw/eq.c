/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event queues. Their only user is the kernel, which gets each entry at once (device.on_event): an
 * EQ is only a number, and the command's ring is ignored.
 */
#include "cmd.h"

int fw_create_eq(struct fw_cmd *c)
{
	struct obj *o = fw_new(c, OBJ_EQ, sizeof(*o));

	if (!o)
		return -1;
	prm_create_eq_out_set_eq_number(c->out, o->id);
	return 0;
}

int fw_destroy_eq(struct fw_cmd *c)
{
	struct obj *o = fw_find(c, OBJ_EQ, prm_destroy_eq_in_get_eq_number(c->in), "eq_number");

	if (!o || fw_busy(c, o))
		return -1;
	obj_free(o);
	return 0;
}
