/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "crew.h"
#include "tools/cli/exit.h"
#include "tools/cli/message.h"

enum { GATE_SHUT, GATE_OPEN, GATE_OFF };

struct crew {
	int (*work)(void *member);
	atomic_uint ready;
	atomic_int gate;
};

struct crew_thread {
	pthread_t id;
	struct crew *crew;
	void *member;
	int result;
};

static void *crew_thread_run(void *arg)
{
	struct crew_thread *t = arg;
	int gate;

	atomic_fetch_add(&t->crew->ready, 1);
	while ((gate = atomic_load(&t->crew->gate)) == GATE_SHUT)
		sched_yield();
	t->result = gate == GATE_OPEN ? t->crew->work(t->member) : 0;
	return NULL;
}

static int crew_start(struct crew_thread *t, const int *cpu)
{
	pthread_attr_t attr;
	cpu_set_t set;
	int err = pthread_attr_init(&attr);

	if (cpu) {
		CPU_ZERO(&set);
		CPU_SET((size_t)*cpu, &set);
		pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	}
	if (!err)
		err = pthread_create(&t->id, &attr, crew_thread_run, t);
	pthread_attr_destroy(&attr);
	if (err && cpu)
		message_print("--cpus: no thread can run on CPU %d: %s", *cpu, strerror(err));
	else if (err)
		message_print("--threads: cannot start one more thread: %s", strerror(err));
	return err;
}

/* Waits at the gate until all threads are there; then the threads run, or end at once. */
static int crew_join(struct crew *c, struct crew_thread *t, uint32_t n, int gate)
{
	int result = 0;

	while (atomic_load(&c->ready) < n)
		sched_yield();
	atomic_store(&c->gate, gate);
	for (uint32_t i = 0; i < n; i++) {
		pthread_join(t[i].id, NULL);
		result = result ? result : t[i].result;
	}
	return result;
}

int crew_run(uint32_t n, const int *cpu, int (*work)(void *member), void *members, size_t size)
{
	struct crew c = {.work = work};
	struct crew_thread *t;
	uint32_t i = 0;
	int result;

	if (n == 1 && !cpu)
		return work(members);
	t = calloc(n, sizeof(*t));
	for (; t && i < n; i++) {
		t[i].crew = &c;
		t[i].member = (char *)members + i * size;
		if (crew_start(&t[i], cpu ? &cpu[i] : NULL))
			break;
	}
	result = crew_join(&c, t, i, i == n ? GATE_OPEN : GATE_OFF);
	free(t);
	return i == n ? result : EXIT_INPUT;
}
