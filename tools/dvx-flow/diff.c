/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow diff: prints which rules apply would add, delete and move, and which would stay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "places.h"
#include "rules/pairs.h"
#include "show.h"

/* Lines of context: rules that stay are printed at most this far from one that does not. */
#define CONTEXT 3u

struct diff {
	const json_t *rules; /* in effect */
	struct rules_text text;
	struct ruleset set; /* of the file */
	struct texts old, now;
	struct pair_text *old_text, *now_text;
	uint32_t *from;
	bool *stays;
	bool *kept, *left; /* by old rule: it stays in its place; it has been removed */
	size_t stay, added, deleted, moved;
	int tables; /* width of the column of tables; 0: all rules are in the first one */
};

/* --- differences ------------------------------------------------------------------------------ */

static int diff_rooms(struct diff *d)
{
	size_t old = json_array_size(d->rules), now = d->set.n;

	d->old_text = calloc(old + 1, sizeof(*d->old_text));
	d->now_text = calloc(now + 1, sizeof(*d->now_text));
	d->from = calloc(now + 1, sizeof(*d->from));
	d->stays = calloc(now + 1, sizeof(*d->stays));
	d->kept = calloc(old + 1, sizeof(*d->kept));
	d->left = calloc(old + 1, sizeof(*d->left));
	d->old = (struct texts){d->old_text, old};
	d->now = (struct texts){d->now_text, now};
	return d->old_text && d->now_text && d->from && d->stays && d->kept && d->left ? 0 : -1;
}

static struct pair_text diff_old(const json_t *rule)
{
	const char *table = json_string_value(json_object_get(rule, "table"));

	return (struct pair_text){json_string_value(json_object_get(rule, "text")),
				  table ? table : TABLE_MAIN};
}

static int diff_find(struct diff *d)
{
	json_t *rule;
	size_t i;

	if (diff_rooms(d))
		return -1;
	json_array_foreach (d->rules, i, rule)
		d->old_text[i] = diff_old(rule);
	for (i = 0; i < d->now.n; i++)
		d->now_text[i] = (struct pair_text){d->set.rule[i].text,
						    rule_table_name(&d->set, &d->set.rule[i])};
	if (pairs_find(d->old, d->now, d->from) || pairs_in_order(d->from, d->now.n, d->stays))
		return -1;
	memset(d->left, true, d->old.n);
	for (i = 0; i < d->now.n; i++) {
		if (d->from[i] == PAIR_NONE) {
			d->added++;
			continue;
		}
		d->left[d->from[i]] = false;
		d->kept[d->from[i]] = d->stays[i];
		d->stay += d->stays[i];
		d->moved += !d->stays[i];
	}
	d->deleted = d->old.n - d->stay - d->moved;
	return 0;
}

static void diff_free(struct diff *d)
{
	ruleset_free(&d->set);
	free(d->old_text);
	free(d->now_text);
	free(d->from);
	free(d->stays);
	free(d->kept);
	free(d->left);
}

static json_int_t diff_id(const struct diff *d, size_t old)
{
	return json_integer_value(json_object_get(json_array_get(d->rules, old), "id"));
}

/* --- for people ------------------------------------------------------------------------------- */

/* Prints the list's lines. Lines of context wait until a change follows nearby. */
struct diff_lines {
	const struct diff *d;
	size_t waiting; /* old rules before `next`, not printed yet */
	size_t behind;	/* lines of context still to print after the last change */
	bool begun, gap;
};

static void diff_line(const struct diff *d, char sign, size_t old, const struct pair_text *rule)
{
	if (old == PAIR_NONE)
		printf("%c        ", sign);
	else
		printf("%c%6" JSON_INTEGER_FORMAT "  ", sign, diff_id(d, old));
	show_put_table(stdout, rule->table, d->tables);
	puts(rule->text);
}

static int diff_tables_width(struct texts rules, int most)
{
	for (size_t i = 0; i < rules.n; i++) {
		int n = (int)strlen(rules.rule[i].table);

		if (strcmp(rules.rule[i].table, TABLE_MAIN) && n > most)
			most = n;
	}
	return most && most < (int)strlen(TABLE_MAIN) ? (int)strlen(TABLE_MAIN) : most;
}

/* Adds an old rule that stays. */
static void diff_stays(struct diff_lines *l, size_t old)
{
	if (l->behind) {
		diff_line(l->d, ' ', old, &l->d->old_text[old]);
		l->behind--;
		return;
	}
	if (l->waiting < CONTEXT)
		l->waiting++;
	else
		l->gap = true;
}

/* Adds a rule that leaves or arrives; `next` is the old rule behind those that wait. */
static void diff_changes(struct diff_lines *l, char sign, size_t next, size_t old,
			 const struct pair_text *rule)
{
	if (l->gap && l->begun)
		puts("...");
	for (size_t i = 0, at = next; i < l->waiting; i++) {
		size_t back = l->waiting - i, seen = 0;

		for (at = next; seen < back;)
			seen += l->d->kept[--at];
		diff_line(l->d, ' ', at, &l->d->old_text[at]);
	}
	l->waiting = 0;
	l->gap = false;
	l->begun = true;
	l->behind = CONTEXT;
	diff_line(l->d, sign, old, rule);
}

static void diff_all_lines(const struct diff *d)
{
	struct diff_lines l = {.d = d};
	size_t old = 0;

	for (size_t now = 0; now <= d->now.n; now++) {
		bool stays = now < d->now.n && d->stays[now];

		for (; old < d->old.n && !d->kept[old]; old++)
			diff_changes(&l, '-', old, old, &d->old_text[old]);
		if (stays)
			diff_stays(&l, old++);
		else if (now < d->now.n)
			diff_changes(&l, '+', old, d->from[now], &d->now_text[now]);
	}
	printf("%zu stay, %zu added, %zu deleted, %zu moved\n", d->stay, d->added, d->deleted,
	       d->moved);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void diff_add(json_t *list, json_t *j, const struct pair_text *rule)
{
	json_object_set_new(j, "text", json_string(rule->text));
	if (strcmp(rule->table, TABLE_MAIN))
		json_object_set_new(j, "table", json_string(rule->table));
	json_array_append_new(list, j);
}

static json_t *diff_json(const struct diff *d)
{
	json_t *added = json_array(), *deleted = json_array(), *moved = json_array();
	json_t *all = json_pack("{s:I, s:o, s:o, s:o}", "stay", (json_int_t)d->stay, "added", added,
				"deleted", deleted, "moved", moved);

	for (size_t i = 0; i < d->now.n; i++) {
		json_t *j;

		if (d->stays[i])
			continue;
		j = json_pack("{s:I}", "line", (json_int_t)d->set.rule[i].line);
		if (d->from[i] != PAIR_NONE)
			json_object_set_new(j, "id", json_integer(diff_id(d, d->from[i])));
		diff_add(d->from[i] == PAIR_NONE ? added : moved, j, &d->now_text[i]);
	}
	for (size_t i = 0; i < d->old.n; i++)
		if (d->left[i])
			diff_add(deleted, json_pack("{s:I}", "id", diff_id(d, i)), &d->old_text[i]);
	places_json(all, d->text.text, d->text.len);
	return all;
}

static int diff_show(const struct args *a, struct diff *d)
{
	if (diff_find(d)) {
		message_print("no memory");
		return EXIT_INPUT;
	}
	if (a->json)
		return json_out(diff_json(d));
	d->tables = diff_tables_width(d->old, diff_tables_width(d->now, 0));
	diff_all_lines(d);
	return EXIT_DONE;
}

int cmd_diff(const struct args *a)
{
	struct diff d = {0};
	struct flow_msg answer;
	int code = rules_load(a->argv[0], &d.text);

	if (code)
		return code;
	code = rules_read(d.text.name, d.text.text, d.text.len, &d.set) ? EXIT_RULES : EXIT_DONE;
	if (!code)
		code = client_once(a, json_pack("{s:s}", "do", "list"), &answer);
	if (!code) {
		d.rules = json_object_get(answer.head, "rules");
		code = diff_show(a, &d);
		msg_free(&answer);
	}
	rules_text_free(&d.text);
	diff_free(&d);
	return code;
}
