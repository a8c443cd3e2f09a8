/* SPDX-License-Identifier: BSD-2-Clause */
#include "net.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CONNECT_PATIENCE_MS 10000

static bool is_loopback(const struct sockaddr *sa)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (sa->sa_family == AF_INET) {
		memcpy(&v4, sa, sizeof(v4));
		return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
	}
	if (sa->sa_family != AF_INET6)
		return false;
	memcpy(&v6, sa, sizeof(v6));
	if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
		return v6.sin6_addr.s6_addr[12] == 127;
	return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

static int net_lookup(const struct copy_target *t, int flags, struct addrinfo **ai,
		      struct copy_fault *f)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
	int err = getaddrinfo(*t->host ? t->host : NULL, t->port, &hints, ai);

	if (err)
		return copy_fail(f, COPY_CONNECT, "address %s: %s", t->host,
				 err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err));
	return 0;
}

static int need_key(const struct copy_target *t, struct copy_fault *f)
{
	return copy_fail(f, COPY_AUTH, "%s is not a loopback address: a --key-file is needed",
			 *t->host ? t->host : "every address");
}

void net_tune(int fd)
{
	static const struct {
		int level, option, value;
	} options[] = {
		{IPPROTO_TCP, TCP_NODELAY, 1},	 {SOL_SOCKET, SO_KEEPALIVE, 1},
		{IPPROTO_TCP, TCP_KEEPIDLE, 10}, {IPPROTO_TCP, TCP_KEEPINTVL, 5},
		{IPPROTO_TCP, TCP_KEEPCNT, 3},	 {IPPROTO_TCP, TCP_USER_TIMEOUT, 25000},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		setsockopt(fd, options[i].level, options[i].option, &options[i].value,
			   sizeof(options[i].value));
}

/* 0, or an errno. */
static int connect_within(int fd, const struct addrinfo *a)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	socklen_t len = sizeof(int);
	int err = 0;

	if (!connect(fd, a->ai_addr, a->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	if (poll(&p, 1, CONNECT_PATIENCE_MS) <= 0)
		return ETIMEDOUT;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len);
	return err;
}

int net_connect(const struct copy_target *t, bool has_key, struct copy_fault *f)
{
	struct addrinfo *list, *a;
	int fd = -1, err = 0;

	if (net_lookup(t, 0, &list, f))
		return -1;
	for (a = list; a && fd < 0; a = a->ai_next) {
		if (!has_key && !is_loopback(a->ai_addr)) {
			need_key(t, f);
			break;
		}
		fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		err = fd < 0 ? errno : connect_within(fd, a);
		if (err && fd >= 0) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0)
		return copy_fail(f, COPY_CONNECT, "cannot connect to %s port %s: %s", t->host,
				 t->port, strerror(err));
	net_tune(fd);
	return fd;
}

int net_listen(const struct copy_target *t, bool has_key, struct copy_fault *f)
{
	struct addrinfo *list;
	int fd, one = 1, err = 0;

	if (net_lookup(t, AI_PASSIVE, &list, f))
		return -1;
	if (!has_key && !is_loopback(list->ai_addr)) {
		freeaddrinfo(list);
		return need_key(t, f);
	}
	fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) || listen(fd, SOMAXCONN))
		err = errno;
	freeaddrinfo(list);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return copy_fail(f, COPY_CONNECT, "cannot listen on %s port %s: %s", t->host, t->port,
			 strerror(err));
}

void net_format(const struct sockaddr_storage *ss, char name[NET_NAME])
{
	char host[64], port[8];

	if (getnameinfo((const struct sockaddr *)ss, sizeof(*ss), host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(name, NET_NAME, "unknown");
	else if (ss->ss_family == AF_INET6)
		snprintf(name, NET_NAME, "[%s]:%s", host, port);
	else
		snprintf(name, NET_NAME, "%s:%s", host, port);
}

void net_own_name(int fd, char name[NET_NAME])
{
	struct sockaddr_storage ss = {0};
	socklen_t len = sizeof(ss);

	getsockname(fd, (struct sockaddr *)&ss, &len);
	net_format(&ss, name);
}
