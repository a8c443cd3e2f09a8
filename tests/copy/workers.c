/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: each job is done once and comes back, with and without threads, and two threads prefer
 * two directories to one.
 */
#include "tests/test.h"

#include <pthread.h>

#include "base/workers.h"

#define JOBS 2000u

struct count_job {
	struct worker_job job;
	unsigned int done;
};

static void count_run(struct worker_job *job)
{
	((struct count_job *)job)->done++;
}

static void check_count(unsigned int threads)
{
	static struct count_job jobs[JOBS];
	struct copy_fault f = {0};
	struct workers *w = NULL;
	unsigned int taken = 0;

	assert_int_equal(workers_make(&w, threads, &f), 0);
	for (unsigned int i = 0; i < JOBS; i++) {
		jobs[i] = (struct count_job){.job = {.run = count_run, .lane = &jobs[i % 3]}};
		workers_give(w, &jobs[i].job);
		for (struct worker_job *j; i % 7 == 0 && (j = workers_take(w, 0)); taken++)
			assert_int_equal(((struct count_job *)j)->done, 1);
	}
	while (workers_busy(w))
		taken += workers_take(w, 60000) != NULL;
	assert_int_equal(taken, JOBS);
	for (unsigned int i = 0; i < JOBS; i++)
		assert_int_equal(jobs[i].done, 1);
	workers_free(w);
}

TEST(none, every_job_once)
{
	check_count(1);
	check_count(2);
	check_count(8);
}

/* A job that waits until all jobs are given, then meets the other thread's job. */
struct meet_job {
	struct worker_job job;
	pthread_barrier_t *meet;
	bool *sets, *reads; /* sets the one, reads the other */
	bool saw;
};

static void meet_run(struct worker_job *job)
{
	struct meet_job *m = (struct meet_job *)job;

	if (m->sets)
		__atomic_store_n(m->sets, true, __ATOMIC_RELEASE);
	if (m->reads)
		m->saw = __atomic_load_n(m->reads, __ATOMIC_ACQUIRE);
	if (m->meet)
		pthread_barrier_wait(m->meet);
}

TEST(none, two_directories_at_once)
{
	pthread_barrier_t begin, meet;
	struct copy_fault f = {0};
	struct workers *w = NULL;
	bool other = false;
	struct meet_job jobs[] = {
		{.job = {.run = meet_run, .lane = "1"}, .meet = &begin},
		{.job = {.run = meet_run, .lane = "2"}, .meet = &begin},
		{.job = {.run = meet_run, .lane = "a"}, .meet = &meet},
		{.job = {.run = meet_run}, .reads = &other},
		{.job = {.run = meet_run, .lane = "b"}, .meet = &meet, .sets = &other},
	};

	jobs[3].job.lane = jobs[2].job.lane;
	pthread_barrier_init(&begin, NULL, 3);
	pthread_barrier_init(&meet, NULL, 2);
	assert_int_equal(workers_make(&w, 2, &f), 0);
	for (unsigned int i = 0; i < 5; i++)
		workers_give(w, &jobs[i].job);
	pthread_barrier_wait(&begin);
	while (workers_busy(w))
		workers_take(w, 60000);
	assert_true(jobs[3].saw);
	workers_free(w);
	pthread_barrier_destroy(&begin);
	pthread_barrier_destroy(&meet);
}

struct held_job {
	struct worker_job job;
	pthread_barrier_t *begun, *end;
};

static void held_run(struct worker_job *job)
{
	struct held_job *h = (struct held_job *)job;

	pthread_barrier_wait(h->begun);
	pthread_barrier_wait(h->end);
}

/* Jobs that threads have begun are finished; the others come back undone. */
TEST(none, cancelled)
{
	pthread_barrier_t begun, end;
	struct held_job held[2];
	struct count_job rest[10] = {0};
	struct copy_fault f = {0};
	struct workers *w = NULL;
	unsigned int taken = 0;

	pthread_barrier_init(&begun, NULL, 3);
	pthread_barrier_init(&end, NULL, 3);
	assert_int_equal(workers_make(&w, 2, &f), 0);
	for (unsigned int i = 0; i < 2; i++) {
		held[i] = (struct held_job){{.run = held_run}, &begun, &end};
		workers_give(w, &held[i].job);
	}
	pthread_barrier_wait(&begun);
	for (unsigned int i = 0; i < 10; i++) {
		rest[i].job.run = count_run;
		workers_give(w, &rest[i].job);
	}
	workers_cancel(w);
	pthread_barrier_wait(&end);
	while (workers_busy(w))
		taken += workers_take(w, 60000) != NULL;
	assert_int_equal(taken, 12);
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(rest[i].done, 0);
	workers_free(w);
	pthread_barrier_destroy(&begun);
	pthread_barrier_destroy(&end);
}
