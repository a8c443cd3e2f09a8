/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "progress.h"
#include "ticks.h"

#define FIRST_NS 100000000u /* least time between lines of short measurements */
#define EVERY_NS 250000000u

static struct {
	bool wanted, shown, running;
	uint64_t shown_at;
	char text[160];
	uint64_t total;
	progress_count_fn *count;
	const void *of;
	pthread_t thread;
	pthread_mutex_t lock; /* guards `running` */
	pthread_cond_t ends;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

void progress_begin(bool quiet)
{
	pthread_condattr_t attr;

	progress.wanted = !quiet && isatty(STDERR_FILENO);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&progress.ends, &attr);
	pthread_condattr_destroy(&attr);
}

static void progress_show(void)
{
	uint64_t done = progress.count(progress.of);

	fprintf(stderr, "\r\033[K%s, %.1f %%", progress.text,
		100 * (double)done / (double)(progress.total ? progress.total : 1));
	fflush(stderr);
	progress.shown = true;
	progress.shown_at = ticks_now_ns();
}

static void *progress_run(void *arg)
{
	struct timespec at;
	uint64_t next;

	(void)arg;
	pthread_mutex_lock(&progress.lock);
	while (progress.running) {
		next = ticks_now_ns() + EVERY_NS;
		at.tv_sec = (time_t)(next / 1000000000u);
		at.tv_nsec = (long)(next % 1000000000u);
		if (pthread_cond_timedwait(&progress.ends, &progress.lock, &at))
			progress_show();
	}
	pthread_mutex_unlock(&progress.lock);
	return NULL;
}

void progress_watch(uint64_t total, progress_count_fn *count, const void *of, const char *fmt, ...)
{
	va_list args;

	if (!progress.wanted)
		return;
	va_start(args, fmt);
	vsnprintf(progress.text, sizeof(progress.text), fmt, args);
	va_end(args);
	progress.total = total;
	progress.count = count;
	progress.of = of;
	if (!progress.shown || ticks_now_ns() - progress.shown_at >= FIRST_NS)
		progress_show();
	progress.running = true;
	if (pthread_create(&progress.thread, NULL, progress_run, NULL))
		progress.running = false;
}

void progress_unwatch(void)
{
	if (!progress.running)
		return;
	pthread_mutex_lock(&progress.lock);
	progress.running = false;
	pthread_cond_signal(&progress.ends);
	pthread_mutex_unlock(&progress.lock);
	pthread_join(progress.thread, NULL);
}

void progress_clear(void)
{
	if (progress.shown)
		fputs("\r\033[K", stderr);
	progress.shown = false;
}
