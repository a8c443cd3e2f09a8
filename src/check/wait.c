/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors that the program waits for by poll() or epoll: who reads them then does not sleep. */
#include "watch.h"

#include <poll.h>
#include <sys/epoll.h>

#define DESCRIPTORS 4096

static bool watch_waited[DESCRIPTORS];

static void watch_wait(int fd)
{
	if (fd >= 0 && fd < DESCRIPTORS)
		watch_waited[fd] = true;
}

bool watch_would_sleep(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return fd >= DESCRIPTORS || !watch_waited[fd] || WATCH_REAL(poll)(&p, 1, 0) != 1;
}

WATCH_HOOK int poll(struct pollfd *p, nfds_t n, int timeout)
{
	for (nfds_t i = 0; i < n; i++)
		watch_wait(p[i].fd);
	return WATCH_REAL(poll)(p, n, timeout);
}

int __poll_chk(struct pollfd *, nfds_t, int timeout, size_t size);
/* Stands for poll() in a program that was compiled with _FORTIFY_SOURCE. */
WATCH_HOOK int __poll_chk(struct pollfd *p, nfds_t n, int timeout, size_t size)
{
	return n <= size / sizeof(*p) ? poll(p, n, timeout) : -1;
}

WATCH_HOOK int epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	watch_wait(fd);
	return WATCH_REAL(epoll_ctl)(epoll, op, fd, event);
}
