/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the two ends meet: addresses and TCP. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "exits.h"
#include "talk.h"
#include "tools/cli/say.h"

#define CONNECT_MS 10000

struct talk_address {
	char host[256], port[16];
};

/* getaddrinfo() takes a number that has too many bits, and cuts it. */
static bool port_is_possible(const char *port)
{
	return strspn(port, "0123456789") < strlen(port) || strtoul(port, NULL, 10) <= UINT16_MAX;
}

/* ADDR, ADDR:PORT, [V6]:PORT or a bare IPv6 address. */
static int address_parse(const char *text, struct talk_address *a)
{
	const char *where = text, *colon = strrchr(text, ':');
	size_t n = strlen(where);

	if (*where == '[' && colon && colon > where && colon[-1] == ']') {
		n = (size_t)(colon - where) - 2;
		where++;
	} else if (colon && strchr(where, ':') == colon) {
		n = (size_t)(colon - where);
	} else {
		colon = NULL;
	}
	if (n < sizeof(a->host) && (!colon || (colon[1] && strlen(colon + 1) < sizeof(a->port)))) {
		snprintf(a->host, sizeof(a->host), "%.*s", (int)n, where);
		snprintf(a->port, sizeof(a->port), "%s", colon ? colon + 1 : TALK_PORT);
		if (port_is_possible(a->port))
			return EXIT_DONE;
	}
	say("\"%s\" is no ADDR[:PORT]", text);
	return EXIT_USAGE;
}

static int address_find(const struct talk_address *a, int flags, struct addrinfo **list)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
	int err = getaddrinfo(*a->host ? a->host : NULL, a->port, &hints, list);

	if (!err)
		return EXIT_DONE;
	say("cannot find address %s port %s: %s", a->host, a->port,
	    err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err));
	return EXIT_CONNECT;
}

void talk_tune(int fd)
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
	fcntl(fd, F_SETFL, 0); /* blocking: what is sent is small */
}

/* A connected socket, or negative: errno. */
static int address_connect(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t len = sizeof(int);
	int err = 0, rc;

	if (fd < 0)
		return -errno;
	if (connect(fd, a->ai_addr, a->ai_addrlen))
		err = errno;
	if (err == EINPROGRESS) {
		rc = talk_wait(fd, POLLOUT, NULL, CONNECT_MS);
		err = rc < 0 ? -rc : 0;
		if (!err)
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len);
	}
	if (!err)
		return fd;
	close(fd);
	return -err;
}

int talk_connect(struct talk *t, const char *where)
{
	struct talk_address address;
	struct addrinfo *list;
	int code = address_parse(where, &address), fd = -1;

	if (!code)
		code = address_find(&address, 0, &list);
	if (code)
		return code;
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = address_connect(a);
	freeaddrinfo(list);
	if (fd < 0) {
		say("cannot connect to %s port %s: %s", address.host, address.port, strerror(-fd));
		return EXIT_CONNECT;
	}
	return talk_begin(t, fd, "the server");
}

static void address_name(int fd, char name[TALK_NAME])
{
	struct sockaddr_storage ss = {0};
	socklen_t len = sizeof(ss);
	char host[64], port[8];

	getsockname(fd, (struct sockaddr *)&ss, &len);
	if (getnameinfo((const struct sockaddr *)&ss, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(name, TALK_NAME, "unknown");
	else
		snprintf(name, TALK_NAME, ss.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host,
			 port);
}

int talk_listen(const char *where, int *listener, char name[TALK_NAME])
{
	struct talk_address address;
	struct addrinfo *list;
	int code = address_parse(where, &address), fd, one = 1;

	if (!code)
		code = address_find(&address, AI_PASSIVE, &list);
	if (code)
		return code;
	fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) || listen(fd, 8)) {
		say("--listen: cannot listen on %s port %s: %s", address.host, address.port,
		    strerror(errno));
		code = EXIT_CONNECT;
	}
	freeaddrinfo(list);
	if (code && fd >= 0)
		close(fd);
	*listener = fd;
	if (!code)
		address_name(fd, name);
	return code;
}
