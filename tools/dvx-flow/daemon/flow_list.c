/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>

#include "dvx-flow.h"

/* Comparisons that an edit may cost; beyond this the rules are rebuilt. */
#define LIST_EDIT_WORK 200000000u

struct flow_list *flow_list_new(struct generation *gen, uint32_t table)
{
	struct flow_list *l = calloc(1, sizeof(*l));

	if (l)
		*l = (struct flow_list){.gen = gen, .table = table};
	return l;
}

void flow_list_free(void *list)
{
	struct flow_list *l = list;

	arena_free(l->memory);
	dvx_flow_rule_destroy(l->last);
	if (l->rule)
		base_tables_delete(l->gen->base, l->rule, l->live.n);
	for (size_t i = l->matcher ? l->live.nmatchers : 0; i-- > 0;)
		dvx_flow_matcher_destroy(l->matcher[i]);
	dvx_flow_matcher_destroy(l->last_matcher);
	live_free(&l->live);
	free(l->matcher);
	free(l->rule);
	free(l);
}

void flow_list_renumber(void *list, const uint32_t *to)
{
	live_renumber(&((struct flow_list *)list)->live, to);
}

void flow_list_entries(const void *list, entry_of_fn visit, void *arg)
{
	const struct flow_list *l = list;

	for (size_t i = 0; i < l->live.n; i++)
		visit(arg, dvx_flow_rule_id(l->rule[i]), l->live.entry[i].rule);
}

static int flow_list_cost(const void *list, struct cost_sum *s)
{
	const struct flow_list *l = list;

	return cost_add_list(s, l->table, &l->live);
}

/* --- matchers --------------------------------------------------------------------------------- */

/* Makes the device's matcher for matcher m of l->live; `like` is one of its entries' values. */
static int flow_list_make_matcher(struct flow_list *l, size_t m, size_t expected,
				  const uint64_t *like)
{
	const struct live_matcher *its = &l->live.matcher[m];
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr),
					     .priority = its->priority,
					     .match = &match,
					     .expected_rules = (uint32_t)expected};

	fill_match(match.mask, its->shape, its->shape->mask);
	/*
	 * The value has the IP version. Without it, the device looks each packet up under IPv4,
	 * even if only IPv6 arrives.
	 */
	fill_match(match.value, its->shape, like);
	return dvx_flow_matcher_create(l->gen->table[l->table].table, &attr, &l->matcher[m]);
}

static const struct table *flow_list_planned(const struct flow_list *l)
{
	return &l->gen->plan.list.table[l->table];
}

static int flow_list_make_planned(struct flow_list *l, size_t i)
{
	const struct matcher *m = &flow_list_planned(l)->matcher[i];

	return flow_list_make_matcher(l, i, m->n, m->entry->value);
}

/* Reports a refused matcher; of several, the one of the file's first rule. */
static int flow_list_matcher_fault(struct flow_list *l, size_t refused, struct flow_fault *f)
{
	for (size_t i = 0; i <= refused; i++)
		if (flow_list_make_planned(l, i))
			return locate_match_error(
				f, &l->gen->set.rule[flow_list_planned(l)->matcher[i].entry->rule]);
	return flow_fault_device(f);
}

/* Makes the last matcher. It sends unmatched packets the default way, or to the next table. */
static int flow_list_make_last(struct flow_list *l)
{
	static const struct dvx_flow_match all;
	struct table_entry x;
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .priority = LIVE_LAST, .match = &all, .expected_rules = 1};
	struct dvx_flow_rule_attr rule = {.size = sizeof(rule), .match = &all};

	if (dvx_flow_matcher_create(l->gen->table[l->table].table, &attr, &l->last_matcher) ||
	    generation_actions(l->gen, l->table, LIVE_REST, &x, &rule))
		return -1;
	rule.matcher = l->last_matcher;
	return dvx_flow_rule_create(&rule, &l->last);
}

/*
 * Makes the matchers from the last to the first: libmlx5 searches for a matcher's place from the
 * front of the table's list.
 */
static int flow_list_make_matchers(struct flow_list *l, struct flow_fault *f)
{
	size_t n = flow_list_planned(l)->n;

	l->matcher = calloc(n + 1, sizeof(*l->matcher));
	if (!l->matcher || !live_begin(&l->live, flow_list_planned(l)))
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	l->matcher_room = n + 1;
	if (flow_list_make_last(l))
		return flow_fault_device(f);
	for (size_t i = n; i-- > 0;)
		if (flow_list_make_planned(l, i))
			return flow_list_matcher_fault(l, i, f);
	return 0;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* Describes entry i to the device. Returns 0 or libdvx's -errno. */
static int flow_list_describe(const struct flow_list *l, size_t i, struct table_entry *x,
			      struct dvx_flow_rule_attr *attr)
{
	const struct live_entry *e = &l->live.entry[i];

	memset(&x->match, 0, sizeof(x->match));
	fill_match(x->match.value, l->live.matcher[e->matcher].shape, e->value);
	attr->match = &x->match;
	attr->matcher = l->matcher[e->matcher];
	return generation_actions(l->gen, l->table, e->rule, x, attr);
}

/* Sets the fault that the device has refused an entry. no_room: before it was tried. */
static int flow_list_entry_fault(const struct flow_list *l, uint32_t rule,
				 const struct table_entry *x, bool no_room, struct flow_fault *f)
{
	bool empty = dvx_last_error()->err == ENOMEM;
	const struct rule *r;

	if (rule == LIVE_REST)
		return flow_fault_device(f);
	r = &l->gen->set.rule[rule];
	if (x->queue_refused)
		return locate_error(f, r, r->queue_at);
	return no_room || empty ? no_room_fault(r, no_room, f) : locate_match_error(f, r);
}

/* Returns the state of the rule of entry i; NULL: it has none. */
static const struct rule_state *flow_list_state(const struct flow_list *l, size_t i)
{
	uint32_t rule = i < l->live.n ? l->live.entry[i].rule : LIVE_REST;

	return rule == LIVE_REST ? NULL : &l->gen->hold[rule];
}

/*
 * Describes entries from the last matcher to the first: libdvx may make a second matcher here, for
 * the other IP version. Neighbours in a matcher are not neighbours in the file, so the processor can't
 * guess what it will read next: it is told what entries need that come soon.
 */
static int flow_list_next(void *arg, size_t i, struct dvx_flow_rule_attr *attr)
{
	struct generation_build *b = arg;
	const struct flow_list *l = b->into;
	const struct rule_state *soon = flow_list_state(l, i + 8);

	__builtin_prefetch(flow_list_state(l, i + 16));
	if (soon) { /* libdvx reads no more of an action than two lines of the cache */
		__builtin_prefetch(soon->count);
		__builtin_prefetch((const char *)soon->count + 64);
	}
	b->rule = l->live.entry[i].rule;
	return flow_list_describe(l, i, &b->entry, attr);
}

static int flow_list_insert(struct flow_list *l, struct generation_build *b)
{
	l->rule = calloc(l->live.n + 1, sizeof(*l->rule));
	if (!l->rule)
		return flow_fault_set(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	l->rule_room = l->live.n + 1;
	if (!generation_insert(b, flow_list_next, l, l->live.n, l->rule))
		return 0;
	return flow_list_entry_fault(l, b->rule, &b->entry, b->no_room, b->fault);
}

static int flow_list_build(struct generation_build *b, void **out)
{
	struct flow_list *l = flow_list_new(b->gen, b->table);

	if (!l)
		return flow_fault_set(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	if (!flow_list_make_matchers(l, b->fault) && !flow_list_insert(l, b)) {
		*out = l;
		return 0;
	}
	flow_list_free(l);
	return -1;
}

/* --- edits --- */

/*
 * Entries of a list that come and go. New ones stand behind all others in the list's array, in the
 * order of insertion, so that an edit is undone from the array's end.
 */

/* --- the state before an edit ----------------------------------------------------------------- */

static int flow_list_later_first(const void *a, const void *b, void *entries)
{
	const struct live_entry *entry = entries;
	uint32_t one = entry[*(const uint32_t *)a].rule, other = entry[*(const uint32_t *)b].rule;

	return (one < other) - (one > other);
}

static int flow_list_find_leaving(struct flow_list *l, struct generation_edit *e)
{
	struct flow_list_edit *x = &l->edit;

	for (uint32_t i = 0; i < l->live.n; i++) {
		if (!edit_removes(e, l->live.entry[i].rule))
			continue;
		if (!array_grow((void **)&x->leave, x->nleave, &x->leave_room, sizeof(*x->leave)))
			return edit_no_memory(e);
		x->leave[x->nleave++] = i;
	}
	if (x->nleave)
		qsort_r(x->leave, x->nleave, sizeof(*x->leave), flow_list_later_first,
			l->live.entry);
	return 0;
}

int flow_list_edit_begin(struct flow_list *l, struct generation_edit *e)
{
	size_t size = l->live.ncovered * sizeof(*l->live.covered);

	l->edit =
		(struct flow_list_edit){.begun = true, .n = l->live.n, .covered = malloc(size + 1)};
	if (!l->edit.covered)
		return edit_no_memory(e);
	l->edit.ncovered = l->live.ncovered;
	if (size)
		memcpy(l->edit.covered, l->live.covered, size);
	return flow_list_find_leaving(l, e);
}

static void flow_list_edit_end(struct flow_list *l)
{
	free(l->edit.covered);
	free(l->edit.leave);
	l->edit = (struct flow_list_edit){.begun = false};
}

/* --- new entries ------------------------------------------------------------------------------ */

bool flow_list_keep(struct flow_list *l, struct arena **memory, const struct shape *shape,
		    const uint64_t *value, struct covered_entry *out)
{
	uint64_t *kept;

	if (!*memory)
		*memory = arena_new();
	kept = *memory ? arena_get(*memory, (shape->n + 1u) * sizeof(*kept)) : NULL;
	out->shape = live_keep_shape(&l->live, shape);
	out->value = kept ? memcpy(kept, value, shape->n * sizeof(*kept)) : NULL;
	return out->shape && out->value;
}

int flow_list_put(struct flow_list *l, struct generation_edit *e, const struct covered_entry *c,
		  struct live_spot spot)
{
	const bool begins = spot.place == LIVE_BEGINS;
	size_t i = l->live.n;

	if (spot.place == LIVE_NOWHERE)
		return EDIT_REBUILD;
	if (spot.place == LIVE_NO_MEMORY)
		return edit_no_memory(e);
	/* The device's arrays grow first: they are never shorter than those of l->live. */
	if (!array_grow((void **)&l->matcher, l->live.nmatchers, &l->matcher_room,
			sizeof(struct dvx_flow_matcher *)) ||
	    !array_grow((void **)&l->rule, i, &l->rule_room, sizeof(struct dvx_flow_rule *)))
		return edit_no_memory(e);
	if (begins) {
		if (!live_add_matcher(&l->live, c->shape, spot.priority, &spot.matcher))
			return edit_no_memory(e);
		l->matcher[spot.matcher] = NULL;
	}
	if (!live_add(&l->live, c->rule, spot.matcher, c->value)) {
		if (begins)
			l->live.matcher[spot.matcher].shape = NULL;
		return edit_no_memory(e);
	}
	l->rule[i] = NULL;
	return 0;
}

/* An arriving rule whose entries get places. */
struct flow_list_arriving {
	struct flow_list *l;
	struct generation_edit *e;
	uint32_t rule;
};

static int flow_list_place_entry(void *arg, const struct shape *shape, const uint64_t *value)
{
	const struct flow_list_arriving *a = arg;
	struct live_table *live = &a->l->live;
	struct covered_entry c = {.rule = a->rule};
	struct live_spot spot;

	if ((a->e->compared += live->n) > LIST_EDIT_WORK)
		return EDIT_REBUILD;
	spot = live_find(live, &a->e->gen->set, NULL, a->rule, shape, value);
	c.by = spot.by;
	if (spot.place == LIVE_COVERED && spot.by == a->rule)
		return 0;
	if (!flow_list_keep(a->l, &a->e->gen->hold[a->rule].memory, shape, value, &c))
		return edit_no_memory(a->e);
	if (spot.place == LIVE_COVERED)
		return live_cover(live, &c) ? 0 : edit_no_memory(a->e);
	return flow_list_put(a->l, a->e, &c, spot);
}

static int flow_list_place_rule(struct flow_list *l, struct generation_edit *e, uint32_t rule)
{
	struct flow_list_arriving a = {l, e, rule};
	const struct rule *r = &e->gen->set.rule[rule];

	if (dvx_flow_domain_has_room(e->gen->base->side[r->dir].domain))
		l->cramped = 0;
	else if (!l->cramped)
		l->cramped = 1;
	if (l->cramped >= LAST_ENTRIES)
		return no_room_fault(r, true, e->fault);
	return rule_expand(r, flow_list_place_entry, &a);
}

/* --- entries that are no longer covered ------------------------------------------------------- */

static bool flow_list_uncovers(const struct generation_edit *e, const struct covered_entry *c)
{
	return edit_removes(e, c->by) && !edit_removes(e, c->rule);
}

/*
 * Returns whether the rule's action exists. If all entries of a rule were covered, no table was
 * made for its goto or mirror.
 */
static bool flow_list_entry_acts(const struct generation *gen, const struct covered_entry *c)
{
	const struct rule *r = &gen->set.rule[c->rule];
	const struct rule_state *h = &gen->hold[c->rule];

	return rule_goes_on(r) ? h->mirror || h->limit || (r->track && gen->track_next)
			       : edit_leads_on(gen, r, h->table);
}

static int flow_list_uncover_one(struct flow_list *l, struct generation_edit *e, size_t i)
{
	struct covered_entry c = l->live.covered[i];
	struct live_spot spot =
		live_find(&l->live, &e->gen->set, e->leaving, c.rule, c.shape, c.value);
	int ret;

	if (!flow_list_entry_acts(e->gen, &c))
		return EDIT_REBUILD;
	if (spot.place == LIVE_COVERED) {
		l->live.covered[i].by = spot.by;
		return 0;
	}
	ret = flow_list_put(l, e, &c, spot);
	if (!ret)
		live_uncover(&l->live, i);
	return ret;
}

/* Finds places for the entries that only a leaving rule covers. */
static int flow_list_uncover(struct flow_list *l, struct generation_edit *e)
{
	size_t n = 0;
	int ret = 0;

	for (size_t i = 0; i < l->live.ncovered; i++)
		n += flow_list_uncovers(e, &l->live.covered[i]);
	if (n * l->live.n > LIST_EDIT_WORK)
		return EDIT_REBUILD;
	/* Goes backwards: live_uncover() moves the last covered entry to the free place. */
	for (size_t i = l->live.ncovered; i-- > 0 && n && !ret;)
		if (flow_list_uncovers(e, &l->live.covered[i]))
			ret = flow_list_uncover_one(l, e, i);
	return ret;
}

static int flow_list_edit_place(void *list, struct generation_edit *e)
{
	struct flow_list *l = list;
	int ret = flow_list_edit_begin(l, e);

	for (size_t i = 0; i < e->narriving && !ret; i++)
		if (e->in[i] == l->table)
			ret = flow_list_place_rule(l, e, e->arriving[i]);
	return ret ? ret : flow_list_uncover(l, e);
}

/* --- on the device ---------------------------------------------------------------------------- */

static int flow_list_write_one(struct flow_list *l, struct generation_edit *e, size_t i)
{
	const struct live_entry *its = &l->live.entry[i];
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr)};
	struct table_entry x;

	x.queue_refused = false;
	if ((!l->matcher[its->matcher] && flow_list_make_matcher(l, its->matcher, 1, its->value)) ||
	    flow_list_describe(l, i, &x, &attr) || dvx_flow_rule_create(&attr, &l->rule[i]))
		return flow_list_entry_fault(l, its->rule, &x, false, e->fault);
	l->cramped += l->cramped != 0;
	e->written++;
	return 0;
}

/*
 * Inserts the new entries: those of arriving rules in rule order, then those no longer covered. The
 * order matters: a packet must not miss an earlier rule's entry and meet a later one's.
 */
int flow_list_edit_write(void *list, struct generation_edit *e)
{
	struct flow_list *l = list;
	int ret = 0;

	for (size_t i = l->edit.n; i < l->live.n && !ret; i++) {
		uint32_t rule = l->live.entry[i].rule;

		if (e->rule != UINT32_MAX && e->rule != rule)
			ret = edit_sync(e);
		e->rule = rule;
		if (!ret)
			ret = flow_list_write_one(l, e, i);
	}
	return ret;
}

/* Removes an entry from the list, and its matcher if that is empty then. */
static void flow_list_forget(struct flow_list *l, size_t i)
{
	uint32_t m = l->live.entry[i].matcher;

	l->rule[i] = l->rule[l->live.n - 1];
	if (!live_remove(&l->live, i))
		return;
	dvx_flow_matcher_destroy(l->matcher[m]);
	l->matcher[m] = NULL;
}

/*
 * Removes entries from the device, from the last rule's to the first one's, then packs the list. An
 * entry that the device keeps leaves the list, too, which always agrees with the text.
 */
int flow_list_edit_finish(void *list, struct generation_edit *e)
{
	struct flow_list *l = list;
	int ret = 0;

	for (size_t i = 0; i < l->edit.nleave; i++) {
		struct dvx_flow_rule **rule = &l->rule[l->edit.leave[i]];

		if (dvx_flow_rule_destroy(*rule))
			ret = edit_kept(e);
		*rule = NULL;
		e->written++;
	}
	for (size_t i = l->edit.nleave ? l->live.n : 0; i-- > 0;)
		if (!l->rule[i])
			flow_list_forget(l, i);
	for (size_t i = l->live.ncovered; i-- > 0;)
		if (edit_removes(e, l->live.covered[i].rule))
			live_uncover(&l->live, i);
	flow_list_edit_end(l);
	return ret;
}

void flow_list_edit_undo(void *list, struct generation_edit *e)
{
	struct flow_list *l = list;

	for (size_t i = l->live.n; l->edit.begun && i-- > l->edit.n;) {
		if (dvx_flow_rule_destroy(l->rule[i]))
			edit_kept(e);
		flow_list_forget(l, i);
	}
	if (l->edit.ncovered)
		memcpy(l->live.covered, l->edit.covered,
		       l->edit.ncovered * sizeof(*l->live.covered));
	if (l->edit.covered)
		l->live.ncovered = l->edit.ncovered;
	flow_list_edit_end(l);
}

const struct table_ops flow_list_ops = {
	.build = flow_list_build,
	.free = flow_list_free,
	.renumber = flow_list_renumber,
	.cost = flow_list_cost,
	.entries = flow_list_entries,
	.place = flow_list_edit_place,
	.write = flow_list_edit_write,
	.finish = flow_list_edit_finish,
	.undo = flow_list_edit_undo,
};
