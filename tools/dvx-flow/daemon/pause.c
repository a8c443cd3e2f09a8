/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "pause.h"

struct pause_run {
	void (*run)(void *arg);
	void *arg;
	int ended; /* an eventfd */
};

void pause_now(const struct pause *p)
{
	if (p->wait)
		p->wait(p->arg, -1);
}

static void *pause_thread(void *arg)
{
	const struct pause_run *r = arg;

	r->run(r->arg);
	eventfd_write(r->ended, 1);
	return NULL;
}

/* Makes the thread, with the stack that a main thread has: rules with many exceptions nest deeply. */
static bool pause_start(pthread_t *thread, struct pause_run *r)
{
	pthread_attr_t attr;
	bool started;

	if (pthread_attr_init(&attr))
		return false;
	started = !pthread_attr_setstacksize(&attr, (size_t)8 << 20) &&
		  !pthread_create(thread, &attr, pause_thread, r);
	pthread_attr_destroy(&attr);
	return started;
}

void pause_for(const struct pause *p, void (*run)(void *arg), void *arg)
{
	struct pause_run r = {run, arg, p->wait ? eventfd(0, EFD_CLOEXEC) : -1};
	pthread_t thread;

	if (r.ended < 0 || !pause_start(&thread, &r)) {
		run(arg);
	} else {
		p->wait(p->arg, r.ended);
		pthread_join(thread, NULL);
	}
	if (r.ended >= 0)
		close(r.ended);
}
