/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "net.h"
#include "pull.h"

enum { OPT_SLOTS = 256, OPT_SLOT, OPT_TIMEOUT };

static const struct argp_option options[] = {
	{"key-file", 'k', "FILE", 0, "shared key; needed for any address but loopback", 0},
	{"device", 'd', "DEV", 0, "mlx5 device by name, PCI address or GUID (the first)", 0},
	{"json", 'j', NULL, 0, "print the result as JSON", 0},
	{"quiet", 'q', NULL, 0, "print errors only", 0},
	{"slots", OPT_SLOTS, "N", 0, "chunks under way at a time (32)", 0},
	{"slot-size", OPT_SLOT, "BYTES", 0, "size of a chunk (1M)", 0},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "how long to wait for a silent peer (60)", 0},
	{0},
};

struct args {
	const char *key_file, *device;
	bool json, quiet;
	struct pull_wish wish;
	char **names;
	int n_names;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case 'k':
		a->key_file = arg;
		return 0;
	case 'd':
		a->device = arg;
		return 0;
	case 'j':
		a->json = true;
		return 0;
	case 'q':
		a->quiet = true;
		return 0;
	case OPT_SLOTS:
		a->wish.slots = (uint32_t)cli_number(arg, "--slots", 1, 4096, state);
		return 0;
	case OPT_SLOT:
		a->wish.slot_bytes =
			(uint32_t)cli_number(arg, "--slot-size", 4096, 1ul << 30, state) & ~4095u;
		return 0;
	case OPT_TIMEOUT:
		a->wish.patience_ms = (int)cli_number(arg, "--timeout", 1, 86400, state) * 1000;
		return 0;
	case ARGP_KEY_ARGS:
		a->names = state->argv + state->next;
		a->n_names = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (a->n_names < 2)
			argp_error(state, "a source and DEST are needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int connect_to(struct pull *p, const struct target *t, const struct args *a,
		      const struct key *key, struct fault *f)
{
	int fd = net_connect(t, key->n != 0, f);

	return fd < 0 ? -1 : pull_open(p, fd, key, &a->wish, f);
}

/* One connection a source: a server has nothing to remember between them. */
static int pull_one(struct pull *p, const struct args *a, const struct target *t,
		    const struct key *key, struct fault *f)
{
	struct dest_plan plan = {
		.dest = a->names[a->n_names - 1], .base = t->base, .many = a->n_names > 2};
	int ret;

	p->link.fd = -1;
	ret = connect_to(p, t, a, key, f) || pull_path(p, t->path, &plan, f);
	pull_close(p, f);
	return ret;
}

static int pull_all(struct pull *p, const struct args *a, const struct target *t, struct fault *f)
{
	struct key key = {.n = 0};
	int ret = 0;

	if (a->key_file && key_load(&key, a->key_file, f))
		return -1;
	if (device_open(&p->device, a->device, f))
		ret = -1;
	for (int i = 0; !ret && i + 1 < a->n_names; i++)
		ret = pull_one(p, a, &t[i], &key, f);
	device_close(p->device);
	key_wipe(&key);
	return ret;
}

/* All sources are read before anything is done for the first of them. */
static void run(const struct args *a, struct report *r, struct fault *f)
{
	struct target *t = calloc((size_t)a->n_names, sizeof(*t));
	struct pull *p = calloc(1, sizeof(*p));
	int bad = 0;

	if (!p || !t)
		bad = fault(f, COPY_IO, "no memory left");
	for (int i = 0; !bad && i + 1 < a->n_names; i++)
		bad = target_parse(&t[i], a->names[i], f);
	if (!bad) {
		p->report = r;
		p->stop = &stop_asked;
		pull_all(p, a, t, f);
	}
	free(p);
	free(t);
}

int cli_pull(int argc, char **argv)
{
	static const struct argp argp = {
		options,
		parse,
		"ADDR[:PORT]:PATH... DEST",
		"Copies files and directory trees from a dvx-copy server to DEST.",
		NULL,
		NULL,
		NULL};
	static char name[] = "dvx-copy pull";
	struct args a = {.wish = {.slots = 32, .slot_bytes = 1u << 20, .patience_ms = 60000}};
	struct fault f = {0};
	struct report r;
	int code;

	argv[0] = name;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	report_begin(&r, a.quiet, a.json);
	run(&a, &r, &f);
	code = report_end(&r, &f);
	report_free(&r);
	return code;
}
