/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FLOW_IMPORT_TEXT_H
#define TESTS_FLOW_IMPORT_TEXT_H

/* Texts of other tools, and the rules that they become. */
#include "tests/test.h"
#include <stdio.h>
#include "import/import.h"
#include "rules/rule.h"

/* Writes rules, then the reasons. */
static inline char *items_text(const struct import_result *r)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	for (size_t i = 0, table = 0; i < r->n; i++) {
		if (!r->item[i].rule)
			continue;
		if (r->item[i].table != table)
			fprintf(f, "table table%zu\n", table = r->item[i].table);
		fprintf(f, "%s\n", r->item[i].rule);
	}
	for (size_t i = 0; i < r->n; i++)
		if (!r->item[i].rule)
			fprintf(f, "!%s\n", reason_id(r->item[i].reason));
	fclose(f);
	return text;
}

static inline int take(enum import_dialect from, const char *netdev, const char *text,
		       struct import_result *r)
{
	struct import_ask ask = {.from = from, .netdev = netdev};

	return import_text(&ask, text, strlen(text), r);
}

static inline void parsed(const char *text, struct ruleset *set)
{
	if (rules_parse(text, strlen(text), set, NULL, NULL))
		fail_msg("wrong rules:\n%s", text);
}

#endif
