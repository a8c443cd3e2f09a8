/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that queues share the bandwidth by their scheduling elements' weights, and keep the limits
 * of all elements above them. */
#include "tests/test.h"
#include "chip/datapath.h"
#include "obj/sched_elem.h"
#include "queue_rig.h"
#include "transport/sched.h"
#include "transport/transport.h"

#define LEN    4096u
#define POSTED 200u

/* A root, a node and a leaf below it; and a leaf at the root. */
struct shaped {
	struct sched_elem root, node, deep, flat;
	struct sched_leaves shape[2];
	struct rig_self q[2];
};

static void hang(struct rig_pair *p, struct shaped *t, unsigned int i, struct sched_elem *leaf)
{
	rig_self_open(&t->q[i], p);
	t->shape[i].requester = leaf;
	t->shape[i].responder = leaf;
	t->q[i].q.queue->leaves = &t->shape[i];
	p->rig.dev.shapes++;
}

static void tree_open(struct shaped *t, struct rig_pair *p)
{
	*t = (struct shaped){0};
	t->node.parent = t->flat.parent = &t->root;
	t->deep.parent = &t->node;
	t->deep.leaf = t->flat.leaf = true;
	hang(p, t, 0, &t->deep);
	hang(p, t, 1, &t->flat);
}

static void tree_close(struct shaped *t)
{
	for (unsigned int i = 0; i < 2; i++) {
		timer_cancel(&t->q[i].p->rig.dev.timers, &t->shape[i].held);
		t->q[i].q.queue->leaves = NULL;
		t->q[i].p->rig.dev.shapes--;
		rig_self_close(&t->q[i]);
	}
}

static void post(struct rig_self *s, unsigned int n)
{
	struct rig_pair *p = s->p;

	for (unsigned int i = 0; i < n; i++)
		rig_rdma(&s->q, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, p->src + LEN, s->key, p->src,
			 LEN, s->key);
	rig_ring(&s->q);
}

/* The shares are 3 to 1 while both have work; then the other one has all. */
TEST(pair, weights)
{
	unsigned int n[2] = {0};
	struct shaped t;

	tree_open(&t, p);
	t.node.bw_share = 30;
	t.flat.bw_share = 10;
	post(&t.q[0], POSTED);
	post(&t.q[1], POSTED);
	while (n[0] < POSTED) {
		assert_true(datapath_run(&p->rig.dev));
		n[0] += rig_drain(&t.q[0].cq);
		n[1] += rig_drain(&t.q[1].cq);
	}
	assert_in_range(n[1], POSTED / 3 - 35, POSTED / 3 + 35);
	rig_settle(&p->rig);
	assert_int_equal(n[1] + rig_drain(&t.q[1].cq), POSTED);
	tree_close(&t);
}

/* The node's limit of 8 Mbit/s holds its leaf; the other leaf is free. */
TEST(pair, limit)
{
	const uint64_t began = p->rig.now;
	struct shaped t;

	tree_open(&t, p);
	t.node.rate.bps = 8000000;
	post(&t.q[0], 100);
	post(&t.q[1], 100);
	rig_settle(&p->rig);
	assert_int_equal(rig_drain(&t.q[1].cq), 100);
	assert_true(rig_drain(&t.q[0].cq) < 100);
	for (unsigned int i = 0; timers_next(&p->rig.dev.timers) < UINT64_MAX; i++) {
		assert_true(i < 10000);
		rig_pass(&p->rig, 1000000);
	}
	/* headers count, and the last share may still be unpaid */
	assert_in_range(p->rig.now - began, 100ull * LEN * 1000 * 2 / 3, 100ull * LEN * 1000 * 2);
	tree_close(&t);
}

/* A burst of 1000 bytes may leave a millisecond early at 8 Mbit/s. */
TEST(none, burst)
{
	const struct pace_rate plain = {.bps = 8000000}, early = {.bps = 8000000, .burst = 1000};
	struct pace p = {0};

	pace_spend(&p, &early, 3000, 1000000000);
	assert_int_equal(pace_due(&p, &plain) - pace_due(&p, &early), 1000000);
}

/* --- shares ----------------------------------------------------------------------------------- */

static struct {
	struct sched *s;
	struct sched_job job[2];
	unsigned int runs;
} shares;

/* Ends the other queue, as a request may that its peer can't take. */
static bool shares_run(struct queue *q)
{
	(void)q;
	assert_int_equal(++shares.runs, 1);
	sched_leave(shares.s, &shares.job[1]);
	return false;
}

static bool shares_ready(const struct queue *q)
{
	(void)q;
	return true;
}

/* A queue that waits for the port gets one share a turn, even if the last queue ends in it. */
TEST(pair, one_share)
{
	static const struct transport waits = {.run = shares_run, .ready = shares_ready};
	struct queue q = {.transport = &waits};

	shares.s = p->rig.dev.sched;
	for (unsigned int i = 0; i < 2; i++) {
		shares.job[i].q = &q;
		sched_want_run(shares.s, &shares.job[i]);
	}
	sched_run(shares.s, 0);
	sched_leave(shares.s, &shares.job[0]);
	assert_int_equal(shares.runs, 1);
}
