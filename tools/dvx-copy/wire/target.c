/* SPDX-License-Identifier: BSD-2-Clause */
#include "target.h"

#include <stdlib.h>
#include <string.h>

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

/*
 * Returns the number of digits up to a colon or the end, which are a port; 0 if there is no port.
 */
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
