/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <errno.h>

static void watch_srq_new(struct ibv_srq *srq, const struct ibv_srq_attr *asked,
			  const struct ibv_srq_attr *got, const struct watch_place *here,
			  uint64_t since)
{
	const int err = srq ? 0 : errno;
	struct watch_srq *s = srq ? watch_add(&watch_srqs, (uintptr_t)srq) : NULL;

	watch_called(since, err, srq ? srq->handle : 0, "create_srq receives %u pieces %u",
		     asked->max_wr, asked->max_sge);
	errno = srq ? errno : err;
	if (!s)
		return;
	s->srq = srq;
	s->context = srq->context;
	s->created = *here;
	s->asked = asked->max_wr;
	s->asked_sges = asked->max_sge;
	watch_ring_init(&s->ring, got->max_wr, got->max_sge);
}

WATCH_HOOK struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *a)
{
	const struct watch_place here = WATCH_HERE();
	const struct ibv_srq_attr asked = a->attr;
	const uint64_t since = watch_since();
	struct ibv_srq *srq = WATCH_REAL(ibv_create_srq)(pd, a);

	watch_srq_new(srq, &asked, &a->attr, &here, since);
	return srq;
}

struct ibv_srq *watch_create_srq_ex(struct ibv_context *c, struct ibv_srq_init_attr_ex *a)
{
	const struct watch_place here = WATCH_HERE();
	const struct ibv_srq_attr asked = a->attr;
	const uint64_t since = watch_since();
	struct ibv_srq *srq = watch_context_of(c)->verbs.create_srq_ex(c, a);
	const bool basic =
		!(a->comp_mask & IBV_SRQ_INIT_ATTR_TYPE) || a->srq_type == IBV_SRQT_BASIC;

	if (basic) /* else it is not seen which receives end */
		watch_srq_new(srq, &asked, &a->attr, &here, since);
	return srq;
}

WATCH_HOOK int ibv_destroy_srq(struct ibv_srq *srq)
{
	const uint64_t since = watch_since();
	const uint32_t handle = srq->handle;
	struct watch_srq *s = watch_srq_of(srq);
	int err;

	watch_set_key(s, WATCH_ENDING);
	err = WATCH_REAL(ibv_destroy_srq)(srq);
	watch_called(since, err, handle, "ibv_destroy_srq");
	if (!err && s)
		watch_ring_end(&s->ring);
	watch_set_key(s, err ? (uintptr_t)srq : 0);
	return err;
}
