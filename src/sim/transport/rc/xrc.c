/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extended reliable connections (IBTA vol. 1, annex A14), by RC's machines. An initiator only
 * sends; each of its requests names an SRQ of the peer. A target has no receive queue: messages for
 * any SRQ of its domain go to that SRQ.
 */
#include <dvx/prm/cmd.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/wqe.h>
#include "rc.h"

#define XRC_SEG 1u /* segments between the control segment and RC's */
#define XRC_ROW(parser, way, segs, ...)                                                 \
	{                                                                               \
		parser, true, .kind = way, .min_ds = XRC_SEG + (segs),                  \
			      .data_at = XRC_SEG + (segs), .head = XRC_SEG, __VA_ARGS__ \
	}

static wqe_rows xrc_wqe = {
	[PRM_WQE_OPCODE_NOP] = {.known = true, .kind = SEND_LOCAL, .min_ds = 1},
	WQE_CROSS_ROWS,
	[PRM_WQE_OPCODE_UMR] = {umr_parse, true, .kind = SEND_LOCAL, .min_ds = 8},
	[PRM_WQE_OPCODE_SEND] = XRC_ROW(wqe_parse_data, SEND_MESSAGE, 1, .inline_ok = true),
	[PRM_WQE_OPCODE_SEND_IMM] =
		XRC_ROW(wqe_parse_data, SEND_MESSAGE, 1, .inline_ok = true, .imm = true),
	[PRM_WQE_OPCODE_SEND_INVAL] =
		XRC_ROW(wqe_parse_data, SEND_MESSAGE, 1, .inline_ok = true, .imm = true),
	[PRM_WQE_OPCODE_RDMA_WRITE] = XRC_ROW(wqe_parse_raddr, SEND_WRITE, 2, .inline_ok = true),
	[PRM_WQE_OPCODE_RDMA_WRITE_IMM] =
		XRC_ROW(wqe_parse_raddr, SEND_WRITE, 2, .inline_ok = true, .imm = true),
	[PRM_WQE_OPCODE_RDMA_READ] = XRC_ROW(wqe_parse_raddr, SEND_READ, 2),
	[PRM_WQE_OPCODE_ATOMIC_CS] = XRC_ROW(wqe_parse_atomic, SEND_ATOMIC, 3),
	[PRM_WQE_OPCODE_ATOMIC_FA] = XRC_ROW(wqe_parse_atomic, SEND_ATOMIC, 3),
	[PRM_WQE_OPCODE_ATOMIC_MASKED_CS] = XRC_ROW(wqe_parse_masked_atomic, SEND_ATOMIC, 3),
	[PRM_WQE_OPCODE_ATOMIC_MASKED_FA] = XRC_ROW(wqe_parse_masked_atomic, SEND_ATOMIC, 3),
};

static enum drop xrc_receive(struct queue *q, struct bth_packet *p)
{
	if (bth_has_xrceth(p->opcode) ? !q->rq : !q->sq)
		return DROP_ROLE;
	return rc_receive(q, p);
}

/* Stops the queue pair and detaches the SRQ that it used last, which is not its own. */
static void xrc_stop(struct queue *q)
{
	if (q->rq)
		rq_serve(q->rq, NULL);
	rc_stop(q);
}

const struct transport transport_xrc = {
	.name = "XRC",
	.st = PRM_QP_ST_XRC,
	.bth_type = BTH_XRC,
	.wqe = &xrc_wqe,
	.changes = rc_changes,
	.nchanges = RC_CHANGES,
	.start = rc_start,
	.stop = xrc_stop,
	.rtr = rc_rtr,
	.rts = rc_rts,
	.resume = rc_resume,
	.abort = rc_abort,
	.psns = rc_psns,
	.room = req_room,
	.post = req_post,
	.receive = xrc_receive,
	.answer = rc_answer,
	.run = rc_run,
	.ready = rc_ready,
	.responds = rc_responds,
	.waits = rc_waits,
};
