/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces the rules in effect by those of a file. If few rules differ, edits the tables that
 * packets are in; else builds all rules beside the old ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dvx-flow.h"
#include "holder_priv.h"
#include "rules/pairs.h"

/* --- differences ------------------------------------------------------------------------------ */

/* The difference of a set to the rules in effect: `more` are added, `gone` are removed. */
struct apply_change {
	bool *stays; /* by rule of the set: it keeps its place */
	bool *gone;
	struct rule *more;
	size_t *before;
	uint32_t *from;
	size_t nmore;
};

static void apply_free(struct apply_change *c)
{
	free(c->stays);
	free(c->gone);
	free(c->more);
	free(c->before);
	free(c->from);
}

static bool apply_rooms(struct apply_change *c, size_t old, size_t now)
{
	*c = (struct apply_change){.stays = calloc(now + 1, sizeof(*c->stays)),
				   .gone = calloc(old + 1, sizeof(*c->gone)),
				   .more = calloc(now + 1, sizeof(*c->more)),
				   .before = calloc(now + 1, sizeof(*c->before)),
				   .from = calloc(now + 1, sizeof(*c->from))};
	return c->stays && c->gone && c->more && c->before && c->from;
}

/*
 * Finds the difference. Rule i of the set is rule from[i] of those in effect; rules that stay keep
 * their order.
 */
static int apply_differs(const struct ruleset *old, const struct ruleset *set, const uint32_t *from,
			 struct apply_change *c)
{
	size_t next = old->n, at;

	if (!apply_rooms(c, old->n, set->n) || pairs_in_order(from, set->n, c->stays))
		return -ENOMEM;
	memset(c->gone, true, old->n);
	for (size_t i = 0; i < set->n; i++) {
		c->nmore += !c->stays[i];
		if (c->stays[i])
			c->gone[from[i]] = false;
	}
	at = c->nmore;
	for (size_t i = set->n; i-- > 0;) {
		if (c->stays[i]) {
			next = from[i];
			continue;
		}
		c->more[--at] = set->rule[i];
		c->before[at] = next;
		c->from[at] = from[i];
	}
	return 0;
}

/* Returns whether both sets number their tables alike. Tables on the device are found by number. */
static bool apply_same_tables(const struct ruleset *a, const struct ruleset *b)
{
	bool same = a->ntables == b->ntables;

	for (size_t i = 0; i < a->ntables && same; i++)
		same = !strcmp(a->table[i].name, b->table[i].name);
	return same;
}

/* --- origins ----------------------------------------------------------------------------------- */

static struct pair_text *apply_texts(const struct ruleset *set, struct texts *out)
{
	struct pair_text *text = calloc(set->n ? set->n : 1, sizeof(*text));

	for (size_t i = 0; text && i < set->n; i++)
		text[i] =
			(struct pair_text){set->rule[i].text, rule_table_name(set, &set->rule[i])};
	*out = (struct texts){text, set->n};
	return text;
}

/* Finds for each rule the one in effect with the same text, in the table of the same name. */
static uint32_t *apply_origins(const struct ruleset *in_effect, const struct ruleset *set)
{
	uint32_t *from = calloc(set->n ? set->n : 1, sizeof(*from));
	struct texts old, now;
	struct pair_text *old_texts = apply_texts(in_effect, &old);
	struct pair_text *now_texts = apply_texts(set, &now);

	if (!from || !old_texts || !now_texts || pairs_find(old, now, from)) {
		free(from);
		from = NULL;
	}
	free(old_texts);
	free(now_texts);
	return from;
}

/* --- apply ------------------------------------------------------------------------------------- */

/*
 * Returns whether an edit in place is worth it. The order of matchers was found for the rules at
 * the last build: after a quarter has changed, a rebuild finds a better one. If no rule stays, a
 * new generation numbers the rules from 1 again.
 */
static bool apply_fits(const struct holder *h, const struct ruleset *set, const uint32_t *from)
{
	bool any = false;

	for (size_t i = 0; i < set->n && !any; i++)
		any = from[i] != PAIR_NONE;
	return any && h->edited <= 64 + holder_rules(h)->n / 4 &&
	       apply_same_tables(holder_rules(h), set);
}

static int apply_no_memory(struct flow_fault *f)
{
	return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
}

static int apply_in_place(struct holder *h, struct holder_edited *e, const uint32_t *from,
			  struct flow_fault *f)
{
	struct apply_change c = {0};
	struct generation_change change;
	int ret = EDIT_REBUILD;

	if (!apply_fits(h, e->set, from))
		return ret;
	ret = apply_differs(holder_rules(h), e->set, from, &c) ? apply_no_memory(f) : 0;
	change = (struct generation_change){.gone = c.gone,
					    .more = c.more,
					    .before = c.before,
					    .from = c.from,
					    .nmore = c.nmore};
	e->changed = holder_rules(h)->n - e->set->n + 2 * c.nmore;
	if (!ret)
		ret = generation_edit_begin(h->now, &change, &e->edit, f);
	if (!ret)
		ret = holder_commit_edit(h, e, f) ? -1 : 0;
	apply_free(&c);
	return ret;
}

static int apply_anew(struct holder *h, struct holder_edited *e, const uint32_t *from,
		      built_fn built, void *arg, struct flow_fault *f)
{
	struct generation *gen;
	char *text = e->text;

	if (holder_build(h, e->set, from, built, arg, &gen, f))
		return -1;
	e->text = NULL;
	return holder_replace(h, gen, text, e->len, e->after, e->arg, f);
}

int holder_apply(struct holder *h, const char *text, size_t len, built_fn built, void *arg,
		 void (*after)(void *arg), struct flow_fault *f)
{
	struct ruleset set;
	struct holder_edited e = {.len = len, .set = &set, .after = after, .arg = arg};
	uint32_t *from;
	int ret;

	if (holder_parse(h, text, len, &set, f))
		return -1;
	from = apply_origins(holder_rules(h), &set);
	e.text = holder_copy(text, &e.len);
	ret = from && e.text ? apply_in_place(h, &e, from, f) : apply_no_memory(f);
	if (ret == EDIT_REBUILD)
		ret = apply_anew(h, &e, from, built, arg, f);
	ruleset_free(&set);
	free(e.text);
	free(from);
	return ret;
}
