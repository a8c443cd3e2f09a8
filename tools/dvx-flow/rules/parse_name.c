/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of rules. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* Returns whether the name is valid. It does not begin with a digit, as an ID does. */
static bool name_is_right(const char *name)
{
	size_t n = strlen(name);

	if (!n || n > RULE_NAME_MAX || !isalpha((unsigned char)name[0]))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
			return false;
	return true;
}

static void name_keep(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	uint64_t h = map_mix_text(1, name);
	const struct parse_named *other;
	struct map_slot *s = NULL;
	char where[64];

	if (!array_grow((void **)&ps->named, ps->nnamed, &ps->named_room, sizeof(*ps->named))) {
		ps->no_memory = true;
		return;
	}
	ps->named[ps->nnamed] = (struct parse_named){name, ps->rule.line};
	while ((s = map_put(&ps->names, h, (uint32_t)ps->nnamed)) &&
	       strcmp(ps->named[s->what].name, name))
		h = map_again(h);
	if (!s) {
		ps->no_memory = true;
		return;
	}
	ps->nnamed++;
	other = &ps->named[s->what];
	if (other->line != ps->rule.line)
		parse_mistake(ps, at, "the rule in %s is called \"%s\", too",
			      parse_line_name(ps, other->line, where, sizeof(where)), name);
}

void parse_rule_name(struct rule_parser *ps, const struct source_range *at, const char *name)
{
	if (ps->rule.name)
		parse_mistake(ps, at, "a second name of one rule");
	else if (!name_is_right(name))
		parse_mistake(ps, at,
			      "a name is a letter, then letters, digits, _, - and . (at most %u "
			      "characters)",
			      RULE_NAME_MAX);
	else
		name_keep(ps, at, name);
	ps->rule.name = name;
	ps->rule.name_at = parse_location(ps, at);
}

void parse_end_names(struct rule_parser *ps)
{
	map_free(&ps->names);
	free(ps->named);
}
