/* SPDX-License-Identifier: BSD-2-Clause */
/* Each check runs in a process of its own, so that one that crashes or hangs is an answer. */
#include "verify.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS (20 * 1000)

/* The pipe to the parent, and the device's name, which often has its PCI address. */
static int answer_fd = -1;
static const char *answer_name;

/* Writes "the device" where libdvx's sentences have its name. */
static void run_hide_name(char text[ANSWER_BYTES], const char *name)
{
	static const char instead[] = "the device";
	char rest[ANSWER_BYTES];
	char *at = text;

	while (name && *name && (at = strstr(at, name)) &&
	       (size_t)(text + ANSWER_BYTES - at) > sizeof(instead)) {
		snprintf(rest, sizeof(rest), "%s", at + strlen(name));
		snprintf(at, (size_t)(text + ANSWER_BYTES - at), "%s%s", instead, rest);
		at += strlen(instead);
	}
	if (at && name && *name)
		*at = 0; /* no room for the rest, which has the name */
}

_Noreturn void conclude(enum verdict verdict, const char *fmt, ...)
{
	struct answer a = {.verdict = verdict};
	va_list args;
	ssize_t n;

	va_start(args, fmt);
	vsnprintf(a.text, sizeof(a.text), fmt, args);
	va_end(args);
	run_hide_name(a.text, answer_name);
	n = write(answer_fd, &a, sizeof(a));
	_exit(n == (ssize_t)sizeof(a) ? 0 : 1);
}

static const struct answer run_no_process = {VERDICT_OPEN, "no process can be started for it"};

/* The process is silent, because libraries print addresses. */
static void run_silence(int ends[2])
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	close(ends[0]);
	answer_fd = ends[1];
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
}

/*
 * Ends the process. Returns its status, or -1 if it does not end, because the kernel does not
 * return from one of its calls.
 */
static int run_reap(pid_t pid, int fd)
{
	struct pollfd p = {.fd = fd};
	int status = -1;

	kill(pid, SIGKILL);
	if (poll(&p, 1, 1000) == 1) /* its end of the pipe is closed, so it has ended */
		waitpid(pid, &status, 0);
	return status;
}

/* Returns the answer of a process, or what became of it. */
static struct answer run_wait(pid_t pid, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct answer a = {0};
	int status;

	if (poll(&p, 1, LIMIT_MS) != 1) {
		snprintf(a.text, sizeof(a.text), "the check hung: no answer in %d seconds%s",
			 LIMIT_MS / 1000, run_reap(pid, fd) < 0 ? ", and it does not end" : "");
	} else if (read(fd, &a, sizeof(a)) == (ssize_t)sizeof(a)) {
		run_reap(pid, fd);
		return a;
	} else {
		waitpid(pid, &status, 0);
		snprintf(a.text, sizeof(a.text), "the check crashed: %s",
			 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "no answer");
	}
	a.verdict = VERDICT_CONTRADICTED;
	return a;
}

/* Runs work in a process of its own; it ends in conclude(). */
static struct answer run_process(void (*work)(const void *), const void *arg)
{
	struct answer a;
	int ends[2];
	pid_t pid;

	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC))
		return run_no_process;
	pid = fork();
	if (!pid) {
		run_silence(ends);
		work(arg);
	}
	close(ends[1]);
	a = pid < 0 ? run_no_process : run_wait(pid, ends[0]);
	close(ends[0]);
	return a;
}

struct run_job {
	const char *device;
	const struct statement *row;
	struct subject *subject; /* shared with the process */
};

static void run_check(const void *arg)
{
	const struct run_job *job = arg;
	const struct statement *r = job->row;
	struct dvx_ident ident;
	struct bench b = {0};

	answer_name = job->device;
	bench_open_device(&b, job->device);
	answer_name = dvx_dev_name(b.dev);
	NEED(dvx_dev_ident(b.dev, &ident));
	if (r->chip && ident.part_id != r->part)
		conclude(VERDICT_OPEN, "it is about a %s (PCI device 0x%x)", r->chip, r->part);
	if (r->probe) {
		bench_make(&b);
		r->probe(&b);
	} else {
		steps_run(&b, r->steps);
	}
	conclude(VERDICT_SETTLED, "%s", "");
}

struct answer run_row(const struct statement *r, const char *device)
{
	const struct run_job job = {.device = device, .row = r};

	return run_process(run_check, &job);
}

static void run_read_subject(const void *arg)
{
	const struct run_job *job = arg;
	struct subject *s = job->subject;
	struct dvx_ident ident;
	struct bench b = {0};
	struct utsname host;

	bench_open_device(&b, job->device);
	NEED(dvx_dev_ident(b.dev, &ident));
	uname(&host);
	snprintf(s->firmware, sizeof(s->firmware), "%s", ident.firmware);
	snprintf(s->board, sizeof(s->board), "%s", ident.board);
	snprintf(s->kernel, sizeof(s->kernel), "%.63s", host.release);
	snprintf(s->machine, sizeof(s->machine), "%.63s", host.machine);
	s->part_id = ident.part_id;
	s->hw_ver = ident.hw_ver;
	conclude(VERDICT_SETTLED, "%s", "");
}

struct answer run_subject(struct subject *s, const char *device)
{
	struct run_job job = {.device = device};
	struct answer a = run_no_process;

	job.subject =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (job.subject == MAP_FAILED)
		return a;
	a = run_process(run_read_subject, &job);
	*s = *job.subject;
	munmap(job.subject, sizeof(*s));
	return a;
}
