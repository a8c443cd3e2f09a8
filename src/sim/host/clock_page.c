/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page with the device's clock. A program only loads from it, which the device would not
 * notice. So the page is a hole in the BAR's file, and the userfaultfd reports the load. The device
 * then puts the page there, keeps its time current, and takes it away after a while. So a program
 * never sees a clock that stands still, and an idle chip sleeps.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include "base/clock.h"
#include "bar.h"

/* Long enough for the program to run again; a sleeping chip's clock is at most this late. */
#define SHOWN_NS 50000u

#define REAL_TIME_AT 0x40u /* struct mlx5_init_seg: real_time_h, 64 bytes behind internal_timer_h */
#define PAGE_AT	 ((uint64_t)BAR_CORE_CLOCK_PAGE * UAR_PAGE)

static uint64_t clock_page_now(const struct host *h)
{
	return h->clock->now(h->clock);
}

/* Returns seconds above nanoseconds, as in completions. */
static uint64_t clock_page_real_time(const struct host *h)
{
	const uint64_t ns = h->clock->utc(h->clock);

	return (ns / 1000000000u) << 32 | ns % 1000000000u;
}

void host_set_clock(struct host *h, struct clock *clock)
{
	h->clock = clock;
}

bool clock_page_is(uint64_t first, uint64_t n)
{
	return first <= BAR_CORE_CLOCK_PAGE && BAR_CORE_CLOCK_PAGE < first + n;
}

int clock_page_register(struct watch *w, uint64_t va, uint64_t n)
{
	struct uffdio_register reg = {
		.range = {.start = va, .len = UAR_PAGE},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (n != 1 || !w->bar->host->clock)
		return -EINVAL;
	return ioctl(w->source.fd, UFFDIO_REGISTER, &reg) ? -errno : 0;
}

/* The page may be there already because of another mapping of the file. */
void clock_page_fault(struct watch *w, uint64_t va)
{
	struct bar *bar = w->bar;
	uint64_t page[UAR_PAGE / sizeof(uint64_t)] = {
		htobe64(clock_page_now(bar->host)),
		[REAL_TIME_AT / sizeof(uint64_t)] = htobe64(clock_page_real_time(bar->host))};
	struct uffdio_copy copy = {.dst = va, .src = (uintptr_t)page, .len = UAR_PAGE};
	struct uffdio_range wake = {.start = va, .len = UAR_PAGE};

	if (ioctl(w->source.fd, UFFDIO_COPY, &copy) && errno == EEXIST)
		(void)ioctl(w->source.fd, UFFDIO_WAKE, &wake);
	bar->host->nclocks += !bar->clock_until;
	bar->clock_until = clock_page_now(bar->host) + SHOWN_NS;
}

void clock_page_hide(struct bar *bar)
{
	if (!bar->clock_until)
		return;
	bar->clock_until = 0;
	bar->host->nclocks--;
	(void)fallocate(bar->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)PAGE_AT,
			UAR_PAGE);
}

static void clock_page_show(struct bar *bar, uint64_t now)
{
	void *at = bar->map + PAGE_AT, *real = bar->map + PAGE_AT + REAL_TIME_AT;

	__atomic_store_n((uint64_t *)at, htobe64(now), __ATOMIC_RELAXED);
	__atomic_store_n((uint64_t *)real, htobe64(clock_page_real_time(bar->host)),
			 __ATOMIC_RELAXED);
}

void clock_pages_turn(struct host *h)
{
	uint64_t now = clock_page_now(h);

	for (struct bar *bar = h->bars; bar; bar = bar->next) {
		if (bar->clock_until && now >= bar->clock_until)
			clock_page_hide(bar);
		else if (bar->clock_until)
			clock_page_show(bar, now);
	}
}

uint64_t clock_pages_nap(const struct host *h, uint64_t ns)
{
	return h->nclocks && ns > SHOWN_NS ? SHOWN_NS : ns;
}
