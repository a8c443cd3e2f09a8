/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves completion queues through unmodified libibverbs and libmlx5: they are resized while
 * completions come, and their events are moderated. */
#include "tests/test.h"
#include <errno.h>
#include <poll.h>
#include <infiniband/mlx5dv.h>
#include "verbs_self.h"

#define TEST_FIXTURE {self_open, self_close}

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

/* What was not polled before the move is polled after it, in order, nothing twice. */
TEST_F(resized_under_way)
{
	static const int sizes[] = {100, 1000, 40, 5000, 31};
	struct self *s = *state;
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
	assert_int_equal(ibv_resize_cq(s->cq, 31), 0); /* as it is */
	assert_int_equal(ibv_resize_cq(s->cq, 1 << 23), EINVAL);
}

/* Four completions make one event; the channel has none before. */
TEST_F(moderated)
{
	struct self *s = *state;
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
