/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints, for each rule of a line, the tunnel's header that it adds, in hexadecimal. */
#include <stdio.h>
#include <string.h>
#include "rules/rule.h"

static void encap_rules_mistake(void *arg, const struct mistake *m)
{
	(void)arg;
	fprintf(stderr, "%u:%u %s\n", m->line, m->column, m->text);
}

int main(void)
{
	char line[1024];

	while (fgets(line, sizeof(line), stdin)) {
		const struct rule_encap *e;
		struct ruleset set;

		if (rules_parse(line, strlen(line), &set, encap_rules_mistake, NULL))
			return 1;
		e = set.n ? set.rule->encap : NULL;
		for (unsigned int i = 0; e && i < e->bytes; i++)
			printf("%02x", e->header[i]);
		putchar('\n');
		ruleset_free(&set);
	}
	return 0;
}
