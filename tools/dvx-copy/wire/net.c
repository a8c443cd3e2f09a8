/* SPDX-License-Identifier: BSD-2-Clause */
#include "net.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <stdlib.h>

#include "tools/cli/tcp.h"

/* --- addresses on the command line --- */

/* Takes ADDR off the front; *rest is the text behind it. */
static int take_host(struct copy_target *t, const char *arg, const char **rest,
		     struct copy_fault *f)
{
	const char *from = arg;
	size_t n;

	if (*arg == '[') {
		from = arg + 1;
		n = strcspn(from, "]");
		*rest = from + n + 1;
		if (from[n] != ']' || (from[n + 1] && from[n + 1] != ':'))
			return copy_fail(f, COPY_USAGE, "%s: \"[\" without its \"]\"", arg);
	} else {
		n = strcspn(arg, ":");
		*rest = arg + n;
	}
	if (n >= sizeof(t->host))
		return copy_fail(f, COPY_USAGE, "%s: address is too long", arg);
	memcpy(t->host, from, n);
	t->host[n] = '\0';
	return 0;
}

/* Returns the number of digits of a port, up to a colon or the end; 0: there is no port. */
static size_t port_length(const char *s)
{
	size_t n = strspn(s, "0123456789");

	return s[n] == ':' || !s[n] ? n : 0;
}

static int set_port(struct copy_target *t, const char *s, size_t n, const char *arg,
		    struct copy_fault *f)
{
	char *end;

	if (n > 5 || strtoul(s, &end, 10) > 65535)
		return copy_fail(f, COPY_USAGE, "%s: port is past 65535", arg);
	memcpy(t->port, s, n);
	t->port[n] = '\0';
	return 0;
}

static int set_base(struct copy_target *t, const char *arg, struct copy_fault *f)
{
	size_t n = strlen(t->path), from;

	while (n && t->path[n - 1] == '/')
		n--;
	for (from = n; from && t->path[from - 1] != '/'; from--)
		;
	if (n - from == 1 && t->path[from] == '.')
		from = n;
	if (n - from >= sizeof(t->base))
		return copy_fail(f, COPY_USAGE, "%s: name is too long", arg);
	memcpy(t->base, t->path + from, n - from);
	t->base[n - from] = '\0';
	return 0;
}

int target_parse(struct copy_target *t, const char *arg, struct copy_fault *f)
{
	const char *rest;
	size_t n;

	strcpy(t->port, TARGET_PORT);
	if (take_host(t, arg, &rest, f))
		return -1;
	if (*rest != ':' || !*t->host)
		return copy_fail(f, COPY_USAGE,
				 "%s is not ADDR[:PORT]:PATH: pull takes its sources from a "
				 "server, push copies to one",
				 arg);
	rest++;
	n = port_length(rest);
	if (n && rest[n] == ':') {
		if (set_port(t, rest, n, arg, f))
			return -1;
		rest += n + 1;
	}
	t->path = rest;
	return set_base(t, arg, f);
}

int target_parse_listen(struct copy_target *t, const char *arg, struct copy_fault *f)
{
	const char *rest;
	size_t n;

	strcpy(t->port, TARGET_PORT);
	t->path = "";
	if (take_host(t, arg, &rest, f))
		return -1;
	if (!*rest)
		return 0;
	n = port_length(rest + 1);
	if (!n || rest[n + 1])
		return copy_fail(f, COPY_USAGE,
				 "%s: --listen takes ADDR[:PORT], IPv6 as [ADDR]:PORT", arg);
	return set_port(t, rest + 1, n, arg, f);
}

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
