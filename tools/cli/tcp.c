/* SPDX-License-Identifier: BSD-2-Clause */
#include "tcp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

void tcp_tune(int fd)
{
	static const struct {
		int level, option, value;
	} options[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},	 {SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, 10}, {IPPROTO_TCP, TCP_KEEPINTVL, 5},
		{IPPROTO_TCP, TCP_KEEPCNT, 3},	 {IPPROTO_TCP, TCP_USER_TIMEOUT, 25000},
	};

	for (unsigned int i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		setsockopt(fd, options[i].level, options[i].option, &options[i].value,
			   sizeof(options[i].value));
}

/* 0, or an errno. */
static int tcp_connect_within(int fd, const struct addrinfo *to, int wait_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	socklen_t len = sizeof(int);
	int err = 0;

	if (!connect(fd, to->ai_addr, to->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	switch (poll(&p, 1, wait_ms)) {
	case -1:
		return errno;
	case 0:
		return ETIMEDOUT;
	}
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len);
	return err;
}

int tcp_connect(const struct addrinfo *to, int wait_ms)
{
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err = fd < 0 ? errno : tcp_connect_within(fd, to, wait_ms);

	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return -err;
}

int tcp_listen(const struct addrinfo *at, int backlog)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, err;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, backlog))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

void tcp_format(const struct sockaddr_storage *ss, char *name, size_t size)
{
	char host[64], port[8];

	if (getnameinfo((const struct sockaddr *)ss, sizeof(*ss), host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(name, size, "unknown");
	else
		snprintf(name, size, ss->ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

void tcp_own_name(int fd, char *name, size_t size)
{
	struct sockaddr_storage ss = {0};
	socklen_t len = sizeof(ss);

	getsockname(fd, (struct sockaddr *)&ss, &len);
	tcp_format(&ss, name, size);
}
