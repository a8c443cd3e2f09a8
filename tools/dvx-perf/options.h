/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_OPTIONS_H
#define DVX_PERF_OPTIONS_H

#include "engine.h"
#include "control.h"
#define CLI_ARGS perf_args
#include "tools/cli/cli.h"

#define PERF_ENGINES	 4
#define PERF_AUTO_WARMUP UINT32_MAX
#define PERF_CPUS	 256
#define PERF_LISTEN	 "127.0.0.1:" CONTROL_PORT
#define PERF_MAX_SIZE	 (1u << 30)
#define ALL_SIZES_LOG	 23 /* --all: 2 bytes to 8 MiB */

extern const struct perf_engine *const perf_engines[PERF_ENGINES];

/* The command line. */
struct perf_args {
	const char *device, *listen, *plot;
	const struct perf_transport *transport;
	const struct rules_key *key; /* of measured rules */
	uint32_t ops;		     /* PERF_OP_BIT() */
	uint32_t engines; /* bits by index in perf_engines; 0: all that have the operation */
	uint32_t warmup;  /* PERF_AUTO_WARMUP: run.c chooses */
	uint32_t size, count, rounds, window, batch, signal, inline_max, sges, qps, threads;
	uint32_t connections, queues, gid_index;
	double duration;
	uint32_t cpus; /* number of entries in cpu; 0: the kernel places the threads */
	int cpu[PERF_CPUS];
	bool all_sizes, srq, no_blueflame, histogram, json, csv, quiet, once;
	int argc;
	char **argv;
};

/*
 * Options with a default that depends on the command are 0 unless given. These return a
 * measurement's value.
 */
static inline uint32_t options_size(const struct perf_args *a)
{
	return a->size ? a->size : 8;
}

static inline uint32_t options_threads(const struct perf_args *a)
{
	return a->threads ? a->threads : 1;
}

/* For struct cli: take options that are not numbers, and refuse contradicting ones. */
error_t options_take(int key, char *arg, struct argp_state *, struct perf_args *);
/* Whether to measure an operation, and with which engines. */
bool options_op(const struct perf_args *, enum perf_op);
uint32_t options_engines(const struct perf_args *, enum perf_op);
void options_agree(struct argp_state *, const struct perf_args *);
void options_offer_ops(const char *command, const char *first, const char *field);
void options_offer_engines(const char *command, const char *first, const char *field);

enum {
	OPT_DOORBELL = 256,
	OPT_WARMUP,
	OPT_SRQ,
	OPT_CPUS,
	OPT_CSV,
	OPT_PLOT,
	OPT_ONCE,
	OPT_QUEUES,
	OPT_CONNECTIONS,
	OPT_KEY
};

/* The commands. They return exit codes. */
int perf_cmd_measure(const struct perf_args *);
int perf_cmd_serve(const struct perf_args *);
int perf_cmd_threads(const struct perf_args *);
int perf_cmd_rules(const struct perf_args *);

#endif
