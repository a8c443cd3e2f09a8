/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records which objects hold which bytes of the program's memory, and which pages the device
 * shares.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/hostile.h"
#include "pins.h"
#include "obj/device.h"

#define PAGE 4096ull

struct pin {
	struct interval at;	  /* in file->pins; must be the first member */
	struct pin *next;	  /* next of the owner */
	struct uobj *owner;	  /* NULL while the request runs */
	struct uverbs_file *file; /* file or guest whose memory it is */
	uint64_t locked;	  /* pages that count for RLIMIT_MEMLOCK */
	uint8_t use;
	bool own; /* private memory, see mappings_check() */
};

/* Pages that the device no longer shares, which an answer has yet to report to the program. */
struct released_pages {
	LIST_ENTRY(released_pages) link;
	uint64_t va, len;
	bool late; /* did not fit into the answer of the request that released it */
};

/* Returns the next file of f's process, which may have several. o is NULL for the first. */
static struct uverbs_file *pins_next_file(const struct uverbs_file *f, struct uverbs_file *o)
{
	o = o ? o->next : f->k->files;
	while (o && !mm_same_process(o->mm, f->mm))
		o = o->next;
	return o;
}

static void pins_hold(struct uverbs_file *f, uint64_t va, uint64_t len, int by)
{
	for (struct uverbs_file *o = NULL; (o = pins_next_file(f, o));)
		mm_share_hold(o->mm, va, len, by);
}

/* Checks the mappings of a range. They are read once for each request. */
static struct unpinnable pins_check(struct uverbs_file *f, const struct pin_range *r, bool *own)
{
	const unsigned int need = (r->write ? MAPPINGS_WRITE : MAPPINGS_READ) |
				  (r->use == PIN_PASSING ? 0 : MAPPINGS_LONG);
	struct unpinnable no = {0};

	if (!f->mappings)
		f->mappings = mappings_read(f->mm, &no);
	if (f->mappings)
		no = mappings_check(f->mappings, r->va, r->len, need, own);
	if (!no.err)
		mm_unshare_replaced(f->mappings, r->va, r->len);
	return no;
}

static int pins_refuse(const struct pin_range *r, const struct unpinnable *no)
{
	return refuse(no->err, "%s: %s%s[0x%" PRIx64 ", +%" PRIu64 ") %s", r->method,
		      r->name ? r->name : "", r->name ? " " : "", r->va, r->len, no->why);
}

/* Returns a doorbell record, other than `but`, in the page of va, or NULL. */
static struct pin *pins_record(const struct uverbs_file *f, uint64_t va, const struct pin *but)
{
	const uint64_t page = va & ~(PAGE - 1);
	struct interval *at = NULL;

	while ((at = intervals_over(&f->pins, page, page + PAGE, at)))
		if ((struct pin *)at != but && ((struct pin *)at)->use == PIN_RECORD)
			return (struct pin *)at;
	return NULL;
}

/* Counts pages as ib_umem_get() does. mlx5_ib pins a page of records once for each file. */
static uint64_t pins_pages(const struct uverbs_file *f, uint64_t va, uint64_t len, enum pin_use use)
{
	if (use == PIN_PASSING || (use == PIN_RECORD && pins_record(f, va, NULL)))
		return 0;
	return (va + len + PAGE - 1) / PAGE - va / PAGE;
}

/* Checks RLIMIT_MEMLOCK, for which the pages of all files of the process count. */
static int pins_check_limit(const struct uverbs_file *f, uint64_t pages)
{
	const uint64_t kib = PAGE / 1024;
	uint64_t locked = 0, limit;
	int err;

	if (!pages || !f->k->dev->profile->memlock)
		return 0;
	for (struct uverbs_file *o = NULL; (o = pins_next_file(f, o));)
		locked += o->locked;
	err = mm_may_pin(f->mm, locked + pages, &limit);
	if (!err)
		return 0;
	return refuse(err,
		      "RLIMIT_MEMLOCK is %" PRIu64 " KiB: the process has %" PRIu64
		      " KiB pinned, can't pin %" PRIu64
		      " KiB more, and has no CAP_IPC_LOCK (ulimit -l unlimited; for good: dvx-info "
		      "doctor; only here: dvx-sim --set memlock=0)",
		      limit / 1024, locked * kib, pages * kib);
}

int pin_memory(struct uverbs_file *f, const struct pin_range *r)
{
	struct uverbs_file *m = file_memory(f);
	const uint64_t pages = pins_pages(m, r->va, r->len, r->use);
	struct unpinnable no;
	struct pin *p;
	bool own;
	int err = pins_check_limit(m, pages);

	if (err)
		return err;
	no = pins_check(m, r, &own);
	if (no.err)
		return pins_refuse(r, &no);
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = (struct pin){.at = {r->va, r->va + r->len},
			  .next = f->new_pins,
			  .file = m,
			  .locked = pages,
			  .use = (uint8_t)r->use,
			  .own = own};
	f->new_pins = p;
	m->locked += pages;
	intervals_add(&m->pins, &p->at);
	pins_hold(m, r->va, r->len, 1);
	return 0;
}

/* Releases shared pages that no object holds any more. Without memory they stay shared. */
static void pins_release_pages(struct uverbs_file *f, uint64_t from, uint64_t bytes)
{
	struct released_pages *b;
	uint64_t va, len;

	while (mm_share_over(f->mm, from, bytes, true, &va, &len)) {
		b = malloc(sizeof(*b));
		if (!b)
			return;
		mm_unshare(f->mm, va);
		*b = (struct released_pages){.va = va, .len = len, .late = false};
		LIST_INSERT_HEAD(&f->released, b, link);
	}
}

static uint64_t pin_len(const struct pin *p)
{
	return p->at.end - p->at.from;
}

/* Uncounts p's pages. A page that has other records stays pinned, and one of these counts it. */
static void pins_uncount(struct pin *p)
{
	struct pin *other =
		p->locked && p->use == PIN_RECORD ? pins_record(p->file, p->at.from, p) : NULL;

	if (other)
		other->locked = p->locked;
	else
		p->file->locked -= p->locked;
}

static void pin_free(struct pin *p)
{
	struct uverbs_file *f = p->file;

	pins_uncount(p);
	pins_hold(f, p->at.from, pin_len(p), -1);
	for (struct uverbs_file *o = NULL; (o = pins_next_file(f, o));)
		pins_release_pages(o, p->at.from, pin_len(p));
	intervals_remove(&f->pins, &p->at);
	free(p);
}

/* Returns the pin after `after` that overlaps a range, or NULL. after is NULL for the first. */
static const struct pin *pins_next_over(const struct uverbs_file *f, uint64_t va, uint64_t len,
					const struct pin *after)
{
	return (const struct pin *)intervals_over(&f->pins, va, va + len,
						  after ? &after->at : NULL);
}

/* Returns whether objects of this file, other than `but`, hold bytes of the range. */
static bool pins_in_file(const struct uverbs_file *f, const struct uobj *but, uint64_t va,
			 uint64_t len)
{
	const struct pin *p = NULL;

	while ((p = pins_next_over(f, va, len, p)) && but && p->owner == but)
		;
	return p;
}

/* Returns whether objects of the process's other files hold bytes of the range. */
static bool pins_in_other_files(const struct uverbs_file *f, uint64_t va, uint64_t len)
{
	for (struct uverbs_file *o = NULL; (o = pins_next_file(f, o));)
		if (o != f && pins_in_file(o, NULL, va, len))
			return true;
	return false;
}

static bool pins_in_process(const struct uverbs_file *f, const struct uobj *but, uint64_t va,
			    uint64_t len)
{
	return pins_in_file(f, but, va, len) || pins_in_other_files(f, va, len);
}

/* Counts the pins of the process that overlap a range; a newly shared page has few. */
static int pins_count_over(const struct uverbs_file *f, uint64_t va, uint64_t len)
{
	int n = 0;

	for (struct uverbs_file *o = NULL; (o = pins_next_file(f, o));)
		for (const struct pin *p = NULL; (p = pins_next_over(o, va, len, p));)
			n++;
	return n;
}

/* How each use shares its pages. around: includes a first page of which it has only a part. */
static const struct {
	enum uverbs_share_what what;
	bool around;
} pin_uses[] = {
	[PIN_DATA] = {UVERBS_SHARE_DATA, true},	   [PIN_RING] = {UVERBS_SHARE_RING, false},
	[PIN_RECORD] = {UVERBS_SHARE_RING, true},  [PIN_LONE_RECORD] = {UVERBS_SHARE_DATA, true},
	[PIN_PASSING] = {UVERBS_SHARE_DATA, true},
};

/*
 * Computes the whole pages that a pin would share; false: none. A ring that begins with a page owns
 * the rest of its last page, too. A umem counts as a ring, unless it is too long for one.
 */
static bool pin_shareable_pages(const struct pin *p, struct uverbs_share *s)
{
	s->va = pin_uses[p->use].around ? p->at.from & ~(PAGE - 1) : p->at.from;
	s->len = (p->at.end - s->va + PAGE - 1) & ~(PAGE - 1);
	s->what = s->len > UVERBS_SHARE_RING_MOST ? UVERBS_SHARE_DATA : pin_uses[p->use].what;
	return p->own && !(s->va % PAGE);
}

static bool share_is_requested(const struct uverbs_request *req, const struct uverbs_share *s)
{
	for (unsigned int i = 0; i < req->nshares; i++)
		if (req->shares[i].va < s->va + s->len &&
		    s->va < req->shares[i].va + req->shares[i].len)
			return true;
	return false;
}

/*
 * Asks the program to share the pages of a pin. Not while another object holds bytes of them: the
 * device may still write to the old pages, which the program would not see.
 */
static void pin_request_share(struct uverbs_file *f, struct uverbs_request *req,
			      const struct pin *p)
{
	uint64_t first, len;
	struct uverbs_share s;

	/* A guest's pages are not shared; and a hostile device reaches memory by calls only. */
	if (p->file != f || hostile())
		return;
	if (req->nshares < UVERBS_REQUEST_SHARES && pin_shareable_pages(p, &s) &&
	    !share_is_requested(req, &s) &&
	    !mm_share_over(f->mm, s.va, s.len, false, &first, &len) &&
	    !pins_in_process(f, p->owner, s.va, s.len))
		req->shares[req->nshares++] = s;
}

static void pins_settle_new(struct uverbs_file *f, struct uverbs_request *req, struct uobj *made)
{
	struct pin *p;

	while ((p = f->new_pins)) {
		f->new_pins = p->next;
		if (!made) {
			pin_free(p);
			continue;
		}
		p->owner = made;
		p->next = made->pins;
		made->pins = p;
	}
	for (p = made ? made->pins : NULL; p; p = p->next)
		pin_request_share(f, req, p);
}

/*
 * Reports released pages in this answer, as many as fit, else in a later one. Pages that an object
 * holds again by then wait until it goes.
 */
static void pins_report_released(struct uverbs_file *f, struct uverbs_request *req)
{
	struct released_pages *b, *next;

	for (b = LIST_FIRST(&f->released); b; b = next) {
		next = LIST_NEXT(b, link);
		if (req->nshares == UVERBS_REQUEST_SHARES ||
		    (b->late && pins_in_process(f, NULL, b->va, b->len))) {
			b->late = true;
			continue;
		}
		req->shares[req->nshares++] =
			(struct uverbs_share){b->va, b->len, UVERBS_SHARE_BACK};
		LIST_REMOVE(b, link);
		free(b);
	}
}

static struct pin *pins_take_ring(struct uobj *u)
{
	struct pin **at = &u->pins, *p;

	while ((p = *at) && p->use != PIN_RING)
		at = &p->next;
	if (p)
		*at = p->next;
	return p;
}

void pins_replace_ring(struct uobj *u)
{
	struct pin *p;

	while ((p = pins_take_ring(u)))
		pin_free(p);
	u->file->holder = u;
}

void pins_settle(struct uverbs_file *f, struct uverbs_request *req, struct uobj *made)
{
	struct uverbs_file *m = file_memory(f);

	mappings_free(m->mappings);
	m->mappings = NULL;
	pins_report_released(m, req);
	pins_settle_new(f, req, made);
}

void pins_drop(struct uobj *u)
{
	struct pin *p;

	while ((p = u->pins)) {
		u->pins = p->next;
		pin_free(p);
	}
}

bool pins_any(const struct uverbs_file *f)
{
	return pins_next_over(f, 0, UINT64_MAX, NULL);
}

void pins_free(struct uverbs_file *f)
{
	struct released_pages *b;

	while ((b = LIST_FIRST(&f->released))) {
		LIST_REMOVE(b, link);
		free(b);
	}
}

int pins_share(struct uverbs_file *f, uint64_t va, uint64_t len, int memfd)
{
	int err = va + len < va || !pins_in_file(f, NULL, va, len) ? -ENOENT : 0;

	if (!err)
		err = mm_share(f->mm, va, len, memfd);
	if (!err)
		mm_share_hold(f->mm, va, len, pins_count_over(f, va, len));
	return err;
}

bool pins_shared_in_use(const struct uverbs_file *f)
{
	uint64_t from = 0, va, len;
	const struct released_pages *b;

	LIST_FOREACH(b, &f->released, link)
	if (pins_in_other_files(f, b->va, b->len))
		return true;
	for (; mm_share_over(f->mm, from, UINT64_MAX - from, false, &va, &len); from = va + len)
		if (pins_in_other_files(f, va, len))
			return true;
	return false;
}

/* --- dma-bufs ------------------------------------------------------------------------------- */

/* Logs a refusal, except for descriptor -1: programs use it to probe whether dma-bufs work. */
static int dmabuf_refuse(int err, int number)
{
	if (number == -1)
		return err;
	switch (err) {
	case -EINVAL:
		return refuse(err,
			      "FD: %d is no dma-buf (a memfd becomes one by /dev/udmabuf, where "
			      "the kernel has it)",
			      number);
	case -EOPNOTSUPP:
		return refuse(err,
			      "FD: the dma-buf %d can't be mapped: this device does not reach it",
			      number);
	default:
		return refuse(err, "FD: the dma-buf %d can't be had from the program: %s", number,
			      strerror(-err));
	}
}

int file_dmabuf(struct uverbs_file *f, int number, uint64_t offset, uint64_t len, struct mm **buf)
{
	int err = dmabuf_open(file_mm(f), number, buf);

	if (err)
		return dmabuf_refuse(err, number);
	if (len && len <= dmabuf_len(*buf) && offset <= dmabuf_len(*buf) - len)
		return 0;
	err = refuse(-EINVAL, "[%llu, +%llu) is empty, or not in the dma-buf %d of %llu bytes",
		     (unsigned long long)offset, (unsigned long long)len, number,
		     (unsigned long long)dmabuf_len(*buf));
	dmabuf_close(*buf);
	return err;
}
