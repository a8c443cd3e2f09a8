/* SPDX-License-Identifier: BSD-2-Clause */
#include "read.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define READ_MOST 32u /* files in one job */

struct read_batch {
	struct worker_job job;
	struct read_file *files;
	uint32_t n;
};

int read_open(const struct listed *e)
{
	return openat(e->dir->fd, e->name,
		      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

ssize_t read_full(int fd, uint8_t *to, size_t n, off_t off)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = pread(fd, to + have, n - have, off + (off_t)have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

static void read_one(struct read_file *r)
{
	int fd = read_open(r->e);
	ssize_t got = fd < 0 ? -1 : read_full(fd, r->to, r->e->size, 0);

	r->err = got < 0 || fstat(fd, &r->st) ? errno : 0;
	r->got = got < 0 ? 0 : (uint64_t)got;
	if (fd >= 0)
		close(fd);
}

static void read_run(struct worker_job *job)
{
	struct read_batch *r = (struct read_batch *)job;

	for (uint32_t i = 0; i < r->n; i++)
		read_one(&r->files[i]);
}

/* Waits for all jobs, even after a failure: they write into the slot. */
static int read_await(struct copy_sender *s)
{
	int lost = 0;

	while (workers_busy(s->workers))
		if (!workers_take(s->workers, ALIVE_SECONDS * 1000) && !lost)
			lost = alive_tick(&s->alive);
	return lost;
}

int read_files(struct copy_sender *s, struct read_file *files, uint32_t n)
{
	struct read_batch jobs[WORKERS_MOST + MSG_PIECES / READ_MOST + 1];
	uint32_t each = n / (workers_threads(s->workers) + 1) + 1, at = 0;

	if (each > READ_MOST)
		each = READ_MOST;
	for (uint32_t i = 0; at < n; i++, at += each) {
		jobs[i] = (struct read_batch){.job = {.run = read_run},
					      .files = files + at,
					      .n = n - at < each ? n - at : each};
		workers_give(s->workers, &jobs[i].job);
	}
	return read_await(s);
}
