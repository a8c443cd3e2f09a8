/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "complete.h"
#include "config.h"
#include "json.h"
#include "names.h"
#include "message.h"

#define OPTIONS_MAX 192
#define OPT_USAGE   512

/* Options of every command. A command that runs another program has no --quiet. */
static const struct argp_option common_options[] = {
	{"help", 'h', NULL, 0, "print this help and exit", -1},
	{"usage", OPT_USAGE, NULL, 0, "print a short usage message and exit", -1},
	{"version", 'V', NULL, 0, "print the version and exit", -1},
	{"quiet", 'q', NULL, 0, "print errors and JSON only", -1},
};

#define COMMON (sizeof(common_options) / sizeof(common_options[0]))

struct cli_parse {
	const struct cli *cli;
	const struct cli_command *command; /* NULL: the options before a command */
	struct argp_option options[OPTIONS_MAX];
	bool quiet, json;
};

static void add_options(struct cli_parse *p, const struct argp_option *own, bool quiet)
{
	size_t n = 0;

	for (; own && own->name && n < OPTIONS_MAX - COMMON - 1; own++) {
		p->options[n] = *own;
		p->options[n++].flags |= own->group == CLI_RARE ? OPTION_HIDDEN : 0;
	}
	memcpy(&p->options[n], common_options, (COMMON - !quiet) * sizeof(common_options[0]));
}

static void cli_check(const struct cli_parse *p, struct argp_state *state)
{
	const struct cli_command *c = p->command;
	int n = *p->cli->argc;

	if (n < c->least)
		argp_error(state, "%s needs %s", c->name, c->usage);
	if (c->most >= 0 && n > c->most)
		argp_error(state, "\"%s\" is one argument too many", (*p->cli->argv)[c->most]);
	if (p->cli->check)
		p->cli->check(state, p->cli->args);
}

/*
 * Moves operands to the beginning of argv: options may stand between them. The overwritten strings
 * have been read already.
 */
static void take_operands(const struct cli_parse *p, struct argp_state *state)
{
	int *n = p->cli->argc;
	int more = p->command->most == CLI_PROGRAM && *n + 1 == p->command->least
			   ? state->argc - state->next
			   : 0;

	memmove(*p->cli->argv + *n, &state->argv[state->next - 1],
		(size_t)(more + 1) * sizeof(state->argv[0]));
	*n += more + 1;
	state->next += more;
}

static const char *option_name(const struct cli_command *c, int key, char *buf, size_t size)
{
	const struct argp_option *o = c->options;

	while (o && o->name && o->key != key)
		o++;
	snprintf(buf, size, "--%s", o && o->name ? o->name : "?");
	return buf;
}

static error_t take_option(const struct cli_parse *p, int key, char *arg, struct argp_state *state)
{
	const struct cli *cli = p->cli;
	char name[32];

	for (size_t i = 0; i < cli->value_count; i++) {
		if (cli->values[i].key != key)
			continue;
		cli_take(&cli->values[i], option_name(p->command, key, name, sizeof(name)), arg,
			 state, cli->args);
		return 0;
	}
	return cli->option ? cli->option(key, arg, state, cli->args) : ARGP_ERR_UNKNOWN;
}

/*
 * Whether -h means --human-readable, as in rsync: the command has that option, and -h is not the
 * only argument.
 */
static bool is_human_readable(const struct cli_parse *p, const struct argp_state *state)
{
	const struct argp_option *o = p->command ? p->command->options : NULL;

	if (!strncmp(state->argv[state->next - 1], "--he", 4))
		return false;
	while (o && o->name && strcmp(o->name, "human-readable") != 0)
		o++;
	return o && o->name && (state->argc > 2 || strcmp(state->argv[1], "-h") != 0);
}

/*
 * Handles an option that all commands have. ARGP_ERR_UNKNOWN: the option belongs to the command, or
 * take_option() has to keep its value.
 */
static error_t common_option(struct cli_parse *p, int key, struct argp_state *state)
{
	switch (key) {
	case 'h':
		if (is_human_readable(p, state))
			return 0;
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case OPT_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		return 0;
	case 'V':
		printf("%s (%s) %s\n", p->cli->tool, PACKAGE_NAME, PACKAGE_VERSION);
		exit(EXIT_DONE);
	case 'q':
		p->quiet = true;
		take_option(p, key, NULL, state);
		return 0;
	case 'j':
		p->json = true;
		return ARGP_ERR_UNKNOWN;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*p->cli->argc = 0;
		*p->cli->argv = state->argv + 1;
		return 0;
	case ARGP_KEY_ARG:
		take_operands(p, state);
		return 0;
	case ARGP_KEY_END:
		(*p->cli->argv)[*p->cli->argc] = NULL;
		cli_check(p, state);
		return 0;
	default:
		return common_option(p, key, state) ? take_option(p, key, arg, state) : 0;
	}
}

static const struct cli_command *cli_find(const struct cli *cli, const char *name)
{
	for (size_t i = 0; i < cli->count; i++)
		if (!strcmp(name, cli->commands[i].name))
			return &cli->commands[i];
	return NULL;
}

static int flushed(int code)
{
	int err = fflush(stdout) ? errno : 0;

	if (!err && !ferror(stdout))
		return code;
	message_print("standard output cannot be written%s%s", err ? ": " : "",
		      err ? strerror(err) : "");
	return EXIT_INPUT;
}

/* Collects what is printed to stderr while a command line with --json is parsed. */
static struct {
	FILE *stderr_before, *file;
	char *text;
	size_t size;
} caught;

static void print_error(const char *message, int code)
{
	json_out_line(json_pack("{s:o}", "error", json_error(message, code)));
}

static void catch_end(void)
{
	if (!caught.file)
		return;
	stderr = caught.stderr_before;
	fclose(caught.file);
	caught.file = NULL;
	if (caught.text)
		fputs(caught.text, stderr);
}

/*
 * Called by exit(): argp has ended the program. Its first line, without the program's name, becomes
 * the JSON error.
 */
static void catch_exit(void)
{
	char *message;

	if (!caught.file)
		return;
	catch_end();
	if (!caught.text || !*caught.text)
		return;
	caught.text[strcspn(caught.text, "\n")] = '\0';
	message = strstr(caught.text, ": ");
	print_error(message ? message + 2 : caught.text, argp_err_exit_status);
	fflush(stdout);
}

static bool has_argument(const struct cli_parse *p, char letter)
{
	for (const struct argp_option *o = p->options; o->name; o++)
		if (o->key == letter)
			return o->arg;
	return false;
}

/* Whether a word asks for JSON: --json, shortened or not, or -j, alone or among other letters. */
static bool asks_json(const struct cli_parse *p, const char *word)
{
	if (word[0] != '-')
		return false;
	if (word[1] == '-')
		return word[2] && !strncmp(word, "--json", strlen(word));
	for (word++; *word && *word != 'j'; word++)
		if (has_argument(p, *word))
			return false;
	return *word;
}

static void catch_begin(const struct cli_parse *p, int argc, char **argv)
{
	bool json = false;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		json = json || asks_json(p, argv[i]);
	caught.file = json ? open_memstream(&caught.text, &caught.size) : NULL;
	if (!caught.file || atexit(catch_exit))
		return;
	caught.stderr_before = stderr;
	stderr = caught.file;
}

/* Prints the error as JSON if the command failed without a JSON answer. */
static int cli_ended(const struct cli_parse *p, int code)
{
	code = flushed(code);
	if (code && p->json && !json_is_out() && !ferror(stdout)) {
		print_error(message_recorded(), code);
		fflush(stdout);
	}
	return code;
}

/* Leaves out argp's note on long and short options, so that --help fits a screen. */
static char *cli_help_filter(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)(uintptr_t)text;
}

static int cli_run(const struct cli *cli, const struct cli_command *c, int argc, char **argv)
{
	bool program = c->most == CLI_PROGRAM;
	struct cli_parse p = {.cli = cli, .command = c};
	const struct argp argp = {
		.options = p.options,
		.parser = parse_one,
		.args_doc = c->usage,
		.doc = c->doc,
		.help_filter = cli_help_filter,
	};
	char name[64];

	add_options(&p, c->options, !program);
	snprintf(name, sizeof(name), "%s%s%s", cli->tool, *c->name ? " " : "", c->name);
	argv[0] = name;
	argp_err_exit_status = program ? cli->wrong_program : EXIT_USAGE;
	catch_begin(&p, argc, argv);
	argp_parse(&argp, argc, argv, ARGP_NO_HELP | (program ? ARGP_IN_ORDER : 0), NULL, &p);
	catch_end();
	if (p.quiet && !program && !p.json && !freopen("/dev/null", "w", stdout))
		return EXIT_INPUT;
	return cli_ended(&p, c->run(cli->args));
}

static const struct cli_command *find_short(const struct cli *cli, const char *first)
{
	for (size_t i = 0; i < cli->short_count; i++) {
		const struct cli_short *s = &cli->shorts[i];

		if (first && s->first ? !strcmp(first, s->first) : first == s->first)
			return cli_find(cli, s->command);
	}
	return NULL;
}

static void no_command(const struct cli *cli, struct argp_state *state, const char *name)
{
	struct near near = {.count = 0};
	char text[128];

	for (size_t i = 0; i < cli->foreign_count; i++)
		if (!strcmp(name, cli->foreign[i].first))
			near_offer(&near, cli->foreign[i].command, cli->foreign[i].command);
	for (size_t i = 0; i < cli->count && !near.count; i++)
		near_offer(&near, name, cli->commands[i].name);
	argp_error(state, "there is no command \"%s\"%s", name,
		   near_text(&near, text, sizeof(text)));
}

static error_t parse_overview(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;

	if (key == ARGP_KEY_NO_ARGS)
		argp_usage(state);
	if (key == ARGP_KEY_ARG)
		no_command(p->cli, state, arg);
	return common_option(p, key, state);
}

static int cli_overview(const struct cli *cli, int argc, char **argv)
{
	struct cli_parse p = {.cli = cli};
	const struct argp overview = {
		.options = p.options,
		.parser = parse_overview,
		.args_doc =
			find_short(cli, NULL) ? "[COMMAND [ARGUMENT...]]" : "COMMAND [ARGUMENT...]",
		.doc = cli->overview,
		.help_filter = cli_help_filter,
	};

	add_options(&p, NULL, false);
	argv[0] = (char *)cli->tool; /* argp does not write to argv[0] */
	argp_err_exit_status = EXIT_USAGE;
	catch_begin(&p, argc, argv);
	argp_parse(&overview, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, &p);
	return EXIT_USAGE;
}

/*
 * Opens standard files that are closed, so that no file of the tool gets their numbers. Their use
 * fails as before.
 */
static void open_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

int cli_main(const struct cli *cli, int argc, char **argv)
{
	static char help[] = "--help";
	const struct cli_command *c;
	const char *first;

	open_standard();
	message_set_name(cli->tool);
	first = argc > 1 ? argv[1] : NULL;
	if (first && !strcmp(first, "--complete"))
		return flushed(cli_complete(cli, argc - 2, argv + 2));
	/* "--" ends the options before the command. */
	if (argc > 2 && !strcmp(first, "--")) {
		argc--;
		argv++;
	}
	/* "help COMMAND" is "COMMAND --help". */
	if (argc > 1 && !strcmp(argv[1], "help")) {
		if (argc > 2)
			argv[1] = argv[2];
		argv[argc > 2 ? 2 : 1] = help;
	}
	first = argc > 1 ? argv[1] : NULL;
	c = first && *first ? cli_find(cli, first) : NULL;
	if (c)
		return cli_run(cli, c, argc - 1, argv + 1);
	c = cli_find(cli, "");
	if (!c)
		c = find_short(cli, first);
	return c ? cli_run(cli, c, argc, argv) : cli_overview(cli, argc, argv);
}
