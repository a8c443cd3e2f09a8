/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <sys/mman.h>
#include "host/host.h"
#include "host_bar_rig.h"

#define FIXTURE_lockstep(name) FIXTURE(name, void *no_state, setup, bars_teardown)

/*
 * The test is the loop; threads are the programs, each with a BAR. The tests set the host's view
 * that they compete for a CPU, and prove what it does then.
 */
static struct bar *bar[2];
static uint8_t *map[2];
static unsigned int times[2];

static void doorbell(void *ctx, uint32_t uar, uint32_t offset, uint64_t value)
{
	(void)ctx;
	assert_int_equal(offset, UAR_BF);
	assert_int_equal(value, 42);
	times[uar]++;
}

static void bar_make(unsigned int i)
{
	times[i] = 0;
	bar[i] = bar_new(host, NULL, 1);
	assert_int_equal(bar_page_alloc(bar[i], i), 0);
	map[i] = bar_map(bar[i], 1);
	if (!bar_watch(bar[i], map[i], 1))
		map[i] = (uint8_t *)MAP_FAILED;
}

static void compete(void)
{
	host->lockstep = true;
	host->sampled = now;
}

static int setup(void **state)
{
	if (bars_setup(state))
		return -1;
	host_on_doorbell(host, doorbell, NULL);
	for (unsigned int i = 0; i < 2; i++)
		bar_make(i);
	/* Each program has rung before. */
	for (unsigned int i = 0; i < 2 && map[i] != MAP_FAILED; i++) {
		store(map[i] + UAR_BF, 42);
		assert_int_equal(host_poll(host), 1);
		times[i] = 0;
	}
	assert_true(map[0] == MAP_FAILED || settle());
	compete();
	return 0;
}

static void need_uffd(void)
{
	if (map[0] == MAP_FAILED || map[1] == MAP_FAILED)
		skip();
}

static void trap(void)
{
	assert_int_equal(readable(10000), 1);
	host_wake(host);
}

/* Runs the loop for some time, too short to release a held program. */
static void turns(void)
{
	for (int i = 0; i < 20; i++, now += 1000) {
		host_poll(host);
		host_arm(host, now);
	}
}

static bool held(pthread_t t)
{
	return pthread_tryjoin_np(t, NULL) == EBUSY;
}

/* The program that rings is served and held; its peer's doorbell releases it, and is next. */
TEST(lockstep, test_conversation)
{
	pthread_t t[2];
	unsigned int i;

	need_uffd();
	t[0] = start_store(map[0] + UAR_BF);
	trap();
	turns();
	assert_int_equal(times[0], 1);
	assert_true(held(t[0]));
	for (i = 1; i < 50; i++) {
		unsigned int me = i % 2, other = !me;

		t[me] = start_store(map[me] + UAR_BF);
		trap();
		pthread_join(t[other], NULL); /* released: its store landed */
		times[me] = 0;
		turns();
		assert_int_equal(times[me], 1);
		assert_true(held(t[me]));
		compete();
	}
	bar_free(bar[!(i % 2)]);
	pthread_join(t[!(i % 2)], NULL);
}

/* Starts a program that has rung, was served and is held. */
static pthread_t hold(void)
{
	pthread_t t = start_store(map[0] + UAR_BF);

	trap();
	turns();
	assert_true(held(t));
	return t;
}

/* Without an answer the program is released after a while, and its store counts as any doorbell. */
TEST(lockstep, test_silence)
{
	pthread_t t;

	need_uffd();
	t = hold();
	now += SECOND / 1000;
	host_arm(host, now);
	pthread_join(t, NULL);
	assert_int_equal(times[0], 1);
	assert_int_equal(host_poll(host), 1);
	assert_int_equal(times[0], 2);
	assert_true(settle());
}

/* A program that gets no answers isn't held again and again. */
TEST(lockstep, test_monologue)
{
	unsigned int i;

	need_uffd();
	for (i = 0; i < 10 && host->lockstep; i++) {
		pthread_t t = start_store(map[0] + UAR_BF);

		trap();
		turns();
		now += SECOND / 1000;
		host_arm(host, now);
		pthread_join(t, NULL);
		settle();
	}
	assert_true(i < 10);
}

/* A store outside the registers is no doorbell, and its program is not held. */
TEST(lockstep, test_no_register)
{
	pthread_t t;

	need_uffd();
	t = start_store(map[0] + UAR_BF + 8);
	trap();
	pthread_join(t, NULL);
	turns();
	assert_int_equal(times[0], 0);
	assert_true(settle());
}

/* A held program is released when its UAR is freed, or when the competition for the CPU ends. */
TEST(lockstep, test_let_go)
{
	pthread_t t;

	need_uffd();
	t = hold();
	now += SECOND / 5;
	host_arm(host, now);
	assert_false(host->lockstep);
	pthread_join(t, NULL);
	assert_true(settle());
	compete();
	t = hold();
	bar_page_free(bar[0], 0);
	pthread_join(t, NULL);
	turns();
	assert_true(settle());
}

/* Without competition no program is held. */
TEST(lockstep, test_quiet)
{
	pthread_t t;

	need_uffd();
	host->lockstep = false;
	t = start_store(map[0] + UAR_BF);
	trap();
	pthread_join(t, NULL);
	assert_int_equal(times[0], 0);
	turns();
	assert_int_equal(times[0], 1);
	now += SECOND;
	assert_true(settle());
	assert_false(host->lockstep);
}
