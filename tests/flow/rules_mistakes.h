/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FLOW_RULES_MISTAKES_H
#define TESTS_FLOW_RULES_MISTAKES_H

/* Texts with mistakes, and what the parser reports of each: line:column+width and the sentence. */
#include "tests/test.h"
#include <ctype.h>
#include <stdio.h>
#include "rules/rule.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct ruleset set;
static char told[4096];

static void tell(void *arg, const struct mistake *m)
{
	size_t used = strlen(told);

	(void)arg;
	snprintf(told + used, sizeof(told) - used, "%u:%u+%u %s\n", m->line, m->column, m->width,
		 m->text);
}

struct mistake_row {
	const char *text, *told; /* told: a part of the report; its beginning, if it has a place */
};

static inline void mistakes_are(const struct mistake_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *at;
		int ret;

		told[0] = 0;
		ret = rules_parse(rows[i].text, strlen(rows[i].text), &set, tell, NULL);
		at = strstr(told, rows[i].told);
		if (ret < 1 || !at || set.rule ||
		    (isdigit((unsigned char)*rows[i].told) && at != told))
			fail_msg("%s: %s, not %s", rows[i].text, told, rows[i].told);
	}
}

#endif
