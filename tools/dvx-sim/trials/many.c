/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a command many times, each time on a device of its own, several at once. */
#include "many.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_EVERY 10u /* seconds */

struct many_run *many_new(size_t n)
{
	struct many_run *r = mmap(NULL, n * sizeof(*r), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (r != MAP_FAILED)
		return r;
	message_print("no memory for %zu runs", n);
	return NULL;
}

void many_free(struct many_run *r, size_t n)
{
	munmap(r, n * sizeof(*r));
}

static uint64_t many_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * MANY_SECOND + (uint64_t)t.tv_nsec;
}

/* --- one run, in a process of its own ---------------------------------------------------------- */

struct many_worker {
	const struct sim_args *a;
	struct many_run *r;
	char chip[32];
	int lifeline, output;
	pid_t server, child;
};

static bool many_start(struct many_worker *w)
{
	struct start s = {.name = w->chip,
			  .set = w->a->set,
			  .fault = w->a->fault,
			  .ip = w->a->ip,
			  .netdev = w->a->netdev,
			  .hostile = *w->r->hostile ? w->r->hostile : w->a->hostile};
	int life[2];

	snprintf(w->chip, sizeof(w->chip), "run-%d", getpid());
	w->output = memfd_create("output", MFD_CLOEXEC);
	if (w->output < 0 || dup2(w->output, STDERR_FILENO) < 0 || pipe2(life, O_CLOEXEC))
		return false;
	s.lifeline = life[0];
	w->lifeline = life[1];
	w->server = start_server(&s);
	close(life[0]);
	if (w->server > 0 && w->a->inject)
		return inject_send(w->chip); /* seeds_run(): without faults of its own */
	return w->server > 0 && inject_set_all(w->chip, w->r->faults, w->r->nfaults);
}

/* Becomes the command, in a process group of its own, so that all of it can be ended. */
static void many_be_command(const struct many_worker *w)
{
	const struct chip_command c = {
		.chip = w->chip, .function = w->a->function, .cmd = w->a->argv};
	const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(nothing, STDIN_FILENO);
	dup2(w->output, STDOUT_FILENO);
	dup2(w->output, STDERR_FILENO);
	_exit(exec_on_chip(&c));
}

/* Waits until the command ends or the limit is over; returns whether it has ended. */
static bool many_wait(const struct many_worker *w, uint64_t limit_ns)
{
	struct pollfd p = {.fd = pidfd_open(w->child, 0), .events = POLLIN};
	const bool ended = poll(&p, 1, (int)(limit_ns / 1000000)) != 0;

	close(p.fd);
	return ended;
}

static void many_read_output(struct many_worker *w)
{
	const off_t end = lseek(w->output, 0, SEEK_END);
	const off_t from = end < (off_t)MANY_TEXT ? 0 : end - (off_t)MANY_TEXT + 1;
	const ssize_t n = pread(w->output, w->r->text, MANY_TEXT - 1, from);

	w->r->text[n > 0 ? n : 0] = 0;
}

/* A sanitizer's report may be followed by any output, of AddressSanitizer by 1400 bytes of its own. */
static bool many_sanitizer_reported(const struct many_worker *w)
{
	const off_t len = lseek(w->output, 0, SEEK_END);
	void *out = len > 0 ? mmap(NULL, (size_t)len, PROT_READ, MAP_SHARED, w->output, 0) : MAP_FAILED;
	bool reported;

	if (out == MAP_FAILED)
		return false;
	reported = memmem(out, (size_t)len, "Sanitizer: ", 11) ||
		   memmem(out, (size_t)len, ": runtime error: ", 17);
	munmap(out, (size_t)len);
	return reported;
}

static void many_ended(struct many_worker *w, int status)
{
	struct many_run *r = w->r;

	r->end = WIFSIGNALED(status) ? MANY_SIGNALED : MANY_EXITED;
	r->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	many_read_output(w);
	if (many_sanitizer_reported(w))
		r->end = MANY_SANITIZER;
}

static void many_hung(struct many_worker *w)
{
	FILE *to = fmemopen(w->r->text, MANY_TEXT, "w");
	struct why waits;

	if (to && why_query_lasting(w->chip, -1, &waits)) {
		why_print(to, &waits);
		why_forget(&waits);
	}
	if (to)
		fclose(to);
	kill(-w->child, SIGKILL);
}

static void many_take_left(struct many_worker *w)
{
	struct why all;

	if (!why_query(w->chip, &all))
		return;
	for (size_t i = 0; i < all.n && w->r->nleft < MANY_LEFT; i++)
		if (all.rows[i].kind == FINDING_NOT_DESTROYED)
			w->r->left[w->r->nleft++] = all.rows[i];
	why_forget(&all);
}

static void many_command(struct many_worker *w, uint64_t limit_ns)
{
	const uint64_t from = many_now();
	int status = 0;
	bool ended;

	w->child = fork();
	if (!w->child)
		many_be_command(w);
	if (w->child < 0)
		return;
	ended = many_wait(w, limit_ns);
	w->r->ns = many_now() - from;
	if (!ended)
		many_hung(w);
	waitpid(w->child, &status, 0);
	if (ended)
		many_ended(w, status);
	else
		w->r->end = MANY_HUNG;
	kill(-w->child, SIGKILL); /* what it has started and left */
	inject_get_all(w->chip, w->r->faults, w->r->nfaults);
	many_take_left(w);
}

static void many_work(const struct sim_args *a, struct many_run *r, uint64_t limit_ns)
{
	struct many_worker w = {.a = a, .r = r};
	int status = 0;

	if (many_start(&w))
		many_command(&w, limit_ns);
	if (r->end == MANY_NOT_RUN)
		many_read_output(&w);
	if (w.server <= 0)
		return;
	close(w.lifeline);
	if (waitpid(w.server, &status, 0) == w.server && status)
		r->end = MANY_DEVICE;
}

/* --- all of them ------------------------------------------------------------------------------- */

struct many_progress {
	size_t done, found, n;
	uint64_t at; /* when to print it */
};

static void many_print_progress(struct many_progress *p)
{
	const uint64_t now = many_now();

	if (now < p->at || p->done == p->n)
		return;
	p->at = now + PROGRESS_EVERY * MANY_SECOND;
	message_print("%zu of %zu runs are done, %zu with a finding", p->done, p->n, p->found);
}

/*
 * Waits for a worker. Returns the run that it had. A shell that became dvx-sim leaves it other children, whose
 * numbers are reused, too.
 */
static size_t many_reap(pid_t *workers, size_t n)
{
	for (;;) {
		const pid_t pid = wait(NULL);
		const bool ignored = pid < 0 && errno == ECHILD; /* SIGCHLD is: nobody counts them */

		for (size_t i = 0; i < n; i++)
			if (workers[i] == pid || (ignored && workers[i])) {
				workers[i] = 0;
				return i;
			}
	}
}

void many_run_all(const struct sim_args *a, struct many_run *runs, size_t n, uint64_t limit_ns,
		  bool (*found)(const struct many_run *))
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct many_progress p = {.n = n, .at = many_now() + PROGRESS_EVERY * MANY_SECOND};
	pid_t *workers = calloc(n, sizeof(*workers));
	size_t started = 0;

	fflush(NULL);
	for (; workers && p.done < n; many_print_progress(&p)) {
		if (started < n && (long)(started - p.done) < (cpus > 1 ? cpus : 1)) {
			workers[started] = fork();
			if (!workers[started]) {
				many_work(a, &runs[started], limit_ns);
				_exit(0);
			}
			started++;
			continue;
		}
		p.found += found(&runs[many_reap(workers, started)]);
		p.done++;
	}
	free(workers);
}

void many_describe(const struct many_run *r, char *text, size_t size)
{
	switch (r->end) {
	case MANY_SIGNALED:
		snprintf(text, size, "killed by SIG%s", sigabbrev_np(r->code) ?: "?");
		break;
	case MANY_SANITIZER:
		snprintf(text, size, "a sanitizer's report");
		break;
	case MANY_HUNG:
		snprintf(text, size, "no end within %.1f s", (double)r->ns / 1e9);
		break;
	case MANY_DEVICE:
		snprintf(text, size, "the device ended badly (a bug of dvx-sim)");
		break;
	case MANY_NOT_RUN:
		snprintf(text, size, "not run");
		break;
	default:
		snprintf(text, size, "exit code %d", r->code);
	}
}
