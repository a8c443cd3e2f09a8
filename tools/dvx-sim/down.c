/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include "src/sim/link/link.h"

/* Whether the server is alive: it holds its lock until it ends. */
static bool down_is_alive(int lock)
{
	if (flock(lock, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK;
	flock(lock, LOCK_UN);
	return false;
}

static pid_t pid_of(int sock)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) ? -1 : peer.pid;
}

static bool signal_it(int pidfd, int signal, pid_t pid)
{
	if (!pidfd_send_signal(pidfd, signal, NULL, 0) || errno == ESRCH)
		return true;
	message_print("its server (pid %d): %s", pid, strerror(errno));
	return false;
}

/* Waits for the end of a server that got the request to end. */
static bool down_wait_end(int pidfd, pid_t pid)
{
	struct pollfd end = {pidfd, POLLIN, 0};

	if (poll(&end, 1, ANSWER_SECONDS * 1000) == 1)
		return true;
	message_print("it does not end: killing it");
	return signal_it(pidfd, SIGKILL, pid);
}

/*
 * Ends a server of another version. SIGTERM has the effect of LINK_DOWN: the server notifies its
 * clients.
 */
static bool down_end_other(int pidfd, pid_t pid, const char *name, unsigned int version)
{
	char what[64];

	snprintf(what, sizeof(what), "ending its server (pid %d)", pid);
	registry_say_version(name, version, what);
	return signal_it(pidfd, SIGTERM, pid) && down_wait_end(pidfd, pid);
}

/* Kills a server that does not answer. Its clients lose their device. */
static bool down_end_silent(int pidfd, pid_t pid, const char *name, unsigned int version)
{
	if (version)
		return down_end_other(pidfd, pid, name, version);
	message_print("%s does not answer: killing its server (pid %d)", name, pid);
	return signal_it(pidfd, SIGKILL, pid);
}

static bool end_server(const char *name, int sock, int lock)
{
	struct link_message answer = {0};
	pid_t pid = pid_of(sock);
	int pidfd = pid > 1 ? pidfd_open(pid, 0) : -1, no_pidfd = errno;
	int err = link_ask(sock, LINK_DOWN, NULL, 0, -1, &answer);
	bool ok = true;

	link_message_free(&answer);
	/* A server that is alive after pidfd_open() is the one that the pidfd refers to. */
	if (down_is_alive(lock) && pidfd < 0 && err) {
		message_print("%s does not answer, and its server (pid %d) is out of reach: %s",
			      name, pid, strerror(no_pidfd));
		ok = false;
	} else if (down_is_alive(lock) && pidfd >= 0) {
		ok = err ? down_end_silent(pidfd, pid, name, registry_other_version(name, err))
			 : down_wait_end(pidfd, pid);
	}
	if (pidfd >= 0)
		close(pidfd);
	return ok;
}

int cmd_down(const struct sim_args *a)
{
	const char *name = a->argv[0];
	char path[PATH_MAX];
	int lock, sock = registry_connect(name);
	bool ended;

	if (sock < 0)
		return EXIT_INPUT;
	registry_file(path, name, "lock");
	lock = open(path, O_RDWR | O_CLOEXEC);
	ended = end_server(name, sock, lock);
	close(sock);
	if (ended && lock >= 0)
		flock(lock, LOCK_EX);
	if (lock >= 0)
		close(lock);
	if (!ended)
		return EXIT_INPUT;
	registry_sweep(name);
	return EXIT_DONE;
}
