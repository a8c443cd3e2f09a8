/* SPDX-License-Identifier: BSD-2-Clause */
/* "TOOL COMMAND [OPTION...] [OPERAND...]": what tools with commands share. */
#ifndef DVX_TOOLS_CLI_H
#define DVX_TOOLS_CLI_H

#include <argp.h>
#include <stddef.h>
#include "option.h"

/* What every tool's exit codes have in common; the others are its own. */
enum {
	EXIT_DONE = 0,
	EXIT_USAGE = 2, /* wrong command line */
	EXIT_INPUT = 3, /* what is asked for is not there, or cannot be read or written */
};

struct args; /* each tool has its own */

struct cli_command {
	const char *name;
	int least, most; /* operands */
	const char *usage, *doc;
	const struct argp_option *options;
	int (*run)(const struct args *args);
};

/* Options that tools have in common. */
#define CLI_JSON                                        \
	{                                               \
		"json", 'j', NULL, 0, "for programs", 0 \
	}

#define CLI_DEVICE                                                                                 \
	{                                                                                          \
		"device", 'd', "DEV", 0, "mlx5 device by name, PCI address or GUID (the first)", 0 \
	}

/* Any number of operands. */
#define CLI_ANY (-1)
/* Operand number `least` begins another program's command line, options and all. */
#define CLI_PROGRAM (-2)

/* "TOOL FIRST..." is "TOOL COMMAND FIRST...". */
struct cli_short {
	const char *first; /* an option; NULL: nothing at all */
	const char *command;
};

struct cli {
	const char *tool;
	const char *overview; /* what --help says of all commands */
	const struct cli_command *commands;
	size_t count;
	const struct cli_short *shorts;
	size_t short_count;
	struct args *args;
	int *argc; /* the operands, in args; NULL behind them */
	char ***argv;
	const struct cli_option *values;
	size_t value_count;
	/* Takes what no row of values does, or returns ARGP_ERR_UNKNOWN; or NULL. */
	error_t (*option)(int key, char *arg, struct argp_state *state, struct args *args);
	/* What the number of operands alone does not tell; or NULL. */
	void (*check)(struct argp_state *state, const struct args *args);
	int full;	   /* exit code when standard output takes no more */
	int wrong_program; /* of a wrong command line where CLI_PROGRAM is; others: EXIT_USAGE */
};

/* A tool's whole main(): its exit code. A wrong command line ends the program. */
int cli_main(const struct cli *cli, int argc, char **argv);

#endif
