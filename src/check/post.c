/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends by ibv_post_send(), and what is checked of each send. */
#include "watch.h"

/* Whether the request brings data: a READ or an atomic, which are neighbours. */
WATCH_HOT bool watch_is_sink(uint32_t opcode)
{
	return opcode - IBV_WR_RDMA_READ <= IBV_WR_ATOMIC_FETCH_AND_ADD - IBV_WR_RDMA_READ;
}

WATCH_COLD static void watch_report_send(enum check_kind kind, const struct watch_qp *q,
					 const struct watch_work *w, uint64_t n0, uint64_t n1)
{
	watch_report(&(struct watch_finding){.kind = kind,
					     .qp = q,
					     .work = w,
					     .bytes = w->bytes,
					     .n = {n0, n1},
					     .place = {&w->place, &q->created}});
}

/* The queue holds more than was asked for: nothing frees a place if no request is signaled. */
WATCH_HOT void watch_check_depth(struct watch_qp *q, const struct watch_work *w)
{
	struct watch_ring *r = &q->sq;
	const uint32_t n = r->head - r->tail;

	r->unsignaled = w->signaled ? 0 : r->unsignaled + 1;
	if (n <= q->asked.max_send_wr)
		return;
	if (r->unsignaled >= n)
		watch_report_send(CHECK_UNSIGNALED, q, w, n - 1, 0);
	else
		watch_report_send(CHECK_SEND_DEPTH, q, w, n, q->asked.max_send_wr);
}

WATCH_COLD static void watch_report_sge(enum check_kind kind, const struct watch_qp *q,
					const struct watch_work *w, const struct ibv_sge *s,
					const struct watch_place *second)
{
	watch_report(&(struct watch_finding){.kind = kind,
					     .qp = q,
					     .work = w,
					     .addr = s->addr,
					     .bytes = s->length,
					     .place = {&w->place, second}});
}

WATCH_HOT void watch_check_key(const struct watch_qp *q, const struct watch_work *w,
			       const struct watch_mr *m, const struct ibv_sge *s)
{
	if (m && m->dead && s->length)
		watch_report_sge(CHECK_KEY_OLD, q, w, s, &m->ended);
}

WATCH_RAW static inline bool watch_begins_poisoned(const unsigned char *at)
{
	return *at == WATCH_POISON;
}

/* Returns the region of a key, which is most often that of the queue's last request. */
WATCH_HOT struct watch_mr *watch_source_mr(struct watch_qp *q, uint32_t lkey)
{
	if (!q->source || q->source->node.key != watch_mr_key(q->qp->context, lkey))
		q->source = watch_mr_of(q->qp->context, lkey);
	return q->source;
}

/* Takes what the device is to read: its hash, and which part of the region is sent from. */
WATCH_HOT void watch_take_source(struct watch_qp *q, struct watch_work *w, const struct ibv_sge *s)
{
	struct watch_mr *m = watch_source_mr(q, s->lkey);
	const unsigned char *at = watch_sge_memory(m, s);

	watch_check_key(q, w, m, s);
	if (!at) {
		w->hashed = false;
		return;
	}
	if (s == w->sge)
		w->mr = m;
	w->hash = watch_hash(w->hash, at, s->length);
	if (s->length && watch_begins_poisoned(at) && watch_is_poison(m, s, at))
		watch_report_sge(CHECK_EARLY, q, w, s, NULL);
	if (s->addr < m->source_from)
		m->source_from = s->addr;
	if (s->addr + s->length > m->source_to)
		m->source_to = s->addr + s->length;
}

/* Takes what the device is to write to. */
static __attribute__((noinline)) void
watch_take_sink(const struct watch_qp *q, const struct watch_work *w, const struct ibv_sge *s)
{
	for (uint32_t i = 0; i < w->sges; i++)
		watch_check_key(q, w, watch_mr_of(q->qp->context, s[i].lkey), &s[i]);
	watch_poison(q->qp->context, s, w->sges);
}

WATCH_HOT void watch_check(struct watch_qp *q, struct watch_work *w, const struct ibv_sge *s,
			   bool inlined)
{
	const struct ibv_sge *end;

	watch_check_depth(q, w);
	if (w->signaled && q->send_cq)
		watch_cq_expect(q->send_cq, q, w);
	if (inlined && w->bytes > q->asked.max_inline_data)
		watch_report_send(CHECK_INLINE, q, w, w->bytes, q->asked.max_inline_data);
	if (inlined) {
		w->sges = 0; /* it is copied */
		return;
	}
	if (watch_is_sink(w->opcode)) {
		watch_take_sink(q, w, s);
		return;
	}
	if (!w->sges)
		return;
	w->hashed = true;
	end = s + w->sges;
	do
		watch_take_source(q, w, s);
	while (++s < end);
}

void watch_check_send(struct watch_qp *q, struct watch_work *w, const struct ibv_sge *s,
		      bool inlined)
{
	watch_check(q, w, s, inlined);
}

WATCH_HOT void watch_push_send(struct watch_qp *q, const struct ibv_send_wr *wr,
			       const struct watch_place *here)
{
	const uint32_t sges = wr->num_sge > 0 ? (uint32_t)wr->num_sge : 0;
	struct watch_work *w = watch_ring_push(&q->sq, wr->wr_id, wr->sg_list, sges);
	const bool inlined = wr->send_flags & IBV_SEND_INLINE;

	if (!w)
		return;
	w->place = *here;
	w->opcode = wr->opcode;
	w->signaled = q->all_signaled || wr->send_flags & IBV_SEND_SIGNALED;
	if (q->type == IBV_QPT_UD)
		w->ah = wr->wr.ud.ah;
	if (!inlined && sges > q->asked.max_send_sge)
		watch_report_send(CHECK_SGES, q, w, sges, q->asked.max_send_sge);
	watch_check(q, w, w->sge, inlined);
}

void watch_drop_sends(struct watch_qp *q, uint32_t n)
{
	struct watch_ring *r = &q->sq;

	for (; n && r->head != r->tail; n--)
		watch_work_end(q->send_cq, watch_work_at(r, --r->head));
	for (r->unsignaled = 0; r->unsignaled < r->head - r->tail; r->unsignaled++)
		if (watch_work_at(r, r->head - 1 - r->unsignaled)->signaled)
			break;
}

WATCH_HOT int watch_post(struct watch_qp *q, struct ibv_send_wr *wr, struct ibv_send_wr **bad,
			 const struct watch_place *here)
{
	const bool locked = watch_lock(&q->sq);
	uint32_t dropped = 0;
	int err;

	for (const struct ibv_send_wr *w = wr; w; w = w->next)
		watch_push_send(q, w, here);
	err = q->post_send(q->qp, wr, bad);
	if (err)
		dropped = watch_sends(*bad);
	if (dropped)
		watch_drop_sends(q, dropped);
	watch_unlock(&q->sq, locked);
	return err;
}

/* A queue that one thread at a time may use, or whose other threads may be in a batch. */
WATCH_COLD static int watch_post_alone(struct watch_qp *q, struct ibv_send_wr *wr,
				       struct ibv_send_wr **bad, const struct watch_place *here)
{
	bool alone;
	int err;

	if (q->guard)
		watch_guard_enter(q->guard, q->qp->qp_num, here);
	alone = watch_own(&q->poster);
	err = watch_post(q, wr, bad, here);
	watch_disown(&q->poster, alone);
	if (q->guard)
		watch_guard_leave(q->guard);
	return err;
}

int watch_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	const struct watch_place here = WATCH_HERE();
	struct watch_qp *q = watch_qp_of(qp);

	if (!q || q->direct)
		return watch_context_of(qp->context)->real.post_send(qp, wr, bad);
	if (q->guard || q->extended)
		return watch_post_alone(q, wr, bad, &here);
	return watch_post(q, wr, bad, &here);
}
