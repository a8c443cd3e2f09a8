/* SPDX-License-Identifier: BSD-2-Clause */
/* Who holds which bytes of the program's memory, and which of its pages the device shares. */
#include <errno.h>
#include <stdlib.h>
#include "uverbs.h"

#define PAGE	   4096ull
#define SHARE_MOST (16ull << 20) /* larger ones are copied for too long */

struct pin {
	LIST_ENTRY(pin) link; /* all of the file's, the newest first */
	struct pin *next;     /* of the same owner */
	struct uobj *owner;   /* NULL: what the current request makes */
	uint64_t va, len;
	uint8_t use;
	bool own; /* memory of nobody else's: mm_check() */
};

int pin_memory(struct kfile *f, uint64_t va, uint64_t len, bool write, enum pin_use use)
{
	struct pin *p;
	bool own;
	int err = mm_check(f->mm, va, len, write, &own);

	if (err)
		return err;
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = (struct pin){.va = va, .len = len, .use = (uint8_t)use, .own = own};
	LIST_INSERT_HEAD(&f->pins, p, link);
	return 0;
}

static void pin_free(struct pin *p)
{
	LIST_REMOVE(p, link);
	free(p);
}

/* Without the pins of one object, or with all of them. */
static bool is_pinned(const struct kfile *f, const struct uobj *without, uint64_t va, uint64_t len)
{
	const struct pin *p;

	LIST_FOREACH(p, &f->pins, link)
	if (!(without && p->owner == without) && va < p->va + p->len && p->va < va + len)
		return true;
	return false;
}

/* How a use's pages are shared; around: those that it lies in, too, if it doesn't begin with one. */
static const struct {
	enum kshare_what what;
	bool around;
} uses[] = {
	[PIN_DATA] = {KSHARE_DATA, true},
	[PIN_RING] = {KSHARE_RING, false},
	[PIN_RECORD] = {KSHARE_RING, true},
	[PIN_LONE_RECORD] = {KSHARE_DATA, true},
};

/* Whole pages: whoever has a ring begin with a page has the rest of its last page to himself. */
static bool pages_of(const struct pin *p, struct kshare *s)
{
	s->va = uses[p->use].around ? p->va & ~(PAGE - 1) : p->va;
	s->len = (p->va + p->len - s->va + PAGE - 1) & ~(PAGE - 1);
	s->what = uses[p->use].what;
	return p->own && !(s->va % PAGE) && s->len <= SHARE_MOST;
}

static bool asked_already(const struct kreq *req, const struct kshare *s)
{
	for (unsigned int i = 0; i < req->nshares; i++)
		if (req->shares[i].va < s->va + s->len &&
		    s->va < req->shares[i].va + req->shares[i].len)
			return true;
	return false;
}

/* While another object holds bytes there the device may be writing them, unseen by the program. */
static void ask_for(struct kfile *f, struct kreq *req, const struct pin *p)
{
	uint64_t first, len;
	struct kshare s;

	if (req->nshares < KREQ_SHARES && pages_of(p, &s) && !asked_already(req, &s) &&
	    !mm_share_over(f->mm, s.va, s.len, &first, &len) &&
	    !is_pinned(f, p->owner, s.va, s.len))
		req->shares[req->nshares++] = s;
}

static void settle_new(struct kfile *f, struct kreq *req, struct uobj *made)
{
	struct pin *p, *next;

	for (p = LIST_FIRST(&f->pins); p && !p->owner; p = next) {
		next = LIST_NEXT(p, link);
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

/* What doesn't fit into this answer comes with the next one. */
static void settle_old(struct kfile *f, struct kreq *req)
{
	uint64_t from = 0, va, len;

	f->unpinned = false;
	while (mm_share_over(f->mm, from, UINT64_MAX - from, &va, &len)) {
		from = va + len;
		if (is_pinned(f, NULL, va, len))
			continue;
		f->unpinned = req->nshares == KREQ_SHARES;
		if (f->unpinned)
			return;
		mm_unshare(f->mm, va);
		req->shares[req->nshares++] = (struct kshare){va, len, KSHARE_BACK};
	}
}

void pins_settle(struct kfile *f, struct kreq *req, struct uobj *made)
{
	const struct pin *newest = LIST_FIRST(&f->pins);

	if (f->unpinned)
		settle_old(f, req);
	if (newest && !newest->owner)
		settle_new(f, req, made);
}

void pins_drop(struct uobj *u)
{
	struct kfile *f = u->file;
	uint64_t va, len;
	struct pin *p;

	while ((p = u->pins)) {
		f->unpinned |= mm_share_over(f->mm, p->va, p->len, &va, &len);
		u->pins = p->next;
		pin_free(p);
	}
}

int kernel_share(struct kfile *f, uint64_t va, uint64_t len, int memfd)
{
	if (va + len < va || !is_pinned(f, NULL, va, len))
		return -ENOENT;
	return mm_share(f->mm, va, len, memfd);
}
