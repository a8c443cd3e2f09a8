/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
#define NFORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static int code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * Passes a signal of another process on to the command. The terminal's signals reach the command
 * directly.
 */
static void run_forward(pid_t child, const siginfo_t *info)
{
	if (info->si_code <= 0)
		kill(child, info->si_signo);
}

/* Waits for the command. If it lost its device, it has failed, whatever it returns. */
static int run_wait_for(pid_t child, pid_t server, const sigset_t *signals)
{
	bool lost = false;
	siginfo_t info;
	int status;

	for (;;) {
		if (waitpid(child, &status, WNOHANG) == child)
			return lost ? EXIT_SELF : code_of(status);
		if (waitpid(server, &status, WNOHANG) == server) {
			message_print("the device ended before the command did (status %d)",
				      code_of(status));
			lost = true;
		}
		if (sigwaitinfo(signals, &info) > 0 && info.si_signo != SIGCHLD)
			run_forward(child, &info);
	}
}

static int run_with(const struct chip_command *c, pid_t server, const sigset_t *signals,
		    const sigset_t *before)
{
	pid_t child = fork();

	if (child < 0) {
		message_print("can't start %s: %s", c->cmd[0], strerror(errno));
		return EXIT_SELF;
	}
	if (!child) {
		sigprocmask(SIG_SETMASK, before, NULL);
		_exit(exec_on_chip(c));
	}
	return run_wait_for(child, server, signals);
}

int cmd_run(const struct sim_args *a)
{
	struct start s = {.trace = a->trace,
			  .set = a->set,
			  .fault = a->fault,
			  .ip = a->ip,
			  .netdev = a->netdev};
	sigset_t signals, before;
	char name[32];
	struct chip_command client = {.chip = name,
				      .function = a->function,
				      .cmd = a->argv,
				      .traced = a->trace && !strcmp(a->trace, "-")};
	int life[2], rc, status;
	pid_t server;

	snprintf(name, sizeof(name), "run-%d", getpid());
	s.name = name;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	for (unsigned int i = 0; i < NFORWARDED; i++)
		sigaddset(&signals, forwarded[i]);
	signal(SIGCHLD, SIG_DFL); /* if it were ignored, exit codes would be lost */
	sigprocmask(SIG_BLOCK, &signals, &before);
	if (pipe2(life, O_CLOEXEC)) {
		message_print("can't start the device: %s", strerror(errno));
		return EXIT_SELF;
	}
	s.lifeline = life[0];
	server = start_server(&s);
	if (server < 0)
		return EXIT_SELF;
	close(life[0]);
	rc = run_with(&client, server, &signals, &before);
	close(life[1]);
	if (waitpid(server, &status, 0) == server && status) {
		message_print("the device ended badly (status %d)", code_of(status));
		rc = EXIT_SELF;
	}
	return rc;
}
