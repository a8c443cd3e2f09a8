/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Atomics on a peer's memory: a counter (fetch and add), a lock (compare and swap), and what is refused.
 *
 *	dvx-sim run -- ./atomics
 */
#include <inttypes.h>
#include "tutorial.h"

enum { WORKERS = 2, FREE = 0 };

struct home {
	uint64_t counter, lock;
};

/* A worker has a connection to the home of the numbers, and 8 bytes for the old value. */
struct worker {
	struct ibv_qp *qp, *home;
	struct ibv_cq *cq;
};

struct atomics {
	struct tutorial t;
	struct ibv_mr *mr;
	struct worker worker[WORKERS];
	struct home home;
	uint64_t old[WORKERS];
};

static void need_atomics(const struct tutorial *t)
{
	const struct ibv_device_attr attr = tutorial_abilities(t);

	printf("atomic among: %s\n", attr.atomic_cap == IBV_ATOMIC_NONE	 ? "nothing"
				     : attr.atomic_cap == IBV_ATOMIC_HCA ? "atomics of this NIC"
									 : "atomics and CPUs");
	if (attr.atomic_cap == IBV_ATOMIC_NONE) {
		fprintf(stderr, "this device has no atomics (atomic_cap is IBV_ATOMIC_NONE)\n");
		exit(1);
	}
}

static void start(struct atomics *a)
{
	struct tutorial_link link = tutorial_usual;

	link.access = IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_REMOTE_WRITE;
	tutorial_start(&a->t);
	need_atomics(&a->t);
	a->mr = tutorial_mr(&a->t, a, sizeof *a,
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_ATOMIC);
	for (int i = 0; i < WORKERS; i++) {
		struct worker *w = &a->worker[i];

		w->cq = tutorial_cq(&a->t);
		w->qp = tutorial_qp(&a->t, IBV_QPT_RC, w->cq);
		w->home = tutorial_qp(&a->t, IBV_QPT_RC, w->cq);
		tutorial_join(&a->t, w->qp, w->home, &link);
	}
}

/* Posts it, waits, and returns the status; old[i] has what was there before. */
static enum ibv_wc_status act(struct atomics *a, int i, enum ibv_wr_opcode opcode, void *where,
			      uint64_t compare_add, uint64_t swap)
{
	struct ibv_sge sge = {(uintptr_t)&a->old[i], 8, a->mr->lkey};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.atomic = {.remote_addr = (uintptr_t)where,
			      .compare_add = compare_add,
			      .swap = swap,
			      .rkey = a->mr->rkey},
	};
	struct ibv_send_wr *bad;

	must(errno = ibv_post_send(a->worker[i].qp, &wr, &bad), "atomic");
	return tutorial_next(a->worker[i].cq).status;
}

static void count(struct atomics *a, int i, uint64_t n)
{
	enum ibv_wc_status s = act(a, i, IBV_WR_ATOMIC_FETCH_AND_ADD, &a->home.counter, n, 0);

	printf("worker %d adds %" PRIu64 ": %s, before it was %" PRIu64 "\n", i, n,
	       ibv_wc_status_str(s), a->old[i]);
}

/* The lock has the owner's number plus 1. Whoever finds it free has swapped it. */
static void take_lock(struct atomics *a, int i)
{
	uint64_t me = (uint64_t)i + 1;
	enum ibv_wc_status s = act(a, i, IBV_WR_ATOMIC_CMP_AND_SWP, &a->home.lock, FREE, me);

	printf("worker %d takes the lock: %s, %s\n", i, ibv_wc_status_str(s),
	       a->old[i] == FREE ? "it has it" : "another one has it");
}

static void give_lock(struct atomics *a, int i)
{
	act(a, i, IBV_WR_ATOMIC_CMP_AND_SWP, &a->home.lock, (uint64_t)i + 1, FREE);
	printf("worker %d gives the lock back\n", i);
}

static void end(struct atomics *a)
{
	for (int i = 0; i < WORKERS; i++) {
		must(errno = ibv_destroy_qp(a->worker[i].qp), "destroy the queue pair");
		must(errno = ibv_destroy_qp(a->worker[i].home), "destroy the queue pair");
		must(errno = ibv_destroy_cq(a->worker[i].cq), "destroy the completion queue");
	}
	must(errno = ibv_dereg_mr(a->mr), "deregister");
	tutorial_close(&a->t);
}

int main(void)
{
	static struct atomics a;

	start(&a);
	count(&a, 0, 1);
	count(&a, 1, 10);
	count(&a, 0, 1);
	printf("the counter is %" PRIu64 "\n", a.home.counter);
	take_lock(&a, 0);
	take_lock(&a, 1);
	give_lock(&a, 0);
	take_lock(&a, 1);
	printf("worker 0 adds at an address that is no multiple of 8: %s\n",
	       ibv_wc_status_str(
		       act(&a, 0, IBV_WR_ATOMIC_FETCH_AND_ADD, (char *)&a.home.counter + 4, 1, 0)));
	end(&a);
	return 0;
}
