/* SPDX-License-Identifier: BSD-2-Clause */
#include "complete.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *typed = ""; /* the word before the cursor, or the value after its '=' */

void complete_offer(const char *word, const char *suffix)
{
	if (!strncmp(word, typed, strlen(typed)))
		printf("%s%s\n", word, suffix);
}

static void offer_devices(void)
{
	DIR *dir = opendir("/sys/class/infiniband");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (*e->d_name != '.')
			complete_offer(e->d_name, "");
	if (dir)
		closedir(dir);
}

/* The part of the command line before the cursor. */
struct cursor {
	const struct cli *cli;
	const struct cli_command *command;
	const char *first; /* the first operand */
	const char *field; /* the name before an '=' */
};

/*
 * Completes one alternative of a placeholder: in capitals it is a kind of word, in lower case a
 * literal.
 */
static void complete_meta(const struct cursor *p, const char *meta)
{
	if (islower((unsigned char)*meta)) {
		complete_offer(meta, "");
	} else if (!strcmp(meta, "DEV")) {
		offer_devices();
	} else if (!strcmp(meta, "CMD")) {
		puts(COMPLETE_PROGRAM);
	} else {
		for (size_t i = 0; i < p->cli->word_count; i++)
			if (!strcmp(p->cli->words[i].meta, meta))
				p->cli->words[i].offer(p->command->name, p->first, p->field);
	}
}

/* Completes a placeholder such as "[DEV|DUMP]", "host|dpu" or "FIELD=VALUE...". */
static void complete_metas(const struct cursor *p, const char *text)
{
	char copy[128], *save, *value;

	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(text, " "), text);
	for (char *c = strtok_r(copy, "|[]\".,", &save); c; c = strtok_r(NULL, "|[]\".,", &save)) {
		value = strchr(c, '=');
		if (value)
			*value = '\0';
		complete_meta(p, value && p->field ? value + 1 : c);
	}
}

static const char *usage_word(const char *usage, size_t n)
{
	const char *word = usage ? usage : "", *last = "";

	for (; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
		if (*word == '-')
			continue;
		last = word;
		if (!n--)
			return word;
	}
	return last[strcspn(last, " .")] == '.' ? last : ""; /* "..." repeats */
}

static const struct argp_option *complete_option(const struct cli_command *c, const char *word)
{
	size_t n = strcspn(word, "=");

	for (const struct argp_option *o = c ? c->options : NULL; o && o->name; o++) {
		if (word[1] == '-' && strlen(o->name) == n - 2 &&
		    !strncmp(o->name, word + 2, n - 2))
			return o;
		if (word[1] != '-' && word[1] && o->key == word[strlen(word) - 1])
			return o;
	}
	return NULL;
}

static void offer_options(const struct cli_command *c)
{
	static const char *const all[] = {"--help", "--version", "--quiet"};
	size_t n = sizeof(all) / sizeof(all[0]) - (!c || c->most == CLI_PROGRAM);
	char name[64];

	for (const struct argp_option *o = c ? c->options : NULL; o && o->name; o++) {
		if (o->flags & OPTION_HIDDEN)
			continue;
		snprintf(name, sizeof(name), "--%s", o->name);
		complete_offer(name, o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? "=" : "");
	}
	for (size_t i = 0; i < n; i++)
		complete_offer(all[i], "");
}

static const struct cli_command *complete_command(const struct cli *cli, const char *word)
{
	for (size_t i = 0; i < cli->count; i++)
		if (!strcmp(cli->commands[i].name, word))
			return &cli->commands[i];
	return NULL;
}

static void offer_commands(const struct cli *cli)
{
	for (size_t i = 0; i < cli->count; i++)
		if (*cli->commands[i].name)
			complete_offer(cli->commands[i].name, "");
	complete_offer("help", "");
}

/* Whether a command's name belongs here: none was given, and the tool has some. */
static bool wants_command(const struct cursor *p)
{
	return !p->command || (!*p->command->name && !p->first && p->cli->count > 1);
}

/* Completes the word at the cursor, after `operands` operands, or as the value of an option. */
static void complete_word(struct cursor *p, const char *word, size_t operands,
			  const struct argp_option *option)
{
	const char *value = strchr(word, '=');
	char field[64];

	if (value) {
		snprintf(field, sizeof(field), "%.*s", (int)(value - word), word);
		p->field = field;
		if (*word == '-')
			option = complete_option(p->command, word);
	}
	typed = value ? value + 1 : word;
	if (option)
		complete_metas(p, option->arg ? option->arg : "");
	else if (*word == '-')
		offer_options(p->command);
	else if (wants_command(p))
		offer_commands(p->cli);
	else
		complete_metas(p, usage_word(p->command->usage, operands));
	p->field = NULL;
}

/* Joins words that bash has cut at '=': "--words", "=", "be". Returns the new number of words. */
static int complete_join(int argc, char **argv)
{
	int n = 0;

	for (int i = 0; i < argc; i++) {
		bool glue = n && (!strcmp(argv[i], "=") ||
				  (i && !strcmp(argv[i - 1], "=") && *argv[i] != '-'));
		char *both;

		if (!glue || asprintf(&both, "%s%s", argv[n - 1], argv[i]) < 0)
			argv[n++] = argv[i];
		else
			argv[n - 1] = both; /* not freed: the program ends soon */
	}
	return n;
}

int cli_complete(const struct cli *cli, int argc, char **argv)
{
	struct cursor p = {.cli = cli, .command = complete_command(cli, "")};
	const struct argp_option *wants = NULL;
	size_t operands = 0;
	int n = complete_join(argc, argv);

	for (int i = 0; i + 1 < n; i++) {
		const char *word = argv[i];

		if (!i && *word && complete_command(cli, word)) {
			p.command = complete_command(cli, word);
		} else if (wants) {
			wants = NULL;
		} else if (!strcmp(word, "--") && p.command) {
			/* "--": the end of options */
		} else if (*word == '-' && word[1]) {
			wants = strchr(word, '=') ? NULL : complete_option(p.command, word);
			if (wants && (!wants->arg || wants->flags & OPTION_ARG_OPTIONAL))
				wants = NULL;
		} else if (!p.command) {
			p.command = complete_command(cli, word);
			if (!p.command && strcmp(word, "help"))
				return EXIT_DONE;
		} else if (!operands++) {
			p.first = word;
		}
	}
	if (n)
		complete_word(&p, argv[n - 1], operands, wants);
	return EXIT_DONE;
}
