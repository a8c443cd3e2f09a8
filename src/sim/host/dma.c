/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/hostile.h"
#include "host.h"

/*
 * Client memory that is not shared (share.c) is reached only by system calls. A program may unmap
 * live rings and regions at any time (on hardware the pages are pinned), and a system call answers
 * EFAULT where a load would kill the server.
 */
#define IOV_RUN	 64u	     /* segments per call */
#define CALL_MAX (64u << 20) /* bytes per call: far below the kernel's limit */

/* Bypasses libc: sanitizers' wrappers would check a client's bytes against their own shadow. */
static ssize_t vm_call(pid_t pid, bool write, const struct iovec *local, unsigned long nlocal,
		       const struct iovec *remote, unsigned long nremote)
{
	return syscall(write ? SYS_process_vm_writev : SYS_process_vm_readv, pid, local, nlocal,
		       remote, nremote, 0ul);
}

static struct mm *mm_at(const struct host *h, bus_t addr)
{
	struct mm *mm = host_slot(h, addr);

	return mm && !mm->gone ? mm : NULL;
}

bool dma_is_device(const struct host *h, bus_t addr)
{
	const struct mm *mm = host_slot(h, addr);

	return mm && mm->at;
}

static bool is_on_demand(const struct mm *mm, bus_t addr)
{
	return addr >> BUS_SLOT_SHIFT != mm->slot;
}

bool dma_may_wait(const struct host *h, bus_t addr)
{
	const struct mm *mm = host_slot(h, addr);

	return mm && !mm->at && !is_on_demand(mm, addr);
}

bool dma_is_orphan(const struct host *h, bus_t addr)
{
	const struct mm *mm = host_slot(h, addr);

	return mm && mm->gone;
}

static void *va_at(bus_t addr)
{
	return (void *)(uintptr_t)(addr & BUS_VA_MASK);
}

/* Returns where this process reaches the bytes itself, or NULL if only system calls do. */
static uint8_t *direct_bytes(const struct mm *mm, bus_t addr, size_t len)
{
	if (mm->at)
		return mm->at(mm->at_ctx, addr & BUS_VA_MASK, len);
	if (!mm->nshares || is_on_demand(mm, addr))
		return NULL;
	return share_at(mm, addr & BUS_VA_MASK, len);
}

/* --- cache of the pages used last ------------------------------------------------------------- */

#define IOTLB_IN_PAGE ((1ull << IOTLB_SHIFT) - 1)

/* Returns a hash: a program's buffers often are a power of two apart. */
static unsigned int iotlb_index(bus_t addr)
{
	return (uint32_t)(addr >> IOTLB_SHIFT) * 0x9e3779b1u >> (32 - IOTLB_LOG);
}

static uint8_t *iotlb_find(const struct host *h, bus_t addr, size_t len)
{
	const struct iotlb *t = &h->iotlb[iotlb_index(addr)];
	const uint64_t in_page = addr & IOTLB_IN_PAGE;

	return t->page == addr >> IOTLB_SHIFT && len <= IOTLB_IN_PAGE + 1 - in_page
		       ? t->at + in_page
		       : NULL;
}

/* Caches a page. Shares consist of whole pages. The device's own memory is found by a call. */
static void iotlb_note(struct host *h, const struct mm *mm, bus_t addr, uint8_t *at)
{
	struct iotlb *t = &h->iotlb[iotlb_index(addr)];

	if (!mm->at)
		*t = (struct iotlb){addr >> IOTLB_SHIFT, at - (addr & IOTLB_IN_PAGE)};
}

bool dma_is_direct(const struct host *h, bus_t addr, size_t len)
{
	const struct mm *mm;

	if (iotlb_find(h, addr, len))
		return true;
	mm = host_slot(h, addr);
	return mm && direct_bytes(mm, addr, len);
}

/* --- calls ------------------------------------------------------------------------------------ */

static int mm_call(struct mm *mm, bool write, const struct iovec *local, unsigned int nlocal,
		   const struct iovec *remote, unsigned int nremote, size_t len)
{
	ssize_t done = vm_call(mm->pid, write, local, nlocal, remote, nremote);

	if (done == (ssize_t)len)
		return 0;
	if (done < 0 && errno == ESRCH) {
		mm->gone = true;
		iotlb_forget(mm->host);
	}
	return -EFAULT;
}

int mm_probe(struct mm *mm, uint64_t va, uint8_t *byte)
{
	const struct iovec to = {byte, 1}, from = {va_at(va), 1};

	return vm_call(mm->pid, false, &to, 1, &from, 1) == 1 ? 0 : -errno;
}

static int mm_write(struct mm *mm, void *buf, const struct iovec *remote, unsigned int n,
		    size_t len)
{
	struct iovec local = {.iov_base = buf, .iov_len = len};

	return mm_call(mm, true, &local, 1, remote, n, len);
}

/*
 * Linux copies the bytes behind a piece's last 8 one by one, so that a word which the program stores
 * meanwhile would be read half old, half new. A NIC's read never is, and a doorbell record read so
 * is far behind or ahead. Hence a short piece is read with the rest of its first and last 8 bytes.
 */
#define WORD  8u
#define SHORT 64u

/* A read of pieces; the short ones come by way of words. */
struct piece_read {
	struct iovec remote[IOV_RUN], local[IOV_RUN];
	uint8_t words[IOV_RUN][SHORT + 2 * WORD];
};

static bool piece_is_short(const struct iovec *p)
{
	return p->iov_len < SHORT && p->iov_len % WORD;
}

/* Adds piece i, which the caller wants at `to`; returns its bytes. */
static size_t piece_read_add(struct piece_read *r, unsigned int i, const struct iovec *p,
			     uint8_t *to)
{
	uint8_t *from = p->iov_base, *end = from + p->iov_len;

	if (piece_is_short(p)) {
		from -= (uintptr_t)from % WORD;
		end += -(uintptr_t)end % WORD;
		to = r->words[i];
	}
	r->remote[i] = (struct iovec){from, (size_t)(end - from)};
	r->local[i] = (struct iovec){to, (size_t)(end - from)};
	return (size_t)(end - from);
}

/* n is not 0. */
static int mm_read(struct mm *mm, uint8_t *buf, const struct iovec *remote, unsigned int n)
{
	struct piece_read r;
	uint8_t *to = buf;
	size_t len = 0;
	unsigned int i = 0;
	int err;

	do {
		len += piece_read_add(&r, i, &remote[i], to);
		to += remote[i].iov_len;
	} while (++i < n);
	err = mm_call(mm, false, r.local, n, r.remote, n, len);
	for (i = 0, to = buf; !err && i < n; to += remote[i++].iov_len)
		if (piece_is_short(&remote[i]))
			memcpy(to, r.words[i] + (uintptr_t)remote[i].iov_base % WORD,
			       remote[i].iov_len);
	return err;
}

/* A position in a list of segments. */
struct seg_walk {
	const struct dma_seg *seg, *end;
	size_t off; /* in *seg */
};

/* Collects as many segments of one client as fit in a call. Returns their bytes. */
static size_t dma_walk_run(struct seg_walk *w, struct iovec *iov, unsigned int *n)
{
	bus_t slot = w->seg->addr >> BUS_SLOT_SHIFT;
	size_t len = 0;

	for (*n = 0; w->seg < w->end && *n < IOV_RUN && len < CALL_MAX;) {
		size_t left = w->seg->len - w->off;
		size_t take = left < CALL_MAX - len ? left : CALL_MAX - len;

		if (w->seg->addr >> BUS_SLOT_SHIFT != slot)
			break;
		if (take)
			iov[(*n)++] = (struct iovec){va_at(w->seg->addr + w->off), take};
		len += take;
		w->off += take;
		if (take == left) {
			w->seg++;
			w->off = 0;
		}
	}
	return len;
}

static bool seg_fits(const struct dma_seg *seg)
{
	return seg->len <= (1ull << BUS_SLOT_SHIFT) - (seg->addr & BUS_VA_MASK);
}

static size_t tail_odd(uintptr_t end, size_t len)
{
	return len >= 4 && !(end & 3) ? 4 : len > 0;
}

/* Returns the size of a piece's last word, which is as wide as it is aligned. */
static size_t tail_of(const uint8_t *at, size_t len)
{
	uintptr_t end = (uintptr_t)at + len;

	return len >= 8 && !(end & 7) ? 8 : tail_odd(end, len);
}

void dma_bytes_store_odd(uint8_t *at, const void *from, size_t len)
{
	uintptr_t end = (uintptr_t)at + len;
	size_t tail = tail_odd(end, len);
	union {
		uint32_t u32;
		uint8_t u8;
	} last;

	memcpy(&last, (const uint8_t *)from + len - tail, tail);
	if (len > tail)
		memmove(at, from, len - tail);
	if (tail == 4)
		__atomic_store_n((uint32_t *)(end - 4), last.u32, __ATOMIC_RELEASE);
	else if (tail)
		__atomic_store_n((uint8_t *)(end - 1), last.u8, __ATOMIC_RELEASE);
}

/* Moves the bytes that can't be reached directly, and all that follow in the same client. */
static int segs_call(struct seg_walk *w, bool write, struct mm *mm, void *buf, size_t *len)
{
	struct iovec iov[IOV_RUN];
	unsigned int niov;

	*len = dma_walk_run(w, iov, &niov);
	if (!*len)
		return 0;
	if (!mm || mm->at)
		return -EFAULT;
	return write ? mm_write(mm, buf, iov, niov, *len) : mm_read(mm, buf, iov, niov);
}

static __attribute__((noinline)) uint8_t *direct_at_miss(struct host *h, bus_t addr, size_t len)
{
	const struct mm *mm = mm_at(h, addr);
	const struct dma_seg seg = {addr, len};
	uint8_t *at = mm && seg_fits(&seg) ? direct_bytes(mm, addr, len) : NULL;

	if (at)
		iotlb_note(h, mm, addr, at);
	return at;
}

static inline uint8_t *direct_at(struct host *h, bus_t addr, size_t len)
{
	uint8_t *at = iotlb_find(h, addr, len);

	return at ? at : direct_at_miss(h, addr, len);
}

static void direct_move(bool write, uint8_t *at, void *buf, size_t len)
{
	if (write)
		dma_bytes_store(at, buf, len);
	else
		dma_load(buf, at, len);
}

static int segs_move_rest(struct host *h, bool write, const struct dma_seg *segs, unsigned int n,
			  uint8_t *buf)
{
	struct seg_walk w = {.seg = segs, .end = segs + n};

	for (unsigned int i = 0; i < n; i++)
		if (!seg_fits(&segs[i]))
			return -EFAULT;
	while (w.seg < w.end) {
		uint8_t *at = w.off ? NULL : direct_at(h, w.seg->addr, w.seg->len);
		size_t len = w.seg->len;

		if (at)
			direct_move(write, at, buf, w.seg++->len);
		else if (segs_call(&w, write, mm_at(h, w.seg->addr), buf, &len))
			return -EFAULT;
		buf += len;
	}
	return 0;
}

/* Moves segments. Usually all are reached directly: a ring with its record, or steering memory. */
static int segs_move(struct host *h, bool write, const struct dma_seg *segs, unsigned int n,
		     void *buf)
{
	uint8_t *b = buf, *at;

	for (; n && (at = direct_at(h, segs->addr, segs->len)); segs++, n--) {
		direct_move(write, at, b, segs->len);
		b += segs->len;
	}
	return n ? segs_move_rest(h, write, segs, n, b) : 0;
}

int dma_gather(struct host *h, const struct dma_seg *segs, unsigned int n, void *to)
{
	return segs_move(h, false, segs, n, to);
}

int dma_scatter(struct host *h, const struct dma_seg *segs, unsigned int n, const void *from)
{
	return segs_move(h, true, segs, n, (void *)(uintptr_t)from);
}

int dma_read(struct host *h, bus_t from, void *to, size_t len)
{
	struct dma_seg seg = {.addr = from, .len = len};

	return segs_move(h, false, &seg, 1, to);
}

int dma_write(struct host *h, bus_t to, const void *from, size_t len)
{
	struct dma_seg seg = {.addr = to, .len = len};

	return segs_move(h, true, &seg, 1, (void *)(uintptr_t)from);
}

/*
 * The segments are copied one after the other. On x86-64 this also orders the kernel's copies:
 * within one segment a string copy may store in any order, but no later store passes it. Other CPUs
 * do not order them, so there each ordered segment is a separate call behind a barrier.
 */
int dma_scatter_ordered(struct host *h, const struct dma_seg *segs, unsigned int n,
			unsigned int ordered, const void *from)
{
#ifdef __x86_64__
	(void)ordered;
	return segs_move(h, true, segs, n, (void *)(uintptr_t)from);
#else
	uint8_t *at = (uint8_t *)(uintptr_t)from;
	unsigned int i, first = n - ordered;
	int err = segs_move(h, true, segs, first, at);

	for (i = 0; i < first; i++)
		at += segs[i].len;
	for (; i < n && !err; at += segs[i++].len) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		err = segs_move(h, true, &segs[i], 1, at);
	}
	return err;
#endif
}

static int copy_bounced(struct host *h, bus_t to, bus_t from, size_t len)
{
	while (len) {
		size_t n = len < BOUNCE_BYTES ? len : BOUNCE_BYTES;

		if (dma_read(h, from, h->bounce, n) || dma_write(h, to, h->bounce, n))
			return -EFAULT;
		to += n;
		from += n;
		len -= n;
	}
	return 0;
}

/* Copies from memory behind calls to memory reached directly; also stores the last word last. */
static int dma_copy_in(struct host *h, uint8_t *at, struct mm *src, bus_t from, size_t len)
{
	uint8_t last[8];
	size_t tail = tail_of(at, len), first = len > CALL_MAX ? len - CALL_MAX : 0;
	struct iovec local[2] = {{at + first, len - first - tail}, {last, tail}};
	struct iovec remote = {va_at(from + first), len - first};

	if (first && dma_read(h, from, at, first))
		return -EFAULT;
	if (mm_call(src, false, local, 2, &remote, 1, len - first))
		return -EFAULT;
	dma_bytes_store(at + len - tail, last, tail);
	return 0;
}

uint8_t *dma_bytes(struct host *h, bus_t addr, size_t len)
{
	return direct_at(h, addr, len);
}

/* The device's own memory is found by a call. */
uint8_t *dma_place_find(struct host *h, struct dma_place *p, bus_t addr, size_t len)
{
	uint8_t *at = direct_at_miss(h, addr, len);

	if (!dma_is_device(h, addr))
		*p = (struct dma_place){at, h->changes.changes};
	return at;
}

/*
 * Memory that is reached directly is the local side of the call: one copy instead of two. A fault on
 * either side is reported the same way, as memory that can fault is always in a call.
 */
int dma_copy(struct host *h, bus_t to, bus_t from, size_t len)
{
	struct dma_seg dst = {to, len}, src = {from, len};
	struct mm *dst_mm = mm_at(h, to), *src_mm = mm_at(h, from);
	uint8_t *dst_at, *src_at;

	if (!len)
		return 0;
	if (!dst_mm || !src_mm || !seg_fits(&dst) || !seg_fits(&src))
		return -EFAULT;
	dst_at = direct_bytes(dst_mm, to, len);
	src_at = direct_bytes(src_mm, from, len);
	if ((dst_mm->at && !dst_at) || (src_mm->at && !src_at))
		return -EFAULT;
	if (dst_at && src_at) {
		dma_bytes_store(dst_at, src_at, len);
		return 0;
	}
	if (dst_at)
		return dma_copy_in(h, dst_at, src_mm, from, len);
	if (src_at)
		return dma_write(h, to, src_at, len);
	return copy_bounced(h, to, from, len);
}

/* --- atomics ------------------------------------------------------------------------------- */

/* Returns the new value. Each bit of mask ends a field, whose carry is dropped. */
static uint64_t atomic_result(const struct dma_atomic *a, uint64_t old)
{
	if (!a->add)
		return (old ^ a->compare) & a->compare_mask
			       ? old
			       : (old & ~a->mask) | (a->value & a->mask);
	return ((old & ~a->mask) + (a->value & ~a->mask)) ^ ((old ^ a->value) & a->mask);
}

static uint64_t atomic_direct_4(uint32_t *at, const struct dma_atomic *a)
{
	uint32_t old = __atomic_load_n(at, __ATOMIC_SEQ_CST);

	while (!__atomic_compare_exchange_n(at, &old, (uint32_t)atomic_result(a, old), false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return old;
}

static uint64_t atomic_direct_8(uint64_t *at, const struct dma_atomic *a)
{
	uint64_t old = __atomic_load_n(at, __ATOMIC_SEQ_CST);

	while (!__atomic_compare_exchange_n(at, &old, atomic_result(a, old), false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return old;
}

/* Does an atomic behind system calls: the chip's only thread does nothing in between. */
static int atomic_by_calls(struct host *h, bus_t addr, const struct dma_atomic *a, uint64_t *old)
{
	uint64_t new;
	uint32_t word;

	if (a->size == sizeof(word)) {
		if (dma_read(h, addr, &word, sizeof(word)))
			return -EFAULT;
		*old = word;
		word = (uint32_t)atomic_result(a, *old);
		return dma_write(h, addr, &word, sizeof(word));
	}
	if (dma_read(h, addr, old, sizeof(*old)))
		return -EFAULT;
	if (hostile())
		hostile_pause();
	new = atomic_result(a, *old);
	return dma_write(h, addr, &new, sizeof(new));
}

int dma_atomic(struct host *h, bus_t addr, const struct dma_atomic *a, uint64_t *old)
{
	uint8_t *at = direct_at(h, addr, a->size);

	if (!at)
		return atomic_by_calls(h, addr, a, old);
	*old = a->size == sizeof(uint32_t) ? atomic_direct_4((uint32_t *)(uintptr_t)at, a)
					   : atomic_direct_8((uint64_t *)(uintptr_t)at, a);
	return 0;
}
