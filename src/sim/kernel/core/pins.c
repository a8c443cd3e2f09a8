/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which objects hold which bytes of the program's memory, and which of its pages the device shares.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "pins.h"
#include "obj/device.h"

#define PAGE 4096ull

struct pin {
	struct interval at; /* first: among all of the file's */
	struct pin *next;   /* of the same owner */
	struct uobj *owner; /* NULL: what the current request makes */
	struct uverbs_file *file; /* of the process whose memory it is */
	uint64_t locked; /* pages that it counts for RLIMIT_MEMLOCK */
	uint8_t use;
	bool own; /* a mapping of its own: mappings_check() */
};

/* Pages that the device has released and the program has not been told of yet. */
struct back {
	LIST_ENTRY(back) link;
	uint64_t va, len;
	bool late; /* it did not fit into the answer of the request that released it */
};

/* A process may have the device open more than once. NULL to begin with. */
static struct uverbs_file *next_of_process(const struct uverbs_file *f, struct uverbs_file *o)
{
	o = o ? o->next : f->k->files;
	while (o && !mm_same_process(o->mm, f->mm))
		o = o->next;
	return o;
}

static void pins_hold(struct uverbs_file *f, uint64_t va, uint64_t len, int by)
{
	for (struct uverbs_file *o = NULL; (o = next_of_process(f, o));)
		mm_share_hold(o->mm, va, len, by);
}

/* The mappings are read once for each request. */
static struct unpinnable pins_check(struct uverbs_file *f, const struct pin_range *r, bool *own)
{
	const unsigned int need = (r->write ? MAPPINGS_WRITE : MAPPINGS_READ) |
				  (r->use == PIN_PASSING ? 0 : MAPPINGS_LONG);
	struct unpinnable no = {0};

	if (!f->look)
		f->look = mappings_read(f->mm, &no);
	if (f->look)
		no = mappings_check(f->look, r->va, r->len, need, own);
	if (!no.err)
		mm_unshare_replaced(f->look, r->va, r->len);
	return no;
}

static int pins_refuse(const struct pin_range *r, const struct unpinnable *no)
{
	return refuse(no->err, "%s: %s%s[0x%" PRIx64 ", +%" PRIu64 ") %s", r->method,
		      r->name ? r->name : "", r->name ? " " : "", r->va, r->len, no->why);
}

/* A record of this file in the page of va; not `but`. */
static struct pin *pins_record(const struct uverbs_file *f, uint64_t va, const struct pin *but)
{
	const uint64_t page = va & ~(PAGE - 1);
	struct interval *at = NULL;

	while ((at = intervals_over(&f->pins, page, page + PAGE, at)))
		if ((struct pin *)at != but && ((struct pin *)at)->use == PIN_RECORD)
			return (struct pin *)at;
	return NULL;
}

/* As ib_umem_get() counts. mlx5_ib pins a page of records once for each file. */
static uint64_t pins_pages(const struct uverbs_file *f, uint64_t va, uint64_t len, enum pin_use use)
{
	if (use == PIN_PASSING || (use == PIN_RECORD && pins_record(f, va, NULL)))
		return 0;
	return (va + len + PAGE - 1) / PAGE - va / PAGE;
}

/* Pinned pages count for the process, by whatever file they are pinned. */
static int pins_may(const struct uverbs_file *f, uint64_t pages)
{
	const uint64_t kib = PAGE / 1024;
	uint64_t locked = 0, limit;
	int err;

	if (!pages || !f->k->dev->profile->memlock)
		return 0;
	for (struct uverbs_file *o = NULL; (o = next_of_process(f, o));)
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
	int err = pins_may(m, pages);

	if (err)
		return err;
	no = pins_check(m, r, &own);
	if (no.err)
		return pins_refuse(r, &no);
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = (struct pin){.at = {r->va, r->va + r->len},
			  .next = f->fresh,
			  .file = m,
			  .locked = pages,
			  .use = (uint8_t)r->use,
			  .own = own};
	f->fresh = p;
	m->locked += pages;
	intervals_add(&m->pins, &p->at);
	pins_hold(m, r->va, r->len, 1);
	return 0;
}

/* Pages that no object holds any more go back; if memory is short, they stay shared. */
static void let_go(struct uverbs_file *f, uint64_t from, uint64_t bytes)
{
	struct back *b;
	uint64_t va, len;

	while (mm_share_over(f->mm, from, bytes, true, &va, &len)) {
		b = malloc(sizeof(*b));
		if (!b)
			return;
		mm_unshare(f->mm, va);
		*b = (struct back){.va = va, .len = len, .late = false};
		LIST_INSERT_HEAD(&f->backs, b, link);
	}
}

static uint64_t pin_len(const struct pin *p)
{
	return p->at.end - p->at.from;
}

/* The page of a record stays pinned for the others in it: one of them counts it from now on. */
static void pins_uncount(struct pin *p)
{
	struct pin *heir =
		p->locked && p->use == PIN_RECORD ? pins_record(p->file, p->at.from, p) : NULL;

	if (heir)
		heir->locked = p->locked;
	else
		p->file->locked -= p->locked;
}

static void pin_free(struct pin *p)
{
	struct uverbs_file *f = p->file;

	pins_uncount(p);
	pins_hold(f, p->at.from, pin_len(p), -1);
	for (struct uverbs_file *o = NULL; (o = next_of_process(f, o));)
		let_go(o, p->at.from, pin_len(p));
	intervals_remove(&f->pins, &p->at);
	free(p);
}

/* The next pin of this file that overlaps a range; NULL: the first, and none. */
static const struct pin *pin_over(const struct uverbs_file *f, uint64_t va, uint64_t len,
				  const struct pin *after)
{
	return (const struct pin *)intervals_over(&f->pins, va, va + len,
						  after ? &after->at : NULL);
}

/* Whether objects of this file hold them, this one excepted, which has few pins. */
static bool pinned_here(const struct uverbs_file *f, const struct uobj *but, uint64_t va,
			uint64_t len)
{
	const struct pin *p = NULL;

	while ((p = pin_over(f, va, len, p)) && but && p->owner == but)
		;
	return p;
}

/* The same for the other files of the process. */
static bool pinned_elsewhere(const struct uverbs_file *f, uint64_t va, uint64_t len)
{
	for (struct uverbs_file *o = NULL; (o = next_of_process(f, o));)
		if (o != f && pinned_here(o, NULL, va, len))
			return true;
	return false;
}

static bool pinned(const struct uverbs_file *f, const struct uobj *but, uint64_t va, uint64_t len)
{
	return pinned_here(f, but, va, len) || pinned_elsewhere(f, va, len);
}

/* How many do; a page that was just asked for has few. */
static int pins_over(const struct uverbs_file *f, uint64_t va, uint64_t len)
{
	int n = 0;

	for (struct uverbs_file *o = NULL; (o = next_of_process(f, o));)
		for (const struct pin *p = NULL; (p = pin_over(o, va, len, p));)
			n++;
	return n;
}

/* Which pages a use shares; around: also the page that it begins in the middle of. */
static const struct {
	enum uverbs_share_what what;
	bool around;
} uses[] = {
	[PIN_DATA] = {UVERBS_SHARE_DATA, true},
	[PIN_RING] = {UVERBS_SHARE_RING, false},
	[PIN_RECORD] = {UVERBS_SHARE_RING, true},
	[PIN_LONE_RECORD] = {UVERBS_SHARE_DATA, true},
	[PIN_PASSING] = {UVERBS_SHARE_DATA, true},
};

/*
 * Whole pages: a ring that begins with a page owns the rest of its last page, too. A umem is taken
 * for a ring's memory; what is so long is a region.
 */
static bool pages_of(const struct pin *p, struct uverbs_share *s)
{
	s->va = uses[p->use].around ? p->at.from & ~(PAGE - 1) : p->at.from;
	s->len = (p->at.end - s->va + PAGE - 1) & ~(PAGE - 1);
	s->what = s->len > UVERBS_SHARE_RING_MOST ? UVERBS_SHARE_DATA : uses[p->use].what;
	return p->own && !(s->va % PAGE);
}

static bool asked_already(const struct uverbs_request *req, const struct uverbs_share *s)
{
	for (unsigned int i = 0; i < req->nshares; i++)
		if (req->shares[i].va < s->va + s->len &&
		    s->va < req->shares[i].va + req->shares[i].len)
			return true;
	return false;
}

/*
 * While another object holds bytes there, the device may write to the old pages, and the program
 * would not see it.
 */
static void ask_for(struct uverbs_file *f, struct uverbs_request *req, const struct pin *p)
{
	uint64_t first, len;
	struct uverbs_share s;

	if (p->file != f) /* a guest's pages stay where they are */
		return;
	if (req->nshares < UVERBS_REQUEST_SHARES && pages_of(p, &s) && !asked_already(req, &s) &&
	    !mm_share_over(f->mm, s.va, s.len, false, &first, &len) &&
	    !pinned(f, p->owner, s.va, s.len))
		req->shares[req->nshares++] = s;
}

static void settle_new(struct uverbs_file *f, struct uverbs_request *req, struct uobj *made)
{
	struct pin *p;

	while ((p = f->fresh)) {
		f->fresh = p->next;
		if (!made) {
			pin_free(p);
			continue;
		}
		p->owner = made;
		p->next = made->pins;
		made->pins = p;
	}
	for (p = made ? made->pins : NULL; p; p = p->next)
		ask_for(f, req, p);
}

/*
 * What does not fit into this answer goes into a later one. Pages that have a new holder by then
 * wait for its end.
 */
static void settle_old(struct uverbs_file *f, struct uverbs_request *req)
{
	struct back *b, *next;

	for (b = LIST_FIRST(&f->backs); b; b = next) {
		next = LIST_NEXT(b, link);
		if (req->nshares == UVERBS_REQUEST_SHARES || (b->late && pinned(f, NULL, b->va, b->len))) {
			b->late = true;
			continue;
		}
		req->shares[req->nshares++] = (struct uverbs_share){b->va, b->len, UVERBS_SHARE_BACK};
		LIST_REMOVE(b, link);
		free(b);
	}
}

static struct pin *take_ring(struct uobj *u)
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

	while ((p = take_ring(u)))
		pin_free(p);
	u->file->holder = u;
}

void pins_settle(struct uverbs_file *f, struct uverbs_request *req, struct uobj *made)
{
	struct uverbs_file *m = file_memory(f);

	mappings_free(m->look);
	m->look = NULL;
	settle_old(m, req);
	settle_new(f, req, made);
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
	return pin_over(f, 0, UINT64_MAX, NULL);
}

void pins_free(struct uverbs_file *f)
{
	struct back *b;

	while ((b = LIST_FIRST(&f->backs))) {
		LIST_REMOVE(b, link);
		free(b);
	}
}

int pins_share(struct uverbs_file *f, uint64_t va, uint64_t len, int memfd)
{
	int err = va + len < va || !pinned_here(f, NULL, va, len) ? -ENOENT : 0;

	if (!err)
		err = mm_share(f->mm, va, len, memfd);
	if (!err)
		mm_share_hold(f->mm, va, len, pins_over(f, va, len));
	return err;
}

bool pins_shared_in_use(const struct uverbs_file *f)
{
	uint64_t from = 0, va, len;
	const struct back *b;

	LIST_FOREACH(b, &f->backs, link)
	if (pinned_elsewhere(f, b->va, b->len))
		return true;
	for (; mm_share_over(f->mm, from, UINT64_MAX - from, false, &va, &len); from = va + len)
		if (pinned_elsewhere(f, va, len))
			return true;
	return false;
}
