/* SPDX-License-Identifier: BSD-2-Clause */
/* Two ends on one device: all arrives, in order; what can't be sent, or has no peer, is told. */
#include "check.h"
#include "rcmsg.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGES = 200 };

static struct rcmsg *pair_end(int fd)
{
	struct rcmsg *m;
	int err = rcmsg_open(NULL, &m);

	if (err)
		fprintf(stderr, "no RDMA device (%s): `meson test --setup sim` brings one\n",
			strerror(-err));
	CHECK(!err);
	CHECK(!rcmsg_connect(m, fd));
	return m;
}

static size_t pair_fill(char *data, unsigned int n)
{
	size_t len = n * 37 % (RCMSG_MAX + 1);

	memset(data, (int)n, len);
	return len;
}

static void *pair_echo(void *fd)
{
	struct rcmsg *m = pair_end(*(int *)fd);
	char data[RCMSG_MAX];
	ssize_t n;

	while ((n = rcmsg_recv(m, data, sizeof(data))) >= 0)
		CHECK(!rcmsg_send(m, data, (size_t)n));
	CHECK(n == -ENODATA);
	CHECK(!rcmsg_close(m));
	return NULL;
}

static void *pair_vanish(void *fd)
{
	struct rcmsg *m = pair_end(*(int *)fd);

	CHECK(!close(*(int *)fd)); /* as the kernel does when a program dies */
	return m;
}

static void pair_messages(struct rcmsg *m)
{
	char data[RCMSG_MAX], back[RCMSG_MAX];
	size_t len;

	for (unsigned int n = 0; n < MESSAGES; n++) {
		len = pair_fill(data, n);
		CHECK(!rcmsg_send(m, data, len));
		CHECK(rcmsg_recv(m, back, sizeof(back)) == (ssize_t)len);
		CHECK(!memcmp(data, back, len));
	}
	/* As many as fit, before the first comes back. */
	for (unsigned int n = 0; n < rcmsg_window(m); n++)
		CHECK(!rcmsg_send(m, data, pair_fill(data, n)));
	for (unsigned int n = 0; n < rcmsg_window(m); n++)
		CHECK(rcmsg_recv(m, back, sizeof(back)) == (ssize_t)pair_fill(data, n));
	CHECK(rcmsg_send(m, data, RCMSG_MAX + 1) == -EMSGSIZE);
}

int main(void)
{
	struct rcmsg *m;
	pthread_t peer;
	int fds[2];
	void *gone;
	char byte;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	CHECK(!pthread_create(&peer, NULL, pair_echo, &fds[1]));
	m = pair_end(fds[0]);
	pair_messages(m);
	CHECK(!rcmsg_close(m));
	CHECK(!pthread_join(peer, NULL));

	CHECK(!pthread_create(&peer, NULL, pair_vanish, &fds[1]));
	m = pair_end(fds[0]);
	CHECK(rcmsg_recv(m, &byte, 1) == -EPIPE);
	CHECK(rcmsg_send(m, &byte, 1) == -EPIPE);
	rcmsg_close(m);
	CHECK(!pthread_join(peer, &gone));
	rcmsg_close(gone);
	return 0;
}
