/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's mappings of the device's pages, and the end of its files. */
#include "client_priv.h"

#include <errno.h>
#include <linux/userfaultfd.h>
#include <rdma/mlx5-abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "real.h"
#include "share.h"

#define CMAPS 4096

/*
 * Where libmlx5 maps the clock's parameters, and the clock. As in the kernel, both are read-only.
 */
#define CLOCK_PAGE_AT	 ((uint64_t)MLX5_IB_MMAP_CLOCK_INFO << 8 << 12)
#define CORE_CLOCK_AT	 ((uint64_t)MLX5_IB_MMAP_CORE_CLOCK << 8 << 12)
#define CLOCK_PAGE_BYTES 4096u

static struct cmap {
	struct cfile *file;
	uintptr_t va;
	size_t len;
} cmaps[CMAPS];
static unsigned int maps_end; /* slots from here on have never been used */

/* Clears all slots: the fork may come while another thread has a slot but not yet maps_end. */
void client_map_in_child(void)
{
	memset(cmaps, 0, sizeof(cmaps));
}

static bool client_map_holds(uint64_t offset, uint64_t len, uint64_t page)
{
	return offset <= page && page < offset + len;
}

/* Refuses a mapping of a memfd beyond its end, as the kernel does; it would fault later. */
int client_mmap_check(const struct cfile *cf, int fd, size_t len, int prot, off_t offset)
{
	const uint64_t at = (uint64_t)offset;
	struct stat st;

	if (cf->cm)
		return -ENODEV;
	if (client_foreign(cf) || !len || offset < 0)
		return -EINVAL;
	if (real()->fstat(fd, &st) || len > (uint64_t)st.st_size || at > (uint64_t)st.st_size - len)
		return -EINVAL;
	if (prot & PROT_WRITE &&
	    (client_map_holds(at, len, CLOCK_PAGE_AT) || client_map_holds(at, len, CORE_CLOCK_AT)))
		return -EPERM;
	return client_map_holds(at, len, CORE_CLOCK_AT) && len != CLOCK_PAGE_BYTES ? -EINVAL : 0;
}

/* Hands over a userfaultfd for write-protecting UAR pages; without one the device polls. */
static int client_map_uffd(struct cfile *cf)
{
	if (cf->watched)
		return -1;
	cf->watched = true;
	return (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
}

static void client_map_note(struct cfile *cf, void *va, size_t len)
{
	for (unsigned int i = 0; i < CMAPS; i++) {
		if (cmaps[i].file)
			continue;
		cmaps[i] = (struct cmap){cf, (uintptr_t)va, len};
		if (maps_end <= i)
			maps_end = i + 1;
		return;
	}
}

/*
 * Reports a mapping. If registers can't be watched they are polled; the clock can't be shown then.
 * A fork child does not inherit the mapping: its loads would be answered with zeros.
 */
int client_mapped(struct cfile *cf, void *va, size_t len, off_t offset)
{
	const bool clock = client_map_holds((uint64_t)offset, len, CORE_CLOCK_AT);
	int saved = errno, uffd, err;
	struct lock_saved held;

	if (client_foreign(cf) || (cf->guest && clock))
		return clock ? -EINVAL : 0;
	client_enter(&held);
	client_map_note(cf, va, len);
	uffd = cf->guest ? -1 : client_map_uffd(cf);
	err = cfile_mapped(cf, uffd, (uintptr_t)va, len, (uint64_t)offset);
	if (clock && !err && real()->madvise(va, len, MADV_DONTFORK))
		err = -errno;
	client_leave(&held);
	errno = saved;
	return clock ? err : 0;
}

static bool client_map_overlaps(const struct cmap *m, uintptr_t va, size_t len)
{
	return m->file && va < m->va + m->len && m->va < va + len;
}

void client_unmap(void *va, size_t len)
{
	uintptr_t from = (uintptr_t)va;
	int saved = errno;
	struct lock_saved held;

	if (!client_is_this_process())
		return;
	client_enter(&held);
	for (unsigned int i = 0; i < maps_end; i++) {
		if (!client_map_overlaps(&cmaps[i], from, len))
			continue;
		cfile_unmapped(cmaps[i].file, cmaps[i].va, cmaps[i].len);
		cmaps[i].file = NULL;
	}
	client_leave(&held);
	errno = saved;
}

/* --- the end of a file ----------------------------------------------------------------------- */

static void client_map_forget(const struct cfile *cf)
{
	for (unsigned int i = 0; i < maps_end; i++)
		if (cmaps[i].file == cf)
			cmaps[i].file = NULL;
}

/*
 * Looks in /proc/self/fd for another descriptor of the file. The kernel would count references. Where it can't be
 * read (no free descriptor, chroot) the file stays open until the process ends.
 */
static bool still_open(const struct cfile *cf)
{
	DIR *d = real()->opendir("/proc/self/fd");
	struct dirent *e;
	bool found = false;

	if (!d)
		return true;
	while (!found && (e = readdir(d))) {
		int fd = atoi(e->d_name);

		found = e->d_name[0] != '.' && client_find(fd) == cf;
	}
	closedir(d);
	return found;
}

static void client_map_release(struct cfile *cf)
{
	client_map_forget(cf);
	share_close(cf, cfile_close(cf), client_is_last());
	client_release(cf);
}

void client_closed(struct cfile *cf)
{
	int saved = errno;
	struct lock_saved held;

	if (client_foreign(cf))
		return;
	client_enter(&held);
	if (cf->ino && !still_open(cf))
		client_map_release(cf);
	client_leave(&held);
	errno = saved;
}
