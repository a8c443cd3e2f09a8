/* SPDX-License-Identifier: BSD-2-Clause */
#include <pthread.h>
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

void pause_for(const struct pause *p, void (*run)(void *arg), void *arg)
{
	struct pause_run r = {run, arg, p->wait ? eventfd(0, EFD_CLOEXEC) : -1};
	pthread_t thread;

	if (r.ended < 0 || pthread_create(&thread, NULL, pause_thread, &r)) {
		run(arg);
	} else {
		p->wait(p->arg, r.ended);
		pthread_join(thread, NULL);
	}
	if (r.ended >= 0)
		close(r.ended);
}
