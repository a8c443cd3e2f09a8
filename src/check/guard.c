/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues that libmlx5 does not lock: of a thread domain, or with MLX5_SINGLE_THREADED. A thread
 * that comes after another one stays inside for a moment, so that the two are more likely to meet.
 */
#include "watch.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAUSES	 16u
#define PAUSE_NS 20000000

struct watch_domain {
	struct watch_node node;
	struct watch_guard guard;
};
static struct watch_table watch_domains = {.bytes = sizeof(struct watch_domain)};
/* Parent domains name a thread domain. */
struct watch_parent {
	struct watch_node node;
	struct watch_guard *guard;
};
static struct watch_table watch_parents = {.bytes = sizeof(struct watch_parent)};

/* Waits by its own CPU time, not the clock: on a busy machine the other thread has as much meanwhile. */
static void watch_guard_pause(const struct watch_guard *g, const void *self)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		sched_yield();
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (g->inside == self &&
		 (now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < PAUSE_NS);
}

void watch_guard_enter(struct watch_guard *g, uint32_t qp_num, const struct watch_place *here)
{
	void *self = &watch_stack_end, *other;
	const struct watch_place before = g->place;
	struct watch_qp qp = {.qp = &(struct ibv_qp){.qp_num = qp_num}};

	other = atomic_exchange(&g->inside, self);
	if (other && other != self)
		watch_report(&(struct watch_finding){.kind = CHECK_THREADS,
						     .qp = qp_num ? &qp : NULL,
						     .place = {here, &before}});
	g->place = *here;
	if (g->last && g->last != self && g->pauses++ < PAUSES)
		watch_guard_pause(g, self);
	g->last = self;
}

void watch_guard_leave(struct watch_guard *g)
{
	void *self = &watch_stack_end;

	atomic_compare_exchange_strong(&g->inside, &self, NULL);
}

struct watch_guard *watch_guard_new(void)
{
	return calloc(1, sizeof(struct watch_guard));
}

struct watch_guard *watch_guard_of_pd(const struct ibv_pd *pd)
{
	const struct watch_parent *p = watch_find(&watch_parents, (uintptr_t)pd);
	const char *single = getenv("MLX5_SINGLE_THREADED");

	if (p)
		return p->guard;
	return single && !strcmp(single, "1") ? watch_guard_new() : NULL;
}

static struct watch_guard *watch_guard_of_td(const struct ibv_td *td)
{
	struct watch_domain *d = watch_find(&watch_domains, (uintptr_t)td);

	if (!d && td)
		d = watch_add(&watch_domains, (uintptr_t)td);
	return d ? &d->guard : NULL;
}

static struct ibv_pd *watch_alloc_parent(struct ibv_context *c,
					 struct ibv_parent_domain_init_attr *a)
{
	struct ibv_pd *pd = watch_context_of(c)->verbs.alloc_parent_domain(c, a);
	struct watch_parent *p = pd && a->td ? watch_add(&watch_parents, (uintptr_t)pd) : NULL;

	if (p)
		p->guard = watch_guard_of_td(a->td);
	return pd;
}

WATCH_HOOK int ibv_dealloc_pd(struct ibv_pd *pd)
{
	watch_remove(watch_find(&watch_parents, (uintptr_t)pd));
	return WATCH_REAL(ibv_dealloc_pd)(pd);
}

void watch_guard_hook(struct ibv_context *c)
{
	struct verbs_context *v = verbs_get_ctx_op(c, alloc_parent_domain);

	if (v)
		v->alloc_parent_domain = watch_alloc_parent;
}
