/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of a client that the device maps too (host/share.c), and what dma.c does with them. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "host/mm.h"

#define PAGE  4096u
#define PAGES 16u
#define AREA  (PAGES * PAGE)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

static struct host *host;

static int setup(void **state)
{
	(void)state;
	host = host_new();
	return host ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	host_free(host);
	return 0;
}

/* As programs make them: all pages there, then sealed. */
static int sealed(size_t len, unsigned int flags, unsigned int seals)
{
	int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
	size_t at;

	if (fd < 0)
		return -1;
	for (at = 0; at < len && !flags; at += PAGE)
		assert_int_equal(pwrite(fd, "", 1, (off_t)(at + PAGE - 1)), 1);
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	if (seals)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

/*
 * A client whose memory the test sees too: pages 2-5 and 8-9 are shared with the device, each on a
 * file of its own, and the rest on another. A process of its own, or the embedded client.
 */
struct client {
	struct mm *mm;
	uint8_t *area;
	pid_t pid;
	bool self;
};

static const struct {
	uint32_t page, pages;
} shared[] = {{2, 4}, {8, 2}};

static bus_t at(const struct client *c, size_t off)
{
	return mm_bus(c->mm, (uintptr_t)c->area + off);
}

static void lay(void *va, size_t len, int fd)
{
	assert_ptr_equal(mmap(va, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0), va);
}

static void client_start(struct client *c, bool self)
{
	int fds[2];

	c->self = self;
	c->area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(c->area, MAP_FAILED);
	for (unsigned int i = 0; i < 2; i++) {
		fds[i] = sealed(shared[i].pages * PAGE, 0, SEALS);
		lay(c->area + shared[i].page * PAGE, shared[i].pages * PAGE, fds[i]);
	}
	c->pid = self ? getpid() : fork();
	if (!c->pid) {
		pause();
		_exit(0);
	}
	c->mm = mm_open(host, c->pid, self ? -1 : (int)syscall(SYS_pidfd_open, c->pid, 0));
	assert_non_null(c->mm);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(mm_share(c->mm, (uintptr_t)c->area + shared[i].page * PAGE,
					  shared[i].pages * PAGE, fds[i]),
				 0);
		close(fds[i]);
	}
}

static void client_kill(struct client *c)
{
	if (!c->self && c->pid > 0) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
		c->pid = -1;
	}
}

static void client_stop(struct client *c)
{
	client_kill(c);
	mm_close(c->mm);
	munmap(c->area, AREA);
}

static void each_kind(void (*test)(struct client *))
{
	struct client c;

	for (int self = 0; self < 2; self++) {
		client_start(&c, self);
		test(&c);
		client_stop(&c);
	}
}

/* --- what may be shared ----------------------------------------------------------------------- */

static int share(struct mm *mm, uint64_t va, uint64_t len, int fd)
{
	int err = mm_share(mm, va, len, fd);

	if (fd >= 0)
		close(fd);
	return err;
}

/* Whole pages, not too many, below the end of a slot. */
static void test_ranges(void **state)
{
	struct mm *mm = mm_open(host, getpid(), -1);
	const uint64_t va = 1 << 20, end = 1ull << BUS_SLOT_SHIFT;
	uint64_t first, len;

	(void)state;
	assert_int_equal(share(mm, va + 1, PAGE, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, va, PAGE + 1, sealed(2 * PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, va, 0, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, va, (16u << 20) + PAGE, sealed((16u << 20) + PAGE, 0, SEALS)),
			 -EINVAL);
	assert_int_equal(share(mm, end, PAGE, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, end - PAGE, 2 * PAGE, sealed(2 * PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, 0 - (uint64_t)PAGE, PAGE, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, va, 0 - (uint64_t)PAGE, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_false(mm_share_over(mm, 0, UINT64_MAX, false, &first, &len));
	assert_int_equal(share(mm, end - PAGE, PAGE, sealed(PAGE, 0, SEALS)), 0);
	assert_int_equal(share(mm, va, 16u << 20, sealed(16u << 20, 0, SEALS)), 0);
	mm_close(mm);
}

/* A file that could fault under the device's hands, or isn't paid for, is refused. */
static void test_files(void **state)
{
	struct mm *mm = mm_open(host, getpid(), -1);
	char path[] = "/dev/shm/dvx-host-share.XXXXXX";
	uint64_t first, len;
	int fd, pipes[2];

	(void)state;
	assert_int_equal(share(mm, PAGE, PAGE, -1), -EPERM);
	assert_int_equal(share(mm, PAGE, PAGE, open("/dev/null", O_RDWR | O_CLOEXEC)), -EPERM);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(share(mm, PAGE, PAGE, pipes[0]), -EPERM);
	close(pipes[1]);
	assert_int_equal(share(mm, PAGE, PAGE, sealed(PAGE, 0, 0)), -EPERM);
	assert_int_equal(share(mm, PAGE, PAGE, sealed(PAGE, 0, F_SEAL_GROW)), -EPERM);
	assert_int_equal(share(mm, PAGE, 2 * PAGE, sealed(PAGE, 0, SEALS)), -EPERM);
	/* on tmpfs, but not sealed */
	fd = mkstemp(path);
	if (fd >= 0) {
		unlink(path);
		assert_int_equal(pwrite(fd, "", 1, PAGE - 1), 1);
		assert_int_equal(share(mm, PAGE, PAGE, fd), -EPERM);
	}
	/* sealed, but its pages are still to be made, or come from a pool */
	fd = memfd_create("holes", MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(fd, 4 * PAGE), 0);
	assert_int_equal(pwrite(fd, "", 1, PAGE), 1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, SEALS), 0);
	assert_int_equal(share(mm, PAGE, 4 * PAGE, fd), -EPERM);
	fd = sealed(2u << 20, MFD_HUGETLB, SEALS);
	if (fd >= 0)
		assert_int_equal(share(mm, 2u << 20, 2u << 20, fd), -EPERM);
	/* the device could not store there */
	assert_int_equal(share(mm, PAGE, PAGE, sealed(PAGE, 0, SEALS | F_SEAL_WRITE)), -EPERM);
	assert_int_equal(share(mm, PAGE, PAGE, sealed(PAGE, 0, SEALS)), 0);
	mm_unshare(mm, PAGE);
	assert_false(mm_share_over(mm, 0, UINT64_MAX, false, &first, &len));
	mm_close(mm);
}

/* Pieces lie side by side in any order, never over one another; the first over a range is told. */
static void test_overlaps(void **state)
{
	static const unsigned int order[] = {5, 1, 7, 3};
	struct mm *mm = mm_open(host, getpid(), -1);
	uint64_t first, len;

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(share(mm, order[i] * PAGE, 2 * PAGE, sealed(2 * PAGE, 0, SEALS)),
				 0);
	for (unsigned int page = 0; page < 10; page++) {
		bool inside = page > 0 && page < 9;

		assert_int_equal(share(mm, page * PAGE, PAGE, sealed(PAGE, 0, SEALS)),
				 inside ? -EEXIST : 0);
		if (!inside)
			mm_unshare(mm, page * PAGE);
		assert_int_equal(mm_share_over(mm, page * PAGE, PAGE, false, &first, &len), inside);
		if (inside)
			assert_true(first == ((page - 1) / 2 * 2 + 1) * PAGE && len == 2 * PAGE);
	}
	assert_int_equal(share(mm, 0, 16 * PAGE, sealed(16 * PAGE, 0, SEALS)), -EEXIST);
	assert_true(mm_share_over(mm, 0, 16 * PAGE, false, &first, &len) && first == PAGE);
	assert_false(mm_share_over(mm, 0, PAGE, false, &first, &len));
	assert_true(mm_share_over(mm, PAGE - 1, 2, false, &first, &len));
	assert_true(mm_share_over(mm, 9 * PAGE - 1, 1, false, &first, &len) && first == 7 * PAGE);
	assert_false(mm_share_over(mm, 9 * PAGE, PAGE, false, &first, &len));
	mm_unshare(mm, 4 * PAGE); /* none begins there */
	assert_true(mm_share_over(mm, 4 * PAGE, PAGE, false, &first, &len));
	mm_unshare(mm, 3 * PAGE);
	assert_false(mm_share_over(mm, 3 * PAGE, 2 * PAGE, false, &first, &len));
	assert_true(mm_share_over(mm, 3 * PAGE, 2 * PAGE + 1, false, &first, &len) &&
		    first == 5 * PAGE);
	mm_close(mm);
}

/* Who holds a piece is counted by the piece, wherever in it the bytes are. */
static void test_holders(void **state)
{
	struct mm *mm = mm_open(host, getpid(), -1);
	uint64_t first, len;

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(share(mm, (1 + 2 * i) * PAGE, 2 * PAGE, sealed(2 * PAGE, 0, SEALS)),
				 0);
	assert_true(mm_share_over(mm, 0, AREA, true, &first, &len) && first == PAGE);
	mm_share_hold(mm, 2 * PAGE, 2 * PAGE, 1); /* one page of each of two */
	assert_true(mm_share_over(mm, 0, AREA, true, &first, &len) && first == 5 * PAGE);
	mm_share_hold(mm, 5 * PAGE, 1, 1);
	mm_share_hold(mm, 3 * PAGE, 1, 1);
	assert_false(mm_share_over(mm, 0, AREA, true, &first, &len));
	mm_share_hold(mm, 2 * PAGE, 2 * PAGE, -1);
	assert_true(mm_share_over(mm, 0, AREA, true, &first, &len) && first == PAGE);
	assert_false(mm_share_over(mm, 3 * PAGE, AREA, true, &first, &len));
	mm_close(mm);
}

/* One client's limit, and that of all: refused, and possible again when one has gone. */
static void test_limits(void **state)
{
	struct mm *mm[32];
	unsigned int n = 0, all = 0, clients;
	int fd = sealed(PAGE, 0, SEALS), err = 0;

	(void)state;
	for (clients = 0; clients < 32 && !err; clients++) {
		mm[clients] = mm_open(host, getpid(), -1);
		for (n = 0; !(err = mm_share(mm[clients], (n + 1) * PAGE, PAGE, fd)); n++)
			all++;
		assert_int_equal(err, -ENOSPC);
		err = n < 1024 ? err : 0;
		assert_true(n <= 1024);
	}
	assert_int_equal(all, 16384);
	assert_int_equal(mm_share(mm[0], 5000 * PAGE, PAGE, fd), -ENOSPC);
	mm_unshare(mm[0], 100 * PAGE);
	assert_int_equal(mm_share(mm[0], 5000 * PAGE, PAGE, fd), 0);
	while (clients--)
		mm_close(mm[clients]);
	mm[0] = mm_open(host, getpid(), -1);
	assert_int_equal(mm_share(mm[0], PAGE, PAGE, fd), 0);
	mm_close(mm[0]);
	close(fd);
}

/* --- what goes through it --------------------------------------------------------------------- */

static void fill(uint8_t *p, size_t len, unsigned int seed)
{
	while (len--)
		*p++ = (uint8_t)rand_r(&seed);
}

/* Wherever a transfer begins and ends: in a piece, beside it, over its edges, over two of them. */
static void moves(struct client *c)
{
	static uint8_t bytes[AREA], back[AREA], want[AREA];
	unsigned int seed = 1;

	for (unsigned int round = 0; round < 3000; round++) {
		size_t off = (size_t)rand_r(&seed) % AREA;
		size_t len = (size_t)rand_r(&seed) % (round % 2 ? 100 : AREA);
		struct dma_seg seg;

		if (len > AREA - off)
			len = AREA - off;
		fill(bytes, len, round);
		memcpy(want, c->area, AREA);
		memcpy(want + off, bytes, len);
		seg = (struct dma_seg){at(c, off), len};
		if (round % 3 && len)
			assert_int_equal(dma_scatter_owned(host, &seg, 1, bytes), 0);
		else
			assert_int_equal(dma_write(host, at(c, off), bytes, len), 0);
		assert_memory_equal(c->area, want, AREA);
		assert_int_equal(dma_read(host, at(c, off), back, len), 0);
		assert_memory_equal(back, bytes, len);
	}
}

static void test_moves(void **state)
{
	(void)state;
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

/* Gathers and scatters of segments that are shared, not shared, and both. */
static void test_split(void **state)
{
	(void)state;
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
		/* without pieces the embedded client's own copies don't overlap, either */
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

/* From a client to itself and to others of either kind. */
static void test_copies(void **state)
{
	struct client c[3];

	(void)state;
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
static void test_overlapping(void **state)
{
	(void)state;
	each_kind(overlapping);
}

/* --- clients that change their minds ---------------------------------------------------------- */

/* As pinned pages do, those that are shared stay when the client unmaps them. */
static void test_pinned(void **state)
{
	uint8_t bytes[64], back[64];
	struct client c;
	bus_t in, beside;

	(void)state;
	client_start(&c, true);
	in = at(&c, 3 * PAGE);
	beside = at(&c, 6 * PAGE);
	assert_true(dma_is_direct(host, in, 64));
	assert_true(dma_is_direct(host, at(&c, 2 * PAGE), 4 * PAGE));
	assert_false(dma_is_direct(host, at(&c, 2 * PAGE), 4 * PAGE + 1));
	assert_false(dma_is_direct(host, at(&c, 2 * PAGE) - 1, 2));
	assert_false(dma_is_direct(host, beside, 1));
	munmap(c.area, AREA);
	fill(bytes, 64, 1);
	assert_int_equal(dma_write(host, in, bytes, 64), 0);
	assert_int_equal(dma_read(host, in, back, 64), 0);
	assert_memory_equal(bytes, back, 64);
	assert_int_equal(dma_write(host, beside, bytes, 64), -EFAULT);
	assert_int_equal(dma_read(host, in - PAGE - 32, back, 64), -EFAULT);
	assert_int_equal(dma_copy(host, in, beside, 64), -EFAULT);
	assert_int_equal(dma_copy(host, beside, in, 64), -EFAULT);
	mm_unshare(c.mm, (uintptr_t)c.area + 2 * PAGE);
	assert_false(dma_is_direct(host, in, 64));
	assert_int_equal(dma_write(host, in, bytes, 64), -EFAULT);
	mm_close(c.mm);
}

static bool has(const struct client *c, size_t page)
{
	uint64_t first, len;

	return mm_share_over(c->mm, (uintptr_t)c->area + page * PAGE, PAGE, false, &first, &len);
}

/* Other memory in the place of a piece is meant by whoever registers it: the device lets go. */
static void test_replaced(void **state)
{
	uint8_t bytes[64] = {1, 2, 3};
	struct client c;
	bool own;

	(void)state;
	client_start(&c, true);
	assert_int_equal(mm_check(c.mm, (uintptr_t)c.area, AREA, true, &own), 0);
	assert_true(has(&c, 2) && has(&c, 8) && !own);
	lay(c.area + 3 * PAGE, PAGE, sealed(PAGE, 0, SEALS));
	assert_int_equal(mm_check(c.mm, (uintptr_t)c.area + 4 * PAGE, PAGE, true, &own), 0);
	assert_true(has(&c, 2)); /* still there, where it was looked at */
	assert_int_equal(mm_check(c.mm, (uintptr_t)c.area + 3 * PAGE + 8, 64, true, &own), 0);
	assert_true(!has(&c, 2) && has(&c, 8));
	assert_int_equal(dma_write(host, at(&c, 3 * PAGE), bytes, 64), 0);
	assert_memory_equal(c.area + 3 * PAGE, bytes, 64);
	/* the same file, but another place of it */
	assert_ptr_equal(mremap(c.area + 9 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
				c.area + 8 * PAGE),
			 c.area + 8 * PAGE);
	assert_int_equal(mm_check(c.mm, (uintptr_t)c.area + 8 * PAGE, PAGE, true, &own), 0);
	assert_false(has(&c, 8));
	assert_int_equal(dma_write(host, at(&c, 8 * PAGE), bytes, 64), 0);
	assert_memory_equal(c.area + 8 * PAGE, bytes, 64);
	client_stop(&c);
}

/* A dead client's pieces end with it. */
static void test_dead(void **state)
{
	uint8_t bytes[64] = {0};
	struct client c;
	bus_t addr;

	(void)state;
	client_start(&c, false);
	addr = at(&c, 2 * PAGE);
	client_kill(&c);
	assert_int_equal(dma_read(host, at(&c, 0), bytes, 64), -EFAULT); /* it finds out */
	assert_int_equal(dma_read(host, addr, bytes, 64), -EFAULT);
	assert_int_equal(dma_write(host, addr, bytes, 64), -EFAULT);
	client_stop(&c);
	assert_int_equal(dma_write(host, addr, bytes, 64), -EFAULT);
	assert_false(dma_is_direct(host, addr, 64));
}

/* --- order ------------------------------------------------------------------------------------ */

#define ROUNDS 5000

struct watch {
	volatile uint8_t *at;
	size_t len, word; /* the last word is looked at */
	unsigned int torn, seen;
};

static uint64_t last_word(const struct watch *w)
{
	const volatile uint8_t *p = w->at + w->len - w->word;

	switch (w->word) {
	case 8: return __atomic_load_n((const uint64_t *)(uintptr_t)p, __ATOMIC_ACQUIRE);
	case 4: return __atomic_load_n((const uint32_t *)(uintptr_t)p, __ATOMIC_ACQUIRE);
	default: return __atomic_load_n(p, __ATOMIC_ACQUIRE);
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
			w->torn += now != old; /* the word itself comes whole */
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
	struct dma_seg seg[2] = {{at(c, off), len / 2}, {at(c, off + len / 2), len - len / 2}};

	return dma_scatter_owned(host, seg, 2, bytes);
}

static int put_copy(const struct client *c, size_t off, const void *bytes, size_t len)
{
	memcpy(c->area + 8 * PAGE, bytes, len);
	return dma_copy(host, at(c, off), at(c, 8 * PAGE), len);
}

/* From memory that is not shared: page 10 on. */
static int put_copy_in(const struct client *c, size_t off, const void *bytes, size_t len)
{
	memcpy(c->area + 10 * PAGE, bytes, len);
	return dma_copy(host, at(c, off), at(c, 10 * PAGE), len);
}

/* Who polls the last word of a message sees all of it, however it was aligned and came. */
static void test_order(void **state)
{
	static const struct {
		size_t len, word, off;
		put_fn *put;
	} cases[] = {
		{64, 8, 0, put_write},	   {2048, 8, 64, put_write},   {8, 8, 8, put_write},
		{100, 4, 0, put_write},	   {12, 4, 0, put_write},      {4, 4, 4, put_write},
		{33, 1, 0, put_write},	   {1001, 1, 3, put_write},    {1, 1, 5, put_write},
		{64, 1, 0, put_owned},	   {128, 1, PAGE - 64, put_owned},
		{4096, 8, 0, put_copy},	   {2052, 4, 0, put_copy},     {777, 1, 1, put_copy},
		{4096, 8, 0, put_copy_in}, {2052, 4, 0, put_copy_in},  {777, 1, 1, put_copy_in},
	};
	struct client c;

	(void)state;
	client_start(&c, true);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ordered(&c, 2 * PAGE + cases[i].off, cases[i].len, cases[i].word, cases[i].put);
	client_stop(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ranges, setup, teardown),
		cmocka_unit_test_setup_teardown(test_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overlaps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_holders, setup, teardown),
		cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_moves, setup, teardown),
		cmocka_unit_test_setup_teardown(test_split, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overlapping, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pinned, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replaced, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dead, setup, teardown),
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
