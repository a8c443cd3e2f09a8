/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves completion queues through unmodified libibverbs and libmlx5: they are resized while
 * completions come, their events are moderated, and timestamps are the time of day. */
#include "tests/test.h"
#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <infiniband/mlx5dv.h>
#include "tests/patience.h"
#include "verbs_self.h"

/* libmlx5 has EQs and interrupts only with VFIO; over a kernel driver it refuses them. */
TEST(self, no_eq_of_ones_own)
{
	uint32_t in[16] = {0}, out[4];

	assert_null(mlx5dv_devx_alloc_msi_vector(s->ctx));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_null(mlx5dv_devx_create_eq(s->ctx, in, sizeof(in), out, sizeof(out)));
	assert_int_equal(errno, EOPNOTSUPP);
}

static void writes(struct self *s, unsigned int first, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		self_write(s, first + i, 8);
}

static void poll_in_order(struct self *s, unsigned int first, unsigned int n)
{
	struct ibv_wc wc;

	for (unsigned int i = 0; i < n; i++) {
		self_poll(s->cq, &wc);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.wr_id, first + i);
	}
}

/* A channel is a descriptor. Without a free one it is refused, and all else works. */
TEST(self, no_descriptor_is_left)
{
	struct ibv_comp_channel *ch;
	struct rlimit was, none;
	int err;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = (struct rlimit){3, was.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	ch = ibv_create_comp_channel(s->ctx);
	err = errno;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_null(ch);
	assert_int_equal(err, EMFILE);
	ch = ibv_create_comp_channel(s->ctx);
	assert_non_null(ch);
	assert_int_equal(ibv_destroy_comp_channel(ch), 0);
}

/* 8 bytes are a packet, and the QP is its own peer. */
TEST(self, query_qp_tells_the_next_psns)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	writes(s, 0, 3);
	poll_in_order(s, 0, 3);
	assert_int_equal(ibv_query_qp(s->qp, &a, IBV_QP_SQ_PSN | IBV_QP_RQ_PSN, &init), 0);
	assert_int_equal(a.sq_psn, 3);
	assert_int_equal(a.rq_psn, 3);
}

/* Completions not polled before the move are polled after it, in order, none twice. */
TEST(self, resized_under_way)
{
	static const int sizes[] = {100, 1000, 40, 5000, 31};
	unsigned int next = 0;

	for (unsigned int round = 0; round < 10; round++) {
		writes(s, next, SELF_DEPTH);
		poll_in_order(s, next, round);
		assert_int_equal(ibv_resize_cq(s->cq, sizes[round % 5]), 0);
		assert_in_range(s->cq->cqe, sizes[round % 5], 2 * sizes[round % 5] + 1);
		poll_in_order(s, next + round, SELF_DEPTH - round);
		next += SELF_DEPTH;
		writes(s, next, SELF_DEPTH);
		poll_in_order(s, next, SELF_DEPTH);
		next += SELF_DEPTH;
	}
	assert_int_equal(ibv_resize_cq(s->cq, 31), 0); /* the size that it has */
	assert_int_equal(ibv_resize_cq(s->cq, 1 << 23), EINVAL);
}

/* Four completions make one event; the channel has none before. */
TEST(self, moderated)
{
	struct ibv_modify_cq_attr attr = {.attr_mask = IBV_CQ_ATTR_MODERATE, .moderate = {4, 0}};
	struct pollfd readable = {.fd = s->channel->fd, .events = POLLIN};
	struct ibv_device_attr_ex d;
	struct ibv_cq *cq;
	void *ctx;

	assert_int_equal(ibv_query_device_ex(s->ctx, NULL, &d), 0);
	assert_int_equal(d.cq_mod_caps.max_cq_count, 65535);
	assert_int_equal(d.cq_mod_caps.max_cq_period, 4095);
	assert_int_equal(ibv_modify_cq(s->cq, &attr), 0);
	assert_int_equal(ibv_req_notify_cq(s->cq, 0), 0);
	writes(s, 0, 3);
	poll_in_order(s, 0, 3);
	assert_int_equal(poll(&readable, 1, 0), 0);
	writes(s, 3, 1);
	assert_int_equal(ibv_get_cq_event(s->channel, &cq, &ctx), 0);
	assert_ptr_equal(cq, s->cq);
	ibv_ack_cq_events(cq, 1);
	poll_in_order(s, 3, 1);
	attr.moderate.cq_period = 4096;
	assert_int_equal(ibv_modify_cq(s->cq, &attr), EINVAL);
}

/* Returns a completion's timestamp, in nanoseconds since 1970; *around: before and after it. */
static uint64_t stamp_of(struct self *s, uint64_t flag, uint64_t around[2])
{
	struct ibv_cq_init_attr_ex a = {.cqe = 15, .wc_flags = flag};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(s->ctx, &a);
	struct ibv_poll_cq_attr none = {0};
	struct mlx5dv_clock_info info;
	struct ibv_qp *qp;
	uint64_t ns;

	assert_non_null(cq);
	qp = self_qp(s->pd, ibv_cq_ex_to_cq(cq), ibv_cq_ex_to_cq(cq));
	around[0] = time_of_day();
	self_send(s, qp, 1, 8);
	while (ibv_start_poll(cq, &none) == ENOENT)
		;
	assert_int_equal(cq->status, IBV_WC_SUCCESS);
	if (flag == IBV_WC_EX_WITH_COMPLETION_TIMESTAMP) {
		assert_int_equal(mlx5dv_get_clock_info(s->ctx, &info), 0);
		ns = mlx5dv_ts_to_ns(&info, ibv_wc_read_completion_ts(cq));
	} else {
		ns = ibv_wc_read_completion_wallclock_ns(cq);
	}
	around[1] = time_of_day();
	ibv_end_poll(cq);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	return ns;
}

/*
 * Free-running stamps become the time of day by the parameters of the clock page; they may be off
 * by the day clock's slew since. Real-time stamps are the time of day, seconds above nanoseconds
 * (REAL_TIME_TO_NS() of Linux's mlx5_core), which libmlx5 passes on unchanged.
 */
TEST(self, timestamps)
{
	const uint64_t slack = 100000000;
	uint64_t around[2], ns;

	ns = stamp_of(s, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP, around);
	assert_in_range(ns, around[0] - slack, around[1] + slack);
	ns = stamp_of(s, IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK, around);
	ns = (ns >> 32) * 1000000000u + (uint32_t)ns;
	assert_in_range(ns, around[0], around[1]);
}

/* Different clocks of one QP's CQs are refused, and so is a writable clock page. */
TEST(self, timestamps_refused)
{
	struct ibv_cq_init_attr_ex a = {
		.cqe = 15, .wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK};
	struct ibv_cq_ex *cq = ibv_create_cq_ex(s->ctx, &a);
	struct ibv_qp_init_attr q = {.qp_type = IBV_QPT_RC,
				     .send_cq = ibv_cq_ex_to_cq(cq),
				     .recv_cq = s->cq,
				     .cap = {1, 1, 1, 1, 0}};

	assert_null(ibv_create_qp(s->pd, &q));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	assert_ptr_equal(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, s->ctx->cmd_fd, 0x700 * 4096),
			 MAP_FAILED);
	assert_int_equal(errno, EPERM);
}
