/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses and TCP connections between the two ends. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "exits.h"
#include "control.h"
#include "tools/cli/message.h"
#include "tools/cli/tcp.h"

#define CONNECT_MS 10000

struct control_address {
	char host[256], port[16];
};

/* Checks a port, because getaddrinfo() truncates numbers that are too large. */
static bool port_is_possible(const char *port)
{
	return strspn(port, "0123456789") < strlen(port) || strtoul(port, NULL, 10) <= UINT16_MAX;
}

/* Splits ADDR, ADDR:PORT, [V6], [V6]:PORT or a bare IPv6 address. */
static int address_parse(const char *text, struct control_address *a)
{
	const char *where = text, *colon = strrchr(text, ':');
	size_t n = strlen(where);

	if (*where == '[' && colon && colon > where && colon[-1] == ']') {
		n = (size_t)(colon - where) - 2;
		where++;
	} else if (*where == '[' && where[n - 1] == ']') {
		n -= 2;
		where++;
		colon = NULL;
	} else if (colon && strchr(where, ':') == colon) {
		n = (size_t)(colon - where);
	} else {
		colon = NULL;
	}
	if (n < sizeof(a->host) && (!colon || (colon[1] && strlen(colon + 1) < sizeof(a->port)))) {
		snprintf(a->host, sizeof(a->host), "%.*s", (int)n, where);
		snprintf(a->port, sizeof(a->port), "%s", colon ? colon + 1 : CONTROL_PORT);
		if (port_is_possible(a->port))
			return EXIT_DONE;
	}
	message_print("\"%s\" is no ADDR[:PORT]", text);
	return EXIT_USAGE;
}

static int address_find(const struct control_address *a, int flags, struct addrinfo **list)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
	int err = getaddrinfo(*a->host ? a->host : NULL, a->port, &hints, list);

	if (!err)
		return EXIT_DONE;
	message_print("cannot find address %s port %s: %s", a->host, a->port,
		      err == EAI_SYSTEM ? strerror(errno) : gai_strerror(err));
	return EXIT_CONNECT;
}

int control_connect(struct control *t, const char *where)
{
	struct control_address address;
	struct addrinfo *list;
	int code = address_parse(where, &address), fd = -1;

	if (!code)
		code = address_find(&address, 0, &list);
	if (code)
		return code;
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = tcp_connect(a, CONNECT_MS, NULL);
	freeaddrinfo(list);
	if (fd < 0) {
		message_print("cannot connect to %s port %s: %s", address.host, address.port,
			      strerror(-fd));
		return EXIT_CONNECT;
	}
	return control_begin(t, fd, "the server");
}

int control_listen(const char *where, int *listener, char name[CONTROL_NAME])
{
	struct control_address address;
	struct addrinfo *list;
	int code = address_parse(where, &address);

	if (!code)
		code = address_find(&address, AI_PASSIVE, &list);
	if (code)
		return code;
	*listener = tcp_listen(list, 8);
	freeaddrinfo(list);
	if (*listener < 0) {
		message_print("--listen: cannot listen on %s port %s: %s", address.host,
			      address.port, strerror(-*listener));
		return EXIT_CONNECT;
	}
	tcp_own_name(*listener, name, CONTROL_NAME);
	return EXIT_DONE;
}
