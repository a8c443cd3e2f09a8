/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues that hold more than was asked for. */
#include "misuse.h"

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

const struct misuse_case misuse_depth[] = {
	MISUSE(unsignaled),    MISUSE(ok_unsignaled), MISUSE(send_depth),
	MISUSE(receive_depth), MISUSE(cq_small),      MISUSE(cq_asked),
	MISUSE(ok_cq),	       MISUSE(inline_asked),  {0},
};
