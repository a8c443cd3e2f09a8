/* SPDX-License-Identifier: BSD-2-Clause */
/* "TOOL COMMAND [OPTION...] [OPERAND...]": what tools with commands share. */
#ifndef DVX_TOOLS_CLI_H
#define DVX_TOOLS_CLI_H

#include <argp.h>
#include <stddef.h>

struct args; /* each tool has its own */

struct cli_command {
	const char *name;
	int least, most; /* operands; most < 0: any number */
	const char *usage, *doc;
	const struct argp_option *options;
	int (*run)(const struct args *args);
};

struct cli {
	const char *tool;
	const struct cli_command *commands;
	size_t count;
	struct args *args;
	int *argc; /* the operands, in args */
	char ***argv;
	/* Takes one option, or returns ARGP_ERR_UNKNOWN. */
	error_t (*option)(int key, char *arg, struct argp_state *state, struct args *args);
	/* What the number of operands alone does not tell; or NULL. */
	void (*check)(struct argp_state *state, const struct args *args);
	int full; /* exit code when standard output takes no more */
};

/* The command called name; NULL: there is none. */
const struct cli_command *cli_find(const struct cli *cli, const char *name);

/* Runs it with argv[1] and following; returns its exit code. A wrong command line ends the program.
 */
int cli_run(const struct cli *cli, const struct cli_command *command, int argc, char **argv);

/* "there is no command X (did you mean Y?)", and ends the program. */
void cli_no_command(const struct cli *cli, struct argp_state *state, const char *name);

#endif
