/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
#include "bar.h"

/*
 * Programs that spin for each other's messages on one CPU (doc/design/0005). A program that waits
 * keeps the CPU for a whole slice, and naps of the device do not make the scheduler choose the
 * other program. So a program that rings is held in its trap while its peer has something to
 * answer: then only the peer can run. The trap of the peer releases the first program. The doorbell
 * of a held program is handled before its store: the store to the register is certain to follow,
 * and the doorbell records were written before it.
 */
#define SAMPLE_NS   4000000u   /* interval of samples of the clients' waiting */
#define SAMPLE_MAX  50000000u  /* an older sample is useless */
#define LOCKSTEP_NS 100000000u /* time to a sample without it, which shows whether it is needed */
#define HOLD_NS	    50000u     /* longest hold without an answer */
#define VAIN_MAX    4u	       /* consecutive holds without an answer that end lockstep */

void sched_watch(struct bar *bar)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)bar->pid);
	bar->sched_fd = bar->pid ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

/* Returns how long the client's thread was ready to run without a CPU. */
static uint64_t client_waited(const struct bar *bar)
{
	char text[64], *at;
	ssize_t n = pread(bar->sched_fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return bar->waited;
	text[n] = 0;
	strtoull(text, &at, 10);
	return strtoull(at, NULL, 10);
}

/*
 * Returns whether several clients rang, one of them waited for a CPU for more than a fifth of the
 * time, and most naps found nothing. With a CPU for each program naps pay, though they cost the
 * programs some time.
 */
static bool lockstep_contended(struct host *h, uint64_t interval)
{
	bool idle = h->naps_paid * 4 < h->naps, starved = false, several = false;
	struct bar *bar;
	pid_t pid = 0;

	for (bar = h->bars; bar; bar = bar->next) {
		uint64_t before = bar->waited;

		/* Quiet clients are not sampled; a first sample is only a start. */
		bar->waited = bar->rang ? client_waited(bar) : 0;
		if (!bar->rang)
			continue;
		bar->rang--;
		starved |= before && bar->waited - before > interval / 5;
		several |= pid && pid != bar->pid;
		pid = bar->pid;
	}
	h->naps = 0;
	h->naps_paid = 0;
	return starved && several && idle && interval < SAMPLE_MAX;
}

static void lockstep_release(struct host *h)
{
	if (h->held)
		page_rings(h->held);
}

static void lockstep_end(struct host *h)
{
	lockstep_release(h);
	h->lockstep = false;
	h->sampled = h->now;
	lockstep_contended(h, 0);
}

void lockstep_sample(struct host *h)
{
	uint64_t interval = h->now - h->sampled;

	if (h->lockstep && interval >= LOCKSTEP_NS) {
		lockstep_end(h);
	} else if (!h->lockstep && interval >= SAMPLE_NS) {
		h->sampled = h->now;
		h->lockstep = lockstep_contended(h, interval);
		h->vain = 0;
	}
}

static bool is_blueflame(uint32_t offset)
{
	return offset >= UAR_BF && offset < UAR_BF + UAR_BF_COUNT * UAR_BF_SIZE &&
	       offset % UAR_BF_SIZE == 0;
}

static void page_traps(struct uar_page *page, uint32_t offset)
{
	struct host *h = page->bar->host;

	if (h->strict) {
		h->strict->trapped(h->doorbell_ctx, page->uar);
		page_rings(page);
		return;
	}
	if (h->held == page)
		return;
	if (h->held)
		h->vain = 0;
	lockstep_release(h);
	if (!h->lockstep || !is_blueflame(offset) || !page->last) {
		page_rings(page);
		return;
	}
	h->held = page;
	h->held_offset = offset;
	h->held_since = 0;
	h->woken = true;
}

/* Handles the held doorbell once released stores have landed and their pages are armed. */
uint64_t lockstep_turn(struct host *h)
{
	struct uar_page *page = h->held;

	if (!h->held_since) {
		h->held_since = h->now;
		h->doorbell(h->doorbell_ctx, page->uar, h->held_offset, page->last);
		return 0;
	}
	if (h->now - h->held_since < HOLD_NS)
		return HOLD_NS - (h->now - h->held_since);
	lockstep_release(h);
	if (++h->vain == VAIN_MAX)
		lockstep_end(h);
	return 0;
}

/* --- traps ------------------------------------------------------------------------------------ */

/* Reads without blocking, even if the program has just cleared O_NONBLOCK. */
static ssize_t read_now(int fd, void *to, size_t len)
{
	struct iovec iov = {to, len};
	ssize_t n = preadv2(fd, &iov, 1, -1, RWF_NOWAIT);

	/* Linux before 6.10 can't do that to a userfaultfd. */
	return n < 0 && errno == EOPNOTSUPP ? read(fd, to, len) : n;
}

/*
 * Drops the watch. The program has a copy of the descriptor and may clear O_NONBLOCK, a flag of
 * both copies. poll() reports this as an error.
 */
void watch_lost(struct watch *w)
{
	struct bar *bar = w->bar;

	bar_poll(bar, "its userfaultfd was made to wait for events");
	watch_drop(w);
}

static struct uar_page *page_at(struct watch *w, uint64_t va)
{
	uint32_t i;

	for (i = 0; i < w->nranges; i++) {
		const struct range *r = &w->ranges[i];

		if (va >= r->va && va - r->va < r->len)
			return &w->bar->pages[(r->offset + (va - r->va)) / UAR_PAGE];
	}
	return NULL;
}

void watch_read(struct watch *w)
{
	struct uffd_msg msg[16];
	ssize_t i, n;

	n = read_now(w->source.fd, msg, sizeof(msg));
	for (i = 0; i < n / (ssize_t)sizeof(msg[0]); i++) {
		uint64_t va = msg[i].arg.pagefault.address & ~(uint64_t)(UAR_PAGE - 1);
		struct uar_page *page = page_at(w, va);

		if (msg[i].event != UFFD_EVENT_PAGEFAULT)
			continue;
		if (page && page->index == BAR_CORE_CLOCK_PAGE)
			clock_page_fault(w, va);
		else if (page && page->state == PAGE_ARMED)
			page_traps(page, (uint32_t)(msg[i].arg.pagefault.address - va));
		else
			va_protect(w, va, false);
	}
}
