/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs for dvx-sim stat --exact: stat_exact arms has two threads, which arm a CQ each by the
 * register that they share, and wait for its events; stepped arms by another instruction than libmlx5;
 * file maps a page of a file as registers are mapped.
 */
#include <endian.h>
#include <infiniband/mlx5dv.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/verbs/verbs_qp.h"

#define ROUNDS		400u
#define DEPTH		16
#define ARM_REGISTER	0x20u

#define must(CONDITION) exact_must(CONDITION, #CONDITION)
static void exact_must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "stat_exact: not so: %s\n", what);
	exit(1);
}

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static uint8_t buf[4096];
static pthread_barrier_t round_begins;

/* A queue pair that is connected to itself, and its completions. */
struct exact_queue {
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	bool stepped;
	struct mlx5dv_cq ring;
};

static void exact_queue_make(struct exact_queue *q)
{
	struct mlx5dv_obj obj = {.cq.out = &q->ring};
	struct ibv_qp_init_attr a = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .cap = {DEPTH, 1, 1, 1, 0}};

	q->channel = ibv_create_comp_channel(ctx);
	must(q->channel);
	q->cq = ibv_create_cq(ctx, DEPTH, NULL, q->channel, 0);
	must(q->cq);
	obj.cq.in = q->cq;
	must(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ));
	a.send_cq = a.recv_cq = q->cq;
	q->qp = ibv_create_qp(pd, &a);
	must(q->qp && !verbs_qp_connect_self(q->qp, 0));
}

/* Stores 8 bytes otherwise than compilers do. */
static void exact_store(void *to, uint64_t word)
{
#ifdef __x86_64__
	__asm__ volatile("movnti %1, %0" : "=m"(*(uint64_t *)to) : "r"(word));
#else
	*(volatile uint64_t *)to = word;
#endif
}

/* Arms as libmlx5 does: there was an event, and a completion was polled, in each round before. */
static void exact_arm(const struct exact_queue *q, uint32_t round)
{
	const uint32_t arm[2] = {htobe32((round & 3) << 28 | (round & 0xffffff)),
				 htobe32(q->ring.cqn)};
	uint64_t word;

	if (!q->stepped) {
		must(!ibv_req_notify_cq(q->cq, 0));
		return;
	}
	memcpy(&word, arm, sizeof(word));
	q->ring.dbrec[1] = arm[0];
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	exact_store((uint8_t *)q->ring.cq_uar + ARM_REGISTER, word);
}

static void exact_write(const struct exact_queue *q)
{
	struct ibv_sge sge = {(uintptr_t)buf, 8, mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE}, *bad;

	wr.wr.rdma.remote_addr = (uintptr_t)buf + 64;
	wr.wr.rdma.rkey = mr->rkey;
	must(!ibv_post_send(q->qp, &wr, &bad));
}

static void *exact_rounds(void *queue)
{
	const struct exact_queue *q = queue;
	struct ibv_cq *cq;
	struct ibv_wc wc;
	void *context;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		/* The threads arm at once, and no later arm makes up for one that is lost. */
		pthread_barrier_wait(&round_begins);
		exact_arm(q, i);
		exact_write(q);
		must(!ibv_get_cq_event(q->channel, &cq, &context));
		ibv_ack_cq_events(cq, 1);
		must(ibv_poll_cq(cq, 1, &wc) == 1 && wc.status == IBV_WC_SUCCESS);
	}
	return NULL;
}

/*
 * A step, during which a store of the other thread might be lost, raises SIGTRAP. That kills, since
 * it is blocked.
 */
static void exact_arms(void)
{
	static struct exact_queue q[2];
	pthread_t other;
	sigset_t step;

	sigemptyset(&step);
	sigaddset(&step, SIGTRAP);
	must(!pthread_sigmask(SIG_BLOCK, &step, NULL));
	pthread_barrier_init(&round_begins, NULL, 2);
	exact_queue_make(&q[0]);
	exact_queue_make(&q[1]);
	must(!pthread_create(&other, NULL, exact_rounds, &q[1]));
	exact_rounds(&q[0]);
	must(!pthread_join(other, NULL));
}

static void exact_stepped(void)
{
	static struct exact_queue q = {.stepped = true};

	pthread_barrier_init(&round_begins, NULL, 1);
	exact_queue_make(&q);
	exact_rounds(&q);
}

static void exact_file(void)
{
	FILE *f = tmpfile();
	char *at, c;

	must(f && !ftruncate(fileno(f), 4096));
	at = mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fileno(f), 0);
	must(at != MAP_FAILED);
	at[0] = 'x';
	must(pread(fileno(f), &c, 1, 0) == 1 && c == 'x');
}

int main(int argc, char **argv)
{
	must(argc == 2);
	ctx = verbs_open();
	must(ctx);
	pd = ibv_alloc_pd(ctx);
	mr = ibv_reg_mr(pd, buf, sizeof(buf), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	must(mr);
	if (!strcmp(argv[1], "arms"))
		exact_arms();
	else if (!strcmp(argv[1], "stepped"))
		exact_stepped();
	else
		exact_file();
	return 0;
}
