/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-info: what an mlx5 device is, can do and lacks, and what its host lacks. */
#include <argp.h>
#include <string.h>
#include "config.h"
#include "dvx-info.h"

const char *argp_program_version = "dvx-info (" PACKAGE_STRING ")";

static const struct argp_option json_options[] = {CLI_JSON, {0}};
static const struct argp_option gids_options[] = {
	CLI_JSON,
	{"all", 'a', NULL, 0, "those of ports that are down too", 0},
	{0},
};
static const struct argp_option caps_options[] = {
	CLI_JSON,
	{"all", 'a', NULL, 0, "fields that are 0 too", 0},
	{"save", 's', "FILE", 0, "write the pages as a dump that every dvx-info reads", 0},
	{"diff", 'd', NULL, 0, "compare two devices or dumps: --diff A B [PAGE]", 0},
	{0},
};
static const struct argp_option doctor_options[] = {
	CLI_JSON,
	{"root", 'r', "DIR", 0, "facts of a copy of another host's /proc, /sys, /dev, /boot", 0},
	{0},
};
static const struct argp_option whynot_options[] = {
	CLI_JSON,
	{"list", 'l', NULL, 0, "features that it knows", 0},
	{0},
};

static const struct cli_command commands[] = {
	{"list", 0, 0, "", "Devices with address, firmware, board and ports.", json_options,
	 cmd_list},
	{"gids", 0, 1, "[DEV]", "GIDs, the best first, with the reason and the index to use.",
	 gids_options, cmd_gids},
	{"caps", 0, 3, "[DEV|DUMP] [PAGE]",
	 "Capability pages in words. A PAGE is a name (general, roce) or a number (0x20).",
	 caps_options, cmd_caps},
	{"why-not", 0, 2, "FEATURE [DEV|DUMP]",
	 "What a feature needs, and which of it is missing here.", whynot_options, cmd_whynot},
	{"doctor", 0, 1, "[DEV]", "Checks the host, and says what to run to mend it.",
	 doctor_options, cmd_doctor},
};

static const struct cli_short shorts[] = {
	{NULL, "list"},
	{"--json", "list"},
	{"-j", "list"},
	{"--diff", "caps"},
};

static const char overview[] =
	"What an mlx5 device is, can do and lacks, and what its host lacks.\v"
	"Commands (dvx-info COMMAND --help says more; each has --json):\n"
	"  list                        devices, firmware, ports; so does no command\n"
	"  gids [DEV]                  GIDs, the best first, with the reason\n"
	"  caps [DEV|DUMP] [PAGE]      capability pages in words; --save FILE\n"
	"  caps --diff A B [PAGE]      what two devices or dumps differ in\n"
	"  why-not FEATURE [DEV|DUMP]  what is missing for it; --list of features\n"
	"  doctor [DEV]                checks the host, with the command that mends it\n"
	"\n"
	"DEV: mlx5_0, 3b:00.0 or a node GUID; default: the first device\n"
	"Exit: 0 done, 1 something is missing or differs, 2 wrong command line,\n"
	"      3 no such device, or a file that cannot be read\n";

static void info_main_check(struct argp_state *state, const struct args *a)
{
	if (a->diff && a->argc < 2)
		argp_error(state, "--diff compares two: each a device or a dump");
	if (a->diff && a->save)
		argp_error(state, "--save and --diff do not go together");
}

static const struct cli_option values[] = {
	CLI_TRUE('j', json), CLI_TRUE('a', all),  CLI_TRUE('l', list),
	CLI_TRUE('d', diff), CLI_TEXT('r', root), CLI_TEXT('s', save),
};

static struct args args;

static const struct cli cli = {
	.tool = "dvx-info",
	.overview = overview,
	.commands = commands,
	.count = sizeof(commands) / sizeof(commands[0]),
	.shorts = shorts,
	.short_count = sizeof(shorts) / sizeof(shorts[0]),
	.args = &args,
	.argc = &args.argc,
	.argv = &args.argv,
	.values = values,
	.value_count = sizeof(values) / sizeof(values[0]),
	.check = info_main_check,
	.full = EXIT_INPUT,
};

int main(int argc, char **argv)
{
	return cli_main(&cli, argc, argv);
}
