/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/log.h"
#include "bar.h"

/*
 * Where a BAR is mapped, and the write-protection of its pages there, by their states. The ioctls
 * work on the address space that made the userfaultfd, so the chip can do all of it from outside.
 *
 * Pages of a shared file that were never touched are protected, too, by markers in the page
 * table (Linux 5.19 with UFFD_FEATURE_WP_HUGETLBFS_SHMEM): nothing has to be populated first.
 */
static int watch_handshake(int uffd)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM |
			    UFFD_FEATURE_EXACT_ADDRESS,
	};
	int flags = fcntl(uffd, F_GETFL);

	if (flags < 0 || fcntl(uffd, F_SETFL, flags | O_NONBLOCK) || ioctl(uffd, UFFDIO_API, &api))
		return -errno;
	return 0;
}

int bar_uffd(struct bar *bar, int uffd)
{
	struct watch *w = calloc(1, sizeof(*w));
	int err = bar->watches ? -EEXIST : w ? watch_handshake(uffd) : -ENOMEM;

	if (!err) {
		w->source = (struct event_source){.kind = SOURCE_UFFD, .fd = uffd};
		err = host_watch_fd(bar->host, &w->source);
	}
	if (err) {
		sim_note("doorbells of client %d are polled: its userfaultfd was refused (%s)",
			 (int)bar->pid, strerror(-err));
		close(uffd);
		free(w);
		return err;
	}
	w->bar = bar;
	w->next = bar->watches;
	bar->watches = w;
	return 0;
}

/* Closing the last copy releases all waiting stores. */
void watch_drop(struct watch *w)
{
	struct watch **at;

	for (at = &w->bar->watches; *at != w; at = &(*at)->next)
		;
	*at = w->next;
	host_unwatch_fd(w->bar->host, &w->source);
	free(w->ranges);
	free(w);
}

static int range_add(struct watch *w, uint64_t va, uint64_t len, uint64_t offset)
{
	if (w->nranges == w->cap) {
		uint32_t cap = w->cap ? 2 * w->cap : 8;
		struct range *ranges = reallocarray(w->ranges, cap, sizeof(*ranges));

		if (!ranges)
			return -ENOMEM;
		w->ranges = ranges;
		w->cap = cap;
	}
	w->ranges[w->nranges++] = (struct range){va, len, offset};
	return 0;
}

static int range_register(struct watch *w, uint64_t va, uint64_t len, uint64_t offset)
{
	uint64_t first = offset / UAR_PAGE, n = len / UAR_PAGE;

	struct uffdio_register reg = {
		.range = {.start = va, .len = len},
		.mode = UFFDIO_REGISTER_MODE_WP,
	};

	int err;

	if (clock_page_is(first, n))
		err = clock_page_register(w, va, n);
	else
		err = ioctl(w->source.fd, UFFDIO_REGISTER, &reg) ? -errno : 0;
	return err ? err : range_add(w, va, len, offset);
}

int bar_mapped(struct bar *bar, uint64_t va, size_t len, uint64_t offset)
{
	uint64_t first = offset / UAR_PAGE, n = len / UAR_PAGE, i;
	int err = -ENODEV;

	if (va % UAR_PAGE || len % UAR_PAGE || offset % UAR_PAGE || first > bar->npages ||
	    n > bar->npages - first)
		return -EINVAL;
	if (bar->watches) {
		bar_unmapped(bar, va, len);
		err = range_register(bar->watches, va, len, offset);
		bar->refused |= err && !clock_page_is(first, n);
	}
	/* The new mapping isn't protected, even if others of the same page are. */
	for (i = first; i < first + n; i++)
		if (bar->pages[i].state == PAGE_ARMED)
			page_awaken(&bar->pages[i]);
	return err;
}

/* Cuts [va, end) out of a range: the head stays, the tail is added. */
static void range_cut(struct watch *w, struct range *r, uint64_t va, uint64_t end)
{
	uint64_t r_end = r->va + r->len;
	struct range old = *r;

	r->len = va > r->va ? va - r->va : 0;
	if (end < r_end && range_add(w, end, r_end - end, old.offset + (end - old.va)))
		w->bar->refused = true;
}

void bar_unmapped(struct bar *bar, uint64_t va, size_t len)
{
	struct watch *w = bar->watches;
	uint64_t end = va + len;
	uint32_t i, n;

	if (!w)
		return;
	n = w->nranges;
	for (i = 0; i < n; i++)
		if (w->ranges[i].va < end && va < w->ranges[i].va + w->ranges[i].len)
			range_cut(w, &w->ranges[i], va, end);
	for (i = 0; i < w->nranges;) {
		if (w->ranges[i].len)
			i++;
		else
			w->ranges[i] = w->ranges[--w->nranges];
	}
}

int va_protect(struct watch *w, uint64_t va, bool protect)
{
	struct uffdio_writeprotect wp = {
		.range = {.start = va, .len = UAR_PAGE},
		.mode = protect ? UFFDIO_WRITEPROTECT_MODE_WP : 0,
	};

	/* The mapping or its process is gone, so no stores come. */
	if (!ioctl(w->source.fd, UFFDIO_WRITEPROTECT, &wp) || errno == ENOENT || errno == ESRCH)
		return 0;
	return -errno;
}

int page_protect(struct uar_page *page, bool protect)
{
	uint64_t at = (uint64_t)page->index * UAR_PAGE;
	struct watch *w;
	uint32_t i;
	int err = 0;

	for (w = page->bar->watches; w; w = w->next) {
		for (i = 0; i < w->nranges && !err; i++) {
			const struct range *r = &w->ranges[i];

			if (at >= r->offset && at - r->offset < r->len)
				err = va_protect(w, r->va + (at - r->offset), protect);
		}
	}
	if (err && protect)
		page_protect(page, false);
	return err;
}

void page_awaken(struct uar_page *page)
{
	struct host *h = page->bar->host;

	if (page->state == PAGE_AWAKE)
		return;
	awake_put(h, page, h->nawake++);
	page->state = PAGE_AWAKE;
	if (h->held == page)
		h->held = NULL;
	page->rung = true;
}

void page_asleep(struct uar_page *page, enum page_state state)
{
	struct host *h = page->bar->host;

	if (page->state == PAGE_AWAKE)
		awake_put(h, h->awake[--h->nawake], page->awake);
	page->state = (uint8_t)state;
}

void page_rings(struct uar_page *page)
{
	struct host *h = page->bar->host;

	page_protect(page, false);
	page_awaken(page);
	page->expect = EXPECT_UNDATED;
	h->woken = true;
}

void bar_poll(struct bar *bar, const char *why)
{
	unsigned int i;

	sim_note("doorbells of client %d are polled: %s", (int)bar->pid, why);
	bar->refused = true;
	for (i = 0; i < bar->npages; i++) {
		if (bar->pages[i].state != PAGE_ARMED)
			continue;
		page_protect(&bar->pages[i], false);
		page_awaken(&bar->pages[i]);
	}
}
