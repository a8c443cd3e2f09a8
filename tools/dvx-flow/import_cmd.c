/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow import: prints other tools' rules as dvx-flow's, and reports those left out. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dvx-flow.h"
#include "import/import.h"

/* Writes the reason of an item, after the word that is to blame, if there is one. */
static void import_sentence(const struct import_item *item, char *text, size_t size)
{
	if (item->more)
		snprintf(text, size, "%s (%s)", reason_text(item->reason), item->more);
	else if (item->word)
		snprintf(text, size, "\"%.60s\": %s", item->word, reason_text(item->reason));
	else
		snprintf(text, size, "%s", reason_text(item->reason));
}

static void import_print(const struct rules_text *s, const struct import_result *r)
{
	uint32_t table = 0;
	char text[512];

	for (size_t i = 0; i < r->n; i++) {
		const struct import_item *item = &r->item[i];

		if (item->rule && item->table != table)
			printf("table table%u\n", table = item->table);
		if (item->rule) {
			puts(item->rule);
			continue;
		}
		import_sentence(item, text, sizeof(text));
		printf("# left out: %s:%u: %s\n", s->name, item->line, text);
		rules_point(s, item->line, item->column, text);
	}
}

static json_t *import_rule_json(const struct import_item *item)
{
	json_t *j = json_pack("{s:I, s:s}", "line", (json_int_t)item->line, "text", item->rule);

	if (item->table)
		json_object_set_new(j, "table", json_sprintf("table%u", item->table));
	return j;
}

static json_t *import_json(const struct rules_text *s, const struct import_result *r)
{
	json_t *rules = json_array(), *left = json_array();
	char text[512];

	for (size_t i = 0; i < r->n; i++) {
		const struct import_item *item = &r->item[i];

		if (item->rule) {
			json_array_append_new(rules, import_rule_json(item));
			continue;
		}
		import_sentence(item, text, sizeof(text));
		rules_point(s, item->line, item->column, text);
		json_array_append_new(left, json_pack("{s:I, s:I, s:s, s:o}", "line",
						      (json_int_t)item->line, "column",
						      (json_int_t)item->column, "reason",
						      reason_id(item->reason), "says",
						      json_text(text, strlen(text))));
	}
	return json_pack("{s:s, s:o, s:o}", "dialect", dialect_name(r->dialect), "rules", rules,
			 "left_out", left);
}

static int import_failed(const struct import_ask *ask, const struct rules_text *s,
			 const struct import_result *r, int err)
{
	static const char all[] = "tc, ethtool, testpmd, iptables, ip6tables, nft, ovs, dpctl";

	if (err != -EPROTOTYPE)
		message_print("%s: %s", s->name, strerror(-err));
	else if (r->dialect == DIALECT_OWN)
		message_print("%s: these are rules of dvx-flow already", s->name);
	else if (r->dialect == DIALECTS)
		message_print("%s: no line is of %s", s->name,
			      ask->from == DIALECTS ? all : dialect_name(ask->from));
	else
		message_print("%s: these are rules of %s, not of %s", s->name,
			      dialect_name(r->dialect), dialect_name(ask->from));
	return err == -EPROTOTYPE ? EXIT_RULES : EXIT_INPUT;
}

static int import_result(const struct args *a, const struct rules_text *s,
			 const struct import_result *r)
{
	int code = EXIT_DONE;

	if (a->json)
		code = json_out(import_json(s, r));
	else
		import_print(s, r);
	if (code || !r->left_out)
		return code;
	if (!a->quiet)
		message_print("%s: %zu of %zu left out", s->name, r->left_out, r->n);
	return EXIT_RULES;
}

/* Returns whether the text has no byte of zero, where words, which are C strings, would end. */
static bool import_is_text(const struct rules_text *s)
{
	const char *p = s->text, *zero = memchr(p, 0, s->len);
	uint32_t line = 1;

	for (; zero && (p = memchr(p, '\n', (size_t)(zero - p))); p++)
		line++;
	if (zero)
		rules_point(s, line, 1, "a byte of zero: the text is damaged, or not UTF-8");
	return !zero;
}

int cmd_import(const struct args *a)
{
	struct import_ask ask = {.from = DIALECTS, .netdev = a->netdev, .ports = a->ports};
	struct rules_text s = {.name = a->argc ? a->argv[0] : "-"};
	struct import_result r;
	char *text;
	int code;

	if (a->from && (ask.from = dialect_find(a->from)) == DIALECTS) {
		message_print("--from takes tc, ethtool, testpmd, iptables, ip6tables, nft, ovs or "
			      "dpctl, not "
			      "\"%s\"",
			      a->from);
		return EXIT_USAGE;
	}
	if (file_read(s.name, &text, &s.len))
		return EXIT_INPUT;
	s.text = text;
	if (!import_is_text(&s)) {
		free(text);
		return EXIT_RULES;
	}
	code = import_text(&ask, text, s.len, &r);
	if (!code && !rules_find_lines(&s))
		code = -ENOMEM;
	code = code ? import_failed(&ask, &s, &r, code) : import_result(a, &s, &r);
	import_free(&r);
	free(s.line);
	free(text);
	return code;
}
