/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The experiment with threads: the rate over the number of threads, for each way to share queues.
 */
#include <unistd.h>
#include "crew.h"
#include "exits.h"
#include "plot.h"
#include "progress.h"
#include "stop.h"
#include "threads.h"
#include "ticks.h"
#include "tools/cli/message.h"

#define THREADS_RESULTS (HUB_MODES * 16)
#define THREADS_SIZE	4096
#define THREADS_CYCLES	20

static void waits_add(struct hub_waits *to, const struct hub_waits *from)
{
	to->takes += from->takes;
	to->waits += from->waits;
	to->ticks += from->ticks;
	to->longest = from->longest > to->longest ? from->longest : to->longest;
}

static void threads_sum(const struct hub *h, double ns_per_tick, struct threads_result *r)
{
	uint64_t began = UINT64_MAX, ended = 0, busy = 0, ringing = 0;

	for (uint32_t i = 0; i < h->request.threads; i++) {
		const struct hub_thread *t = &h->thread[i];

		began = t->began < began ? t->began : began;
		ended = t->ended > ended ? t->ended : ended;
		busy += t->ended - t->began;
		ringing += t->ringing;
		r->messages += t->posted;
		waits_add(&r->queue_lock, &t->queue_lock);
		waits_add(&r->register_lock, &t->register_lock);
	}
	r->rate = (double)r->messages / ((double)(ended - began) * ns_per_tick * 1e-9);
	r->ns_per_tick = ns_per_tick;
	r->doorbell = r->messages ? (double)ringing * ns_per_tick / (double)r->messages : 0;
	r->queue_share = (double)r->queue_lock.ticks / (double)busy;
	r->register_share = (double)r->register_lock.ticks / (double)busy;
}

static uint64_t threads_done(const void *of)
{
	const struct hub *h = of;
	uint64_t done = 0;

	for (uint32_t i = 0; i < h->request.threads; i++)
		done += atomic_load_explicit(&h->thread[i].done, memory_order_relaxed);
	return done;
}

static int threads_one(const struct threads_of *of, double ns_per_tick, struct threads_result *r)
{
	const struct perf_args *a = of->args;
	struct hub_request w = {of->site,  r->mode, r->threads, a->connections,
				a->queues, a->size, a->window,	a->count};
	struct hub *h;
	int code = hub_open(&w, &h);

	if (code)
		return code;
	progress_watch((uint64_t)w.connections * w.cycles, threads_done, h, "%u threads, %s",
		       r->threads, hub_mode_names[r->mode]);
	code = crew_run(w.threads, a->cpus ? a->cpu : NULL, hub_cycles, h->thread,
			sizeof(*h->thread));
	progress_unwatch();
	threads_sum(h, ns_per_tick, r);
	hub_close(h);
	progress_clear();
	if (code < 0)
		code = EXIT_DEVICE;
	return code ? code : threads_print(of, r);
}

/* Returns the next number of threads: 1, 2, 4 ... and the most. */
static uint32_t threads_next(uint32_t n, uint32_t most)
{
	return n < most && 2 * n > most ? most : 2 * n;
}

static int threads_all(const struct threads_of *of)
{
	static struct threads_result results[THREADS_RESULTS];
	double ns_per_tick = ticks_to_ns();
	int code = threads_begin(of);
	size_t n = 0;

	for (uint32_t t = 1; t <= of->args->threads; t = threads_next(t, of->args->threads))
		for (enum hub_mode mode = 0; !code && !stop_asked() && mode < HUB_MODES; mode++) {
			results[n] = (struct threads_result){.mode = mode, .threads = t};
			code = threads_one(of, ns_per_tick, &results[n++]);
		}
	if (!code)
		code = threads_end(of, results, n);
	return code || !n ? code : threads_plot(of, results, n);
}

/* Sets the defaults of this command. */
static struct perf_args threads_args(const struct perf_args *a)
{
	struct perf_args own = *a;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!own.threads)
		own.threads = own.cpus ? own.cpus : cpus > 2 ? (uint32_t)cpus : 2;
	if (!own.size)
		own.size = THREADS_SIZE;
	if (!own.count)
		own.count = THREADS_CYCLES;
	return own;
}

int perf_cmd_threads(const struct perf_args *a)
{
	struct perf_args own = threads_args(a);
	struct perf_site site;
	struct threads_of of = {&own, &site};
	int code;

	if (own.connections < own.threads) {
		message_print("--connections=%u: %u threads need one each", own.connections,
			      own.threads);
		return EXIT_USAGE;
	}
	code = plot_begin(a->plot);
	if (code)
		return code;
	progress_begin(a->quiet);
	stop_catch();
	code = site_open(&site, a->device, SITE_ANY_GID);
	if (!code)
		code = threads_all(&of);
	plot_drop();
	if (!code)
		code = stop_code();
	site_close(&site);
	return code;
}
