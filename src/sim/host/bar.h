/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_BAR_H
#define SIM_HOST_BAR_H

/* Private to the host folder: UAR pages, the traps on them, and the loop's sleep. */
#include "host.h"

enum page_state {
	PAGE_FREE,
	PAGE_AWAKE, /* the loop polls its registers */
	PAGE_ARMED, /* write-protected: the next store wakes the loop */
};

struct uar_page {
	struct bar *bar;
	uint32_t uar;
	uint32_t index;	      /* page number in the BAR */
	uint32_t awake;	      /* index in host->awake */
	uint8_t state;	      /* enum page_state */
	bool rung;	      /* recently */
	uint8_t strict_turns; /* a doorbell waits for the rest of its WQE */
	uint8_t patience;     /* log2 of the time that the next released store gets */
	uint64_t last;	      /* last bytes in a BlueFlame register */
	uint64_t released;    /* time when a trapped store was released */
	uint64_t expect;      /* not protected until then: a released store may land */
	uint64_t stay;	      /* not protected until then: the program may store again */
};

/* A mapping of a part of a BAR by a program. */
struct range {
	uint64_t va, len, offset;
};

/* One address space that maps a BAR: its userfaultfd and its mappings. */
struct watch {
	struct event_source source; /* first member, as in struct mm */
	struct bar *bar;
	struct watch *next;
	struct range *ranges;
	uint32_t nranges, cap;
};

struct bar {
	struct host *host;
	struct bar *next;
	struct watch *watches; /* newest first */
	struct uar_page *pages;
	unsigned int npages;
	pid_t pid;
	uint8_t *map;
	int fd;
	uint64_t inode;	      /* of its file descriptor */
	int sched_fd;	      /* /proc/PID/schedstat, or -1 */
	uint64_t waited;      /* its last value; 0: unknown */
	uint8_t rang;	      /* samples still to take of it */
	uint64_t clock_until; /* end of the clock page's presence; 0: it is a hole */
	bool refused;	      /* write-protection has failed: its pages are polled for ever */
};

#define RANG_LATELY    16u
#define EXPECT_UNDATED UINT64_MAX /* uar_page.expect until host_arm() dates it */

static inline void awake_put(struct host *h, struct uar_page *page, uint32_t at)
{
	h->awake[at] = page;
	page->awake = at;
}

/* uffd.c */
void page_awaken(struct uar_page *);
void page_asleep(struct uar_page *, enum page_state);
void page_rings(struct uar_page *); /* releases a store to it */
/* Protects a page in all its mappings: 0, or -errno and it is left unprotected. */
int page_protect(struct uar_page *, bool protect);
int va_protect(struct watch *, uint64_t va, bool protect);
void watch_drop(struct watch *);
/* strict.c: called for a new page, after a doorbell, and when whole WQEs may be in registers */
void strict_page_clear(const struct uar_page *);
void strict_rang(const struct uar_page *, uint32_t offset, uint64_t value);
void strict_page_check(struct host *, const struct uar_page *);
/* Returns whether the rest of a WQE may follow soon. */
bool strict_waits(struct uar_page *);
/* clock_page.c: whether n pages include the clock's; registers that page: 0 or -errno. */
bool clock_page_is(uint64_t first, uint64_t n);
int clock_page_register(struct watch *, uint64_t va, uint64_t n);
/* Handles a load from it. */
void clock_page_fault(struct watch *, uint64_t va);
void clock_page_hide(struct bar *);
void clock_pages_turn(struct host *);
/* lockstep.c */
void sched_watch(struct bar *);
void lockstep_sample(struct host *);
uint64_t lockstep_turn(struct host *);
void watch_read(struct watch *);
/* Drops a watch whose descriptor might block. */
void watch_lost(struct watch *);

#endif
