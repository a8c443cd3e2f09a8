/* SPDX-License-Identifier: BSD-2-Clause */
#include <argp.h>
#include <string.h>
#include "dvx-prm.h"

#define ALL_OPTION                                                  \
	{                                                           \
		"all", 'a', NULL, 0, "include fields that are 0", 0 \
	}
#define WORDS_OPTION                                                                             \
	{                                                                                        \
		"words", 'w', "be|le", 0,                                                        \
			"byte order of groups of several bytes, where the dump's form does not " \
			"tell it",                                                               \
			0                                                                        \
	}

#define AS_OPTION                                                        \
	{                                                                \
		"as", 's', "cqe|mini|wqe|rwqe|in|out|cap|eqe|STRUCT", 0, \
			"what the bytes are, instead of a guess", 0      \
	}

static const struct argp_option list_options[] = {CLI_JSON, {0}};
static const struct argp_option show_options[] = {
	CLI_JSON,
	{"no-diagram", 'n', NULL, 0, "without the bit diagram", 0},
	{"variant", 'v', "NAME", 0, "draw this variant of a union", 0},
	{0},
};
static const struct argp_option decode_options[] = {CLI_JSON, ALL_OPTION, WORDS_OPTION, {0}};
static const struct argp_option encode_options[] = {
	CLI_JSON,
	{"format", 'f', "dump|hex|c|bin", 0, "form of the output (dump)", 0},
	{0},
};
static const struct argp_option explain_options[] = {
	CLI_JSON, ALL_OPTION, WORDS_OPTION, AS_OPTION, {0},
};
static const struct argp_option diff_options[] = {CLI_JSON, WORDS_OPTION, AS_OPTION, {0}};

static const struct cli_command commands[] = {
	{"list", 0, 1, "[PATTERN]",
	 "Lists structures and enumerations. A PATTERN with * or ? matches whole names, any other "
	 "one a part of a name or text.",
	 list_options, prm_cmd_list},
	{"show", 1, 1, "STRUCT|ENUM",
	 "Prints fields with offset, width, access and meaning, and a bit diagram.", show_options,
	 prm_cmd_show},
	{"decode", 1, 2, "STRUCT [FILE]",
	 "Reads a dump in any usual form (or binary) from FILE or standard input; prints the "
	 "fields that are not 0, and unknown bits.",
	 decode_options, prm_cmd_decode},
	{"encode", 1, CLI_ANY, "STRUCT [FIELD=VALUE...]",
	 "Prints the bytes of a structure. A VALUE is a number, a name of the field's enumeration, "
	 "or hex "
	 "bytes.",
	 encode_options, prm_cmd_encode},
	{"explain", 0, 1, "[FILE]",
	 "Recognises the dumps and the lines of logs in FILE; prints what happened and what to "
	 "check.",
	 explain_options, prm_cmd_explain},
	{"diff", 2, 2, "A B",
	 "Recognises the dumps in A and B; prints the fields that differ (then the exit code is "
	 "1).",
	 diff_options, prm_cmd_diff},
	{"export", 0, 0, NULL, "Prints all tables as JSON (prm/README.md describes it).",
	 list_options, prm_cmd_export},
};

/* Fits into a terminal of 80 columns and 24 lines; argp breaks lines at column 79. */
static const char overview[] =
	"The tables of the mlx5 programmer's reference manual, and what bytes mean.\v"
	"Commands (dvx-prm COMMAND --help says more; each has --json):\n"
	"  list [PATTERN]               structures and enumerations\n"
	"  show STRUCT                  fields, bit diagram\n"
	"  decode STRUCT [FILE]         a dump, field by field\n"
	"  encode STRUCT FIELD=VALUE... the reverse\n"
	"  explain [FILE]               what a dump or log says went wrong, what to check\n"
	"  diff A B                     fields that differ\n"
	"  export --json                all tables for other programs\n"
	"\n"
	"Dumps: xxd, hexdump, od, dmesg, libmlx5's error completions, C arrays, binary.\n"
	"Exit: 0 done, 1 differs or not found, 2 wrong command line, 3 unreadable input\n"
	"\n"
	"Examples:\n"
	"  dmesg | dvx-prm explain\n"
	"  dvx-prm encode wqe_ctrl_seg opcode=NOP qpn=0x11 ds=1 >nop\n"
	"  dvx-prm decode wqe_ctrl_seg nop\n";

static void prm_check_args(struct argp_state *state, const struct prm_args *a)
{
	if (a->words && strcmp(a->words, "be") && strcmp(a->words, "le"))
		argp_error(state, "--words is be or le, not \"%s\"", a->words);
}

static const struct cli_option values[] = {
	CLI_TRUE('j', json),   CLI_TRUE('a', all), CLI_TRUE('n', no_diagram), CLI_TEXT('w', words),
	CLI_TEXT('f', format), CLI_TEXT('s', as),  CLI_TEXT('v', variant),
};

static struct prm_args args;

static const struct cli cli = {
	.tool = "dvx-prm",
	.overview = overview,
	CLI_TABLES(commands, values, args),
	.check = prm_check_args,
	.words = prm_words,
	.word_count = PRM_WORDS,
};

int main(int argc, char **argv)
{
	return cli_main(&cli, argc, argv);
}
