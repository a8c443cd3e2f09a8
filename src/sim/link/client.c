/* SPDX-License-Identifier: BSD-2-Clause */
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

int link_fd_above_stdio(int fd)
{
	int moved, err;

	if (fd > STDERR_FILENO)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	err = -errno;
	close(fd);
	return moved < 0 ? err : moved;
}

int link_connect(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int sock, err;

	if (strlen(path) >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	strcpy(to.sun_path, path);
	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return -errno;
	if (!connect(sock, (struct sockaddr *)&to, sizeof(to)))
		return link_fd_above_stdio(sock);
	err = -errno;
	close(sock);
	return err;
}

static void (*link_print)(const char *lines, size_t len);

void link_on_refusals(void (*print)(const char *lines, size_t len))
{
	link_print = print;
}

/* Reads the answer, and messages of the server before it. */
static int link_read_answer(int sock, uint16_t type, struct link_in *in)
{
	int err;

	while ((err = link_read(sock, in, 0)) == 1 && in->m.h.type == LINK_REFUSALS &&
	       type != LINK_REFUSALS) {
		if (link_print)
			link_print((const char *)in->m.body, in->m.h.len);
		link_in_reset(in);
	}
	return err;
}

int link_ask(int sock, uint16_t type, const void *body, size_t len, int fd,
	     struct link_message *answer)
{
	int err = link_write(sock, type, 0, body, len, &fd, fd >= 0, 0);
	struct link_in in = {0};

	if (err)
		return err;
	err = link_read_answer(sock, type, &in);
	if (err == 1 && in.m.h.type == type) {
		*answer = in.m;
		return 0;
	}
	link_in_reset(&in);
	if (!err)
		return -ETIMEDOUT; /* the caller set SO_RCVTIMEO */
	return err < 0 ? err : -EPROTO;
}

/* Newer versions to try: the chip may be a newer dvx-sim's. */
#define VERSIONS_AHEAD 16u

static bool link_accepts_version(const char *path, uint16_t version)
{
	const struct timeval patience = {.tv_sec = 1};
	struct link_header h = {LINK_MAGIC, version, LINK_STATUS, 0, 0};
	int sock = link_connect(path);
	bool yes;

	if (sock < 0)
		return false;
	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	yes = send(sock, &h, sizeof(h), MSG_NOSIGNAL) == (ssize_t)sizeof(h) &&
	      recv(sock, &h, sizeof(h), MSG_WAITALL) == (ssize_t)sizeof(h) &&
	      h.magic == LINK_MAGIC && h.version == version;
	close(sock);
	return yes;
}

unsigned int link_version(const char *path, int err)
{
	if (err != -EPIPE && err != -ECONNRESET)
		return 0;
	for (uint16_t v = 1; v <= LINK_VERSION + VERSIONS_AHEAD; v++)
		if (v != LINK_VERSION && link_accepts_version(path, v))
			return v;
	return 0;
}
