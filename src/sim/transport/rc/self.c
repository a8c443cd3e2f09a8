/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A queue that is its own peer (force loopback, remote_qpn its own): libmlx5 writes steering memory
 * with WRITEs and READs of such queues, one by one. While the port is not observed and both ends
 * are at rest, such a request has its whole effect in one step, and both ends' numbers move on as
 * if its packets had been sent and answered. Whatever is wrong with it goes the long way.
 */
#include "rc.h"
#include "obj/qp.h"

static bool is_self(const struct rc *rc)
{
	const struct qp *qp = rc->qp;

	return qp->fl && qp->remote_qpn == qp->q.o.id && !rc_observed(rc);
}

static bool requester_rests(const struct req *q, const struct send_wr *wr)
{
	return wr == q->head && !q->off && !wr->numbered && q->una == q->max && q->nxt == q->max;
}

static bool responder_rests(const struct resp *r, uint32_t psn)
{
	return r->up && r->msg.in == OP_NONE && !r->njobs && !r->fatal && !r->ack_due &&
	       r->epsn == psn;
}

static bool self_allowed(const struct qp *qp, const struct send_wr *wr)
{
	if (wr->has_imm || wr->len > SELF_BYTES)
		return false;
	if (wr->kind == SEND_WRITE)
		return qp->rwe;
	return wr->kind == SEND_READ && qp->rre && !wr_inlines(&qp->q, wr);
}

/* The request's packets, and those that answer it: their headers beside BTH, and the payload. */
static void self_count(struct rc *rc, const struct send_wr *wr)
{
	struct port_stats *s = rc_stats(rc);
	bool read = wr->kind == SEND_READ;
	uint32_t n = wr->npsn + 1, aeths = read && wr->npsn > 1 ? 2 : 1;
	uint64_t bytes = (uint64_t)n * rc->path.overhead + RETH_LEN + aeths * AETH_LEN +
			 ((wr->len + 3) & ~3ull);

	s->xmit_packets += n;
	s->rcv_packets += n;
	s->xmit_bytes += bytes;
	s->rcv_bytes += bytes;
	if (read)
		s->rx_read_requests++;
	else
		s->rx_write_requests++;
}

bool self_step(struct rc *rc, struct send_wr *wr)
{
	struct req *q = &rc->req;
	struct resp *r = &rc->resp;

	if (!is_self(rc) || !requester_rests(q, wr) || !responder_rests(r, q->nxt) ||
	    !self_allowed(rc->qp, wr) || !self_copy(&rc->qp->q, wr))
		return false;
	wr->numbered = true;
	wr->psn = q->nxt;
	wr->npsn = message_packets(wr->len, rc->mtu);
	q->una = q->nxt = q->max = q->ack_asked = r->epsn = psn_add(q->nxt, wr->npsn);
	q->retries = rc->qp->retry_count;
	q->rnr_left = rc->qp->rnr_retry;
	q->sent += wr->len;
	r->msn++;
	wr->done = true;
	self_count(rc, wr);
	return true;
}
