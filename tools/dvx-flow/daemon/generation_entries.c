/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries that an edit adds and removes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>

#include "generation_edit.h"
#include "dvx-flow.h"

/* Comparisons that an edit may cost; beyond this the rules are rebuilt. */
#define EDIT_WORK 200000000u

int edit_no_memory(struct generation_edit *e)
{
	return flow_fault_set(e->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
}

/* --- entries ---------------------------------------------------------------------------------- */

int edit_sync(struct generation_edit *e)
{
	for (int d = 0; d < RULE_DIRS; d++)
		if (e->gen->table[d].table && dvx_flow_domain_sync(e->gen->base->side[d].domain))
			return flow_fault_device(e->fault);
	return 0;
}

static int edit_refused(struct generation_edit *e, uint32_t rule, bool queue_refused)
{
	const struct rule *r;

	if (rule == LIVE_REST)
		return flow_fault_device(e->fault);
	r = &e->gen->set.rule[rule];
	if (queue_refused)
		return locate_error(e->fault, r, r->queue_at);
	if (dvx_last_error()->err == ENOMEM)
		return no_room_fault(r, false, e->fault);
	return locate_match_error(e->fault, r);
}

static int edit_create(struct generation_edit *e, struct built_table *h,
		       const struct live_entry *its, struct dvx_flow_rule **out)
{
	struct dvx_flow_action *actions[RULE_ACTIONS_MAX];
	struct dvx_flow_match match = {0};
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr),
					  .matcher = h->matcher[its->matcher],
					  .match = &match,
					  .actions = actions};
	bool queue_refused = false;

	fill_match(match.value, h->live.matcher[its->matcher].shape, its->value);
	if (generation_actions(e->gen, (size_t)(h - e->gen->table), its->rule, actions,
			       &attr.action_count, &queue_refused) ||
	    dvx_flow_rule_create(&attr, out))
		return edit_refused(e, its->rule, queue_refused);
	return 0;
}

void edit_forget(struct built_table *h, size_t i)
{
	uint32_t m = h->live.entry[i].matcher;

	h->rule[i] = h->rule[h->live.n - 1];
	if (!live_remove(&h->live, i))
		return;
	dvx_flow_matcher_destroy(h->matcher[m]);
	h->matcher[m] = NULL;
}

/* Adds an entry to the list. edit_write() inserts it and its matcher when all have a place. */
int edit_put(struct generation_edit *e, struct built_table *h, const struct covered_entry *c,
	     struct live_spot spot)
{
	size_t i = h->live.n;

	if (spot.place == LIVE_NOWHERE)
		return EDIT_REBUILD;
	if (spot.place == LIVE_NO_MEMORY)
		return edit_no_memory(e);
	if (spot.place == LIVE_BEGINS) {
		if (!live_add_matcher(&h->live, c->shape, spot.priority, &spot.matcher) ||
		    !array_grow((void **)&h->matcher, spot.matcher, &h->matcher_room,
				sizeof(struct dvx_flow_matcher *)))
			return edit_no_memory(e);
		h->matcher[spot.matcher] = NULL;
	}
	if (!array_grow((void **)&h->rule, i, &h->rule_room, sizeof(struct dvx_flow_rule *)) ||
	    !array_grow((void **)&e->drop, i, &e->drop_room, sizeof(*e->drop)) ||
	    !live_add(&h->live, c->rule, spot.matcher, c->value))
		return edit_no_memory(e);
	h->rule[i] = NULL;
	return 0;
}

static int edit_write_one(struct generation_edit *e, struct built_table *h, size_t i)
{
	const struct live_entry *its = &h->live.entry[i];

	if (!h->matcher[its->matcher] && built_table_make_matcher(h, its->matcher, 1, its->value))
		return edit_refused(e, its->rule, false);
	if (edit_create(e, h, its, &h->rule[i]))
		return -1;
	h->cramped += h->cramped != 0;
	e->written++;
	return 0;
}

/*
 * Inserts the new entries, which stand at the end of the list: those of arriving rules in rule
 * order, then those no longer covered. The order matters: a packet must not miss an earlier rule's
 * entry and meet a later one's. Tables behind mirrors follow the tables before the mirror, as their
 * rules do.
 */
int edit_write(struct generation_edit *e)
{
	uint32_t rule = UINT32_MAX;
	int ret = 0;

	for (size_t t = 0; t < e->gen->ntables; t++) {
		struct built_table *h = &e->gen->table[t];

		for (size_t i = e->entries[t]; i < h->live.n && !ret; i++) {
			if (rule != UINT32_MAX && h->live.entry[i].rule != rule)
				ret = edit_sync(e);
			rule = h->live.entry[i].rule;
			if (!ret)
				ret = edit_write_one(e, h, i);
		}
	}
	return ret ? ret : edit_sync(e);
}

/* --- added rules ------------------------------------------------------------------------------ */

static struct built_table *edit_table(const struct generation_edit *e)
{
	return &e->gen->table[e->gen->hold[e->rule].table];
}

static int edit_place(void *arg, const struct shape *shape, const uint64_t *value)
{
	struct generation_edit *e = arg;
	struct built_table *h = edit_table(e);
	struct covered_entry c = {.rule = e->rule};
	struct live_spot spot;
	uint64_t *kept;

	if ((e->compared += h->live.n) > EDIT_WORK)
		return EDIT_REBUILD;
	spot = live_find(&h->live, &e->gen->set, NULL, e->rule, shape, value);
	c.by = spot.by;
	if (spot.place == LIVE_COVERED && spot.by == e->rule)
		return 0;
	kept = arena_get(e->gen->hold[e->rule].memory, shape->n * sizeof(*kept));
	c.shape = live_keep_shape(&h->live, shape);
	if (!kept || !c.shape)
		return edit_no_memory(e);
	c.value = memcpy(kept, value, shape->n * sizeof(*kept));
	if (spot.place == LIVE_COVERED)
		return live_cover(&h->live, &c) ? 0 : edit_no_memory(e);
	return edit_put(e, h, &c, spot);
}

static int edit_has_room(struct generation_edit *e, const struct rule *r)
{
	struct built_table *h = edit_table(e);

	if (dvx_flow_domain_has_room(e->gen->base->side[r->dir].domain))
		h->cramped = 0;
	else if (!h->cramped)
		h->cramped = 1;
	return h->cramped < LAST_ENTRIES ? 0 : no_room_fault(r, true, e->fault);
}

int edit_insert(struct generation_edit *e)
{
	int ret = 0;

	for (e->rule = 0; e->rule < e->gen->set.n && !ret; e->rule++) {
		const struct rule *r = &e->gen->set.rule[e->rule];

		if (!e->gen->hold[e->rule].arriving || edit_table(e)->codes)
			continue;
		ret = edit_has_room(e, r);
		if (!ret)
			ret = rule_expand(r, edit_place, e);
	}
	return ret == -E2BIG ? EDIT_REBUILD : ret;
}

/* --- entries that are no longer covered ------------------------------------------------------- */

static bool edit_uncovers(const struct generation *gen, const struct covered_entry *c)
{
	return gen->hold[c->by].leaving && !gen->hold[c->rule].leaving;
}

/*
 * Returns whether the rule's action exists. If all entries of a rule were covered, no table was
 * made for its goto or mirror.
 */
static bool edit_acts(const struct generation *gen, const struct covered_entry *c)
{
	const struct rule *r = &gen->set.rule[c->rule];
	const struct rule_state *h = &gen->hold[c->rule];

	return r->verdict == RULE_MIRROR ? h->mirror != NULL : edit_leads_on(gen, r, h->table);
}

static bool edit_uncovers_many(const struct generation *gen, const struct built_table *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->live.ncovered; i++)
		n += edit_uncovers(gen, &h->live.covered[i]);
	return n * h->live.n > EDIT_WORK;
}

static int edit_uncover_one(struct generation_edit *e, uint32_t table, size_t i)
{
	struct built_table *h = &e->gen->table[table];
	struct covered_entry c = h->live.covered[i];
	struct live_spot spot =
		live_find(&h->live, &e->gen->set, e->leaving, c.rule, c.shape, c.value);

	if (!edit_acts(e->gen, &c))
		return EDIT_REBUILD;
	if (!array_grow((void **)&e->uncovered, e->nuncovered, &e->room, sizeof(*e->uncovered)))
		return edit_no_memory(e);
	e->uncovered[e->nuncovered] = (struct edit_uncovered){table, c, spot.place != LIVE_COVERED};
	if (spot.place == LIVE_COVERED) {
		h->live.covered[i].by = spot.by;
	} else {
		int ret = edit_put(e, h, &c, spot);

		if (ret)
			return ret;
		live_uncover(&h->live, i);
	}
	e->nuncovered++;
	return 0;
}

static int edit_uncover_table(struct generation_edit *e, uint32_t table)
{
	struct built_table *h = &e->gen->table[table];
	int ret = 0;

	if (edit_uncovers_many(e->gen, h))
		return EDIT_REBUILD;
	/* Goes backwards: live_uncover() moves the last covered entry to the free place. */
	for (size_t i = h->live.ncovered; i-- > 0 && !ret;) {
		e->rule = h->live.covered[i].rule;
		if (edit_uncovers(e->gen, &h->live.covered[i]))
			ret = edit_uncover_one(e, table, i);
	}
	return ret;
}

int edit_uncover(struct generation_edit *e)
{
	bool *leaving = calloc(e->gen->set.n + 1, sizeof(*leaving));
	int ret = 0;

	if (!leaving)
		return edit_no_memory(e);
	for (size_t i = 0; i < e->gen->set.n; i++)
		leaving[i] = e->gen->hold[i].leaving;
	e->leaving = leaving;
	for (uint32_t t = 0; t < e->gen->ntables && !ret; t++)
		ret = edit_uncover_table(e, t);
	e->leaving = NULL;
	free(leaving);
	return ret;
}

static void edit_cover_one(struct generation_edit *e, const struct edit_uncovered *u)
{
	struct built_table *h = &e->gen->table[u->table];
	size_t i = 0;

	if (u->entered) {
		while (h->live.entry[i].rule != u->was.rule ||
		       h->live.entry[i].value != u->was.value)
			i++;
		if (dvx_flow_rule_destroy(h->rule[i]))
			edit_kept(e);
		edit_forget(h, i);
		live_cover(&h->live, &u->was);
		return;
	}
	while (h->live.covered[i].rule != u->was.rule || h->live.covered[i].value != u->was.value)
		i++;
	h->live.covered[i].by = u->was.by;
}

void edit_cover_again(struct generation_edit *e)
{
	while (e->nuncovered--)
		edit_cover_one(e, &e->uncovered[e->nuncovered]);
}

/* --- rules that go ---------------------------------------------------------------------------- */

int edit_kept(struct generation_edit *e)
{
	e->gen->stray_entry = true;
	return flow_fault_set(
		e->fault, EXIT_DEVICE,
		"%s; the device keeps an entry of a rule that is no longer in the list: "
		"dvx-flow apply builds all of them anew",
		device_last_error());
}

static bool edit_drops(const struct generation *gen, uint32_t rule, bool arriving)
{
	if (rule == LIVE_REST)
		return false;
	return arriving ? gen->hold[rule].arriving : gen->hold[rule].leaving;
}

static int edit_later_first(const void *a, const void *b, void *table)
{
	const struct live_entry *entry = ((const struct built_table *)table)->live.entry;
	uint32_t one = entry[*(const uint32_t *)a].rule, other = entry[*(const uint32_t *)b].rule;

	return (one < other) - (one > other);
}

/*
 * Removes entries from the device, from the last rule's to the first one's, then packs the list. An
 * entry that the device keeps leaves the list, too, which always agrees with the text.
 */
static int edit_drop_table(struct generation_edit *e, struct built_table *h, bool arriving)
{
	uint32_t *drop = e->drop;
	size_t n = 0;
	int ret = 0;

	for (uint32_t i = 0; i < h->live.n; i++)
		if (edit_drops(e->gen, h->live.entry[i].rule, arriving))
			drop[n++] = i;
	qsort_r(drop, n, sizeof(*drop), edit_later_first, h);
	for (size_t i = 0; i < n; i++) {
		struct dvx_flow_rule **rule = &h->rule[drop[i]];

		e->written += *rule != NULL;
		if (dvx_flow_rule_destroy(*rule))
			ret = edit_kept(e);
		*rule = NULL;
	}
	for (size_t i = h->live.n; i-- > 0;)
		if (!h->rule[i])
			edit_forget(h, i);
	for (size_t i = h->live.ncovered; i-- > 0;)
		if (edit_drops(e->gen, h->live.covered[i].rule, arriving))
			live_uncover(&h->live, i);
	return ret;
}

/* Removes later rules' entries first: tables behind mirrors before the tables before them. */
int edit_drop_entries(struct generation_edit *e, bool arriving)
{
	int ret = 0;

	for (uint32_t t = (uint32_t)e->gen->ntables; t-- > 0;)
		if (arriving && e->gen->table[t].codes
			    ? edit_overlay_undo(e, t)
			    : edit_drop_table(e, &e->gen->table[t], arriving))
			ret = -1;
	return ret;
}
