/* SPDX-License-Identifier: BSD-2-Clause */
#include "maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int maps_open(struct maps *m, pid_t pid)
{
	char path[32] = "/proc/self/maps";

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	m->cut = false;
	m->at = m->have = 0;
	m->fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	return m->fd < 0 ? -errno : 0;
}

void maps_close(struct maps *m)
{
	syscall(SYS_close, m->fd);
}

/* Appends more bytes to the buffer. Returns false at the end of the file. */
static bool maps_fill(struct maps *m)
{
	ssize_t n;

	m->have -= m->at;
	memmove(m->buf, m->buf + m->at, m->have);
	m->at = 0;
	n = read(m->fd, m->buf + m->have, sizeof(m->buf) - m->have);
	m->have += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Returns the text up to the end of the line. A line longer than the buffer comes in pieces. */
static char *piece(struct maps *m, bool *ends)
{
	char *from, *end;

	do {
		from = m->buf + m->at;
		end = memchr(from, '\n', m->have - m->at);
		*ends = end;
		if (!end && m->have - m->at == sizeof(m->buf))
			end = m->buf + sizeof(m->buf) - 1;
	} while (!end && maps_fill(m));
	if (!end)
		return NULL;
	*end = 0;
	m->at = (size_t)(end - m->buf) + 1;
	return from;
}

static const char *line(struct maps *m)
{
	bool ends, rest;
	char *text;

	do {
		rest = m->cut;
		text = piece(m, &ends);
		m->cut = !ends;
	} while (text && rest);
	return text;
}

bool maps_next(struct maps *m, struct mapping *map)
{
	const char *text = line(m);

	return text && mapping_parse(text, map);
}

static unsigned int maps_digit(char c)
{
	return c >= '0' && c <= '9'   ? (unsigned int)(c - '0')
	       : c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10)
				      : 16;
}

/* Parses a number and the byte that must follow. sscanf() is too slow for thousands of lines. */
static bool maps_number(const char **text, unsigned int base, char then, uint64_t *n)
{
	const char *p = *text;

	for (*n = 0; maps_digit(*p) < base; p++)
		*n = *n * base + maps_digit(*p);
	if (p == *text || *p != then)
		return false;
	*text = p + 1;
	return true;
}

static bool is_plain(const char *name)
{
	return !*name || !strncmp(name, "[heap", 5) || !strncmp(name, "[anon", 5);
}

bool mapping_parse(const char *text, struct mapping *m)
{
	uint64_t major, minor;
	const char *perm;

	if (!maps_number(&text, 16, '-', &m->start) || !maps_number(&text, 16, ' ', &m->end) ||
	    strnlen(text, 5) < 5)
		return false;
	perm = text;
	text += 5;
	if (!maps_number(&text, 16, ' ', &m->offset) || !maps_number(&text, 16, ':', &major) ||
	    !maps_number(&text, 16, ' ', &minor) || !maps_number(&text, 10, ' ', &m->inode))
		return false;
	m->dev = makedev((unsigned int)major, (unsigned int)minor);
	m->prot = (perm[0] == 'r' ? PROT_READ : 0) | (perm[1] == 'w' ? PROT_WRITE : 0) |
		  (perm[2] == 'x' ? PROT_EXEC : 0);
	m->shared = perm[3] == 's';
	m->plain = !m->inode && is_plain(text + strspn(text, " "));
	return true;
}

/* --- one mapping ------------------------------------------------------------------------------ */

/* A copy from <linux/fs.h> of Linux 6.11, which older headers lack. */
struct one_map {
	uint64_t size, query_flags, query_addr, start, end, flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name, build_id;
};

#define ONE_MAP _IOWR('f', 17, struct one_map) /* PROCMAP_QUERY */
enum {
	ONE_MAP_READABLE = 1,
	ONE_MAP_WRITABLE = 2,
	ONE_MAP_EXECUTABLE = 4,
	ONE_MAP_SHARED = 8,
	ONE_MAP_OR_NEXT = 16, /* a flag in query_flags */
};

static int one_map_query(const struct maps *m, uint64_t va, struct one_map *q, char *name,
			 uint32_t size)
{
	*q = (struct one_map){.size = sizeof(*q),
			      .query_flags = ONE_MAP_OR_NEXT,
			      .query_addr = va,
			      .name_size = size,
			      .name = size ? (uintptr_t)name : 0};
	return syscall(SYS_ioctl, m->fd, ONE_MAP, q) ? -errno : 0;
}

int maps_query(const struct maps *m, uint64_t va, struct mapping *map)
{
	char name[128] = ""; /* [anon:...] has at most 80 bytes */
	struct one_map q;
	int err = one_map_query(m, va, &q, name, sizeof(name));

	if (err == -ENAMETOOLONG) { /* the name of a file is too long */
		strcpy(name, "/");
		err = one_map_query(m, va, &q, NULL, 0);
	}
	if (err)
		return err == -ENOENT ? 0 : err;
	*map = (struct mapping){
		.start = q.start,
		.end = q.end,
		.offset = q.offset,
		.inode = q.inode,
		.dev = makedev(q.dev_major, q.dev_minor),
		.prot = (q.flags & ONE_MAP_READABLE ? PROT_READ : 0) |
			(q.flags & ONE_MAP_WRITABLE ? PROT_WRITE : 0) |
			(q.flags & ONE_MAP_EXECUTABLE ? PROT_EXEC : 0),
		.shared = q.flags & ONE_MAP_SHARED,
		.plain = !q.inode && is_plain(name),
	};
	return 1;
}
