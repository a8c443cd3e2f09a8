/* SPDX-License-Identifier: BSD-2-Clause */
/* Destruction of objects: by command, or because the program that owned them has ended. */
#include "cmd.h"
#include "base/log.h"

static const struct destroy_row {
	enum obj_type type;
	bool unlinks; /* frees no object, and drops references to those of later rows */
	void (*end)(struct obj *);
} order[] = {
#define UNLINK(type, end) {OBJ_##type, true, end},
#define REAP(type, end)	  {OBJ_##type, false, end},
#include "commands.def"
};
#define ROWS (sizeof(order) / sizeof(order[0]))

/* Ends an object by its row. An alias has nothing of its type, unless it is of an mkey. */
static void fw_obj_end(const struct destroy_row *r, struct obj *o)
{
	if (!o->alias || r->type == OBJ_MKEY)
		r->end(o);
	else if (!r->unlinks)
		obj_free(o);
}

static void fw_obj_free(struct obj *o)
{
	const struct destroy_row *r = order;

	while (r->type != (enum obj_type)o->type || r->unlinks)
		r++;
	fw_obj_end(r, o);
}

int fw_made(struct fw_cmd *c, struct obj *o, int failed)
{
	if (failed) {
		fw_obj_free(o);
		return -1;
	}
	/* All replies to CREATE and ALLOC have the number there, except to CREATE_PSV. */
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, o->id);
	return 0;
}

int fw_destroy(struct fw_cmd *c, struct obj *o)
{
	if (o->refs)
		return fw_refuse(c, FW_SYN_BUSY, "%s 0x%x is used by %u objects",
				 obj_type_name((enum obj_type)o->type), o->id, o->refs);
	fw_obj_free(o);
	return 0;
}

int fw_destroy_object(struct fw_cmd *c)
{
	return fw_destroy(c, c->obj);
}

void fw_uid_reap(struct vhca *v, uint16_t uid)
{
	for (const struct destroy_row *r = order; r < order + ROWS; r++) {
		uint32_t from = 0;
		struct obj *o;

		while ((o = obj_next(v, r->type, from)) != NULL) {
			from = o->id + 1;
			if (o->uid != uid)
				continue;
			if (o->refs && !r->unlinks)
				sim_bug("%s 0x%x of dead uid %u is used by another uid",
					obj_type_name(r->type), o->id, uid);
			else
				fw_obj_end(r, o);
		}
	}
	fw_flow_counters_reap(v, uid);
	fw_pp_rates_reap(v, uid);
}
