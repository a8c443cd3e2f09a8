/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A function's table of send rates, as mlx5_core's (rl.c): queues of the same rate share a row,
 * unless one requests a dedicated row.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include "kernel/core/cmd.h"
#include "priv.h"
#include "obj/device.h"

struct rate_row {
	uint8_t ctx[PRM_SET_PP_RATE_LIMIT_CONTEXT_BYTES];
	uint32_t users;
	uint16_t uid;
	bool dedicated;
};

struct rate_table {
	uint32_t n, min, max;	/* number of rows; rates in kb/s */
	struct rate_row rows[]; /* row 0 has index 1 */
};

static int rates_open(struct uverbs_file *f, struct rate_table **table)
{
	struct kernel_function *fn = file_function(f);
	const uint8_t *cap = file_cap_page(f, CAP_QOS);
	uint32_t n = prm_qos_cap_get_packet_pacing_rate_table_size(cap);

	*table = fn->rates;
	if (*table)
		return 0;
	if (!prm_qos_cap_get_packet_pacing(cap) || n < 2)
		return refuse(-EOPNOTSUPP, "qos.packet_pacing is 0: send queues have no rates");
	*table = calloc(1, sizeof(**table) + (n - 1) * sizeof((*table)->rows[0]));
	if (!*table)
		return -ENOMEM;
	(*table)->n = n - 1;
	(*table)->min = prm_qos_cap_get_packet_pacing_min_rate(cap);
	(*table)->max = prm_qos_cap_get_packet_pacing_max_rate(cap);
	fn->rates = *table;
	return 0;
}

void rates_stop(struct kernel *k)
{
	for (unsigned int i = 0; i < k->dev->nfunctions; i++)
		free(k->fn[i].rates);
}

static int rate_command(struct vhca *v, const struct rate_row *r, uint32_t index)
{
	uint8_t in[PRM_SET_PP_RATE_LIMIT_IN_BYTES] = {0};

	mbox_begin(in, PRM_OPCODE_SET_PP_RATE_LIMIT, r->uid);
	prm_set_pp_rate_limit_in_set_rate_limit_index(in, index);
	if (r->users)
		memcpy(prm_set_pp_rate_limit_in_at_ctx(in), r->ctx, sizeof(r->ctx));
	return mbox_run(v, in, sizeof(in));
}

/* Finds a row to share, or an empty one. NULL: the table is full. */
static struct rate_row *rate_find(struct rate_table *t, const void *ctx, uint16_t uid,
				  bool dedicated)
{
	struct rate_row *empty = NULL;

	for (uint32_t i = 0; i < t->n; i++) {
		struct rate_row *r = &t->rows[i];

		if (!r->users && !empty)
			empty = r;
		if (r->users && !dedicated && !r->dedicated && r->uid == uid &&
		    !memcmp(r->ctx, ctx, sizeof(r->ctx)))
			return r;
	}
	return empty;
}

int rate_get(struct uverbs_file *f, const struct rate_request *w, uint16_t *index)
{
	uint32_t kbps = prm_set_pp_rate_limit_context_get_rate_limit(w->ctx);
	uint16_t uid = w->dedicated ? f->uid : UID_SHARED;
	struct rate_table *t;
	struct rate_row *r;
	int err = rates_open(f, &t);

	if (err)
		return err;
	if (!kbps || kbps < t->min || kbps > t->max)
		return refuse(-EINVAL, "rate_limit %u kb/s is not within %u..%u", kbps, t->min,
			      t->max);
	r = rate_find(t, w->ctx, uid, w->dedicated);
	if (!r)
		return refuse(-ENOSPC, "all %u rows of the rate table are in use", t->n);
	*index = (uint16_t)(r - t->rows + 1);
	if (r->users++)
		return 0;
	memcpy(r->ctx, w->ctx, sizeof(r->ctx));
	r->uid = uid;
	r->dedicated = w->dedicated;
	err = rate_command(f->vhca, r, *index);
	if (err)
		r->users = 0;
	return err;
}

void rate_put(struct uverbs_file *f, uint16_t index)
{
	struct rate_row *r;

	if (!index)
		return;
	r = &file_function(f)->rates->rows[index - 1];
	if (!--r->users && rate_command(f->vhca, r, index))
		sim_bug("row %u of the rate table stays", index);
}
