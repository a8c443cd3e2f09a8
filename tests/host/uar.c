/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include "host_bar_rig.h"

#define FIXTURE_bars(name) FIXTURE(name, void *no_state, bars_setup, bars_teardown)

#define PAGES 512u

static uint8_t *map_bar(struct bar *bar)
{
	return bar_map(bar, PAGES);
}

static void store_in(uint8_t *map, unsigned int page, uint32_t offset, uint64_t value)
{
	store(map + page * UAR_PAGE + offset, value);
}

static int poll_all(void)
{
	int i, taken = 0;

	for (i = 0; i < (int)PAGES; i++)
		taken += host_poll(host);
	return taken;
}

/* Each register is taken once, with its UAR, its offset and the bytes written. */
TEST(bars, test_registers)
{
	static const uint32_t offsets[] = {0x20,  0x800, 0x900, 0xa00, 0xb00,
					   0xc00, 0xd00, 0xe00, 0xf00};
	struct bar *bar = bar_new(host, NULL, PAGES);
	uint8_t *map = map_bar(bar);
	int page = bar_page_alloc(bar, 77);

	assert_true(page >= 0);
	assert_int_equal(host_poll(host), 0);
	for (unsigned int i = 0; i < 9; i++) {
		store_in(map, (unsigned int)page, offsets[i], 0x1122334455667700ull + i);
		assert_int_equal(host_poll(host), 1);
		assert_int_equal(nrang, i + 1);
		assert_int_equal(rang[i].uar, 77);
		assert_int_equal(rang[i].offset, offsets[i]);
		assert_true(rang[i].value == 0x1122334455667700ull + i);
		assert_int_equal(host_poll(host), 0);
	}
	for (unsigned int i = 0; i < 9; i++)
		store_in(map, (unsigned int)page, offsets[i], 1);
	assert_int_equal(host_poll(host), 9);
}

/* Stores elsewhere, or into pages that back no UAR, do nothing. */
TEST(bars, test_elsewhere)
{
	struct bar *bar = bar_new(host, NULL, PAGES);
	uint8_t *map = map_bar(bar);
	int page = bar_page_alloc(bar, 5);

	for (uint32_t off = 0; off < UAR_PAGE; off += 8) {
		if (off == UAR_CQ_ARM || (off >= UAR_BF && off % UAR_BF_SIZE == 0))
			continue;
		store_in(map, (unsigned int)page, off, ~0ull);
	}
	for (uint32_t off = 0; off < PAGES; off++)
		if (off != (unsigned int)page)
			store_in(map, off, UAR_BF, 1);
	assert_int_equal(poll_all(), 0);
	assert_int_equal(nrang, 0);
}

/* A freed page reports nothing, and is clean when it is allocated again. */
TEST(bars, test_page_free)
{
	struct bar *bar = bar_new(host, NULL, 1);
	uint8_t *map = bar_map(bar, 1);

	assert_int_equal(bar_page_alloc(bar, 1), 0);
	assert_int_equal(bar_page_alloc(bar, 2), -ENOMEM);
	bar_page_free(bar, 2);
	assert_int_equal(bar_page_alloc(bar, 2), -ENOMEM);
	bar_page_free(bar, 1);
	store_in(map, 0, UAR_BF, 1);
	assert_int_equal(poll_all(), 0);
	assert_int_equal(bar_page_alloc(bar, 2), 0);
	assert_int_equal(poll_all(), 0);
	store_in(map, 0, UAR_BF, 1);
	assert_int_equal(poll_all(), 1);
	assert_int_equal(rang[0].uar, 2);
}

/* Among hundreds of UARs in several BARs, a doorbell of any is found within a few turns. */
TEST(bars, test_many)
{
	struct bar *bar[3];
	uint8_t *map[3];

	for (unsigned int i = 0; i < 3; i++) {
		bar[i] = bar_new(host, NULL, PAGES);
		map[i] = map_bar(bar[i]);
		for (unsigned int j = 0; j < PAGES; j++)
			assert_true(bar_page_alloc(bar[i], i * 1000 + j) >= 0);
	}
	for (unsigned int i = 0; i < 3 * PAGES; i++) {
		unsigned int n = (i * 7919) % (3 * PAGES);

		store_in(map[n % 3], n / 3, UAR_BF, 1);
		for (unsigned int turn = 0; !host_poll(host); turn++)
			assert_true(turn < 3 * PAGES / 16);
		assert_int_equal(nrang, i + 1);
		assert_int_equal(rang[i % 64].uar, n % 3 * 1000 + n / 3);
	}
	/* the UAR that rang last is found at once */
	store_in(map[2], 100, UAR_BF, 1);
	poll_all();
	store_in(map[2], 100, UAR_BF, 1);
	assert_int_equal(host_poll(host), 1);
	bar_free(bar[1]);
	bar_page_free(bar[0], 17);
	store_in(map[0], 17, UAR_BF, 1);
	store_in(map[0], 18, UAR_BF, 1);
	assert_int_equal(poll_all(), 1);
}

/* The program can't shrink the file under the chip's mapping. */
TEST(bars, test_sealed)
{
	struct bar *bar = bar_new(host, NULL, 4);
	int fd = dup(bar_fd(bar));

	assert_int_equal(bar_page_alloc(bar, 1), 0);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(ftruncate(fd, 1 << 20), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4 * UAR_PAGE);
	assert_int_equal(poll_all(), 0);
	close(fd);
}

#define STORES 20000u

static void *store_many(void *arg)
{
	uint64_t i;

	for (i = 1; i <= STORES; i++)
		store_in(arg, 0, UAR_BF, i);
	return NULL;
}

/* A burst may be overwritten, but its last store is never lost, and no store is seen twice. */
TEST(bars, test_race)
{
	struct bar *bar = bar_new(host, NULL, PAGES);
	uint64_t last = 0;
	pthread_t writer;

	assert_int_equal(bar_page_alloc(bar, 9), 0);
	assert_int_equal(pthread_create(&writer, NULL, store_many, map_bar(bar)), 0);
	while (last != STORES) {
		if (!host_poll(host)) {
			sched_yield();
			continue;
		}
		assert_true(rang[(nrang - 1) % 64].value > last);
		last = rang[(nrang - 1) % 64].value;
	}
	pthread_join(writer, NULL);
	assert_int_equal(host_poll(host), 0);
}
