/* SPDX-License-Identifier: BSD-2-Clause */
#include "front/link/link.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Not where the program's stdin, stdout or stderr would be: what it prints must not come here. */
static int away_from_stdio(int sock)
{
	int moved, err;

	if (sock > STDERR_FILENO)
		return sock;
	moved = fcntl(sock, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	err = -errno;
	close(sock);
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
		return away_from_stdio(sock);
	err = -errno;
	close(sock);
	return err;
}

int link_ask(int sock, uint16_t type, const void *body, size_t len, int fd,
	     struct link_message *answer)
{
	int err = link_write(sock, type, 0, body, len, &fd, fd >= 0, 0);
	struct link_in in = {0};

	if (err)
		return err;
	err = link_read(sock, &in, 0);
	if (err == 1 && in.m.h.type == type) {
		*answer = in.m;
		return 0;
	}
	link_in_reset(&in);
	if (!err)
		return -ETIMEDOUT; /* SO_RCVTIMEO, if the caller set one */
	return err < 0 ? err : -EPROTO;
}
