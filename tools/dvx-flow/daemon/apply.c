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
	struct pair_text *old_texts, *now_texts;

	if (!in_effect->n) {
		if (from)
			memset(from, 0xff, set->n * sizeof(*from));
		return from;
	}
	old_texts = apply_texts(in_effect, &old);
	now_texts = apply_texts(set, &now);
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

static int apply_in_place(struct holder *h, struct holder_change *c, struct flow_fault *f)
{
	struct apply_change d = {0};
	int ret;

	if (!apply_fits(h, c->set, c->from))
		return EDIT_REBUILD;
	ret = apply_differs(holder_rules(h), c->set, c->from, &d) ? apply_no_memory(f) : 0;
	c->edit = (struct generation_change){.gone = d.gone,
					     .more = d.more,
					     .before = d.before,
					     .from = d.from,
					     .nmore = d.nmore};
	c->changed = holder_rules(h)->n - c->set->n + 2 * d.nmore;
	if (!ret)
		ret = holder_edit_tables(h, c, f);
	apply_free(&d);
	return ret;
}

int holder_apply(struct holder *h, const char *text, size_t len, built_fn built, void *arg,
		 void (*after)(void *arg), struct flow_fault *f)
{
	struct ruleset set;
	struct holder_change c = {
		.len = len, .set = &set, .built = built, .after = after, .arg = arg};
	uint32_t *from;
	int ret;

	if (holder_parse(h, text, len, &set, f))
		return -1;
	c.from = from = apply_origins(holder_rules(h), &set);
	c.text = holder_copy(text, &c.len);
	ret = from && c.text ? apply_in_place(h, &c, f) : apply_no_memory(f);
	if (ret == EDIT_REBUILD)
		ret = holder_replace(h, &c, f);
	ruleset_free(&set);
	free(c.text);
	free(from);
	return ret;
}
