/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands of dvx-flow share. */
#ifndef DVX_FLOW_TOOL_H
#define DVX_FLOW_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/rule.h"
#include "tools/cli/cli.h"
#include "tools/cli/json.h"
#include "tools/cli/say.h"

/* dvx-flow(1) documents these exit codes and those of tools/cli. */
enum {
	EXIT_RULES = 1,	 /* a mistake in the rules; no such rule; explain: see there */
	EXIT_DEVICE = 4, /* the device lacks or refuses something */
	EXIT_BUSY = 5,	 /* this device has a daemon already */
};

struct args {
	bool json, quiet, watch, fresh, ste;
	const char *device, *socket, *state, *capture;
	unsigned int queues;
	double interval, wait; /* interval 0: none was given */
	/* explain and dump */
	const char *dump; /* a file, not the daemon */
	uint64_t packet;  /* number in a packet file, from 1; 0: all */
	bool out;	  /* the packets of a file go out */
	int argc;
	char **argv;
};

/*
 * All of a file ("-": standard input), with a NUL behind it. 0, or -errno after a sentence. No more
 * than RULES_BYTES_MAX.
 */
int file_read(const char *path, char **text, size_t *len);

/* Rules of a file, mistakes told on stderr as FILE:LINE:COLUMN; NULL name: nothing is told. */
int rules_read(const char *name, const char *text, size_t len, struct ruleset *set);

/* The same picture for what was found later: a sentence about a place of the rules. */
struct rules_text {
	const char *name, *text;
	size_t len;
};
void rules_point(const struct rules_text *s, uint32_t line, uint32_t column, const char *what);

/* Operands with one blank between them, as the daemon has a rule's text; "": they are too long. */
#define WORDS_BYTES_MAX 65536
void words_join(char *out, size_t size, char *const *words, int n);

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
