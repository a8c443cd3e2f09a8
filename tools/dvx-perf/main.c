/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-perf: what a post and a poll cost on libdvx's rings, beside libibverbs, in one run. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include "report.h"
#define CLI_ARGS perf_args
#include "tools/cli/cli.h"
#include "tools/cli/say.h"

#define ENGINES 3
static const struct perf_engine *const engines[ENGINES] = {&engine_dvx, &engine_wr,
							   &engine_post_send};

struct perf_args {
	const char *device;
	uint32_t size, count, rounds, window;
	bool json;
	int argc;
	char **argv;
};

static const struct argp_option options[] = {
	CLI_DEVICE,
	{"size", 's', "BYTES", 0, "bytes of a message, 1 to 1M (8; up to 8 go inline)", 0},
	{"count", 'n', "N", 0, "messages of a round (2000)", 0},
	{"rounds", 'r', "N", 0, "rounds, in which the engines take turns (5)", 0},
	{"window", 'w', "N", 0, "outstanding messages while the rate is measured (64)", 0},
	CLI_JSON,
	{0},
};

static int samples_alloc(struct samples *s, const struct perf_params *p)
{
	size_t n = (size_t)p->count * p->rounds;

	s->latency = calloc(n, sizeof(*s->latency));
	s->post = calloc(n, sizeof(*s->post));
	return s->latency && s->post ? 0 : -ENOMEM;
}

static int perf_measure(const struct perf_params *p, void *ring[], struct samples s[])
{
	for (uint32_t round = 0; round < p->rounds; round++)
		for (size_t e = 0; e < ENGINES; e++)
			if (engines[e]->latency(ring[e], p, &s[e]) ||
			    engines[e]->burst(ring[e], p, &s[e])) {
				say("%s stopped in round %u", engines[e]->name, round + 1);
				return EXIT_DEVICE;
			}
	return EXIT_DONE;
}

static int perf_report(const struct perf_params *p, bool json, struct samples s[])
{
	double ns = ticks_to_ns();
	struct figures f[ENGINES];

	for (size_t e = 0; e < ENGINES; e++)
		f[e] = figures_of(engines[e]->name, &s[e], ns);
	if (json)
		return report_json(p, f, ENGINES);
	report_table(p, f, ENGINES);
	return EXIT_DONE;
}

static int perf_open(struct perf_params *p, void *ring[], struct samples s[])
{
	for (size_t e = 0; e < ENGINES; e++) {
		int code;

		if (samples_alloc(&s[e], p)) {
			say("no memory for %u samples", p->count * p->rounds);
			return EXIT_INPUT;
		}
		code = engines[e]->open(p, &ring[e]);
		if (code)
			return code;
		if (!e) /* libdvx takes addresses too; the others get the name */
			p->device = ring_device(ring[0]);
	}
	return EXIT_DONE;
}

static int cmd_perf(const struct perf_args *a)
{
	struct perf_params p = {a->device, a->size, a->count, a->window, a->rounds};
	struct samples s[ENGINES] = { 0 };
	void *ring[ENGINES] = { 0 };
	int code = perf_open(&p, ring, s);

	if (!code)
		code = perf_measure(&p, ring, s);
	if (!code)
		code = perf_report(&p, a->json, s);
	for (size_t e = 0; e < ENGINES; e++) {
		if (ring[e])
			engines[e]->close(ring[e]);
		free(s[e].latency);
		free(s[e].post);
	}
	return code;
}

static const struct cli_command commands[] = {{
	"",
	0,
	0,
	"",
	"Measures RDMA_WRITE on a queue connected to itself: libdvx's own rings, ibv_wr_* and "
	"ibv_post_send, in one run.",
	options,
	cmd_perf,
}};

static const struct cli_option values[] = {
	CLI_TEXT('d', device),
	CLI_SIZE('s', size, 1, 1 << 20),
	CLI_NUMBER('n', count, 1, 1000000),
	CLI_NUMBER('r', rounds, 1, 1000),
	CLI_NUMBER('w', window, 1, 4096),
	CLI_TRUE('j', json),
};

static struct perf_args args = {.size = 8, .count = 2000, .rounds = 5, .window = 64};

static const struct cli cli = {
	.tool = "dvx-perf",
	CLI_TABLES(commands, values, args),
};

int main(int argc, char **argv)
{
	return cli_main(&cli, argc, argv);
}
