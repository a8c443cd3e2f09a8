/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_HOST_H
#define SIM_HOST_HOST_H

/* Private to the host folder: what memory (mem.h) and UAR pages (bar.h) have in common. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>
#include "base/intervals.h"
#include "client.h"
#include "uar.h"

struct bar;
struct mapping;
struct uar_page;

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
	uint32_t slots_end;	     /* slots from here on have never been used */
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

#define BUS_SLOTS    0x10000u
#define BUS_VA_MASK  ((1ull << BUS_SLOT_SHIFT) - 1)
#define BOUNCE_BYTES (128u * 1024u) /* fits into the second-level cache; measured */

static inline struct mm *host_slot(const struct host *h, bus_t addr)
{
	return h->slots[addr >> BUS_SLOT_SHIFT];
}

static inline int host_watch_fd(struct host *h, struct event_source *s)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = s};

	return epoll_ctl(h->epfd, EPOLL_CTL_ADD, s->fd, &ev) ? -errno : 0;
}

static inline void host_unwatch_fd(struct host *h, struct event_source *s)
{
	if (s->fd < 0)
		return;
	epoll_ctl(h->epfd, EPOLL_CTL_DEL, s->fd, NULL);
	close(s->fd);
	s->fd = -1;
}

/* Forgets all translations: a share ends, or its client is gone. */
static inline void iotlb_forget(struct host *h)
{
	memset(h->iotlb, 0xff, sizeof(h->iotlb)); /* no page has this number */
	h->changes.changes++;
}

/* share.c: NULL unless one share has all of it */
uint8_t *share_at(const struct mm *, uint64_t va, size_t len);
/* Drops the pieces in a range that the client has replaced by this mapping. */
void shares_replaced(struct mm *, const struct mapping *, uint64_t from, uint64_t end);
void shares_free(struct mm *);
/* Reads a byte by the call that reaches unshared memory. Returns 0 or its -errno. */
int mm_probe(struct mm *, uint64_t va, uint8_t *byte);
/* eventfd.c */
void eventfds_free(struct host *);
/* Returns the chip's own descriptor for one of the client's, or -errno. */
int mm_take_fd(const struct mm *, int number);

#endif
