/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/test.h"
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/clock.h"
#include "chip/chip.h"
#include "kernel/kernel.h"
#include "host/client.h"
#include "host/uar.h"
#include "obj/device.h"

#define THREADS 4
#define CALLS	300

/* A chip on its own thread, and a queue for one call at a time per thread of the test. */
struct side {
	struct chip *chip;
	int fd;
	void (*fn)(struct side *);
	void *arg;
	sem_t done;
	unsigned int calls;
};

struct rig {
	struct chip *chip;
	pthread_t loop;
};

static void *loop_main(void *chip)
{
	chip_run(chip);
	return NULL;
}

static void rig_start(struct rig *r)
{
	r->chip = chip_new(&profile_bluefield2, NULL);
	assert_non_null(r->chip);
}

static void rig_run(struct rig *r)
{
	assert_int_equal(pthread_create(&r->loop, NULL, loop_main, r->chip), 0);
}

static void rig_stop(struct rig *r)
{
	chip_stop(r->chip);
	pthread_join(r->loop, NULL);
	chip_free(r->chip);
}

static void asked(void *arg, int fd)
{
	struct side *s = arg;
	uint64_t n;

	if (read(fd, &n, sizeof(n)) != sizeof(n))
		return;
	s->fn(s);
	s->calls++;
	sem_post(&s->done);
}

static void side_open(struct side *s, struct rig *r)
{
	memset(s, 0, sizeof(*s));
	s->chip = r->chip;
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sem_init(&s->done, 0, 0);
	assert_int_equal(chip_watch(r->chip, s->fd, asked, s), 0);
}

static void ask(struct side *s, void (*fn)(struct side *))
{
	const uint64_t one = 1;

	s->fn = fn;
	assert_int_equal(write(s->fd, &one, sizeof(one)), sizeof(one));
	while (sem_wait(&s->done))
		;
}

static void nothing(struct side *s)
{
	(void)s;
}

struct open_file {
	struct mm *mm;
	struct uverbs_file *file;
	uint8_t *uar;
};

static void file_open(struct side *s)
{
	struct open_file *f = s->arg;
	int page;

	f->mm = mm_open(chip_host(s->chip), getpid(), -1);
	f->file = kernel_open(chip_kernel(s->chip), f->mm, BLUEFIELD2_HOST);
	page = bar_page_alloc(file_bar(f->file), 0x1234);
	f->uar = mmap(NULL, UAR_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		      bar_fd(file_bar(f->file)), (off_t)page * UAR_PAGE);
}

static void file_close(struct side *s)
{
	struct open_file *f = s->arg;

	bar_page_free(file_bar(f->file), 0x1234);
	kernel_close(f->file);
	mm_close(f->mm);
	munmap(f->uar, UAR_PAGE);
}

static void ring(struct open_file *f)
{
	void *at = f->uar + UAR_BF;

	__atomic_store_n((uint64_t *)at, 1, __ATOMIC_RELEASE);
}

static void *caller(void *arg)
{
	struct open_file f;
	struct side *s = arg;

	s->arg = &f;
	for (unsigned int i = 0; i < CALLS / 10; i++) {
		ask(s, file_open);
		for (unsigned int j = 0; j < 8; j++) {
			ring(&f);
			ask(s, nothing);
		}
		ask(s, file_close);
	}
	s->arg = NULL;
	return NULL;
}

/* Several threads open, ring, call and close at the same time, on two chips of one process. */
TEST(none, test_threads)
{
	struct side side[2 * THREADS];
	pthread_t thread[2 * THREADS];
	struct rig rig[2];

	for (unsigned int i = 0; i < 2; i++)
		rig_start(&rig[i]);
	for (unsigned int i = 0; i < 2 * THREADS; i++)
		side_open(&side[i], &rig[i % 2]);
	for (unsigned int i = 0; i < 2; i++)
		rig_run(&rig[i]);
	for (unsigned int i = 0; i < 2 * THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, caller, &side[i]), 0);
	for (unsigned int i = 0; i < 2 * THREADS; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(side[i].calls, CALLS);
	}
	for (unsigned int i = 0; i < 2; i++)
		rig_stop(&rig[i]);
	for (unsigned int i = 0; i < 2 * THREADS; i++)
		close(side[i].fd);
}

/* The loop exchanges a register that it takes with 0. */
static void look_at_register(struct side *s)
{
	const struct open_file *f = s->arg;

	assert_int_equal(__atomic_load_n((const uint64_t *)(f->uar + UAR_BF), __ATOMIC_ACQUIRE), 0);
}

/* A request does not overtake the doorbell that its program rang before it. */
TEST(none, test_order)
{
	const uint64_t one = 1;
	struct open_file f;
	struct side side;
	struct rig rig;

	rig_start(&rig);
	side_open(&side, &rig);
	side.arg = &f;
	file_open(&side);
	chip_turn(rig.chip);
	side.fn = look_at_register;
	ring(&f);
	assert_int_equal(write(side.fd, &one, sizeof(one)), sizeof(one));
	chip_turn(rig.chip);
	assert_int_equal(side.calls, 1);
	file_close(&side);
	chip_free(rig.chip);
	close(side.fd);
}

struct storm {
	struct open_file *file;
	int over;
};

static void *storm(void *arg)
{
	struct storm *s = arg;

	while (!__atomic_load_n(&s->over, __ATOMIC_ACQUIRE))
		ring(s->file);
	return NULL;
}

/* A program that rings without end doesn't keep another program's requests out. */
TEST(none, test_busy)
{
	struct storm s = {0};
	struct open_file f;
	struct side side;
	struct rig rig;
	pthread_t thread;

	rig_start(&rig);
	side_open(&side, &rig);
	rig_run(&rig);
	side.arg = &f;
	ask(&side, file_open);
	s.file = &f;
	assert_int_equal(pthread_create(&thread, NULL, storm, &s), 0);
	for (unsigned int i = 0; i < CALLS; i++)
		ask(&side, nothing);
	__atomic_store_n(&s.over, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	ask(&side, file_close);
	rig_stop(&rig);
	close(side.fd);
}

struct tick {
	struct timer t; /* first */
	struct device *dev;
	unsigned int left;
	sem_t done;
};

static void ticked(struct timer *t)
{
	struct tick *tick = (struct tick *)t;

	if (--tick->left)
		timer_set(&tick->dev->timers, t, tick->dev->clock->now(tick->dev->clock) + 20000);
	else
		sem_post(&tick->done);
}

static void start_ticks(struct side *s)
{
	struct tick *tick = s->arg;

	timer_set(&tick->dev->timers, &tick->t, 0);
}

/* A sleeping loop wakes for its timers. */
TEST(none, test_timers)
{
	struct tick tick = {.t.fire = ticked, .left = 1000};
	struct side side;
	struct rig rig;

	rig_start(&rig);
	tick.dev = chip_device(rig.chip);
	sem_init(&tick.done, 0, 0);
	side_open(&side, &rig);
	rig_run(&rig);
	side.arg = &tick;
	ask(&side, start_ticks);
	while (sem_wait(&tick.done))
		;
	rig_stop(&rig);
	close(side.fd);
}

static unsigned int called[3];
static struct chip *watched_chip;
static int watched_fd[3];

static void unwatch_all(void *arg, int fd)
{
	called[(uintptr_t)arg]++;
	assert_int_equal(fd, watched_fd[(uintptr_t)arg]);
	for (unsigned int i = 0; i < 3; i++)
		chip_unwatch(watched_chip, watched_fd[i]);
}

/* After a callback has removed a descriptor, that one's callback isn't called in this turn. */
TEST(none, test_unwatch)
{
	const uint64_t one = 1;
	struct rig rig;

	rig_start(&rig);
	watched_chip = rig.chip;
	for (unsigned int i = 0; i < 3; i++) {
		watched_fd[i] = eventfd(0, EFD_CLOEXEC);
		assert_int_equal(
			chip_watch(rig.chip, watched_fd[i], unwatch_all, (void *)(uintptr_t)i), 0);
		assert_int_equal(write(watched_fd[i], &one, sizeof(one)), sizeof(one));
	}
	assert_true(chip_turn(rig.chip));
	assert_false(chip_turn(rig.chip));
	assert_int_equal(called[0] + called[1] + called[2], 1);
	assert_true(chip_watch(rig.chip, -1, unwatch_all, NULL) < 0);
	chip_unwatch(rig.chip, -1);
	chip_unwatch(rig.chip, 100000);
	chip_free(rig.chip);
	for (unsigned int i = 0; i < 3; i++)
		close(watched_fd[i]);
}

/* A stop requested before the loop runs isn't lost, and the loop can run again. */
TEST(none, test_stop)
{
	struct rig rig;

	rig_start(&rig);
	chip_stop(rig.chip);
	assert_int_equal(chip_run(rig.chip), 0);
	rig_run(&rig);
	rig_stop(&rig);
}
