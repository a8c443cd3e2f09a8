/* SPDX-License-Identifier: BSD-2-Clause */
#include "share.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/maps.h"
#include "uverbs/request.h"
#include "client.h"
#include "madvise.h"
#include "page_move.h"
#include "real.h"

#define PAGE	   4096u
#define PIECES	   MADVISE_PIECES
#define DATA_ALL   (16u << 20)	/* no region is shared beyond this sum */
#define STACK_NEAR (256u << 10) /* what this thread may use of its stack during a move */

/* Memory of the program that lies on a memfd. */
static struct shared_piece {
	struct cfile *file; /* NULL: free */
	uint64_t inode, va, len;
	dev_t dev;
	bool data, ends, stuck, seen;
} pieces[PIECES];
static unsigned int pieces_end; /* slots from here on were never used */

static struct maps maps;    /* not on the stack: a program's may be small */
static struct cfile orphans; /* owner of pieces that could not become private again; fork children
			       get copies of them */

/* Held from a request until its answer is carried out. ThreadSanitizer sees libc's mutex. */
static struct ticket_lock lock;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

void share_lock(struct lock_saved *held)
{
	ticket_lock(&lock, held);
	pthread_mutex_lock(&order);
}

void share_unlock(const struct lock_saved *held)
{
	pthread_mutex_unlock(&order);
	ticket_unlock(&lock, held);
}

void share_unlock_in_child(const struct lock_saved *held)
{
	pthread_mutex_unlock(&order);
	lock = (struct ticket_lock){0};
	pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
	pthread_setcancelstate(held->cancel, NULL);
}

/* --- pieces of the program's memory ----------------------------------------------------------- */

static void piece_is(struct shared_piece *p, struct shared_piece now)
{
	*p = now;
	madvise_piece((unsigned int)(p - pieces), now.va, now.file ? now.len : 0, now.inode,
		      now.dev);
}

/* The pieces that are searched in the mappings: pieces that end, and pieces of `orphans`. */
static struct shared_piece *wanted[PIECES];
static unsigned int nwanted;

/* How many bytes are to be found; unlimited for pieces of `orphans`, whose place is unknown. */
static uint64_t want(void)
{
	uint64_t sum = 0;

	nwanted = 0;
	for (struct shared_piece *p = pieces; p < pieces + pieces_end; p++) {
		if (!p->ends && p->file != &orphans)
			continue;
		wanted[nwanted++] = p;
		sum = p->ends && sum != UINT64_MAX ? sum + p->len : UINT64_MAX;
	}
	return sum;
}

static struct shared_piece *wanted_at(const struct mapping *m)
{
	for (unsigned int i = 0; m->shared && i < nwanted; i++)
		if (wanted[i]->inode == m->inode && wanted[i]->dev == m->dev)
			return wanted[i];
	return NULL;
}

/* The bytes of a mapping at the piece's own address. An embedded device maps it elsewhere, too. */
static uint64_t bytes_in_place(const struct shared_piece *p, const struct mapping *m)
{
	uint64_t end = p->va + p->len < m->end ? p->va + p->len : m->end;

	return m->start - p->va < p->len ? end - m->start : 0;
}

/*
 * Makes the pieces that end private again, wherever the program has moved them; other memory in
 * their places stays. Reads the mappings once, since there may be thousands, and stops when all
 * bytes are found. Forgets pieces of `orphans` that are no longer mapped.
 */
static void share_sweep(bool alone, bool everywhere)
{
	uint64_t left = want();
	bool stuck = maps_open(&maps, 0);
	struct mapping m;
	struct shared_piece *p;

	while (!stuck && (left || everywhere) && maps_next(&maps, &m)) {
		p = wanted_at(&m);
		if (!p)
			continue;
		p->seen = true;
		if (!p->ends)
			continue;
		p->stuck |= pages_to_private((void *)(uintptr_t)m.start, m.end - m.start, m.prot,
					     alone     ? STORES_NONE
					     : p->data ? STORES_KERNEL
						       : STORES_USER) != 0;
		if (left != UINT64_MAX)
			left -= bytes_in_place(p, &m);
	}
	if (!stuck)
		maps_close(&maps);
	for (unsigned int i = 0; i < nwanted; i++) {
		p = wanted[i];
		if (p->ends)
			p->file = stuck || p->stuck ? &orphans : NULL;
		if (p->file == &orphans && !stuck && !p->seen)
			p->file = NULL;
		p->ends = p->stuck = p->seen = false;
		if (!p->file)
			piece_is(p, (struct shared_piece){0});
	}
}

static struct shared_piece *piece_new(void)
{
	for (unsigned int i = 0; i < PIECES; i++) {
		if (pieces[i].file)
			continue;
		if (pieces_end <= i)
			pieces_end = i + 1;
		return &pieces[i];
	}
	return NULL;
}

/* This thread is the only one, so no other stores to the pages. */
static bool is_alone(void)
{
	struct stat st;

	return !real()->stat("/proc/self/task", &st) && st.st_nlink == 3;
}

/*
 * Whatever has pinned pages (an io_uring its buffers) goes on using them, so pages of such a
 * process must not move.
 */
static bool is_dma_elsewhere(void)
{
	int fd = real()->open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, maps.buf, sizeof(maps.buf) - 1);
	const char *pin;

	if (fd >= 0)
		real()->close(fd);
	maps.buf[n > 0 ? n : 0] = 0;
	pin = strstr(maps.buf, "\nVmPin:");
	return !pin || strtoul(pin + strlen("\nVmPin:"), NULL, 10);
}

/* --- what answers ask for --------------------------------------------------------------------- */

/* A store of this thread to a protected page would wait for itself. */
static bool near_stack(const struct uverbs_share *s)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return s->va < here + STACK_NEAR && here - STACK_NEAR < s->va + s->len;
}

static bool is_fresh(const struct uverbs_share *s)
{
	unsigned char there[UVERBS_SHARE_DATA_MOST / PAGE];

	if (mincore((void *)(uintptr_t)s->va, s->len, there))
		return false;
	for (size_t i = 0; i < s->len / PAGE; i++)
		if (there[i] & 1)
			return false;
	return true;
}

uint64_t share_bytes(void)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < pieces_end; i++)
		sum += pieces[i].file ? pieces[i].len : 0;
	return sum;
}

/*
 * Regions must be small, since a fork child gets a copy of all of them, and no other thread may
 * have the kernel store there: the process has one thread, or the pages were never touched. (Later
 * another thread may; without the privilege they then stay shared.)
 */
static bool may_move(const struct uverbs_share *s, bool alone)
{
	if (near_stack(s))
		return false;
	return s->what == UVERBS_SHARE_RING ||
	       (s->len <= UVERBS_SHARE_DATA_MOST && share_bytes() + s->len <= DATA_ALL &&
		(alone || is_fresh(s)) && !is_dma_elsewhere());
}

static bool is_among(const struct shared_piece *p, const struct uverbs_share *s, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (p->va == s[i].va && p->len == s[i].len)
			return true;
	return !n;
}

/* Ends the pieces of one file: those at these addresses, or all. */
static void pieces_end_now(const struct cfile *cf, const struct uverbs_share *s, unsigned int n,
			   bool alone)
{
	int pinned = -1; /* not known */
	bool any = false;
	struct shared_piece *p;

	for (p = pieces; p < pieces + pieces_end; p++) {
		if (p->file != cf || !is_among(p, s, n))
			continue;
		if (p->data && pinned < 0)
			pinned = is_dma_elsewhere();
		p->ends = !p->data || !pinned;
		any = any || p->ends;
		if (!p->ends)
			p->file = &orphans;
	}
	if (any)
		share_sweep(alone, false);
}

static void share(struct cfile *cf, const struct backend *t, const struct uverbs_share *s,
		  bool alone)
{
	struct shared_piece *p = may_move(s, alone) ? piece_new() : NULL;
	int memfd = p ? pages_memfd(s->len) : -1;
	struct stat st;

	if (memfd < 0)
		return;
	if (!real()->fstat(memfd, &st) && !pages_to_memfd(memfd, (void *)(uintptr_t)s->va, s->len,
							  alone ? STORES_NONE : STORES_USER)) {
		piece_is(p, (struct shared_piece){.file = cf,
						  .inode = st.st_ino,
						  .dev = st.st_dev,
						  .va = s->va,
						  .len = s->len,
						  .data = s->what == UVERBS_SHARE_DATA});
		if (t->share(cf, s->va, s->len, memfd))
			pieces_end_now(cf, s, 1, alone);
	}
	real()->close(memfd);
}

static void share_obey(struct cfile *cf, const struct backend *t, const struct uverbs_request *req)
{
	bool alone = req->nshares && is_alone();
	unsigned int n = 0;

	while (n < req->nshares && req->shares[n].what == UVERBS_SHARE_BACK)
		n++;
	if (n)
		pieces_end_now(cf, req->shares, n, alone);
	for (; n < req->nshares; n++)
		share(cf, t, &req->shares[n], alone);
}

int share_ioctl(struct cfile *cf, const struct backend *t, struct uverbs_request *req)
{
	struct lock_saved held;
	bool was_inside;
	int rc;

	share_lock(&held);
	was_inside = client_inside(true);
	rc = t->ioctl(cf, req);
	share_obey(cf, t, req);
	client_inside(was_inside);
	share_unlock(&held);
	return rc;
}

void share_close(struct cfile *cf, bool stays, bool last)
{
	struct lock_saved held;
	struct shared_piece *p;
	bool alone;

	share_lock(&held);
	alone = is_alone();
	for (p = pieces; stays && p < pieces + pieces_end; p++)
		if (p->file == cf)
			p->file = &orphans;
	pieces_end_now(cf, NULL, 0, alone);
	if (last)
		pieces_end_now(&orphans, NULL, 0, alone);
	share_unlock(&held);
}

void share_take_copies(void)
{
	for (unsigned int i = 0; i < pieces_end; i++)
		pieces[i].ends = pieces[i].file;
	share_sweep(true, true);
	for (unsigned int i = 0; i < pieces_end; i++)
		piece_is(&pieces[i], (struct shared_piece){0});
	pieces_end = 0;
}
