/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-info: what an mlx5 device is, can do and lacks, and what its host lacks. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "config.h"
#include "dvx-info.h"

const char *argp_program_version = "dvx-info (" PACKAGE_STRING ")";

struct command {
	const char *name;
	int least, most; /* arguments */
	const char *usage, *doc;
	const struct argp_option *options;
	int (*run)(const struct args *);
};

#define JSON_OPTION                                     \
	{                                               \
		"json", 'j', NULL, 0, "for programs", 0 \
	}

static const struct argp_option json_options[] = {JSON_OPTION, {0}};
static const struct argp_option gids_options[] = {
	JSON_OPTION,
	{"all", 'a', NULL, 0, "those of ports that are down too", 0},
	{0},
};
static const struct argp_option caps_options[] = {
	JSON_OPTION,
	{"all", 'a', NULL, 0, "fields that are 0 too", 0},
	{"save", 's', "FILE", 0, "write the pages as a dump that every dvx-info reads", 0},
	{"diff", 'd', NULL, 0, "compare two devices or dumps: --diff A B [PAGE]", 0},
	{0},
};
static const struct argp_option doctor_options[] = {
	JSON_OPTION,
	{"root", 'r', "DIR", 0, "facts of a copy of another host's /proc, /sys, /dev, /boot", 0},
	{0},
};
static const struct argp_option whynot_options[] = {
	JSON_OPTION,
	{"list", 'l', NULL, 0, "features that it knows", 0},
	{0},
};

static const struct command commands[] = {
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
#define NCOMMANDS (sizeof(commands) / sizeof(commands[0]))

#define CAPS 2 /* its index */

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

struct parse {
	const struct command *command;
	struct args args;
};

static void check(const struct parse *p, struct argp_state *state)
{
	const struct args *a = &p->args;

	if (a->argc > p->command->most)
		argp_error(state, "\"%s\" is one argument too many", a->argv[p->command->most]);
	if (a->diff && a->argc < 2)
		argp_error(state, "--diff compares two: each a device or a dump");
	if (a->diff && a->save)
		argp_error(state, "--save and --diff do not go together");
}

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;

	switch (key) {
	case 'j':
		p->args.json = true;
		return 0;
	case 'a':
		p->args.all = true;
		return 0;
	case 'l':
		p->args.list = true;
		return 0;
	case 'd':
		p->args.diff = true;
		return 0;
	case 'r':
		p->args.root = arg;
		return 0;
	case 's':
		p->args.save = arg;
		return 0;
	case ARGP_KEY_ARGS:
		p->args.argc = state->argc - state->next;
		p->args.argv = state->argv + state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check(p, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run_command(const struct command *c, int argc, char **argv)
{
	struct parse p = {.command = c};
	struct argp argp = {c->options, parse_one, c->usage, c->doc, NULL, NULL, NULL};
	char name[64];
	int code;

	snprintf(name, sizeof(name), "dvx-info %s", c->name);
	argv[0] = name;
	if (argp_parse(&argp, argc, argv, 0, NULL, &p))
		return EXIT_USAGE;
	code = c->run(&p.args);
	if (fflush(stdout) || ferror(stdout)) {
		complain("standard output takes no more");
		return EXIT_INPUT;
	}
	return code;
}

static error_t parse_overview(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "no command \"%s\"; it is list, gids, caps, why-not or doctor", arg);
	return EINVAL;
}

static const struct argp overview_argp = {
	NULL, parse_overview, "[COMMAND [ARGUMENT...]]", overview, NULL, NULL, NULL,
};

int main(int argc, char **argv)
{
	argp_err_exit_status = EXIT_USAGE;
	for (size_t i = 0; argc > 1 && i < NCOMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return run_command(&commands[i], argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "--diff"))
		return run_command(&commands[CAPS], argc, argv);
	if (argc > 1 && (!strcmp(argv[1], "--json") || !strcmp(argv[1], "-j")))
		return run_command(&commands[0], argc, argv);
	argp_parse(&overview_argp, argc, argv, ARGP_IN_ORDER, NULL, NULL);
	return run_command(&commands[0], 1, argv);
}
