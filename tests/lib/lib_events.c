/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that a program gets an event for each failure besides its completions, and no others. */
#include "tests/test.h"
#include <poll.h>
#include <pthread.h>
#include "lib_rig.h"
#include "tests/verbs/verbs_qp.h"

static int cookies[2];

static void nothing(struct dvx_events *ev)
{
	struct dvx_event e;

	assert_int_equal(dvx_events_wait(ev, 0, &e), -ETIMEDOUT);
}

static void expect(struct dvx_events *ev, uint8_t type, uint32_t number, const void *cookie)
{
	struct pollfd pfd = {.fd = dvx_events_fd(ev), .events = POLLIN};
	struct dvx_event e;

	assert_int_equal(poll(&pfd, 1, 10000), 1);
	OK(dvx_events_wait(ev, 0, &e));
	assert_string_equal(dvx_event_name(e.type), dvx_event_name(type));
	assert_int_equal(e.number, number);
	assert_ptr_equal(e.cookie, cookie);
}

/* A WRITE without the right: the peer's queue fails, and the peer gets an event without polling. */
TEST(pair, access_error, DVX_REMOTE_READ)
{
	struct dvx_sge s = {(uintptr_t)r->buf, 64, r->key};
	struct dvx_events *ev;

	OK(dvx_events_open(r->dev, &ev));
	OK(dvx_events_watch_qp(ev, p->qp[1], &cookies[1]));
	OK(dvx_events_watch_qp(ev, p->qp[0], &cookies[0]));
	refused(dvx_events_watch_qp(ev, p->qp[0], NULL), -EBUSY, "watched already", "");
	refused(dvx_events_close(ev), -EBUSY, "still watched", "");
	nothing(ev);
	dvx_post_write(p->sq, (uintptr_t)r->buf, r->key, &s, 1, 1, 0);
	dvx_sq_ring(p->sq);
	expect(ev, PRM_EVENT_WQ_ACCESS_ERROR, dvx_qp_number(p->qp[1]), &cookies[1]);
	pair_free(p);
	OK(dvx_events_close(ev));
	pair_make(r, p, DVX_REMOTE_READ);
}

/* More completions than entries: the CQ's overrun makes an event. */
TEST(rig, cq_overrun)
{
	struct dvx_cq_attr cqa = {
		.size = sizeof(cqa), .entries = 16, .uar = r->uar, .flags = DVX_CQ_OVERCOMMIT};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_events *ev;
	struct dvx_cq *cq;
	struct dvx_qp *qp;

	OK(dvx_events_open(r->dev, &ev));
	OK(dvx_cq_create(r->dev, &cqa, &cq));
	OK(dvx_events_watch_cq(ev, cq, &cookies[0]));
	qpa.send_cq = cq;
	OK(dvx_qp_create(r->dev, &qpa, &qp));
	OK(dvx_qp_connect_self(qp, 0));
	for (unsigned int i = 0; i <= cq->entries; i++)
		OK(dvx_post_nop(dvx_qp_sq(qp), i, DVX_SIGNALED));
	dvx_sq_ring(dvx_qp_sq(qp));
	expect(ev, PRM_EVENT_CQ_ERROR, cq->cqn, &cookies[0]);
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
	OK(dvx_events_close(ev));
}

/* An event of an object that was destroyed before the program read it is dropped. */
TEST(rig, too_late)
{
	struct dvx_sge s = {(uintptr_t)r->buf, 64, r->key};
	struct dvx_events *ev;
	struct pair p;

	OK(dvx_events_open(r->dev, &ev));
	pair_make(r, &p, DVX_REMOTE_READ);
	OK(dvx_events_watch_qp(ev, p.qp[1], &cookies[1]));
	dvx_post_write(p.sq, (uintptr_t)r->buf, r->key, &s, 1, 1, 0);
	dvx_sq_ring(p.sq);
	assert_int_equal(
		poll(&(struct pollfd){.fd = dvx_events_fd(ev), .events = POLLIN}, 1, 10000), 1);
	pair_free(&p);
	nothing(ev);
	OK(dvx_events_close(ev));
}

struct waiter {
	struct dvx_events *ev;
	struct dvx_event e;
	int err;
};

static void *wait_once(void *arg)
{
	struct waiter *w = arg;

	w->err = dvx_events_wait(w->ev, 300, &w->e);
	return NULL;
}

/* Two threads wake up for one event: one gets it, and the other's timeout still ends its wait. */
TEST(rig, two_waiters)
{
	struct dvx_sge s = {(uintptr_t)r->buf, 64, r->key};
	struct waiter w[2];
	pthread_t t[2];

	OK(dvx_events_open(r->dev, &w[0].ev));
	w[1] = w[0];
	for (int round = 0; round < 5; round++) {
		struct pair p;

		pair_make(r, &p, DVX_REMOTE_READ);
		OK(dvx_events_watch_qp(w[0].ev, p.qp[1], &cookies[1]));
		for (int i = 0; i < 2; i++)
			assert_int_equal(pthread_create(&t[i], NULL, wait_once, &w[i]), 0);
		dvx_post_write(p.sq, (uintptr_t)r->buf, r->key, &s, 1, 1, 0);
		dvx_sq_ring(p.sq);
		for (int i = 0; i < 2; i++)
			assert_int_equal(pthread_join(t[i], NULL), 0);
		assert_int_equal(w[0].err + w[1].err, -ETIMEDOUT);
		assert_int_equal(w[w[0].err != 0].e.number, dvx_qp_number(p.qp[1]));
		pair_free(&p);
	}
	OK(dvx_events_close(w[0].ev));
}

struct rival {
	pthread_barrier_t *start;
	struct dvx_events *ev;
	struct dvx_qp *qp;
	int err;
};

static void *watch_it(void *arg)
{
	struct rival *v = arg;

	pthread_barrier_wait(v->start);
	v->err = dvx_events_watch_qp(v->ev, v->qp, NULL);
	return NULL;
}

/* Two threads, each with its own events, watch one queue: one gets an error about the other. */
TEST(rig, watched_twice_at_once)
{
	pthread_barrier_t start;
	struct rival v[2];
	struct pair p;
	pthread_t t[2];

	assert_int_equal(pthread_barrier_init(&start, NULL, 2), 0);
	for (int i = 0; i < 2; i++) {
		v[i].start = &start;
		OK(dvx_events_open(r->dev, &v[i].ev));
	}
	for (int round = 0; round < 20; round++) {
		pair_make(r, &p, DVX_REMOTE_READ);
		for (int i = 0; i < 2; i++) {
			v[i].qp = p.qp[1];
			assert_int_equal(pthread_create(&t[i], NULL, watch_it, &v[i]), 0);
		}
		for (int i = 0; i < 2; i++)
			assert_int_equal(pthread_join(t[i], NULL), 0);
		assert_int_equal(v[0].err + v[1].err, -EBUSY);
		pair_free(&p);
	}
	for (int i = 0; i < 2; i++)
		OK(dvx_events_close(v[i].ev));
	pthread_barrier_destroy(&start);
}

/* Verbs' own objects have verbs' events, and a sentence explains it. */
TEST(rig, of_verbs)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_cq *ibcq = ibv_create_cq(ctx, 15, NULL, NULL, 0);
	struct dvx_events *ev;
	struct dvx_cq *cq;

	assert_non_null(ibcq);
	OK(dvx_cq_adopt(r->dev, ibcq, &cq));
	OK(dvx_events_open(r->dev, &ev));
	refused(dvx_events_watch_cq(ev, cq, NULL), -EINVAL, "ibv_get_async_event()", "verbs' own");
	OK(dvx_events_close(ev));
	OK(dvx_cq_destroy(cq));
	assert_int_equal(ibv_destroy_cq(ibcq), 0);
}

/* With only a count, four completions make one event, on a CQ of DevX and on an adopted one. */
TEST(pair, moderated, 0)
{
	struct dvx_channel *ch;
	struct ibv_cq *ibcq = ibv_create_cq(dvx_dev_ibv(r->dev), 64, NULL, NULL, 0);
	struct dvx_cq *adopted;
	struct dvx_cq plain = {0};
	uint32_t number;
	uint64_t i;

	OK(dvx_channel_open(r->dev, &ch));
	OK(dvx_channel_subscribe(ch, p->cq[0], NULL));
	OK(dvx_cq_moderate(p->cq[0], 0, 4));
	dvx_cq_arm(p->cq[0], false);
	number = p->cq[0]->arm_sn;
	for (i = 0; i < 4; i++) {
		assert_int_equal(dvx_channel_wait(ch, 0, NULL, NULL), -ETIMEDOUT);
		OK(dvx_post_nop(p->sq, i, DVX_SIGNALED));
		ring_done(p, i);
	}
	OK(dvx_channel_wait(ch, PATIENCE_SECONDS * 1000, NULL, NULL));
	/* A NIC ignores an arm with the number of a fired one. */
	assert_int_equal((p->cq[0]->arm_sn - number) & 3, 1);
	OK(dvx_cq_moderate(p->cq[0], 0, 0));
	dvx_cq_arm(p->cq[0], false);
	OK(dvx_post_nop(p->sq, i, DVX_SIGNALED));
	ring_done(p, i);
	OK(dvx_channel_wait(ch, PATIENCE_SECONDS * 1000, NULL, NULL));
	refused(dvx_cq_moderate(p->cq[0], 4096, 1), -EINVAL, "period_us is 4096", "4095");
	refused(dvx_cq_moderate(p->cq[0], 1, 65536), -EINVAL, "count is 65536", "65535");
	refused(dvx_cq_moderate(&plain, 1, 1), -EINVAL, "plain ring", "dvx_cq_moderate");
	assert_non_null(ibcq);
	OK(dvx_cq_adopt(r->dev, ibcq, &adopted));
	OK(dvx_cq_moderate(adopted, 10, 4));
	OK(dvx_cq_destroy(adopted));
	assert_int_equal(ibv_destroy_cq(ibcq), 0);
	pair_free(p);
	OK(dvx_channel_close(ch));
	pair_make(r, p, 0);
}

TEST_GROUP(rig_open, rig_close)
