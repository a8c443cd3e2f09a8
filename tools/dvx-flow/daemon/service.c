/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "dvx-flow.h"
#include "service.h"

#define FIRST_FD 3 /* SD_LISTEN_FDS_START */

/*
 * Returns the number of descriptors passed to this process. A child inherits the variables, too, so
 * the process ID is checked.
 */
static unsigned long service_given(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");

	if (!pid || !fds || strtoul(pid, NULL, 10) != (unsigned long)getpid())
		return 0;
	return strtoul(fds, NULL, 10);
}

static bool service_listens(int fd)
{
	int domain = 0, listens = 0;
	socklen_t n = sizeof(int);

	return !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) && domain == AF_UNIX &&
	       !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) && listens;
}

int service_socket(char *path, size_t size, struct flow_fault *f)
{
	struct sockaddr_un at = {0};
	socklen_t n = sizeof(at) - 1;
	unsigned long given = service_given();

	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!given)
		return -1;
	if (given != 1 || !service_listens(FIRST_FD) ||
	    getsockname(FIRST_FD, (struct sockaddr *)&at, &n)) {
		flow_fault_set(f, EXIT_INPUT,
			       "the service manager passed %lu descriptors; the daemon takes one "
			       "listening Unix socket (ListenStream=)",
			       given);
		return -2;
	}
	fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
	fcntl(FIRST_FD, F_SETFL, O_NONBLOCK);
	snprintf(path, size, "%s", at.sun_path);
	return FIRST_FD;
}

void service_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (len < 2 || len > sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path, len);
	if (*path == '@') /* an abstract name */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	close(fd);
}
