/* SPDX-License-Identifier: BSD-2-Clause */
/* Destruction of objects: by command, or because the program that owned them has ended. */
#include "cmd.h"
#include "base/log.h"

static const struct destroy_row {
	enum obj_type type;
	bool unlinks; /* frees no object, and drops references to those of later rows */
	void (*end)(struct obj *);
	uint16_t opcode; /* 0: the type has its own handler for DESTROY */
	uint32_t (*id)(const void *in);
	const char *field;
} order[] = {
#define UNLINK(type, end) {OBJ_##type, true, end, 0, NULL, NULL},
#define REAP(type, end)	  {OBJ_##type, false, end, 0, NULL, NULL},
#define DESTROY(type, end, op, in, field) \
	{OBJ_##type, false, end, PRM_OPCODE_##op, prm_##in##_get_##field, #field},
#include "commands.def"
};
#define ROWS (sizeof(order) / sizeof(order[0]))

int fw_destroy_object(struct fw_cmd *c)
{
	const struct destroy_row *r = order;
	struct obj *o;

	while (r < order + ROWS - 1 && r->opcode != c->opcode)
		r++;
	o = fw_find(c, r->type, r->id(c->in), r->field);
	if (!o || fw_busy(c, o))
		return -1;
	r->end(o);
	return 0;
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
				r->end(o);
		}
	}
	fw_flow_counters_reap(v, uid);
	fw_pp_rates_reap(v, uid);
}
