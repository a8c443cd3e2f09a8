/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_MEM_H
#define SIM_HOST_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The memory of programs, behind PCIe. An address on the bus names a client and a byte in its
 * memory: the client's slot in bits 63:48, the virtual address below. Page lists in firmware
 * commands hold such addresses, and nothing else of a program is visible below the firmware. A
 * whole region of a client is contiguous on the bus, so page lists can use the largest pages.
 */
typedef uint64_t bus_t;
#define BUS_SLOT_SHIFT 48

struct host;
struct mm;

struct host *host_new(void);
void host_free(struct host *);

/*
 * Gives memory of the device itself a slot, so that any bus address can be in it. at() resolves an
 * address of the slot to bytes that stay until it returns NULL for them (no memory there: the
 * transfer fails). ctx is the caller's.
 */
typedef uint8_t *mm_at_fn(void *ctx, uint64_t addr, size_t len);
struct mm *mm_open_device(struct host *, mm_at_fn *, void *ctx);
/* Closes memory, of the device or of a process that is gone: later DMA to it fails with -EFAULT. */
void mm_close(struct mm *);
bus_t mm_bus(const struct mm *, uint64_t va);
/*
 * Returns the on-demand address of a client's byte: it means what the program has mapped there at
 * each access, never a piece of mm_share(), whose pages stay as pinned ones do. 0: no slot.
 */
bus_t mm_bus_on_demand(struct mm *, bus_t);

/* Returns whether the address is in a slot of mm_open_device(). */
bool dma_is_device(const struct host *, bus_t);
/* Returns whether a write there may be delayed: if it fails, its queue can report it later. */
bool dma_may_wait(const struct host *, bus_t);
/* Returns whether a transfer needs no system call: the device's own memory, or shared pages. */
bool dma_is_direct(const struct host *, bus_t, size_t len);
/*
 * Returns whether the program has died but its driver has not destroyed its objects yet. Its pages
 * are gone here, whereas the kernel keeps pinned ones until then.
 */
bool dma_is_orphan(const struct host *, bus_t);
/*
 * Returns 0 or -EFAULT; a failed transfer may have moved a part, as a failed DMA does. An aligned
 * word is read whole, old or new. A write by a system call may show the bytes behind its last 8 one
 * by one.
 */
int dma_read(struct host *, bus_t from, void *to, size_t len);
int dma_write(struct host *, bus_t to, const void *from, size_t len);
/* Returns where the device itself has these bytes, or NULL unless dma_is_direct(). */
uint8_t *dma_bytes(struct host *, bus_t, size_t);
/*
 * Stores there as dma_write() does: the last word, which programs poll, after all others. Often the
 * only work of a write. Most end at a multiple of 8.
 */
void dma_bytes_store_odd(uint8_t *at, const void *from, size_t len);
static inline void dma_bytes_store(uint8_t *at, const void *from, size_t len)
{
	const size_t first = len - sizeof(uint64_t);
	uint64_t last;

	if (len < sizeof(last) || ((uintptr_t)at + len) % sizeof(last)) {
		dma_bytes_store_odd(at, from, len);
		return;
	}
	memcpy(&last, (const uint8_t *)from + first, sizeof(last));
	if (first)
		memmove(at, from, first); /* a client may copy within one share */
	__atomic_store_n((uint64_t *)(uintptr_t)(at + first), last, __ATOMIC_RELEASE);
}
/*
 * A cache of dma_bytes() for bytes that an object accesses often, all at once. It is refreshed only
 * after a client's shared pages have changed. Zeros: empty.
 */
struct dma_place {
	uint8_t *at; /* NULL: not all of it is one piece that dma_is_direct() */
	uint64_t changes;
};
struct host_changes {	  /* first member of struct host: host.h */
	uint64_t changes; /* counts changes of shared pages, from 1 on */
};
uint8_t *dma_place_find(struct host *, struct dma_place *, bus_t, size_t);
static inline bool dma_place_is_true(const struct host *h, const struct dma_place *p)
{
	const struct host_changes *now = (const void *)h;

	return p->changes == now->changes;
}
static inline uint8_t *dma_place(struct host *h, struct dma_place *p, bus_t addr, size_t len)
{
	return dma_place_is_true(h, p) ? p->at : dma_place_find(h, p, addr, len);
}
/* Loads bytes before those that are loaded later: a ring's record comes before its WQEs. */
static inline void dma_load(void *to, const uint8_t *at, size_t len)
{
	memcpy(to, at, len);
#ifndef __SANITIZE_THREAD__ /* it knows neither fences nor stores of other processes */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}
int dma_copy(struct host *, bus_t to, bus_t from, size_t len);

struct dma_seg {
	bus_t addr;
	size_t len;
};
/* Gathers n segments into one buffer, or scatters a buffer, in as few calls as possible. */
int dma_gather(struct host *, const struct dma_seg *, unsigned int n, void *to);
int dma_scatter(struct host *, const struct dma_seg *, unsigned int n, const void *from);
/* Like dma_scatter(), but the last `ordered` segments become visible one by one, after all others. */
int dma_scatter_ordered(struct host *, const struct dma_seg *, unsigned int n, unsigned int ordered,
			const void *from);

/* An atomic of 4 or 8 bytes. Numbers are in the CPU's order. */
struct dma_atomic {
	bool add; /* otherwise compare and swap */
	uint8_t size;
	uint64_t value; /* to add, or to swap in */
	uint64_t mask;	/* bits that are swapped; add: bits whose carry is dropped */
	uint64_t compare;
	uint64_t compare_mask; /* bits that are compared */
};
/*
 * Stores the old value in *old: 0 or -EFAULT. addr is a multiple of size. It is atomic for the
 * chip's accesses, and for the program's own where dma_is_direct().
 */
int dma_atomic(struct host *, bus_t addr, const struct dma_atomic *, uint64_t *old);

#endif
