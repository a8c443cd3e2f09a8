/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <jansson.h>

#include "cli.h"
#include "net.h"
#include "serve.h"

enum { OPT_SLOTS = 256, OPT_SLOT, OPT_TIMEOUT, OPT_CLIENTS, OPT_ONCE };

static const struct argp_option options[] = {
	{"root", 'r', "DIR", 0, "the directory that clients may read (required)", 0},
	{"listen", 'l', "ADDR[:PORT]", 0, "where to wait for clients (127.0.0.1:" TARGET_PORT ")",
	 0},
	{"key-file", 'k', "FILE", 0, "shared key; needed for any address but loopback", 0},
	{"device", 'd', "DEV", 0, "mlx5 device by name, PCI address or GUID (the first)", 0},
	{"once", OPT_ONCE, NULL, 0, "end after the first client", 0},
	{"max-clients", OPT_CLIENTS, "N", 0, "clients at a time (8)", 0},
	{"slots", OPT_SLOTS, "N", 0, "most chunks under way for a client (32)", 0},
	{"slot-size", OPT_SLOT, "BYTES", 0, "largest chunk (1M)", 0},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "how long to wait for a silent client (60)", 0},
	{"json", 'j', NULL, 0, "print the address as JSON", 0},
	{"quiet", 'q', NULL, 0, "print errors only", 0},
	{0},
};

struct args {
	const char *root, *listen, *key_file, *device;
	bool json;
	struct serve serve;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct args *a = state->input;

	switch (key) {
	case 'r':
		a->root = arg;
		return 0;
	case 'l':
		a->listen = arg;
		return 0;
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
		a->serve.quiet = true;
		return 0;
	case OPT_ONCE:
		a->serve.once = true;
		return 0;
	case OPT_CLIENTS:
		a->serve.max_clients =
			(unsigned int)cli_number(arg, "--max-clients", 1, 1000, state);
		return 0;
	case OPT_SLOTS:
		a->serve.shared.slots = (uint32_t)cli_number(arg, "--slots", 1, 4096, state);
		return 0;
	case OPT_SLOT:
		a->serve.shared.slot_bytes =
			(uint32_t)cli_number(arg, "--slot-size", 4096, 1ul << 30, state) & ~4095u;
		return 0;
	case OPT_TIMEOUT:
		a->serve.patience_ms = (int)cli_number(arg, "--timeout", 1, 86400, state) * 1000;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "\"%s\" is one argument too many", arg);
		return 0;
	case ARGP_KEY_END:
		if (!a->root)
			argp_error(state, "--root is needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

unsigned long cli_number(const char *arg, const char *option, unsigned long min, unsigned long max,
			 struct argp_state *state)
{
	static const char units[] = "KMG";
	const char *unit;
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(arg, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit && !end[1] && v <= max) {
		v <<= 10 * (unit - units + 1);
		end++;
	}
	if (errno || end == arg || *end || *arg == '-' || v < min || v > max)
		argp_error(state, "%s takes a number from %lu to %lu, not \"%s\"", option, min, max,
			   arg);
	return v;
}

/* The one line that scripts wait for: it has the port that the kernel chose for ":0". */
static void announce(const struct args *a, int listener)
{
	char name[NET_NAME];
	json_t *j;

	net_own_name(listener, name);
	if (a->json) {
		j = json_pack("{s:s, s:s}", "listening", name, "device",
			      device_name(a->serve.shared.device));
		if (j)
			json_dumpf(j, stdout, JSON_COMPACT);
		json_decref(j);
		putchar('\n');
	} else if (!a->serve.quiet) {
		printf("serving %s on %s through %s\n", a->root, name,
		       device_name(a->serve.shared.device));
	}
	fflush(stdout);
}

static int run(struct args *a, struct key *key, struct fault *f)
{
	struct server *s = &a->serve.shared;
	struct target t;
	int listener, ret;

	if (target_parse_listen(&t, a->listen, f) || (a->key_file && key_load(key, a->key_file, f)))
		return -1;
	s->root = open(a->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->root < 0)
		return fault(f, COPY_IO, "%s: %s", a->root, strerror(errno));
	listener = net_listen(&t, key->n != 0, f);
	if (listener < 0)
		return -1;
	if (device_open(&s->device, a->device, f)) {
		close(listener);
		return -1;
	}
	ret = export_check(s->device, f);
	if (!ret) {
		announce(a, listener);
		ret = serve(&a->serve, listener, &stop_asked, f);
	}
	close(listener);
	device_close(s->device);
	return ret;
}

int cli_serve(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse,
		NULL,	 "Lets dvx-copy pull read DIR from the other side of the chip.",
		NULL,	 NULL,
		NULL};
	static char name[] = "dvx-copy serve";
	struct key key = {.n = 0};
	struct args a = {.listen = "127.0.0.1:" TARGET_PORT,
			 .serve = {.max_clients = 8,
				   .patience_ms = 60000,
				   .key = &key,
				   .shared = {.root = -1, .slots = 32, .slot_bytes = 1u << 20}}};
	struct fault f = {0};

	argv[0] = name;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	run(&a, &key, &f);
	if (f.code)
		fprintf(stderr, "dvx-copy: %s\n", f.text);
	if (a.serve.shared.root >= 0)
		close(a.serve.shared.root);
	key_wipe(&key);
	return f.code;
}
