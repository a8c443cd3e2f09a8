/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which mappings Linux pins for long, as ib_umem_get() does: check_vma_flags() and
 * vma_needs_dirty_tracking() of mm/gup.c and mm/vma.c.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/mounts.h"
#include "bar.h"
#include "pinnable.h"

/* Linux 6.5 and later pin no shared, writable mapping of a file that is written back. */
static bool linux_refuses_files(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	return !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 5));
}

/* Returns the device number that all memfds share. */
static dev_t memfd_dev(struct host *h)
{
	struct stat st;
	int fd;

	if (h->memfd_dev)
		return h->memfd_dev;
	fd = memfd_create("dvx-sim-dev", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st))
		h->memfd_dev = st.st_dev;
	close(fd);
	return h->memfd_dev;
}

static bool mapping_is_bar(const struct host *h, const struct mapping *m)
{
	for (const struct bar *bar = h->bars; bar; bar = bar->next)
		if (bar->inode == m->inode)
			return true;
	return false;
}

static struct unpinnable memfd_unpinnable(const struct host *h, const struct mapping *m)
{
	if (!mapping_is_bar(h, m))
		return (struct unpinnable){0};
	return (struct unpinnable){-EFAULT, "has pages of the device, which can't be pinned"};
}

static struct unpinnable file_unpinnable(const struct mm *mm, const struct mapping *m,
					 unsigned int need)
{
	const bool tracked = need & MAPPINGS_WRITE && m->shared && linux_refuses_files();
	const enum mount_kind kind =
		tracked || major(m->dev) ? mount_kind(mm->pid, m->dev) : MOUNT_MEMORY;

	if (kind == MOUNT_DAX)
		return (struct unpinnable){
			-EOPNOTSUPP,
			"is a file's on a DAX file system, which is not pinned for long (use device "
			"DAX, or register it on demand)"};
	if (kind == MOUNT_FILES && tracked)
		return (struct unpinnable){
			-EFAULT,
			"is a shared, writable mapping of a file: Linux 6.5 and later pin it only "
			"to be read (map it MAP_PRIVATE, take a file on tmpfs, or register it on "
			"demand)"};
	return (struct unpinnable){0};
}

/* Faults the byte in: the kernel answers as it does for a pin. */
static struct unpinnable byte_unpinnable(struct mm *mm, uint64_t va)
{
	uint8_t byte;

	switch (mm_probe(mm, va, &byte)) {
	case 0:
		return (struct unpinnable){0};
	case -EFAULT:
		return (struct unpinnable){
			-EFAULT, "can't be pinned: it is behind the end of its file, a device's, "
				 "or memfd_secret()'s"};
	default:
		return (struct unpinnable){
			-EFAULT, "can't be reached: process_vm_readv() is refused for this program "
				 "(seccomp, set-user-id, PR_SET_DUMPABLE 0, ptrace_scope)"};
	}
}

struct unpinnable mapping_unpinnable(struct mm *mm, const struct mapping *m, uint64_t end,
				     unsigned int need)
{
	struct unpinnable no = {0};

	if (m->plain && mm->reached)
		return no;
	if (m->inode && m->dev == memfd_dev(mm->host))
		no = memfd_unpinnable(mm->host, m);
	else if (m->inode && need & MAPPINGS_LONG)
		no = file_unpinnable(mm, m, need);
	if (!no.err)
		no = byte_unpinnable(mm, (end < m->end ? end : m->end) - 1);
	mm->reached = mm->reached || !no.err;
	return no;
}
