/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of temporary files, and removal of stale ones. A name tells which process made it, so that
 * the next copy removes what a killed one left, and leaves alone what a running one uses.
 */
#include "dest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STRANGE_AGE 86400 /* seconds until a file of another machine counts as stale */

static uint64_t hash_add(uint64_t h, const void *p, size_t n)
{
	for (const uint8_t *b = p; n--; b++)
		h = (h ^ *b) * 0x100000001b3u;
	return h;
}

uint32_t temp_home(void)
{
	static uint32_t known; /* to all threads */
	uint32_t home = __atomic_load_n(&known, __ATOMIC_RELAXED);
	uint64_t h = 0xcbf29ce484222325u;
	char boot[40];
	struct stat st;
	int fd;

	if (home)
		return home;
	fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = read(fd, boot, sizeof(boot));

		h = hash_add(h, boot, n > 0 ? (size_t)n : 0);
		close(fd);
	}
	if (!stat("/proc/self/ns/pid", &st))
		h = hash_add(h, &st.st_ino, sizeof(st.st_ino));
	home = (uint32_t)(h >> 32 ^ h) & 0xffff;
	home += !home;
	__atomic_store_n(&known, home, __ATOMIC_RELAXED);
	return home;
}

int temp_name(char to[TEMP_BYTES])
{
	static uint32_t next; /* of all threads */
	uint32_t n = __atomic_load_n(&next, __ATOMIC_RELAXED), first = 0;

	/* Starts anywhere: an earlier process of this number may have left files. */
	if (!n) {
		if (getrandom(&n, sizeof(n), 0) != sizeof(n))
			return -1;
		__atomic_compare_exchange_n(&next, &first, n | 1, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	}
	n = __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
	snprintf(to, TEMP_BYTES, TEMP_PREFIX "%04x%06x%06x", temp_home(),
		 (unsigned int)getpid() & 0xffffff, n & 0xffffff);
	return 0;
}

void temp_part_name(char to[TEMP_BYTES], const char *name, uint64_t size,
		    const struct timespec *mtime)
{
	uint64_t h = hash_add(0xcbf29ce484222325u, name, strlen(name) + 1);

	h = hash_add(h, &size, sizeof(size));
	h = hash_add(h, &mtime->tv_sec, sizeof(mtime->tv_sec));
	h = hash_add(h, &mtime->tv_nsec, sizeof(mtime->tv_nsec));
	snprintf(to, TEMP_BYTES, TEMP_PREFIX "%016" PRIx64 TEMP_PART, h);
}

static bool temp_ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/* Whether the open file still has the name: its copy may have ended, and another one begun. */
static bool temp_has_name(int dir, const char *name, int fd)
{
	struct stat opened, named;

	return !fstat(fd, &opened) && !fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* Removes a part that no copy has locked, under the lock, so that none begins to write it. */
static bool temp_part_remove(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool removed;

	if (fd < 0)
		return false;
	removed = !flock(fd, LOCK_EX | LOCK_NB) && temp_has_name(dir, name, fd) &&
		  !unlinkat(dir, name, 0);
	close(fd);
	return removed;
}

struct temp_maker {
	unsigned int home, pid;
};

/* Parses a name of temp_name(), and finds the process that made it. */
static bool temp_parse(const char *name, struct temp_maker *maker)
{
	unsigned int n;
	int end = 0;

	return sscanf(name, TEMP_PREFIX "%4x%6x%6x%n", &maker->home, &maker->pid, &n, &end) == 3 &&
	       !name[end];
}

bool temp_is_reserved(const char *name)
{
	const char *digits = name + strlen(TEMP_PREFIX);

	return !strncmp(name, TEMP_PREFIX, strlen(TEMP_PREFIX)) &&
	       strspn(digits, "0123456789abcdef") == 16 &&
	       (!digits[16] || !strcmp(digits + 16, TEMP_PART));
}

static bool temp_is_left(int dir, const char *name)
{
	struct temp_maker maker;
	struct stat st;

	if (!temp_parse(name, &maker))
		return false;
	if (maker.home == temp_home())
		return kill((pid_t)maker.pid, 0) && errno == ESRCH;
	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       time(NULL) - st.st_ctim.tv_sec > STRANGE_AGE;
}

static bool temp_remove(int dir, const char *name)
{
	if (temp_ends_in(name, TEMP_PART))
		return temp_part_remove(dir, name);
	return temp_is_left(dir, name) && !unlinkat(dir, name, 0);
}

bool temp_clean(int dir)
{
	DIR *list = dir_list(dir, ".");
	bool found = false;
	const char *name;

	while (list && (name = dir_next(list)))
		if (temp_is_reserved(name))
			found |= temp_remove(dir, name);
	if (list)
		closedir(list);
	return found;
}
