/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/log.h"
#include "bar.h"

/*
 * How an idle loop waits (doc/design/0040). A doorbell is a plain store, so the store itself has to
 * wake a sleeping loop: pages that are not polled are write-protected (ARMED), and the trap wakes
 * the loop. The trap comes before the store, when the register is still 0. So the page is released,
 * and the loop stays awake until the store lands. While awake the loop spins as long as spinning
 * finds work. On a CPU that it shares with the program, spinning delays the store that it waits
 * for; then it naps, which lets the program run. Naps continue for a while after the last doorbell:
 * each nap makes the scheduler choose again. Without them two programs that spin for each other on
 * one CPU get one turn per tick.
 */
#define SPIN_NS		 30000u
#define NAP_NS		 15000u	  /* 10 us gives the program too little between two naps */
#define AWAKE_NS	 1000000u /* naps continue for this long after the last doorbell */
#define NAP_MAX_NS	 1000000u
#define LOCKSTEP_NAP_NS	 15000u
#define SWEEP_NS	 250000000u
#define SKIP_MAX	 255u
#define AGE_NS		 1000000u
#define PATIENCE_NS	 1000000u /* time for a released store to land; doubled if it does not */
#define PATIENCE_LOG_MAX 10u
#define STAY_TURNS	 4u /* turns of the program after which a page without doorbells is quiet */
#define STAY_MAX_NS	 1000000000u
#define HOT		 16u /* pages polled in each turn */
#define SLICE		 16u /* other pages polled in each turn */

/* Sets the deadlines of pages that were released since the last host_arm(). */
static void expect_date(struct host *h)
{
	uint32_t i;

	for (i = 0; i < h->nawake; i++) {
		struct uar_page *page = h->awake[i];

		if (page->expect != EXPECT_UNDATED)
			continue;
		page->released = h->now;
		page->expect = h->now + ((uint64_t)PATIENCE_NS << page->patience);
		if (page->patience < PATIENCE_LOG_MAX)
			page->patience++;
	}
}

/*
 * Learns how long the program waits for a CPU: the time from its release to its store. The next
 * store gets as much time: protecting the page before the store lands would trap it again, and each
 * trap costs the program one more turn. Where turns are long, the page also stays awake for some of
 * them, so that the next doorbells do not trap at all (doc/design/0005, "Many spinning threads").
 */
static void page_landed(struct uar_page *page, uint64_t now)
{
	uint64_t given, stay;

	if (page->expect && page->expect != EXPECT_UNDATED) {
		/* Undo expect_date()'s doubling. */
		if (page->patience)
			page->patience--;
		given = (uint64_t)PATIENCE_NS << page->patience;
		if (now - page->released > given / 2 && page->patience < PATIENCE_LOG_MAX)
			page->patience++;
		else if (now - page->released < given / 4 && page->patience)
			page->patience--;
	}
	page->expect = 0;
	stay = page->patience ? STAY_TURNS * (uint64_t)PATIENCE_NS << page->patience : 0;
	page->stay = now + (stay < STAY_MAX_NS ? stay : STAY_MAX_NS);
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

static int page_take(struct host *h, struct uar_page *page)
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

static bool page_can_sleep(const struct uar_page *page, uint64_t now)
{
	return page->bar->watches && !page->bar->refused && now >= page->expect &&
	       (now >= page->stay || page->bar->host->lockstep || page->bar->host->strict);
}

/* Protects a page, then polls it once more: a store may have come before. */
static int page_arm(struct host *h, struct uar_page *page)
{
	if (page_protect(page, true)) {
		page->bar->refused = true;
		return 0;
	}
	page_asleep(page, PAGE_ARMED);
	return page_take(h, page);
}

static int arm_all(struct host *h)
{
	uint32_t i = h->nawake;
	int taken = 0;

	while (i--)
		if (page_can_sleep(h->awake[i], h->now))
			taken += page_arm(h, h->awake[i]);
	return taken;
}

/* Arms pages that weren't rung since the last call, while other pages are busy. */
static int arm_quiet(struct host *h)
{
	uint32_t i = h->nawake;
	int taken = 0;

	while (i--) {
		struct uar_page *page = h->awake[i];

		if (!page->rung && page_can_sleep(page, h->now))
			taken += page_arm(h, page);
		else
			page->rung = false;
	}
	return taken;
}

/*
 * Polls sleeping pages. A trap wakes the loop before the register is written, so a written register
 * in a sleeping page was written through an unknown mapping. A NIC would see it.
 */
static int wake_sweep(struct host *h)
{
	struct bar *bar;
	unsigned int i;
	int taken = 0, n;

	for (bar = h->bars; bar; bar = bar->next) {
		for (i = 0, n = 0; i < bar->npages; i++)
			if (bar->pages[i].state == PAGE_ARMED)
				n += page_take(h, &bar->pages[i]);
		if (n)
			bar_poll(bar, "one came through a mapping that isn't watched (a forked "
				      "child?)");
		taken += n;
	}
	return taken;
}

/* Sleeps with all pages armed. */
static uint64_t sleep_deep(struct host *h)
{
	if (!h->npages)
		return UINT64_MAX;
	if (h->now - h->swept >= SWEEP_NS) {
		h->swept = h->now;
		if (wake_sweep(h))
			return 0;
	}
	return SWEEP_NS;
}

/* A quarter of the time without a doorbell: a program that rings after a pause waits no longer. */
static uint64_t nap_time(const struct host *h)
{
	const uint64_t ns = (h->now - h->since) / 4;

	return ns < NAP_NS ? NAP_NS : ns;
}

/*
 * Returns the time to sleep. Pages that stay awake without doorbells (no userfaultfd, or a released
 * store does not land) are polled less and less often.
 */
static uint64_t sleep_time(struct host *h)
{
	uint64_t ns;

	if (h->now - h->since < AWAKE_NS)
		return nap_time(h);
	if (arm_all(h))
		return 0;
	if (!h->nawake)
		return sleep_deep(h);
	ns = NAP_NS + (uint64_t)NAP_NS * h->nap_misses++ / 4;
	return ns < NAP_MAX_NS ? ns : NAP_MAX_NS;
}

/* Waits for likely doorbells in the way that found more work, and sometimes in the other one. */
static uint64_t wait_more(struct host *h)
{
	h->nap_misses = 0;
	h->since = h->now;
	if (h->spin_skipped++ < h->spin_skip) {
		h->phase = IDLE_NAP;
		return NAP_NS;
	}
	h->spin_skipped = 0;
	h->spin_paid = false;
	h->phase = IDLE_SPIN;
	return 0;
}

static uint64_t idle_spin(struct host *h, bool paid, bool woken)
{
	if (paid) {
		h->spin_paid = true;
		h->spin_skip = 0;
	}
	if (paid || woken)
		h->since = h->now;
	if (h->now - h->since < SPIN_NS)
		return 0;
	if (!h->spin_paid && h->spin_skip < SKIP_MAX)
		h->spin_skip = 2 * h->spin_skip + 1;
	h->phase = IDLE_NAP;
	return sleep_time(h);
}

static bool page_expected(const struct host *h)
{
	uint32_t i;

	for (i = 0; i < h->nawake; i++)
		if (h->now < h->awake[i]->expect)
			return true;
	return false;
}

/* While programs compete for a CPU, only released pages stay awake. */
static uint64_t lockstep(struct host *h)
{
	h->since = h->now - AWAKE_NS;
	if (page_expected(h))
		return LOCKSTEP_NAP_NS;
	if (arm_all(h))
		return 0;
	return h->held ? lockstep_turn(h) : sleep_time(h);
}

static uint64_t idle_arm(struct host *h, uint64_t now)
{
	bool paid = h->rung, woken = h->woken;

	h->now = now;
	h->rung = false;
	h->woken = false;
	if (woken)
		expect_date(h);
	lockstep_sample(h);
	if (h->lockstep) {
		h->nap_misses = paid ? 0 : h->nap_misses;
		return lockstep(h);
	}
	if (!h->nawake)
		return sleep_deep(h);
	if (now - h->aged > AGE_NS) {
		h->aged = now;
		if (arm_quiet(h))
			return 0;
	}
	if (h->phase == IDLE_SPIN)
		return idle_spin(h, paid, woken);
	h->naps++;
	h->naps_paid += paid;
	if (paid || woken)
		return wait_more(h);
	return sleep_time(h);
}

uint64_t host_arm(struct host *h, uint64_t now)
{
	return clock_pages_nap(h, idle_arm(h, now));
}

/* --- polling ---------------------------------------------------------------------------------- */

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
