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

#define HOT   16u /* pages polled in each turn */
#define SLICE 16u /* other pages polled in each turn */

/* Seals keep a program from shrinking the file under the chip's mapping. */
static int bar_map(struct bar *bar)
{
	size_t len = (size_t)bar->npages * UAR_PAGE;
	struct rlimit most;
	struct stat st;

	/* Above the limit ftruncate() would kill the process with SIGXFSZ. */
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

static void awake_put(struct host *h, struct uar_page *page, uint32_t at)
{
	h->awake[at] = page;
	page->awake = at;
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

static int reg_take(struct host *h, struct uar_page *page, uint32_t offset)
{
	void *at = page->bar->map + (size_t)page->index * UAR_PAGE + offset;
	uint64_t *reg = at, value;

	/* Acquire: stores that the program made before the doorbell are visible after this. */
	if (!__atomic_load_n(reg, __ATOMIC_RELAXED))
		return 0;
	value = __atomic_exchange_n(reg, 0, __ATOMIC_ACQUIRE);
	if (offset >= UAR_BF)
		page->last = value;
	if (h->strict)
		strict_rang(page, offset, value);
	if (h->doorbell)
		h->doorbell(h->doorbell_ctx, page->uar, offset, value);
	return 1;
}

int page_take(struct host *h, struct uar_page *page)
{
	int taken = reg_take(h, page, UAR_CQ_ARM);
	uint32_t i;

	for (i = 0; i < UAR_BF_COUNT; i++)
		taken += reg_take(h, page, UAR_BF + i * UAR_BF_SIZE);
	if (h->strict)
		strict_page_check(h, page);
	if (!taken)
		return 0;
	h->rung = true;
	page->rung = true;
	page->bar->rang = RANG_LATELY;
	page_landed(page, h->now);
	return taken;
}

static int page_poll(struct host *h, struct uar_page *page)
{
	return h->strict && strict_waits(page) ? 0 : page_take(h, page);
}

static void page_heat(struct host *h, uint32_t at)
{
	struct uar_page *page = h->awake[at];

	h->hand = (h->hand + 1) % HOT;
	awake_put(h, h->awake[h->hand], at);
	awake_put(h, page, h->hand);
}

/*
 * Polls all hot pages and a slice of the others. So a program with hundreds of UARs costs no more
 * per turn than one with 32, and a page whose first doorbell comes is found within a few turns. The
 * handler of a doorbell neither allocates nor frees pages.
 */
int host_poll(struct host *h)
{
	uint32_t i, at, hot = h->nawake < HOT ? h->nawake : HOT;
	uint32_t cold = h->nawake - hot, slice = cold < SLICE ? cold : SLICE;
	int n, taken = 0;

	if (h->nclocks)
		clock_pages_turn(h);
	for (i = 0; i < hot; i++)
		taken += page_poll(h, h->awake[i]);
	for (i = 0; i < slice; i++) {
		h->cursor = (h->cursor + 1) % cold;
		at = HOT + h->cursor;
		n = page_poll(h, h->awake[at]);
		if (n)
			page_heat(h, at);
		taken += n;
	}
	if (h->strict)
		taken += arm_all(h);
	return taken;
}
