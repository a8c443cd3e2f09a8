/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * draw: rules as a picture in graphviz's language DOT. Each table of a direction is a node, with a
 * row for each rule and an edge from it to where its packets go.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "rule_json.h"
#include "show.h"
#include "tools/cli/feed.h"

/* --- nodes ------------------------------------------------------------------------------------- */

static void draw_escaped(FILE *to, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		default:
			fputc(*text, to);
		}
}

static const char *draw_table_of(const json_t *rule)
{
	const char *table = show_text(rule, "table");

	return *table ? table : TABLE_MAIN;
}

static bool draw_is_of(const json_t *rule, const char *dir, const char *table)
{
	return !strcmp(show_text(rule, "direction"), dir) && !strcmp(draw_table_of(rule), table);
}

static void draw_rule(FILE *to, const json_t *rule, size_t i)
{
	fprintf(to, "<tr><td align=\"left\" port=\"r%zu\">", i);
	if (json_object_get(rule, "id"))
		fprintf(to, "%" JSON_INTEGER_FORMAT ": ", show_number(rule, "id"));
	draw_escaped(to, show_text(rule, "text"));
	if (json_object_get(rule, "packets"))
		fprintf(to,
			"<br align=\"left\"/>%" JSON_INTEGER_FORMAT
			" packets, %" JSON_INTEGER_FORMAT " bytes",
			show_number(rule, "packets"), show_number(rule, "bytes"));
	fputs("</td></tr>\n", to);
}

/* Draws the table of rule `first`, its first one. */
static void draw_table(FILE *to, const json_t *rules, const json_t *first)
{
	const char *dir = show_text(first, "direction"), *table = draw_table_of(first);
	const json_t *rule;
	size_t i;

	fprintf(to,
		"\"%s %s\" [shape=plain label=<<table border=\"0\" cellborder=\"1\" "
		"cellspacing=\"0\">\n<tr><td><b>%s</b> (%s)</td></tr>\n",
		dir, table, table, dir);
	json_array_foreach (rules, i, rule)
		if (draw_is_of(rule, dir, table))
			draw_rule(to, rule, i);
	fprintf(to,
		"<tr><td align=\"left\" port=\"end\">no rule</td></tr>\n</table>>]\n"
		"\"%s %s\":end -> \"default %s\"\n",
		dir, table, dir);
}

static void draw_queue(FILE *to, const json_t *queue)
{
	fprintf(to,
		"\"queue %" JSON_INTEGER_FORMAT "\" [label=\"queue %" JSON_INTEGER_FORMAT
		"\\n%" JSON_INTEGER_FORMAT " packets, %" JSON_INTEGER_FORMAT " dropped\"]\n",
		show_number(queue, "queue"), show_number(queue, "queue"),
		show_number(queue, "packets"), show_number(queue, "dropped"));
}

/* Labels a vport with the counters of rules for its packets. */
static void draw_source(FILE *to, const json_t *source)
{
	const char *from = show_text(source, "from");

	fprintf(to,
		"\"%s\" [label=\"%s\\n%" JSON_INTEGER_FORMAT
		" packets from it, %" JSON_INTEGER_FORMAT " dropped\"]\n",
		from, from, show_number(source, "packets"), show_number(source, "dropped"));
}

/* --- edges ------------------------------------------------------------------------------------- */

static void draw_edge(FILE *to, const json_t *rule, size_t i)
{
	fprintf(to, "\"%s %s\":r%zu -> ", show_text(rule, "direction"), draw_table_of(rule), i);
}

static void draw_queues(FILE *to, const json_t *rule, size_t i)
{
	const json_t *queues = json_object_get(rule, "queues");
	json_int_t first =
		queues ? json_integer_value(json_array_get(queues, 0)) : show_number(rule, "queue");
	json_int_t last = queues ? json_integer_value(json_array_get(queues, 1)) : first;
	bool copy = !strcmp(show_text(rule, "action"), "mirror");

	for (; first <= last; first++) {
		draw_edge(to, rule, i);
		fprintf(to, "\"queue %" JSON_INTEGER_FORMAT "\"%s\n", first,
			copy ? " [style=dashed label=copy]" : "");
	}
}

static void draw_vport(FILE *to, const json_t *rule, size_t i)
{
	bool copy = !strcmp(show_text(rule, "action"), "mirror");

	draw_edge(to, rule, i);
	fprintf(to, "\"%s\"%s\n", show_text(rule, "vport"),
		copy ? " [style=dashed label=copy]" : "");
}

/* Draws where the rule's packets go. Those that go on with the rules behind it have no edge. */
static void draw_goal(FILE *to, const json_t *rule, size_t i)
{
	const char *dir = show_text(rule, "direction");

	if (json_object_get(rule, "queue") || json_object_get(rule, "queues")) {
		draw_queues(to, rule, i);
		return;
	}
	if (json_object_get(rule, "vport")) {
		draw_vport(to, rule, i);
		return;
	}
	if (!strcmp(show_text(rule, "action"), "track"))
		return;
	draw_edge(to, rule, i);
	if (json_object_get(rule, "goto"))
		fprintf(to, "\"%s %s\"\n", dir, show_text(rule, "goto"));
	else if (!strcmp(show_text(rule, "action"), "drop"))
		fputs("drop [color=red]\n", to);
	else
		fprintf(to, "\"default %s\"\n", dir);
}

/* --- the picture ------------------------------------------------------------------------------- */

/* Draws a direction's beginning and end, and its tables where their first rules stand. */
static void draw_direction(FILE *to, const json_t *rules, const char *dir, const char *end)
{
	json_t *seen = json_object();
	const json_t *rule;
	size_t i;

	json_array_foreach (rules, i, rule) {
		if (strcmp(show_text(rule, "direction"), dir) != 0)
			continue;
		if (!json_object_size(seen))
			fprintf(to,
				"\"%s\" [shape=ellipse label=\"packets %s\"]\n"
				"\"default %s\" [label=\"%s\"]\n\"%s\" -> \"%s " TABLE_MAIN "\"\n",
				dir, dir, dir, end, dir, dir);
		if (!json_object_get(seen, draw_table_of(rule)))
			draw_table(to, rules, rule);
		json_object_set_new(seen, draw_table_of(rule), json_true());
		draw_goal(to, rule, i);
	}
	json_decref(seen);
}

static void draw_picture(FILE *to, const json_t *rules, const json_t *counts)
{
	const json_t *queue, *source;
	size_t i;

	fputs("digraph dvx_flow {\nrankdir=LR\nnode [shape=box]\n", to);
	json_array_foreach (json_object_get(counts, "queues"), i, queue)
		draw_queue(to, queue);
	json_array_foreach (json_object_get(counts, "sources"), i, source)
		draw_source(to, source);
	for (int d = 0; d < RULE_DIRS; d++)
		draw_direction(to, rules, rule_dirs[d].name, rule_dirs[d].end);
	fputs("}\n", to);
}

/* Has graphviz write the picture to standard output. */
static int draw_svg(const json_t *rules, const json_t *counts)
{
	static char name[] = "dot", format[] = "-Tsvg";
	char *argv[] = {name, format, NULL};
	struct feed dot;
	int err;

	signal(SIGPIPE, SIG_IGN);
	err = feed_start(&dot, argv, STDOUT_FILENO, false);
	if (!err) {
		draw_picture(dot.to, rules, counts);
		if (feed_end(&dot))
			return EXIT_DONE;
		message_print("--svg: dot could not draw the rules");
	} else {
		message_print(err == ENOENT ? "--svg needs graphviz's dot, which is not installed "
					      "(Debian: graphviz)"
					    : "--svg: dot does not start: %s",
			      strerror(err));
	}
	return EXIT_INPUT;
}

static int draw_rules(const struct args *a, const json_t *rules, const json_t *counts)
{
	if (a->svg)
		return draw_svg(rules, counts);
	draw_picture(stdout, rules, counts);
	return EXIT_DONE;
}

static int draw_live(const struct args *a)
{
	struct flow_msg answer;
	int code = client_once(a, json_pack("{s:s}", "do", "stats"), &answer);

	if (code)
		return code;
	code = draw_rules(a, json_object_get(answer.head, "rules"), answer.head);
	msg_free(&answer);
	return code;
}

int cmd_draw(const struct args *a)
{
	struct rules_text s;
	struct ruleset set;
	json_t *rules;
	int code;

	if (!strcmp(a->argv[0], "live"))
		return draw_live(a);
	code = rules_load(a->argv[0], &s);
	if (code)
		return code;
	code = rules_read(s.name, s.text, s.len, &set) ? EXIT_RULES : EXIT_DONE;
	rules = json_array();
	for (size_t i = 0; !code && i < set.n; i++) {
		json_t *rule = json_object();

		rule_json(rule, &set, &set.rule[i]);
		json_array_append_new(rules, rule);
	}
	if (!code)
		code = draw_rules(a, rules, NULL);
	json_decref(rules);
	ruleset_free(&set);
	rules_text_free(&s);
	return code;
}
