/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include "host_bar_rig.h"

#define FIXTURE_wake(name) FIXTURE(name, void *no_state, setup, bars_teardown)

#define PAGES 8u

/* The test is the loop; threads of the same process are the program. */
static struct bar *bar;
static uint8_t *map;

static int setup(void **state)
{
	if (bars_setup(state))
		return -1;
	bar = bar_new(host, NULL, PAGES);
	for (unsigned int i = 0; i < PAGES; i++)
		bar_page_alloc(bar, i);
	map = bar_map(bar, PAGES);
	if (!bar_watch(bar, map, PAGES))
		map = (uint8_t *)MAP_FAILED; /* the tests skip */
	return 0;
}

static void need_uffd(void)
{
	if (map == MAP_FAILED)
		skip();
}

static pthread_t start_ring(unsigned int page)
{
	return start_store(map + page * UAR_PAGE + UAR_BF);
}

/* Stores into this page; the store is trapped, released and lands, and no thread waits. */
static void ring_trapped(uint8_t *page)
{
	pthread_t t = start_store(page + UAR_BF);

	assert_int_equal(readable(10000), 1);
	host_wake(host);
	pthread_join(t, NULL);
}

/* Without UARs there is nothing to wait for. */
TEST(wake, test_nothing)
{
	struct host *empty = host_new();

	assert_true(host_arm(empty, 1) == UINT64_MAX);
	host_free(empty);
}

/* A quiet loop sleeps without a limit, and the store itself wakes it; the trap is no doorbell. */
TEST(wake, test_wakes)
{
	need_uffd();
	for (unsigned int i = 0; i < 20; i++) {
		pthread_t t;

		assert_true(settle());
		assert_int_equal(readable(0), 0);
		t = start_ring(i % PAGES);
		assert_int_equal(readable(10000), 1);
		assert_int_equal(nrang, i);
		host_wake(host);
		pthread_join(t, NULL); /* the store landed, no thread waits */
		assert_int_equal(nrang, i);
		assert_true(host_arm(host, now) < DEEP);
		assert_int_equal(host_poll(host), 1);
		assert_int_equal(nrang, i + 1);
		now += SECOND / 100;
	}
}

/* Many threads that are trapped on many pages at once are all released. */
TEST(wake, test_many)
{
	pthread_t t[4 * PAGES];

	need_uffd();
	assert_true(settle());
	for (unsigned int i = 0; i < 4 * PAGES; i++)
		t[i] = start_ring(i % PAGES);
	while (nrang < PAGES) {
		if (readable(0))
			host_wake(host);
		host_poll(host);
		sched_yield();
	}
	for (unsigned int i = 0; i < 4 * PAGES; i++) {
		while (pthread_tryjoin_np(t[i], NULL)) {
			host_wake(host);
			sched_yield();
		}
	}
}

/* A released page isn't protected again before the store could land, however long it takes. */
TEST(wake, test_patience)
{
	pthread_t t;

	need_uffd();
	assert_true(settle());
	t = start_ring(3);
	assert_int_equal(readable(10000), 1);
	host_wake(host);
	for (int i = 0; i < 50; i++) {
		uint64_t ns = host_arm(host, now);

		assert_true(ns < DEEP);
		now += 10000;
	}
	pthread_join(t, NULL);
	assert_int_equal(host_poll(host), 1);
	assert_true(settle());
}

/* A trapped store outside the registers doesn't keep the loop awake. */
TEST(wake, test_stray)
{
	need_uffd();
	assert_true(settle());
	ring_trapped(map + 8);
	assert_true(settle());
	assert_int_equal(nrang, 0);
}

#define TURN (SECOND / 50) /* time for which a released program waits for a CPU */

/* Runs the loop for a turn of the program. Returns true if the page is protected again. */
static bool turn_ends_armed(void)
{
	const uint64_t end = now + TURN;
	uint64_t ns;

	do {
		host_poll(host);
		ns = host_arm(host, now);
		now += ns ? ns : 1000;
	} while (now < end);
	now = end;
	return ns >= DEEP;
}

/* Returns how often a doorbell of such a program traps, until it lands. */
static unsigned int slow_doorbell(void)
{
	unsigned int traps = 0;

	do {
		ring_trapped(map + 8);
		traps++;
	} while (turn_ends_armed());
	store(map + UAR_BF, 42);
	assert_int_equal(host_poll(host), 1);
	return traps;
}

/* Each trap costs a program that waits for its CPU one more turn: it pays for one, not for five. */
TEST(wake, test_slow_program)
{
	need_uffd();
	assert_true(settle());
	assert_true(slow_doorbell() > 1);
	for (unsigned int i = 0; i < 5; i++) {
		assert_true(settle());
		assert_int_equal(slow_doorbell(), 1);
	}
}

/* Doorbells of the next few turns do not trap; then the loop sleeps again. */
TEST(wake, test_slow_program_rings_on)
{
	need_uffd();
	assert_true(settle());
	slow_doorbell();
	for (unsigned int i = 0; i < 5; i++) {
		assert_false(turn_ends_armed());
		store(map + UAR_BF, 42);
		assert_int_equal(host_poll(host), 1);
	}
	assert_true(settle());
}

/* A store just before the protection is found by the poll after it. */
TEST(wake, test_mappings_again)
{
	need_uffd();
	for (unsigned int i = 0; i < PAGES; i++)
		store(map + i * UAR_PAGE + UAR_CQ_ARM, 1);
	/* No poll in between. */
	for (unsigned int i = 0; i < 100000 && nrang < PAGES; i++, now += 100000)
		host_arm(host, now);
	assert_int_equal(nrang, PAGES);
}

/* The loop spins right after work and not for ever. */
TEST(wake, test_spins)
{
	uint64_t start;

	need_uffd();
	store(map + UAR_BF, 1);
	assert_int_equal(host_poll(host), 1);
	start = now;
	while (host_arm(host, now) == 0)
		now += 500;
	assert_true(now - start > 10000 && now - start < 100000);
	assert_true(settle());
	assert_true(now - start < SECOND / 10);
}

/* After a doorbell the loop naps some twenty times before it sleeps, never longer than a quarter of its wait. */
TEST(wake, test_naps)
{
	unsigned int naps = 0;
	uint64_t start, ns;

	need_uffd();
	store(map + UAR_BF, 1);
	assert_int_equal(host_poll(host), 1);
	for (start = now; (ns = host_arm(host, now)) < DEEP; now += ns ? ns : 1000) {
		assert_true(ns < 20000 || ns <= (now - start) / 4);
		naps += ns != 0;
	}
	assert_in_range(naps, 10, 25);
}

/* A second mapping of a sleeping page is watched too; an unmapped one is forgotten. */
TEST(wake, test_mappings)
{
	uint8_t *two;

	need_uffd();
	assert_true(settle());
	two = mmap(NULL, UAR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, bar_fd(bar), 2 * UAR_PAGE);
	assert_int_equal(bar_mapped(bar, (uintptr_t)two, UAR_PAGE, 2 * UAR_PAGE), 0);
	assert_true(settle());
	ring_trapped(two);
	assert_int_equal(host_poll(host), 1);
	munmap(map + UAR_PAGE, 2 * UAR_PAGE);
	bar_unmapped(bar, (uintptr_t)map + UAR_PAGE, 2 * UAR_PAGE);
	assert_true(settle());
	ring_trapped(map + 7 * UAR_PAGE);
	assert_int_equal(host_poll(host), 1);
	/* unmapped without the loop's knowledge: nothing breaks */
	munmap(two, UAR_PAGE);
	munmap(map, UAR_PAGE);
	assert_true(settle());
}

/* A client has one userfaultfd: others would cost the chip a descriptor each. */
TEST(wake, test_second_uffd)
{
	need_uffd();
	assert_int_equal(bar_uffd(bar, new_uffd()), -EEXIST);
	assert_true(settle());
	ring_trapped(map);
}

/* Ranges that can't be a mapping of this BAR are refused. */
TEST(wake, test_bad_mapping)
{
	need_uffd();
	assert_int_equal(bar_mapped(bar, (uintptr_t)map + 1, UAR_PAGE, 0), -EINVAL);
	assert_int_equal(bar_mapped(bar, (uintptr_t)map, UAR_PAGE, PAGES * UAR_PAGE), -EINVAL);
	assert_int_equal(bar_mapped(bar, (uintptr_t)map, UAR_PAGE + 1, 0), -EINVAL);
	assert_int_equal(bar_mapped(bar, (uintptr_t)map, SIZE_MAX & ~4095ull, UAR_PAGE), -EINVAL);
	bar_unmapped(bar, 4096, UAR_PAGE);
	assert_true(settle());
}

/* Without userfaultfd pages are polled for ever, less and less often, and doorbells are found. */
TEST(wake, test_polled)
{
	struct host *h = host_new();
	struct bar *b = bar_new(h, NULL, 1);
	uint8_t *at = bar_map(b, 1) + UAR_BF;
	uint64_t ns = 0, longest = 0;

	host_on_doorbell(h, bars_rang, &host);
	bar_page_alloc(b, 0);
	assert_true(bar_uffd(b, open("/dev/null", O_RDONLY)) < 0);
	for (int i = 0; i < 100000; i++) {
		host_poll(h);
		ns = host_arm(h, now);
		assert_true(ns <= 1000000);
		longest = ns > longest ? ns : longest;
		now += ns ? ns : 1000;
	}
	assert_true(longest >= 100000);
	store(at, 1);
	assert_int_equal(host_poll(h), 1);
	host_free(h);
}

/* A store through an unknown mapping is found late; from then on doorbells are found at once. */
TEST(wake, test_unwatched)
{
	uint8_t *two;

	need_uffd();
	two = mmap(NULL, UAR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, bar_fd(bar), 5 * UAR_PAGE);
	assert_true(settle());
	store(two + UAR_BF, 1);
	assert_int_equal(readable(0), 0);
	assert_true(host_arm(host, now) >= DEEP); /* pages are looked at a few times a second */
	assert_int_equal(nrang, 0);
	for (int i = 0; i < 10 && !nrang; i++)
		now += host_arm(host, now);
	assert_int_equal(nrang, 1);
	assert_false(settle());
	store(two + UAR_BF, 1);
	assert_int_equal(host_poll(host), 1);
}

/* No thread stays stuck in a store when a sleeping chip is freed. */
TEST(wake, test_gone)
{
	pthread_t t;

	need_uffd();
	assert_true(settle());
	t = start_ring(1);
	assert_int_equal(readable(10000), 1);
	bar_free(bar);
	pthread_join(t, NULL);
	assert_true(host_arm(host, now) == UINT64_MAX);
}

/* Freeing a page during a store to it releases the store. */
TEST(wake, test_page_gone)
{
	pthread_t t;

	need_uffd();
	assert_true(settle());
	t = start_ring(1);
	assert_int_equal(readable(10000), 1);
	bar_page_free(bar, 1);
	pthread_join(t, NULL);
	host_wake(host);
	assert_int_equal(host_poll(host), 0);
	assert_true(settle());
}

/* The loop does not wait if a program makes its userfaultfd block. */
TEST(wake, test_waiting_uffd)
{
	struct bar *b = bar_new(host, NULL, PAGES);
	int uffd = new_uffd(), theirs = dup(uffd);
	pthread_t t;

	need_uffd();
	bar_page_alloc(b, 100);
	map = bar_map(b, PAGES);
	assert_int_equal(bar_uffd(b, uffd), 0);
	assert_int_equal(bar_mapped(b, (uintptr_t)map, PAGES * UAR_PAGE, 0), 0);
	assert_true(settle());
	assert_int_equal(fcntl(theirs, F_SETFL, 0), 0);
	t = start_ring(0);
	assert_int_equal(readable(10000), 1);
	alarm(300);
	for (unsigned int i = 0; i < 3 && readable(0) == 1; i++)
		host_wake(host);
	alarm(0);
	assert_int_equal(readable(0), 0);
	pthread_join(t, NULL);
	host_poll(host);
	assert_int_equal(nrang, 1);
	close(theirs);
}
