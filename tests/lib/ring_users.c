/* SPDX-License-Identifier: BSD-2-Clause */
/* Detection of a second thread on a ring or register, in a program compiled with -DDVX_DEBUG. */
#ifndef DVX_DEBUG
#define DVX_DEBUG
#endif
#include <pthread.h>
#include "ring.h"

/* A call in another thread: its result, and the sentence of its error there. */
struct elsewhere {
	int (*call)(void *ring);
	void *ring;
	int result;
	char why[256];
};

static void *elsewhere_run(void *arg)
{
	struct elsewhere *e = arg;

	e->result = e->call(e->ring);
	strncpy(e->why, dvx_strerror(e->result), sizeof(e->why) - 1);
	return NULL;
}

static int elsewhere(int (*call)(void *ring), void *ring, char why[256])
{
	struct elsewhere e = {.call = call, .ring = ring};
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, elsewhere_run, &e), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	if (why)
		memcpy(why, e.why, sizeof(e.why));
	return e.result;
}

static int post(void *sq)
{
	return dvx_post_nop(sq, 1, DVX_SIGNALED);
}

static int post_and_leave(void *sq)
{
	int err = post(sq);

	dvx_sq_leave(sq);
	return err;
}

static int ring(void *sq)
{
	dvx_sq_ring(sq);
	return 0;
}

static int post_ring_and_leave(void *sq)
{
	int err = post(sq);

	dvx_sq_ring(sq);
	dvx_sq_leave(sq);
	return err;
}

static int poll_sq(void *sq)
{
	struct dvx_wc wc;

	return dvx_sq_poll(sq, &wc);
}

/* The second thread's post fails, nothing is written, and both errors name the threads. */
TEST(none, two_threads_post)
{
	struct plain_sq p, before;
	char why[256], mine[32];

	plain_sq_init(&p, 8, 0);
	assert_int_equal(post(&p.sq), 0);
	before = p;
	snprintf(mine, sizeof(mine), "thread %u ", p.sq.users.owner);
	assert_int_equal(elsewhere(post, &p.sq, why), -EUSERS);
	assert_non_null(strstr(why, "send ring 0x123456 is used by thread"));
	assert_non_null(strstr(why, mine));
	assert_int_equal(p.sq.pi, before.sq.pi);
	assert_memory_equal(p.buf, before.buf, sizeof(p.buf));
	assert_int_equal(post(&p.sq), -EUSERS);
	assert_string_equal(dvx_strerror(-EUSERS), why);
	assert_int_equal(poll_sq(&p.sq), -EUSERS);
}

/* After dvx_sq_leave(), another thread can use a ring; only its owner can leave it. */
TEST(none, leave)
{
	struct plain_sq p;

	plain_sq_init(&p, 8, 0);
	assert_int_equal(elsewhere(post_and_leave, &p.sq, NULL), 0);
	assert_int_equal(elsewhere(post_and_leave, &p.sq, NULL), 0);
	assert_int_equal(post_and_leave(&p.sq), 0);
	assert_int_equal(elsewhere(post, &p.sq, NULL), 0);
	dvx_sq_leave(&p.sq); /* this thread is not the owner */
	assert_int_equal(post(&p.sq), -EUSERS);
}

/* A post during a batch writes the blocks of the batch: the next calls report it. */
TEST(none, beside_a_batch)
{
	struct plain_sq p;
	struct dvx_sq batch;

	plain_sq_init(&p, 8, 0);
	for (int beside = 0; beside < 2; beside++) {
		batch = dvx_sq_begin(&p.sq);
		assert_int_equal(post(&batch), 0);
		assert_int_equal(beside ? post(&p.sq) : 0, 0);
		dvx_sq_end(&p.sq, &batch);
		dvx_sq_end(&p.sq, &batch);
		assert_int_equal(beside ? 0 : post(&p.sq), 0);
	}
	assert_int_equal(post(&p.sq), -EUSERS);
	assert_non_null(strstr(dvx_strerror(-EUSERS), "send ring 0x123456: something was posted"));
	assert_int_equal(poll_sq(&p.sq), -EUSERS);
}

/* If a call without a result finds a second thread, the next call with a result reports it. */
TEST(none, two_threads_ring)
{
	struct plain_sq p;

	plain_sq_init(&p, 8, 0);
	assert_int_equal(post(&p.sq), 0);
	assert_int_equal(elsewhere(ring, &p.sq, NULL), 0);
	assert_int_equal(post(&p.sq), -EUSERS);
}

static void two_on_one_register(struct plain_sq *a, struct plain_sq *b, struct dvx_users *reg)
{
	plain_sq_init(a, 8, 0);
	plain_sq_init(b, 8, 0);
	*reg = (struct dvx_users){0, 0};
	a->sq.reg_users = b->sq.reg_users = reg;
}

/* Two rings of different threads share a register. */
TEST(none, one_register)
{
	struct dvx_users reg;
	struct plain_sq a, b;

	two_on_one_register(&a, &b, &reg);
	assert_int_equal(post(&a.sq), 0);
	ring(&a.sq);
	assert_int_equal(elsewhere(post_and_leave, &b.sq, NULL), 0);
	assert_int_equal(elsewhere(ring, &b.sq, NULL), 0);
	assert_int_equal(post(&a.sq), -EUSERS);
	assert_non_null(
		strstr(dvx_strerror(-EUSERS), "the doorbell register of send ring 0x123456"));
}

/* Leaving a ring also leaves its register. */
TEST(none, register_is_left)
{
	struct dvx_users reg;
	struct plain_sq a, b;

	two_on_one_register(&a, &b, &reg);
	assert_int_equal(post_ring_and_leave(&a.sq), 0);
	assert_int_equal(elsewhere(post_ring_and_leave, &b.sq, NULL), 0);
	assert_int_equal(post_ring_and_leave(&a.sq), 0);
}

/* Registers that any thread may write. */
TEST(none, shared_register)
{
	struct plain_sq a, b;

	plain_sq_init(&a, 8, 0);
	plain_sq_init(&b, 8, 0);
	assert_int_equal(post(&a.sq), 0);
	ring(&a.sq);
	assert_int_equal(elsewhere(post_and_leave, &b.sq, NULL), 0);
	assert_int_equal(elsewhere(ring, &b.sq, NULL), 0);
	assert_int_equal(post(&a.sq), 0);
}

static int poll_cq(void *cq)
{
	struct dvx_wc wc;

	return dvx_cq_poll(cq, &wc);
}

static int poll_cq_and_leave(void *cq)
{
	int n = poll_cq(cq);

	dvx_cq_leave(cq);
	return n;
}

TEST(none, two_threads_poll)
{
	_Alignas(64) static uint8_t cqes[4][DVX_CQE_BYTES];
	uint32_t dbrec[2];
	struct dvx_cq_memory init = {
		.size = sizeof(init), .entries = 4, .buf = cqes, .dbrec = dbrec, .cqn = 7};
	struct dvx_cq cq;
	char why[256];

	assert_int_equal(dvx_cq_init(&cq, &init), 0);
	assert_int_equal(elsewhere(poll_cq_and_leave, &cq, NULL), 0);
	assert_int_equal(poll_cq(&cq), 0);
	assert_int_equal(elsewhere(poll_cq, &cq, why), -EUSERS);
	assert_non_null(strstr(why, "CQ 0x7 is used by thread"));
}

static int receive(void *rq)
{
	struct dvx_sge sge = {0x1000, 64, 1};

	return dvx_rq_post(rq, &sge, 1, 0);
}

static int receive_and_leave(void *rq)
{
	int err = receive(rq);

	dvx_rq_leave(rq);
	return err;
}

TEST(none, two_threads_receive)
{
	uint8_t buf[4][16];
	uint64_t wr_ids[4];
	uint32_t dbrec[2];
	struct dvx_rq_memory init = {.size = sizeof(init),
				     .entries = 4,
				     .buf = buf,
				     .wr_ids = wr_ids,
				     .dbrec = dbrec,
				     .stride = 16};
	struct dvx_rq rq;
	char why[256];

	assert_int_equal(dvx_rq_init(&rq, &init), 0);
	assert_int_equal(elsewhere(receive_and_leave, &rq, NULL), 0);
	assert_int_equal(receive(&rq), 0);
	assert_int_equal(elsewhere(receive, &rq, why), -EUSERS);
	assert_non_null(strstr(why, "the receive ring of 0x4 entries is used by thread"));
}
