/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "base/log.h"
#include "host.h"

/* Slots come back as late as possible: a stale bus address faults, it names no new client. */
static uint32_t slot_find(struct host *h)
{
	uint32_t i;

	for (i = 0; i < BUS_SLOTS; i++) {
		uint32_t slot = (h->next_slot + i) % BUS_SLOTS;

		if (slot && !h->slots[slot])
			return slot;
	}
	return 0;
}

/* The pidfd was handed over, whatever comes of it. */
static struct mm *give_up(struct mm *mm, int pidfd, int err)
{
	free(mm);
	if (pidfd >= 0)
		close(pidfd);
	errno = err;
	return NULL;
}

struct mm *mm_open(struct host *h, pid_t pid, int pidfd)
{
	struct mm *mm = calloc(1, sizeof(*mm));
	uint32_t slot = slot_find(h);

	if (!mm || !slot)
		return give_up(mm, pidfd, mm ? ENOSPC : ENOMEM);
	mm->pid_source = (struct source){.kind = SOURCE_PIDFD, .fd = pidfd};
	mm->host = h;
	mm->pid = pid;
	mm->slot = slot;
	mm->self = pid == getpid();
	if (pidfd >= 0 && host_watch_fd(h, &mm->pid_source))
		return give_up(mm, pidfd, ENOMEM);
	h->slots[slot] = mm;
	h->next_slot = (slot + 1) % BUS_SLOTS;
	return mm;
}

struct mm *mm_open_device(struct host *h, mm_at_fn *at, void *ctx)
{
	struct mm *mm = mm_open(h, 0, -1);

	if (!mm)
		return NULL;
	mm->at = at;
	mm->at_ctx = ctx;
	return mm;
}

void mm_close(struct mm *mm)
{
	if (!mm)
		return;
	host_unwatch_fd(mm->host, &mm->pid_source);
	shares_free(mm);
	mm->host->slots[mm->slot] = NULL;
	free(mm);
}

bus_t mm_bus(const struct mm *mm, uint64_t va)
{
	return (bus_t)mm->slot << BUS_SLOT_SHIFT | va;
}

/* A name that begins with neither is a stack's, or one of the kernel's own. */
static bool is_own(const char *perm, uint64_t inode, const char *name)
{
	return !strcmp(perm, "rw-p") && !inode &&
	       (!*name || !strncmp(name, "[heap", 5) || !strncmp(name, "[anon", 5));
}

/* What is asked of a client's mappings. */
struct check {
	struct mm *mm;
	uint64_t at, end; /* what is left of the range */
	bool write, own;
};

/* One line of /proc/PID/maps; true while it continues the range. */
static bool map_covers(struct check *c, const char *line)
{
	char perm[5], name[8] = "";
	unsigned int major, minor;
	struct client_map m;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %7s", &m.start,
		   &m.end, perm, &m.offset, &major, &minor, &m.inode, name) < 7 ||
	    m.end <= c->at)
		return true;
	if (m.start > c->at || perm[0] != 'r' || (c->write && perm[1] != 'w'))
		return false;
	m.dev = makedev(major, minor);
	shares_replaced(c->mm, &m, c->at, m.end < c->end ? m.end : c->end);
	c->own = c->own && is_own(perm, m.inode, name);
	c->at = m.end;
	return true;
}

bool mm_same_process(const struct mm *a, const struct mm *b)
{
	return a == b || (!a->at && !b->at && a->pid == b->pid);
}

int mm_check(struct mm *mm, uint64_t va, uint64_t len, bool write, bool *own)
{
	struct check c = {.mm = mm, .at = va, .end = va + len, .write = write, .own = true};
	char path[32], *line = NULL;
	size_t cap = 0;
	FILE *maps;

	if (mm->gone || c.end < va || c.end > 1ull << BUS_SLOT_SHIFT)
		return -EFAULT;
	snprintf(path, sizeof(path), "/proc/%d/maps", mm->pid);
	maps = fopen(path, "re");
	if (!maps)
		return -EFAULT;
	while (c.at < c.end && getline(&line, &cap, maps) > 0)
		if (!map_covers(&c, line))
			break;
	free(line);
	fclose(maps);
	if (own)
		*own = c.own;
	return c.at >= c.end ? 0 : -EFAULT;
}
