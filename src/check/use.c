/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds posted work that uses what ends: memory, keys, address handles. */
#include "watch.h"

static bool watch_overlaps(const struct watch_search *s, const struct ibv_context *c,
			   const struct ibv_sge *sge)
{
	const struct watch_mr *m = watch_mr_of(c, sge->lkey);
	uint64_t at;

	if (!m || !sge->length)
		return false;
	at = m->memory + (sge->addr - m->start);
	return at < s->to && at + sge->length > s->from;
}

static bool watch_uses(const struct watch_search *s, const struct ibv_context *c,
		       const struct watch_work *w, const struct ibv_sge *sge)
{
	if (s->ah)
		return w->ah == s->ah;
	for (uint32_t i = 0; i < w->sges; i++)
		if (s->lkey ? sge[i].lkey == s->lkey : watch_overlaps(s, c, &sge[i]))
			return true;
	return false;
}

static void watch_search_ring(const struct watch_search *s, const struct ibv_context *c,
			      const struct watch_qp *qp, struct watch_ring *r)
{
	const bool locked = watch_lock(r);

	for (uint32_t i = r->tail; i != r->head; i++) {
		struct watch_work *w = watch_work_at(r, i);
		const struct ibv_sge *sge = watch_sges_at(r, i);

		if (w->done || w->gone || !watch_uses(s, c, w, sge))
			continue;
		watch_report(&(struct watch_finding){.kind = s->kind,
						     .qp = qp,
						     .work = w,
						     .addr = w->sges ? sge->addr : 0,
						     .bytes = w->bytes,
						     .place = {&w->place, s->place}});
		w->gone = !s->ah;
	}
	watch_unlock(r, locked);
}

/* Whether the device still executes what is posted. */
static bool watch_runs(const struct watch_qp *q)
{
	return q->state != IBV_QPS_ERR && q->state != IBV_QPS_RESET && !q->direct;
}

/* Whether the device still writes to an SRQ's receives: for a queue pair of it. */
static bool watch_srq_runs(const struct watch_srq *s)
{
	struct watch_qp *q = watch_next(&watch_qps, NULL);

	while (q && (q->srq != s || !watch_runs(q)))
		q = watch_next(&watch_qps, q);
	return q;
}

void watch_search(const struct watch_search *s)
{
	for (struct watch_qp *q = NULL; (q = watch_next(&watch_qps, q));)
		if (watch_runs(q) && (!s->context || s->context == q->qp->context)) {
			watch_search_ring(s, q->qp->context, q, &q->sq);
			watch_search_ring(s, q->qp->context, q, &q->rq);
		}
	for (struct watch_srq *q = NULL; !s->ah && (q = watch_next(&watch_srqs, q));)
		if ((!s->context || s->context == q->context) && watch_srq_runs(q))
			watch_search_ring(s, q->context, NULL, &q->ring);
}

/*
 * Work that ended since a post counts, too: its message may have come in between. The ring is not
 * locked: the caller has another one, whose owner may wait for this one.
 */
static bool watch_ring_targets(const struct watch_ring *r, const struct watch_work *by,
			       const struct ibv_sge *to, bool sends)
{
	for (uint32_t i = 0; i < r->size; i++) {
		const struct watch_work *w = &r->work[i];
		const struct ibv_sge *sge = w->sge;

		if (!w->posted || (w->ended && w->ended < by->posted) || (sends && w->hashed))
			continue;
		for (uint32_t k = 0; k < w->sges; k++)
			if (sge[k].addr < to->addr + to->length &&
			    sge[k].addr + sge[k].length > to->addr)
				return true;
	}
	return false;
}

static bool watch_sge_is_target(const struct watch_work *by, const struct ibv_sge *to)
{
	for (struct watch_qp *q = NULL; (q = watch_next(&watch_qps, q));)
		if (watch_ring_targets(&q->rq, by, to, false) ||
		    watch_ring_targets(&q->sq, by, to, true))
			return true;
	for (struct watch_srq *s = NULL; (s = watch_next(&watch_srqs, s));)
		if (watch_ring_targets(&s->ring, by, to, false))
			return true;
	return false;
}

bool watch_is_target(const struct watch_work *w, const struct ibv_sge *sge)
{
	bool is = false;

	watch_arrays_lock();
	for (uint32_t i = 0; i < w->sges && !is; i++)
		is = watch_sge_is_target(w, &sge[i]);
	watch_arrays_unlock();
	return is;
}
