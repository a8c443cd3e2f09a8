/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <errno.h>
#include <time.h>

#define ACKNOWLEDGED_MS 1000u

static struct watch_cq *watch_cq_new(struct ibv_cq *cq, uint32_t asked,
				     const struct watch_place *here, uint64_t since)
{
	const int err = cq ? 0 : errno;
	struct watch_cq *c = cq ? watch_add(&watch_cqs, (uintptr_t)cq) : NULL;

	watch_called(since, err, cq ? cq->handle : 0, "create_cq entries %u", asked);
	errno = cq ? errno : err;
	if (!c)
		return NULL;
	c->cq = cq;
	c->last = &watch_no_number;
	c->poll = watch_context_of(cq->context)->real.poll_cq;
	c->created = *here;
	c->asked = asked;
	c->got = (uint32_t)cq->cqe;
	return c;
}

WATCH_HOOK struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *user,
					struct ibv_comp_channel *channel, int vector)
{
	const struct watch_place here = WATCH_HERE();
	const uint64_t since = watch_since();
	struct ibv_cq *cq = WATCH_REAL(ibv_create_cq)(context, cqe, user, channel, vector);

	watch_cq_new(cq, (uint32_t)cqe, &here, since);
	return cq;
}

static void watch_cq_new_ex(struct ibv_cq_ex *ex, const struct ibv_cq_init_attr_ex *a,
			    const struct watch_place *here, uint64_t since)
{
	struct watch_cq *c = watch_cq_new(ex ? ibv_cq_ex_to_cq(ex) : NULL, a->cqe, here, since);
	const bool flags = a->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS;

	if (!c)
		return;
	if (a->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD)
		c->guard = watch_guard_of_pd(a->parent_domain);
	if (!c->guard && flags && a->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		c->guard = watch_guard_new();
	watch_poll_ex_hook(c);
}

/* Completions are found by QP number, whose field costs the program nothing. */
static struct ibv_cq_init_attr_ex watch_cq_attr(const struct ibv_cq_init_attr_ex *a)
{
	struct ibv_cq_init_attr_ex with = *a;

	with.wc_flags |= IBV_WC_EX_WITH_QP_NUM;
	return with;
}

struct ibv_cq_ex *watch_create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *a)
{
	const struct watch_place here = WATCH_HERE();
	const uint64_t since = watch_since();
	struct ibv_cq_init_attr_ex with = watch_cq_attr(a);
	struct ibv_cq_ex *ex = watch_context_of(context)->verbs.create_cq_ex(context, &with);

	watch_cq_new_ex(ex, a, &here, since);
	return ex;
}

WATCH_HOOK struct ibv_cq_ex *mlx5dv_create_cq(struct ibv_context *context,
					      struct ibv_cq_init_attr_ex *a,
					      struct mlx5dv_cq_init_attr *own)
{
	const struct watch_place here = WATCH_HERE();
	const uint64_t since = watch_since();
	struct ibv_cq_init_attr_ex with = watch_cq_attr(a);
	struct ibv_cq_ex *ex = WATCH_REAL(mlx5dv_create_cq)(context, &with, own);

	watch_cq_new_ex(ex, a, &here, since);
	return ex;
}

WATCH_HOOK int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	const uint64_t since = watch_since();
	struct watch_cq *c = watch_cq_of(cq);
	int err = WATCH_REAL(ibv_resize_cq)(cq, cqe);

	watch_called(since, err, cq->handle, "ibv_resize_cq entries %d", cqe);
	if (!err && c) {
		c->asked = (uint32_t)cqe;
		c->got = (uint32_t)cq->cqe;
	}
	return err;
}

/* Another thread may still acknowledge: ibv_destroy_cq() waits for that, too. */
static bool watch_unacknowledged(const struct watch_cq *c)
{
	for (unsigned int ms = 0; c->events > c->acknowledged; ms += 10) {
		if (ms >= ACKNOWLEDGED_MS)
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
	}
	return false;
}

WATCH_HOOK int ibv_destroy_cq(struct ibv_cq *cq)
{
	const struct watch_place here = WATCH_HERE();
	const uint64_t since = watch_since();
	const uint32_t handle = cq->handle;
	struct watch_cq *c = watch_cq_of(cq);
	int err;

	if (c && watch_unacknowledged(c))
		watch_report(&(struct watch_finding){.kind = CHECK_UNACKNOWLEDGED,
						     .n = {c->events - c->acknowledged},
						     .place = {&here, &c->created}});
	watch_set_key(c, WATCH_ENDING);
	err = WATCH_REAL(ibv_destroy_cq)(cq);
	watch_called(since, err, handle, "ibv_destroy_cq");
	watch_set_key(c, err ? (uintptr_t)cq : 0);
	return err;
}

void watch_cq_over(const struct watch_cq *c, const struct watch_qp *q, const struct watch_work *w,
		   uint32_t n)
{
	watch_report(&(struct watch_finding){.kind = n > c->got ? CHECK_CQ_SMALL : CHECK_CQ_ASKED,
					     .qp = q,
					     .work = w,
					     .bytes = w->bytes,
					     .n = {n, n > c->got ? c->got : c->asked},
					     .place = {&w->place, &c->created}});
}
