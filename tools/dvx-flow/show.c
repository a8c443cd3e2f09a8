/* SPDX-License-Identifier: BSD-2-Clause */
/* list, and functions that it shares with stats: they read members of the daemon's answer. */
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "rules/rule.h"
#include "show.h"

json_int_t show_number(const json_t *j, const char *key)
{
	return json_integer_value(json_object_get(j, key));
}

const char *show_text(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));

	return s ? s : "";
}

json_t *show_take(struct flow_msg *answer)
{
	json_t *j = json_incref(answer->head);

	json_object_del(j, "exit");
	msg_free(answer);
	return j;
}

int show_tables_width(const json_t *rules)
{
	size_t i, most = 0;
	const json_t *rule;

	json_array_foreach (rules, i, rule) {
		size_t n = strlen(show_text(rule, "table"));

		most = n > most ? n : most;
	}
	return most && most < strlen("TABLE") ? (int)strlen("TABLE") : (int)most;
}

void show_put_table(FILE *to, const char *table, int width)
{
	if (width)
		fprintf(to, "%-*s  ", width, *table ? table : TABLE_MAIN);
}

/* Returns whether a rule came from an included file. */
static bool show_any_file(const json_t *rules)
{
	const json_t *rule;
	size_t i;

	json_array_foreach (rules, i, rule)
		if (json_object_get(rule, "file"))
			return true;
	return false;
}

static void show_rules(const json_t *rules)
{
	bool files = show_any_file(rules);
	int tables = show_tables_width(rules);
	const json_t *rule;
	char from[80];
	size_t i;

	json_array_foreach (rules, i, rule) {
		if (!i) {
			printf("    ID  %s", files ? "FROM                " : "");
			show_put_table(stdout, "TABLE", tables);
			puts("RULE");
		}
		printf("%6" JSON_INTEGER_FORMAT "  ", show_number(rule, "id"));
		if (files) {
			const char *file = show_text(rule, "file");

			snprintf(from, sizeof(from), file[0] ? "%s:%lld" : "%sline %lld", file,
				 show_number(rule, "line"));
			printf("%-18s  ", from);
		}
		show_put_table(stdout, show_text(rule, "table"), tables);
		puts(show_text(rule, "text"));
	}
}

int cmd_list(const struct args *a)
{
	struct flow_msg answer;
	json_t *j;
	int code = client_once(a, json_pack("{s:s}", "do", "list"), &answer);

	if (code)
		return code;
	j = show_take(&answer);
	if (a->json)
		return json_out(j);
	show_rules(json_object_get(j, "rules"));
	if (!json_array_size(json_object_get(j, "rules")))
		printf("no rules: everything on %s goes the default way\n", show_text(j, "device"));
	json_decref(j);
	return EXIT_DONE;
}
