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
#define OF_CLIENT 1024u
#define OF_ALL	  16384u /* a process has 65,530 mappings */

/* The index of the first share that ends behind va. */
static uint32_t share_index(const struct mm *mm, uint64_t va)
{
	uint32_t low = 0, high = mm->nshares;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (mm->shares[mid].va + mm->shares[mid].len <= va)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint8_t *share_at(const struct mm *mm, uint64_t va, size_t len)
{
	const struct share *s = mm->shares + share_index(mm, va);

	if (s == mm->shares + mm->nshares || va < s->va || len > s->len - (va - s->va))
		return NULL;
	return s->map + (va - s->va);
}

void mm_share_hold(struct mm *mm, uint64_t va, uint64_t len, int by)
{
	for (uint32_t at = share_index(mm, va); at < mm->nshares && mm->shares[at].va < va + len;
	     at++)
		mm->shares[at].holders += by;
}

bool mm_share_over(const struct mm *mm, uint64_t va, uint64_t len, bool idle, uint64_t *first,
		   uint64_t *bytes)
{
	for (uint32_t at = share_index(mm, va); at < mm->nshares && mm->shares[at].va < va + len;
	     at++) {
		if (idle && mm->shares[at].holders)
			continue;
		*first = mm->shares[at].va;
		*bytes = mm->shares[at].len;
		return true;
	}
	return false;
}

/* The file can't shrink under the mapping, and its pages exist and count for the client. */
static bool share_file_ok(int fd, uint64_t len, struct stat *st)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;

	return seals >= 0 && seals & F_SEAL_SHRINK && !fstat(fd, st) &&
	       (uint64_t)st->st_size >= len && (uint64_t)st->st_blocks * 512 >= len &&
	       !fstatfs(fd, &fs) && fs.f_type == TMPFS_MAGIC;
}

static int shares_grow(struct mm *mm)
{
	uint32_t cap = mm->shares_cap ? 2 * mm->shares_cap : 16;
	struct share *shares;

	if (mm->nshares == OF_CLIENT || mm->host->nshares == OF_ALL)
		return -ENOSPC;
	if (mm->nshares < mm->shares_cap)
		return 0;
	shares = reallocarray(mm->shares, cap, sizeof(*shares));
	if (!shares)
		return -ENOMEM;
	mm->shares = shares;
	mm->shares_cap = cap;
	return 0;
}

static int share_check(const struct mm *mm, uint64_t va, uint64_t len, int fd, struct stat *st)
{
	uint64_t first, bytes;

	if (va % PAGE || len % PAGE || !len || len > MM_SHARE_MOST ||
	    va > (1ull << BUS_SLOT_SHIFT) - len)
		return -EINVAL;
	if (mm_share_over(mm, va, len, false, &first, &bytes))
		return -EEXIST;
	return share_file_ok(fd, len, st) ? 0 : -EPERM;
}

int mm_share(struct mm *mm, uint64_t va, uint64_t len, int fd)
{
	struct stat st = {0};
	int err = share_check(mm, va, len, fd, &st);
	uint32_t at = share_index(mm, va);
	uint8_t *map;

	if (!err)
		err = shares_grow(mm);
	if (err)
		return err;
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	memmove(mm->shares + at + 1, mm->shares + at, (mm->nshares - at) * sizeof(*mm->shares));
	mm->shares[at] = (struct share){va, len, map, st.st_ino, st.st_dev, 0};
	mm->nshares++;
	mm->host->nshares++;
	return 0;
}

void mm_unshare(struct mm *mm, uint64_t va)
{
	uint32_t at = share_index(mm, va);

	if (at == mm->nshares || mm->shares[at].va != va)
		return;
	iotlb_forget(mm->host);
	munmap(mm->shares[at].map, mm->shares[at].len);
	mm->nshares--;
	mm->host->nshares--;
	memmove(mm->shares + at, mm->shares + at + 1, (mm->nshares - at) * sizeof(*mm->shares));
}

static bool share_is_mapped(const struct share *s, const struct mapping *m)
{
	return m->inode == s->inode && m->dev == s->dev && m->start - m->offset == s->va;
}

void shares_replaced(struct mm *mm, const struct mapping *m, uint64_t from, uint64_t end)
{
	uint32_t at = share_index(mm, from);

	while (at < mm->nshares && mm->shares[at].va < end)
		if (share_is_mapped(&mm->shares[at], m))
			at++;
		else
			mm_unshare(mm, mm->shares[at].va);
}

void shares_free(struct mm *mm)
{
	while (mm->nshares)
		mm_unshare(mm, mm->shares[mm->nshares - 1].va);
	free(mm->shares);
}
