/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-info: shows what an mlx5 device is, what it can do and lacks, and what its host lacks. */
#include <argp.h>
#include "dvx-info.h"
#include "features.h"
#include "page.h"
#include "tools/cli/complete.h"

enum { OPT_DIFF = 256 };

static const struct argp_option json_options[] = {CLI_JSON, {0}};
static const struct argp_option gids_options[] = {
	CLI_JSON,
	CLI_DEVICE,
	{"all", 'a', NULL, 0, "include ports that are down", 0},
	{0},
};
static const struct argp_option caps_options[] = {
	CLI_JSON,
	CLI_DEVICE,
	{"all", 'a', NULL, 0, "include fields that are 0", 0},
	{"save", 's', "FILE", 0, "save the pages as a dump, which any dvx-info reads", 0},
	{"diff", OPT_DIFF, NULL, 0, "compare two devices or dumps: --diff A B [PAGE]", 0},
	{0},
};
static const struct argp_option doctor_options[] = {
	CLI_JSON,
	CLI_DEVICE,
	{"root", 'r', "DIR", 0, "read /proc, /sys and /dev below DIR: a copy of another host's", 0},
	{0},
};
static const struct argp_option whynot_options[] = {
	CLI_JSON,
	CLI_DEVICE,
	{"list", 'l', NULL, 0, "list the known features", 0},
	{0},
};

static const struct cli_command commands[] = {
	{"list", 0, 0, "", "Lists devices with address, firmware, board and ports.", json_options,
	 info_cmd_list},
	{"gids", 0, 1, "[DEV]", "Lists GIDs, the best first, with the reason and the index to use.",
	 gids_options, info_cmd_gids},
	{"caps", 0, 3, "[DEV|DUMP] [PAGE]",
	 "Prints capability pages in words. A PAGE is a name (general, roce) or a number (0x20).",
	 caps_options, info_cmd_caps},
	{"why-not", 0, 2, "FEATURE [DEV|DUMP]",
	 "Lists what a feature needs, and what of it is missing here.", whynot_options,
	 info_cmd_whynot},
	{"doctor", 0, 1, "[DEV]", "Checks the host, and names the command that mends each fault.",
	 doctor_options, info_cmd_doctor},
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
	"  list                        devices, firmware, ports (the default command)\n"
	"  gids [DEV]                  GIDs, the best first, with the reason\n"
	"  caps [DEV|DUMP] [PAGE]      capability pages in words; --save FILE\n"
	"  caps --diff A B [PAGE]      what two devices or dumps differ in\n"
	"  why-not FEATURE [DEV|DUMP]  what a feature lacks here; --list of features\n"
	"  doctor [DEV]                checks the host; a command that mends each fault\n"
	"\n"
	"DEV: mlx5_0, 3b:00.0 or a node GUID; default: the first device\n"
	"Exit: 0 done, 1 something is missing or differs, 2 wrong command line,\n"
	"      3 no such device or file; dvx(7)\n";

static void info_check_args(struct argp_state *state, const struct info_args *a)
{
	if (a->diff && a->argc + (a->device != NULL) < 2)
		argp_error(state, "--diff compares two: each a device or a dump");
	if (a->diff && a->save)
		argp_error(state, "--save and --diff do not go together");
}

static const struct cli_option values[] = {
	CLI_TRUE('j', json), CLI_TRUE('a', all),  CLI_TRUE('l', list),	 CLI_TRUE(OPT_DIFF, diff),
	CLI_TEXT('r', root), CLI_TEXT('s', save), CLI_TEXT('d', device),
};

static void offer_features(const char *command, const char *first, const char *field)
{
	(void)command, (void)first, (void)field;
	for (size_t i = 0; i < feature_count; i++)
		complete_offer(features[i].name, "");
}

static void offer_pages(const char *command, const char *first, const char *field)
{
	uint16_t type;

	(void)command, (void)first, (void)field;
	for (size_t i = 0; page_type_at(i, &type); i++)
		complete_offer(page_name(type), "");
}

static const struct cli_words words[] = {{"FEATURE", offer_features}, {"PAGE", offer_pages}};

static struct info_args args;

static const struct cli cli = {
	.tool = "dvx-info",
	.overview = overview,
	.shorts = shorts,
	.short_count = sizeof(shorts) / sizeof(shorts[0]),
	CLI_TABLES(commands, values, args),
	.check = info_check_args,
	.words = words,
	.word_count = sizeof(words) / sizeof(words[0]),
};

int main(int argc, char **argv)
{
	return cli_main(&cli, argc, argv);
}
