/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow export: prints rules of a file, or the daemon's, as commands of tc or testpmd. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "places.h"
#include "import/export.h"
#include "rules/marks.h"

struct export_job {
	const struct rules_text *rules;
	json_t *left_out; /* NULL: not JSON */
};

static void export_left_out(void *arg, const struct rule *r, struct source_location at,
			    const char *why)
{
	struct export_job *job = arg;
	uint32_t line = r->line + at.line, column = at.column ? at.column : 1;

	rules_point(job->rules, line, column, why);
	if (job->left_out)
		json_array_append_new(job->left_out,
				      json_pack("{s:I, s:I, s:s, s:s}", "line", (json_int_t)line,
						"column", (json_int_t)column, "text", r->text,
						"says", why));
}

/* Returns the commands as a list of lines. */
static json_t *export_lines(const char *text)
{
	json_t *list = json_array();

	while (*text) {
		size_t n = strcspn(text, "\n");

		json_array_append_new(list, json_stringn(text, n));
		text += n + (text[n] == '\n');
	}
	return list;
}

/* Returns the number of rules that are left out, or -errno. */
static int export_json(const struct export_ask *ask, const struct ruleset *set,
		       struct export_job *job)
{
	char *text = NULL;
	size_t n = 0;
	int left_out;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return -ENOMEM;
	job->left_out = json_array();
	left_out = export_rules(ask, set, f, export_left_out, job);
	if (fclose(f))
		left_out = -ENOMEM;
	places_json(job->left_out, job->rules->text, job->rules->len);
	if (left_out >= 0 && json_out(json_pack("{s:o, s:O}", "commands", export_lines(text),
						"left_out", job->left_out)) != EXIT_DONE)
		left_out = -EIO;
	json_decref(job->left_out);
	free(text);
	return left_out;
}

static int export_set(const struct args *a, const struct export_ask *ask,
		      const struct rules_text *rules, const struct ruleset *set)
{
	struct export_job job = {.rules = rules};
	int left_out = a->json ? export_json(ask, set, &job)
			       : export_rules(ask, set, stdout, export_left_out, &job);

	if (left_out < 0) {
		message_print("%s", strerror(-left_out));
		return EXIT_INPUT;
	}
	if (left_out && !a->quiet)
		message_print("%s: %d of %zu rules left out", rules->name, left_out, set->n);
	return left_out ? EXIT_RULES : EXIT_DONE;
}

/*
 * Exports as text. Thousands of rules can be left out, so their lines are found once, if no file
 * includes others.
 */
static int export_text(const struct args *a, const struct export_ask *ask,
		       const struct rules_text *rules)
{
	struct rules_text lines = *rules;
	struct marks marks;
	struct ruleset set;
	int code = EXIT_RULES;

	if (!rules_read(rules->name, rules->text, rules->len, &set)) {
		if (marks_find(rules->text, rules->len, &marks) && !marks.n)
			rules_find_lines(&lines);
		marks_free(&marks);
		code = export_set(a, ask, &lines, &set);
		free(lines.line);
	}
	ruleset_free(&set);
	return code;
}

static int export_daemon(const struct args *a, const struct export_ask *ask)
{
	struct flow_msg answer;
	int code = client_once(a, json_pack("{s:s}", "do", "save"), &answer);

	if (code)
		return code;
	code = export_text(a, ask,
			   &(struct rules_text){.name = "the rules in effect",
						.text = answer.body,
						.len = answer.body_len});
	msg_free(&answer);
	return code;
}

int cmd_export(const struct args *a)
{
	struct export_ask ask = {
		.tool = export_find(a->to ? a->to : ""), .netdev = a->netdev, .ports = a->ports};
	struct rules_text rules = {0};
	int code;

	if (!ask.tool) {
		message_print("--to takes tc or testpmd, not \"%s\"", a->to ? a->to : "");
		return EXIT_USAGE;
	}
	if (!a->argc)
		return export_daemon(a, &ask);
	code = rules_load(a->argv[0], &rules);
	if (!code)
		code = export_text(a, &ask, &rules);
	rules_text_free(&rules);
	return code;
}
