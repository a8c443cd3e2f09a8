/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds and removes some rules, in the tables as they are or in new ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dvx-flow.h"
#include "holder_priv.h"

int holder_parse_part(const struct holder *h, const char *text, size_t len, struct ruleset *more,
		      struct flow_fault *f)
{
	int ret = rules_parse_part(text, len, holder_rules(h), more, holder_first_mistake, f);

	if (ret < 0)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(-ret));
	return ret ? -1 : holder_check_queues(h, more, f);
}

/* Parses one added rule. */
static int holder_parse_words(const struct holder *h, const struct flow_msg *words,
			      struct ruleset *more, struct flow_fault *f)
{
	int ret = holder_parse_part(h, words->body, words->body_len, more, f);

	if (!ret && !more->n)
		ret = flow_fault_set(
			f, EXIT_RULES,
			"there is no rule in this; write one, like drop in tcp dst port 22");
	if (!ret && more->n > 1)
		ret = flow_fault_set(f, EXIT_RULES,
				     "these are %zu rules; write one at a time, or apply a file",
				     more->n);
	return ret;
}

static bool holder_takes_name(const struct rules_edit *e)
{
	const char *name = e->more->n ? e->more->rule[0].name : NULL;

	for (size_t i = 0; name && i < e->set->n; i++)
		if (!(e->gone && e->gone[i]) && e->set->rule[i].name &&
		    !strcmp(e->set->rule[i].name, name))
			return true;
	return false;
}

/* Marks the tables, by direction, with rules that stay. NULL: no memory. */
static bool *holder_tables_left(const struct rules_edit *e)
{
	bool *left = calloc(RULE_DIRS * (e->set->ntables + 1), sizeof(*left));

	for (size_t i = 0; i < e->set->n && left; i++)
		if (!e->gone || !e->gone[i])
			left[RULE_DIRS * e->set->rule[i].table + e->set->rule[i].dir] = true;
	return left;
}

/*
 * Returns whether the edit changes which tables lead to which. Only the text has the name of a
 * goto's table; a table without rules, or that no rule leads to, is a mistake.
 */
static bool holder_changes_ways(const struct rules_edit *e)
{
	bool *left = holder_tables_left(e), changes = !left;

	changes |= e->more->n && e->more->rule[0].verdict == RULE_GOTO;
	for (size_t i = 0; e->gone && e->set->ntables > 1 && i < e->set->n && !changes; i++) {
		const struct rule *r = &e->set->rule[i];

		changes = e->gone[i] &&
			  (r->verdict == RULE_GOTO || !left[RULE_DIRS * r->table + r->dir]);
	}
	free(left);
	return changes;
}

/* Returns whether a rule needs another one that tracks connections, or is it. */
static bool holder_changes_tracking(const struct rules_edit *e)
{
	bool tracks = ruleset_track(e->set);

	for (size_t i = 0; i < e->more->n; i++)
		if (e->more->rule[i].track || (e->more->rule[i].ct && !tracks))
			return true;
	for (size_t i = 0; e->gone && tracks && i < e->set->n; i++)
		if (e->gone[i] && e->set->rule[i].track)
			return true;
	return false;
}

/* Returns whether only a parse of all rules can find what is wrong with the edit. */
static bool holder_needs_parser(const struct rules_edit *e)
{
	return holder_takes_name(e) || holder_changes_ways(e) || holder_changes_tracking(e);
}

/* Builds the edited rules beside those in effect. The client has no text with a fault's line. */
static int holder_rebuild(struct holder *h, const struct rules_edit *e, struct holder_change *c,
			  struct flow_fault *f)
{
	uint32_t *from = calloc(edit_count(e) + 1, sizeof(*from));
	struct ruleset set = {0};
	int ret = from ? holder_parse(h, c->text, c->len, &set, f)
		       : flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));

	if (!ret) {
		edit_origins(e, from);
		c->from = from;
		c->set = &set;
		ret = holder_replace(h, c, f);
		ruleset_free(&set);
	}
	free(from);
	if (ret)
		flow_fault_place(f);
	return ret;
}

/* Makes the text of the edited rules, then the edit. */
static int holder_change_rules(struct holder *h, const struct rules_edit *e,
			       struct holder_change *c, struct flow_fault *f)
{
	struct source_place *place = calloc(edit_count(e) + 1, sizeof(*place));
	int ret = EDIT_REBUILD;

	if (place)
		c->text = source_edit(h->text ? h->text : "", h->len, e, place, &c->len);
	c->place = place;
	if (!c->text)
		ret = flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	else if (h->now && !holder_needs_parser(e))
		ret = holder_edit_tables(h, c, f);
	if (ret == EDIT_REBUILD)
		ret = holder_rebuild(h, e, c, f);
	free(place);
	free(c->text);
	return ret;
}

int holder_edit(struct holder *h, const bool *gone, struct holder_place to,
		const struct flow_msg *words, void (*after)(void *arg), void *arg,
		struct flow_fault *f)
{
	struct ruleset more = {0};
	struct rules_edit e = {holder_rules(h), gone, &more, &to.rule};
	struct holder_change c = {.after = after, .arg = arg};
	int ret = words ? holder_parse_words(h, words, &more, f) : 0;

	if (!ret && words) {
		more.rule[0].own = more.memory;
		more.rule[0].table = to.table;
		more.memory = NULL;
	}
	if (!ret) {
		c.edit = (struct generation_change){
			.gone = gone, .more = more.rule, .before = e.at, .nmore = more.n};
		c.changed = e.set->n + 2 * more.n - edit_count(&e);
		ret = holder_change_rules(h, &e, &c, f);
	}
	if (c.taken)
		more.n = 0;
	ruleset_free(&more);
	return ret;
}
