/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that processes append to one recording without a loss: each one's events are there, whole and in
 * their order, also if it is killed, and what has no room is counted.
 */
#include "tests/test.h"
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "record/record.h"

#define WRITERS 4
#define EVENTS	500u
#define ROOM	(1u << 20)

static struct record_file *writers_file(size_t size)
{
	const struct record_file begin = {
		.magic = RECORD_MAGIC, .version = RECORD_VERSION, .used = sizeof(begin)};
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct record_file *f;
	char path[64];

	assert_true(fd >= 0 && !ftruncate(fd, (off_t)size));
	f = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(f != MAP_FAILED);
	*f = begin;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(record_open(path, "writer"), 0);
	close(fd);
	return f;
}

static bool writers_append(uint64_t n)
{
	struct record_retry *r = record_begin(RECORD_RETRY, sizeof(*r), 0);

	if (!r)
		return false;
	r->rnr_ns = n;
	record_end(r);
	return true;
}

/* Counts the events of a process, which are in their order. */
static uint64_t writers_count(const struct record_file *f, size_t size, pid_t pid, uint64_t *torn)
{
	const struct record_head *h;
	struct record_reader r;
	uint64_t n = 0, names = 0;

	assert_true(record_read(&r, f, size));
	while ((h = record_next(&r))) {
		if (h->pid != (uint32_t)pid)
			continue;
		if (h->kind == RECORD_RETRY)
			assert_int_equal(((const struct record_retry *)record_body(h))->rnr_ns,
					 n++);
		else
			names += !strcmp(record_body(h), "writer");
	}
	assert_string_equal(r.why, "");
	assert_int_equal(names, 1);
	*torn = r.torn;
	return n;
}

static pid_t writers_fork(uint64_t events)
{
	pid_t pid = fork();

	for (uint64_t i = 0; !pid && i < events; i++)
		writers_append(i);
	if (!pid)
		_exit(0);
	return pid;
}

TEST(none, processes_side_by_side)
{
	struct record_file *f = writers_file(ROOM);
	pid_t pids[WRITERS];
	uint64_t torn;

	for (int i = 0; i < WRITERS; i++)
		pids[i] = writers_fork(EVENTS);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(waitpid(pids[i], NULL, 0), pids[i]);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(writers_count(f, ROOM, pids[i], &torn), EVENTS);
	assert_int_equal(torn, 0);
	munmap(f, ROOM);
}

TEST(none, a_writer_is_killed)
{
	struct record_file *f = writers_file(ROOM);
	pid_t pid = writers_fork(UINT64_MAX);
	uint64_t torn;

	while (__atomic_load_n(&f->used, __ATOMIC_RELAXED) < ROOM / 4)
		sched_yield();
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(writers_count(f, ROOM, pid, &torn) > ROOM / 4 / 64);
	assert_true(torn <= 1);
	munmap(f, ROOM);
}

TEST(none, no_room)
{
	const size_t size = sizeof(struct record_file) + 48 + 10 * 56 + 40;
	struct record_file *f = writers_file(size);
	uint64_t torn;

	for (uint64_t i = 0; i < 12; i++)
		assert_int_equal(writers_append(i), i < 10);
	assert_null(record_begin(RECORD_PROCESS, 8, 0)); /* it would fit, but left a gap */
	assert_int_equal(f->lost, 3);
	assert_int_equal(writers_count(f, size, getpid(), &torn), 10);
	munmap(f, size);
}

TEST(none, ended)
{
	struct record_file *f = writers_file(ROOM);
	uint64_t torn;

	assert_true(writers_append(0));
	f->ended = 1;
	assert_false(writers_append(1));
	assert_int_equal(writers_count(f, f->used, getpid(), &torn), 1);
	munmap(f, ROOM);
}

/* Any process that maps the file may write over a length while another's event is written. */
TEST(none, a_length_is_overwritten)
{
	struct record_file *f = writers_file(ROOM);
	struct record_reader reader;
	struct record_retry *r;

	assert_true(writers_append(0));
	r = record_begin(RECORD_RETRY, sizeof(*r), 0);
	assert_non_null(r);
	((struct record_head *)r - 1)->len = 0xfffffff8;
	record_end(r);
	assert_true(record_read(&reader, f, ROOM));
	while (record_next(&reader))
		;
	assert_string_not_equal(reader.why, "");
	munmap(f, ROOM);
}
