/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/bar_file.h"
#include "base/log.h"
#include "bar.h"

/* Seals keep a program from shrinking the file under the chip's mapping. */
static int bar_map(struct bar *bar)
{
	size_t len = (size_t)bar->npages * UAR_PAGE;
	struct rlimit most;
	struct stat st;

	/* Above the limit ftruncate() fails, and kills a process that does not ignore SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur < len) {
		sim_refuse("open: the registers take a file of %zu bytes, more than RLIMIT_FSIZE "
			   "(ulimit -f) allows",
			   len);
		return -EFBIG;
	}
	bar->fd = memfd_create(BAR_FILE_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (bar->fd < 0 || ftruncate(bar->fd, (off_t)len) ||
	    fcntl(bar->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ||
	    fstat(bar->fd, &st))
		return -errno;
	bar->inode = st.st_ino;
	bar->map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, bar->fd, 0);
	return bar->map == MAP_FAILED ? -errno : 0;
}

struct bar *bar_new(struct host *h, struct mm *mm, unsigned int pages)
{
	struct bar *bar = calloc(1, sizeof(*bar));
	unsigned int i;

	if (!bar)
		return NULL;
	bar->map = MAP_FAILED;
	bar->fd = -1;
	bar->host = h;
	bar->pid = mm ? mm->pid : 0;
	sched_watch(bar);
	bar->npages = pages;
	bar->next = h->bars;
	h->bars = bar;
	bar->pages = calloc(pages, sizeof(*bar->pages));
	if (!bar->pages || bar_map(bar)) {
		bar_free(bar);
		return NULL;
	}
	for (i = 0; i < pages; i++) {
		bar->pages[i].bar = bar;
		bar->pages[i].index = i;
	}
	return bar;
}

int bar_fd(const struct bar *bar)
{
	return bar->fd;
}

void *bar_clock(const struct bar *bar)
{
	return bar->map + (size_t)BAR_CLOCK_PAGE * UAR_PAGE;
}

static void uar_page_free(struct uar_page *page)
{
	if (page->state == PAGE_FREE)
		return;
	if (page->state == PAGE_ARMED)
		page_protect(page, false);
	if (page->bar->host->held == page)
		page->bar->host->held = NULL;
	page_asleep(page, PAGE_FREE);
	page->bar->host->npages--;
}

void bar_free(struct bar *bar)
{
	struct bar **at;
	unsigned int i;

	if (!bar)
		return;
	for (i = 0; bar->pages && i < bar->npages; i++)
		uar_page_free(&bar->pages[i]);
	while (bar->watches)
		watch_drop(bar->watches);
	clock_page_hide(bar);
	for (at = &bar->host->bars; *at != bar; at = &(*at)->next)
		;
	*at = bar->next;
	if (bar->map != MAP_FAILED)
		munmap(bar->map, (size_t)bar->npages * UAR_PAGE);
	if (bar->fd >= 0)
		close(bar->fd);
	if (bar->sched_fd >= 0)
		close(bar->sched_fd);
	free(bar->pages);
	free(bar);
}

/* Makes room for one more awake page now, as waking must not need memory. */
static int awake_reserve(struct host *h)
{
	uint32_t cap = h->awake_cap ? 2 * h->awake_cap : 64;
	struct uar_page **awake;

	if (h->npages < h->awake_cap)
		return 0;
	awake = reallocarray(h->awake, cap, sizeof(*awake));
	if (!awake)
		return -ENOMEM;
	h->awake = awake;
	h->awake_cap = cap;
	return 0;
}

int bar_page_alloc(struct bar *bar, uint32_t uar)
{
	unsigned int i;

	for (i = 0; i < bar->npages; i++) {
		struct uar_page *page = &bar->pages[i];

		if (page->state != PAGE_FREE || i == BAR_CLOCK_PAGE || i == BAR_CORE_CLOCK_PAGE ||
		    i - BAR_MEMIC_PAGE < BAR_MEMIC_PAGES)
			continue;
		if (awake_reserve(bar->host))
			return -ENOMEM;
		bar->host->npages++;
		memset(bar->map + (size_t)i * UAR_PAGE, 0, UAR_PAGE);
		if (bar->host->strict)
			strict_page_clear(page);
		page->uar = uar;
		page->expect = 0;
		page->patience = 0;
		page->stay = 0;
		page->last = 0;
		page_awaken(page);
		return (int)i;
	}
	return -ENOMEM;
}

uint8_t *bar_memory(struct bar *bar, unsigned int page, unsigned int n)
{
	uint8_t *bytes = bar->map + (size_t)(BAR_MEMIC_PAGE + page) * UAR_PAGE;

	if (page > BAR_MEMIC_PAGES || n > BAR_MEMIC_PAGES - page ||
	    bar->npages < BAR_MEMIC_PAGE + BAR_MEMIC_PAGES)
		return NULL;
	memset(bytes, 0, (size_t)n * UAR_PAGE);
	return bytes;
}

void bar_page_free(struct bar *bar, uint32_t uar)
{
	unsigned int i;

	for (i = 0; i < bar->npages; i++) {
		struct uar_page *page = &bar->pages[i];

		if (page->state == PAGE_FREE || page->uar != uar)
			continue;
		uar_page_free(page);
		return;
	}
}
