/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A counter and a lock in memory that others access by atomics. Four threads, each with its own
 * queue pair, count to 400 by fetch and add. Then each adds to a sum by READ and WRITE, which needs
 * a lock: compare and swap takes it, a WRITE releases it.
 *
 *	dvx-sim run -- ./atomics
 */
#include <pthread.h>
#include "example.h"

enum { THREADS = 4, TIMES = 100 };

/* The memory that all threads access, on the other side of their queues. */
static struct {
	uint64_t counter, lock, sum;
} shared;

struct worker {
	pthread_t thread;
	uint64_t number; /* the lock's value while this thread has it; not 0 */
	struct dvx_qp *qp;
	uint32_t rkey;
	uint64_t here[2]; /* the device writes results here */
	uint32_t lkey;
	uint64_t refused; /* failed attempts to take the lock */
};

static void wait_for(struct worker *w)
{
	struct dvx_wc wc;
	int n;

	dvx_sq_ring(dvx_qp_sq(w->qp));
	while (!(n = dvx_sq_poll(dvx_qp_sq(w->qp), &wc)))
		;
	if (n < 0) {
		fprintf(stderr, "atomics: %s\n",
			n == -EIO ? dvx_cqe_strerror(wc.syndrome) : dvx_strerror(n));
		exit(1);
	}
}

static void count(struct worker *w)
{
	must(dvx_post_faa(dvx_qp_sq(w->qp), (uintptr_t)&shared.counter, w->rkey, 1, &w->here[0],
			  w->lkey, 0, DVX_SIGNALED),
	     "fetch and add");
	wait_for(w);
}

static void take_lock(struct worker *w)
{
	for (;; w->refused++) {
		must(dvx_post_cas(dvx_qp_sq(w->qp), (uintptr_t)&shared.lock, w->rkey, 0, w->number,
				  &w->here[0], w->lkey, 0, DVX_SIGNALED),
		     "compare and swap");
		wait_for(w);
		if (!w->here[0]) /* the lock was free, so this thread has it now */
			return;
	}
}

/* Adds to the sum, under the lock. */
static void add(struct worker *w)
{
	struct dvx_sge here = {(uintptr_t)&w->here[1], 8, w->lkey};
	struct dvx_sq *sq = dvx_qp_sq(w->qp);
	const uint64_t unlocked = 0;

	must(dvx_post_read(sq, (uintptr_t)&shared.sum, w->rkey, &here, 1, 0, DVX_SIGNALED), "read");
	wait_for(w);
	w->here[1]++;
	/* Writes of one queue are executed in order: the sum is written before the lock is free. */
	must(dvx_post_write(sq, (uintptr_t)&shared.sum, w->rkey, &here, 1, 0, 0), "write");
	must(dvx_post_write_inline(sq, (uintptr_t)&shared.lock, w->rkey, &unlocked, 8, 0,
				   DVX_SIGNALED),
	     "unlock");
	wait_for(w);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < TIMES; i++) {
		count(w);
		take_lock(w);
		add(w);
	}
	return NULL;
}

/* Makes a queue for the thread, and its peer, which the thread does not use. */
static void prepare(struct worker *w, struct example *x, uint32_t rkey)
{
	struct dvx_qp_local local =
		example_local(x, DVX_REMOTE_READ | DVX_REMOTE_WRITE | DVX_REMOTE_ATOMIC);
	struct dvx_qp *peer = example_qp(x, example_cq(x), 0);

	w->qp = example_qp(x, example_cq(x), 0);
	w->rkey = rkey;
	w->lkey = example_key(x, w->here, sizeof(w->here), DVX_LOCAL_WRITE);
	example_join(w->qp, &local, peer, &local);
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS];
	struct example x;
	uint32_t rkey;
	uint64_t refused = 0;

	example_open(&x, argc > 1 ? argv[1] : NULL);
	rkey = example_key(&x, &shared, sizeof(shared),
			   DVX_LOCAL_WRITE | DVX_REMOTE_READ | DVX_REMOTE_WRITE |
				   DVX_REMOTE_ATOMIC);
	for (uint64_t i = 0; i < THREADS; i++) {
		workers[i].number = i + 1;
		/* Only one thread may use a doorbell register. */
		must(dvx_uar_alloc(x.dev, DVX_UAR_ANY, &x.uar), "uar");
		prepare(&workers[i], &x, rkey);
	}
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		refused += workers[i].refused;
	}
	printf("%d threads counted to %llu and added up to %llu\n", THREADS,
	       (unsigned long long)shared.counter, (unsigned long long)shared.sum);
	fprintf(stderr, "of %llu attempts at the lock, %d had it\n",
		(unsigned long long)refused + THREADS * TIMES, THREADS * TIMES);
	return 0; /* all objects end with the process */
}
