/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands of dvx-flow share. */
#ifndef DVX_FLOW_TOOL_H
#define DVX_FLOW_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/rule.h"

/* Exit codes, documented in dvx-flow(1). */
enum {
	EXIT_DONE = 0,
	EXIT_RULES = 1,	 /* a mistake in the rules; no such rule; explain: see there */
	EXIT_USAGE = 2,	 /* wrong command line */
	EXIT_INPUT = 3,	 /* no device, no daemon, a file that cannot be read or written */
	EXIT_DEVICE = 4, /* the device lacks or refuses something */
	EXIT_BUSY = 5,	 /* this device has a daemon already */
};

struct args {
	bool json, quiet, watch, fresh, ste;
	const char *device, *socket, *state, *capture;
	unsigned int queues;
	double interval, wait;
	/* explain and dump */
	const char *dump; /* a file, not the daemon */
	uint64_t packet;  /* number in a packet file, from 1; 0: all */
	bool out;	  /* the packets of a file go out */
	int argc;
	char **argv;
};

/* One sentence to stderr, after the program's name. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints and frees root; EXIT_DONE, or EXIT_INPUT if standard output takes no more. */
int json_out(json_t *root);

/*
 * All of a file ("-": standard input), with a NUL behind it. 0, or -errno after a sentence. No more
 * than RULES_BYTES_MAX.
 */
int file_read(const char *path, char **text, size_t *len);

/* Rules of a file, mistakes told on stderr as FILE:LINE:COLUMN; NULL name: nothing is told. */
int rules_read(const char *name, const char *text, size_t len, struct ruleset *set);

/* What rules_compile() refused, in a sentence. */
void compile_why(const struct ruleset *set, int err, size_t wrong, char *why, size_t size);

int cmd_check(const struct args *a);
int cmd_daemon(const struct args *a);
int cmd_apply(const struct args *a);
int cmd_list(const struct args *a);
int cmd_stats(const struct args *a);
int cmd_del(const struct args *a);
int cmd_explain(const struct args *a);
int cmd_dump(const struct args *a);

#endif
