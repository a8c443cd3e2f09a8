/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "names.h"
#include "say.h"

struct parse {
	const struct cli *cli;
	const struct cli_command *command;
};

static void cli_check(const struct parse *p, struct argp_state *state)
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
 * Operands gather at the beginning of argv, where everything has been read by now: options may
 * stand between them.
 */
static void take_operands(const struct parse *p, struct argp_state *state)
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

	while (o->name && o->key != key)
		o++;
	snprintf(buf, size, "--%s", o->name ? o->name : "?");
	return buf;
}

static error_t take_option(const struct parse *p, int key, char *arg, struct argp_state *state)
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

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;

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
		return take_option(p, key, arg, state);
	}
}

static const struct cli_command *cli_find(const struct cli *cli, const char *name)
{
	for (size_t i = 0; i < cli->count; i++)
		if (!strcmp(name, cli->commands[i].name))
			return &cli->commands[i];
	return NULL;
}

static int flushed(const struct cli *cli, int code)
{
	int err = fflush(stdout) ? errno : 0;

	if (!err && !ferror(stdout))
		return code;
	say("standard output takes no more%s%s", err ? ": " : "", err ? strerror(err) : "");
	return cli->full;
}

static int cli_run(const struct cli *cli, const struct cli_command *c, int argc, char **argv)
{
	const struct argp argp = {c->options, parse_one, c->usage, c->doc, NULL, NULL, NULL};
	bool program = c->most == CLI_PROGRAM;
	struct parse p = {cli, c};
	char name[64];

	snprintf(name, sizeof(name), "%s %s", cli->tool, c->name);
	argv[0] = name;
	argp_err_exit_status = program ? cli->wrong_program : EXIT_USAGE;
	argp_parse(&argp, argc, argv, program ? ARGP_IN_ORDER : 0, NULL, &p);
	return flushed(cli, c->run(cli->args));
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

	for (size_t i = 0; i < cli->count; i++)
		near_offer(&near, name, cli->commands[i].name);
	argp_error(state, "there is no command \"%s\"%s", name,
		   near_text(&near, text, sizeof(text)));
}

static error_t parse_overview(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_NO_ARGS)
		argp_usage(state);
	if (key == ARGP_KEY_ARG)
		no_command(state->input, state, arg);
	return ARGP_ERR_UNKNOWN;
}

int cli_main(const struct cli *cli, int argc, char **argv)
{
	const struct argp overview = {
		.parser = parse_overview,
		.args_doc =
			find_short(cli, NULL) ? "[COMMAND [ARGUMENT...]]" : "COMMAND [ARGUMENT...]",
		.doc = cli->overview,
	};
	struct cli whole = *cli;
	const struct cli_command *c;
	const char *first;
	char name[32];

	say_as(cli->tool);
	/* The end of no options: what follows is the command all the same. */
	if (argc > 2 && !strcmp(argv[1], "--")) {
		argc--;
		argv++;
	}
	first = argc > 1 ? argv[1] : NULL;
	c = first ? cli_find(cli, first) : NULL;
	if (c)
		return cli_run(cli, c, argc - 1, argv + 1);
	c = find_short(cli, first);
	if (c)
		return cli_run(cli, c, argc, argv);
	snprintf(name, sizeof(name), "%s", cli->tool);
	argv[0] = name;
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&overview, argc, argv, ARGP_IN_ORDER, NULL, &whole);
	return EXIT_USAGE;
}
