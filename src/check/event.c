/* SPDX-License-Identifier: BSD-2-Clause */
/* Completion events: armed, waited for, acknowledged. */
#include "watch.h"

#include <errno.h>
#include <fcntl.h>

/*
 * A CQ that was polled before, and whose work was posted before the arm, may have it complete
 * before the arm. The first arm is before the peer knows of the queue.
 */
int watch_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	struct watch_cq *c = watch_cq_of(cq);

	if (c) {
		c->armed = WATCH_HERE();
		c->armed_at = ++watch_clock;
		c->solicited = solicited_only;
		c->unpolled = c->live && c->polled_at && c->pending;
	}
	return watch_context_of(cq->context)->real.req_notify_cq(cq, solicited_only);
}

/* A program with two CQs on a channel polls the one that it waits for. */
static bool watch_polled_since(const struct ibv_comp_channel *channel, uint64_t armed_at)
{
	for (struct watch_cq *c = NULL; (c = watch_next(&watch_cqs, c));)
		if (c->cq->channel == channel && c->polled_at >= armed_at)
			return true;
	return false;
}

/* Whether the last signaled request is outstanding and was posted since then. */
static bool watch_signaled_since(struct watch_ring *r, uint64_t since)
{
	const bool locked = watch_lock(r),
		   is = r->head - r->tail > r->unsignaled &&
			watch_work_at(r, r->head - 1 - r->unsignaled)->posted > since;

	watch_unlock(r, locked);
	return is;
}

/* Whether a request that was posted since the arm completes with an event. */
static bool watch_event_comes(const struct watch_cq *c)
{
	struct watch_qp *q = c->solicited ? NULL : watch_next(&watch_qps, NULL);

	while (q && (q->send_cq != c || !watch_signaled_since(&q->sq, c->armed_at)))
		q = watch_next(&watch_qps, q);
	return q;
}

static void watch_check_sleep(const struct ibv_comp_channel *channel,
			      const struct watch_place *here)
{
	if (fcntl(channel->fd, F_GETFL) & O_NONBLOCK || !watch_would_sleep(channel->fd))
		return;
	for (struct watch_cq *c = NULL; (c = watch_next(&watch_cqs, c));)
		if (c->unpolled && !c->direct && c->cq->channel == channel &&
		    !watch_polled_since(channel, c->armed_at) && !watch_event_comes(c))
			watch_report(&(struct watch_finding){.kind = CHECK_SLEPT,
							     .place = {here, &c->armed}});
}

WATCH_HOOK int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **user)
{
	const struct watch_place here = WATCH_HERE();
	const uint64_t since = watch_since();
	struct watch_cq *c;
	int err;

	watch_check_sleep(channel, &here);
	err = WATCH_REAL(ibv_get_cq_event)(channel, cq, user);
	watch_called(since, err ? errno : 0, err ? 0 : (*cq)->handle, "ibv_get_cq_event");
	c = err ? NULL : watch_cq_of(*cq);
	if (c)
		c->events++;
	return err;
}

WATCH_HOOK void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int n)
{
	const struct watch_place here = WATCH_HERE();
	struct watch_cq *c = watch_cq_of(cq);

	if (c) {
		c->acknowledged += n;
		if (c->acknowledged > c->events)
			watch_report(&(struct watch_finding){.kind = CHECK_ACKNOWLEDGED,
							     .n = {c->acknowledged, c->events},
							     .place = {&here, &c->created}});
	}
	WATCH_REAL(ibv_ack_cq_events)(cq, n);
}
