/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "names.h"

struct parse {
	const struct cli *cli;
	const struct cli_command *command;
};

static void check(const struct parse *p, struct argp_state *state)
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

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;

	switch (key) {
	case ARGP_KEY_ARGS:
		*p->cli->argc = state->argc - state->next;
		*p->cli->argv = state->argv + state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		check(p, state);
		return 0;
	default:
		return p->cli->option(key, arg, state, p->cli->args);
	}
}

const struct cli_command *cli_find(const struct cli *cli, const char *name)
{
	for (size_t i = 0; i < cli->count; i++)
		if (!strcmp(name, cli->commands[i].name))
			return &cli->commands[i];
	return NULL;
}

int cli_run(const struct cli *cli, const struct cli_command *c, int argc, char **argv)
{
	const struct argp argp = {c->options, parse_one, c->usage, c->doc, NULL, NULL, NULL};
	struct parse p = {cli, c};
	char name[64];
	int code;

	snprintf(name, sizeof(name), "%s %s", cli->tool, c->name);
	argv[0] = name;
	argp_parse(&argp, argc, argv, 0, NULL, &p);
	code = c->run(cli->args);
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	fprintf(stderr, "%s: standard output takes no more: %s\n", cli->tool, strerror(errno));
	return cli->full;
}

void cli_no_command(const struct cli *cli, struct argp_state *state, const char *name)
{
	struct near near = {.count = 0};
	char text[128];

	for (size_t i = 0; i < cli->count; i++)
		near_offer(&near, name, cli->commands[i].name);
	argp_error(state, "there is no command \"%s\"%s", name,
		   near_text(&near, text, sizeof(text)));
}
