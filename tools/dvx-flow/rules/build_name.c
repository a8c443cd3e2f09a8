/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of rules. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"

struct build_named {
	const char *name;
	uint32_t line;
};

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

static void name_keep(struct rule_build *b, const struct source_range *at, const char *name)
{
	uint64_t h = map_mix_text(1, name);
	const struct build_named *other;
	struct map_slot *s = NULL;
	char where[64];

	if (!array_grow((void **)&b->named, b->nnamed, &b->named_room, sizeof(*b->named))) {
		b->ps->no_memory = true;
		return;
	}
	b->named[b->nnamed] = (struct build_named){name, b->rule.line};
	while ((s = map_put(&b->names, h, (uint32_t)b->nnamed)) &&
	       strcmp(b->named[s->what].name, name))
		h = map_again(h);
	if (!s) {
		b->ps->no_memory = true;
		return;
	}
	b->nnamed++;
	other = &b->named[s->what];
	if (other->line != b->rule.line)
		parse_mistake(b->ps, at, "the rule in %s is called \"%s\", too",
			      parse_line_name(b->ps, other->line, where, sizeof(where)), name);
}

void build_name(struct rule_build *b, const struct rule_node *n)
{
	if (b->rule.name)
		node_mistake(b, n, "a second name of one rule");
	else if (!name_is_right(n->name))
		node_mistake(b, n,
			     "a name is a letter, then letters, digits, _, - and . (at most %u "
			     "characters)",
			     RULE_NAME_MAX);
	else
		name_keep(b, &n->at, n->name);
	b->rule.name = n->name;
	b->rule.name_at = build_location(b, &n->at);
}

void build_names_free(struct rule_build *b)
{
	map_free(&b->names);
	free(b->named);
}
