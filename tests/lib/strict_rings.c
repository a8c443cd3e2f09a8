/* SPDX-License-Identifier: BSD-2-Clause */
/* Strict doorbells (--set strict_doorbells=1): two send queues on one UAR, rung right and wrong. */
#include "tests/test.h"
#include "lib_rig.h"

#define ROUNDS	  200u
#define INLINE_AT 36u /* behind the control and address segments and the inline one's header */

struct two {
	struct dvx_cq *cq[2];
	struct dvx_qp *qp[2];
	struct dvx_sq *sq[2];
};

static struct two two_open(struct rig *r)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 128, .uar = r->uar};
	struct dvx_qp_attr qp = rig_qp_attr(r);
	struct two t;

	for (unsigned int i = 0; i < 2; i++) {
		OK(dvx_cq_create(r->dev, &cq, &t.cq[i]));
		qp.send_cq = t.cq[i];
		OK(dvx_qp_create(r->dev, &qp, &t.qp[i]));
		OK(dvx_qp_connect_self(t.qp[i], DVX_REMOTE_WRITE));
		t.sq[i] = dvx_qp_sq(t.qp[i]);
	}
	return t;
}

static void two_close(struct two *t)
{
	for (unsigned int i = 0; i < 2; i++) {
		OK(dvx_qp_destroy(t->qp[i]));
		OK(dvx_cq_destroy(t->cq[i]));
	}
}

static void post(struct rig *r, struct dvx_sq *sq, const char *text)
{
	OK(dvx_post_write_inline(sq, (uintptr_t)r->buf, r->key, text, 4, 1, DVX_SIGNALED));
}

/* Sends the other queue's messages, so that the device has turns. */
static void others_run(struct rig *r, struct two *t)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		post(r, t->sq[1], "next");
		dvx_sq_ring(t->sq[1]);
		done(t->cq[1], t->sq[1], 1);
	}
}

static void hangs(struct rig *r, struct two *t)
{
	others_run(r, t);
	assert_null(dvx_cq_peek(t->cq[0]));
	dvx_sq_ring(t->sq[0]);
	done(t->cq[0], t->sq[0], 1);
}

/* A record without a register write starts nothing, whatever other queues of the page do. */
TEST(rig, forgotten)
{
	struct two t = two_open(r);

	post(r, t.sq[0], "late");
	dvx_sq_record(t.sq[0]);
	hangs(r, &t);
	two_close(&t);
}

/*
 * A register write with another queue's number starts nothing. (The test waits until the device has
 * it, and by a request until the page is protected again: a value overwritten before could be the
 * right one.)
 */
TEST(rig, other_number)
{
	volatile uint64_t *reg = dvx_uar_reg(r->uar);
	struct two t = two_open(r);
	time_t end = patience_from_now();
	uint8_t state;

	others_run(r, &t);
	post(r, t.sq[0], "late");
	dvx_sq_record(t.sq[0]);
	*reg = t.sq[1]->head;
	dvx_barrier_register_flush();
	while (*reg)
		assert_false(patience_over(end));
	OK(dvx_qp_query_state(t.qp[0], &state));
	hangs(r, &t);
	two_close(&t);
}

/*
 * If the BlueFlame register and the ring differ, either is executed; profile.sh reads the device's
 * report.
 */
TEST(rig, other_bytes)
{
	struct two t = two_open(r);
	uint64_t wqe[8];

	post(r, t.sq[0], "ring");
	memcpy(wqe, dvx_sq_last(t.sq[0]), sizeof(wqe));
	memcpy((uint8_t *)wqe + INLINE_AT, "regs", 4);
	dvx_sq_record(t.sq[0]);
	dvx_register_block((volatile uint64_t *)dvx_uar_reg(r->uar), wqe);
	dvx_barrier_register_flush();
	done(t.cq[0], t.sq[0], 1);
	assert_true(!memcmp(r->buf, "regs", 4) || !memcmp(r->buf, "ring", 4));
	others_run(r, &t);
	two_close(&t);
}

/* Both queues at full speed, by either doorbell: nothing is lost and nothing refused. */
TEST(rig, right)
{
	struct two t = two_open(r);

	for (unsigned int i = 0; i < ROUNDS; i++) {
		for (unsigned int k = 0; k < 8; k++) {
			post(r, t.sq[k % 2], "both");
			if (i & 1 << k % 2)
				dvx_sq_ring_bf(t.sq[k % 2]);
			else
				dvx_sq_ring(t.sq[k % 2]);
		}
		for (unsigned int k = 0; k < 8; k++)
			done(t.cq[k % 2], t.sq[k % 2], 1);
	}
	two_close(&t);
}

TEST_GROUP(rig_open, rig_close)
