/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-copy: copies directory trees between a host and its DPU with the device's DMA engine. */
#include <argp.h>
#include <sys/resource.h>

#include "dvx-copy.h"
#include "gate.h"
#include "wire/target.h"

enum { OPT_SLOTS = 256, OPT_SLOT, OPT_TIMEOUT, OPT_CLIENTS, OPT_STARTING, OPT_SOURCE, OPT_ONCE };

#define KEY_OPTION                                                                       \
	{                                                                                \
		"key-file", 'k', "FILE", 0, "shared key; required except on loopback", 0 \
	}

static const struct argp_option serve_options[] = {
	{"root", 'r', "DIR", 0, "directory that clients may read (required)", 0},
	{"listen", 'l', "ADDR[:PORT]", 0, "address to listen on (127.0.0.1:" TARGET_PORT ")", 0},
	KEY_OPTION,
	CLI_DEVICE,
	{"once", OPT_ONCE, NULL, 0, "end after the first client", 0},
	{"max-clients", OPT_CLIENTS, "N", 0, "clients at a time (8)", 0},
	{"max-starting", OPT_STARTING, "START:RATE:FULL", 0,
	 "connections that have not shown the key: drop one of START with RATE%, of FULL always "
	 "(" GATE_STARTING ")",
	 0},
	{"max-starting-per-source", OPT_SOURCE, "N[:V4BITS[:V6BITS]]", 0,
	 "of these, from one network (" GATE_PER_SOURCE ")", 0},
	{"slots", OPT_SLOTS, "N", 0, "most chunks in flight for a client (up to 32)", 0},
	{"slot-size", OPT_SLOT, "BYTES", 0, "largest chunk (1M)", 0},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "longest wait for a silent client (60)", 0},
	CLI_JSON,
	{0},
};

static const struct argp_option pull_options[] = {
	KEY_OPTION,
	CLI_DEVICE,
	CLI_JSON,
	{"slots", OPT_SLOTS, "N", 0, "chunks in flight (up to 32)", 0},
	{"slot-size", OPT_SLOT, "BYTES", 0, "size of a chunk (1M)", 0},
	{"timeout", OPT_TIMEOUT, "SECONDS", 0, "longest wait for a silent peer (60)", 0},
	{0},
};

static const struct cli_command commands[] = {
	{"serve", 0, 0, "--root DIR",
	 "Serves DIR to dvx-copy pull on the other function of the device.", serve_options,
	 copy_cmd_serve},
	{"pull", 2, CLI_ANY, "ADDR[:PORT]:PATH... DEST",
	 "Copies files and directory trees from a dvx-copy server to DEST.", pull_options,
	 copy_cmd_pull},
};

static const char overview[] =
	"Copies directory trees between a host and its DPU with the device's DMA engine.\v"
	"Commands (dvx-copy COMMAND --help says more):\n"
	"  serve --root DIR [--listen ADDR[:PORT]]   serves DIR to pull\n"
	"  pull ADDR[:PORT]:PATH... DEST             copies from a server to DEST\n";

static const struct cli_option values[] = {
	CLI_TRUE('j', json),
	CLI_TRUE('q', quiet),
	CLI_TRUE(OPT_ONCE, once),
	CLI_TEXT('r', root),
	CLI_TEXT('l', listen),
	CLI_TEXT('k', key_file),
	CLI_TEXT('d', device),
	CLI_TEXT(OPT_STARTING, max_starting),
	CLI_TEXT(OPT_SOURCE, max_per_source),
	CLI_NUMBER(OPT_CLIENTS, max_clients, 1, 1000),
	CLI_NUMBER(OPT_SLOTS, slots, 1, 4096),
	CLI_SIZE(OPT_SLOT, slot_bytes, 4096, 1u << 30),
	CLI_NUMBER(OPT_TIMEOUT, timeout, 1, 86400),
};

static struct copy_args args = {
	.slot_bytes = 1u << 20,
	.timeout = 60,
	.listen = "127.0.0.1:" TARGET_PORT,
	.max_clients = 8,
	.max_starting = GATE_STARTING,
	.max_per_source = GATE_PER_SOURCE,
};

static const struct cli cli = {
	.tool = "dvx-copy",
	.overview = overview,
	CLI_TABLES(commands, values, args),
};

volatile sig_atomic_t stop_asked;

static void ask_stop(int sig)
{
	(void)sig;
	stop_asked = 1;
}

/* No SA_RESTART: a signal ends a wait. SIGXFSZ is ignored, so that write() reports the limit. */
static void set_signals(void)
{
	struct sigaction stop = {.sa_handler = ask_stop}, ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
}

/* A deep tree needs a descriptor per level. */
static void raise_descriptor_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

/* Slots are registered memory. */
static void raise_memlock_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_MEMLOCK, &lim))
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_MEMLOCK, &lim);
}

int main(int argc, char **argv)
{
	set_signals();
	raise_descriptor_limit();
	raise_memlock_limit();
	return cli_main(&cli, argc, argv);
}
