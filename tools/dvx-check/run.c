/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the program with the preload, and prints what comes through the pipe until it ends. */
#include "dvx-check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/cli/install.h"
#include "tools/cli/preload.h"

static const int watched_signals[] = {SIGCHLD, SIGINT,	SIGTERM, SIGHUP,
				      SIGQUIT, SIGUSR1, SIGUSR2, SIGWINCH};

struct check_command {
	const struct check_args *args;
	char dir[PATH_MAX], fifo[PATH_MAX + 8];
	int pipe, signals;
	sigset_t before; /* the program's mask of signals */
	pid_t child;
	struct findings all;
	char buf[65536]; /* what came of messages */
	size_t len;
};

static bool watched_open(struct check_command *c)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(c->dir, sizeof(c->dir), "%s/dvx-check.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(c->dir)) {
		message_print("can't make %s: %s", c->dir, strerror(errno));
		return false;
	}
	snprintf(c->fifo, sizeof(c->fifo), "%s/pipe", c->dir);
	c->pipe = mkfifo(c->fifo, 0600) ? -1 : open(c->fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (c->pipe < 0)
		message_print("can't make %s: %s", c->fifo, strerror(errno));
	return c->pipe >= 0;
}

static void watched_close(struct check_command *c)
{
	if (c->pipe >= 0)
		close(c->pipe);
	unlink(c->fifo);
	rmdir(c->dir);
	findings_free(&c->all);
	suppress_free();
}

static bool watched_block_signals(struct check_command *c)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(watched_signals) / sizeof(watched_signals[0]); i++)
		sigaddset(&set, watched_signals[i]);
	signal(SIGCHLD, SIG_DFL); /* if it were ignored, the exit code would be lost */
	sigprocmask(SIG_BLOCK, &set, &c->before);
	c->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return c->signals >= 0;
}

/* Says what is not watched of a program that the dynamic linker preloads nothing into. */
static void watched_warn(const char *program)
{
	char path[PATH_MAX];
	const enum preload_reach reach = preload_reaches(program, path);

	if (reach == PRELOAD_STATIC)
		message_print("%s is statically linked: nothing of it is watched", path);
	else if (reach == PRELOAD_PRIVILEGED)
		message_print("%s gains privileges (setuid, setgid or file capabilities): the "
			      "dynamic linker preloads nothing into it, so nothing of it is "
			      "watched; start dvx-check with these privileges instead",
			      path);
}

static int watched_exec(const struct check_command *c, const char *lib)
{
	char **argv = c->args->argv;

	sigprocmask(SIG_SETMASK, &c->before, NULL);
	if (c->args->json && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return EXIT_SELF;
	/* Calls are counted, recorded or checked, only one of it. */
	if (unsetenv(CHECK_COUNTS) || unsetenv(CHECK_RECORD) || preload_prepend(lib) || preload_add_sanitizer() ||
	    preload_allow_asan() || setenv(CHECK_PIPE, c->fifo, 1) ||
	    (c->args->no_poison && setenv(CHECK_NO_POISON, "1", 1))) {
		message_print("can't set the environment: %s", strerror(errno));
		return EXIT_SELF;
	}
	execvp(argv[0], argv);
	message_print("can't run %s: %s", argv[0], strerror(errno));
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANT_RUN;
}

static void watched_take(struct check_command *c, const struct check_header *h)
{
	const struct found *f = findings_take(&c->all, h);

	if (f && !c->args->json)
		print_finding(f);
}

/* Messages are shorter than PIPE_BUF, so each comes in one piece. */
static void watched_read(struct check_command *c)
{
	ssize_t n;

	while ((n = read(c->pipe, c->buf + c->len, sizeof(c->buf) - c->len)) > 0) {
		size_t at = 0;
		struct check_header h;

		c->len += (size_t)n;
		while (c->len - at >= sizeof(h)) {
			struct check_module message;

			memcpy(&h, c->buf + at, sizeof(h));
			if (h.len < sizeof(h) || h.len > sizeof(message)) {
				at = c->len; /* another program's */
				break;
			}
			if (c->len - at < h.len)
				break;
			memcpy(&message, c->buf + at, h.len);
			watched_take(c, &message.h);
			at += h.len;
		}
		memmove(c->buf, c->buf + at, c->len - at);
		c->len -= at;
	}
}

/* Passes signals of other processes on; those of the terminal reach the program directly. */
static void watched_signal(const struct check_command *c)
{
	struct signalfd_siginfo info;

	while (read(c->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0)
			kill(c->child, (int)info.ssi_signo);
}

static int watched_wait(struct check_command *c)
{
	struct pollfd fds[] = {{.fd = c->pipe, .events = POLLIN},
			       {.fd = c->signals, .events = POLLIN}};
	int status;

	while (waitpid(c->child, &status, WNOHANG) != c->child) {
		poll(fds, 2, -1);
		watched_signal(c);
		watched_read(c);
	}
	watched_read(c);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int watched_program(struct check_command *c, const char *lib)
{
	int code;

	watched_warn(c->args->argv[0]);
	c->child = fork();
	if (c->child < 0) {
		message_print("can't start %s: %s", c->args->argv[0], strerror(errno));
		return EXIT_SELF;
	}
	if (!c->child)
		_exit(watched_exec(c, lib));
	code = watched_wait(c);
	if (findings_count(&c->all))
		code = EXIT_FINDINGS;
	if (c->args->json)
		return print_json(&c->all, code);
	print_summary(&c->all, c->args->argv[0]);
	return code;
}

int check_run(const struct check_args *a)
{
	static struct check_command c;
	char lib_path[PATH_MAX];
	const char *lib;
	int code = EXIT_SELF;

	if (a->suppressions && !suppress_read(a->suppressions))
		return EXIT_INPUT;
	c.args = a;
	c.pipe = -1;
	lib = install_find(lib_path, "../../src/check/.libs/libdvx-check.so",
			   PKGLIB_FROM_BIN "/libdvx-check.so", PKGLIBDIR "/libdvx-check.so");
	if (lib && watched_open(&c) && watched_block_signals(&c))
		code = watched_program(&c, lib);
	watched_close(&c);
	return code;
}
