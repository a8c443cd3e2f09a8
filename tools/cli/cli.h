/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines of all tools: "TOOL COMMAND [OPTION...] [OPERAND...]". dvx(7) is their manual. */
#ifndef DVX_TOOLS_CLI_H
#define DVX_TOOLS_CLI_H

#include <argp.h>
#include <stddef.h>
#include "exit.h"
#include "option.h"

/*
 * A command. `usage` names its operands for --help and for completion: "STRUCT [FILE]", "DEV|DUMP",
 * "FIELD=VALUE...". The row with the name "" runs if the command line has no command; a tool
 * without commands has only that row.
 */
struct cli_command {
	const char *name;
	int least, most; /* numbers of operands */
	const char *usage, *doc;
	const struct argp_option *options; /* besides --quiet, --help, --usage and --version */
	int (*run)(const struct CLI_ARGS *args);
};

/* The group of options that --help leaves to the man page, so that it fits a screen. */
#define CLI_RARE 9

/* Options that several tools have. */
#define CLI_JSON                                                       \
	{                                                              \
		"json", 'j', NULL, 0, "print JSON, of failures too", 0 \
	}

#define CLI_DEVICE                                                                            \
	{                                                                                     \
		"device", 'd', "DEV", 0, "device by name, PCI address or GUID (the first)", 0 \
	}

/* Allows any number of operands. */
#define CLI_ANY (-1)
/* Makes the operands from number `least` on another program's command line, with its options. */
#define CLI_PROGRAM (-2)

/* Makes "TOOL FIRST..." short for "TOOL COMMAND FIRST...". */
struct cli_short {
	const char *first; /* an option; NULL: no arguments at all */
	const char *command;
};

/* Completes the operands and option values that are called `meta`: see complete.h. */
struct cli_words {
	const char *meta;
	void (*offer)(const char *command, const char *first, const char *field);
};

struct cli {
	const char *tool;
	const char *overview; /* the text of --help without a command */
	const struct cli_command *commands;
	size_t count;
	const struct cli_short *shorts;
	size_t short_count;
	const struct cli_short *foreign; /* commands of other tools; errors name this tool's */
	size_t foreign_count;
	struct CLI_ARGS *args;
	int *argc; /* the operands, whose array ends with NULL */
	char ***argv;
	const struct cli_option *values;
	size_t value_count;
	/* Takes an option that has no row in values, or returns ARGP_ERR_UNKNOWN; or NULL. */
	error_t (*option)(int key, char *arg, struct argp_state *state, struct CLI_ARGS *args);
	/* Checks more than the number of operands; or NULL. */
	void (*check)(struct argp_state *state, const struct CLI_ARGS *args);
	const struct cli_words *words;
	size_t word_count;
	int wrong_program; /* exit code of a wrong command line with CLI_PROGRAM */
};

/* Initialises struct cli's fields for the tables of a tool. */
#define CLI_TABLES(commands_, values_, args_)                                              \
	.commands = commands_, .count = sizeof(commands_) / sizeof((commands_)[0]),        \
	.args = &(args_), .argc = &(args_).argc, .argv = &(args_).argv, .values = values_, \
	.value_count = sizeof(values_) / sizeof((values_)[0])

/* Runs a tool. Returns its exit code; a wrong command line ends the program. */
int cli_main(const struct cli *cli, int argc, char **argv);

#endif
