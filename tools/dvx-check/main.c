/* SPDX-License-Identifier: BSD-2-Clause */
#include "dvx-check.h"

static const struct argp_option check_options[] = {
	CLI_JSON,
	{"suppressions", 's', "FILE", 0, "lines KIND FUNCTION of findings that are not reported",
	 0},
	{"no-poison", 'n', NULL, 0, "do not fill receive buffers when they are posted", 0},
	{0},
};

static const struct cli_command commands[] = {
	{"", 1, CLI_PROGRAM, "-- PROGRAM [ARG...]",
	 "Runs a program of verbs and reports its misuse of them, on a NIC or on dvx-sim.\v"
	 "It finds buffers that change before their completion, memory and keys that end "
	 "under posted work, queues that fill up, events that are lost, and what works on "
	 "mlx5 by luck. man dvx-check has the list.\n"
	 "\n"
	 "Exit: the program's; 86 with findings; 125 dvx-check failed\n"
	 "\n"
	 "Examples:\n"
	 "  dvx-check -- ./my_program ARG\n"
	 "  dvx-sim run --check -- ./my_program ARG     the same without a NIC\n",
	 check_options, check_run},
};

static const struct cli_option values[] = {
	CLI_TRUE('j', json),
	CLI_TRUE('n', no_poison),
	CLI_TEXT('s', suppressions),
};

static struct check_args args;

static const struct cli cli = {
	.tool = "dvx-check",
	CLI_TABLES(commands, values, args),
	.wrong_program = EXIT_SELF,
};

int main(int argc, char **argv)
{
	return cli_main(&cli, argc, argv);
}
