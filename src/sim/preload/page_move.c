/* SPDX-License-Identifier: BSD-2-Clause */
#include "page_move.h"

#include <errno.h>
#include <linux/userfaultfd.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "real.h"

/*
 * Returns a userfaultfd, or -1. Closing it releases all waiting stores. The kernel's stores wait
 * only with privilege; without it a read() would fail.
 */
static int guard_new(enum stores by)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 && by == STORES_USER)
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	if (fd < 0 || !real()->ioctl(fd, UFFDIO_API, &api))
		return fd;
	real()->close(fd);
	return -1;
}

/* Makes stores to the range wait. Loads continue, the device's, too. */
static bool protect(int guard, void *va, size_t len)
{
	struct uffdio_range range = {.start = (uintptr_t)va, .len = len};
	struct uffdio_register reg = {.range = range, .mode = UFFDIO_REGISTER_MODE_WP};
	struct uffdio_writeprotect wp = {.range = range, .mode = UFFDIO_WRITEPROTECT_MODE_WP};

	return !real()->ioctl(guard, UFFDIO_REGISTER, &reg) &&
	       !real()->ioctl(guard, UFFDIO_WRITEPROTECT, &wp);
}

/* Copies by a system call, which a sanitizer does not report as an access of the program. */
static bool copy_of(void *to, void *from, size_t len)
{
	struct iovec local = {to, len}, remote = {from, len};

	return syscall(SYS_process_vm_readv, getpid(), &local, 1ul, &remote, 1ul, 0ul) ==
	       (ssize_t)len;
}

/*
 * Lets both sides exist before they are copied: one call for all pages takes a twentieth of what a fault for each
 * takes on a virtual machine. Where the kernel refuses, the copy faults.
 */
static void populate_both(void *to, void *from, size_t len)
{
	real()->madvise(from, len, MADV_POPULATE_READ);
	real()->madvise(to, len, MADV_POPULATE_WRITE);
}

/*
 * Copies [va, va + len) to `other` and moves `other` to va, with this protection. Unmaps `other` on
 * failure.
 */
static int pages_replace(void *va, size_t len, void *other, int prot, enum stores by)
{
	int guard = by ? guard_new(by) : -1, err = -ENOSYS;

	populate_both(other, va, len);
	if ((!by || (guard >= 0 && protect(guard, va, len))) && copy_of(other, va, len) &&
	    (prot == (PROT_READ | PROT_WRITE) || !mprotect(other, len, prot)))
		err = mremap(other, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, va) == va ? 0 : -errno;
	if (err)
		real()->munmap(other, len);
	if (guard >= 0)
		real()->close(guard);
	return err;
}

/*
 * The file is longer than the memory: if the program grows the mapping, the new part reads as
 * zeros, as in its own memory, instead of faulting at the end of the file. The file is sparse.
 * RLIMIT_FSIZE also limits memfds, and exceeding it would be a signal.
 */
#define FILE_GOES_ON (1ull << 40)

static off_t file_size(size_t len)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur < len)
		return -1;
	return (off_t)(most.rlim_cur - len < FILE_GOES_ON ? most.rlim_cur : len + FILE_GOES_ON);
}

int pages_memfd(size_t len)
{
	off_t size = file_size(len);
	int fd = size < 0 ? -1 : memfd_create("dvx-sim-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, size) ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))) {
		real()->close(fd);
		return -1;
	}
	return fd;
}

int pages_to_memfd(int memfd, void *va, size_t len, enum stores by)
{
	void *map;

	/* Only pages that exist can be protected, so all are populated first. */
	if (by && real()->madvise(va, len, MADV_POPULATE_WRITE))
		return -errno;
	map = real()->mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
	return map == MAP_FAILED ? -errno : pages_replace(va, len, map, PROT_READ | PROT_WRITE, by);
}

int pages_to_private(void *va, size_t len, int prot, enum stores by)
{
	bool shut = !(prot & PROT_READ);
	void *own =
		real()->mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	if (own == MAP_FAILED)
		return -errno;
	if (shut)
		mprotect(va, len, PROT_READ);
	err = pages_replace(va, len, own, prot, by);
	if (err && shut)
		mprotect(va, len, prot);
	return err;
}
