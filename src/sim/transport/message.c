/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "message.h"
#include "transport.h"
#include "obj/qp.h"
#include "obj/vhca.h"
#include "queue/services.h"

static const uint8_t opcodes[2][2][2] = {
	/* [write][first][last] */
	{{BTH_SEND_MIDDLE, BTH_SEND_LAST}, {BTH_SEND_FIRST, BTH_SEND_ONLY}},
	{{BTH_WRITE_MIDDLE, BTH_WRITE_LAST}, {BTH_WRITE_FIRST, BTH_WRITE_ONLY}},
};

void message_opcodes(struct bth_packet *p, enum bth_type type, const struct send_wr *wr, bool first,
		     bool last)
{
	const bool write = wr->kind == SEND_WRITE, one = p->npkts == 1;

	p->opcode = opcodes[write][first][one && last];
	p->last_opcode = opcodes[write][one && first][last];
	if (last && wr->opcode == PRM_WQE_OPCODE_SEND_INVAL)
		p->last_opcode = one && first ? BTH_SEND_ONLY_INV : BTH_SEND_LAST_INV;
	else if (last && wr->has_imm)
		p->last_opcode++; /* LAST_IMM and ONLY_IMM follow LAST and ONLY */
	if (one)
		p->opcode = p->last_opcode;
	p->opcode |= (uint8_t)(type * BTH_OPS);
	p->last_opcode |= (uint8_t)(type * BTH_OPS);
}

static bool length_fits(const struct bth_packet *p, uint32_t mtu)
{
	if (!p->ends)
		return p->len == p->npkts * mtu;
	if (p->npkts == 1 && p->starts)
		return p->len <= mtu;
	return p->len > (p->npkts - 1) * mtu && p->len <= p->npkts * mtu;
}

static struct message_result message_failed(enum message_end end, const char *why)
{
	return (struct message_result){.end = end, .why = why};
}

static struct message_result write_begins(struct message *m, struct qp *qp,
					  const struct bth_packet *p)
{
	if (!qp->rwe)
		return message_failed(MESSAGE_FORBIDDEN, "WRITE, but qpc.rwe is clear");
	if (p->dma_len > MSG_MAX)
		return message_failed(MESSAGE_INVALID, "RETH.dmalen is over 2 GiB");
	(void)queue_page_fault(&qp->q);
	if (p->dma_len && !remote_check(&qp->q, p->rkey, p->va, p->dma_len, true))
		return message_failed(MESSAGE_FORBIDDEN, "RETH of a WRITE");
	if (queue_page_fault(&qp->q))
		return message_failed(MESSAGE_NO_PAGE, "a page on demand is absent");
	m->va = p->va;
	m->rkey = p->rkey;
	m->left = p->dma_len;
	qp->q.stats->rx_write_requests++;
	return (struct message_result){0};
}

static struct message_result take_write(struct message *m, struct qp *qp,
					const struct bth_packet *p)
{
	if (p->len > m->left || (p->ends && p->len != m->left))
		return message_failed(MESSAGE_INVALID,
				      "the payload of a WRITE does not add up to RETH.dmalen");
	if (p->len && !remote_write(&qp->q, m->rkey, m->va, p->len, p->data))
		return message_failed(MESSAGE_FORBIDDEN, "the memory to WRITE is gone");
	m->va += p->len;
	m->left -= p->len;
	return (struct message_result){0};
}

static bool message_inlines(const struct qp *qp, const struct bth_packet *p)
{
	return p->op == OP_SEND && p->starts && p->ends && rq_inlines(&qp->rq, p->len);
}

static struct message_result take_send(struct message *m, struct qp *qp, const struct bth_packet *p)
{
	uint8_t syndrome;

	(void)queue_page_fault(&qp->q);
	syndrome = message_inlines(qp, p) ? rq_scatter_inline(&qp->rq, p->len)
					  : rq_scatter(&qp->rq, m->off, p->len, p->data);
	if (!syndrome && queue_page_fault(&qp->q))
		return message_failed(MESSAGE_NO_PAGE, "a page on demand is absent");
	if (!syndrome && bth_row(p->last_opcode)->inv &&
	    !remote_invalidate(&qp->q, be32toh(p->imm)))
		syndrome = PRM_SYNDROME_REMOTE_INVAL_REQ_ERR;
	return (struct message_result){
		.end = syndrome ? MESSAGE_RECV_FAILED : MESSAGE_OK,
		.syndrome = syndrome,
		.why = "its receive entry",
	};
}

static bool needs_entry(const struct bth_packet *p)
{
	return p->op == OP_SEND ? p->starts : p->ends && bth_row(p->last_opcode)->imm;
}

struct message_result message_take(struct message *m, struct qp *qp, const struct bth_packet *p,
				   uint32_t mtu)
{
	struct message_result r = {0};

	if (m->in != (p->starts ? OP_NONE : p->op))
		return message_failed(MESSAGE_INVALID,
				      p->starts ? "a message begins inside another one"
						: "a message goes on that never began");
	if (!length_fits(p, mtu))
		return message_failed(
			MESSAGE_INVALID,
			"a packet's payload does not fit its place in the message and the MTU");
	if (p->starts)
		m->off = 0;
	if (p->starts && p->op == OP_WRITE)
		r = write_begins(m, qp, p);
	if (!r.end && needs_entry(p) && !m->recv) {
		m->recv = rq_begin(qp->q.rq);
		if (!m->recv)
			return message_failed(MESSAGE_NO_RECEIVE, "no receive is posted");
	}
	if (!r.end)
		r = p->op == OP_SEND ? take_send(m, qp, p) : take_write(m, qp, p);
	if (r.end)
		return r;
	m->off += p->len;
	m->in = p->op;
	return r;
}

void message_done(struct message *m, struct qp *qp, const struct bth_packet *p)
{
	static const uint8_t opcode[2][2] = {
		{PRM_CQE_OPCODE_RESP_SEND, PRM_CQE_OPCODE_RESP_SEND_IMM},
		{PRM_CQE_OPCODE_RESP_WR_IMM, PRM_CQE_OPCODE_RESP_WR_IMM},
	};
	struct recv_done done = {
		.opcode = bth_row(p->last_opcode)->inv
				  ? PRM_CQE_OPCODE_RESP_SEND_INV
				  : opcode[p->op == OP_WRITE][bth_row(p->last_opcode)->imm],
		.solicited = p->solicited,
		.imm = p->imm,
		.len = m->off,
		.rqpn = qp->remote_qpn,
		.inl = message_inlines(qp, p) ? p->data : NULL,
	};
	/* An entry that a dropped SEND left is not a plain WRITE's. */
	bool recv = m->recv && (p->op == OP_SEND || bth_row(p->last_opcode)->imm);

	m->in = OP_NONE;
	m->off = 0;
	if (!recv)
		return;
	m->recv = false;
	rq_end(&qp->rq, &done);
}

bool message_split(struct bth_packet *p, uint32_t mtu, struct bth_packet *head)
{
	if (p->op != OP_WRITE || !p->ends || p->npkts == 1 || !bth_row(p->last_opcode)->imm)
		return false;
	*head = *p;
	head->npkts--;
	head->len = head->npkts * mtu;
	head->ends = head->ack_req = head->solicited = false;
	head->last_opcode = BTH_WRITE_MIDDLE;
	bth_skip(p, head->npkts, mtu);
	return true;
}
