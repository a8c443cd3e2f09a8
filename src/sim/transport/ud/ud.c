/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unreliable datagrams (IBTA vol. 1, 9.8.3): each request is one packet and carries the address of
 * its receiver. A packet that can't be received is dropped without an answer.
 */
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/wqe.h>
#include "ud.h"
#include "base/log.h"
#include "obj/qp.h"
#include "obj/device.h"
#include "port/port.h"
#include "queue/services.h"
#include "transport/av.h"
#include "transport/message.h"
#include "transport/roce_port.h"
#include "transport/sender.h"
#include "transport/transport.h"

#define MTU_MAX	 4096u

/* --- sending ------------------------------------------------------------------------------- */

static void ud_parse(struct queue *q, struct send_wr *wr)
{
	if (!av_check(q, wr))
		return;
	wqe_parse_data(q, wr);
	if (wr->error || wr->len <= qp_mtu(qp_of(q)))
		return;
	obj_refuse(&q->o, "send WQE %u: a datagram of %llu bytes is over the MTU, %u", wr->index,
		   (unsigned long long)wr->len, qp_mtu(qp_of(q)));
	wr->error = PRM_SYNDROME_LOCAL_LENGTH_ERR;
}

static void ud_find_path(struct queue *q, const uint8_t *av)
{
	struct ud *ud = ud_of(q);

	if (ud->path.from &&
	    !memcmp(ud->av + AV_ADDRESS, av + AV_ADDRESS, PRM_AV_BYTES - AV_ADDRESS))
		return;
	memcpy(ud->av, av, PRM_AV_BYTES);
	av_path(q->o.vhca, av, &ud->path);
	ud->header.len = 0;
}

static enum sender_step ud_send_packet(struct queue *q, struct send_wr *wr)
{
	struct ud *ud = ud_of(q);
	struct bth_packet p = {
		.npkts = 1,
		.psn = ud->psn,
		.dqpn = prm_av_get_dqp_dct(av_of(wr)),
		.sqpn = ud_sqpn(q),
		.qkey = ud_qkey(q, av_of(wr)),
		.imm = wr->imm,
		.solicited = wr->solicited,
	};
	struct frame *f;

	if (!port_room(q->o.vhca->dev->port) ||
	    !(f = roce_port_frame(&ud->path, MTU_MAX, wr->len)))
		return SENDER_WAITS;
	wr->error = wr->len ? wr_gather(q, wr, 0, wr->len, f->data) : 0;
	if (wr->error) {
		frame_free(f);
		return SENDER_DONE;
	}
	message_opcodes(&p, BTH_UD, wr, true, true);
	roce_port_send_to(qp_of(q), &ud->path, &p, f);
	ud->psn = psn_add(ud->psn, 1);
	return SENDER_DONE;
}

static enum sender_step ud_send(struct queue *q, struct send_wr *wr)
{
	ud_find_path(q, av_of(wr));
	return ud_direct(q, wr) ? SENDER_DONE : ud_send_packet(q, wr);
}

/* --- receiving ----------------------------------------------------------------------------- */

/*
 * Drops a packet. A receive that is too small stays for the next packet (IBTA vol. 1, 9.9.3, class
 * D); an SRQ's entry ends with an error CQE and stops nothing (class E) [I]. An entry whose memory
 * is unmapped or forbidden is an error of the queue.
 */
static enum drop ud_drop(struct queue *q, uint8_t syndrome)
{
	const struct recv_done failed = {.syndrome = syndrome};
	const bool small = syndrome == PRM_SYNDROME_LOCAL_LENGTH_ERR;

	if (small && !q->rq->srq)
		return DROP_RECEIVE;
	ud_of(q)->recv = false;
	rq_end(q->rq, &failed);
	if (!small)
		queue_error(q, 0);
	return DROP_RECEIVE;
}

static enum drop ud_take(struct queue *q, const struct bth_packet *p)
{
	const struct recv_done done = {
		.opcode = bth_row(p->opcode)->imm ? PRM_CQE_OPCODE_RESP_SEND_IMM
						  : PRM_CQE_OPCODE_RESP_SEND,
		.solicited = p->solicited,
		.imm = p->imm,
		.len = ROCE_GRH + p->len,
		.rqpn = p->sqpn,
		.datagram = true,
		.network = (uint8_t)roce_network(p->roce->grh),
		.tagged = p->roce->tagged,
		.tci = p->roce->tci,
	};
	uint8_t bytes[ROCE_GRH + MTU_MAX], syndrome;

	memcpy(bytes, p->roce->grh, ROCE_GRH);
	memcpy(bytes + ROCE_GRH, p->data, p->len);
	syndrome = rq_scatter_posted(q->rq, 0, ROCE_GRH + p->len, bytes);
	if (syndrome)
		return ud_drop(q, syndrome);
	ud_of(q)->recv = false;
	rq_end(q->rq, &done);
	return DROP_NONE;
}

static enum drop ud_receive(struct queue *q, struct bth_packet *p)
{
	struct ud *ud = ud_of(q);

	if (!ud->up)
		return DROP_STATE;
	if (p->qkey != qp_of(q)->qkey) {
		q->o.vhca->qkey_violations++;
		return DROP_QKEY;
	}
	if (p->len > qp_mtu(qp_of(q)))
		return DROP_MTU;
	if (!ud->recv)
		ud->recv = rq_begin(q->rq);
	if (!ud->recv) {
		q->stats->out_of_buffer++;
		return DROP_NO_RECEIVE;
	}
	return ud_take(q, p);
}

/* --- life ---------------------------------------------------------------------------------- */

static int ud_start(struct queue *q)
{
	return sender_start(q, sizeof(struct ud), ud_send);
}

static void ud_rtr(struct queue *q)
{
	roce_port_purge(qp_of(q));
	ud_of(q)->up = true;
}

static void ud_rts(struct queue *q)
{
	ud_of(q)->psn = qp_of(q)->next_send_psn & PSN_MASK;
	ud_of(q)->sender.sending = true;
}

static void ud_psns(struct queue *q)
{
	const struct ud *ud = ud_of(q);

	if (ud->sender.sending)
		qp_of(q)->next_send_psn = ud->psn;
}

static struct send_wr *ud_abort(struct queue *q)
{
	struct ud *ud = ud_of(q);

	ud->sender.sending = ud->up = ud->recv = false;
	return sender_abort(q);
}

#define UD_SEND                                                           \
	.parse = ud_parse, .known = true, .kind = SEND_MESSAGE,           \
	.min_ds = 1 + PRM_WQE_DATAGRAM_SEG_BYTES / 16, .inline_ok = true, \
	.data_at = 1 + PRM_WQE_DATAGRAM_SEG_BYTES / 16

static wqe_rows ud_wqe = {
	[PRM_WQE_OPCODE_NOP] = {.known = true, .kind = SEND_LOCAL, .min_ds = 1},
	WQE_CROSS_ROWS,
	[PRM_WQE_OPCODE_SEND] = {UD_SEND},
	[PRM_WQE_OPCODE_SEND_IMM] = {UD_SEND, .imm = true},
};

#define UD_ANY (PRM_QP_OPTPAR_Q_KEY | QP_OPT_ANY)

/* [I] RTR sets the MTU, as for connected transports. */
static const struct qp_change ud_changes[] = {
	{PRM_OPCODE_RST2INIT_QP, 1 << QP_RST, QP_INIT,
	 QP_FIELD_PKEY | QP_FIELD_PORT | QP_FIELD_QKEY, UD_ANY},
	{PRM_OPCODE_INIT2INIT_QP, 1 << QP_INIT, QP_INIT, 0,
	 UD_ANY | PRM_QP_OPTPAR_PKEY_INDEX | PRM_QP_OPTPAR_PRI_PORT},
	{PRM_OPCODE_INIT2RTR_QP, 1 << QP_INIT, QP_RTR, QP_FIELD_MTU,
	 UD_ANY | PRM_QP_OPTPAR_PKEY_INDEX},
	{PRM_OPCODE_RTR2RTS_QP, 1 << QP_RTR, QP_RTS, QP_FIELD_SEND_PSN, UD_ANY},
	{PRM_OPCODE_RTS2RTS_QP, 1 << QP_RTS, QP_RTS, 0, UD_ANY},
	{PRM_OPCODE_SQERR2RTS_QP, 1 << QP_SQER, QP_RTS, 0, UD_ANY},
};

/* Rows that QP1 has, too. */
#define UD_ROWS                                                                                   \
	.pinned = PINNED_RECEIVES, .datagrams = true, .wqe = &ud_wqe, .changes = ud_changes,      \
	.nchanges = sizeof(ud_changes) / sizeof(ud_changes[0]), .rtr = ud_rtr, .rts = ud_rts,     \
	.resume = sender_resume, .abort = ud_abort, .psns = ud_psns, .abort_sends = sender_abort, \
	.room = sender_room, .post = sender_post, .receive = ud_receive, .run = sender_run,       \
	.ready = sender_ready

const struct transport transport_ud = {
	.name = "UD",
	.st = PRM_QP_ST_UD,
	.bth_type = BTH_UD,
	.start = ud_start,
	.stop = sender_stop,
	UD_ROWS,
};

static int qp1_start(struct queue *q)
{
	int err = ud_start(q);

	if (!err)
		q->o.vhca->qp1 = q;
	return err;
}

static void qp1_stop(struct queue *q)
{
	q->o.vhca->qp1 = NULL;
	sender_stop(q);
}

/*
 * The queue pair by which mlx5_ib sends and receives MADs (its gsi.c): datagrams whose number is 1
 * on the wire, whatever number CREATE_QP gave. [I] Packets for the other number do not reach it.
 */
const struct transport transport_qp1 = {
	.name = "QP1",
	.st = PRM_QP_ST_QP1,
	.kernel = true,
	.bth_type = TRANSPORT_UNREACHED,
	.start = qp1_start,
	.stop = qp1_stop,
	UD_ROWS,
};
