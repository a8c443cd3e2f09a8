/* SPDX-License-Identifier: BSD-2-Clause */
/* Address handles, failed queues, threads, fork. */
#include "misuse.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void misuse_ah(bool early_end)
{
	struct ibv_ah_attr aa = {.is_global = 1, .port_num = 1, .grh = {.hop_limit = 1}};
	struct ibv_qp_init_attr a;
	struct ibv_ah *ah;
	struct ibv_send_wr wr = {.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}, *bad;

	misuse_open_cq(64);
	a = (struct ibv_qp_init_attr){.qp_type = IBV_QPT_UD,
				      .send_cq = p.scq,
				      .recv_cq = p.rcq,
				      .cap = {DEPTH, DEPTH, 1, 1, 0}};
	p.a = ibv_create_qp(p.pd, &a);
	must(p.a && !verbs_qp_raise_ud(p.a, 1));
	must(!ibv_query_gid(p.ctx, 1, 0, &aa.grh.dgid));
	ah = ibv_create_ah(p.pd, &aa);
	must(ah);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = p.a->qp_num;
	wr.wr.ud.remote_qkey = 1;
	must(!ibv_post_send(p.a, &wr, &bad));
	if (early_end)
		must(!ibv_destroy_ah(ah));
	misuse_done(p.scq);
	if (!early_end)
		must(!ibv_destroy_ah(ah));
}

static void ah_destroyed(void)
{
	misuse_ah(true);
}

static void ok_ah(void)
{
	misuse_ah(false);
}

static void receive_error(void)
{
	misuse_open();
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, p.out, BYTES, 0));
	must(misuse_poll(p.scq).status != IBV_WC_SUCCESS);
	must(!misuse_receive_at(p.a, p.in, p.mr->lkey));
	must(misuse_poll(p.rcq).status == IBV_WC_WR_FLUSH_ERR);
}

/* A mark behind which nothing is flushed any more. */
static void ok_receive_error(void)
{
	struct ibv_qp_attr error = {.qp_state = IBV_QPS_ERR};

	misuse_open();
	misuse_receive();
	must(!ibv_modify_qp(p.b, &error, IBV_QP_STATE));
	misuse_receive();
	must(misuse_poll(p.rcq).status == IBV_WC_WR_FLUSH_ERR);
	must(misuse_poll(p.rcq).status == IBV_WC_WR_FLUSH_ERR);
}

/*
 * Two threads that poll a CQ that libmlx5 does not lock. Neither waits for the other, except by
 * polling on: it may come at any time while the other is in a poll.
 */
#define POLLS 100u
struct poller {
	pthread_mutex_t *lock;
	_Atomic unsigned int polls, *other;
};

static void *misuse_poller(void *arg)
{
	struct poller *self = arg;
	struct ibv_wc wc;

	for (unsigned int i = 1; i <= POLLS || *self->other < POLLS; i++) {
		self->polls = i;
		if (self->lock)
			pthread_mutex_lock(self->lock);
		must(ibv_poll_cq(p.scq, 1, &wc) <= 0);
		if (self->lock)
			pthread_mutex_unlock(self->lock);
	}
	return NULL;
}

static void misuse_threads(pthread_mutex_t *lock)
{
	struct ibv_cq_init_attr_ex a = {.cqe = 4,
					.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
					.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED};
	struct poller here = {.lock = lock}, there = {.lock = lock};
	pthread_t other;

	misuse_pd();
	p.ex = ibv_create_cq_ex(p.ctx, &a);
	must(p.ex);
	p.scq = ibv_cq_ex_to_cq(p.ex);
	here.other = &there.polls;
	there.other = &here.polls;
	must(!pthread_create(&other, NULL, misuse_poller, &there));
	misuse_poller(&here);
	pthread_join(other, NULL);
}

static void two_threads(void)
{
	misuse_threads(NULL);
}

static void ok_threads(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	misuse_threads(&lock);
}

/* Two QPs of one thread domain, each with a thread of its own. */
struct poster {
	struct ibv_qp *qp;
	struct poller turn;
};

static void *misuse_poster(void *arg)
{
	struct poster *self = arg;

	for (unsigned int i = 1; i <= POLLS || *self->turn.other < POLLS; i++) {
		self->turn.polls = i;
		must(!misuse_post_at(self->qp, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, p.out, BYTES,
				     p.mr->lkey));
		misuse_done(p.scq);
	}
	return NULL;
}

static void misuse_domains(unsigned int domains)
{
	struct poster posters[2] = {{0}};
	pthread_t other;

	misuse_open_cq(64);
	for (unsigned int i = 0; i < 2; i++) {
		static struct ibv_pd *pd;
		struct ibv_td_init_attr ta = {0};
		struct ibv_parent_domain_init_attr pa = {.pd = p.pd};

		if (i < domains) {
			pa.td = ibv_alloc_td(p.ctx, &ta);
			pd = ibv_alloc_parent_domain(p.ctx, &pa);
		}
		must(pd);
		posters[i].qp = misuse_qp(pd, p.scq);
		misuse_connect(posters[i].qp, misuse_qp(p.pd, p.rcq));
		posters[i].turn.other = &posters[!i].turn.polls;
	}
	must(!pthread_create(&other, NULL, misuse_poster, &posters[0]));
	misuse_poster(&posters[1]);
	pthread_join(other, NULL);
}

static void one_domain(void)
{
	misuse_domains(1);
}

static void ok_domains(void)
{
	misuse_domains(2);
}

/* The child runs this, if there is anything. */
static void misuse_fork(void (*run)(void))
{
	int status = 0;
	pid_t child;

	misuse_open();
	misuse_receive();
	child = fork();
	if (!child && run)
		run();
	if (!child)
		_exit(0);
	must(waitpid(child, &status, 0) == child && !status);
}

static void forked(void)
{
	misuse_fork(NULL);
}

static void ok_forked(void)
{
	must(!ibv_fork_init());
	misuse_fork(NULL);
}

static void misuse_unmap(void)
{
	munmap(p.in, PAGE);
	misuse_end();
}

/* The receive is the parent's. */
static void ok_forked_unmaps(void)
{
	must(!ibv_fork_init());
	misuse_fork(misuse_unmap);
}

static void misuse_own_device(void)
{
	misuse_open();
	misuse_receive();
	misuse_unmap();
}

/* A receive of the child's own. */
static void forked_unmaps(void)
{
	must(!ibv_fork_init());
	misuse_fork(misuse_own_device);
}

const struct misuse_case misuse_other[] = {
	MISUSE(ah_destroyed),
	MISUSE(ok_ah),
	MISUSE(receive_error),
	MISUSE(ok_receive_error),
	MISUSE(two_threads),
	MISUSE(ok_threads),
	MISUSE(one_domain),
	MISUSE(ok_domains),
	MISUSE(forked),
	MISUSE(ok_forked),
	MISUSE(ok_forked_unmaps),
	MISUSE(forked_unmaps),
	{0},
};
