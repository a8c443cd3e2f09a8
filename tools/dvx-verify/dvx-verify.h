/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_VERIFY_TOOL_H
#define DVX_VERIFY_TOOL_H

#include <stdbool.h>

#define CLI_ARGS verify_args
#include "tools/cli/cli.h"
#include "verify.h"

struct verify_args {
	bool json, list;
	const char *device, *output;
	int argc;
	char **argv;
};

/* The rows that the command line chose, and their answers. */
struct results {
	const struct statement **rows;
	struct answer *answers;
	size_t count;
	size_t by_verdict[VERDICTS];
	struct subject subject;
};

extern const char *const verdict_names[VERDICTS];

/* Prints a row's answer on a line or two. */
void results_row(const struct statement *, const struct answer *);
/* Prints the sums. */
void results_end(const struct results *, const char *file);
/* Returns the report that is sent and printed with --json. */
struct json_t *results_json(const struct results *);
/* Lists the chosen rows, by group. Return an exit code. */
int results_list(const struct results *);
int results_list_json(const struct results *);

#endif
