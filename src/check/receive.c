/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives, of QPs and of SRQs. */
#include "watch.h"

/* A ring that receives are posted to, and whose it is. */
struct watch_receiver {
	const struct ibv_context *context;
	struct watch_qp *qp; /* NULL: an SRQ's */
	struct watch_ring *ring;
	uint32_t depth, sges; /* that were asked for */
	const struct watch_place *created;
};

static void watch_report_receive(enum check_kind kind, const struct watch_receiver *r,
				 const struct watch_work *w, uint64_t n0, uint64_t n1)
{
	watch_report(&(struct watch_finding){.kind = kind,
					     .qp = r->qp,
					     .work = w,
					     .bytes = w->bytes,
					     .n = {n0, n1},
					     .place = {&w->place, r->created}});
}

/* A first receive in ERR may be the mark by which a program waits for the end of the flush. */
static void watch_check_state(const struct watch_receiver *r, const struct watch_work *w)
{
	struct watch_qp *q = r->qp;

	if (!q || q->state != IBV_QPS_ERR)
		return;
	if (q->failed || q->receives_error)
		watch_report_receive(CHECK_RECEIVE_ERROR, r, w, 0, 0);
	q->receives_error = true;
}

static void watch_check_keys(const struct watch_receiver *r, const struct watch_work *w,
			     const struct ibv_sge *s)
{
	for (uint32_t i = 0; i < w->sges; i++) {
		const struct watch_mr *m = watch_mr_of(r->context, s[i].lkey);

		if (m && m->dead)
			watch_report(&(struct watch_finding){.kind = CHECK_KEY_OLD,
							     .qp = r->qp,
							     .work = w,
							     .addr = s[i].addr,
							     .bytes = s[i].length,
							     .place = {&w->place, &m->ended}});
	}
}

static void watch_push_receive(const struct watch_receiver *r, const struct ibv_recv_wr *wr,
			       const struct watch_place *here)
{
	const uint32_t sges = wr->num_sge > 0 ? (uint32_t)wr->num_sge : 0;
	struct watch_work *w = watch_ring_push(r->ring, wr->wr_id, wr->sg_list, sges);
	const struct ibv_sge *s;
	const uint32_t n = r->ring->head - r->ring->tail - r->ring->ended;

	if (!w)
		return;
	s = w->sge;
	w->place = *here;
	w->opcode = IBV_WC_RECV;
	w->signaled = true;
	if (n > r->depth)
		watch_report_receive(CHECK_RECEIVE_DEPTH, r, w, n, r->depth);
	if (sges > r->sges)
		watch_report_receive(CHECK_SGES, r, w, sges, r->sges);
	watch_check_state(r, w);
	watch_check_keys(r, w, s);
	if (r->qp && r->qp->recv_cq)
		watch_cq_expect(r->qp->recv_cq, r->qp, w);
	watch_poison(r->context, s, w->sges);
}

static void watch_drop_receives(const struct watch_receiver *r, const struct ibv_recv_wr *bad)
{
	for (; bad && r->ring->head != r->ring->tail; bad = bad->next)
		watch_work_end(r->qp ? r->qp->recv_cq : NULL,
			       watch_work_at(r->ring, --r->ring->head));
}

int watch_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	const struct watch_place here = WATCH_HERE();
	struct watch_qp *q = watch_qp_of(qp);
	bool locked;
	int err;

	if (!q || q->direct)
		return watch_context_of(qp->context)->real.post_recv(qp, wr, bad);

	const struct watch_receiver r = {
		qp->context, q, &q->rq, q->asked.max_recv_wr, q->asked.max_recv_sge, &q->created};

	if (q->guard)
		watch_guard_enter(q->guard, qp->qp_num, &here);
	locked = watch_lock(&q->rq);
	for (const struct ibv_recv_wr *w = wr; w; w = w->next)
		watch_push_receive(&r, w, &here);
	err = q->post_recv(qp, wr, bad);
	if (err)
		watch_drop_receives(&r, *bad);
	watch_unlock(&q->rq, locked);
	if (q->guard)
		watch_guard_leave(q->guard);
	return err;
}

int watch_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	const struct watch_place here = WATCH_HERE();
	const struct watch_context *c = watch_context_of(srq->context);
	struct watch_srq *q = watch_srq_of(srq);
	bool locked;
	int err;

	if (!q || !q->ring.size)
		return c->real.post_srq_recv(srq, wr, bad);

	const struct watch_receiver r = {srq->context, NULL,	      &q->ring,
					 q->asked,     q->asked_sges, &q->created};

	locked = watch_lock(&q->ring);
	for (const struct ibv_recv_wr *w = wr; w; w = w->next)
		watch_push_receive(&r, w, &here);
	err = c->real.post_srq_recv(srq, wr, bad);
	if (err)
		watch_drop_receives(&r, *bad);
	watch_unlock(&q->ring, locked);
	return err;
}

static void watch_drop_ring(struct watch_cq *cq, struct watch_ring *r)
{
	const bool locked = watch_lock(r);

	while (r->tail != r->head)
		watch_work_end(cq, watch_work_at(r, r->tail++));
	r->unsignaled = 0;
	watch_unlock(r, locked);
}

void watch_drop_all(struct watch_qp *q)
{
	watch_drop_ring(q->send_cq, &q->sq);
	watch_drop_ring(q->recv_cq, &q->rq);
}
