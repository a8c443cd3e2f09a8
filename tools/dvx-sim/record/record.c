/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-sim record: runs a command, and writes what it and its device do into a file. */
#include "tools/dvx-sim/dvx-sim.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "src/record/record.h"

/* A recording that is made: its file, which all writers map. */
struct record_command_line {
	char path[PATH_MAX];
	int fd;
	uint64_t size;
};

static uint64_t record_wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool record_cant(const char *path, const char *what, int err)
{
	message_print("can't record to %s: %s%s", path, strerror(err), what);
	return false;
}

/* Makes the file with all its room, so that a disk that gets full later ends no recording. */
static int record_fill(const struct record_command_line *c)
{
	struct record_file f = {.magic = RECORD_MAGIC,
				.version = RECORD_VERSION,
				.used = sizeof(f),
				.began = record_now(),
				.wall = record_wall()};
	int err = posix_fallocate(c->fd, 0, (off_t)c->size);

	return err || pwrite(c->fd, &f, sizeof(f), 0) == sizeof(f) ? err : errno;
}

/*
 * Makes a new file, which takes the place of the one that is there as soon as it has its room. Processes
 * may have that one mapped: those of another record, or that outlived one. Truncation would kill them.
 */
static bool record_create(struct record_command_line *c, const char *path)
{
	char fresh[PATH_MAX + 16];
	struct stat st;
	const bool there = !stat(path, &st);
	int err;

	if (there && !S_ISREG(st.st_mode))
		return record_cant(path, " (it is no regular file)", EINVAL);
	if (there && !realpath(path, c->path))
		return record_cant(path, "", errno);
	snprintf(fresh, sizeof(fresh), "%s.%d", there ? c->path : path, getpid());
	c->fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (c->fd < 0)
		return record_cant(path, "", errno);
	err = record_fill(c);
	if (!err && !rename(fresh, there ? c->path : path) && realpath(path, c->path))
		return true;
	record_cant(path, err ? " (--size takes less room)" : "", err ? err : errno);
	unlink(fresh); /* gives the room back */
	return false;
}

static bool record_copy(int fd, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	ssize_t n;

	for (; len; at += n, len -= (size_t)n) {
		n = write(fd, at, len);
		if (n < 0)
			return false;
	}
	return true;
}

/*
 * Ends the recording: a file of its real size takes the place of the one that was mapped. A process
 * that outlived the command may have it mapped, so it is not truncated.
 */
static bool record_finish(struct record_command_line *c)
{
	struct record_file *f = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	char temporary[PATH_MAX + 8];
	struct stat st;
	uint64_t used;
	bool ok;
	int fd;

	if (f == MAP_FAILED || fstat(c->fd, &st))
		return record_cant(c->path, "", errno);
	__atomic_store_n(&f->ended, 1, __ATOMIC_SEQ_CST);
	used = __atomic_load_n(&f->used,
			       __ATOMIC_SEQ_CST); /* it may grow by one event of each writer */
	snprintf(temporary, sizeof(temporary), "%s.XXXXXX", c->path);
	fd = mkstemp(temporary);
	ok = fd >= 0 && used <= c->size && record_copy(fd, f, used) &&
	     pwrite(fd, &used, sizeof(used), offsetof(struct record_file, used)) == sizeof(used) &&
	     !fchmod(fd, st.st_mode & 0777) && !rename(temporary, c->path);
	if (!ok) {
		record_cant(c->path, "", errno);
		f->ended = 0; /* can be shown as it is */
	}
	if (!ok && fd >= 0)
		unlink(temporary);
	if (f->lost)
		message_print(
			"%s is full: %llu later events are not in it (--size gives it more room)",
			c->path, (unsigned long long)f->lost);
	if (fd >= 0)
		close(fd);
	munmap(f, c->size);
	return ok;
}

static bool record_args_fit(const struct sim_args *a)
{
	const bool device = a->set || a->fault || a->inject || a->ip || a->netdev ||
			    strcmp(a->function, "host") || a->hostile;

	if (!a->output)
		message_print("record needs -o FILE, the file to write");
	else if (a->nic && device)
		message_print("--nic starts no device, so it goes with -o and --size alone");
	return a->output && !(a->nic && device);
}

int cmd_record(const struct sim_args *a)
{
	struct record_command_line c = {.fd = -1, .size = a->size << 20};
	const struct run_observer observer = {.record = c.path};
	int code = EXIT_SELF;

	if (!record_args_fit(a) || !record_create(&c, a->output))
		return EXIT_SELF;
	code = a->nic ? run_on_nic(a->argv, &observer) : run_observed(a, a->argv, &observer);
	if (!record_finish(&c))
		code = EXIT_SELF;
	close(c.fd);
	return code;
}
