/* SPDX-License-Identifier: BSD-2-Clause */
#include "watchdog.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "kernel/kernel.h"
#include "link/link.h"

/* --- the server's side ------------------------------------------------------------------------ */

void watchdog_add(void *arg, int fd)
{
	const struct watchdog *w = arg;

	if (w->sock >= 0)
		link_write(w->sock, 0, 0, NULL, 0, &fd, 1, MSG_DONTWAIT);
}

void watchdog_stop(struct watchdog *w)
{
	if (w->sock < 0)
		return;
	link_write(w->sock, 0, 0, NULL, 0, NULL, 0, MSG_DONTWAIT);
	close(w->sock);
	w->sock = -1;
}

/* --- the watchdog's process ------------------------------------------------------------------- */

/* fds[0] is the socket; behind it, the event FDs. */
struct watched_fds {
	struct pollfd *fds;
	nfds_t n;
};

static void watched_fds_add(struct watched_fds *w, int fd, short events)
{
	struct pollfd *fds = reallocarray(w->fds, w->n + 1, sizeof(*fds));

	if (!fds) {
		close(fd);
		return;
	}
	w->fds = fds;
	fds[w->n++] = (struct pollfd){.fd = fd, .events = events};
}

/* Starts to send: from now on, poll() waits for pipes that can take the event. */
static void server_died(struct watched_fds *w)
{
	close(w->fds[0].fd);
	w->fds[0].fd = -1;
	for (nfds_t i = 1; i < w->n; i++)
		w->fds[i].events = POLLOUT;
}

static void take_message(struct watched_fds *w)
{
	struct link_in in = {0};
	int rc = link_read(w->fds[0].fd, &in, 0);

	if (rc < 0) {
		server_died(w);
	} else if (in.m.nfds) {
		watched_fds_add(w, in.m.fds[0], 0);
		in.m.nfds = 0;
	} else {
		_exit(0);
	}
	link_in_reset(&in);
}

/* Sends events. A closed FD needs none; a full pipe is tried again when it is read. */
static void serve_fds(struct watched_fds *w)
{
	for (nfds_t i = w->n - 1; i > 0; i--) {
		struct pollfd *p = &w->fds[i];

		if (p->revents & POLLERR || (p->revents & POLLOUT && kernel_write_fatal(p->fd))) {
			close(p->fd);
			*p = w->fds[--w->n];
		}
	}
}

static void watchdog_main(int sock)
{
	struct watched_fds w = {0};

	/* Closes everything inherited from the server: others wait for its end. */
	if (dup2(sock, 0) != 0)
		_exit(0);
	close_range(1, ~0u, 0);
	setsid();
	prctl(PR_SET_NAME, "dvx-sim-watch");
	watched_fds_add(&w, 0, POLLIN);
	while (w.n > 1 || (w.n && w.fds[0].fd >= 0)) {
		if (poll(w.fds, w.n, -1) < 0)
			continue;
		serve_fds(&w);
		if (w.fds[0].revents)
			take_message(&w);
	}
	_exit(0);
}

void watchdog_start(struct watchdog *w)
{
	int pair[2];
	pid_t pid;

	w->sock = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return;
	pid = fork();
	if (!pid)
		watchdog_main(pair[1]);
	close(pair[1]);
	if (pid > 0)
		w->sock = pair[0];
	else
		close(pair[0]);
}
