/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>
#include "front/link/link.h"

/* A server that does not answer is ended all the same: its clients lose their device either way. */
static void end_server(const char *name, int sock)
{
	struct link_message answer = {0};
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (!link_ask(sock, LINK_DOWN, NULL, 0, -1, &answer)) {
		link_message_free(&answer);
		return;
	}
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) || peer.pid <= 1)
		return;
	say("%s does not answer: killing its server (pid %d)", name, peer.pid);
	kill(peer.pid, SIGKILL);
}

int cmd_down(const struct args *a)
{
	const char *name = a->argv[0];
	char path[PATH_MAX];
	int lock, sock = registry_connect(name);

	if (sock < 0)
		return EXIT_FAILURE;
	registry_file(path, name, "lock");
	lock = open(path, O_RDWR | O_CLOEXEC);
	end_server(name, sock);
	close(sock);
	/* The server holds the lock to its end. */
	if (lock >= 0 && !flock(lock, LOCK_EX))
		close(lock);
	registry_sweep(name);
	return EXIT_SUCCESS;
}
