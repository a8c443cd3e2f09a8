/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>

#include <dvx/dev.h>
#include "generation_priv.h"
#include "dvx-flow.h"
#include "track/track.h"

/* Returns why the device can have no codes; NULL: it can. */
static const char *generation_lacks_codes(const struct dvx_dev *dev)
{
	return dvx_dev_caps(dev)->switchdev
		       ? "in switchdev mode the kernel uses c0 and c1, which codes need"
		       : NULL;
}

/* --- a whole generation --------------------------------------------------------------------- */

static int generation_make(struct generation_build *b, const struct generation *like,
			   const uint32_t *from)
{
	struct generation *gen = b->gen;

	for (size_t i = 0; i < gen->set.n; i++) {
		const struct rule *r = &gen->set.rule[i];

		if (base_tables_side(gen->base, r->dir, b->fault))
			return flow_fault_at(b->fault, r, r->dir_at);
	}
	return rule_states_make(gen, like, from, b->fault) || generation_make_tables(b) ? -1 : 0;
}

static int generation_compile(struct generation *gen, struct plan *p, struct flow_fault *f)
{
	char why[512];
	size_t wrong = 0;
	int ret = plan_make(&gen->set, generation_lacks_codes(gen->base->dev), p, &wrong);

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
	for (int k = 0; k < 2; k++)
		aso_bulk_drop(gen->objects[k].bulk);
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

/* Compiles the rules. Runs in its own thread, and writes only the generation. */
static void generation_run_compiler(void *arg)
{
	struct generation_build *b = arg;

	b->ret = generation_compile(b->gen, &b->gen->plan, b->fault);
	if (!b->ret && plan_cost(&b->gen->plan, &b->gen->set, &b->gen->cost))
		b->ret = flow_fault_set(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
}

int generation_build(struct base_tables *g, struct ruleset *set, const struct generation *like,
		     const uint32_t *from, built_fn built, void *arg, struct generation **out,
		     struct flow_fault *f)
{
	struct generation *gen = calloc(1, sizeof(*gen));
	struct generation_build b = {.gen = gen, .built = built, .arg = arg, .fault = f};
	int ret;

	if (!gen || !(gen->hold = array_new_zeroed(set->n, sizeof(*gen->hold)))) {
		free(gen);
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	}
	gen->base = g;
	gen->set = *set;
	pause_for(&g->pause, generation_run_compiler, &b);
	ret = b.ret;
	for (int d = 0; d < RULE_DIRS; d++)
		b.total += gen->cost.table[d].entries;
	if (!ret)
		ret = generation_make(&b, like, from);
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

/* Makes packets whose connections are tracked go on in this generation. */
static int generation_lead_tracked(struct generation *gen)
{
	struct track *t = gen->base->track;

	if (!t)
		return 0;
	if (gen->track_next)
		track_limit(t, ruleset_track(&gen->set)->track);
	return track_lead(t, gen->track_next ? gen->table[gen->track_next].to_table : NULL);
}

void generation_leave(struct generation *gen)
{
	generation_detach(gen);
	if (gen->track_next)
		track_lead(gen->base->track, NULL);
}

/*
 * Attaches the new root rule beside the old one, then detaches the old one. Packets switch when the
 * new rule is attached, if it has the better priority, else when the old one is detached. Tracked
 * packets switch a moment earlier, behind their connections.
 */
static int generation_switch_root(struct generation *gen, struct generation *old,
				  struct flow_fault *f)
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

int generation_switch(struct generation *gen, struct generation *old, struct flow_fault *f)
{
	if (gen->track_next && generation_lead_tracked(gen))
		return flow_fault_device(f);
	if (!generation_switch_root(gen, old, f)) {
		if (!gen->track_next)
			generation_lead_tracked(gen);
		return 0;
	}
	if (old)
		generation_lead_tracked(old);
	else
		generation_leave(gen);
	return -1;
}

/* --- queries -------------------------------------------------------------------------------- */

const struct ruleset *generation_rules(const struct generation *gen)
{
	return &gen->set;
}

bool generation_tracks(const struct generation *gen)
{
	return gen->track_next;
}

bool generation_has(const struct generation *gen, enum rule_dir dir)
{
	return gen->table[dir].table;
}

size_t generation_size(const struct generation *gen)
{
	return gen->built;
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
	int ret = 0;

	for (size_t i = 0; i < gen->nheld && !ret; i++) {
		const struct held_table *h = &gen->held[i];

		if (h->table != (uint32_t)dir || !gen->table[dir].keeps_entries)
			continue;
		if (!h->ops->dump) {
			h->ops->entries(h->is, visit, arg);
			continue;
		}
		ret = dvx_flow_table_dump(gen->table[dir].table, to);
		if (!ret)
			ret = h->ops->dump(h->is, from, to, visit, arg);
	}
	if (ret == -ENOMEM)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	return ret ? flow_fault_device(f) : 0;
}

/* Returns the rule that tracks connections. */
static uint32_t generation_track(const struct generation *gen)
{
	return (uint32_t)(ruleset_track(&gen->set) - gen->set.rule);
}

void generation_entries(const struct generation *gen, entry_of_fn visit, void *arg)
{
	for (size_t i = 0; i < gen->nheld; i++)
		gen->held[i].ops->entries(gen->held[i].is, visit, arg);
	if (gen->track_next)
		track_entries(gen->base->track, generation_track(gen), visit, arg);
	for (size_t i = 0; i < gen->set.n; i++)
		if (gen->hold[i].limit)
			visit(arg, limit_entry(gen->hold[i].limit), (uint32_t)i);
}

void generation_rewrites(const struct generation *gen, rewrites_fn visit, void *arg)
{
	for (size_t i = 0; i < gen->set.n; i++)
		changes_visit_rewrites(gen->hold[i].changes, visit, arg);
	if (gen->track_next)
		track_rewrites(gen->base->track, visit, arg);
	for (size_t i = 0; i < gen->nheld; i++)
		if (gen->held[i].ops->rewrites)
			gen->held[i].ops->rewrites(gen->held[i].is, visit, arg);
}

void generation_encaps(const struct generation *gen, encap_fn visit, void *arg)
{
	for (size_t i = 0; i < gen->set.n; i++)
		if (gen->hold[i].changes && gen->hold[i].changes->encap)
			visit(arg, dvx_flow_action_id(gen->hold[i].changes->encap),
			      gen->set.rule[i].encap);
}

void generation_mirrors(const struct generation *gen, mirror_fn visit, void *arg)
{
	if (gen->track_next)
		track_copies(gen->base->track, visit, arg);
	for (size_t i = 0; i < gen->set.n; i++)
		if (gen->hold[i].mirror)
			visit(arg, dvx_flow_action_id(gen->hold[i].mirror),
			      dvx_flow_table_id(gen->table[gen->hold[i].next].table),
			      gen->set.rule[i].sample);
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

const struct plan_cost *generation_cost(struct generation *gen)
{
	struct cost_sum s;
	int ret;

	if (!gen->changed)
		return &gen->cost;
	ret = cost_begin(&s, &gen->plan, &gen->set);
	for (size_t i = 0; i < gen->nheld && !ret; i++)
		ret = gen->held[i].ops->cost(gen->held[i].is, &s);
	ret = cost_end(&s, ret, &gen->cost);
	gen->changed = ret;
	return ret ? NULL : &gen->cost;
}
