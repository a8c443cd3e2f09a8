/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves which pages of a client the device may map (host/share.c), and for how long. */
#include "tests/test.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "host_share_rig.h"

/* --- what may be shared ----------------------------------------------------------------------- */

static int share(struct mm *mm, uint64_t va, uint64_t len, int fd)
{
	int err = mm_share(mm, va, len, fd);

	if (fd >= 0)
		close(fd);
	return err;
}

/* Only whole pages are shared, not too many, below the end of a slot. */
TEST(host, test_ranges)
{
	struct mm *mm = mm_open(host, getpid(), -1);
	const uint64_t va = 1 << 20, end = 1ull << BUS_SLOT_SHIFT;
	uint64_t first, len;

	assert_int_equal(share(mm, va + 1, PAGE, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, va, PAGE + 1, sealed(2 * PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, va, 0, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, end, PAGE, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, end - PAGE, 2 * PAGE, sealed(2 * PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, 0 - (uint64_t)PAGE, PAGE, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_int_equal(share(mm, va, 0 - (uint64_t)PAGE, sealed(PAGE, 0, SEALS)), -EINVAL);
	assert_false(mm_share_over(mm, 0, UINT64_MAX, false, &first, &len));
	assert_int_equal(share(mm, end - PAGE, PAGE, sealed(PAGE, 0, SEALS)), 0);
	assert_int_equal(share(mm, va, (64u << 20) + PAGE, sealed((64u << 20) + PAGE, 0, SEALS)), 0);
	mm_close(mm);
}

/* A cached place of bytes is looked up again when it has changed. */
TEST(host, test_places)
{
	struct mm *mm = mm_open(host, getpid(), -1);
	const uint64_t va = 1 << 20;
	const bus_t bus = mm_bus(mm, va);
	struct dma_place page = {0}, two = {0};

	assert_null(dma_place(host, &page, bus, PAGE));
	assert_int_equal(share(mm, va, PAGE, sealed(PAGE, 0, SEALS)), 0);
	assert_non_null(dma_place(host, &page, bus, PAGE));
	assert_ptr_equal(dma_place(host, &page, bus, PAGE), dma_bytes(host, bus, PAGE));
	assert_null(dma_place(host, &two, bus, 2 * PAGE));
	mm_unshare(mm, va);
	assert_null(dma_place(host, &page, bus, PAGE));
	assert_int_equal(share(mm, va, 2 * PAGE, sealed(2 * PAGE, 0, SEALS)), 0);
	assert_non_null(dma_place(host, &two, bus, 2 * PAGE));
	mm_close(mm);
	assert_null(dma_place(host, &two, bus, 2 * PAGE));
}

/* A file that could fault under the device's access, or isn't accounted for, is refused. */
TEST(host, test_files)
{
	struct mm *mm = mm_open(host, getpid(), -1);
	char path[] = "/dev/shm/dvx-host-share.XXXXXX";
	uint64_t first, len;
	int fd, pipes[2];

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
	/* sealed, but its pages don't exist yet, or come from a pool */
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

/* Pieces may be adjacent in any order, but not overlap; the first piece over a range is found. */
TEST(host, test_overlaps)
{
	static const unsigned int order[] = {5, 1, 7, 3};
	struct mm *mm = mm_open(host, getpid(), -1);
	uint64_t first, len;

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
	mm_unshare(mm, 4 * PAGE); /* no piece begins there */
	assert_true(mm_share_over(mm, 4 * PAGE, PAGE, false, &first, &len));
	mm_unshare(mm, 3 * PAGE);
	assert_false(mm_share_over(mm, 3 * PAGE, 2 * PAGE, false, &first, &len));
	assert_true(mm_share_over(mm, 3 * PAGE, 2 * PAGE + 1, false, &first, &len) &&
		    first == 5 * PAGE);
	mm_close(mm);
}

/* Holders are counted per piece, wherever in it their bytes are. */
TEST(host, test_holders)
{
	struct mm *mm = mm_open(host, getpid(), -1);
	uint64_t first, len;

	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(
			share(mm, (1 + 2 * i) * PAGE, 2 * PAGE, sealed(2 * PAGE, 0, SEALS)), 0);
	assert_true(mm_share_over(mm, 0, AREA, true, &first, &len) && first == PAGE);
	mm_share_hold(mm, 2 * PAGE, 2 * PAGE, 1); /* one page of each of two pieces */
	assert_true(mm_share_over(mm, 0, AREA, true, &first, &len) && first == 5 * PAGE);
	mm_share_hold(mm, 5 * PAGE, 1, 1);
	mm_share_hold(mm, 3 * PAGE, 1, 1);
	assert_false(mm_share_over(mm, 0, AREA, true, &first, &len));
	mm_share_hold(mm, 2 * PAGE, 2 * PAGE, -1);
	assert_true(mm_share_over(mm, 0, AREA, true, &first, &len) && first == PAGE);
	assert_false(mm_share_over(mm, 3 * PAGE, AREA, true, &first, &len));
	mm_close(mm);
}

/* At one client's limit, and at the limit of all, sharing is refused, and works after a release. */
TEST(host, test_limits)
{
	struct mm *mm[32];
	unsigned int n = 0, all = 0, clients;
	int fd = sealed(PAGE, 0, SEALS), err = 0;

	for (clients = 0; clients < 32 && !err; clients++) {
		mm[clients] = mm_open(host, getpid(), -1);
		for (n = 0; !(err = mm_share(mm[clients], (n + 1) * PAGE, PAGE, fd)); n++)
			all++;
		assert_int_equal(err, -ENOSPC);
		err = n < 16384 ? err : 0;
		assert_true(n <= 16384);
	}
	assert_int_equal(all, 49152);
	assert_int_equal(mm_share(mm[0], 50000 * PAGE, PAGE, fd), -ENOSPC);
	mm_unshare(mm[0], 100 * PAGE);
	assert_int_equal(mm_share(mm[0], 50000 * PAGE, PAGE, fd), 0);
	while (clients--)
		mm_close(mm[clients]);
	mm[0] = mm_open(host, getpid(), -1);
	assert_int_equal(mm_share(mm[0], PAGE, PAGE, fd), 0);
	mm_close(mm[0]);
	close(fd);
}

/* --- clients that change their minds ---------------------------------------------------------- */

/* Shared pages stay when the client unmaps them, as pinned pages do. */
TEST(host, test_pinned)
{
	uint8_t bytes[64], back[64];
	struct client c;
	bus_t in, beside;

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

/* Handles memory as a request does that pins it; returns whether it is the client's own. */
static bool pin(const struct client *c, size_t off, size_t len)
{
	struct unpinnable no;
	struct mappings *maps = mappings_read(c->mm, &no);
	bool own;

	assert_non_null(maps);
	assert_int_equal(
		mappings_check(maps, (uintptr_t)c->area + off, len, MAPPINGS_WRITE, &own).err, 0);
	mm_unshare_replaced(maps, (uintptr_t)c->area + off, len);
	mappings_free(maps);
	return own;
}

/* A client that registers other memory in place of a piece makes the device drop the piece. */
TEST(host, test_replaced)
{
	uint8_t bytes[64] = {1, 2, 3};
	struct client c;

	client_start(&c, true);
	assert_false(pin(&c, 0, AREA));
	assert_true(has(&c, 2) && has(&c, 8));
	lay(c.area + 3 * PAGE, PAGE, sealed(PAGE, 0, SEALS));
	pin(&c, 4 * PAGE, PAGE);
	assert_true(has(&c, 2)); /* still there, in the range that was checked */
	pin(&c, 3 * PAGE + 8, 64);
	assert_true(!has(&c, 2) && has(&c, 8));
	assert_int_equal(dma_write(host, at(&c, 3 * PAGE), bytes, 64), 0);
	assert_memory_equal(c.area + 3 * PAGE, bytes, 64);
	/* the same file, but another offset in it */
	assert_ptr_equal(mremap(c.area + 9 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
				c.area + 8 * PAGE),
			 c.area + 8 * PAGE);
	pin(&c, 8 * PAGE, PAGE);
	assert_false(has(&c, 8));
	assert_int_equal(dma_write(host, at(&c, 8 * PAGE), bytes, 64), 0);
	assert_memory_equal(c.area + 8 * PAGE, bytes, 64);
	client_stop(&c);
}

/* A dead client's pieces end with it. */
TEST(host, test_dead)
{
	uint8_t bytes[64] = {0};
	struct unpinnable no;
	struct client c;
	bus_t addr;

	client_start(&c, false);
	addr = at(&c, 2 * PAGE);
	assert_int_equal(dma_read(host, addr, bytes, 64), 0);
	client_kill(&c);
	assert_int_equal(dma_read(host, at(&c, 0), bytes, 64), -EFAULT); /* now the host notices */
	assert_int_equal(dma_read(host, addr, bytes, 64), -EFAULT);
	assert_int_equal(dma_write(host, addr, bytes, 64), -EFAULT);
	assert_null(mappings_read(c.mm, &no));
	client_stop(&c);
	assert_int_equal(dma_write(host, addr, bytes, 64), -EFAULT);
	assert_false(dma_is_direct(host, addr, 64));
}

/* Hides the query of Linux 6.11 from here on, for the whole process. */
static bool forbid_query(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, _IOC(_IOC_READ | _IOC_WRITE, 'f', 17, 104), 0,
			 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/*
 * A kernel that only prints all mappings: those read once are used for later questions in any
 * order, and drop no piece.
 */
TEST(host, test_older_kernel)
{
	struct unpinnable no;
	struct client c;
	struct mappings *maps;
	uint64_t va;
	bool own;

	if (!forbid_query())
		skip();
	test_replaced(no_state);
	client_start(&c, true);
	va = (uintptr_t)c.area;
	maps = mappings_read(c.mm, &no);
	assert_non_null(maps);
	assert_int_equal(mappings_check(maps, va + 12 * PAGE, PAGE, MAPPINGS_WRITE, &own).err, 0);
	lay(c.area, AREA, sealed(AREA, 0, SEALS));
	assert_int_equal(mappings_check(maps, va + 2 * PAGE, 2 * PAGE, MAPPINGS_WRITE, &own).err,
			 0);
	mm_unshare_replaced(maps, va, AREA);
	assert_true(has(&c, 2) && has(&c, 8));
	mappings_free(maps);
	maps = mappings_read(c.mm, &no);
	assert_int_equal(mappings_check(maps, va, AREA, MAPPINGS_WRITE, &own).err, 0);
	assert_true(has(&c, 2) && has(&c, 8));
	mm_unshare_replaced(maps, va + 4 * PAGE, PAGE);
	assert_true(!has(&c, 2) && has(&c, 8));
	mappings_free(maps);
	client_stop(&c);
}
