/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void start_keep(int fd)
{
	fcntl(fd, F_SETFD, 0);
}

/* Runs the server, in a session of its own: the terminal's signals are for the command. */
static void be_server(const struct start *s, const char *server, const char *dir, int ready)
{
	char ready_text[12], lifeline_text[12];
	const char *argv[28] = {server, "--dir", dir, "--name", s->name, "--ready", ready_text};
	unsigned int n = 7;
	sigset_t none;

	snprintf(ready_text, sizeof(ready_text), "%d", ready);
	snprintf(lifeline_text, sizeof(lifeline_text), "%d", s->lifeline);
	if (s->trace) {
		argv[n++] = "--trace";
		argv[n++] = s->trace;
	}
	if (s->record) {
		argv[n++] = "--record";
		argv[n++] = s->record;
	}
	if (s->set) {
		argv[n++] = "--set";
		argv[n++] = s->set;
	}
	if (s->fault) {
		argv[n++] = "--fault";
		argv[n++] = s->fault;
	}
	if (s->ip) {
		argv[n++] = "--ip";
		argv[n++] = s->ip;
	}
	if (s->hostile) {
		argv[n++] = "--hostile";
		argv[n++] = s->hostile;
	}
	if (s->wire) {
		argv[n++] = "--wire";
		argv[n++] = s->wire;
	}
	if (s->lifeline >= 0) {
		argv[n++] = "--lifeline";
		argv[n++] = lifeline_text;
		start_keep(s->lifeline);
	}
	if (s->netdev)
		argv[n++] = "--netdev";
	if (s->detach)
		argv[n++] = "--detach";
	start_keep(ready);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		start_keep(fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	/* A server must not be a client of another chip. */
	if (getenv("DVX_SIM_SOCKET"))
		unsetenv("LD_PRELOAD");
	execv(server, (char **)(uintptr_t)argv);
	message_print("can't run %s: %s", server, strerror(errno));
	_exit(EXIT_SELF);
}

static bool wait_ready(int fd)
{
	char byte = 0;
	ssize_t n;

	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	return n == 1 && byte == 'R';
}

pid_t start_server(const struct start *s)
{
	const char *server = server_path();
	char dir[PATH_MAX];
	int ready[2];
	pid_t pid;

	if (!server || !registry())
		return -1;
	registry_file(dir, s->name, "");
	if (pipe2(ready, O_CLOEXEC)) {
		message_print("can't start the device: %s", strerror(errno));
		return -1;
	}
	pid = fork();
	if (!pid)
		be_server(s, server, dir, ready[1]);
	close(ready[1]);
	if (pid > 0 && wait_ready(ready[0])) {
		close(ready[0]);
		return pid;
	}
	close(ready[0]);
	if (pid < 0)
		message_print("can't start the device: %s", strerror(errno));
	else
		waitpid(pid, NULL, 0); /* the server has printed the error */
	return -1;
}
