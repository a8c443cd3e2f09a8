/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "host.h"

/*
 * Slots are reused as late as possible: a stale bus address faults instead of naming a new client.
 */
static uint32_t slot_take(struct host *h, struct mm *mm)
{
	for (uint32_t i = 0; i < BUS_SLOTS; i++) {
		uint32_t slot = (h->next_slot + i) % BUS_SLOTS;

		if (!slot || h->slots[slot])
			continue;
		h->slots[slot] = mm;
		h->next_slot = (slot + 1) % BUS_SLOTS;
		if (slot >= h->slots_end)
			h->slots_end = slot + 1;
		return slot;
	}
	return 0;
}

/* Closes the pidfd, too: the mm owns it even on failure. */
static struct mm *mm_give_up(struct mm *mm, int pidfd, int err)
{
	if (mm)
		mm->host->slots[mm->slot] = NULL; /* slot 0 is nobody's */
	free(mm);
	if (pidfd >= 0)
		close(pidfd);
	errno = err;
	return NULL;
}

struct mm *mm_open(struct host *h, pid_t pid, int pidfd)
{
	struct mm *mm = calloc(1, sizeof(*mm));

	if (!mm)
		return mm_give_up(mm, pidfd, ENOMEM);
	mm->pid_source = (struct event_source){.kind = SOURCE_PIDFD, .fd = pidfd};
	mm->host = h;
	mm->pid = pid;
	mm->slot = slot_take(h, mm);
	if (!mm->slot)
		return mm_give_up(mm, pidfd, ENOSPC);
	if (pidfd >= 0 && host_watch_fd(h, &mm->pid_source))
		return mm_give_up(mm, pidfd, ENOMEM);
	return mm;
}

pid_t mm_pid(const struct mm *mm)
{
	return mm->pid;
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
	if (mm->demand_slot)
		mm->host->slots[mm->demand_slot] = NULL;
	free(mm);
}

static bus_t bus_in_slot(uint32_t slot, uint64_t va)
{
	return (bus_t)slot << BUS_SLOT_SHIFT | va;
}

bus_t mm_bus(const struct mm *mm, uint64_t va)
{
	return bus_in_slot(mm->slot, va);
}

bus_t mm_bus_on_demand(struct mm *mm, bus_t addr)
{
	if (!mm->demand_slot)
		mm->demand_slot = slot_take(mm->host, mm);
	return mm->demand_slot ? bus_in_slot(mm->demand_slot, addr & BUS_VA_MASK) : 0;
}

/* A process that can't be inspected has no capability. */
bool mm_may_net_raw(const struct mm *mm)
{
	char path[32], line[128];
	unsigned long long effective = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)mm->pid);
	status = fopen(path, "re");
	if (!status)
		return false;
	while (fgets(line, sizeof(line), status) && sscanf(line, "CapEff: %llx", &effective) != 1)
		;
	fclose(status);
	return effective >> CAP_NET_RAW & 1;
}

bool mm_same_process(const struct mm *a, const struct mm *b)
{
	return a == b || (!a->at && !b->at && a->pid == b->pid);
}
