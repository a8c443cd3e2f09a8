/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps variables after their text: an added rule may name those of the rules in effect. */
#include <stdio.h>
#include <stdlib.h>

#include "define.h"

bool parse_vars_keep(struct rule_parser *ps)
{
	struct ruleset *set = ps->set;

	set->define = arena_get(set->memory, ps->vars.n * sizeof(*set->define));
	if (!set->define)
		return false;
	for (size_t i = 0; i < ps->vars.n; i++) {
		const struct parse_define *d = ps->vars.define[i];
		const char *text = arena_text(set->memory, d->text, d->text_len);

		if (!text)
			return false;
		set->define[set->ndefines++] = (struct rule_define){d->name, text};
	}
	return true;
}

char *defines_text(const struct ruleset *of, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	if (!f)
		return NULL;
	for (size_t i = 0; i < of->ndefines; i++)
		fprintf(f, "define %s = %s\n", of->define[i].name, of->define[i].text);
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

void parse_vars_known(struct rule_parser *ps)
{
	for (size_t i = 0; i < ps->vars.n; i++)
		ps->vars.define[i]->line = DEFINE_KNOWN;
}
