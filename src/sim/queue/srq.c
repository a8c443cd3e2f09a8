/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared receive queues. A queue that takes an entry gets a copy and holds the entry until its
 * completion, so entries complete in any order.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "obj/qp.h"

static uint32_t srq_stride(const struct srq *s)
{
	return 1u << s->log_stride;
}

static uint32_t srq_entries(const struct srq *s)
{
	return 1u << s->log_size;
}

static void srq_fail(struct srq *s)
{
	s->failed = true;
	eq_srq(s, PRM_EVENT_SRQ_CATAS_ERROR);
}

static bool srq_posted(struct srq *s, uint16_t least)
{
	if ((uint16_t)(s->pi - s->ci) < least && !s->failed &&
	    !rq_record(&s->o, &s->dbrec_place, s->dbrec, s->log_size, s->ci, &s->pi) &&
	    !dma_is_orphan(host_of(&s->o), s->dbrec)) {
		obj_refuse(&s->o, "its doorbell record can't be read");
		srq_fail(s);
	}
	return (uint16_t)(s->pi - s->ci) >= least;
}

static uint16_t srq_next(const struct srq *s, const uint8_t *entry, uint16_t index)
{
	if (s->linked)
		return (uint16_t)prm_wqe_srq_next_seg_get_next_wqe_index(entry);
	return (uint16_t)((index + 1u) & (srq_entries(s) - 1));
}

/*
 * Returns how many of n adjacent entries are the list's next ones. Links lead anywhere, and an
 * adjacent entry may not be posted yet: such entries are read when their turn comes.
 */
static uint16_t srq_run(const struct srq *s, const uint8_t *entries, uint16_t n)
{
	uint16_t run = 1;

	while (run < n && srq_next(s, entries + (run - 1u) * srq_stride(s),
				   (uint16_t)(s->next + run - 1)) == s->next + run)
		run++;
	return run;
}

/* Fetches the next entry, and those behind it that fit. -1: the list or the ring is broken. */
static int srq_fetch(struct srq *s)
{
	struct srq_priv *d = s->priv;
	uint16_t n = (uint16_t)(s->pi - s->ci);

	if (s->next >= srq_entries(s)) {
		obj_refuse(&s->o, "next_wqe_index %u leads out of its %u entries", s->next,
			   srq_entries(s));
		return -1;
	}
	if (n > QUEUE_BUFFER / srq_stride(s))
		n = (uint16_t)(QUEUE_BUFFER / srq_stride(s));
	if (n > srq_entries(s) - s->next)
		n = (uint16_t)(srq_entries(s) - s->next);
	if (ring_read(host_of(&s->o), &s->ring, (uint64_t)s->next << s->log_stride, d->cache,
		      (size_t)n << s->log_stride)) {
		if (!dma_is_orphan(host_of(&s->o), s->dbrec))
			obj_refuse(&s->o, "its ring is not mapped any more");
		return -1;
	}
	d->ahead = d->cache;
	d->n = srq_run(s, d->cache, n);
	return 0;
}

static void srq_check_limit(struct srq *s)
{
	if (!s->lwm || srq_posted(s, s->lwm))
		return;
	s->lwm = 0;
	s->limits++;
	eq_srq(s, PRM_EVENT_SRQ_RQ_LIMIT);
}

void srq_arm(struct srq *s, uint16_t lwm)
{
	s->lwm = lwm;
	srq_check_limit(s);
}

const uint8_t *srq_take(struct srq *s, uint8_t *copy, uint16_t *index)
{
	struct srq_priv *d = s->priv;

	if (s->failed || !srq_posted(s, 1))
		return NULL;
	if (!d->n && srq_fetch(s)) {
		srq_fail(s);
		return NULL;
	}
	memcpy(copy, d->ahead, srq_stride(s));
	d->ahead += srq_stride(s);
	d->n--;
	if (probe_active(PROBE_WQE) && s->head)
		probe(PROBE_WQE, .wqe = {PROBE_SRQ, &s->o, s->next, "wqe_srq_next_seg", copy});
	*index = s->next;
	s->next = srq_next(s, copy, s->next);
	s->ci++;
	srq_check_limit(s);
	return copy + s->head;
}

int srq_start(struct srq *s)
{
	s->priv = calloc(1, sizeof(*s->priv));
	return s->priv ? 0 : -ENOMEM;
}

/* Detaches XRC targets that used this SRQ last; they wait for a request that names another one. */
static void srq_leave(struct srq *s)
{
	struct qp *qp;

	for (uint32_t at = 0; (qp = obj_next(s->o.vhca, OBJ_QP, at)); at = qp->q.o.id + 1)
		if (qp->rq.srq == s)
			rq_serve(&qp->rq, NULL);
}

void srq_stop(struct srq *s)
{
	if (s->xrcd)
		srq_leave(s);
	free(s->priv);
	s->priv = NULL;
}
