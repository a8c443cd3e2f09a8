/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_MM_H
#define SIM_HOST_MM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/*
 * The far side of PCIe. An address on the bus names a client and a byte in its memory: the
 * client's slot in bits 63:48, the virtual address below. It is what page lists in firmware
 * commands hold, and all that the device below the firmware ever sees of a program.
 * A whole region of a client is contiguous on the bus, so page lists can use the largest pages.
 */
typedef uint64_t bus_t;
#define BUS_SLOT_SHIFT 48

struct host;
struct mm;

struct host *host_new(void);
void host_free(struct host *);

/*
 * One client process. pidfd (owned by the mm from here on, -1 if none) guards against a reused
 * pid. pid == getpid() is the embedded client. NULL and errno on failure.
 */
struct mm *mm_open(struct host *, pid_t pid, int pidfd);
/* The process is gone, or has closed: every later DMA to it fails with -EFAULT. */
void mm_close(struct mm *);
bus_t mm_bus(const struct mm *, uint64_t va);
/*
 * The byte of a client's address, for regions on demand: what the program has mapped there at each
 * access, never a piece of mm_share(), whose pages stay as pinned ones do. 0: no slot is left.
 */
bus_t mm_bus_on_demand(struct mm *, bus_t);
/*
 * Memory of the device itself, in a slot of its own, so that whatever takes a bus address takes
 * it too. at() resolves an address of the slot to bytes that stay until it returns NULL for them
 * (nothing is there: the transfer fails). ctx is the caller's.
 */
typedef uint8_t *mm_at_fn(void *ctx, uint64_t addr, size_t len);
struct mm *mm_open_device(struct host *, mm_at_fn *, void *ctx);
/* The process. */
pid_t mm_pid(const struct mm *);
/* The process has CAP_NET_RAW. */
bool mm_may_net_raw(const struct mm *);
/*
 * Whether the process may have so many pages pinned: its RLIMIT_MEMLOCK, which CAP_IPC_LOCK lifts.
 * 0; -ENOMEM: the limit is lower, *limit has it in bytes; -EPERM: it is 0.
 */
int mm_may_pin(const struct mm *, uint64_t pages, uint64_t *limit);
/*
 * A descriptor of the chip's own for the client's event counter (eventfd), to be closed by the
 * caller; a negative errno: -EBADF, -EINVAL if it is none, or why the system does not give it.
 */
int mm_eventfd(struct mm *, int number);
/*
 * A descriptor of the chip's own that keeps the file behind one of the client's, and does nothing
 * else with it (O_PATH). Or -errno.
 */
int mm_hold_file(const struct mm *, int number);
/*
 * The bytes of the client's dma-buf, as memory of the device's own: an address is an offset in it.
 * -EBADF; -EINVAL: it is none; -EOPNOTSUPP: it can't be mapped.
 */
int dmabuf_open(struct mm *of, int number, struct mm **buf);
uint64_t dmabuf_len(const struct mm *buf);
void dmabuf_close(struct mm *buf);
/* Adds 1. Never blocks: a counter that is full stays so. */
void eventfd_raise(struct host *, int fd);
/* Two clients are one process. */
bool mm_same_process(const struct mm *, const struct mm *);

/*
 * From here on the device reaches these pages of the client through a mapping of its own: the
 * client has put them on this memfd (the caller's, sealed against shrinking), from its first byte
 * on. Anything that isn't wholly in one such piece still goes by system calls: both see the same
 * bytes. -EINVAL: not whole pages, or too many; -EEXIST: some are shared already; -EPERM: no such
 * memfd, or not all of its pages are there; -ENOSPC, -ENOMEM.
 */
int mm_share(struct mm *, uint64_t va, uint64_t len, int memfd);
/* Drops the piece that begins at va. */
void mm_unshare(struct mm *, uint64_t va);
/* Pieces count who holds bytes of them: `by` is added to each that overlaps a range. */
void mm_share_hold(struct mm *, uint64_t va, uint64_t len, int by);
/* The first piece that overlaps a range; idle: only one without holders. false: there is none. */
bool mm_share_over(const struct mm *, uint64_t va, uint64_t len, bool idle, uint64_t *first,
		   uint64_t *bytes);

/* Why bytes of a client can't be pinned: an errno, and the rest of a sentence. err 0: they can. */
struct unpinnable {
	int err;
	const char *why;
};

/*
 * The mappings of a client, read once for a request: reading may take milliseconds. NULL: they
 * can't be read, or there is no memory.
 */
struct mappings;
struct mappings *mappings_read(struct mm *, struct unpinnable *);
void mappings_free(struct mappings *);
enum mappings_need {
	MAPPINGS_READ = 0,
	MAPPINGS_WRITE = 1 << 0,
	MAPPINGS_LONG = 1 << 1, /* pinned until an object's end, not for the request only */
};
/*
 * Whether all bytes can be pinned. need: enum mappings_need. own: whether all of it is writable
 * memory of the client alone: of no file, not shared, no stack. May be NULL.
 */
struct unpinnable mappings_check(struct mappings *, uint64_t va, uint64_t len, unsigned int need,
				 bool *own);
/*
 * Drops the pieces in a range that the client has replaced by other memory: the address means the
 * new memory from here on.
 */
void mm_unshare_replaced(struct mappings *, uint64_t va, uint64_t len);

/* The address is in a slot of mm_open_device(). */
bool dma_is_device(const struct host *, bus_t);
/* A write there may be held back: if it fails, the queue that made it can be told later. */
bool dma_may_wait(const struct host *, bus_t);
/* A transfer there is no system call: the device's own memory, or pages that are shared. */
bool dma_is_direct(const struct host *, bus_t, size_t len);
/*
 * The program behind the address has died, and its driver has not destroyed its objects yet: its
 * pages are gone here, whereas the kernel keeps pinned ones until then.
 */
bool dma_is_orphan(const struct host *, bus_t);
/* 0 or -EFAULT; a failed transfer may have moved a part, as a failed DMA does. */
int dma_read(struct host *, bus_t from, void *to, size_t len);
int dma_write(struct host *, bus_t to, const void *from, size_t len);
/* Where the device itself has bytes that dma_is_direct(); NULL: they are not. */
uint8_t *dma_bytes(struct host *, bus_t, size_t);
/* Stores there as dma_write() does: the last word last. Often that is all. */
void dma_bytes_store_all(uint8_t *at, const void *from, size_t len);
static inline void dma_bytes_store(uint8_t *at, const void *from, size_t len)
{
	uint64_t word;

	if (len != sizeof(word) || (uintptr_t)at % sizeof(word)) {
		dma_bytes_store_all(at, from, len);
		return;
	}
	memcpy(&word, from, sizeof(word));
	__atomic_store_n((uint64_t *)(uintptr_t)at, word, __ATOMIC_RELEASE);
}
/*
 * The same for bytes that an object reaches again and again, all of them at once: found anew only
 * after pages of some client are shared or are not any more. Zeros: not looked for yet.
 */
struct dma_place {
	uint8_t *at; /* NULL: not all of it is one piece that dma_is_direct() */
	uint64_t changes;
};
struct host_changes {	  /* struct host begins with it: host.h */
	uint64_t changes; /* of what is shared, from 1 on */
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
/* Bytes there, before those that are loaded later: a ring's record comes before its WQEs. */
static inline void dma_load(void *to, const uint8_t *at, size_t len)
{
	memcpy(to, at, len);
#ifndef __SANITIZE_THREAD__ /* knows no fences, nor what other processes store */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}
int dma_copy(struct host *, bus_t to, bus_t from, size_t len);

struct dma_seg {
	bus_t addr;
	size_t len;
};
/* Gather n segments into one buffer, or scatter one buffer over them, in as few calls as can be. */
int dma_gather(struct host *, const struct dma_seg *, unsigned int n, void *to);
int dma_scatter(struct host *, const struct dma_seg *, unsigned int n, const void *from);
/* The same; the last `ordered` segments become visible one after the other, after all the others.
 */
int dma_scatter_ordered(struct host *, const struct dma_seg *, unsigned int n, unsigned int ordered,
			const void *from);

/* An atomic of 4 or 8 bytes. Numbers are as the CPU has them. */
struct dma_atomic {
	bool add; /* else compare and swap */
	uint8_t size;
	uint64_t value; /* to add, or to swap in */
	uint64_t mask;	/* which bits are swapped; add: bits whose carry is lost */
	uint64_t compare;
	uint64_t compare_mask; /* which bits are compared */
};
/*
 * 0 and what was there before, or -EFAULT. addr is a multiple of size. Nothing that the chip does
 * comes between; what the program itself does neither, where dma_is_direct().
 */
int dma_atomic(struct host *, bus_t addr, const struct dma_atomic *, uint64_t *old);

#endif
