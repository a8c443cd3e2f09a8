/* SPDX-License-Identifier: BSD-2-Clause */
/* rcmsg-cat -l PORT prints what arrives; rcmsg-cat HOST PORT sends its standard input. */
#include "rcmsg.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int cat_fail(const char *what, int err)
{
	fprintf(stderr, "rcmsg-cat: %s: %s\n", what, strerror(-err));
	return 1;
}

/* Port 0 is any free one: the line on standard error names it. */
static int cat_accept(const char *port)
{
	struct sockaddr_in6 any = {.sin6_family = AF_INET6};
	socklen_t len = sizeof(any);
	int fd = socket(AF_INET6, SOCK_STREAM, 0);

	any.sin6_port = htons((uint16_t)strtoul(port, NULL, 10));
	if (fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof(any)) || listen(fd, 1) ||
	    getsockname(fd, (struct sockaddr *)&any, &len))
		return -errno;
	fprintf(stderr, "listening on port %u\n", ntohs(any.sin6_port));
	fd = accept(fd, NULL, NULL);
	return fd < 0 ? -errno : fd;
}

static int cat_dial(const char *host, const char *port)
{
	struct addrinfo *to, hints = {.ai_socktype = SOCK_STREAM};
	int fd, rc;

	if (getaddrinfo(host, port, &hints, &to))
		return -EHOSTUNREACH;
	fd = socket(to->ai_family, SOCK_STREAM, 0);
	rc = fd < 0 || connect(fd, to->ai_addr, to->ai_addrlen) ? -errno : fd;
	freeaddrinfo(to);
	return rc;
}

static int cat_print(struct rcmsg *m)
{
	char data[RCMSG_MAX];
	ssize_t n;

	while ((n = rcmsg_recv(m, data, sizeof(data))) >= 0)
		if (fwrite(data, 1, (size_t)n, stdout) != (size_t)n)
			return -EIO;
	return n == -ENODATA ? fflush(stdout) : (int)n;
}

static int cat_send(struct rcmsg *m)
{
	char data[RCMSG_MAX];
	size_t n;
	int err = 0;

	while (!err && (n = fread(data, 1, sizeof(data), stdin)) > 0)
		err = rcmsg_send(m, data, n);
	return err;
}

int main(int argc, char **argv)
{
	bool listens = argc == 3 && !strcmp(argv[1], "-l");
	struct rcmsg *m;
	int fd, err;

	if (argc != 3) {
		fprintf(stderr, "usage: rcmsg-cat -l PORT >FILE or rcmsg-cat HOST PORT <FILE\n");
		return 2;
	}
	err = rcmsg_open(NULL, &m);
	if (err)
		return cat_fail("device", err);
	fd = listens ? cat_accept(argv[2]) : cat_dial(argv[1], argv[2]);
	err = fd < 0 ? fd : rcmsg_connect(m, fd);
	if (err)
		return cat_fail("connection", err);
	err = listens ? cat_print(m) : cat_send(m);
	err = err ? err : rcmsg_close(m);
	return err ? cat_fail(listens ? "receive" : "send", err) : 0;
}
