/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/test.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include "host_share_rig.h"

#define ROOM (64u * PAGE)

static void client_bare(struct client *c, bool self)
{
	client_open(c, self, ROOM, false);
}

static void each_bare(void (*test)(struct client *))
{
	each_kind_of(ROOM, false, test);
}

static int write_owned(struct host *h, bus_t to, const void *from, size_t len)
{
	struct dma_seg seg[2] = {{to, len - 1}, {to + len - 1, 1}};

	return dma_scatter_ordered(h, seg, 2, 1, from);
}

static void plain(struct client *c)
{
	static uint8_t bytes[ROOM], back[ROOM];
	static const size_t lens[] = {0, 1, 8, 64, 4095, 4096, 4097, ROOM};

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		size_t off = ROOM - lens[i];

		fill(bytes, lens[i], (unsigned int)i);
		memset(back, 0, sizeof(back));
		assert_int_equal(dma_write(host, at(c, off), bytes, lens[i]), 0);
		assert_memory_equal(c->area + off, bytes, lens[i]);
		assert_int_equal(dma_read(host, at(c, off), back, lens[i]), 0);
		assert_memory_equal(back, bytes, lens[i]);
	}
}

/* Bytes are read and written where the bus address points, for both kinds of client. */
TEST(host, test_plain)
{
	each_bare(plain);
}

static void split(struct client *c)
{
	static uint8_t bytes[ROOM], back[ROOM];
	struct dma_seg seg[300];
	unsigned int n, round, seed = 3;
	size_t total, off;

	for (round = 0; round < 50; round++) {
		/* segments in descending order, some of them empty */
		for (n = 0, total = 0, off = ROOM; n < 300; n++) {
			size_t len = (size_t)rand_r(&seed) % 700;

			off -= len;
			seg[n] = (struct dma_seg){at(c, off), len};
			total += len;
		}
		fill(bytes, total, round);
		memset(c->area, 0, ROOM);
		assert_int_equal(dma_scatter(host, seg, n, bytes), 0);
		assert_memory_equal(c->area + (seg[0].addr - at(c, 0)), bytes, seg[0].len);
		assert_memory_equal(c->area + (seg[299].addr - at(c, 0)),
				    bytes + total - seg[299].len, seg[299].len);
		assert_int_equal(dma_gather(host, seg, n, back), 0);
		assert_memory_equal(back, bytes, total);
	}
}

/* More segments than fit one call, of odd lengths. */
TEST(host, test_split)
{
	each_bare(split);
}

/* One gather over the memory of several clients. */
TEST(host, test_many_clients)
{
	struct client c[3];
	struct dma_seg seg[30];
	uint8_t bytes[300], back[300];

	for (unsigned int i = 0; i < 3; i++)
		client_bare(&c[i], i == 1);
	for (unsigned int i = 0; i < 30; i++)
		seg[i] = (struct dma_seg){at(&c[(i * 7 / 3) % 3], i * 1000), 10};
	fill(bytes, sizeof(bytes), 1);
	assert_int_equal(dma_scatter(host, seg, 30, bytes), 0);
	assert_int_equal(dma_gather(host, seg, 30, back), 0);
	assert_memory_equal(back, bytes, sizeof(bytes));
	for (unsigned int i = 0; i < 3; i++)
		client_stop(&c[i]);
}

static void bad_memory(struct client *c)
{
	struct dma_seg seg[3] = {{at(c, 0), 64}, {at(c, ROOM - 32), 64}, {at(c, 64), 64}};
	uint8_t bytes[256] = {0};

	assert_int_equal(dma_read(host, at(c, ROOM), bytes, 1), -EFAULT);
	assert_int_equal(dma_write(host, at(c, ROOM), bytes, 1), -EFAULT);
	assert_int_equal(dma_read(host, at(c, ROOM - 1), bytes, 2), -EFAULT);
	assert_int_equal(dma_gather(host, seg, 3, bytes), -EFAULT);
	assert_int_equal(dma_scatter(host, seg, 3, bytes), -EFAULT);
	assert_int_equal(write_owned(host, at(c, ROOM - 63), bytes, 64), -EFAULT);
	assert_int_equal(dma_copy(host, at(c, 0), at(c, ROOM - 32), 64), -EFAULT);
	assert_int_equal(dma_copy(host, at(c, ROOM - 32), at(c, 0), 64), -EFAULT);
	/* slot 0, a free slot, the end of a slot */
	assert_int_equal(dma_read(host, (uintptr_t)c->area, bytes, 1), -EFAULT);
	assert_int_equal(dma_write(host, 0x7777ull << BUS_SLOT_SHIFT, bytes, 1), -EFAULT);
	assert_int_equal(dma_read(host, at(c, 0) | 0xffffffffff00ull, bytes, 0x101), -EFAULT);
	assert_int_equal(dma_read(host, at(c, 0), bytes, SIZE_MAX), -EFAULT);
}

/* Unmapped memory gives -EFAULT, never a crash. */
TEST(host, test_bad_memory)
{
	each_bare(bad_memory);
}

/* A client unmaps and protects what it had registered. */
TEST(host, test_vanishing)
{
	struct client c;
	uint8_t bytes[64] = {1};

	client_bare(&c, true);
	mprotect(c.area, PAGE, PROT_READ);
	assert_int_equal(dma_read(host, at(&c, 0), bytes, 64), 0);
	assert_int_equal(dma_write(host, at(&c, 0), bytes, 64), -EFAULT);
	assert_int_equal(dma_copy(host, at(&c, 0), at(&c, PAGE), 64), -EFAULT);
	munmap(c.area, PAGE);
	assert_int_equal(dma_read(host, at(&c, 0), bytes, 64), -EFAULT);
	assert_int_equal(dma_copy(host, at(&c, PAGE), at(&c, 0), 64), -EFAULT);
	client_stop(&c);
}

static int check(struct mm *mm, uint64_t va, uint64_t len, bool write)
{
	struct unpinnable no;
	struct mappings *maps = mappings_read(mm, &no);

	if (maps)
		no = mappings_check(maps, va, len, write ? MAPPINGS_WRITE : MAPPINGS_READ, NULL);
	mappings_free(maps);
	return no.err;
}

/* A killed client's memory faults, before and after its owner has closed it. */
TEST(host, test_dead)
{
	struct client c;
	uint8_t bytes[64];
	bus_t addr;

	client_bare(&c, false);
	addr = at(&c, 0);
	assert_int_equal(dma_read(host, addr, bytes, 64), 0);
	client_kill(&c);
	assert_int_equal(dma_read(host, addr, bytes, 64), -EFAULT);
	assert_int_equal(dma_write(host, addr, bytes, 64), -EFAULT);
	assert_int_equal(check(c.mm, (uintptr_t)c.area, 1, false), -EFAULT);
	client_stop(&c);
	assert_int_equal(dma_read(host, addr, bytes, 64), -EFAULT);
}

/* The bus addresses of a closed client are reused as late as possible. */
TEST(host, test_slots)
{
	struct mm *mm = mm_open(host, getpid(), -1), *next;
	bus_t first = mm_bus(mm, 0);

	mm_close(mm);
	for (unsigned int i = 0; i < 0xffff - 1; i++) {
		next = mm_open(host, getpid(), -1);
		assert_true(mm_bus(next, 0) != first && mm_bus(next, 0) != 0);
		mm_close(next);
	}
	next = mm_open(host, getpid(), -1);
	assert_true(mm_bus(next, 0) == first);
	mm_close(next);
}

/* When all slots are in use a client is refused; when one is free it is accepted. */
TEST(host, test_slots_full)
{
	static struct mm *mm[0xffff];
	int fd;

	for (unsigned int i = 0; i < 0xffff; i++) {
		mm[i] = mm_open(host, getpid(), -1);
		assert_non_null(mm[i]);
	}
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_null(mm_open(host, getpid(), fd));
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(fcntl(fd, F_GETFD), -1); /* the mm owned it and has closed it */
	mm_close(mm[12345]);
	mm[12345] = mm_open(host, getpid(), -1);
	assert_non_null(mm[12345]);
	for (unsigned int i = 0; i < 0xffff; i++)
		mm_close(mm[i]);
}

/* Copies between clients of either kind, longer than the chip's own buffer. */
TEST(host, test_copy)
{
	struct client c[3];

	for (unsigned int i = 0; i < 3; i++)
		client_bare(&c[i], i == 1);
	for (unsigned int i = 0; i < 3; i++) {
		for (unsigned int j = 0; j < 3; j++) {
			if (i == j)
				continue;
			fill(c[i].area, ROOM, i * 3 + j);
			memset(c[j].area, 0, ROOM);
			assert_int_equal(dma_copy(host, at(&c[j], 7), at(&c[i], 3), ROOM - 11), 0);
			assert_memory_equal(c[j].area + 7, c[i].area + 3, ROOM - 11);
			assert_int_equal(c[j].area[6] | c[j].area[ROOM - 4], 0);
		}
	}
	for (unsigned int i = 0; i < 3; i++)
		client_stop(&c[i]);
}

static void checked(struct client *c)
{
	uint64_t va = (uintptr_t)c->area;

	assert_int_equal(check(c->mm, va, ROOM, true), 0);
	assert_int_equal(check(c->mm, va + 5, 0, true), 0);
	assert_int_equal(check(c->mm, va + ROOM - 1, 1, true), 0);
	assert_int_equal(check(c->mm, va, ROOM + 1, false), -EFAULT);
	assert_int_equal(check(c->mm, va - 1, 2, false), -EFAULT);
	assert_int_equal(check(c->mm, va, UINT64_MAX, false), -EFAULT);
	assert_int_equal(check(c->mm, 0, 1, false), -EFAULT);
	assert_int_equal(check(c->mm, UINT64_MAX, 1, false), -EFAULT);
	if (!c->self)
		return;
	/* Adjacent mappings are one range; a read-only one among them is not writable. */
	mprotect(c->area + 3 * PAGE, PAGE, PROT_READ);
	assert_int_equal(check(c->mm, va, ROOM, false), 0);
	assert_int_equal(check(c->mm, va, ROOM, true), -EFAULT);
	munmap(c->area + 5 * PAGE, PAGE);
	assert_int_equal(check(c->mm, va, ROOM, false), -EFAULT);
	assert_int_equal(check(c->mm, va, 5 * PAGE, false), 0);
}

/* A registration may cover exactly the memory that is mapped with the right access. */
TEST(host, test_check)
{
	each_bare(checked);
}

#define ROUNDS 5000

/* Lets the other side run on a machine with one CPU. */
static void spin(unsigned int *n)
{
	if (++*n % 1000 == 0)
		sched_yield();
}

struct owner_watch {
	volatile uint8_t *cqe;
	unsigned int torn, seen;
};

static void *watch_owner(void *arg)
{
	struct owner_watch *w = arg;
	uint8_t want = 1;
	unsigned int i, n, spun = 0;

	for (n = 0; n < ROUNDS; n++, want = want == 255 ? 1 : (uint8_t)(want + 1)) {
		while (__atomic_load_n(&w->cqe[63], __ATOMIC_ACQUIRE) != want)
			spin(&spun);
		for (i = 0; i < 63; i++)
			w->torn += w->cqe[i] != want;
		__atomic_store_n(&w->seen, n + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* A reader that sees the owner byte sees all of the CQE. */
TEST(host, test_owner)
{
	struct owner_watch w = {0};
	struct client c;
	pthread_t reader;
	uint8_t cqe[64], value = 1;
	unsigned int n, spun = 0;

	client_bare(&c, true);
	/* across two pages, so that one copy is not enough */
	w.cqe = c.area + PAGE - 32;
	assert_int_equal(pthread_create(&reader, NULL, watch_owner, &w), 0);
	for (n = 0; n < ROUNDS; n++, value = value == 255 ? 1 : (uint8_t)(value + 1)) {
		memset(cqe, value, sizeof(cqe));
		assert_int_equal(write_owned(host, at(&c, PAGE - 32), cqe, sizeof(cqe)), 0);
		while (__atomic_load_n(&w.seen, __ATOMIC_ACQUIRE) != n + 1)
			spin(&spun);
	}
	pthread_join(reader, NULL);
	assert_int_equal(w.torn, 0);
	client_stop(&c);
}

#define WORDS_CALLS   50000u
#define WORDS_OF_CALL 60u

struct word_writer {
	volatile uint32_t *word;
	bool end;
};

/* Stores counters that differ in two bytes. */
static void *toggle_word(void *arg)
{
	struct word_writer *w = arg;

	while (!__atomic_load_n(&w->end, __ATOMIC_RELAXED)) {
		*w->word = htobe32(0xff);
		*w->word = htobe32(0x100);
	}
	return NULL;
}

static unsigned int count_mixed(const uint8_t *got, size_t len)
{
	unsigned int mixed = 0;
	uint32_t word;

	for (size_t i = 0; i < len; i += sizeof(word)) {
		memcpy(&word, got + i, sizeof(word));
		mixed += word != htobe32(0xff) && word != htobe32(0x100);
	}
	return mixed;
}

/* Reads one word many times: pieces of 4 bytes, and of 12 of which the first 8 stay. */
static void words(struct client *c)
{
	struct word_writer w = {.word = (uint32_t *)(void *)(c->area + 72)};
	struct dma_seg seg[WORDS_OF_CALL];
	uint8_t got[WORDS_OF_CALL * 8];
	unsigned int mixed = 0;
	pthread_t writer;

	for (unsigned int i = 0; i < 18; i++)
		memcpy(c->area + i * 4, &(uint32_t){htobe32(0xff)}, 4);
	*w.word = htobe32(0xff);
	for (unsigned int i = 0; i < WORDS_OF_CALL; i++)
		seg[i] = i % 2 ? (struct dma_seg){at(c, 72), 4} : (struct dma_seg){at(c, 64), 12};
	assert_int_equal(pthread_create(&writer, NULL, toggle_word, &w), 0);
	for (unsigned int i = 0; i < WORDS_CALLS; i++) {
		assert_int_equal(dma_gather(host, seg, WORDS_OF_CALL, got), 0);
		mixed += count_mixed(got, sizeof(got));
	}
	__atomic_store_n(&w.end, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	assert_int_equal(mixed, 0);
}

/* A word that its program stores during a read, as a doorbell record's counter, is old or new. */
TEST(host, test_words)
{
	each_bare(words);
}

/* --- atomics ------------------------------------------------------------------------------- */

static _Alignas(8) uint64_t counted[2];

static uint8_t *counted_at(void *ctx, uint64_t addr, size_t len)
{
	(void)ctx;
	return addr + len <= sizeof(counted) ? (uint8_t *)counted + addr : NULL;
}

static void *count_beside(void *rounds)
{
	for (uintptr_t i = 0; i < (uintptr_t)rounds; i++) {
		__atomic_fetch_add(&counted[0], 1, __ATOMIC_RELAXED);
		__atomic_fetch_add((uint32_t *)&counted[1], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Atomics of the program and of the device on shared memory at the same time: none is lost. */
TEST(host, atomics_beside_the_program)
{
	const uintptr_t rounds = 200000;
	const struct dma_atomic add8 = {.add = true, .size = 8, .value = 1};
	const struct dma_atomic add4 = {.add = true, .size = 4, .value = 1};
	struct mm *mm = mm_open_device(host, counted_at, NULL);
	uint64_t old, last = 0;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, count_beside, (void *)rounds), 0);
	for (uintptr_t i = 0; i < rounds; i++) {
		assert_int_equal(dma_atomic(host, mm_bus(mm, 0), &add8, &old), 0);
		assert_true(old >= last);
		last = old + 1;
		assert_int_equal(dma_atomic(host, mm_bus(mm, 8), &add4, &old), 0);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(counted[0], 2 * rounds);
	assert_int_equal(counted[1], 2 * rounds);
	assert_int_equal(dma_atomic(host, mm_bus(mm, 16), &add8, &old), -EFAULT);
	mm_close(mm);
}
