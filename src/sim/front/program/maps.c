/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/program/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include "front/program/real.h"

int maps_open(struct maps *m)
{
	m->at = 0;
	m->have = 0;
	m->fd = real()->open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	return m->fd < 0 ? -errno : 0;
}

void maps_close(struct maps *m)
{
	real()->close(m->fd);
}

/* The next line, without its end; NULL after the last. */
static const char *line(struct maps *m)
{
	for (;;) {
		char *from = m->buf + m->at, *end = memchr(from, '\n', m->have - m->at);
		ssize_t n;

		if (end) {
			*end = 0;
			m->at = (size_t)(end - m->buf) + 1;
			return from;
		}
		m->have -= m->at;
		memmove(m->buf, from, m->have);
		m->at = 0;
		n = read(m->fd, m->buf + m->have, sizeof(m->buf) - m->have);
		if (n <= 0)
			return NULL;
		m->have += (size_t)n;
	}
}

bool maps_next(struct maps *m, struct mapping *map)
{
	const char *text = line(m);
	unsigned int major, minor;
	char perm[5] = "";

	if (!text || sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %*s %x:%x %" SCNu64, &map->va,
			    &map->end, perm, &major, &minor, &map->inode) != 6)
		return false;
	map->dev = makedev(major, minor);
	map->prot = (perm[0] == 'r' ? PROT_READ : 0) | (perm[1] == 'w' ? PROT_WRITE : 0) |
		    (perm[2] == 'x' ? PROT_EXEC : 0);
	return true;
}
