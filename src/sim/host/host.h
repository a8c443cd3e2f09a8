/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

/* Private to the host folder. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/intervals.h"
#include "mm.h"
#include "uar.h"

struct mapping;

/* A descriptor in host's epoll. */
struct event_source {
	enum source_kind { SOURCE_PIDFD, SOURCE_UFFD } kind;
	int fd; /* -1: closed */
};

struct mm {
	struct event_source pid_source; /* first member: host_wake() finds the mm by it */
	struct host *host;
	pid_t pid;
	uint32_t slot;
	uint32_t demand_slot; /* mm_bus_on_demand(); 0: none */
	mm_at_fn *at;	      /* for the device's own memory; NULL: a client's */
	void *at_ctx;
	bool gone;    /* exited, but not closed by its owner yet */
	bool reached; /* process_vm_readv() has worked once */
	struct intervals shares;
	uint32_t nshares;
};

/* Pages of a client, their file, and where the device maps them. */
struct share {
	struct interval at; /* first member: share_over() finds the share by it */
	uint8_t *map;
	uint64_t inode;
	dev_t dev;
	int holders;
};

enum page_state {
	PAGE_FREE,
	PAGE_AWAKE, /* the loop polls its registers */
	PAGE_ARMED, /* write-protected: the next store wakes the loop */
};

struct uar_page {
	struct bar *bar;
	uint32_t uar;
	uint32_t index;	  /* page number in the BAR */
	uint32_t awake;	  /* index in host->awake */
	uint8_t state;	  /* enum page_state */
	bool rung;	  /* recently */
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
	uint64_t inode;	 /* of its file descriptor */
	int sched_fd;	 /* /proc/PID/schedstat, or -1 */
	uint64_t waited; /* its last value; 0: unknown */
	uint8_t rang;	 /* samples still to take of it */
	uint64_t clock_until; /* end of the clock page's presence; 0: it is a hole */
	bool refused;	      /* write-protection has failed: its pages are polled for ever */
};

/* A page of a share, and where the device maps it. */
#define IOTLB_LOG   6u
#define IOTLB_SHIFT 12u
struct iotlb {
	bus_t page;
	uint8_t *at;
};

/* The next step of an idle loop (idle.c). */
enum idle_phase { IDLE_SPIN, IDLE_NAP };

struct host {
	struct host_changes changes; /* first member */
	struct mm **slots;	     /* BUS_SLOTS entries; 0 is never used */
	uint32_t next_slot;
	uint32_t nshares; /* shares of all clients */
	uint32_t ndmabufs;
	dev_t memfd_dev;		     /* pinnable.c; 0: unknown */
	struct iotlb iotlb[1u << IOTLB_LOG]; /* cache of pages used last (dma.c) */
	void *bounce;
	int epfd;
	struct clock *clock; /* from host_set_clock(); may be NULL */
	uint32_t nclocks;    /* number of present pages with the clock */
	doorbell_fn doorbell;
	void *doorbell_ctx;
	const struct strict_ops *strict; /* NULL: no strict doorbells */
	struct bar *bars;
	struct uar_page **awake; /* the first HOT pages were rung last */
	uint32_t nawake, awake_cap;
	uint32_t npages; /* pages of all BARs; awake has room for them */
	uint32_t hand;	 /* next hot page that may become cold */
	uint32_t cursor; /* next cold page to poll */
	/* state of idling */
	enum idle_phase phase;
	bool rung;			  /* a register was taken since the last host_arm() */
	bool woken;			  /* a store was released from its trap */
	bool spin_paid;			  /* this spin has found work */
	uint32_t spin_skip, spin_skipped; /* naps that must pay before the next spin is tried */
	uint32_t nap_misses;
	uint64_t now;	/* time of the last host_arm() */
	uint64_t since; /* when the phase began, or last found work */
	uint64_t aged, swept;
	/* lockstep.c */
	bool lockstep;
	struct uar_page *held; /* page whose program is held in its trap */
	uint32_t held_offset;
	uint64_t held_since; /* when its doorbell was handled; 0: not yet */
	uint64_t sampled;
	uint32_t naps, naps_paid; /* counted since then */
	uint32_t vain;		  /* consecutive holds that ended without an answer */
	int null_fd;		  /* for eventfd.c, like aio */
	unsigned long aio;	  /* aio_context_t; 0: not made yet */
};
_Static_assert(offsetof(struct host, changes) == 0, "dma_place_is_true() looks there");

/* idle.c: handles a write to a register of this page. */
void page_landed(struct uar_page *, uint64_t now);

#define BUS_SLOTS    0x10000u
#define RANG_LATELY  16u
#define BOUNCE_BYTES (128u * 1024u) /* fits into the second-level cache; measured */

int host_watch_fd(struct host *, struct event_source *);
void host_unwatch_fd(struct host *, struct event_source *);

/* share.c: NULL unless one share has all of it */
uint8_t *share_at(const struct mm *, uint64_t va, size_t len);
/* Drops the pieces in a range that the client has replaced by this mapping. */
void shares_replaced(struct mm *, const struct mapping *, uint64_t from, uint64_t end);
void shares_free(struct mm *);
/* dma.c: called when a share ends or its client is gone */
void iotlb_forget(struct host *);
/* Reads a byte by the call that reaches unshared memory. Returns 0 or its -errno. */
int mm_probe(struct mm *, uint64_t va, uint8_t *byte);
/* eventfd.c */
void eventfds_free(struct host *);
/* Returns the chip's own descriptor for one of the client's, or -errno. */
int mm_take_fd(const struct mm *, int number);
/* bar.c */
int page_take(struct host *, struct uar_page *);
void page_awaken(struct uar_page *);
void page_asleep(struct uar_page *, enum page_state);
/* uffd.c: all mappings of a page. protect: 0, or -errno and it is left unprotected. */
int page_protect(struct uar_page *, bool protect);
/*
 * idle.c: page_rings() releases a page; arm_all() arms pages and returns how many registers it took
 */
void page_rings(struct uar_page *);
int arm_all(struct host *);
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
/* Limits the loop's sleep while a clock's page is present. */
uint64_t clock_pages_nap(const struct host *, uint64_t ns);
/* lockstep.c */
void sched_watch(struct bar *);
void lockstep_sample(struct host *);
void page_traps(struct uar_page *, uint32_t offset);
uint64_t lockstep_turn(struct host *);
void watch_read(struct watch *);
void watch_drop(struct watch *);
/* Drops a watch whose descriptor might block. */
void watch_lost(struct watch *);

#endif
