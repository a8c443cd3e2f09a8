/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of a client on a memfd, which the device maps, too. They stay until the device drops them,
 * as pinned pages do, so that a ring there costs no system call.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include "base/maps.h"
#include "host.h"

#define PAGE	  4096u
#define OF_CLIENT 16384u
#define OF_ALL	  49152u      /* all pieces: a process has 65,530 mappings */
#define POPULATED (64u << 20) /* a larger piece takes too long: its pages are mapped one by one */

/* Returns the first share that overlaps a range, or the next one; shares do not overlap. */
static struct share *share_over(const struct mm *mm, uint64_t va, uint64_t len,
				const struct share *last)
{
	return (struct share *)intervals_over(&mm->shares, va, va + len, last ? &last->at : NULL);
}

uint8_t *share_at(const struct mm *mm, uint64_t va, size_t len)
{
	const struct share *s = share_over(mm, va, 1, NULL);

	return s && len <= s->at.end - va ? s->map + (va - s->at.from) : NULL;
}

void mm_share_hold(struct mm *mm, uint64_t va, uint64_t len, int by)
{
	for (struct share *s = NULL; (s = share_over(mm, va, len, s));)
		s->holders += by;
}

bool mm_share_over(const struct mm *mm, uint64_t va, uint64_t len, bool idle, uint64_t *first,
		   uint64_t *bytes)
{
	const struct share *s = NULL;

	while ((s = share_over(mm, va, len, s)) && idle && s->holders)
		;
	if (!s)
		return false;
	*first = s->at.from;
	*bytes = s->at.end - s->at.from;
	return true;
}

/* Checks that the file can't shrink, and that its pages exist and count for the client. */
static bool share_file_ok(int fd, uint64_t len, struct stat *st)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;

	return seals >= 0 && seals & F_SEAL_SHRINK && !fstat(fd, st) &&
	       (uint64_t)st->st_size >= len && (uint64_t)st->st_blocks * 512 >= len &&
	       !fstatfs(fd, &fs) && fs.f_type == TMPFS_MAGIC;
}

static int share_check(const struct mm *mm, uint64_t va, uint64_t len, int fd, struct stat *st)
{
	uint64_t first, bytes;

	if (va % PAGE || len % PAGE || !len || len > 1ull << BUS_SLOT_SHIFT ||
	    va > (1ull << BUS_SLOT_SHIFT) - len)
		return -EINVAL;
	if (mm_share_over(mm, va, len, false, &first, &bytes))
		return -EEXIST;
	if (!share_file_ok(fd, len, st))
		return -EPERM;
	return mm->nshares == OF_CLIENT || mm->host->nshares == OF_ALL ? -ENOSPC : 0;
}

int mm_share(struct mm *mm, uint64_t va, uint64_t len, int fd)
{
	struct stat st = {0};
	int err = share_check(mm, va, len, fd, &st);
	struct share *s;
	void *map;

	if (err)
		return err;
	map = mmap(NULL, len, PROT_READ | PROT_WRITE,
		   len > POPULATED ? MAP_SHARED : MAP_SHARED | MAP_POPULATE, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	s = malloc(sizeof(*s));
	if (!s) {
		munmap(map, len);
		return -ENOMEM;
	}
	*s = (struct share){.at = {va, va + len}, .map = map, .inode = st.st_ino, .dev = st.st_dev};
	intervals_add(&mm->shares, &s->at);
	mm->nshares++;
	mm->host->nshares++;
	mm->host->changes.changes++; /* accesses by calls may be direct now */
	return 0;
}

static void share_end(struct mm *mm, struct share *s)
{
	iotlb_forget(mm->host);
	intervals_remove(&mm->shares, &s->at);
	munmap(s->map, s->at.end - s->at.from);
	free(s);
	mm->nshares--;
	mm->host->nshares--;
}

void mm_unshare(struct mm *mm, uint64_t va)
{
	struct share *s = share_over(mm, va, 1, NULL);

	if (s && s->at.from == va)
		share_end(mm, s);
}

static bool share_is_mapped(const struct share *s, const struct mapping *m)
{
	return m->inode == s->inode && m->dev == s->dev && m->start - m->offset == s->at.from;
}

void shares_replaced(struct mm *mm, const struct mapping *m, uint64_t from, uint64_t end)
{
	struct share *s = share_over(mm, from, end - from, NULL), *next;

	for (; s; s = next) {
		next = share_over(mm, from, end - from, s);
		if (!share_is_mapped(s, m))
			share_end(mm, s);
	}
}

void shares_free(struct mm *mm)
{
	while (mm->nshares)
		share_end(mm, (struct share *)mm->shares.root);
}
