/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

/* Private to this room. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/intervals.h"
#include "mm.h"
#include "uar.h"

struct mapping;

/* Something that host's epoll reports. */
struct event_source {
	enum source_kind { SOURCE_PIDFD, SOURCE_UFFD } kind;
	int fd; /* -1 when gone */
};

struct mm {
	struct event_source pid_source; /* first: host_wake() finds the mm by it */
	struct host *host;
	pid_t pid;
	uint32_t slot;
	uint32_t demand_slot; /* mm_bus_on_demand(); 0: none */
	bool self; /* the embedded client */
	mm_at_fn *at; /* the device's own memory; NULL: a client's */
	void *at_ctx;
	bool gone; /* exited, though its owner hasn't closed it yet */
	bool reached; /* by process_vm_readv(), once */
	struct intervals shares;
	uint32_t nshares;
};

/* Pages of a client, the file that they are of, and where the device maps it. */
struct share {
	struct interval at; /* first: share_over() finds the share by it */
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
	uint32_t index;	  /* in the BAR */
	uint32_t awake;	  /* index in host->awake */
	uint8_t state;	  /* enum page_state */
	bool rung;	  /* lately */
	uint8_t strict_turns; /* a doorbell waits for the rest of its WQE */
	uint8_t patience; /* how long a released store gets the next time, log2 */
	uint64_t last;	  /* written to a BlueFlame register */
	uint64_t released; /* when a trapped store was let go */
	uint64_t expect;  /* a released store may land until then: no protection */
	uint64_t stay;	  /* its program's next store may come until then: no protection */
};

/* Where a program mapped a part of its BAR. */
struct range {
	uint64_t va, len, offset;
};

/* One address space that maps a BAR: its userfaultfd and what is mapped there. */
struct watch {
	struct event_source source; /* first, as in struct mm */
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
	uint64_t inode;	 /* of fd */
	int sched_fd;	 /* /proc/PID/schedstat, -1 */
	uint64_t waited; /* its last value; 0: unknown */
	uint8_t rang;	 /* how many more samples are taken of it */
	uint64_t clock_until; /* the clock's page is there; 0: it is a hole */
	bool refused;	 /* write-protection failed once: its pages are polled for ever */
};

/* A page of a share, and where the device maps it. */
#define IOTLB_LOG   6u
#define IOTLB_SHIFT 12u
struct iotlb {
	bus_t page;
	uint8_t *at;
};

/* What an idle loop does next (idle.c). */
enum idle_phase { IDLE_SPIN, IDLE_NAP };

struct host {
	struct host_changes changes; /* first */
	struct mm **slots; /* BUS_SLOTS of them; 0 is never given out */
	uint32_t next_slot;
	uint32_t nshares; /* of all clients */
	uint32_t ndmabufs;
	dev_t memfd_dev;		     /* pinnable.c; 0: not known yet */
	struct iotlb iotlb[1u << IOTLB_LOG]; /* pages that were reached last (dma.c) */
	void *bounce;
	int epfd;
	struct clock *clock; /* host_set_clock(); may be NULL */
	uint32_t nclocks;    /* pages with the clock that are there */
	doorbell_fn doorbell;
	void *doorbell_ctx;
	const struct strict_ops *strict; /* NULL: doorbells are not checked */
	struct bar *bars;
	struct uar_page **awake; /* the first HOT were rung last */
	uint32_t nawake, awake_cap;
	uint32_t npages; /* allocated in all BARs; awake has room for them */
	uint32_t hand;	 /* the next hot page to become cold */
	uint32_t cursor; /* the next cold page to poll */
	/* idling */
	enum idle_phase phase;
	bool rung;			  /* a register was taken since the last host_arm() */
	bool woken;			  /* a store was released */
	bool spin_paid;			  /* this spin found work */
	uint32_t spin_skip, spin_skipped; /* naps that paid before a spin is tried again */
	uint32_t nap_misses;
	uint64_t now;	/* as of the last host_arm() */
	uint64_t since; /* the phase began, or last found work */
	uint64_t aged, swept;
	/* lockstep.c */
	bool lockstep;
	struct uar_page *held; /* its program is kept in the trap */
	uint32_t held_offset;
	uint64_t held_since; /* when its doorbell was handled; 0: not yet */
	uint64_t sampled;
	uint32_t naps, naps_paid; /* since then */
	uint32_t vain;		  /* how often in a row a hold ended without an answer */
	int null_fd;		  /* for eventfd.c, as is aio */
	unsigned long aio;	  /* aio_context_t; 0: none yet */
};
_Static_assert(offsetof(struct host, changes) == 0, "dma_place_is_true() looks there");

/* idle.c: a register of this page was written. */
void page_landed(struct uar_page *, uint64_t now);

#define BUS_SLOTS    0x10000u
#define RANG_LATELY  16u
#define BOUNCE_BYTES (128u * 1024u) /* stays in the second-level cache; measured */

int host_watch_fd(struct host *, struct event_source *);
void host_unwatch_fd(struct host *, struct event_source *);

/* share.c: NULL unless all of it is in one share */
uint8_t *share_at(const struct mm *, uint64_t va, size_t len);
/* Drops the pieces in a range that the client has replaced by this mapping. */
void shares_replaced(struct mm *, const struct mapping *, uint64_t from, uint64_t end);
void shares_free(struct mm *);
/* dma.c: a share ends, or its client is gone */
void iotlb_forget(struct host *);
/* Reads a byte by the call that reaches unshared memory: 0 or its -errno. */
int mm_probe(struct mm *, uint64_t va, uint8_t *byte);
/* eventfd.c */
void eventfds_free(struct host *);
/* A descriptor of the chip's own for one of the client's; or -errno. */
int mm_take_fd(const struct mm *, int number);
/* bar.c */
int page_take(struct host *, struct uar_page *);
void page_awaken(struct uar_page *);
void page_asleep(struct uar_page *, enum page_state);
/* uffd.c: all mappings of a page. protect: 0, or -errno and it is left unprotected. */
int page_protect(struct uar_page *, bool protect);
/* idle.c: releases a page; protects those that wait for no store, and returns how many registers were taken */
void page_rings(struct uar_page *);
int arm_all(struct host *);
/* strict.c: a page is new, a doorbell was taken, whole WQEs may be in its registers */
void strict_page_clear(const struct uar_page *);
void strict_rang(const struct uar_page *, uint32_t offset, uint64_t value);
void strict_page_check(struct host *, const struct uar_page *);
/* The rest of a WQE may follow soon. */
bool strict_waits(struct uar_page *);
/* clock_page.c: a mapping of n pages holds it; the page alone is registered: 0 or -errno. */
bool clock_page_is(uint64_t first, uint64_t n);
int clock_page_register(struct watch *, uint64_t va, uint64_t n);
/* A program loads from it. */
void clock_page_fault(struct watch *, uint64_t va);
void clock_page_hide(struct bar *);
void clock_pages_turn(struct host *);
/* How long the loop may sleep while one is there. */
uint64_t clock_pages_nap(const struct host *, uint64_t ns);
/* lockstep.c */
void sched_watch(struct bar *);
void lockstep_sample(struct host *);
void page_traps(struct uar_page *, uint32_t offset);
uint64_t lockstep_turn(struct host *);
void watch_read(struct watch *);
void watch_drop(struct watch *);
/* Reading its descriptor might block. */
void watch_lost(struct watch *);

#endif
