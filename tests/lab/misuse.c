/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that misuse verbs, one for each rule of dvx-check, and their correct twins: misuse CASE
 * does it with two connected queue pairs. Cases whose name begins with "ok_" do it right.
 */
#include <infiniband/mlx5dv.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/patience.h"
#include "tests/verbs/verbs_qp.h"

#define DEPTH		4u
#define BYTES		64u
#define PAGE		65536u

#define must(CONDITION) misuse_must(CONDITION, #CONDITION)
static void misuse_must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "misuse: not so: %s\n", what);
	exit(1);
}

/* A sender and its receiver; the first half of the memory is sent, the second received into. */
struct pair {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	struct ibv_cq *scq, *rcq;
	struct ibv_cq_ex *ex;
	struct ibv_qp *a, *b;
	uint8_t *out, *in;
};

static struct pair p;

/* A last call would be a jump, and its place the caller's. */
static void misuse_end(void)
{
	fflush(stdout);
}

static void misuse_pd(void)
{
	p.ctx = verbs_open();
	must(p.ctx);
	p.pd = ibv_alloc_pd(p.ctx);
	p.out = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	p.in = p.out + PAGE;
	p.mr = ibv_reg_mr(p.pd, p.out, (size_t)2 * PAGE,
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				  IBV_ACCESS_REMOTE_READ);
	p.channel = ibv_create_comp_channel(p.ctx);
	must(p.mr && p.channel);
}

static struct ibv_qp *misuse_qp(struct ibv_pd *pd, struct ibv_cq *scq)
{
	struct ibv_qp_init_attr a = {.qp_type = IBV_QPT_RC,
				     .send_cq = scq,
				     .recv_cq = p.rcq,
				     .cap = {DEPTH, DEPTH, 1, 1, 16}};
	struct ibv_qp *qp = ibv_create_qp(pd, &a);

	must(qp);
	return qp;
}

/* An extended QP, whose requests are built by ibv_wr_*(). */
static struct ibv_qp *misuse_qp_ex(bool own)
{
	struct ibv_qp_init_attr_ex a = {
		.qp_type = IBV_QPT_RC,
		.send_cq = p.scq,
		.recv_cq = p.rcq,
		.cap = {DEPTH, DEPTH, 1, 1, 16},
		.pd = p.pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_SEND};
	struct mlx5dv_qp_init_attr dv = {0};
	struct ibv_qp *qp = own ? mlx5dv_create_qp(p.ctx, &a, &dv) : ibv_create_qp_ex(p.ctx, &a);

	must(qp);
	return qp;
}

static void misuse_connect(struct ibv_qp *a, struct ibv_qp *b)
{
	must(!verbs_qp_connect(a, b->qp_num, 0) && !verbs_qp_connect(b, a->qp_num, 0));
}

static void misuse_open_cq(uint32_t cqe)
{
	misuse_pd();
	p.scq = ibv_create_cq(p.ctx, (int)cqe, NULL, p.channel, 0);
	p.rcq = ibv_create_cq(p.ctx, 64, NULL, p.channel, 0);
	must(p.scq && p.rcq);
}

static void misuse_open(void)
{
	misuse_open_cq(64);
	p.a = misuse_qp(p.pd, p.scq);
	p.b = misuse_qp(p.pd, p.rcq);
	misuse_connect(p.a, p.b);
}

static int misuse_post_at(struct ibv_qp *qp, enum ibv_wr_opcode opcode, unsigned int flags,
			  const void *from, uint32_t bytes, uint32_t lkey)
{
	struct ibv_sge sge = {(uintptr_t)from, bytes, lkey};
	struct ibv_send_wr wr = {.wr_id = 7,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .opcode = opcode,
				 .send_flags = flags,
				 .wr.rdma = {(uintptr_t)p.in, p.mr->rkey}},
			   *bad;

	return ibv_post_send(qp, &wr, &bad);
}

static int misuse_post(enum ibv_wr_opcode opcode, unsigned int flags)
{
	return misuse_post_at(p.a, opcode, flags, p.out, BYTES, p.mr->lkey);
}

static int misuse_receive_at(struct ibv_qp *qp, void *to, uint32_t lkey)
{
	struct ibv_sge sge = {(uintptr_t)to, BYTES, lkey};
	struct ibv_recv_wr wr = {.wr_id = 9, .sg_list = &sge, .num_sge = 1}, *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

static void misuse_receive(void)
{
	must(!misuse_receive_at(p.b, p.in, p.mr->lkey));
}

static struct ibv_wc misuse_poll(struct ibv_cq *cq)
{
	const time_t end = patience_from_now();
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)))
		must(!patience_over(end));
	must(n == 1);
	return wc;
}

static void misuse_done(struct ibv_cq *cq)
{
	must(misuse_poll(cq).status == IBV_WC_SUCCESS);
}

/* --- memory ------------------------------------------------------------------------------------ */

static void changed(void)
{
	misuse_open();
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	p.out[8]++;
	misuse_done(p.scq);
}

static void ok_changed(void)
{
	misuse_open();
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
	p.out[8]++;
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED | IBV_SEND_INLINE, p.out, 16,
			     0));
	p.out[8]++;
	misuse_done(p.scq);
}

/* The buffer of an unsignaled request, too. */
static void changed_unsignaled(void)
{
	misuse_open();
	must(!misuse_post(IBV_WR_RDMA_WRITE, 0));
	p.out[8]++;
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
}

static void early(void)
{
	misuse_open();
	misuse_receive();
	memcpy(p.out, p.in, BYTES);
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
	misuse_done(p.rcq);
}

static void ok_early(void)
{
	misuse_open();
	misuse_receive();
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
	misuse_done(p.rcq);
	memcpy(p.out, p.in, BYTES);
	misuse_receive();
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	misuse_done(p.scq);
	misuse_done(p.rcq);
}

static uint8_t *misuse_block(struct ibv_mr **mr)
{
	uint8_t *block = aligned_alloc(4096, 8192);

	must(block);
	*mr = ibv_reg_mr(p.pd, block, 4096, IBV_ACCESS_LOCAL_WRITE);
	must(*mr);
	return block;
}

static void freed(void)
{
	struct ibv_mr *mr;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	must(!misuse_receive_at(p.b, block, mr->lkey));
	free(block);
	misuse_end();
}

static void ok_freed(void)
{
	struct ibv_mr *mr;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	must(!misuse_receive_at(p.b, block, mr->lkey));
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	misuse_done(p.rcq);
	misuse_done(p.scq);
	must(!ibv_dereg_mr(mr));
	free(block);
}

static void unmapped(void)
{
	misuse_open();
	misuse_receive();
	munmap(p.in, PAGE);
	misuse_end();
}

static void key_ended(void)
{
	struct ibv_mr *mr;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	must(!misuse_receive_at(p.b, block, mr->lkey));
	must(!ibv_dereg_mr(mr));
	free(block);
}

static void ok_key_ended(void)
{
	struct ibv_mr *mr;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	must(!misuse_receive_at(p.b, block, mr->lkey));
	must(!ibv_destroy_qp(p.b));
	must(!ibv_dereg_mr(mr));
	free(block);
}

static void key_old(void)
{
	struct ibv_mr *mr;
	uint32_t lkey;
	uint8_t *block;

	misuse_open();
	block = misuse_block(&mr);
	lkey = mr->lkey;
	must(!ibv_dereg_mr(mr));
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, block, BYTES, lkey));
	must(misuse_poll(p.scq).status == IBV_WC_LOC_PROT_ERR);
	free(block);
}

/* --- depth ------------------------------------------------------------------------------------- */

/* libmlx5 refuses what it has no place for: it rounds up, or not. */
static void misuse_post_n(unsigned int n, unsigned int signal_each)
{
	misuse_open();
	for (unsigned int i = 1; i <= n; i++)
		must(!misuse_post(IBV_WR_RDMA_WRITE, i % signal_each ? 0 : IBV_SEND_SIGNALED) ||
		     i > DEPTH);
}

static void unsignaled(void)
{
	misuse_post_n(DEPTH + 1, 100);
}

static void ok_unsignaled(void)
{
	misuse_post_n(DEPTH, DEPTH);
	misuse_done(p.scq);
	for (unsigned int i = 1; i <= DEPTH; i++)
		must(!misuse_post(IBV_WR_RDMA_WRITE, 0));
}

static void send_depth(void)
{
	misuse_post_n(DEPTH + 1, 2);
}

static void receive_depth(void)
{
	misuse_open_cq(64);
	p.b = misuse_qp(p.pd, p.rcq);
	p.a = misuse_qp(p.pd, p.scq);
	misuse_connect(p.a, p.b);
	for (unsigned int i = 0; i < DEPTH; i++)
		misuse_receive();
	(void)misuse_receive_at(p.b, p.in, p.mr->lkey); /* refused, if libmlx5 has not rounded up */
}

static void misuse_cq(uint32_t cqe, unsigned int qps)
{
	struct ibv_qp *qp;

	misuse_open_cq(cqe);
	while (qps--) {
		qp = misuse_qp(p.pd, p.scq);
		misuse_connect(qp, misuse_qp(p.pd, p.rcq));
		for (unsigned int i = 0; i < DEPTH; i++)
			must(!misuse_post_at(qp, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, p.out, BYTES,
					     p.mr->lkey));
	}
}

static void cq_small(void)
{
	misuse_cq(8, 4);
}

static void cq_asked(void)
{
	misuse_cq(10, 3);
}

static void ok_cq(void)
{
	misuse_cq(16, 4);
}

static void inline_asked(void)
{
	misuse_open();
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED | IBV_SEND_INLINE, p.out, 17,
			     0));
	misuse_done(p.scq);
}

/* --- the extended calls ------------------------------------------------------------------------ */

static void misuse_write_ex(bool own, bool change, uint32_t inlined)
{
	struct ibv_qp_ex *ex;

	misuse_open_cq(64);
	p.a = misuse_qp_ex(own);
	p.b = misuse_qp(p.pd, p.rcq);
	misuse_connect(p.a, p.b);
	ex = ibv_qp_to_qp_ex(p.a);
	ibv_wr_start(ex);
	ex->wr_id = 8;
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(ex, p.mr->rkey, (uintptr_t)p.in);
	if (inlined)
		ibv_wr_set_inline_data(ex, p.out, inlined);
	else
		ibv_wr_set_sge(ex, p.mr->lkey, (uintptr_t)p.out, BYTES);
	must(!ibv_wr_complete(ex));
	if (change)
		p.out[0]++;
	misuse_done(p.scq);
}

static void changed_ex(void)
{
	misuse_write_ex(false, true, 0);
}

static void changed_dv(void)
{
	misuse_write_ex(true, true, 0);
}

static void ok_ex(void)
{
	misuse_write_ex(false, false, 0);
}

static void ok_inline_ex(void)
{
	misuse_write_ex(true, true, 16);
}

static void inline_ex(void)
{
	misuse_write_ex(false, false, 17);
}

static void misuse_failed_ex(bool reads)
{
	struct ibv_cq_init_attr_ex ca = {.cqe = 64, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN};
	struct ibv_poll_cq_attr pa = {0};
	const time_t end = patience_from_now();

	misuse_open_cq(64);
	p.ex = ibv_create_cq_ex(p.ctx, &ca);
	must(p.ex);
	p.a = misuse_qp(p.pd, ibv_cq_ex_to_cq(p.ex));
	p.b = misuse_qp(p.pd, p.rcq);
	misuse_connect(p.a, p.b);
	must(!misuse_post_at(p.a, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED, p.out, BYTES, 0));
	while (ibv_start_poll(p.ex, &pa))
		must(!patience_over(end));
	must(p.ex->status != IBV_WC_SUCCESS);
	if (reads)
		printf("%d\n", ibv_wc_read_opcode(p.ex));
	ibv_end_poll(p.ex);
}

static void failed_field(void)
{
	misuse_failed_ex(true);
}

static void ok_failed_field(void)
{
	misuse_failed_ex(false);
}

/* --- events ------------------------------------------------------------------------------------ */

static struct ibv_cq *misuse_event(void)
{
	struct ibv_cq *cq;
	void *user;

	must(!ibv_get_cq_event(p.channel, &cq, &user));
	return cq;
}

static void misuse_one_event(void)
{
	misuse_open();
	must(!ibv_req_notify_cq(p.scq, 0));
	must(!misuse_post(IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED));
	must(misuse_event() == p.scq);
	misuse_done(p.scq);
}

/* Does not return: the call waits for the acknowledgement. */
static void unacknowledged(void)
{
	misuse_one_event();
	must(!ibv_destroy_qp(p.a));
	ibv_destroy_cq(p.scq);
	misuse_end();
}

static void ok_acknowledged(void)
{
	misuse_one_event();
	ibv_ack_cq_events(p.scq, 1);
	must(!ibv_destroy_qp(p.a) && !ibv_destroy_cq(p.scq));
}

static void other_cq(void)
{
	misuse_one_event();
	ibv_ack_cq_events(p.rcq, 1);
	misuse_end();
}

/* A completion may come between the last poll and the arm; here it comes later. */
static void misuse_sleep(bool poll)
{
	struct ibv_wc wc;

	misuse_open();
	misuse_receive();
	must(!ibv_poll_cq(p.rcq, 1, &wc));
	must(!ibv_req_notify_cq(p.rcq, 0));
	if (poll)
		must(!ibv_poll_cq(p.rcq, 1, &wc));
	must(!misuse_post(IBV_WR_SEND, IBV_SEND_SIGNALED));
	ibv_ack_cq_events(misuse_event(), 1);
	misuse_done(p.rcq);
}

static void slept(void)
{
	misuse_sleep(false);
}

static void ok_slept(void)
{
	misuse_sleep(true);
}

/* --- other ------------------------------------------------------------------------------------- */

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

/* Two threads that poll a CQ that libmlx5 does not lock: each may begin one poll while the other is in one. */
struct poller {
	pthread_mutex_t *lock;
	_Atomic unsigned int polls, *other;
};

static void *misuse_poller(void *arg)
{
	struct poller *self = arg;
	struct ibv_wc wc;

	for (unsigned int i = 1; i <= 100; i++) {
		self->polls = i;
		while (*self->other + 1 < i)
			sched_yield();
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

	for (unsigned int i = 1; i <= 50; i++) {
		self->turn.polls = i;
		while (*self->turn.other + 1 < i)
			sched_yield();
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

static void misuse_fork(void)
{
	int status = 0;
	pid_t child;

	misuse_open();
	child = fork();
	if (!child)
		_exit(0);
	must(waitpid(child, &status, 0) == child && !status);
}

static void forked(void)
{
	misuse_fork();
}

static void ok_forked(void)
{
	must(!ibv_fork_init());
	misuse_fork();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
#define CASE(name)          \
	{                   \
#name, name \
	}
	CASE(changed),	       CASE(ok_changed),       CASE(changed_unsignaled),
	CASE(changed_ex),      CASE(changed_dv),       CASE(ok_ex),
	CASE(early),	       CASE(ok_early),	       CASE(freed),
	CASE(ok_freed),	       CASE(unmapped),	       CASE(key_ended),
	CASE(ok_key_ended),    CASE(key_old),	       CASE(unsignaled),
	CASE(ok_unsignaled),   CASE(send_depth),       CASE(receive_depth),
	CASE(cq_small),	       CASE(cq_asked),	       CASE(ok_cq),
	CASE(inline_asked),    CASE(inline_ex),	       CASE(ok_inline_ex),
	CASE(failed_field),    CASE(ok_failed_field),  CASE(unacknowledged),
	CASE(ok_acknowledged), CASE(other_cq),	       CASE(slept),
	CASE(ok_slept),	       CASE(ah_destroyed),     CASE(ok_ah),
	CASE(receive_error),   CASE(ok_receive_error), CASE(two_threads),
	CASE(ok_threads),      CASE(one_domain),       CASE(ok_domains),
	CASE(forked),	       CASE(ok_forked),
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	return 2;
}
