/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands of dvx-copy share. */
#ifndef DVX_COPY_H
#define DVX_COPY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/filter.h"
#define CLI_ARGS copy_args
#include "tools/cli/cli.h"
#include "tools/cli/say.h"

struct copy_args {
	const char *key_file, *device, *via;
	bool json, quiet;
	uint32_t slots, slot_bytes, jobs;
	uint32_t timeout; /* seconds */
	/* serve */
	const char *root, *listen;
	bool once;
	unsigned int max_clients;
	const char *max_starting, *max_per_source;
	bool writable;
	const char *allow;
	/* pull, push: what is kept, and how */
	uint32_t bits; /* enum copy_option */
	uint32_t off;  /* of these, what --no-OPTION turned off */
	bool chosen;   /* a letter of what is kept was given */
	bool verbose, itemize, progress, stats, compress;
	bool list_only, relative, explicit_r; /* explicit_r: -r itself was given */
	const char *files_from;
	const char *fsync, *bwlimit, *window;
	struct filter filter;
	/* sources, and the destination behind them */
	int argc;
	char **argv;
};

/* Set by SIGINT, SIGTERM and SIGHUP. */
extern volatile sig_atomic_t stop_asked;

/* Return an enum copy_exit. */
int copy_cmd_serve(const struct copy_args *a);
int copy_cmd_pull(const struct copy_args *a);
int copy_cmd_push(const struct copy_args *a);

/* The process's mask for modes that are not kept. */
uint32_t copy_umask(void);

#endif
