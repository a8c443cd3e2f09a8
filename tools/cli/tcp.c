/* SPDX-License-Identifier: BSD-2-Clause */
#include "tcp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
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

static int64_t tcp_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

#define SLICE_MS 250 /* latency of a signal that comes just before poll() */

/* Waits until the socket is connected or has failed: 0, or an errno. */
static int tcp_await(int fd, int wait_ms, const volatile sig_atomic_t *stop)
{
	const int64_t end = tcp_now_ms() + wait_ms;
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	for (;;) {
		int64_t left = end - tcp_now_ms();
		int n = poll(&p, 1, left < 0 ? 0 : left < SLICE_MS ? (int)left : SLICE_MS);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return errno;
		if (stop && *stop)
			return EINTR;
		if (left <= 0)
			return ETIMEDOUT;
	}
}

/* Connects to one address. Returns 0, or an errno. */
static int tcp_connect_within(int fd, const struct addrinfo *to, int wait_ms,
			      const volatile sig_atomic_t *stop)
{
	socklen_t len = sizeof(int);
	int err;

	if (!connect(fd, to->ai_addr, to->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	err = tcp_await(fd, wait_ms, stop);
	if (err)
		return err;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) ? errno : err;
}

int tcp_connect(const struct addrinfo *to, int wait_ms, const volatile sig_atomic_t *stop)
{
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err = fd < 0 ? errno : tcp_connect_within(fd, to, wait_ms, stop);

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
