/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves: long work sends ALIVE each second, also while the clock is set back. */
#include "tests/test.h"
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "base/alive.h"
#include "copy_pull.h"

static bool clock_falls; /* the time of day is set back: an hour since the calendar was read */
static sem_t looked;	 /* the copier has looked at the monotonic clock */
static bool overslept;
static pthread_t copier;

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
time_t __real_time(time_t *t);
time_t __wrap_time(time_t *t);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
	int ret = __real_clock_gettime(id, t);

	if (clock_falls && id == CLOCK_REALTIME)
		t->tv_sec += 3600;
	if (clock_falls && id == CLOCK_MONOTONIC && pthread_equal(pthread_self(), copier))
		sem_post(&looked);
	return ret;
}

time_t __wrap_time(time_t *t)
{
	return clock_falls ? 0 : __real_time(t);
}

void copy_clock_await(void)
{
	struct timespec until;

	__real_clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 10;
	while (clock_falls && !sem_trywait(&looked))
		; /* before the sync */
	for (int i = 0; clock_falls && i < 2 && !overslept; i++)
		overslept = sem_clockwait(&looked, CLOCK_MONOTONIC, &until);
}

static int count_alive(void *sent)
{
	++*(unsigned int *)sent;
	return 0;
}

TEST(none, clock_set_back)
{
	static const struct play play = {
		{DIR_(""), FILE_("f", 0), END(1, 0), UP, DONE}, COPY_OK, "", 2};
	unsigned int sent = 0;
	struct alive a = {.send = count_alive, .arg = &sent};

	assert_int_equal(sem_init(&looked, 0, 0), 0);
	copier = pthread_self();
	a.last = clock_now_ms() - 1000 * ALIVE_SECONDS;
	clock_falls = true;
	assert_int_equal(alive_tick(&a), 0);
	copy_pull.fsync = FSYNC_END;
	copy_pull_expect(&play);
	clock_falls = false;
	copy_pull.fsync = FSYNC_GROUP;
	assert_int_equal(sent, 1);
	assert_false(overslept);
	sem_destroy(&looked);
}
