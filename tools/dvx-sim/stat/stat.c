/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-sim stat: runs a command, and prints what its messages cost. */
#include "stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "tools/dvx-sim/dvx-sim.h"
#include "src/sim/link/link.h"

/* A run, and what it adds to. */
struct stat_command {
	struct stat_result result;
	struct count_file *calls; /* that the program maps */
	int file;
	char path[64];
	bool ok;
};

static double stat_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool stat_ask(const char *chip, const void *body, size_t len, struct link_message *answer)
{
	int sock = registry_connect(chip), err;

	if (sock < 0)
		return false;
	err = link_ask(sock, LINK_STAT, body, (uint32_t)len, -1, answer);
	close(sock);
	if (!err && !answer->h.result)
		return true;
	if (!err)
		link_message_free(answer);
	if (registry_is_ours(chip, err))
		message_print("%s does not count", chip);
	return false;
}

static bool stat_begin(void *ctx, const char *chip)
{
	struct stat_command *c = ctx;
	struct link_message answer = {0};

	if (!stat_ask(chip, &c->result.pcie, sizeof(c->result.pcie), &answer))
		return false;
	link_message_free(&answer);
	return true;
}

static double stat_bytes(const struct stat_result *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->nlines; i++)
		sum += stat_bytes_of(&r->lines[i]).most;
	return sum;
}

/* Adds the rows of an answer, which are in its file. */
static bool stat_add(struct stat_command *c, const struct link_message *answer)
{
	const off_t len = answer->nfds ? lseek(answer->fds[0], 0, SEEK_END) : -1;
	void *rows = len > 0 ? mmap(NULL, (size_t)len, PROT_READ, MAP_SHARED, answer->fds[0], 0)
			     : MAP_FAILED;
	bool ok;

	if (rows == MAP_FAILED) {
		message_print("the chip's counts can't be read");
		return false;
	}
	ok = stat_join(&c->result, rows, (size_t)len / sizeof(struct stat_row), c->calls);
	munmap(rows, (size_t)len);
	return ok;
}

static void stat_end(void *ctx, const char *chip)
{
	struct stat_command *c = ctx;
	struct link_message answer = {0};
	const double before = stat_bytes(&c->result);

	if (!stat_ask(chip, NULL, 0, &answer))
		return;
	c->ok = stat_add(c, &answer);
	c->result.runs[c->result.nruns - 1].bytes = stat_bytes(&c->result) - before;
	link_message_free(&answer);
}

/* Makes the file of the program's calls. Each run's begins empty. */
static bool stat_open(struct stat_command *c)
{
	const size_t size = sizeof(*c->calls);

	c->file = memfd_create("counts", MFD_CLOEXEC);
	if (c->file >= 0 && !ftruncate(c->file, (off_t)size))
		c->calls = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, c->file, 0);
	if (!c->calls || c->calls == MAP_FAILED) {
		message_print("can't make a file of counts: %s", strerror(errno));
		return false;
	}
	snprintf(c->path, sizeof(c->path), "/proc/%d/fd/%d", getpid(), c->file);
	return true;
}

/* Returns the last run's exit code; the first failure ends the runs. */
static int stat_runs(struct stat_command *c, const struct sim_args *a)
{
	const struct run_observer observer = {stat_begin, stat_end, c, c->path, NULL, a->json};
	int code = EXIT_DONE;

	for (uint64_t i = 0; i < a->repeat && !code; i++) {
		const double from = stat_now();

		memset(c->calls, 0, sizeof(*c->calls));
		c->calls->exact = a->exact;
		c->ok = false;
		code = run_observed(a, a->argv, &observer);
		if (c->result.nruns)
			c->result.runs[c->result.nruns - 1].seconds = stat_now() - from;
		if (!c->ok)
			return code ? code : EXIT_SELF;
	}
	return code;
}

static int stat_report(struct stat_command *c, const struct sim_args *a, int code)
{
	if (!c->ok || !stat_sum_classes(&c->result))
		return code ? code : EXIT_SELF;
	if (stat_budget_check(&c->result) && !code)
		code = EXIT_NO;
	if (a->json && stat_print_json(&c->result, code))
		return EXIT_SELF;
	if (!a->json)
		stat_print(stderr, &c->result);
	return code;
}

int cmd_stat(const struct sim_args *a)
{
	static struct stat_command c;
	int code;

	if (a->compare && a->argc == 2 && !a->json)
		return stat_compare(a->argv[0], a->argv[1]);
	if (a->compare) {
		message_print("--compare needs two files that dvx-sim stat --json wrote, and "
			      "prints text");
		return EXIT_USAGE;
	}
#ifndef __x86_64__
	if (a->exact) {
		message_print("--exact steps over instructions, which dvx-sim does on x86-64 only");
		return EXIT_USAGE;
	}
#endif
	if (a->budget && !stat_budget_read(a->budget))
		return EXIT_INPUT;
	c.result.pcie = (struct stat_pcie){(uint32_t)a->mps, (uint32_t)a->mrrs};
	c.result.pcm = a->pcm;
	c.result.exact = a->exact;
	if (!stat_open(&c))
		return EXIT_SELF;
	code = stat_report(&c, a, stat_runs(&c, a));
	stat_free(&c.result);
	return code;
}
