/* SPDX-License-Identifier: BSD-2-Clause */
#include "net.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

#include "tools/cli/tcp.h"

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

int net_connect(const struct copy_target *t, bool has_key, const volatile sig_atomic_t *stop,
		struct copy_fault *f)
{
	struct addrinfo *list, *a;
	int fd = -EADDRNOTAVAIL;

	if (net_lookup(t, 0, &list, f))
		return -1;
	for (a = list; a && fd < 0 && fd != -EINTR; a = a->ai_next) {
		if (!has_key && !is_loopback(a->ai_addr)) {
			need_key(t, f);
			break;
		}
		fd = tcp_connect(a, CONNECT_PATIENCE_MS, stop);
	}
	freeaddrinfo(list);
	if (fd == -EINTR)
		return copy_fail(f, COPY_INTERRUPTED, "interrupted");
	if (fd < 0)
		return copy_fail(f, COPY_CONNECT, "cannot connect to %s port %s: %s", t->host,
				 t->port, strerror(-fd));
	tcp_tune(fd);
	return fd;
}

int net_listen(const struct copy_target *t, bool has_key, struct copy_fault *f)
{
	struct addrinfo *list;
	int fd;

	if (net_lookup(t, AI_PASSIVE, &list, f))
		return -1;
	if (!has_key && !is_loopback(list->ai_addr)) {
		freeaddrinfo(list);
		return need_key(t, f);
	}
	fd = tcp_listen(list, SOMAXCONN);
	freeaddrinfo(list);
	if (fd >= 0)
		return fd;
	return copy_fail(f, COPY_CONNECT, "cannot listen on %s port %s: %s", t->host, t->port,
			 strerror(-fd));
}
