/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

int fw_alloc_uar(struct fw_cmd *c)
{
	struct obj *o = fw_new(c, OBJ_UAR, sizeof(*o));

	if (!o)
		return -1;
	prm_alloc_uar_out_set_uar(c->out, o->id);
	return 0;
}

int fw_dealloc_uar(struct fw_cmd *c)
{
	struct obj *o = fw_find(c, OBJ_UAR, prm_dealloc_uar_in_get_uar(c->in), "uar");

	if (!o || fw_busy(c, o))
		return -1;
	obj_free(o);
	return 0;
}
