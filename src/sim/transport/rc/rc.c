/* SPDX-License-Identifier: BSD-2-Clause */
/* Reliable connections, as the queue and the scheduler see them. */
#include <errno.h>
#include <stdlib.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/wqe.h>
#include "rc.h"

static wqe_rows rc_wqe = {
	[PRM_WQE_OPCODE_NOP] = {.known = true, .kind = SEND_LOCAL, .min_ds = 1},
	WQE_CROSS_ROWS,
	[PRM_WQE_OPCODE_UMR] = {umr_parse, true, .kind = SEND_LOCAL, .min_ds = 8},
	[PRM_WQE_OPCODE_SET_PSV] = {set_psv_parse, true, .kind = SEND_LOCAL, .min_ds = 2},
	[PRM_WQE_OPCODE_FLOW_TBL_ACCESS] = {rule_parse, true, .kind = SEND_LOCAL, .min_ds = 8},
	[PRM_WQE_OPCODE_ACCESS_ASO] = {aso_parse, true, .kind = SEND_LOCAL, .min_ds = 4},
	[PRM_WQE_OPCODE_SEND] = WQE_SEND,
	[PRM_WQE_OPCODE_SEND_IMM] = WQE_SEND_IMM,
	[PRM_WQE_OPCODE_SEND_INVAL] = WQE_SEND_IMM,
	[PRM_WQE_OPCODE_RDMA_WRITE] = WQE_WRITE,
	[PRM_WQE_OPCODE_RDMA_WRITE_IMM] = WQE_WRITE_IMM,
	[PRM_WQE_OPCODE_RDMA_READ] = {wqe_parse_raddr, true, .kind = SEND_READ, .min_ds = 2,
				      .data_at = 2},
	[PRM_WQE_OPCODE_ATOMIC_CS] = WQE_ATOMIC(wqe_parse_atomic),
	[PRM_WQE_OPCODE_ATOMIC_FA] = WQE_ATOMIC(wqe_parse_atomic),
	[PRM_WQE_OPCODE_ATOMIC_MASKED_CS] = WQE_ATOMIC(wqe_parse_masked_atomic),
	[PRM_WQE_OPCODE_ATOMIC_MASKED_FA] = WQE_ATOMIC(wqe_parse_masked_atomic),
	[PRM_WQE_OPCODE_MMO] = {mmo_parse, true, .kind = SEND_LOCAL, .min_ds = 4},
};

#define RC_ACCESS (PRM_QP_OPTPAR_RRE | PRM_QP_OPTPAR_RAE | PRM_QP_OPTPAR_RWE | QP_OPT_ANY)

const struct qp_change rc_changes[] = {
	{PRM_OPCODE_RST2INIT_QP, 1 << QP_RST, QP_INIT,
	 QP_FIELD_PKEY | QP_FIELD_PORT | QP_FIELD_ACCESS, RC_ACCESS},
	{PRM_OPCODE_INIT2INIT_QP, 1 << QP_INIT, QP_INIT, 0,
	 RC_ACCESS | PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_PRI_PORT |
		 PRM_QP_OPTPAR_DRAIN_SIGERR},
	{PRM_OPCODE_INIT2RTR_QP, 1 << QP_INIT, QP_RTR,
	 QP_FIELD_PATH | QP_FIELD_MTU | QP_FIELD_PEER | QP_FIELD_RRA | QP_FIELD_RNR_TIMER,
	 RC_ACCESS | PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_RRA_MAX | PRM_QP_OPTPAR_RNR_TIMEOUT |
		 PRM_QP_OPTPAR_PRIMARY_ADDR_PATH},
	{PRM_OPCODE_RTR2RTS_QP, 1 << QP_RTR, QP_RTS,
	 QP_FIELD_SEND_PSN | QP_FIELD_SRA | QP_FIELD_RETRY | QP_FIELD_RNR_RETRY |
		 QP_FIELD_ACK_TIMEOUT,
	 RC_ACCESS | PRM_QP_OPTPAR_RNR_TIMEOUT | PRM_QP_OPTPAR_PM_STATE | PRM_QP_OPTPAR_SRA_MAX |
		 PRM_QP_OPTPAR_RETRY_COUNT | PRM_QP_OPTPAR_RNR_RETRY | PRM_QP_OPTPAR_ACK_TIMEOUT},
	{PRM_OPCODE_RTS2RTS_QP, 1 << QP_RTS, QP_RTS, 0,
	 RC_ACCESS | PRM_QP_OPTPAR_RNR_TIMEOUT | PRM_QP_OPTPAR_PM_STATE},
	{PRM_OPCODE_SQD_RTS_QP, 1 << QP_SQD, QP_RTS, 0, RC_ACCESS | PRM_QP_OPTPAR_RNR_TIMEOUT},
	{PRM_OPCODE_SQERR2RTS_QP, 1 << QP_SQER, QP_RTS, 0, RC_ACCESS | PRM_QP_OPTPAR_RNR_TIMEOUT},
};
_Static_assert(sizeof(rc_changes) / sizeof(rc_changes[0]) == RC_CHANGES, "rc.h counts them");

void rc_clear(struct rc *rc)
{
	resp_clear(rc);
	memset(&rc->req, 0, sizeof(rc->req));
	rc->req.tail = &rc->req.head;
	rc->req.timer.fire = req_timer;
}

int rc_start(struct queue *q)
{
	struct sched *s = q->o.vhca->dev->sched;
	struct rc *rc = direct_init(s) ? NULL : calloc(1, sizeof(*rc));

	if (!rc)
		return -ENOMEM;
	rc->sched = s;
	rc->qp = qp_of(q);
	rc->job.q = q;
	rc->turn = &rc->job;
	rc->mtu = 1024;
	rc_clear(rc);
	q->conn = rc;
	return 0;
}

void rc_stop(struct queue *q)
{
	roce_port_purge(qp_of(q));
	rc_of(q)->sched->changes++;
	free(q->conn);
	q->conn = NULL;
}

void rc_rtr(struct queue *q)
{
	struct qp *qp = qp_of(q);
	struct rc *rc = rc_of(q);

	roce_port_purge(qp);
	roce_port_path(qp, &rc->path);
	rc->sched->changes++;
	rc->mtu = qp_mtu(qp);
	rc->established = false;
	resp_start(rc, qp->next_rcv_psn);
}

void rc_rts(struct queue *q)
{
	req_start(rc_of(q), qp_of(q)->next_send_psn);
}

void rc_resume(struct queue *q)
{
	struct rc *rc = rc_of(q);

	rc->path.udp_sport = rc->qp->udp_sport; /* RTS2RTS can change it */
	rc->sched->changes++;			/* likewise the peer's rights */
	rc_want_run(rc);
}

void rc_psns(struct queue *q)
{
	const struct rc *rc = rc_of(q);

	if (rc->req.sending)
		qp_of(q)->next_send_psn = rc->req.nxt;
	if (rc->resp.up)
		qp_of(q)->next_rcv_psn = rc->resp.epsn;
}

/* Stops the connection. Sends a due acknowledgement: the message was received, whatever comes. */
struct send_wr *rc_abort(struct queue *q)
{
	struct rc *rc = rc_of(q);
	struct send_wr *list = rc->req.head;

	if (rc->resp.up && rc->resp.ack_due && !rc->resp.njobs)
		resp_ack(rc);
	sched_leave(rc->sched, &rc->job);
	timer_cancel(&rc->sched->dev->timers, &rc->req.timer);
	rc_clear(rc);
	return list;
}

/*
 * Reports the first request in RTR: the program may not know yet that its peer is connected. [I] A
 * request that gets a NAK, also for lack of a receive, is not the first one.
 */
static void rc_established(struct queue *q)
{
	rc_of(q)->established = true;
	rc_of(q)->sched->changes++; /* later requests need no packet (direct.c) */
	eq_queue(q, PRM_EVENT_COMM_EST);
}

enum drop rc_receive(struct queue *q, struct bth_packet *p)
{
	struct rc *rc = rc_of(q);
	const uint32_t epsn = rc->resp.epsn;
	enum drop why;

	if (!rc->resp.up)
		return DROP_STATE;
	if (p->op == OP_READ_RESP || p->op == OP_ACK || p->op == OP_ATOMIC_ACK)
		return req_rx(rc, p);
	why = resp_rx(rc, p);
	if (q->state == QP_RTR && !rc->established && rc->resp.epsn != epsn)
		rc_established(q);
	return why;
}

static void rc_posted(struct queue *q)
{
	if (rc_of(q)->req.head)
		direct_gather(q);
	direct_end_turn(rc_of(q));
}

void rc_answer(struct queue *q)
{
	resp_ack(rc_of(q));
}

bool rc_run(struct queue *q)
{
	bool did = resp_run(rc_of(q));

	return req_run(rc_of(q)) || did;
}

bool rc_ready(const struct queue *q)
{
	return rc_of(q)->resp.njobs || req_ready(rc_of(q));
}

bool rc_responds(const struct queue *q)
{
	return rc_of(q)->resp.njobs;
}

static void rc_prefetch(const struct queue *q)
{
	prefetch(q->conn, sizeof(struct rc));
}

static void rc_prefetch_peer(const struct queue *q)
{
	const struct direct *d = &rc_of(q)->direct;

	if (!d->peer || d->changes != rc_of(q)->sched->changes)
		return;
	prefetch(d->peer, sizeof(struct rc));
	__builtin_prefetch(d->qp);
	prefetch(&d->qp->rre, 64);
}

const struct transport transport_rc = {
	.name = "RC",
	.st = PRM_QP_ST_RC,
	.bth_type = BTH_RC,
	.wqe = &rc_wqe,
	.changes = rc_changes,
	.nchanges = sizeof(rc_changes) / sizeof(rc_changes[0]),
	.start = rc_start,
	.stop = rc_stop,
	.rtr = rc_rtr,
	.rts = rc_rts,
	.resume = rc_resume,
	.abort = rc_abort,
	.psns = rc_psns,
	.unsent = req_unsent,
	.prefetch = rc_prefetch,
	.prefetch_peer = rc_prefetch_peer,
	.room = req_room,
	.post = req_post,
	.posted = rc_posted,
	.receive = rc_receive,
	.answer = rc_answer,
	.run = rc_run,
	.ready = rc_ready,
	.responds = rc_responds,
	.waits = rc_waits,
};
