/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static bool watch_fork_ready;

WATCH_HOOK int ibv_fork_init(void)
{
	const int err = WATCH_REAL(ibv_fork_init)();

	watch_fork_ready |= !err;
	return err;
}

/* libibverbs calls ibv_fork_init() by itself if one of these is set. */
static bool watch_fork_safe(void)
{
	return watch_fork_ready || getenv("RDMAV_FORK_SAFE") || getenv("IBV_FORK_SAFE");
}

static void watch_check_fork(unsigned int regions, const struct watch_place *here)
{
	const enum ibv_fork_status status = WATCH_REAL(ibv_is_fork_initialized)();

	if (status == IBV_FORK_ENABLED)
		return;
	watch_report(&(struct watch_finding){.kind = status == IBV_FORK_UNNEEDED ? CHECK_FORK_LUCK
										 : CHECK_FORK,
					     .n = {regions},
					     .place = {here}});
}

WATCH_HOOK pid_t fork(void)
{
	const struct watch_place here = WATCH_HERE();
	const unsigned int n = watch_mr_count();
	pid_t pid;

	if (n && !watch_fork_safe())
		watch_check_fork(n, &here);
	pid = WATCH_REAL(fork)();
	if (!pid)
		watch_exact_forked();
	return pid;
}

/* The parent's queues are not watched in the child. A thread that had a lock is not there. */
static void watch_forked(void)
{
	for (struct watch_qp *q = NULL; (q = watch_next(&watch_qps, q));) {
		q->direct = true;
		q->sq.owner = q->rq.owner = q->poster = NULL;
	}
	for (struct watch_cq *c = NULL; (c = watch_next(&watch_cqs, c));)
		c->direct = true;
	for (struct watch_srq *s = NULL; (s = watch_next(&watch_srqs, s));)
		watch_remove(s);
	watch_arrays_unlock();
	watch_tables_forked();
}

__attribute__((constructor)) static void watch_fork_start(void)
{
	pthread_atfork(NULL, NULL, watch_forked);
}
