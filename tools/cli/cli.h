/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines of all tools: "TOOL COMMAND [OPTION...] [OPERAND...]"; dvx(7) is their manual. */
#ifndef DVX_TOOLS_CLI_H
#define DVX_TOOLS_CLI_H

#include <argp.h>
#include <stddef.h>
#include "exit.h"
#include "option.h"

/*
 * A command. `usage` names its operands; completion reads them as well: "STRUCT [FILE]",
 * "DEV|DUMP", "FIELD=VALUE...". The row whose name is "" is run where no command is
 * named: a tool without commands has no other one.
 */
struct cli_command {
	const char *name;
	int least, most; /* operands */
	const char *usage, *doc;
	const struct argp_option *options; /* besides --quiet, --help, --usage and --version */
	int (*run)(const struct CLI_ARGS *args);
};

/* Options that tools have in common. */
#define CLI_JSON                                                       \
	{                                                              \
		"json", 'j', NULL, 0, "print JSON, of failures too", 0 \
	}

#define CLI_DEVICE                                                                            \
	{                                                                                     \
		"device", 'd', "DEV", 0, "device by name, PCI address or GUID (the first)", 0 \
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

/* Completion of the operands and option values that are called `meta`: see complete.h. */
struct cli_words {
	const char *meta;
	void (*offer)(const char *command, const char *first, const char *field);
};

struct cli {
	const char *tool;
	const char *overview; /* what --help says of all commands */
	const struct cli_command *commands;
	size_t count;
	const struct cli_short *shorts;
	size_t short_count;
	const struct cli_short *foreign; /* commands of other tools; errors name this tool's */
	size_t foreign_count;
	struct CLI_ARGS *args;
	int *argc; /* the operands, in args, with a NULL after the last */
	char ***argv;
	const struct cli_option *values;
	size_t value_count;
	/* Takes options that have no row in values, or returns ARGP_ERR_UNKNOWN; or NULL. */
	error_t (*option)(int key, char *arg, struct argp_state *state, struct CLI_ARGS *args);
	/* Checks what the number of operands alone does not tell; or NULL. */
	void (*check)(struct argp_state *state, const struct CLI_ARGS *args);
	const struct cli_words *words;
	size_t word_count;
	int wrong_program; /* of a wrong command line where CLI_PROGRAM is; others: EXIT_USAGE */
};

/* The tables of a tool, in its struct cli. */
#define CLI_TABLES(commands_, values_, args_)                                              \
	.commands = commands_, .count = sizeof(commands_) / sizeof((commands_)[0]),        \
	.args = &(args_), .argc = &(args_).argc, .argv = &(args_).argv, .values = values_, \
	.value_count = sizeof(values_) / sizeof((values_)[0])

/* A tool's whole main(): its exit code. A wrong command line ends the program. */
int cli_main(const struct cli *cli, int argc, char **argv);

#endif
