/* SPDX-License-Identifier: BSD-2-Clause */
#include "stat_distinct.h"

#include <string.h>

#define SLOTS	   16384u /* of a set; one that is 3/4 full takes no more: "at least" */
#define PAGE_SHIFT 12u

/* A set of numbers of the present window. Slots of earlier windows count as empty. */
struct distinct {
	uint64_t last;
	uint32_t n;
	uint32_t window[SLOTS];
	uint64_t value[SLOTS];
};

static struct distinct sets[STAT_PAGES + 1];
static uint32_t window, sends; /* run, and sends in it */
uint32_t stat_distinct_left;

void stat_distinct_start(void)
{
	memset(sets, 0, sizeof(sets));
	window = 1;
	stat_distinct_left = sends = 0;
}

static void distinct_sum(struct stat_row *device)
{
	device->n[STAT_WINDOWS]++;
	for (unsigned int i = STAT_QUEUES; i <= STAT_PAGES; i++)
		device->n[i] += sets[i].n;
}

void stat_distinct_add(struct stat_row *device)
{
	if (!device->n[STAT_WINDOWS])
		distinct_sum(device);
}

bool stat_distinct_turn(struct stat_row *device)
{
	if (sends++ < STAT_WINDOW)
		return true;
	distinct_sum(device);
	for (unsigned int i = STAT_QUEUES; i <= STAT_PAGES; i++)
		sets[i].n = 0;
	window++;
	sends = 0;
	stat_distinct_left = STAT_WINDOW * (STAT_WINDOWS_EACH - 1) - 1;
	return false;
}

static __attribute__((noinline)) void distinct_insert(struct distinct *d, uint64_t value)
{
	uint32_t at = (uint32_t)(value * 0x9e3779b97f4a7c15ull >> 50) % SLOTS;

	d->last = value;
	while (d->window[at] == window && d->value[at] != value)
		at = (at + 1) % SLOTS;
	if (d->window[at] == window || d->n >= SLOTS / 4 * 3)
		return;
	d->window[at] = window;
	d->value[at] = value;
	d->n++;
}

void stat_distinct(enum stat_device what, uint64_t value)
{
	struct distinct *d = &sets[what];

	if (!d->n || d->last != value)
		distinct_insert(d, value);
}

void stat_distinct_pages(uint64_t addr, uint64_t len)
{
	const uint64_t end = len ? (addr + len - 1) >> PAGE_SHIFT : addr >> PAGE_SHIFT;

	for (uint64_t page = addr >> PAGE_SHIFT; page <= end && sets[STAT_PAGES].n < SLOTS / 4 * 3;
	     page++)
		stat_distinct(STAT_PAGES, page);
}
