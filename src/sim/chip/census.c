/* SPDX-License-Identifier: BSD-2-Clause */
#include "session.h"

#include <stdio.h>
#include <string.h>
#include "chip.h"
#include "kernel/cm/cm.h"
#include "obj/obj.h"
#include "obj/queue.h"
#include "obj/device.h"

static const char *const qp_states[] = {
	[QP_RST] = "RST",   [QP_INIT] = "INIT", [QP_RTR] = "RTR", [QP_RTS] = "RTS",
	[QP_SQER] = "SQER", [QP_SQD] = "SQD",	[QP_ERR] = "ERR", [QP_SQ_DRAINING] = "SQ_DRAINING",
};
#define QP_STATES (sizeof(qp_states) / sizeof(qp_states[0]))

unsigned int census_functions(struct chip *chip, struct link_function_row *rows, unsigned int max)
{
	const struct device *dev = chip_device(chip);
	unsigned int n = 0;

	for (; n < dev->nfunctions && n < max; n++) {
		const struct raw_stats *raw = &dev->vhca[n].raw;

		rows[n] = (struct link_function_row){
			.vhca_id = dev->vhca[n].id,
			.sent = raw->sent,
			.received = raw->received,
			.out_of_buffer = raw->out_of_buffer,
			.failed = raw->failed,
		};
		snprintf(rows[n].name, sizeof(rows[n].name), "%s", dev->vhca[n].name);
	}
	return n;
}

static void census_add(struct link_object_row *rows, unsigned int *n, unsigned int max,
		       const struct vhca *v, const char *kind, const char *state, uint32_t count)
{
	struct link_object_row *row = &rows[*n];

	if (!count || *n == max)
		return;
	memset(row, 0, sizeof(*row));
	snprintf(row->kind, sizeof(row->kind), "%s", kind);
	snprintf(row->state, sizeof(row->state), "%s", state);
	row->function = v->index;
	row->count = count;
	++*n;
}

/* Returns the state's name. RDY of raw packet queues is stored as RTS. */
static const char *census_state_name(enum obj_type type, unsigned int state)
{
	return state == QP_RTS && type != OBJ_QP ? "RDY" : qp_states[state];
}

/* Counts programs' objects: EQs and one set of Q counters are the kernel's own. */
static uint32_t census_of_programs(const struct vhca *v, enum obj_type type)
{
	const uint32_t n = obj_count(v, type);

	return type == OBJ_EQ ? 0 : n - (type == OBJ_Q_COUNTER && n);
}

static void add_queues(struct link_object_row *rows, unsigned int *n, unsigned int max,
		       const struct vhca *v, enum obj_type type)
{
	uint32_t count[QP_STATES] = {0};
	struct queue *q;

	for (q = obj_next(v, type, 0); q; q = obj_next(v, type, q->o.id + 1))
		if (q->state < QP_STATES)
			count[q->state]++;
	for (unsigned int s = 0; s < QP_STATES; s++)
		census_add(rows, n, max, v, obj_type_name(type), census_state_name(type, s),
			   count[s]);
}

static void add_cm_ids(struct link_object_row *rows, unsigned int *n, unsigned int max,
		       const struct vhca *v, const struct cm *cm)
{
	uint32_t count[CM_ID_STATES] = {0};

	cm_count_ids(cm, v, count);
	for (unsigned int s = 0; s < CM_ID_STATES; s++)
		census_add(rows, n, max, v, "cm_id", cm_state_name(s), count[s]);
}

unsigned int census_objects(struct chip *chip, struct link_object_row *rows, unsigned int max)
{
	const struct device *dev = chip_device(chip);
	unsigned int n = 0;

	for (unsigned int f = 0; f < dev->nfunctions; f++) {
		const struct vhca *v = &dev->vhca[f];

		for (enum obj_type t = 0; t < OBJ_NTYPES; t++) {
			if (t == OBJ_QP || t == OBJ_SQ || t == OBJ_RQ)
				add_queues(rows, &n, max, v, t);
			else
				census_add(rows, &n, max, v, obj_type_name(t), "",
					   census_of_programs(v, t));
		}
		add_cm_ids(rows, &n, max, v, chip_cm(chip));
	}
	return n;
}
