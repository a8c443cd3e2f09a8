/* SPDX-License-Identifier: BSD-2-Clause */
/* Completions: which work ends, and whether its buffer is as it was. */
#include "watch.h"

#include <string.h>
#include "record/record.h"

/* Whether the buffers of hashed work are as they were at the post, or can't be read any more. */
WATCH_HOT bool watch_is_same(const struct watch_qp *q, const struct watch_work *w)
{
	const struct ibv_sge *s = w->sge, *end = s + w->sges;
	const struct watch_mr *m = w->mr;
	uint64_t h = 0;

	for (;;) {
		const unsigned char *at = watch_sge_memory(m, s);

		if (!at)
			return true;
		h = watch_hash(h, at, s->length);
		if (++s == end)
			return h == w->hash;
		m = watch_mr_of(q->qp->context, s->lkey);
	}
}

/* The place is found only for a finding: that takes longer than the rest. */
WATCH_COLD static void watch_report_changed(const struct watch_qp *q, const struct watch_work *w,
					    const uintptr_t *frame)
{
	struct watch_place here;

	if (watch_is_target(w, w->sge))
		return;
	here = watch_place_of(frame);
	watch_report(&(struct watch_finding){.kind = CHECK_CHANGED,
					     .qp = q,
					     .work = w,
					     .addr = w->sge->addr,
					     .bytes = w->bytes,
					     .place = {&w->place, &here}});
}

WATCH_HOT void watch_check_same(const struct watch_qp *q, const struct watch_work *w,
				const uintptr_t *frame)
{
	if (w->hashed && !w->gone && !w->done && !watch_is_same(q, w))
		watch_report_changed(q, w, frame);
}

/* Returns the index of the work that a completion is of, or the head. */
WATCH_HOT uint32_t watch_ring_find(const struct watch_ring *r, uint64_t wr_id, bool signaled)
{
	uint32_t i = r->tail;

	for (; i != r->head; i++) {
		const struct watch_work *w = watch_work_at(r, i);

		if (!w->done && w->wr_id == wr_id && (w->signaled || !signaled))
			break;
	}
	return i;
}

/* Sends end in order: all before one that completes are complete, too. */
WATCH_HOT void watch_sends_end(struct watch_qp *q, uint64_t wr_id, bool ok, const uintptr_t *frame)
{
	struct watch_ring *r = &q->sq;
	const bool locked = watch_lock(r);
	const uint32_t at = watch_ring_find(r, wr_id, ok);

	while (at != r->head) {
		struct watch_work *w = watch_work_at(r, r->tail);

		if (ok)
			watch_check_same(q, w, frame);
		watch_work_end(q->send_cq, w);
		if (r->tail++ == at)
			break;
	}
	watch_unlock(r, locked);
}

/* Receives of a QP end in order, those of an SRQ don't. */
static __attribute__((noinline)) void watch_receives_end(struct watch_ring *r, struct watch_cq *cq,
							 uint64_t wr_id, bool ordered)
{
	const bool locked = watch_lock(r);
	const uint32_t at = watch_ring_find(r, wr_id, false);

	if (at != r->head) {
		for (uint32_t i = ordered ? r->tail : at; i != at + 1; i++, r->ended++)
			watch_work_end(cq, watch_work_at(r, i));
		for (; r->tail != r->head && watch_work_at(r, r->tail)->done; r->tail++)
			r->ended--;
	}
	watch_unlock(r, locked);
}

/* The opcode of a failed completion does not hold. */
static inline bool watch_is_receive(const struct watch_cq *c, const struct watch_qp *q,
				    const struct ibv_wc *wc)
{
	if (wc->status == IBV_WC_SUCCESS)
		return record_is_receive(wc->opcode);
	if (q->send_cq != q->recv_cq)
		return q->recv_cq == c;
	return watch_ring_find(&q->sq, wc->wr_id, false) == q->sq.head;
}

/* A receive, or work that failed. */
static __attribute__((noinline)) void watch_complete_other(struct watch_cq *c, struct watch_qp *q,
							   const struct ibv_wc *wc,
							   const uintptr_t *frame)
{
	if (watch_is_receive(c, q, wc))
		watch_receives_end(q->srq ? &q->srq->ring : &q->rq, q->srq ? NULL : c, wc->wr_id,
				   !q->srq);
	else
		watch_sends_end(q, wc->wr_id, wc->status == IBV_WC_SUCCESS, frame);
	if (wc->status != IBV_WC_SUCCESS && q->type != IBV_QPT_UD) {
		q->failed = true;
		q->state = IBV_QPS_ERR;
	}
}

WATCH_HOT void watch_complete(struct watch_cq *c, const struct ibv_wc *wc, const uintptr_t *frame)
{
	struct watch_qp *q = watch_completed_qp(c, wc->qp_num);

	if (!q || q->direct)
		return;
	if (wc->status == IBV_WC_SUCCESS && !(wc->opcode & IBV_WC_RECV))
		watch_sends_end(q, wc->wr_id, true, frame);
	else
		watch_complete_other(c, q, wc, frame);
}

void watch_completed(struct watch_cq *c, const struct ibv_wc *wc, const uintptr_t *frame)
{
	watch_complete(c, wc, frame);
}

/* Fills what a failed completion does not define, so that a program does not find what it hopes for. */
static void watch_poison_wc(struct ibv_wc *wc)
{
	const struct ibv_wc valid = *wc;

	memset(wc, WATCH_POISON, sizeof(*wc));
	wc->wr_id = valid.wr_id;
	wc->status = valid.status;
	wc->qp_num = valid.qp_num;
	wc->vendor_err = valid.vendor_err;
}

static void watch_polled(struct watch_cq *c, struct ibv_wc *wc, int n, const uintptr_t *frame)
{
	for (int i = 0; i < n; i++) {
		watch_complete(c, &wc[i], frame);
		if (wc[i].status != IBV_WC_SUCCESS)
			watch_poison_wc(&wc[i]);
	}
}

int watch_poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	struct watch_cq *c = watch_cq_of(cq);
	const uintptr_t *frame = __builtin_frame_address(0);
	struct watch_place here;
	int got;

	if (!c || c->direct)
		return watch_context_of(cq->context)->real.poll_cq(cq, n, wc);
	if (c->guard) {
		here = watch_place_of(frame);
		watch_guard_enter(c->guard, 0, &here);
	}
	c->unpolled = false;
	c->polled_at = watch_clock;
	got = c->poll(cq, n, wc);
	if (got > 0)
		watch_polled(c, wc, got, frame);
	if (c->guard)
		watch_guard_leave(c->guard);
	return got;
}
