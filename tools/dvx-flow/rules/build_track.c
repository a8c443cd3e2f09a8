/* SPDX-License-Identifier: BSD-2-Clause */
/* The rule that tracks connections (track), and the matches of their states (ct). */
#include <inttypes.h>
#include <strings.h>

#include "build.h"
#include "words.h"

#define TRACK_MOST	 65536u /* by default */
#define TRACK_MOST_LIMIT 1000000u
#define TRACK_IDLE	 7440u /* by default: 2 hours 4 minutes, the least of RFC 5382 */

/* States, and those of other tools that no device knows. */
static const struct {
	const char *name, *why; /* NULL: it exists */
	uint32_t state;
} ct_states[] = {
	{"established", NULL, CT_ESTABLISHED},
	{"est", NULL, CT_ESTABLISHED},
	{"new", NULL, CT_NEW},
	{"invalid", NULL, CT_INVALID},
	{"inv", NULL, CT_INVALID},
	{"related",
	 "no state is related: only TCP connections are tracked, without helpers of protocols", 0},
	{"untracked", "no state is untracked: write the rule before the one with track", 0},
};

const char *ct_state_find(const char *name, uint64_t *state)
{
	for (size_t i = 0; i < sizeof(ct_states) / sizeof(ct_states[0]); i++)
		if (!strcasecmp(ct_states[i].name, name)) {
			*state = ct_states[i].state;
			return ct_states[i].why;
		}
	return "a connection's state is established, new or invalid";
}

const struct rule *ruleset_track(const struct ruleset *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->rule[i].verdict == RULE_TRACK)
			return &set->rule[i];
	return NULL;
}

/* Returns whether the rule may be about connections: their packets of both directions pass here. */
static bool build_track_side(struct rule_build *b, const struct source_range *at, const char *word)
{
	if (b->rule.dir == RULE_SWITCH)
		return true;
	parse_mistake(
		b->ps, at,
		"%s is for switched packets: the tables of `%s' have one side of a connection "
		"only; on the function that manages the e-switch, write `%s switch tcp'",
		word, rule_dirs[b->rule.dir].name, word);
	return false;
}

void build_ct(struct rule_build *b, const struct rule_node *n)
{
	if (!build_track_side(b, &n->at, b->rule.verdict == RULE_TRACK ? "track" : "ct"))
		return;
	if (b->is_inner)
		node_mistake(b, n,
			     "ct is about the outer headers: connections inside tunnels are not "
			     "tracked");
	b->rule.ct = true;
	b->ct_at = n->at;
	build_set_values(b, n, CT_KEY, &n->list);
}

void build_max(struct rule_build *b, const struct rule_node *n)
{
	if (b->rule.verdict != RULE_TRACK)
		node_mistake(b, n,
			     "max is the number of connections of a rule that begins with track");
	else if (!n->number || n->number > TRACK_MOST_LIMIT)
		node_mistake(b, n, "max is 1 to %u connections, not %" PRIu64, TRACK_MOST_LIMIT,
			     n->number);
	else if (b->most)
		node_mistake(b, n, "a second max in one rule");
	b->most = (uint32_t)n->number;
}

/* --- the rule's end --------------------------------------------------------------------------- */

/* Returns a negated match of this field; NULL: there is none. */
static const struct rule_field *build_track_except(const struct rule_build *b, enum rule_key key)
{
	const struct rule_except *except = b->excepts.item;

	for (size_t i = 0; i < b->excepts.n; i++)
		for (size_t k = 0; k < except[i].nfields; k++)
			if (except[i].field[k].key == key)
				return &except[i].field[k];
	return NULL;
}

/* Returns whether the states are compared with this one. */
static bool ct_has(const struct rule_field *f, uint32_t state)
{
	bool has = f->value == state;

	for (size_t i = 0; i < f->nmore; i++)
		has |= f->more[i].value == state;
	return has;
}

static void settle_track_rule(struct rule_build *b, const struct source_range *at)
{
	const struct ruleset *set = b->ps->set;

	if (!build_track_side(b, at, "track"))
		return;
	if (b->h->l4 != L4_TCP || b->has_inner)
		parse_mistake(b->ps, at,
			      "only TCP connections are tracked: write `track switch tcp'");
	if (b->rule.ct || build_field(&b->fields, KEY_VPORT)->mask ||
	    build_field(&b->fields, KEY_SQN)->mask)
		parse_mistake(
			b->ps, at,
			"track takes the packets of both sides, and their first ones from this "
			"function: leave out from, sqn and ct");
	if (b->changes || b->rate.rate)
		parse_mistake(b->ps, at,
			      "track has max, expire, count and name behind its matches only");
	if (b->in_table)
		parse_mistake(b->ps, at, "connections are tracked in the table \"%s\"", TABLE_MAIN);
	for (size_t i = 0; i < set->n; i++)
		if (set->rule[i].dir == RULE_SWITCH && !set->rule[i].table &&
		    rule_goes_on(&set->rule[i])) {
			parse_mistake(b->ps, at, "track stands before %s",
				      set->rule[i].verdict == RULE_TRACK
					      ? "nothing: another rule tracks"
					      : "mirrors and rates");
			return;
		}
}

/*
 * Replaces the vport of an established connection's packets by the one in the register: a SYN-ACK
 * comes from this function, which held it back until the connection was tracked.
 */
static void ct_move_from(struct rule_build *b, const struct rule_field *from)
{
	struct node_list l = {0};

	for (size_t i = 0; i <= from->nmore; i++)
		l = list_value(b->ps, l,
			       CT_ESTABLISHED | (i ? from->more[i - 1].value : from->value),
			       CT_MASK | CT_SOURCE_MASK);
	build_fields_remove(&b->fields, KEY_VPORT);
	for (size_t i = 0; i < b->fields.n && l.n; i++) {
		struct rule_field *ct = &b->fields.field[i];

		if (ct->key != CT_KEY)
			continue;
		ct->value = ((struct rule_value *)l.item)->value;
		ct->mask = CT_MASK | CT_SOURCE_MASK;
		ct->nmore = l.n - 1;
		ct->more = ct->nmore ? (struct rule_value *)l.item + 1 : NULL;
	}
}

/* Checks that the source of packets is known: the port, or of established connections the register. */
static void settle_ct_from(struct rule_build *b)
{
	const struct rule_field *from = build_field(&b->fields, KEY_VPORT);
	const struct rule_field *ct = build_field(&b->fields, CT_KEY);
	const struct rule_field *not_ct = build_track_except(b, CT_KEY);

	if (!from->mask ||
	    (ct->mask ? !ct_has(ct, CT_ESTABLISHED) : not_ct && ct_has(not_ct, CT_ESTABLISHED)))
		return;
	if (ct->mask && !ct->nmore)
		ct_move_from(b, from);
	else
		parse_mistake(
			b->ps, &b->ct_at,
			"in a rule with from, `ct established' stands alone: write a rule for "
			"each state");
}

void build_settle_track(struct rule_build *b, const struct source_range *at)
{
	build_level(b, false);
	if (b->rule.verdict == RULE_TRACK)
		settle_track_rule(b, at);
	else if (b->rule.ct && b->changes & 1u << CHANGE_DECAP)
		parse_mistake(
			b->ps, &b->ct_at,
			"a rule with ct does not remove a tunnel's headers: connections inside "
			"tunnels are not tracked");
	else if (b->rule.ct)
		settle_ct_from(b);
	if (b->rule.ct && !b->first_ct.line)
		b->first_ct = b->ct_at;
}

bool build_keep_track(struct rule_build *b)
{
	struct rule_track t = {b->most ? b->most : TRACK_MOST,
			       b->rule.expire ? b->rule.expire : TRACK_IDLE};

	if (b->rule.verdict != RULE_TRACK)
		return true;
	b->rule.expire = 0;
	b->rule.track = build_keep(b, &t, 1, sizeof(t));
	return b->rule.track;
}

void build_track_end(struct rule_build *b)
{
	if (b->first_ct.line && !b->ps->part && !b->ps->mistakes &&
	    !ruleset_track(b->ps->set))
		parse_mistake(
			b->ps, &b->first_ct,
			"no rule tracks connections: write `track switch tcp' before this one");
}
