/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-sim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};
#define NFORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static int code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A command, its device, and what the device's queues were found to wait for. */
struct run_command {
	const char *chip;
	pid_t child, server; /* server -1: there is none */
	const sigset_t *signals;
	bool lost;			     /* the device ended before the command */
	bool reported;			     /* it is printed what the queues wait for */
	time_t look;			     /* --hang-after */
	const struct run_observer *observer; /* or NULL */
	struct why last;		     /* what the last look found */
};

/* Prints what the queues wait for. It is no error, and may be what an idle program's do. */
static void run_report(struct run_command *r, struct why *w, const char *when)
{
	message_print("%s: the device's queues wait:", when);
	why_print(stderr, w);
	r->reported = true;
}

static void run_report_now(struct run_command *r, const char *when)
{
	const int ended = pidfd_open(r->child, 0);
	struct why w;

	if (!r->reported && !r->lost && why_query_lasting(r->chip, ended, &w)) {
		if (why_count(&w))
			run_report(r, &w, when);
		why_forget(&w);
	}
	if (ended >= 0)
		close(ended);
}

/* Looks again, and prints what has not moved since the last look; once, until something moves. */
static void run_look(struct run_command *r)
{
	struct why now, lasting;

	if (r->lost || !why_query(r->chip, &now))
		return;
	why_drop(&now, true);
	lasting = why_copy(&now);
	why_keep_lasting(&lasting, &r->last);
	if (!lasting.n)
		r->reported = false;
	else if (!r->reported)
		run_report(r, &lasting, "nothing has moved since the last look");
	why_forget(&lasting);
	why_forget(&r->last);
	r->last = now;
}

/* A command that failed may have ended with work under way. */
static void run_report_end(struct run_command *r, int code)
{
	struct why w;

	if (!code || r->reported || r->lost || !why_query(r->chip, &w))
		return;
	why_drop(&w, false);
	why_drop_left(&w);
	if (w.n)
		run_report(r, &w, "the command ended");
	why_forget(&w);
}

/*
 * Passes a signal of another process on to the command. The terminal's signals reach the command
 * directly.
 */
static void run_forward(struct run_command *r, const siginfo_t *info)
{
	if (info->si_signo == SIGINT || info->si_signo == SIGTERM)
		run_report_now(r, strsignal(info->si_signo));
	if (info->si_code <= 0)
		kill(r->child, info->si_signo);
}

/* Waits for a signal, or until the next look. */
static void run_wait_signal(struct run_command *r)
{
	const struct timespec until = {.tv_sec = r->look};
	siginfo_t info;
	int n = r->look ? sigtimedwait(r->signals, &info, &until) : sigwaitinfo(r->signals, &info);

	if (n > 0 && n != SIGCHLD)
		run_forward(r, &info);
	else if (n < 0 && errno == EAGAIN)
		run_look(r);
}

/* Waits for the command. If it lost its device, it has failed, whatever it returns. */
static int run_wait_for(struct run_command *r)
{
	int status;

	for (;;) {
		if (waitpid(r->child, &status, WNOHANG) == r->child) {
			run_report_end(r, code_of(status));
			return r->lost ? EXIT_SELF : code_of(status);
		}
		if (r->server > 0 && waitpid(r->server, &status, WNOHANG) == r->server) {
			message_print("the device ended before the command did (status %d)",
				      code_of(status));
			r->lost = true;
		}
		run_wait_signal(r);
	}
}

static int run_with(struct run_command *r, const struct chip_command *c, const sigset_t *before)
{
	int code;

	r->child = fork();
	if (r->child < 0) {
		message_print("can't start %s: %s", c->cmd[0], strerror(errno));
		return EXIT_SELF;
	}
	if (!r->child) {
		sigprocmask(SIG_SETMASK, before, NULL);
		if (r->observer && r->observer->to_stderr)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		_exit(exec_on_chip(c));
	}
	code = run_wait_for(r);
	if (r->observer && r->observer->end && !r->lost)
		r->observer->end(r->observer->ctx, r->chip);
	why_forget(&r->last);
	return code;
}

/* Returns dvx-check's command line, whose first word and itself the caller frees; NULL after a message. */
static char **run_checked_argv(const struct sim_args *a)
{
	static char rest[] = "--";
	const char *check = install_check_path();
	char **argv = check ? calloc((size_t)a->argc + 3, sizeof(*argv)) : NULL;

	if (!argv)
		return NULL;
	argv[0] = strdup(check);
	argv[1] = rest;
	memcpy(argv + 2, a->argv, (size_t)a->argc * sizeof(*argv));
	return argv;
}

/*
 * Blocks the signals that are passed on, for good: one that comes at the end changes no exit code.
 * Sets the mask that commands have.
 */
static void run_block_signals(sigset_t *signals, sigset_t *mask)
{
	static sigset_t before;
	static bool blocked;

	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	for (unsigned int i = 0; i < NFORWARDED; i++)
		sigaddset(signals, forwarded[i]);
	signal(SIGCHLD, SIG_DFL); /* if it were ignored, exit codes would be lost */
	if (!blocked)
		sigprocmask(SIG_BLOCK, signals, &before);
	blocked = true;
	*mask = before;
}

int run_observed(const struct sim_args *a, char **cmd, const struct run_observer *o)
{
	struct start s = {.trace = a->trace,
			  .set = a->set,
			  .fault = a->fault,
			  .ip = a->ip,
			  .netdev = a->netdev,
			  .hostile = a->hostile,
			  .record = o ? o->record : NULL};
	sigset_t signals, before;
	char name[32];
	struct chip_command client = {.chip = name,
				      .function = a->function,
				      .cmd = cmd,
				      .traced = a->trace && !strcmp(a->trace, "-"),
				      .counts = o ? o->counts : NULL,
				      .record = o ? o->record : NULL};
	struct run_command run = {
		.chip = name, .signals = &signals, .look = (time_t)a->hang_after, .observer = o};
	int life[2], rc, status;

	snprintf(name, sizeof(name), "run-%d", getpid());
	s.name = name;
	run_block_signals(&signals, &before);
	if (pipe2(life, O_CLOEXEC)) {
		message_print("can't start the device: %s", strerror(errno));
		return EXIT_SELF;
	}
	s.lifeline = life[0];
	run.server = start_server(&s);
	if (run.server < 0)
		return EXIT_SELF;
	close(life[0]);
	if ((a->inject && !inject_send(name)) || (o && o->begin && !o->begin(o->ctx, name)))
		return EXIT_SELF; /* closes the lifeline */
	rc = run_with(&run, &client, &before);
	if (rc && a->hostile)
		message_print("hostile seed %s: the command returns %d", a->hostile, rc);
	close(life[1]);
	if (waitpid(run.server, &status, 0) == run.server && status) {
		message_print("the device ended badly (status %d)", code_of(status));
		rc = EXIT_SELF;
	}
	return rc;
}

/* Runs the command under dvx-check, on a device that applies its own rules, too. */
static int run_checked(const struct sim_args *a)
{
	bool found = false;
	const struct run_observer o = {.begin = check_begin, .end = check_end, .ctx = &found};
	char **cmd = run_checked_argv(a);
	int code;

	if (!cmd)
		return EXIT_SELF;
	code = run_observed(a, cmd, &o);
	free(cmd[0]);
	free(cmd);
	return found && code != EXIT_SELF ? EXIT_FINDINGS : code;
}

int run_on_nic(char **cmd, const struct run_observer *o)
{
	const struct chip_command client = {.cmd = cmd, .record = o->record};
	sigset_t signals, before;
	struct run_command run = {
		.server = -1, .signals = &signals, .reported = true, .observer = o};

	run_block_signals(&signals, &before);
	return run_with(&run, &client, &before);
}

int cmd_run(const struct sim_args *a)
{
	if ((a->sweep || a->seeds) && a->check) {
		message_print(
			"--sweep and --seeds judge CMD by its exit code, --check by its report: "
			"run them one after the other");
		return EXIT_SELF;
	}
	if ((a->sweep || a->seeds) && a->trace) {
		message_print("--trace shows one run: leave it out, or --sweep and --seeds");
		return EXIT_SELF;
	}
	if (a->sweep && a->inject) {
		message_print(
			"--sweep makes faults of its own: a file of faults goes with --seeds");
		return EXIT_SELF;
	}
	if (a->sweep || a->seeds)
		return a->sweep ? sweep_run(a) : seeds_run(a);
	if (a->json) {
		message_print(
			"--json needs --sweep or --seeds: the output of run is the command's");
		return EXIT_SELF;
	}
	return a->check ? run_checked(a) : run_observed(a, a->argv, NULL);
}
