/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that dma.c moves the right bytes through shared pages, in order. */
#include "tests/test.h"
#include <pthread.h>
#include <sched.h>
#include "host_share_rig.h"

/* --- what goes through shared pages ----------------------------------------------------------- */

/* A transfer may begin and end anywhere: in a piece, beside it, over its edges, over two pieces. */
static void moves(struct client *c)
{
	static uint8_t bytes[AREA], back[AREA], want[AREA];
	unsigned int seed = 1;

	for (unsigned int round = 0; round < 3000; round++) {
		size_t off = (size_t)rand_r(&seed) % AREA;
		size_t len = (size_t)rand_r(&seed) % (round % 2 ? 100 : AREA);
		struct dma_seg seg[2];

		if (len > AREA - off)
			len = AREA - off;
		fill(bytes, len, round);
		memcpy(want, c->area, AREA);
		memcpy(want + off, bytes, len);
		seg[0] = (struct dma_seg){at(c, off), len - 1};
		seg[1] = (struct dma_seg){at(c, off + len - 1), 1};
		if (round % 3 && len)
			assert_int_equal(dma_scatter_ordered(host, seg, 2, 1, bytes), 0);
		else
			assert_int_equal(dma_write(host, at(c, off), bytes, len), 0);
		assert_memory_equal(c->area, want, AREA);
		assert_int_equal(dma_read(host, at(c, off), back, len), 0);
		assert_memory_equal(back, bytes, len);
	}
}

TEST(host, test_moves)
{
	each_kind(moves);
}

static void split(struct client *c)
{
	static uint8_t bytes[AREA], back[AREA], want[AREA];
	unsigned int seed = 7;

	for (unsigned int round = 0; round < 300; round++) {
		struct dma_seg seg[50];
		size_t off = 0, total = 0;
		unsigned int n;

		memcpy(want, c->area, AREA);
		fill(bytes, AREA, round);
		for (n = 0; n < 50; n++) {
			size_t len = (size_t)rand_r(&seed) % 1200;

			off += (size_t)rand_r(&seed) % 200;
			if (off + len > AREA)
				break;
			seg[n] = (struct dma_seg){at(c, off), len};
			memcpy(want + off, bytes + total, len);
			off += len;
			total += len;
		}
		assert_int_equal(dma_scatter(host, seg, n, bytes), 0);
		assert_memory_equal(c->area, want, AREA);
		assert_int_equal(dma_gather(host, seg, n, back), 0);
		assert_memory_equal(back, bytes, total);
	}
}

/* Gathers and scatters of segments that are shared, unshared, and both. */
TEST(host, test_split)
{
	each_kind(split);
}

static void copied(struct client *c, struct client *d)
{
	static uint8_t want[AREA], from[AREA];
	unsigned int seed = 5;

	for (unsigned int round = 0; round < 1000; round++) {
		size_t src = (size_t)rand_r(&seed) % AREA, dst = (size_t)rand_r(&seed) % AREA;
		size_t most = AREA - (src > dst ? src : dst);
		size_t len = (size_t)rand_r(&seed) % (round % 2 ? 64 : AREA);

		if (len > most)
			len = most;
		/* a copy through a buffer goes piece by piece */
		if (c == d && src < dst + len && dst < src + len)
			continue;
		fill(c->area, AREA, round);
		memcpy(from, c->area, AREA);
		memcpy(want, d->area, AREA);
		memcpy(want + dst, from + src, len);
		assert_int_equal(dma_copy(host, at(d, dst), at(c, src), len), 0);
		assert_memory_equal(d->area, want, AREA);
	}
}

/* Copies within a client and between clients of both kinds. */
TEST(host, test_copies)
{
	struct client c[3];

	for (unsigned int i = 0; i < 3; i++)
		client_start(&c[i], i == 1);
	for (unsigned int i = 0; i < 3; i++)
		for (unsigned int j = 0; j < 3; j++)
			copied(&c[i], &c[j]);
	for (unsigned int i = 0; i < 3; i++)
		client_stop(&c[i]);
}

static void overlapping(struct client *c)
{
	static uint8_t want[AREA];
	size_t off = 2 * PAGE, len = 3 * PAGE;

	for (size_t by = 1; by < 200; by += 7) {
		fill(c->area + off, 4 * PAGE, (unsigned int)by);
		memcpy(want, c->area, AREA);
		memmove(want + off + by, want + off, len);
		assert_int_equal(dma_copy(host, at(c, off + by), at(c, off), len), 0);
		assert_memory_equal(c->area, want, AREA);
		memmove(want + off, want + off + by, len);
		assert_int_equal(dma_copy(host, at(c, off), at(c, off + by), len), 0);
		assert_memory_equal(c->area, want, AREA);
	}
}

/* Within one piece a copy may overlap itself: sanitizers watch memcpy(). */
TEST(host, test_overlapping)
{
	each_kind(overlapping);
}

/* --- order ------------------------------------------------------------------------------------ */

#define ROUNDS 2000

struct watch {
	volatile uint8_t *at;
	size_t len, word; /* word: size of the last word, which is polled */
	unsigned int torn, seen;
};

static uint64_t last_word(const struct watch *w)
{
	const volatile uint8_t *p = w->at + w->len - w->word;

	switch (w->word) {
	case 8:
		return __atomic_load_n((const uint64_t *)(uintptr_t)p, __ATOMIC_ACQUIRE);
	case 4:
		return __atomic_load_n((const uint32_t *)(uintptr_t)p, __ATOMIC_ACQUIRE);
	default:
		return __atomic_load_n(p, __ATOMIC_ACQUIRE);
	}
}

static uint64_t repeated(uint8_t value, size_t word)
{
	return 0x0101010101010101ull * value >> (64 - 8 * word);
}

static void *watch(void *arg)
{
	struct watch *w = arg;

	for (unsigned int n = 1; n <= ROUNDS; n++) {
		uint64_t want = repeated((uint8_t)(n % 255 + 1), w->word), old = last_word(w), now;
		unsigned int spun = 0;

		while ((now = last_word(w)) != want) {
			w->torn += now != old; /* the word itself is never torn */
			if (++spun % 1000 == 0)
				sched_yield();
		}
		for (size_t i = 0; i < w->len; i++)
			w->torn += w->at[i] != (uint8_t)want;
		__atomic_store_n(&w->seen, n, __ATOMIC_RELEASE);
	}
	return NULL;
}

typedef int put_fn(const struct client *, size_t off, const void *, size_t len);

static void ordered(struct client *c, size_t off, size_t len, size_t word, put_fn *put)
{
	struct watch w = {.at = c->area + off, .len = len, .word = word};
	uint8_t *bytes = malloc(len);
	pthread_t reader;

	memset(c->area + off, 0, len);
	assert_int_equal(pthread_create(&reader, NULL, watch, &w), 0);
	for (unsigned int n = 1; n <= ROUNDS; n++) {
		unsigned int spun = 0;

		memset(bytes, (int)(n % 255 + 1), len);
		assert_int_equal(put(c, off, bytes, len), 0);
		while (__atomic_load_n(&w.seen, __ATOMIC_ACQUIRE) != n)
			if (++spun % 1000 == 0)
				sched_yield();
	}
	pthread_join(reader, NULL);
	free(bytes);
	assert_int_equal(w.torn, 0);
}

static int put_write(const struct client *c, size_t off, const void *bytes, size_t len)
{
	return dma_write(host, at(c, off), bytes, len);
}

static int put_owned(const struct client *c, size_t off, const void *bytes, size_t len)
{
	struct dma_seg seg[3] = {{at(c, off), len / 2},
				 {at(c, off + len / 2), len - len / 2 - 1},
				 {at(c, off + len - 1), 1}};

	return dma_scatter_ordered(host, seg, 3, 1, bytes);
}

static int put_copy(const struct client *c, size_t off, const void *bytes, size_t len)
{
	memcpy(c->area + 8 * PAGE, bytes, len);
	return dma_copy(host, at(c, off), at(c, 8 * PAGE), len);
}

/* Writes from unshared memory: from page 10 on. */
static int put_copy_in(const struct client *c, size_t off, const void *bytes, size_t len)
{
	memcpy(c->area + 10 * PAGE, bytes, len);
	return dma_copy(host, at(c, off), at(c, 10 * PAGE), len);
}

/* A program that polls the last word of a message sees all of it, with any alignment and source. */
TEST(host, test_order)
{
	static const struct {
		size_t len, word, off;
		put_fn *put;
	} cases[] = {
		{64, 8, 0, put_write},		{2048, 8, 64, put_write},
		{8, 8, 8, put_write},		{100, 4, 0, put_write},
		{12, 4, 0, put_write},		{4, 4, 4, put_write},
		{33, 1, 0, put_write},		{1001, 1, 3, put_write},
		{1, 1, 5, put_write},		{64, 1, 0, put_owned},
		{128, 1, PAGE - 64, put_owned}, {4096, 8, 0, put_copy},
		{2052, 4, 0, put_copy},		{777, 1, 1, put_copy},
		{4096, 8, 0, put_copy_in},	{2052, 4, 0, put_copy_in},
		{777, 1, 1, put_copy_in},
	};
	struct client c;

	client_start(&c, true);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ordered(&c, 2 * PAGE + cases[i].off, cases[i].len, cases[i].word, cases[i].put);
	client_stop(&c);
}
