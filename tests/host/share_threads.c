/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that no store of a thread is lost while pages move under it, with forks and without. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "share_rig.h"
#include "share_scenes.h"

#define MAKERS	 2
#define COUNTERS 3
#define UMEM_LEN (PAGE + 1000)
/* Cells of one counter: in the record's page, in a umem, in the rest of its last page. */
#define CELLS 16

static struct maker {
	struct rig rig;
	struct arena arena;
	char *umem;
	int rounds;
} makers[MAKERS];

static struct counter {
	volatile uint64_t *cell[CELLS];
	uint64_t counted;
} counters[COUNTERS];

static int making, seen_shared;
static bool stop;

static void *count(void *arg)
{
	struct counter *c = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (unsigned int i = 0; i < CELLS; i++)
			++*c->cell[i];
		c->counted++;
	}
	return NULL;
}

static void *make(void *arg)
{
	struct maker *m = arg;

	for (int i = 0; i < m->rounds; i++) {
		struct ibv_qp *qp = rig_qp(&m->rig);
		struct mlx5dv_devx_umem *umem =
			mlx5dv_devx_umem_reg(m->rig.ctx, m->umem, UMEM_LEN, IBV_ACCESS_LOCAL_WRITE);

		CHECK(umem);
		if (i % 16 == 0)
			__atomic_fetch_add(&seen_shared,
					   mem_shared(m->arena.at, PAGE) &&
						   mem_shared(m->umem, 2 * PAGE),
					   __ATOMIC_RELAXED);
		CHECK(!ibv_destroy_qp(qp));
		CHECK(!mlx5dv_devx_umem_dereg(umem));
	}
	__atomic_fetch_sub(&making, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void setup_counters(int rounds)
{
	for (unsigned int i = 0; i < MAKERS; i++) {
		makers[i].arena = (struct arena){mem_pages(64 * PAGE), PAGE};
		makers[i].umem = mem_pages(2 * PAGE);
		makers[i].rounds = rounds;
		rig_open(&makers[i].rig, &makers[i].arena);
	}
	for (unsigned int c = 0; c < COUNTERS; c++)
		for (unsigned int i = 0; i < CELLS; i++) {
			const struct maker *m = &makers[i % MAKERS];
			size_t off = 64 * (1 + i * COUNTERS + c);

			counters[c].cell[i] = (void *)(i / MAKERS % 2 ? m->arena.at + off
						       : i % 3	      ? m->umem + off
								      : m->umem + PAGE + off);
		}
}

static void check_counters(void)
{
	for (unsigned int c = 0; c < COUNTERS; c++)
		for (unsigned int i = 0; i < CELLS; i++)
			CHECK(*counters[c].cell[i] == counters[c].counted);
}

/* Checks in a fork child that memory does not change by itself, and its stores are kept. */
static void child_of_counters(void)
{
	uint64_t then[COUNTERS][CELLS];

	for (unsigned int c = 0; c < COUNTERS; c++)
		for (unsigned int i = 0; i < CELLS; i++)
			then[c][i] = *counters[c].cell[i];
	for (int spin = 0; spin < 20; spin++)
		for (unsigned int c = 0; c < COUNTERS; c++)
			for (unsigned int i = 0; i < CELLS; i++)
				if (*counters[c].cell[i] != then[c][i])
					_exit(1);
	for (unsigned int c = 0; c < COUNTERS; c++)
		for (unsigned int i = 0; i < CELLS; i++)
			*counters[c].cell[i] = 0x5555555555555555;
	_exit(mem_shared(NULL, 0) ? 2 : 0);
}

static void fork_now(void)
{
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (!child)
		child_of_counters();
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(status == 0);
}

static int threads(int rounds, bool forks)
{
	pthread_t maker[MAKERS], counter[COUNTERS];

	if (MEM_TSAN && !mem_shares)
		return 77; /* it would have to be one thread again */
	setup_counters(rounds);
	making = MAKERS;
	for (unsigned int i = 0; i < COUNTERS; i++)
		CHECK(!pthread_create(&counter[i], NULL, count, &counters[i]));
	for (unsigned int i = 0; i < MAKERS; i++)
		CHECK(!pthread_create(&maker[i], NULL, make, &makers[i]));
	while (forks && __atomic_load_n(&making, __ATOMIC_ACQUIRE))
		fork_now();
	for (unsigned int i = 0; i < MAKERS; i++)
		pthread_join(maker[i], NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < COUNTERS; i++)
		pthread_join(counter[i], NULL);
	check_counters();
	CHECK((seen_shared > 0) == mem_shares);
	for (unsigned int i = 0; i < MAKERS; i++) {
		CHECK(!mem_shared(makers[i].arena.at, 64 * PAGE) &&
		      !mem_shared(makers[i].umem, 2 * PAGE));
		CHECK(!ibv_destroy_cq(makers[i].rig.cq));
		CHECK(!ibv_close_device(makers[i].rig.ctx));
	}
	CHECK(!mem_shared(NULL, 0));
	return 0;
}

/* No increment is lost while pages move back and forth under the threads that increment. */
int scene_threads(void)
{
	return threads(mem_rounds(40, 1000), false);
}

/* Like scene_threads(), while children are forked. */
int scene_threads_fork(void)
{
	return threads(mem_rounds(32, 300), true);
}
