/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to a peer on the same chip. While nothing observes the port and both ends are idle, a
 * request, or a part of a long one, has its whole effect in one step. The responder handles it as
 * it would handle its packets, and both ends' numbers advance as if packets had been sent and
 * answered. No packet is built, queued or parsed. A request that the responder refuses is answered
 * by packets: the requester is then in the state that it would have after sending its own.
 * (doc/design/0036)
 */
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "rc.h"
#include "base/probe.h"
#include "obj/mkey_bytes.h"
#include "obj/qp.h"
#include "transport/atomic.h"
#include "transport/direct_recv.h"

/* Returns whether packets of this path reach the queue pair, and it accepts them as its peer's. */
static bool direct_reaches(struct rc *rc, const struct rc *to)
{
	const struct qp *qp = to->qp;

	return rc->qp->remote_qpn == qp->q.o.id && eswitch_direct(&rc->path) == qp->q.o.vhca &&
	       (rc->path.forced || !memcmp(rc->path.source->gid, qp->rgid, sizeof(qp->rgid)));
}

static struct rc *direct_find(struct rc *rc, const struct vhca *to)
{
	const struct qp *qp = to ? obj_find(to, OBJ_QP, rc->qp->remote_qpn) : NULL;
	const bool both =
		qp && rc->qp->q.transport == &transport_rc && qp->q.transport == &transport_rc;
	struct rc *peer = both ? rc_of(&qp->q) : NULL;

	/* The first request in RTR makes an event, and goes as a packet. */
	if (peer && qp->q.state == QP_RTR && !peer->established)
		return NULL;
	return peer && peer->resp.up && peer->mtu == rc->mtu && direct_reaches(rc, peer) &&
			       direct_reaches(peer, rc)
		       ? peer
		       : NULL;
}

/*
 * Returns whether READs are allowed. Here a READ ends before the next one begins. If more could be
 * under way than the responder has room for (max_dest_rd_atomic), packets fail as on a wire.
 */
static bool direct_depth_fits(const struct rc *rc, const struct rc *peer)
{
	return rc->qp->log_sra_max <= peer->qp->log_rra_max;
}

/* Returns the kinds of requests that may be copied, as bits. */
static uint8_t direct_copied(const struct rc *rc, const struct rc *peer)
{
	const bool read = peer->qp->rre && direct_depth_fits(rc, peer) &&
			  !peer->qp->q.leaves; /* its share of the wire is limited: shape.c */

	return (uint8_t)(peer->qp->rwe << SEND_WRITE | read << SEND_READ);
}

static bool requester_is_idle(const struct req *q, const struct send_wr *wr)
{
	return wr == q->head && wr->numbered == (q->off > 0) && q->una == q->max &&
	       q->nxt == q->max;
}

/* inside: the request is received in parts, and the responder has begun it. */
static inline bool responder_is_idle(const struct rc *peer, const struct rc *rc, bool inside)
{
	const struct resp *r = &peer->resp;

	return r->up && (r->msg.in != OP_NONE) == inside && !r->njobs && !r->fatal &&
	       r->epsn == rc->req.nxt;
}

/* Counts the request's packets and their answers: headers beside BTH, and payload. */
static inline void direct_count(struct rc *rc, uint32_t n, uint64_t bytes, uint32_t answers,
				uint64_t back)
{
	struct direct_traffic *t = &rc->direct.done;

	t->packets += n;
	t->bytes += bytes;
	t->answers += answers;
	t->back += back;
}

static void direct_count_port(struct rc *rc)
{
	const struct direct_traffic *t = &rc->direct.done;
	const struct rc *peer = rc->direct.peer;
	struct port_stats *here = rc->qp->q.o.vhca->stats, *there = peer->qp->q.o.vhca->stats;
	uint64_t bytes = t->bytes + (uint64_t)t->packets * rc->path.overhead;
	uint64_t back = t->back + (uint64_t)t->answers * peer->path.overhead;

	here->xmit_packets += t->packets;
	here->xmit_bytes += bytes;
	there->rcv_packets += t->packets;
	there->rcv_bytes += bytes;
	there->xmit_packets += t->answers;
	there->xmit_bytes += back;
	here->rcv_packets += t->answers;
	here->rcv_bytes += back;
}

static uint64_t padded(uint64_t len)
{
	return (len + 3) & ~3ull;
}

void direct_count_turn(struct rc *rc)
{
	struct direct *d = &rc->direct;

	if (rc->ack_owed)
		direct_count(rc, 0, 0, 1, AETH_LEN);
	direct_count_port(rc);
	d->done = (struct direct_traffic){0};
	rc->ack_owed = false;
}

static __attribute__((noinline)) struct rc *direct_peer_find(struct rc *rc, struct vhca *to)
{
	struct direct *d = &rc->direct;

	direct_end_turn(rc);
	*d = (struct direct){.to = to, .peer = direct_find(rc, to), .changes = rc->sched->changes};
	if (d->peer) {
		d->qp = d->peer->qp;
		d->copied = direct_copied(rc, d->peer);
		d->at_once = rc->qp->q.leaves ? 0 : d->copied;
	}
	return d->peer;
}

/* Returns the peer's connection, or NULL if packets go another way or are lost. */
static inline struct rc *direct_peer(struct rc *rc)
{
	const struct direct *d = &rc->direct;
	struct vhca *to = eswitch_direct(&rc->path);

	return d->to == to && d->changes == rc->sched->changes ? d->peer : direct_peer_find(rc, to);
}

/* Marks all up to psn as sent and acknowledged. */
static void direct_acknowledged(struct rc *rc, uint32_t psn)
{
	struct req *q = &rc->req;

	q->una = q->nxt = q->max = q->ack_asked = psn;
	q->retries = rc->qp->retry_count;
	q->rnr_left = rc->qp->rnr_retry;
}

static void direct_number(struct rc *rc, struct send_wr *wr)
{
	if (wr->numbered)
		return;
	wr->numbered = true;
	wr->psn = rc->req.nxt;
	wr->npsn = message_packets(wr->len, rc->mtu);
}

/* --- WRITE and READ, from memory to memory ---------------------------------------------------- */

/* Returns whether memory is all that a request of these kinds needs. */
static inline bool copy_allowed(const struct rc *rc, const struct send_wr *wr, uint8_t kinds)
{
	return kinds >> wr->kind & 1 && !wr->has_imm && !wr_inlines(&rc->qp->q, wr);
}

/* Moves both ends on by a request of npsn packets that was done. */
static inline void direct_memory_done(struct rc *rc, struct rc *peer, const struct send_wr *wr,
			       uint32_t end, uint32_t npsn)
{
	direct_acknowledged(rc, end);
	peer->resp.epsn = end;
	peer->resp.msn++;
	rc->req.sent += wr->len;
	if (wr->kind == SEND_READ) {
		rc_stats(peer)->rx_read_requests++;
		direct_count(rc, 1, RETH_LEN, npsn,
			     padded(wr->len) + (npsn > 1 ? 2 : 1) * AETH_LEN);
	} else {
		rc_stats(peer)->rx_write_requests++;
		direct_count(rc, npsn, RETH_LEN + padded(wr->len), 0, 0);
		rc->ack_owed = true;
	}
}

/* Copies the request's one segment by stores, or returns false if an end needs a call. */
static inline __attribute__((always_inline)) bool
direct_store_kind(struct queue *q, struct queue *peer, const struct send_wr *wr, bool read)
{
	const struct data_seg *s = &wr->data;
	const struct device *dev = q->o.vhca->dev;
	const uint64_t now = mkey_changes_of(dev);
	uint8_t *const remote = mkey_bytes_at(peer, MKEY_BY_PEER, now, wr->rkey, wr->raddr, wr->len,
					      read ? MKEY_RR : MKEY_RW);
	uint8_t *const local = s->inl ? NULL
				      : mkey_bytes_at(q, MKEY_BY_REQUEST, now, s->lkey, s->addr,
						      wr->len, read ? MKEY_LW : MKEY_LR);

	if (!remote || (!local && !s->inl) || post_waiting(dev->queues))
		return false;
	if (read) {
		dma_bytes_store(local, remote, wr->len);
	} else {
		cq_before_reply(peer);
		dma_bytes_store(remote, local ? local : s->inl, wr->len);
	}
	return true;
}

/* Either copy of the code knows the kind. */
static inline __attribute__((always_inline)) bool direct_store(struct queue *q, struct queue *peer,
							       const struct send_wr *wr)
{
	return wr->kind == SEND_READ ? direct_store_kind(q, peer, wr, true)
				     : direct_store_kind(q, peer, wr, false);
}

static bool direct_memory(struct rc *rc, struct rc *peer, struct send_wr *wr)
{
	struct queue *const q = &rc->qp->q, *const to = &peer->qp->q;

	if (!copy_allowed(rc, wr, rc->direct.copied) || wr->len > DIRECT_BYTES || rc->req.off ||
	    !((wr->one && direct_store(q, to, wr)) || direct_copy(q, to, wr)))
		return false;
	direct_number(rc, wr);
	direct_memory_done(rc, peer, wr, psn_add(rc->req.nxt, wr->npsn), wr->npsn);
	wr->done = true;
	return true;
}

/*
 * Does a part of a long READ. Each part asks the responder for the rest, as after a lost response
 * (step_read()), so packets may bring the remainder.
 */
static bool direct_read_part(struct rc *rc, struct rc *peer, struct send_wr *wr)
{
	struct req *q = &rc->req;
	const uint64_t off = (uint64_t)wr->got * rc->mtu, most = DIRECT_BYTES / rc->mtu * rc->mtu;
	const uint64_t n = wr->len - off < most ? wr->len - off : most;
	const uint32_t npkts = message_packets(n, rc->mtu);
	const bool first = !wr->got, last = off + n == wr->len;

	if (!copy_allowed(rc, wr, rc->direct.copied) ||
	    !direct_read(&rc->qp->q, &peer->qp->q, wr, off, n))
		return false;
	direct_number(rc, wr);
	direct_acknowledged(rc, psn_add(q->nxt, npkts));
	peer->resp.epsn = q->nxt;
	wr->got += npkts;
	q->off += n;
	q->sent += n;
	direct_count(rc, first, first ? RETH_LEN : 0, npkts,
		     padded(n) + (uint32_t)(first + last) * AETH_LEN);
	if (last) {
		peer->resp.msn++;
		rc_stats(peer)->rx_read_requests++;
		wr->done = true;
	}
	return true;
}

/*
 * Does a WRITE or READ of one packet when it is fetched, if nothing is under way and both ends
 * need only loads and stores: it takes no place in the list, and no turn.
 */
static inline bool direct_at_once(struct rc *rc, struct send_wr *wr)
{
	const struct req *q = &rc->req;
	struct rc *peer;

	if (q->head || !wr->one || wr->len > rc->mtu || q->una != q->max ||
	    probe_active(PROBE_FRAME_OUT))
		return false;
	peer = direct_peer(rc);
	if (!peer || !copy_allowed(rc, wr, rc->direct.at_once) ||
	    !responder_is_idle(peer, rc, false) || !direct_store(&rc->qp->q, &peer->qp->q, wr))
		return false;
	direct_memory_done(rc, peer, wr, psn_add(q->nxt, 1), 1);
	sq_done(&rc->qp->sq, wr);
	return true;
}

void direct_begin(struct rc *rc, struct send_wr *wr)
{
	if (!direct_at_once(rc, wr))
		req_queue(rc, wr);
}

/* --- SEND, from memory to a receive entry ------------------------------------------------------
 */

/* Completes a SEND. If the peer's CQ has failed, its connection has ended without an answer. */
static void direct_received(struct rc *rc, struct rc *peer, struct send_wr *wr)
{
	const struct recv_done done = {
		.opcode = wr->has_imm ? PRM_CQE_OPCODE_RESP_SEND_IMM : PRM_CQE_OPCODE_RESP_SEND,
		.solicited = wr->solicited,
		.imm = wr->has_imm ? wr->imm : 0,
		.len = wr->len,
		.rqpn = peer->qp->remote_qpn,
	};
	uint32_t end;

	direct_number(rc, wr);
	end = psn_add(rc->req.nxt, wr->npsn);
	peer->resp.epsn = end;
	peer->resp.msn++;
	peer->resp.msg.recv = false;
	rc->req.sent += wr->len;
	direct_count(rc, wr->npsn, (wr->has_imm ? IMM_LEN : 0) + padded(wr->len), 0, 0);
	rc->ack_owed = true;
	rq_end(&peer->qp->rq, &done);
	wr->done = peer->resp.up;
	if (wr->done)
		direct_acknowledged(rc, end);
	else
		req_unanswered(rc, end, true);
}

/* Does a SEND. An entry that can't be filled stays the responder's current one. */
static bool direct_send(struct rc *rc, struct rc *peer, struct send_wr *wr)
{
	struct rq *rq = peer->qp->q.rq;
	struct message *m = &peer->resp.msg;

	if (!wr->one || wr->opcode == PRM_WQE_OPCODE_SEND_INVAL || wr->len > DIRECT_BYTES ||
	    rc->req.off || !rq || rq_inlines(rq, wr->len))
		return false;
	m->recv = m->recv || rq_begin(rq);
	if (!m->recv || !direct_receive(&rc->qp->q, rq, wr, NULL))
		return false;
	direct_received(rc, peer, wr);
	return true;
}

/* --- what the responder takes as it takes packets --------------------------------------------- */

/* Returns whether the responder took it. If not, its answer says why, and comes as a packet. */
static bool direct_taken(struct rc *rc, struct rc *peer, struct bth_packet *p)
{
	uint32_t end = psn_add(p->psn, p->npkts);
	enum drop why;

	p->op = bth_row(p->opcode)->op;
	p->starts = bth_row(p->opcode)->starts;
	p->ends = bth_row(p->last_opcode)->ends;
	p->mtu = rc->mtu;
	why = resp_rx(peer, p);
	if (why)
		roce_port_dropped(peer->qp->q.o.vhca, peer->qp->q.o.id, p->npkts, why);
	if (peer->resp.up && !peer->resp.fatal && peer->resp.epsn == end) {
		direct_acknowledged(rc, end);
		return true;
	}
	req_unanswered(rc, end, p->ends);
	return false;
}

/* Returns the bytes of headers beside BTH in the packets of a part of a message. */
static uint32_t direct_headers(const struct bth_packet *p, const struct send_wr *wr, bool last)
{
	const struct bth_row *end = bth_row(p->last_opcode);

	return (bth_row(p->opcode)->reth ? RETH_LEN : 0) +
	       (last && (wr->has_imm || end->inv) ? IMM_LEN : 0);
}

static void direct_data(struct rc *rc, struct rc *peer, struct send_wr *wr)
{
	struct req *q = &rc->req;
	uint64_t left = wr->len - q->off, most = DIRECT_BYTES / rc->mtu * rc->mtu;
	size_t n = (size_t)(left < most ? left : most);
	struct bth_packet p = {
		.psn = q->nxt,
		.npkts = message_packets(n, rc->mtu),
		.va = wr->raddr,
		.rkey = wr->rkey,
		.dma_len = (uint32_t)wr->len,
		.imm = wr->imm,
		.len = (uint32_t)n,
		.data = wr_bytes(&rc->qp->q, wr, q->off, n),
	};
	bool first = !q->off, last = n == left;

	direct_number(rc, wr); /* begun: a wrong signature leaves it here (req_unsent()) */
	if (!p.data) {
		p.data = direct_buffer(rc->sched);
		wr->error = n ? wr_gather(&rc->qp->q, wr, q->off, n, direct_buffer(rc->sched)) : 0;
	}
	if (wr->error)
		return;
	message_opcodes(&p, BTH_RC, wr, first, last);
	p.solicited = last && wr->solicited;
	q->sent += n;
	q->off += n;
	direct_count(rc, p.npkts, direct_headers(&p, wr, last) + padded(n), 0, 0);
	rc->ack_owed |= last;
	wr->done = direct_taken(rc, peer, &p) && last;
}

/* Does an atomic on memory; direct_atomic() handles or refuses the cases that remain. */
static bool direct_atomic_memory(struct rc *rc, struct rc *peer, struct send_wr *wr)
{
	uint64_t old;

	if (!direct_fetch(&peer->qp->q, wr, &old))
		return false;
	direct_number(rc, wr);
	direct_count(rc, 1, bth_row(atomic_opcode(wr))->atomic, 1, AETH_LEN + ATOMIC_ACK_LEN);
	direct_acknowledged(rc, psn_add(rc->req.nxt, 1));
	peer->resp.epsn = rc->req.nxt;
	peer->resp.msn++;
	rc_stats(peer)->rx_atomic_requests++;
	wr->error = wr_atomic_found(&rc->qp->q, wr, old);
	wr->done = !wr->error;
	return true;
}

static void direct_atomic(struct rc *rc, struct rc *peer, struct send_wr *wr)
{
	uint8_t headers[MASKED_ETH_LEN];
	struct bth_packet p = {.psn = rc->req.nxt, .npkts = 1};

	direct_number(rc, wr);
	p.va = wr->raddr;
	p.rkey = wr->rkey;
	p.dma_len = (uint32_t)wr->len;
	atomic_request(&p, wr, headers);
	direct_count(rc, 1, bth_row(p.opcode)->atomic, 1, AETH_LEN + ATOMIC_ACK_LEN);
	wr->asked = true;
	if (!direct_taken(rc, peer, &p)) {
		rc->req.reads++;
		return;
	}
	wr->error = wr_atomic_found(&rc->qp->q, wr, resp_take_atomic(peer));
	wr->done = !wr->error;
}

/* Does a whole request between memory that the device reaches itself. */
static bool direct_whole(struct rc *rc, struct rc *peer, struct send_wr *wr)
{
	switch (wr->kind) {
	case SEND_MESSAGE:
		return peer != rc && direct_send(rc, peer, wr);
	case SEND_ATOMIC:
		return peer != rc && direct_atomic_memory(rc, peer, wr);
	default:
		return direct_memory(rc, peer, wr);
	}
}

bool direct_step(struct rc *rc, struct send_wr *wr)
{
	struct rc *peer;

	if (!requester_is_idle(&rc->req, wr) || rc->owner || probe_active(PROBE_FRAME_OUT))
		return false;
	peer = direct_peer(rc);
	if (!peer || !responder_is_idle(peer, rc, rc->req.off > 0 && wr->kind != SEND_READ) ||
	    (wr->kind >= SEND_READ && !direct_depth_fits(rc, peer)))
		return false;
	if (direct_whole(rc, peer, wr))
		return true;
	if (peer == rc || !peer->resp.up)
		return false;
	if (wr->kind == SEND_READ)
		return direct_read_part(rc, peer, wr);
	if (wr->kind == SEND_ATOMIC)
		direct_atomic(rc, peer, wr);
	else
		direct_data(rc, peer, wr);
	return true;
}
