/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>

#include "dvx-flow.h"

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

int flow_list_make_matcher(struct flow_list *l, size_t m, size_t expected, const uint64_t *like)
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

int flow_list_describe(const struct flow_list *l, size_t i, struct table_entry *x,
		       struct dvx_flow_rule_attr *attr)
{
	const struct live_entry *e = &l->live.entry[i];

	memset(&x->match, 0, sizeof(x->match));
	fill_match(x->match.value, l->live.matcher[e->matcher].shape, e->value);
	attr->match = &x->match;
	attr->matcher = l->matcher[e->matcher];
	return generation_actions(l->gen, l->table, e->rule, x, attr);
}

int flow_list_entry_fault(const struct flow_list *l, uint32_t rule, const struct table_entry *x,
			  bool no_room, struct flow_fault *f)
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

/*
 * Describes entries from the last matcher to the first: libdvx may make a second matcher here, for
 * the other IP version.
 */
static int flow_list_next(void *arg, size_t i, struct dvx_flow_rule_attr *attr)
{
	struct generation_build *b = arg;
	const struct flow_list *l = b->into;

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
