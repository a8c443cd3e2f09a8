/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-perf: what a post and a poll cost on libdvx's rings, beside libibverbs, in one run. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "config.h"
#include "report.h"
#include "tools/cli/cli.h"
#include "tools/cli/number.h"
#include "tools/cli/say.h"

#define ENGINES 3
static const struct engine *const engines[ENGINES] = { &engine_dvx, &engine_wr, &engine_post_send };

struct options {
	struct params p;
	const char *json;
};

const char *argp_program_version = "dvx-perf " PACKAGE_VERSION;

static const struct argp_option argp_options[] = {
	{ "device", 'd', "NAME", 0, "device (name or PCI address; default: the first)", 0 },
	{ "size", 's', "BYTES", 0, "bytes a message, 1 to 1 MiB (8; up to 8 go inline)", 0 },
	{ "count", 'n', "N", 0, "messages a round (2000)", 0 },
	{ "rounds", 'r', "N", 0, "rounds, in which the engines take turns (5)", 0 },
	{ "window", 'w', "N", 0, "outstanding messages while the rate is measured (64)", 0 },
	{ "json", 'j', "FILE", 0, "write the figures as JSON too; - for standard output only", 0 },
	{ 0 },
};

static error_t perf_main_parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'd':
		o->p.device = arg;
		return 0;
	case 's':
		o->p.size = (uint32_t)cli_size(state, "--size", arg, 1, 1 << 20);
		return 0;
	case 'n':
		o->p.count = (uint32_t)cli_number(state, "--count", arg, 1, 1000000);
		return 0;
	case 'r':
		o->p.rounds = (uint32_t)cli_number(state, "--rounds", arg, 1, 1000);
		return 0;
	case 'w':
		o->p.window = (uint32_t)cli_number(state, "--window", arg, 1, 4096);
		return 0;
	case 'j':
		o->json = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not an option", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = perf_main_parse,
	.doc = "Measures RDMA_WRITE on a queue connected to itself: libdvx's own rings, ibv_wr_* "
	       "and "
	       "ibv_post_send, in one run.",
};

static int samples_alloc(struct samples *s, const struct params *p)
{
	size_t n = (size_t)p->count * p->rounds;

	s->latency = calloc(n, sizeof(*s->latency));
	s->post = calloc(n, sizeof(*s->post));
	return s->latency && s->post ? 0 : -ENOMEM;
}

static int perf_main_measure(const struct params *p, void *ring[], struct samples s[])
{
	for (uint32_t round = 0; round < p->rounds; round++)
		for (size_t e = 0; e < ENGINES; e++)
			if (engines[e]->latency(ring[e], p, &s[e]) ||
			    engines[e]->burst(ring[e], p, &s[e])) {
				say("%s stopped in round %u", engines[e]->name, round + 1);
				return -EIO;
			}
	return 0;
}

static int perf_main_report(const struct options *o, struct samples s[])
{
	double ns = ticks_to_ns();
	struct figures f[ENGINES];

	for (size_t e = 0; e < ENGINES; e++)
		f[e] = figures_of(engines[e]->name, &s[e], ns);
	if (!o->json || strcmp(o->json, "-"))
		report_table(&o->p, f, ENGINES);
	return o->json ? report_json(o->json, &o->p, f, ENGINES) : 0;
}

int main(int argc, char **argv)
{
	struct options o = { .p = { .size = 8, .count = 2000, .rounds = 5, .window = 64 } };
	struct samples s[ENGINES] = { 0 };
	void *ring[ENGINES] = { 0 };
	int rc = 0;

	say_as("dvx-perf");
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	for (size_t e = 0; e < ENGINES && !rc; e++) {
		rc = samples_alloc(&s[e], &o.p);
		if (rc)
			say("no memory for %u samples", o.p.count * o.p.rounds);
		else
			rc = engines[e]->open(&o.p, &ring[e]);
		if (!rc && !e) /* libdvx takes addresses too; the others get the name */
			o.p.device = ring_device(ring[0]);
	}
	if (!rc)
		rc = perf_main_measure(&o.p, ring, s);
	if (!rc)
		rc = perf_main_report(&o, s);
	if (!rc && (fflush(stdout) || ferror(stdout))) {
		say("standard output: %s", strerror(errno));
		rc = -1;
	}
	for (size_t e = 0; e < ENGINES; e++) {
		if (ring[e])
			engines[e]->close(ring[e]);
		free(s[e].latency);
		free(s[e].post);
	}
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
