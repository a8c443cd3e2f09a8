/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the commands of dvx-copy share. */
#ifndef DVX_COPY_H
#define DVX_COPY_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/filter.h"
#define CLI_ARGS copy_args
#include "tools/cli/cli.h"
#include "tools/cli/message.h"

struct copy_args {
	const char *key_file, *device, *via;
	bool json, quiet;
	uint32_t slots, slot_bytes, jobs;
	uint32_t timeout; /* seconds */
	/* options of serve */
	const char *root, *listen;
	bool once;
	unsigned int max_clients;
	const char *max_starting, *max_per_source;
	bool writable;
	const char *allow;
	/* options of pull and push */
	uint32_t bits; /* enum copy_option */
	uint32_t off;  /* of these, what --no-OPTION turned off */
	bool chosen;   /* a one-letter option of what to keep was given */
	bool verbose, itemize, progress, stats, compress;
	bool list_only, relative, explicit_r; /* explicit_r: -r itself was given */
	const char *files_from;
	const char *fsync, *bwlimit, *window;
	struct filter filter;
	/* the sources, and the destination behind them */
	int argc;
	char **argv;
};

/* Set by SIGINT, SIGTERM and SIGHUP. */
extern volatile sig_atomic_t stop_asked;

/* The commands. They return an enum copy_exit. */
int copy_cmd_serve(const struct copy_args *a);
int copy_cmd_pull(const struct copy_args *a);
int copy_cmd_push(const struct copy_args *a);

/* Returns the process's umask, for modes that are not kept. */
uint32_t copy_umask(void);

#endif
