/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue by which mlx5_ib changes its mkeys (umr.c in Linux): UMRs only, no packets. It is the
 * kernel's, and may change mkeys of any PD, and pages of memory (queue/umr.c).
 */
#include <dvx/prm/cmd.h>
#include <dvx/prm/wqe.h>
#include "sender.h"
#include "obj/queue.h"
#include "queue/services.h"
#include "transport.h"

static int reg_umr_start(struct queue *q)
{
	return sender_start(q, sizeof(struct sender), NULL);
}

static void reg_umr_rts(struct queue *q)
{
	struct sender *s = q->conn;

	s->sending = true;
}

static struct send_wr *reg_umr_abort(struct queue *q)
{
	struct sender *s = q->conn;

	s->sending = false;
	return sender_abort(q);
}

static wqe_rows reg_umr_wqe = {
	[PRM_WQE_OPCODE_UMR] = {umr_parse, true, .kind = SEND_LOCAL, .min_ds = 8},
};

/* [I] RST2INIT brings its PD, for the pointers to lists: mlx5_ib leaves it out of CREATE_QP. */
static const struct qp_change reg_umr_changes[] = {
	{PRM_OPCODE_RST2INIT_QP, 1 << QP_RST, QP_INIT, QP_FIELD_PKEY | QP_FIELD_PORT | QP_FIELD_PD,
	 0},
	{PRM_OPCODE_INIT2RTR_QP, 1 << QP_INIT, QP_RTR, QP_FIELD_MTU, 0},
	{PRM_OPCODE_RTR2RTS_QP, 1 << QP_RTR, QP_RTS, 0, 0},
};

const struct transport transport_reg_umr = {
	.name = "REG_UMR",
	.st = PRM_QP_ST_REG_UMR,
	.kernel = true,
	.bth_type = TRANSPORT_UNREACHED,
	.wqe = &reg_umr_wqe,
	.changes = reg_umr_changes,
	.nchanges = sizeof(reg_umr_changes) / sizeof(reg_umr_changes[0]),
	.start = reg_umr_start,
	.stop = sender_stop,
	.rts = reg_umr_rts,
	.abort = reg_umr_abort,
	.room = sender_room,
	.post = sender_post,
	.run = sender_run,
	.ready = sender_ready,
};
