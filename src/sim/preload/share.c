/* SPDX-License-Identifier: BSD-2-Clause */
#include "share.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/maps.h"
#include "uverbs/request.h"
#include "cfile.h"
#include "client.h"
#include "madvise.h"
#include "move_budget.h"
#include "page_move.h"
#include "pieces.h"
#include "real.h"

#define PAGE	   4096u
#define LARGE	   (64u << 20)	/* a region of this size takes long to copy */
#define SMALL_ALL  (256u << 20) /* small pieces move up to this sum of all pieces */
#define RINGS_ALL  (1u << 30)	/* rings are shared up to this sum */
#define STACK_NEAR (256u << 10) /* stack that this thread may use during a move */

/* Each piece is in one of these. */
static struct piece_list living, ending, orphaned;
static struct maps maps;     /* static: a program's stack may be small */
static struct cfile orphans; /* owner of pieces that could not become private again; fork children
			       get copies of them */

/* Held from a request until its answer is carried out. ThreadSanitizer gets libc's mutex. */
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
	ticket_reset(&lock);
	pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
	pthread_setcancelstate(held->cancel, NULL);
}

/* --- pieces of the program's memory ----------------------------------------------------------- */

static void piece_put(struct shared_piece *p, struct piece_list *list)
{
	LIST_REMOVE(p, link);
	LIST_INSERT_HEAD(list, p, link);
}

static void piece_mark_ending(struct shared_piece *p)
{
	p->ends = true;
	piece_put(p, &ending);
}

static void piece_keep(struct shared_piece *p)
{
	p->file = &orphans;
	piece_put(p, &orphaned);
}

/* Returns the bytes at the piece's own address. */
static uint64_t bytes_in_place(const struct shared_piece *p, const struct mapping *m)
{
	uint64_t end = p->at.end < m->end ? p->at.end : m->end;

	return m->start - p->at.from < piece_len(p) ? end - m->start : 0;
}

struct sweep {
	bool alone;
	uint64_t left; /* bytes of ending pieces that were not found in their places */
};

/* Makes a mapping private if its piece ends. */
static void sweep_mapping(struct sweep *w, const struct mapping *m)
{
	struct shared_piece *p = piece_mapped(m);

	if (!p || !(p->ends || p->file == &orphans))
		return;
	p->seen = true;
	if (!p->ends)
		return;
	p->stuck |= pages_to_private((void *)(uintptr_t)m->start, m->end - m->start, m->prot,
				     w->alone  ? STORES_NONE
				     : p->data ? STORES_KERNEL
					       : STORES_USER) != 0;
	w->left -= bytes_in_place(p, m);
}

/* Reads only the mappings in the places of ending pieces, which needs Linux 6.11. */
static bool sweep_places(struct sweep *w)
{
	const struct shared_piece *p;
	struct mapping m;
	int found = 1;

	LIST_FOREACH(p, &ending, link)
	for (uint64_t va = p->at.from; found >= 0 && va < p->at.end; va = m.end) {
		found = maps_query(&maps, va, &m);
		if (found <= 0 || m.start >= p->at.end)
			break;
		sweep_mapping(w, &m);
	}
	return found >= 0;
}

/*
 * Makes the ending pieces private again, wherever the program has moved them; other memory in their
 * places stays. Reads all mappings, once, if some bytes are not in their places, if the kernel
 * can't look up one mapping, or to see which pieces of `orphans` are still mapped.
 */
static void sweep_mappings(struct sweep *w, bool everywhere)
{
	bool found = !everywhere && sweep_places(w), all = everywhere || !LIST_EMPTY(&orphaned);
	struct mapping m;

	if (found && w->left)
		all = true;
	while ((all || w->left) && maps_next(&maps, &m))
		sweep_mapping(w, &m);
}

static void piece_settle(struct shared_piece *p, bool unread)
{
	bool stays = p->ends ? unread || p->stuck : unread || p->seen;

	p->ends = p->stuck = p->seen = false;
	if (stays) {
		piece_keep(p);
		return;
	}
	LIST_REMOVE(p, link);
	piece_drop(p);
}

static void pieces_settle(struct piece_list *list, bool unread)
{
	struct shared_piece *p, *next;

	for (p = LIST_FIRST(list); p; p = next) {
		next = LIST_NEXT(p, link);
		piece_settle(p, unread);
	}
}

static void share_sweep(bool alone, bool everywhere)
{
	struct sweep w = {.alone = alone};
	const struct shared_piece *p;
	bool unread = maps_open(&maps, 0);

	LIST_FOREACH(p, &ending, link)
	w.left += piece_len(p);
	if (!unread) {
		sweep_mappings(&w, everywhere);
		maps_close(&maps);
	}
	pieces_settle(&orphaned, unread);
	pieces_settle(&ending, unread);
}

/* Returns whether this thread is the only one, so that nothing else stores to the pages. */
static bool is_alone(void)
{
	struct stat st;

	return !real()->stat("/proc/self/task", &st) && st.st_nlink == 3;
}

/* Returns the text behind these words in one of the kernel's files, or NULL. */
static const char *kernel_file_find(const char *path, const char *words)
{
	int fd = real()->open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, maps.buf, sizeof(maps.buf) - 1);
	const char *at;

	if (fd >= 0)
		real()->close(fd);
	maps.buf[n > 0 ? n : 0] = 0;
	at = strstr(maps.buf, words);
	return at ? at + strlen(words) : NULL;
}

/* Returns an amount of the machine's memory in bytes. */
static uint64_t memory_bytes(const char *words)
{
	const char *kib = kernel_file_find("/proc/meminfo", words);

	return kib ? strtoull(kib, NULL, 10) << 10 : 0;
}

/*
 * Returns whether something else has pinned pages of the process (as an io_uring its buffers). It
 * would go on using them, so they must not move.
 */
static bool is_dma_elsewhere(void)
{
	const char *pin = kernel_file_find("/proc/self/status", "\nVmPin:");

	return !pin || strtoull(pin, NULL, 10);
}

/* --- carrying out answers --------------------------------------------------------------------- */

/* Returns whether the range is near this stack: a store of this thread would wait for itself. */
static bool share_hits_stack(const struct uverbs_share *s)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	return s->va < here + STACK_NEAR && here - STACK_NEAR < s->va + s->len;
}

static bool is_fresh(const struct uverbs_share *s)
{
	unsigned char there[256];

	for (uint64_t va = s->va, n; va < s->va + s->len; va += n * PAGE) {
		n = (s->va + s->len - va) / PAGE;
		n = n < sizeof(there) ? n : sizeof(there);
		if (mincore((void *)(uintptr_t)va, n * PAGE, there))
			return false;
		for (size_t i = 0; i < n; i++)
			if (there[i] & 1)
				return false;
	}
	return true;
}

/*
 * Before Linux 6.11, both sides read all mappings for a request, so fewer pieces are allowed. A
 * process has 65,530 mappings; a piece can take two.
 */
#define PIECES_READ 1024u

static bool pieces_full(void)
{
	static unsigned int most;
	struct mapping m;

	if (!most && !maps_open(&maps, 0)) {
		most = maps_query(&maps, 0, &m) < 0 ? PIECES_READ : PIECES;
		maps_close(&maps);
	}
	return pieces_count() >= most;
}

/*
 * Checks the machine's memory. A fork child gets a copy of all pieces: together they take at most a
 * quarter of it, and this one half of what is left now.
 */
static bool memory_allows(uint64_t len)
{
	return pieces_bytes() + len <= memory_bytes("MemTotal:") / 4 &&
	       len <= memory_bytes("\nMemAvailable:") / 2;
}

static struct move_budget budget;

static uint64_t share_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * Returns whether a region may move. Pages never touched need no copy. Others move only if no other
 * thread may have the kernel store there: the process has one thread. (If another one starts later,
 * without the privilege they then stay shared.)
 */
static bool data_may_move(const struct uverbs_share *s, bool alone)
{
	const bool large = s->len > LARGE, small = pieces_bytes() + s->len <= SMALL_ALL;

	if ((large || !small) && !memory_allows(s->len))
		return false;
	if (!(alone && (large || small) && move_budget_left(&budget, share_now())) && !is_fresh(s))
		return false;
	return !is_dma_elsewhere();
}

static bool may_move(const struct uverbs_share *s, bool alone)
{
	if (share_hits_stack(s) || pieces_full())
		return false;
	return s->what == UVERBS_SHARE_DATA ? data_may_move(s, alone)
					    : pieces_ring_bytes() + s->len <= RINGS_ALL;
}

/* Ends a piece. Whatever else has pinned data goes on using the pages where they are. */
static void piece_end(struct shared_piece *p, int *pinned)
{
	if (p->data && *pinned < 0)
		*pinned = is_dma_elsewhere();
	if (p->data && *pinned)
		piece_keep(p);
	else
		piece_mark_ending(p);
}

/* Ends all pieces of a file. */
static void pieces_end_all(const struct cfile *cf, struct piece_list *list, bool alone)
{
	struct shared_piece *p, *next;
	int pinned = -1; /* not known */

	for (p = LIST_FIRST(list); p; p = next) {
		next = LIST_NEXT(p, link);
		if (p->file == cf)
			piece_end(p, &pinned);
	}
	if (!LIST_EMPTY(&ending))
		share_sweep(alone, false);
}

/* Ends the file's pieces at these addresses. */
static void pieces_end_now(const struct cfile *cf, const struct uverbs_share *s, unsigned int n,
			   bool alone)
{
	const struct uverbs_share *end = s + n;
	struct shared_piece *p;
	int pinned = -1;

	for (; s < end; s++)
		for (p = NULL; (p = piece_over(s->va, s->len, p));)
			if (p->file == cf && p->at.from == s->va && piece_len(p) == s->len) {
				if (p->data)
					move_budget_spend(&budget, share_now(), s->len);
				piece_end(p, &pinned);
			}
	if (!LIST_EMPTY(&ending))
		share_sweep(alone, false);
}

static void share(struct cfile *cf, const struct uverbs_share *s, bool alone)
{
	int memfd = may_move(s, alone) ? pages_memfd(s->len) : -1;
	struct shared_piece *p;
	struct stat st;

	if (memfd < 0)
		return;
	if (!real()->fstat(memfd, &st) && !pages_to_memfd(memfd, (void *)(uintptr_t)s->va, s->len,
							  alone ? STORES_NONE : STORES_USER)) {
		p = piece_add(s->va, s->len, st.st_ino, st.st_dev, s->what == UVERBS_SHARE_DATA);
		p->file = cf;
		LIST_INSERT_HEAD(&living, p, link);
		if (cfile_share(cf, s->va, s->len, memfd))
			pieces_end_now(cf, s, 1, alone);
	}
	real()->close(memfd);
}

static void share_apply_answer(struct cfile *cf, const struct uverbs_request *req)
{
	bool alone = req->nshares && is_alone();
	unsigned int n = 0;

	while (n < req->nshares && req->shares[n].what == UVERBS_SHARE_BACK)
		n++;
	if (n)
		pieces_end_now(cf, req->shares, n, alone);
	for (; n < req->nshares; n++)
		share(cf, &req->shares[n], alone);
}

int share_ioctl(struct cfile *cf, struct uverbs_request *req)
{
	struct lock_saved held;
	bool was_inside;
	int rc;

	share_lock(&held);
	was_inside = client_inside(true);
	rc = cfile_ioctl(cf, req);
	share_apply_answer(cf, req);
	client_inside(was_inside);
	share_unlock(&held);
	return rc;
}

void share_close(struct cfile *cf, bool stays, bool last)
{
	struct lock_saved held;
	struct shared_piece *p, *next;
	bool alone;

	share_lock(&held);
	alone = is_alone();
	for (p = stays ? LIST_FIRST(&living) : NULL; p; p = next) {
		next = LIST_NEXT(p, link);
		if (p->file == cf)
			piece_keep(p);
	}
	pieces_end_all(cf, &living, alone);
	if (last)
		pieces_end_all(&orphans, &orphaned, alone);
	share_unlock(&held);
}

static void pieces_end_list(struct piece_list *list)
{
	while (!LIST_EMPTY(list))
		piece_mark_ending(LIST_FIRST(list));
}

void share_take_copies(void)
{
	struct shared_piece *p;

	pieces_end_list(&living);
	pieces_end_list(&orphaned);
	share_sweep(true, true);
	while ((p = LIST_FIRST(&orphaned))) {
		LIST_REMOVE(p, link);
		piece_drop(p);
	}
}
