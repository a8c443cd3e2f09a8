/* SPDX-License-Identifier: BSD-2-Clause */
#include "workers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WORKERS_USUAL 4u

struct workers_queue {
	struct worker_job *first, **end;
};

/* The lock guards the fields behind it up to `busy`, which only the giving thread uses. */
struct workers {
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct workers_queue todo, done;
	bool over, signalled; /* signalled: the descriptor is readable */
	const void *lanes[WORKERS_MOST];
	unsigned int n;
	unsigned int busy, threads;
	int fd;
	pthread_t thread[];
};

unsigned int workers_usual(void)
{
	cpu_set_t cpus;
	int n = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);

	return (unsigned int)n < WORKERS_USUAL ? (unsigned int)n : WORKERS_USUAL;
}

static void workers_put(struct workers_queue *q, struct worker_job *job)
{
	job->next = NULL;
	*q->end = job;
	q->end = &job->next;
}

static struct worker_job *workers_unlink(struct workers_queue *q, struct worker_job **at)
{
	struct worker_job *job = *at;

	*at = job->next;
	if (!job->next)
		q->end = at;
	return job;
}

static bool workers_has_lane(const struct workers *c, const void *lane)
{
	for (unsigned int i = 0; lane && i < c->threads; i++)
		if (c->lanes[i] == lane)
			return true;
	return false;
}

/* Picks the first job whose lane is free; if none is, the first job. */
static struct worker_job *workers_choose(struct workers *c)
{
	for (struct worker_job **at = &c->todo.first; *at; at = &(*at)->next)
		if (!workers_has_lane(c, (*at)->lane))
			return workers_unlink(&c->todo, at);
	return workers_unlink(&c->todo, &c->todo.first);
}

static void workers_signal(struct workers *c)
{
	const uint64_t one = 1;

	if (!c->signalled)
		(void)!write(c->fd, &one, sizeof(one));
	c->signalled = true;
}

/* Runs a job. Called under the lock, which it releases meanwhile. */
static void workers_do(struct workers *c, unsigned int me)
{
	struct worker_job *job = workers_choose(c);

	c->lanes[me] = job->lane;
	pthread_mutex_unlock(&c->lock);
	job->run(job);
	pthread_mutex_lock(&c->lock);
	c->lanes[me] = NULL;
	workers_put(&c->done, job);
	workers_signal(c);
}

static void *workers_main(void *arg)
{
	struct workers *c = arg;
	unsigned int me;

	pthread_mutex_lock(&c->lock);
	me = c->n++;
	for (;;) {
		while (!c->over && !c->todo.first)
			pthread_cond_wait(&c->work, &c->lock);
		if (c->over)
			break;
		workers_do(c, me);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Starts the threads with all signals blocked: the main thread handles them. */
static int workers_start(struct workers *c, unsigned int threads, struct copy_fault *f)
{
	sigset_t all, old;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	while (!err && c->threads < threads)
		if (!(err = pthread_create(&c->thread[c->threads], NULL, workers_main, c)))
			c->threads++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err ? copy_fail(f, COPY_IO, "no thread for files: %s", strerror(err)) : 0;
}

int workers_make(struct workers **out, unsigned int threads, struct copy_fault *f)
{
	unsigned int n = threads < 2 ? 0 : threads < WORKERS_MOST ? threads : WORKERS_MOST;
	struct workers *c = calloc(1, sizeof(*c) + n * sizeof(c->thread[0]));

	if (!c)
		return copy_no_memory(f);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->work, NULL);
	c->todo.end = &c->todo.first;
	c->done.end = &c->done.first;
	*out = c;
	c->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->fd < 0)
		return copy_fail(f, COPY_IO, "no descriptor for the threads: %s", strerror(errno));
	return workers_start(c, n, f);
}

void workers_free(struct workers *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->over = true;
	pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	for (unsigned int i = 0; i < c->threads; i++)
		pthread_join(c->thread[i], NULL);
	pthread_cond_destroy(&c->work);
	pthread_mutex_destroy(&c->lock);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
}

void workers_give(struct workers *c, struct worker_job *job)
{
	c->busy++;
	pthread_mutex_lock(&c->lock);
	workers_put(&c->todo, job);
	if (c->threads)
		pthread_cond_signal(&c->work);
	else
		workers_do(c, 0);
	pthread_mutex_unlock(&c->lock);
}

void workers_cancel(struct workers *c)
{
	pthread_mutex_lock(&c->lock);
	while (c->todo.first) {
		workers_put(&c->done, workers_unlink(&c->todo, &c->todo.first));
		workers_signal(c);
	}
	pthread_mutex_unlock(&c->lock);
}

static struct worker_job *workers_pop(struct workers *c)
{
	struct worker_job *job;
	uint64_t n;

	pthread_mutex_lock(&c->lock);
	job = c->done.first ? workers_unlink(&c->done, &c->done.first) : NULL;
	if (!c->done.first && c->signalled) {
		c->signalled = false;
		(void)!read(c->fd, &n, sizeof(n));
	}
	pthread_mutex_unlock(&c->lock);
	return job;
}

struct worker_job *workers_take(struct workers *c, int wait_ms)
{
	struct pollfd p = {.fd = c->fd, .events = POLLIN};
	struct worker_job *job = c->busy ? workers_pop(c) : NULL;

	if (!job && c->busy && wait_ms && poll(&p, 1, wait_ms) > 0)
		job = workers_pop(c);
	c->busy -= !!job;
	return job;
}

unsigned int workers_busy(const struct workers *c)
{
	return c->busy;
}

unsigned int workers_threads(const struct workers *c)
{
	return c->threads;
}

int workers_fd(const struct workers *c)
{
	return c->fd;
}
