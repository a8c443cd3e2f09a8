/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unreliable connections (IBTA vol. 1, 9.8.2): a request is done when its last packet is sent,
 * without an acknowledgement. A gap in the PSNs drops the message that it is in.
 */
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/wqe.h>
#include "obj/qp.h"
#include "obj/device.h"
#include "port/port.h"
#include "queue/services.h"
#include "transport/message.h"
#include "transport/roce_port.h"
#include "transport/sender.h"
#include "transport/transport.h"

struct uc {
	struct sender sender; /* first member */
	struct roce_path path;
	uint32_t mtu;
	uint32_t psn;
	/* the responder */
	bool up;	  /* RTR or later */
	bool established; /* as in struct rc */
	uint32_t epsn;
	struct message msg;
};

static struct uc *uc_of(const struct queue *q)
{
	return q->conn;
}

/* --- sending ------------------------------------------------------------------------------- */

/* Sends a packet, or a burst. */
static enum sender_step uc_send(struct queue *q, struct send_wr *wr)
{
	struct uc *uc = uc_of(q);
	uint64_t left = wr->len - wr->progress;
	uint64_t most = (uint64_t)roce_port_burst(&uc->path, uc->mtu) * uc->mtu;
	size_t n = (size_t)(left < most ? left : most);
	struct bth_packet p = {.psn = uc->psn, .npkts = message_packets(n, uc->mtu)};
	bool last = n == left;
	struct frame *f;

	if (!port_room(q->o.vhca->dev->port) || !(f = roce_port_frame(&uc->path, uc->mtu, n)))
		return SENDER_WAITS;
	wr->error = n ? wr_gather(q, wr, wr->progress, n, f->data) : 0;
	if (wr->error) {
		frame_free(f);
		return SENDER_DONE;
	}
	message_opcodes(&p, BTH_UC, wr, wr->progress == 0, last);
	p.va = wr->raddr;
	p.rkey = wr->rkey;
	p.dma_len = (uint32_t)wr->len;
	p.imm = wr->imm;
	p.solicited = last && wr->solicited;
	roce_port_send(qp_of(q), &uc->path, &p, f);
	wr->progress += n;
	uc->psn = psn_add(uc->psn, p.npkts);
	return last ? SENDER_DONE : SENDER_SENT;
}

/* --- receiving ----------------------------------------------------------------------------- */

/*
 * Reasons to drop a message. A bad message is dropped silently. [I] Only a bad key of the receive
 * entry is an error. An SRQ's entry that is too small ends with an error CQE and stops nothing
 * (IBTA vol. 1, 9.9.3, class E).
 */
static const enum drop uc_drops[] = {
	[MESSAGE_NO_RECEIVE] = DROP_NO_RECEIVE, [MESSAGE_NO_PAGE] = DROP_MESSAGE,
	[MESSAGE_INVALID] = DROP_MESSAGE,	[MESSAGE_FORBIDDEN] = DROP_ACCESS,
	[MESSAGE_RECV_FAILED] = DROP_RECEIVE,
};

static enum drop uc_drop(struct queue *q, const struct message_result *m)
{
	struct uc *uc = uc_of(q);
	const struct recv_done failed = {.syndrome = m->syndrome};
	const bool small = m->syndrome == PRM_SYNDROME_LOCAL_LENGTH_ERR;

	uc->msg.in = OP_NONE; /* the next message uses its receive entry */
	if (m->end == MESSAGE_NO_RECEIVE)
		q->stats->out_of_buffer++;
	if (m->end != MESSAGE_RECV_FAILED || (small && !q->rq->srq))
		return uc_drops[m->end];
	uc->msg.recv = false;
	rq_end(q->rq, &failed);
	if (!small)
		queue_error(q, 0);
	return uc_drops[m->end];
}

static enum drop uc_take(struct queue *q, const struct bth_packet *p)
{
	struct uc *uc = uc_of(q);
	struct message_result m = message_take(&uc->msg, qp_of(q), p, uc->mtu);

	if (m.end)
		return uc_drop(q, &m);
	if (p->ends)
		message_done(&uc->msg, qp_of(q), p);
	return DROP_NONE;
}

static enum drop uc_receive(struct queue *q, struct bth_packet *p)
{
	struct uc *uc = uc_of(q);
	struct bth_packet head;
	enum drop why;

	if (!uc->up)
		return DROP_STATE;
	if (!bth_cut_for(p, uc->mtu))
		return DROP_BURST;
	if (p->psn != uc->epsn)
		q->stats->out_of_sequence++;
	if (p->psn != uc->epsn || p->starts)
		uc->msg.in = OP_NONE;
	uc->epsn = psn_add(p->psn, p->npkts);
	if (!p->starts && uc->msg.in == OP_NONE)
		return DROP_GAP;
	if (message_split(p, uc->mtu, &head)) {
		why = uc_take(q, &head);
		if (why)
			return why;
	}
	why = uc_take(q, p);
	if (!why && q->state == QP_RTR && !uc->established) {
		uc->established = true;
		eq_queue(q, PRM_EVENT_COMM_EST);
	}
	return why;
}

/* --- life ---------------------------------------------------------------------------------- */

static int uc_start(struct queue *q)
{
	return sender_start(q, sizeof(struct uc), uc_send);
}

static void uc_rtr(struct queue *q)
{
	struct uc *uc = uc_of(q);
	struct qp *qp = qp_of(q);

	roce_port_purge(qp);
	roce_port_path(qp, &uc->path);
	uc->mtu = qp_mtu(qp);
	uc->epsn = qp->next_rcv_psn & PSN_MASK;
	uc->up = true;
	uc->established = false;
}

static void uc_rts(struct queue *q)
{
	uc_of(q)->psn = qp_of(q)->next_send_psn & PSN_MASK;
	uc_of(q)->sender.sending = true;
}

static void uc_resume(struct queue *q)
{
	uc_of(q)->path.udp_sport = qp_of(q)->udp_sport; /* RTS2RTS can change it */
	sender_resume(q);
}

static void uc_psns(struct queue *q)
{
	const struct uc *uc = uc_of(q);

	if (uc->up)
		qp_of(q)->next_rcv_psn = uc->epsn;
	if (uc->sender.sending)
		qp_of(q)->next_send_psn = uc->psn;
}

static struct send_wr *uc_abort(struct queue *q)
{
	struct uc *uc = uc_of(q);

	uc->sender.sending = uc->up = false;
	memset(&uc->msg, 0, sizeof(uc->msg));
	return sender_abort(q);
}

/* [I] No MMO, and no SEND with invalidate, for which IBTA defines no UC opcode (vol. 1, 9.2.1). */
static wqe_rows uc_wqe = {
	[PRM_WQE_OPCODE_NOP] = {.known = true, .kind = SEND_LOCAL, .min_ds = 1},
	WQE_CROSS_ROWS,
	[PRM_WQE_OPCODE_UMR] = {umr_parse, true, .kind = SEND_LOCAL, .min_ds = 8},
	[PRM_WQE_OPCODE_SEND] = WQE_SEND,
	[PRM_WQE_OPCODE_SEND_IMM] = WQE_SEND_IMM,
	[PRM_WQE_OPCODE_RDMA_WRITE] = WQE_WRITE,
	[PRM_WQE_OPCODE_RDMA_WRITE_IMM] = WQE_WRITE_IMM,
};

#define UC_ANY (PRM_QP_OPTPAR_RWE | QP_OPT_ANY)

static const struct qp_change uc_changes[] = {
	{PRM_OPCODE_RST2INIT_QP, 1 << QP_RST, QP_INIT, QP_FIELD_PKEY | QP_FIELD_PORT | QP_FIELD_RWE,
	 UC_ANY},
	{PRM_OPCODE_INIT2INIT_QP, 1 << QP_INIT, QP_INIT, 0,
	 UC_ANY | PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_PRI_PORT},
	{PRM_OPCODE_INIT2RTR_QP, 1 << QP_INIT, QP_RTR, QP_FIELD_PATH | QP_FIELD_MTU | QP_FIELD_PEER,
	 UC_ANY | PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_PRIMARY_ADDR_PATH},
	{PRM_OPCODE_RTR2RTS_QP, 1 << QP_RTR, QP_RTS, QP_FIELD_SEND_PSN,
	 UC_ANY | PRM_QP_OPTPAR_PM_STATE},
	{PRM_OPCODE_RTS2RTS_QP, 1 << QP_RTS, QP_RTS, 0, UC_ANY | PRM_QP_OPTPAR_PM_STATE},
	{PRM_OPCODE_SQERR2RTS_QP, 1 << QP_SQER, QP_RTS, 0, UC_ANY},
};

const struct transport transport_uc = {
	.name = "UC",
	.st = PRM_QP_ST_UC,
	.bth_type = BTH_UC,
	.pinned = PINNED_REQUESTS | PINNED_RECEIVES | PINNED_SHARED_RECEIVES,
	.wqe = &uc_wqe,
	.changes = uc_changes,
	.nchanges = sizeof(uc_changes) / sizeof(uc_changes[0]),
	.start = uc_start,
	.stop = sender_stop,
	.rtr = uc_rtr,
	.rts = uc_rts,
	.resume = uc_resume,
	.abort = uc_abort,
	.psns = uc_psns,
	.abort_sends = sender_abort,
	.room = sender_room,
	.post = sender_post,
	.receive = uc_receive,
	.run = sender_run,
	.ready = sender_ready,
};
