/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of messages (lab/stat.h), for dvx-sim stat. */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lab/stat.h"

#define STAT_LEAST 64u
#define STAT_MOST  4096u

static bool stat_size_fits(uint32_t size)
{
	return size >= STAT_LEAST && size <= STAT_MOST && !(size & (size - 1));
}

static void session_stat_start(struct chip_session *c)
{
	struct stat_pcie pcie;

	if (c->in.m.h.len != sizeof(pcie))
		return session_disconnect(c, "requested counts of impossible sizes");
	memcpy(&pcie, c->in.m.body, sizeof(pcie));
	if (!stat_size_fits(pcie.mps) || !stat_size_fits(pcie.mrrs))
		return session_disconnect(c, "requested counts of impossible sizes");
	stat_start(&pcie);
	session_reply(c, 0, NULL, 0, NULL, 0);
}

/* Sends the rows as a file: they may be more than the socket takes at once. */
void session_stat(struct chip_session *c)
{
	struct stat_row *rows;
	ssize_t len;
	bool ok;
	int fd;

	if (c->in.m.h.len)
		return session_stat_start(c);
	rows = calloc(STAT_ROWS + STAT_CLASSES + 1, sizeof(*rows));
	fd = memfd_create("counts", MFD_CLOEXEC);
	len = rows ? (ssize_t)(stat_read(rows) * sizeof(*rows)) : 0;
	ok = rows && fd >= 0 && write(fd, rows, (size_t)len) == len;
	session_reply(c, ok ? 0 : -ENOMEM, NULL, 0, &fd, ok);
	if (fd >= 0)
		close(fd);
	free(rows);
}
