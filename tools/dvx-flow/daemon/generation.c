/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>
#include <dvx/dev.h>

#include "acl_tables.h"
#include "generation_priv.h"
#include "dvx-flow.h"
#include "rules/map.h"

/* --- counters and tags ---------------------------------------------------------------------- */

int no_counter(const struct rule *r, struct flow_fault *f)
{
	flow_fault_set(f, EXIT_DEVICE, "no counter: %s", device_last_error());
	return flow_fault_at(f, r, r->count_at);
}

static int generation_make_counters(struct generation *gen, struct flow_fault *f)
{
	struct bulk *b = NULL;
	uint32_t used = 0, wanted = 0, most = UINT32_MAX;

	for (size_t i = 0; i < gen->set.n; i++)
		wanted += gen->set.rule[i].count && !gen->hold[i].bulk;
	for (size_t i = 0; i < gen->set.n; i++) {
		if (!gen->set.rule[i].count || gen->hold[i].bulk)
			continue;
		if (!b || used == bulk_size(b)) {
			bulk_drop(b);
			b = NULL;
			if (bulk_make(gen->base->dev, wanted < most ? wanted : most, &b))
				return no_counter(&gen->set.rule[i], f);
			/* The device would refuse a larger bulk again. */
			most = bulk_size(b);
			used = 0;
		}
		bulk_hold(b);
		gen->hold[i].bulk = b;
		gen->hold[i].index = used++;
		wanted--;
	}
	bulk_drop(b);
	return 0;
}

/*
 * Numbers the rules. IDs belong to rules; if no old rule stays, they start at 1 again, so that a
 * file's rules are numbered in line order.
 */
static void generation_number(struct generation *gen, const struct generation *like,
			      const uint32_t *from)
{
	bool anew = true;

	for (size_t i = 0; like && anew && i < gen->set.n; i++)
		anew = from[i] == UINT32_MAX;
	gen->next_id = anew ? 1 : like->next_id;
	for (size_t i = 0; i < gen->set.n; i++)
		gen->hold[i].id =
			like && from[i] != UINT32_MAX ? like->hold[from[i]].id : gen->next_id++;
}

static void generation_take_counters(struct generation *gen, const struct generation *like,
				     const uint32_t *from)
{
	for (size_t i = 0; i < gen->set.n; i++) {
		const struct rule_state *h;

		if (from[i] == UINT32_MAX)
			continue;
		h = &like->hold[from[i]];
		gen->hold[i].bulk = h->bulk;
		gen->hold[i].index = h->index;
		if (h->bulk)
			bulk_hold(h->bulk);
	}
}

int rule_state_make_count(struct generation *gen, size_t i, struct flow_fault *f)
{
	struct rule_state *h = &gen->hold[i];
	const struct rule *r = &gen->set.rule[i];

	if (h->bulk && dvx_flow_action_create_count(gen->base->side[r->dir].domain,
						    bulk_counter(h->bulk), h->index, &h->count))
		return locate_error(f, r, r->count_at);
	return 0;
}

static int make_count_actions(struct generation *gen, struct flow_fault *f)
{
	for (size_t i = 0; i < gen->set.n; i++)
		if (rule_state_make_count(gen, i, f))
			return -1;
	return 0;
}

static int make_tags(struct generation *gen, struct flow_fault *f)
{
	struct map seen = {0};
	int ret = 0;

	gen->tag = calloc(gen->set.n ? gen->set.n : 1, sizeof(struct dvx_flow_action *));
	for (size_t i = 0; i < gen->set.n && !ret; i++) {
		const struct rule *r = &gen->set.rule[i];
		struct map_slot *slot;

		if (!r->has_tag)
			continue;
		slot = gen->tag ? map_put(&seen, r->tag, (uint32_t)gen->ntags) : NULL;
		if (!slot)
			ret = flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
		else if (slot->what == gen->ntags &&
			 dvx_flow_action_create_tag(gen->base->side[r->dir].domain, r->tag,
						    &gen->tag[gen->ntags]))
			ret = locate_error(f, r, r->tag_at);
		else
			gen->ntags += slot->what == gen->ntags;
		gen->hold[i].tag = ret ? NULL : gen->tag[slot->what];
	}
	map_free(&seen);
	return ret;
}

int rule_state_make_changes(struct generation *gen, size_t i, struct flow_fault *f)
{
	const struct rule *r = &gen->set.rule[i];
	struct rule_state *h = &gen->hold[i];

	if (!r->nchanges)
		return 0;
	h->changes = calloc(1, sizeof(*h->changes));
	if (!h->changes)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	return changes_make(gen->base->side[r->dir].domain, r, h->changes, f);
}

static int generation_make_changes(struct generation *gen, struct flow_fault *f)
{
	for (size_t i = 0; i < gen->set.n; i++)
		if (rule_state_make_changes(gen, i, f))
			return -1;
	return 0;
}

/* Finds or makes the rule's spread. Rules that spread alike share one. */
int rule_state_make_spread(struct generation *gen, size_t i, struct flow_fault *f)
{
	const struct rule_rss *rss = gen->set.rule[i].rss;
	struct spread **of = NULL;

	if (!rss)
		return 0;
	for (size_t s = RSS_MAX; s-- > 0;)
		if (!gen->spread[s])
			of = &gen->spread[s];
	for (size_t s = 0; s < RSS_MAX; s++)
		if (gen->spread[s] && spread_is(gen->spread[s], rss))
			of = &gen->spread[s];
	if (!of)
		return EDIT_REBUILD;
	if (!*of)
		*of = spread_new(rss);
	if (!*of)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	gen->hold[i].spread = *of;
	return 0;
}

void generation_drop_spreads(struct generation *gen)
{
	for (size_t s = 0; s < RSS_MAX; s++) {
		bool used = !gen->spread[s];

		for (size_t i = 0; i < gen->set.n && !used; i++)
			used = gen->hold[i].spread == gen->spread[s];
		for (size_t i = 0; i < gen->nretired && !used; i++)
			used = gen->retired[i].spread == gen->spread[s];
		if (used)
			continue;
		spread_free(gen->spread[s]);
		gen->spread[s] = NULL;
	}
}

/* Destroys the mirror. It leads to a table, which must be destroyed after it. */
void rule_state_drop_mirror(struct rule_state *h)
{
	dvx_flow_action_destroy(h->mirror);
	h->mirror = NULL;
}

void rule_state_free(struct rule_state *h)
{
	rule_state_drop_mirror(h);
	dvx_flow_action_destroy(h->count);
	dvx_flow_action_destroy(h->own_tag);
	changes_free(h->changes);
	bulk_drop(h->bulk);
	arena_free(h->memory);
}

/* --- a whole generation --------------------------------------------------------------------- */

static int generation_make(struct generation_build *b, const struct generation *like,
			   const uint32_t *from)
{
	struct generation *gen = b->gen;

	for (size_t i = 0; i < gen->set.n; i++) {
		const struct rule *r = &gen->set.rule[i];

		if (base_tables_side(b->base, r->dir, b->fault))
			return flow_fault_at(b->fault, r, r->dir_at);
	}
	generation_number(gen, like, from);
	if (like)
		generation_take_counters(gen, like, from);
	if (generation_make_counters(gen, b->fault) || make_count_actions(gen, b->fault) ||
	    make_tags(gen, b->fault) || generation_make_changes(gen, b->fault))
		return -1;
	return generation_make_tables(b);
}

static int generation_compile(struct generation *gen, struct plan *p, struct flow_fault *f)
{
	char why[512];
	size_t wrong = 0;
	const char *no_codes =
		dvx_dev_caps(gen->base->dev)->switchdev
			? "in switchdev mode the kernel uses c0 and c1, which codes need"
			: NULL;
	int ret = plan_make(&gen->set, no_codes, p, &wrong);

	if (!ret)
		return 0;
	*p = (struct plan){0};
	compile_why(&gen->set, ret, wrong, why, sizeof(why));
	flow_fault_set(f, ret == -ENOMEM ? EXIT_INPUT : EXIT_RULES, "%s", why);
	return ret == -ENOMEM ? -1
			      : flow_fault_at(f, &gen->set.rule[wrong], gen->set.rule[wrong].at);
}

/* Frees all but the rules' text. */
static void generation_release(struct generation *gen)
{
	generation_free_tables(gen);
	for (size_t i = 0; i < gen->ntags; i++)
		dvx_flow_action_destroy(gen->tag[i]);
	for (size_t i = 0; i < gen->set.n; i++)
		rule_state_free(&gen->hold[i]);
	for (size_t i = 0; i < gen->nretired; i++)
		rule_state_free(&gen->retired[i]);
	free(gen->retired);
	bulk_drop(gen->spare);
	plan_free(&gen->plan);
	free(gen->tag);
	free(gen->hold);
}

void generation_free(struct generation *gen)
{
	if (!gen)
		return;
	generation_release(gen);
	ruleset_free(&gen->set);
	free(gen);
}

static int generation_costs(struct generation_build *b)
{
	if (!plan_cost(&b->gen->plan, &b->gen->set, &b->gen->cost))
		return 0;
	return flow_fault_set(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
}

/* Compiles the rules. Runs in its own thread, and writes only the generation. */
static void generation_run_compiler(void *arg)
{
	struct generation_build *b = arg;

	b->ret = generation_compile(b->gen, &b->gen->plan, b->fault);
	if (!b->ret)
		b->ret = generation_costs(b);
}

int generation_build(struct base_tables *g, struct ruleset *set, const struct generation *like,
		     const uint32_t *from, built_fn built, void *arg, struct generation **out,
		     struct flow_fault *f)
{
	struct generation *gen = calloc(1, sizeof(*gen));
	struct generation_build b = {.base = g, .gen = gen, .built = built, .arg = arg, .fault = f};
	int ret;

	if (!gen || !(gen->hold = calloc(set->n ? set->n : 1, sizeof(*gen->hold)))) {
		free(gen);
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	}
	gen->base = g;
	gen->set = *set;
	pause_for(&g->pause, generation_run_compiler, &b);
	ret = b.ret;
	b.total = gen->cost.table[RULE_IN].entries + gen->cost.table[RULE_OUT].entries;
	if (!ret)
		ret = generation_make(&b, like, from);
	if (!ret && b.codes_refused)
		ret = generation_costs(&b);
	if (ret) {
		generation_release(gen);
		free(gen);
		return -1;
	}
	*set = (struct ruleset){0};
	*out = gen;
	return 0;
}

/* --- switching ------------------------------------------------------------------------------ */

static int generation_attach_direction(struct generation *gen, const struct generation *old,
				       enum rule_dir dir)
{
	struct direction_state *h = &gen->direction[dir];
	struct dvx_flow_match all = {0};
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr), .match = &all, .action_count = 1};

	if (!gen->table[dir].table || h->attached)
		return 0;
	h->priority = old && old->direction[dir].attached ? !old->direction[dir].priority : 0;
	attr.actions = &gen->table[dir].to_table;
	attr.matcher = gen->base->side[dir].everything[h->priority];
	return dvx_flow_rule_create(&attr, &h->attached);
}

static int generation_detach_direction(struct generation *gen, enum rule_dir dir)
{
	int ret = dvx_flow_rule_destroy(gen->direction[dir].attached);

	if (!ret)
		gen->direction[dir].attached = NULL;
	return ret;
}

void generation_detach(struct generation *gen)
{
	for (int d = 0; d < RULE_DIRS; d++)
		generation_detach_direction(gen, (enum rule_dir)d);
}

/*
 * Attaches the new root rule beside the old one, then detaches the old one. Packets switch when the
 * new rule is attached, if it has the better priority, else when the old one is detached.
 */
int generation_switch(struct generation *gen, struct generation *old, struct flow_fault *f)
{
	for (int d = 0; d < RULE_DIRS; d++)
		if (generation_attach_direction(gen, old, (enum rule_dir)d)) {
			flow_fault_device(f);
			generation_detach(gen);
			return -1;
		}
	for (int d = 0; old && d < RULE_DIRS; d++)
		if (generation_detach_direction(old, (enum rule_dir)d)) {
			flow_fault_device(f);
			while (d-- > 0)
				generation_attach_direction(old, gen, (enum rule_dir)d);
			generation_detach(gen);
			return -1;
		}
	return 0;
}

/* --- queries -------------------------------------------------------------------------------- */

const struct ruleset *generation_rules(const struct generation *gen)
{
	return &gen->set;
}

bool generation_has(const struct generation *gen, enum rule_dir dir)
{
	return gen->table[dir].table;
}

size_t generation_size(const struct generation *gen)
{
	size_t n = 0;

	for (size_t i = 0; i < gen->ntables; i++)
		n += gen->table[i].codes ? acl_tables_size(gen->table[i].codes)
					 : gen->table[i].live.n;
	return n;
}

void generation_set_places(struct generation *gen, const struct source_place *place)
{
	for (size_t i = 0; i < gen->set.n; i++) {
		struct rule *r = &gen->set.rule[i];

		r->first_byte = place[i].first_byte;
		r->end_byte = place[i].end_byte;
		r->line = place[i].line;
	}
}

void generation_take(struct generation *gen, struct ruleset *set)
{
	ruleset_free(&gen->set);
	gen->set = *set;
	gen->room = 0;
	*set = (struct ruleset){0};
}

uint32_t generation_id(const struct generation *gen, size_t i)
{
	return gen->hold[i].id;
}

int generation_count(const struct generation *gen, struct dvx_flow_count *out, struct flow_fault *f)
{
	struct dvx_flow_count *all = NULL;
	const struct bulk *known = NULL;

	for (size_t i = 0; i < gen->set.n; i++) {
		const struct rule_state *h = &gen->hold[i];

		out[i].packets = out[i].bytes = UINT64_MAX;
		if (!h->bulk)
			continue;
		if (h->bulk != known) {
			free(all);
			all = calloc(bulk_size(h->bulk), sizeof(*all));
			if (!all || dvx_flow_counter_query(bulk_counter(h->bulk), 0,
							   bulk_size(h->bulk), all)) {
				free(all);
				return flow_fault_device(f);
			}
			known = h->bulk;
		}
		out[i] = all[h->index];
	}
	free(all);
	return 0;
}

int generation_dump(const struct generation *gen, FILE *to, struct flow_fault *f)
{
	for (int d = 0; d < RULE_DIRS; d++)
		if (gen->table[d].table && dvx_flow_domain_dump(gen->base->side[d].domain, to))
			return flow_fault_device(f);
	return 0;
}

int generation_dump_part(const struct generation *gen, enum rule_dir dir, uint64_t from, FILE *to,
			 entry_of_fn visit, void *arg, struct flow_fault *f)
{
	const struct built_table *h = &gen->table[dir];
	int ret;

	if (!h->codes)
		return 0;
	ret = dvx_flow_table_dump(h->table, to);
	for (size_t i = 0; i < h->live.n && !ret; i++)
		visit(arg, dvx_flow_rule_id(h->rule[i]), h->live.entry[i].rule);
	if (!ret)
		ret = acl_tables_dump(h->codes, &gen->plan.codes[dir], from, to, visit, arg);
	if (ret == -ENOMEM)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	return ret ? flow_fault_device(f) : 0;
}

void generation_entries(const struct generation *gen, entry_of_fn entry_of, void *arg)
{
	for (size_t t = 0; t < gen->ntables; t++) {
		const struct built_table *h = &gen->table[t];

		for (size_t i = 0; i < h->live.n; i++)
			entry_of(arg, dvx_flow_rule_id(h->rule[i]), h->live.entry[i].rule);
		if (h->codes)
			acl_tables_entries(h->codes, entry_of, arg);
	}
}

void generation_rewrites(const struct generation *gen, rewrites_fn visit, void *arg)
{
	for (size_t i = 0; i < gen->set.n; i++)
		changes_visit_rewrites(gen->hold[i].changes, visit, arg);
	for (size_t t = 0; t < gen->ntables; t++)
		if (gen->table[t].codes)
			acl_tables_rewrites(gen->table[t].codes, visit, arg);
}

void generation_mirrors(const struct generation *gen, mirror_fn visit, void *arg)
{
	for (size_t i = 0; i < gen->set.n; i++)
		if (gen->hold[i].mirror)
			visit(arg, dvx_flow_action_id(gen->hold[i].mirror),
			      dvx_flow_table_id(gen->table[gen->hold[i].next].table));
}

uint64_t generation_first_table(const struct generation *gen, enum rule_dir dir)
{
	return gen->table[dir].table ? dvx_flow_table_id(gen->table[dir].table) : 0;
}

void generation_tables(const struct generation *gen, table_of_fn visit, void *arg)
{
	for (size_t t = 0; t < gen->ntables; t++)
		if (gen->table[t].table && gen->set.ntables > 1)
			visit(arg, dvx_flow_table_id(gen->table[t].table),
			      gen->set.table[gen->table[t].of].name);
}
