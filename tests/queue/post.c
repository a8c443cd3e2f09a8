/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves which writes to a program's memory may be delayed (queue/post.c), and what ends the delay:
 * time, a command, a CQE of any queue. Writes that a peer could announce are never delayed.
 */
#include "tests/test.h"
#include <pthread.h>
#include <sched.h>
#include <dvx/prm/cmd.h>
#include "queue/queue.h"
#include "queue_rig.h"
#include "fw/fw.h"

#define HOLD_NS 10000u
#define TO	1024u	    /* offset of READs' destinations */
#define FROM	(64u << 10) /* offset of their sources */

static int setup(void **state)
{
	static struct rig_self s;

	rig_self_open(&s, rig_pair_open(&rig_rc));
	*state = &s;
	return 0;
}

static int teardown(void **state)
{
	struct rig_self *s = *state;

	rig_self_close(s);
	rig_pair_close(s->p);
	return 0;
}
#define FIXTURE_self(name) FIXTURE(name, struct rig_self *s, setup, teardown)

static void post(struct rig_self *s, uint8_t opcode, uint32_t local, uint32_t remote, uint32_t len,
		 uint8_t flags)
{
	rig_rdma(&s->q, opcode, flags, s->p->src + remote, s->key, s->p->src + local, len, s->key);
}

static void read_one(struct rig_self *s, uint8_t value)
{
	memset(s->p->src + FROM, value, 64);
	post(s, PRM_WQE_OPCODE_RDMA_READ, TO, FROM, 64, 0);
	rig_run(&s->q);
}

static uint8_t arrived(const struct rig_self *s)
{
	return s->p->src[TO] == s->p->src[TO + 63] ? s->p->src[TO] : 0;
}

/* A write waits until 10 us after its turn, and no longer. */
TEST(self, time_ends_it)
{
	for (uint8_t i = 1; i < 20; i++) {
		read_one(s, i);
		assert_int_equal(arrived(s), i - 1);
		s->p->rig.now += HOLD_NS - 1;
		rig_settle(&s->p->rig);
		assert_int_equal(arrived(s), i - 1);
		s->p->rig.now++;
		rig_settle(&s->p->rig);
		assert_int_equal(arrived(s), i);
	}
}

/* Later writes don't prolong the wait. */
TEST(self, more_come)
{
	read_one(s, 1);
	s->p->rig.now += HOLD_NS / 2;
	post(s, PRM_WQE_OPCODE_RDMA_READ, TO + 4096, FROM, 64, 0);
	rig_run(&s->q);
	assert_int_equal(arrived(s), 0);
	s->p->rig.now += HOLD_NS / 2;
	rig_settle(&s->p->rig);
	assert_int_equal(arrived(s), 1);
	assert_int_equal(s->p->src[TO + 4096], 1);
}

/* Any command sees the write done, whatever its result; so does a sleeping loop. */
TEST(self, commands_end_it)
{
	uint8_t in[64] = {0}, out[256];

	read_one(s, 1);
	assert_int_equal(arrived(s), 0);
	prm_mbox_in_set_opcode(in, PRM_OPCODE_QUERY_ISSI);
	fw_exec(&s->p->rig.dev.vhca[0], in, sizeof(in), out, sizeof(out));
	assert_int_equal(arrived(s), 1);
	read_one(s, 2);
	prm_mbox_in_set_opcode(in, 0xffff);
	fw_exec(&s->p->rig.dev.vhca[0], in, sizeof(in), out, sizeof(out));
	assert_int_equal(arrived(s), 2);
	read_one(s, 3);
	assert_true(queues_settle(&s->p->rig.dev));
	assert_int_equal(arrived(s), 3);
	assert_false(queues_settle(&s->p->rig.dev));
}

/* A queue that ends without a command, as of a dead program, leaves no write that names it. */
TEST(pair, the_end_of_its_queue)
{
	struct rig_self s;

	rig_self_open(&s, p);
	read_one(&s, 1);
	rig_self_close(&s);
	assert_int_equal(arrived(&s), 1);
	assert_false(queues_settle(&p->rig.dev));
}

/* A CQE of its own queue, or of an unrelated one, ends the wait. */
TEST(self, cqes_end_it)
{
	read_one(s, 1);
	rig_post(s->p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 8);
	rig_ring(&s->p->a);
	assert_int_equal(arrived(s), 0);
	rig_settle(&s->p->rig);
	assert_non_null(rig_poll(&s->p->ca));
	assert_int_equal(arrived(s), 1);
	read_one(s, 2);
	memset(s->p->src + FROM, 3, 64);
	post(s, PRM_WQE_OPCODE_RDMA_READ, TO + 4096, FROM, 64, SIGNALED);
	rig_run(&s->q);
	assert_non_null(rig_poll(&s->cq));
	assert_int_equal(arrived(s), 2);
	assert_int_equal(s->p->src[TO + 4096 + 63], 3);
}

/* A WRITE is done at the end of its turn, and earlier writes with it. */
TEST(self, writes_do_not_wait)
{
	memset(s->p->src + FROM, 5, 64);
	post(s, PRM_WQE_OPCODE_RDMA_WRITE, FROM, TO, 64, 0);
	rig_run(&s->q);
	assert_int_equal(arrived(s), 5);
	read_one(s, 6);
	assert_int_equal(arrived(s), 5);
	post(s, PRM_WQE_OPCODE_RDMA_WRITE, FROM, FROM + 4096, 64, 0);
	rig_run(&s->q);
	assert_int_equal(s->p->src[FROM + 4096], 6);
	assert_int_equal(arrived(s), 6);
	/* a later request sends the data of the READ */
	read_one(s, 7);
	post(s, PRM_WQE_OPCODE_RDMA_WRITE, TO, FROM + 8192, 64, 0);
	rig_run(&s->q);
	assert_int_equal(s->p->src[FROM + 8192], 7);
}

#define ROUNDS 2000

struct watch {
	volatile uint8_t *first, *last;
	unsigned int wrong, seen;
};

static void *watch(void *arg)
{
	struct watch *w = arg;

	for (unsigned int n = 1; n <= ROUNDS; n++) {
		unsigned int spun = 0;

		while (__atomic_load_n(w->last, __ATOMIC_ACQUIRE) != (uint8_t)n)
			if (++spun % 1000 == 0)
				sched_yield();
		w->wrong += *w->first != (uint8_t)n;
		__atomic_store_n(&w->seen, n, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* A program that polls the end of a large WRITE finds the earlier small one. */
TEST(self, in_order)
{
	struct watch w = {.first = s->p->src + TO, .last = s->p->src + TO + 4096 + 8191};
	pthread_t watcher;

	assert_int_equal(pthread_create(&watcher, NULL, watch, &w), 0);
	for (unsigned int n = 1; n <= ROUNDS; n++) {
		unsigned int spun = 0;

		memset(s->p->src + FROM, (int)n, 8192);
		post(s, PRM_WQE_OPCODE_RDMA_WRITE, FROM, TO, 64, 0);
		post(s, PRM_WQE_OPCODE_RDMA_WRITE, FROM, TO + 4096, 8192, n % 64 ? 0 : SIGNALED);
		rig_run(&s->q);
		while (__atomic_load_n(&w.seen, __ATOMIC_ACQUIRE) != n)
			if (++spun % 1000 == 0)
				sched_yield();
		if (n % 64 == 0)
			assert_non_null(rig_poll(&s->cq));
	}
	pthread_join(watcher, NULL);
	assert_int_equal(w.wrong, 0);
}
