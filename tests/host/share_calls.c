/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that calls on shared memory do the same as on a program's own. */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "share_rig.h"
#include "share_scenes.h"

/* A region grows, in place and elsewhere: the new part is there, and zero. */
int scene_grow(void)
{
	struct rig r;

	rig_open(&r, NULL);
	rig_connect(&r);
	for (int moves = 0; moves < 2; moves++) {
		char *mem = mem_pages(16 * PAGE), *now;
		struct ibv_mr *mr;

		CHECK(!munmap(mem + 2 * PAGE, 14 * PAGE));
		if (moves)
			CHECK(mmap(mem + 2 * PAGE, PAGE, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
				   0) == mem + 2 * PAGE);
		mr = rig_reg(&r, mem, 2 * PAGE);
		mem_expect_shared(mem, 2 * PAGE);
		memset(mem, 1, 2 * PAGE);
		now = mremap(mem, 2 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
		CHECK(now != MAP_FAILED && (now == mem) == !moves);
		CHECK(mem_all(now, 1, 2 * PAGE) && mem_all(now + 2 * PAGE, 0, 6 * PAGE));
		memset(now + 2 * PAGE, 2, 6 * PAGE);
		/* the device has the pages, wherever they are */
		if (!moves)
			rig_write(&r, now, mr->lkey, now + PAGE, mr->rkey, PAGE);
		CHECK(!ibv_dereg_mr(mr));
		CHECK(!mem_shared(now, 8 * PAGE));
		CHECK(mem_all(now, 1, 2 * PAGE) && mem_all(now + 2 * PAGE, 2, 6 * PAGE));
		CHECK(!munmap(now, 8 * PAGE));
	}
	rig_close(&r);
	return 0;
}

/*
 * Pages that are dropped while they are registered become zero for the program, and different from
 * the device's; after the end all are its own.
 */
int scene_drop(void)
{
	char *mem = mem_pages(4 * PAGE), *from = mem_pages(PAGE);
	struct ibv_mr *mr, *source;
	struct rig r;

	rig_open(&r, NULL);
	rig_connect(&r);
	source = rig_reg(&r, from, PAGE);
	memset(from, 7, PAGE);
	for (int i = 1; i < 20; i++) {
		CHECK(!madvise(mem, 4 * PAGE, MADV_DONTNEED)); /* it was never touched */
		mr = rig_reg(&r, mem, 4 * PAGE);
		mem_expect_shared(mem, 4 * PAGE);
		memset(mem, i, 4 * PAGE);
		CHECK(!madvise(mem, 4 * PAGE, MADV_FREE));
		CHECK(!madvise(mem, 4 * PAGE, MADV_WILLNEED));
		CHECK(mem_all(mem, i, PAGE) && mem_shared(mem, PAGE));
		CHECK(!madvise(mem + PAGE, PAGE + 1, MADV_DONTNEED));
		CHECK(mem_all(mem, i, PAGE) && mem_all(mem + PAGE, 0, 2 * PAGE) &&
		      mem_all(mem + 3 * PAGE, i, PAGE));
		rig_write(&r, from, source->lkey, mem + PAGE, mr->rkey, PAGE);
		CHECK(mem_all(mem + PAGE, 0, PAGE));
		rig_write(&r, from, source->lkey, mem + 3 * PAGE, mr->rkey, PAGE);
		CHECK(mem_all(mem + 3 * PAGE, 7, PAGE));
		memset(mem + PAGE, i, PAGE);
		CHECK(!ibv_dereg_mr(mr));
		CHECK(!mem_shared(mem, 4 * PAGE));
		CHECK(mem_all(mem, i, 2 * PAGE) && mem_all(mem + 2 * PAGE, 0, PAGE) &&
		      mem_all(mem + 3 * PAGE, 7, PAGE));
		CHECK(madvise(mem + 1, PAGE, MADV_DONTNEED) && errno == EINVAL);
	}
	CHECK(!ibv_dereg_mr(source));
	rig_close(&r);
	return 0;
}

static bool one_thread(void)
{
	struct stat st;

	return !stat("/proc/self/task", &st) && st.st_nlink == 3;
}

/* A large region of a program with one thread is copied; a fresh one needs no copy. */
static void large_region(struct rig *r)
{
	const size_t len = (64u << 20) + PAGE;
	char *mem = mem_pages(len);
	struct ibv_mr *mr;

	memset(mem, 7, len);
	mr = rig_reg(r, mem, len);
	CHECK(mem_shared(mem, len) == one_thread());
	rig_write(r, mem + len - PAGE, mr->lkey, mem, mr->rkey, PAGE);
	CHECK(!ibv_dereg_mr(mr) && mem_all(mem, 7, PAGE));
	CHECK(!munmap(mem, len));
	mem = mem_pages(len);
	mr = rig_reg(r, mem, len);
	CHECK(mem_shared(mem, len) == 1);
	CHECK(!ibv_dereg_mr(mr) && !munmap(mem, len));
}

/* A limit on the size of files does not limit memory. */
int scene_limit(void)
{
	struct rlimit limit;
	struct ibv_mr *mr;
	struct rig r;

	rig_open(&r, NULL);
	rig_connect(&r);
	CHECK(!getrlimit(RLIMIT_FSIZE, &limit));
	for (rlim_t pages = 0; pages <= 8; pages++) {
		char *mem = mem_pages(4 * PAGE);

		limit.rlim_cur = pages * PAGE;
		CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
		mr = rig_reg(&r, mem, 4 * PAGE);
		CHECK((mem_shared(mem, 4 * PAGE) > 0) == (pages >= 4));
		memset(mem, (int)pages, PAGE);
		rig_write(&r, mem, mr->lkey, mem + PAGE, mr->rkey, PAGE);
		CHECK(mem_all(mem + PAGE, (int)pages, PAGE));
		CHECK(!ibv_dereg_mr(mr));
	}
	limit.rlim_cur = limit.rlim_max;
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
	large_region(&r);
	rig_close(&r);
	return 0;
}
