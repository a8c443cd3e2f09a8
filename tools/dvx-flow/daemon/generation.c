/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/cmd.h>

#include "acl_tables.h"
#include "generation.h"
#include "spread.h"
#include "dvx-flow.h"
#include "rules/map.h"

/* One rule's objects on the device. */
struct holding {
	uint32_t id;
	struct bulk *bulk; /* NULL: the rule has no counter */
	uint32_t index;	   /* in the bulk */
	struct dvx_flow_action *count;
	struct changes *changes;     /* NULL: the rule changes nothing */
	struct dvx_flow_action *tag; /* shared by rules of the same tag, owned by the generation */
	struct dvx_flow_action *mirror; /* to the queue and to the next table */
	uint32_t next;			/* that table */
};

/* A table of the program on the device. */
struct built_table {
	struct dvx_flow_table *table; /* NULL: no packet comes here */
	struct dvx_flow_matcher **matcher;
	size_t nmatchers;
	struct dvx_flow_rule **rule;
	uint32_t *owner; /* the rule's index, for each entry */
	size_t nrules;
	struct acl_tables *codes;	  /* instead of these entries; NULL: none */
	struct dvx_flow_action *to_table; /* to the table */
};

/* How packets of a direction come to its first table. */
struct half {
	struct dvx_flow_rule *attached; /* in the root */
	unsigned int priority;		/* of the root's two priorities */
};

struct generation {
	struct base_tables *base;
	struct ruleset set;
	struct holding *hold;
	uint32_t next_id;
	struct built_table *table; /* as the program has them */
	size_t ntables;
	struct half half[RULE_DIRS];
	struct spread *spread[RSS_MAX]; /* by the rss's number */
	struct dvx_flow_action **tag;
	size_t ntags;
	struct plan_cost cost;
};

/* State while a generation is built. */
struct generation_build {
	struct base_tables *base;
	struct generation *gen;
	struct plan *plan;
	/* the table, and its next entry */
	const struct table *now;
	struct built_table *into;
	size_t matcher, entry;
	struct dvx_flow_match match;
	struct dvx_flow_action *actions[3 + CHANGE_ACTIONS];
	/* progress */
	built_fn built;
	void *arg;
	size_t before, total;
	size_t cramped_at; /* entries inserted when the device had no more room; 0: it has room */
	bool no_room, queue_refused;
	struct flow_fault *fault;
};

/* --- counters and tags ---------------------------------------------------------------------- */

static int no_counter(const struct rule *r, struct flow_fault *f)
{
	fault_say(f, EXIT_DEVICE, "no counter: %s", device_says());
	return fault_at(f, r, r->count_at);
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
 * IDs belong to rules. Where none of the old ones stays, they begin anew, so that a file's rules
 * are numbered as its lines are.
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
		const struct holding *h;

		if (from[i] == UINT32_MAX)
			continue;
		h = &like->hold[from[i]];
		gen->hold[i].bulk = h->bulk;
		gen->hold[i].index = h->index;
		if (h->bulk)
			bulk_hold(h->bulk);
	}
}

static int make_count_actions(struct generation *gen, struct flow_fault *f)
{
	for (size_t i = 0; i < gen->set.n; i++) {
		struct holding *h = &gen->hold[i];
		struct direction_base *s = &gen->base->side[gen->set.rule[i].dir];

		if (h->bulk && dvx_flow_action_create_count(s->domain, bulk_counter(h->bulk),
							    h->index, &h->count))
			return blame_location(f, &gen->set.rule[i], gen->set.rule[i].count_at);
	}
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
			ret = fault_say(f, EXIT_INPUT, "%s", strerror(ENOMEM));
		else if (slot->what == gen->ntags &&
			 dvx_flow_action_create_tag(gen->base->side[r->dir].domain, r->tag,
						    &gen->tag[gen->ntags]))
			ret = blame_location(f, r, r->tag_at);
		else
			gen->ntags += slot->what == gen->ntags;
		gen->hold[i].tag = ret ? NULL : gen->tag[slot->what];
	}
	map_free(&seen);
	return ret;
}

static int generation_make_changes(struct generation *gen, struct flow_fault *f)
{
	for (size_t i = 0; i < gen->set.n; i++) {
		const struct rule *r = &gen->set.rule[i];

		if (!r->nchanges)
			continue;
		gen->hold[i].changes = calloc(1, sizeof(struct changes));
		if (!gen->hold[i].changes)
			return fault_say(f, EXIT_INPUT, "%s", strerror(ENOMEM));
		if (changes_make(gen->base->side[r->dir].domain, r, gen->hold[i].changes, f))
			return -1;
	}
	return 0;
}

/* --- tables ----------------------------------------------------------------------------------- */

static int make_matcher(struct built_table *h, const struct matcher *m, size_t i)
{
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr),
					     .priority = (uint32_t)i,
					     .match = &match,
					     .expected_rules = (uint32_t)m->n};

	fill_match(match.mask, m->shape, m->shape->mask);
	/*
	 * The value has the IP version. Without it, the device looks each packet up under IPv4,
	 * even if only IPv6 arrives.
	 */
	if (m->entry)
		fill_match(match.value, m->shape, m->entry->value);
	return dvx_flow_matcher_create(h->table, &attr, &h->matcher[i]);
}

/* Of several refused matchers, reports the first one of the file. */
static int blame_matcher(struct generation_build *b, size_t refused)
{
	const struct table *t = b->now;

	for (size_t i = 0; i <= refused; i++)
		if (make_matcher(b->into, &t->matcher[i], i))
			return blame_match(b->fault, &b->gen->set.rule[t->matcher[i].entry->rule]);
	return fault_device(b->fault);
}

/*
 * The last matcher takes unmatched packets the default way, or on to the next table. Matchers are made from the last to
 * the first, because libmlx5 searches for a matcher's place from the front of the table's list.
 */
static int make_matchers(struct generation_build *b)
{
	static const struct shape nothing;
	static const struct matcher last = {&nothing, NULL, 1};
	struct built_table *h = b->into;
	const struct table *t = b->now;

	h->matcher = calloc(t->n + 1, sizeof(struct dvx_flow_matcher *));
	if (!h->matcher)
		return fault_say(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	h->nmatchers = t->n + 1;
	if (make_matcher(h, &last, t->n))
		return fault_device(b->fault);
	for (size_t i = t->n; i-- > 0;)
		if (make_matcher(h, &t->matcher[i], i))
			return blame_matcher(b, i);
	return 0;
}

static int destination(struct generation_build *b, uint32_t rule, struct dvx_flow_action **out)
{
	const struct rule *r = &b->gen->set.rule[rule];

	switch (r->verdict) {
	case RULE_SEND:
		if (r->rss) {
			*out = spread_action(b->gen->spread[r->rss->number]);
			return 0;
		}
		return base_tables_queue(b->base, r->queue, out);
	case RULE_MIRROR:
		*out = b->gen->hold[rule].mirror;
		return 0;
	case RULE_GOTO:
		*out = b->gen->table[program_goto(r)].to_table;
		return 0;
	case RULE_DROP:
		*out = b->base->side[r->dir].drop;
		return 0;
	default:
		*out = b->base->side[r->dir].back;
		return 0;
	}
}

/* Where packets go that no rule of the table takes. */
static struct dvx_flow_action *generation_rest(const struct generation_build *b)
{
	return b->now->next == TABLE_NONE ? b->base->side[b->now->dir].back
					  : b->gen->table[b->now->next].to_table;
}

/* What happens to packets that a rule takes; ACL_NONE: to those that no rule takes. */
static int generation_verdict(void *arg, uint32_t rule, struct dvx_flow_rule_attr *attr)
{
	struct generation_build *b = arg;
	const struct holding *hold;
	uint32_t n = 0;
	int ret = 0;

	attr->actions = b->actions;
	if (rule == ACL_NONE) {
		b->actions[n++] = generation_rest(b);
		attr->action_count = n;
		return 0;
	}
	hold = &b->gen->hold[rule];
	if (hold->tag)
		b->actions[n++] = hold->tag;
	if (hold->count)
		b->actions[n++] = hold->count;
	for (uint32_t c = 0; hold->changes && c < hold->changes->n; c++)
		b->actions[n++] = hold->changes->action[c];
	ret = destination(b, rule, &b->actions[n++]);
	b->queue_refused = ret;
	attr->action_count = n;
	return ret;
}

static int next_entry(void *arg, size_t i, struct dvx_flow_rule_attr *attr)
{
	struct generation_build *b = arg;
	const struct table *t = b->now;
	struct built_table *h = b->into;
	const struct matcher *m;

	memset(&b->match, 0, sizeof(b->match));
	attr->match = &b->match;
	if (i + 1 == h->nrules) {
		attr->matcher = h->matcher[t->n];
		return generation_verdict(b, ACL_NONE, attr);
	}
	/*
	 * From the last matcher to the first, since libdvx may make one here for its second IP
	 * version.
	 */
	while (b->entry == t->matcher[b->matcher].n) {
		b->matcher--;
		b->entry = 0;
	}
	m = &t->matcher[b->matcher];
	h->owner[i] = m->entry[b->entry].rule;
	fill_match(b->match.value, m->shape, m->entry[b->entry++].value);
	attr->matcher = h->matcher[b->matcher];
	return generation_verdict(b, h->owner[i], attr);
}

/* About this many entries fit in what libmlx5 has left of its last piece of memory. */
#define LAST_ENTRIES 4096u

static int generation_tell(void *arg, size_t done)
{
	struct generation_build *b = arg;

	if (dvx_flow_domain_has_room(b->base->side[b->now->dir].domain))
		b->cramped_at = 0;
	else if (!b->cramped_at)
		b->cramped_at = done;
	else if (done - b->cramped_at >= LAST_ENTRIES)
		return b->no_room = true;
	return b->built ? b->built(b->arg, b->before + done, b->total) : 0;
}

static const char no_room[] =
	"the device has no steering memory left for these rules beside those in effect";

static int entry_fault(struct generation_build *b)
{
	const struct table *t = b->now;
	bool empty = dvx_last_error()->err == ENOMEM;
	const struct rule *r;

	if (!b->entry)
		return fault_device(b->fault);
	r = &b->gen->set.rule[t->matcher[b->matcher].entry[b->entry - 1].rule];
	if (b->queue_refused)
		return blame_location(b->fault, r, r->queue_at);
	if (!b->no_room && !empty)
		return blame_match(b->fault, r);
	fault_say(b->fault, EXIT_DEVICE, "%s%s%s", b->no_room ? "" : device_says(),
		  b->no_room ? "" : "; ", no_room);
	return fault_at(b->fault, r, r->at);
}

static int insert_entries(struct generation_build *b)
{
	struct built_table *h = b->into;
	const struct table *t = b->now;
	struct dvx_flow_bulk bulk = {
		.size = sizeof(bulk), .next = next_entry, .progress = generation_tell, .arg = b};
	size_t n = t->entries + 1;

	h->rule = calloc(n, sizeof(struct dvx_flow_rule *));
	h->owner = calloc(n, sizeof(*h->owner));
	if (!h->rule || !h->owner)
		return fault_say(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	h->nrules = n;
	h->owner[n - 1] = UINT32_MAX;
	b->matcher = t->n ? t->n - 1 : 0;
	b->entry = b->cramped_at = 0;
	if (!dvx_flow_rules_insert(&bulk, n, h->rule)) {
		b->before += n;
		return 0;
	}
	return entry_fault(b);
}

/* The fault is about the first rule of the table; an empty one is behind a mirror. */
static int blame_table(struct generation_build *b, const struct table *t)
{
	const struct rule *r = b->gen->set.rule;

	while (r->dir != t->dir || r->table != t->of)
		r++;
	return blame_location(b->fault, r, r->dir_at);
}

static int make_tables(struct generation_build *b)
{
	const struct program *p = &b->plan->list;

	b->gen->table = calloc(p->ntables, sizeof(*b->gen->table));
	if (!b->gen->table)
		return fault_say(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
	b->gen->ntables = p->ntables;
	for (size_t i = 0; i < p->ntables; i++) {
		const struct table *t = &p->table[i];
		struct direction_base *s = &b->base->side[t->dir];
		struct built_table *into = &b->gen->table[i];

		if (t->level &&
		    (dvx_flow_table_create(s->domain, t->level, &into->table) ||
		     dvx_flow_action_create_table(s->domain, into->table, &into->to_table)))
			return blame_table(b, t);
	}
	return 0;
}

/*
 * Returns 0 if the table, a direction's first, leads to tables of codes now. If the device refuses
 * them, e.g. for want of memory, the list of matchers says what is wrong, or takes their place.
 */
static int make_codes(struct generation_build *b, size_t i)
{
	struct acl_program *p = i < RULE_DIRS ? &b->plan->codes[i] : NULL;
	struct acl_tables_attr attr = {.domain = b->base->side[b->now->dir].domain,
				       .first = b->into->table,
				       .program = p,
				       .verdict = generation_verdict,
				       .progress = generation_tell,
				       .arg = b};

	if (!p || !p->n)
		return -1;
	b->cramped_at = 0;
	if (!acl_tables_make(&attr, &b->into->codes)) {
		b->before += b->gen->cost.table[i].entries;
		return 0;
	}
	acl_free(p);
	b->no_room = false;
	return -1;
}

static int fill_table(struct generation_build *b, size_t i)
{
	b->now = &b->plan->list.table[i];
	b->into = &b->gen->table[i];
	if (!b->into->table || !make_codes(b, i))
		return 0;
	return make_matchers(b) || insert_entries(b) ? -1 : 0;
}

static int fill_tables(struct generation_build *b)
{
	for (size_t i = 0; i < b->plan->list.ntables; i++)
		if (fill_table(b, i))
			return -1;
	for (int d = 0; d < RULE_DIRS; d++)
		if (b->gen->table[d].table && dvx_flow_domain_sync(b->base->side[d].domain))
			return fault_device(b->fault);
	return 0;
}

/* --- mirrors --------------------------------------------------------------------------------- */

static int make_spreads(struct generation_build *b)
{
	for (size_t i = 0; i < b->gen->set.n; i++) {
		const struct rule *r = &b->gen->set.rule[i];

		if (r->rss && !b->gen->spread[r->rss->number] &&
		    spread_make(b->base, r, &b->gen->spread[r->rss->number], b->fault))
			return -1;
	}
	return 0;
}

static int make_mirror(struct generation_build *b, uint32_t rule, uint32_t next)
{
	const struct rule *r = &b->gen->set.rule[rule];
	struct dvx_flow_action *to[] = {NULL, b->gen->table[next].to_table};

	if (base_tables_queue(b->base, r->queue, &to[0]) ||
	    dvx_flow_action_create_array(b->base->side[r->dir].domain, to, 2,
					 &b->gen->hold[rule].mirror))
		return blame_location(b->fault, r, r->queue_at);
	b->gen->hold[rule].next = next;
	return 0;
}

/* A mirror is the last rule of its table. */
static int make_mirrors(struct generation_build *b)
{
	const struct program *p = &b->plan->list;

	for (size_t i = 0; i < p->ntables; i++) {
		uint32_t last = 0;

		if (p->table[i].next == TABLE_NONE)
			continue;
		for (size_t m = 0; m < p->table[i].n; m++) {
			const struct matcher *of = &p->table[i].matcher[m];

			if (of->entry[of->n - 1].rule > last)
				last = of->entry[of->n - 1].rule;
		}
		if (make_mirror(b, last, p->table[i].next))
			return -1;
	}
	return 0;
}

/* --- a whole generation --------------------------------------------------------------------- */

static int generation_make(struct generation_build *b, const struct generation *like,
			   const uint32_t *from)
{
	struct generation *gen = b->gen;

	for (size_t i = 0; i < gen->set.n; i++) {
		const struct rule *r = &gen->set.rule[i];

		if (base_tables_side(b->base, r->dir, b->fault))
			return fault_at(b->fault, r, r->dir_at);
	}
	generation_number(gen, like, from);
	if (like)
		generation_take_counters(gen, like, from);
	if (generation_make_counters(gen, b->fault) || make_count_actions(gen, b->fault) ||
	    make_tags(gen, b->fault) || generation_make_changes(gen, b->fault))
		return -1;
	return make_spreads(b) || make_tables(b) || make_mirrors(b) || fill_tables(b) ? -1 : 0;
}

static int compile(struct generation *gen, struct plan *p, struct flow_fault *f)
{
	char why[512];
	size_t wrong;
	int ret = plan_make(&gen->set, p, &wrong);

	if (!ret)
		return 0;
	compile_why(&gen->set, ret, wrong, why, sizeof(why));
	return fault_say(f, ret == -ENOMEM ? EXIT_INPUT : EXIT_RULES, "%s", why);
}

static void free_entries(struct built_table *t)
{
	acl_tables_free(t->codes);
	if (t->rule)
		dvx_flow_rules_delete(t->rule, t->nrules);
	while (t->nmatchers)
		dvx_flow_matcher_destroy(t->matcher[--t->nmatchers]);
	free(t->matcher);
	free(t->rule);
	free(t->owner);
}

/* Entries of one table, and mirrors, lead to other tables: these go last. */
static void free_tables(struct generation *gen)
{
	for (int d = 0; d < RULE_DIRS; d++)
		dvx_flow_rule_destroy(gen->half[d].attached);
	for (size_t i = 0; i < gen->ntables; i++)
		free_entries(&gen->table[i]);
	for (size_t i = 0; i < gen->set.n; i++)
		dvx_flow_action_destroy(gen->hold[i].mirror);
	for (size_t i = 0; i < RSS_MAX; i++)
		spread_free(gen->spread[i]);
	for (size_t i = 0; i < gen->ntables; i++) {
		dvx_flow_action_destroy(gen->table[i].to_table);
		dvx_flow_table_destroy(gen->table[i].table);
	}
	free(gen->table);
}

/* Frees all but the rules' text. */
static void generation_release(struct generation *gen)
{
	free_tables(gen);
	for (size_t i = 0; i < gen->ntags; i++)
		dvx_flow_action_destroy(gen->tag[i]);
	for (size_t i = 0; i < gen->set.n; i++) {
		dvx_flow_action_destroy(gen->hold[i].count);
		changes_free(gen->hold[i].changes);
		bulk_drop(gen->hold[i].bulk);
	}
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

/* Again when all is made: the device may have refused codes. */
static int generation_costs(struct generation_build *b)
{
	if (!plan_cost(b->plan, &b->gen->set, &b->gen->cost))
		return 0;
	return fault_say(b->fault, EXIT_INPUT, "%s", strerror(ENOMEM));
}

int generation_build(struct base_tables *g, struct ruleset *set, const struct generation *like,
		     const uint32_t *from, built_fn built, void *arg, struct generation **out,
		     struct flow_fault *f)
{
	struct generation *gen = calloc(1, sizeof(*gen));
	struct generation_build b = {.base = g, .gen = gen, .built = built, .arg = arg, .fault = f};
	struct plan plan;
	int ret;

	if (!gen || !(gen->hold = calloc(set->n ? set->n : 1, sizeof(*gen->hold)))) {
		free(gen);
		return fault_say(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	}
	gen->base = g;
	gen->set = *set;
	ret = compile(gen, &plan, f);
	if (!ret) {
		b.plan = &plan;
		ret = generation_costs(&b);
		b.total = gen->cost.table[RULE_IN].entries + gen->cost.table[RULE_OUT].entries;
		if (!ret)
			ret = generation_make(&b, like, from);
		if (!ret)
			ret = generation_costs(&b);
		plan_free(&plan);
	}
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

static int attach_half(struct generation *gen, const struct generation *old, enum rule_dir dir)
{
	struct half *h = &gen->half[dir];
	struct dvx_flow_match all = {0};
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr), .match = &all, .action_count = 1};

	if (!gen->table[dir].table || h->attached)
		return 0;
	h->priority = old && old->half[dir].attached ? !old->half[dir].priority : 0;
	attr.actions = &gen->table[dir].to_table;
	attr.matcher = gen->base->side[dir].everything[h->priority];
	return dvx_flow_rule_create(&attr, &h->attached);
}

static int detach_half(struct generation *gen, enum rule_dir dir)
{
	int ret = dvx_flow_rule_destroy(gen->half[dir].attached);

	if (!ret)
		gen->half[dir].attached = NULL;
	return ret;
}

void generation_detach(struct generation *gen)
{
	for (int d = 0; d < RULE_DIRS; d++)
		detach_half(gen, (enum rule_dir)d);
}

/*
 * Attaches the new root rule beside the old one, then detaches the old one. Packets switch when the
 * new rule is attached, if it has the better priority, else when the old one is detached.
 */
int generation_switch(struct generation *gen, struct generation *old, struct flow_fault *f)
{
	for (int d = 0; d < RULE_DIRS; d++)
		if (attach_half(gen, old, (enum rule_dir)d)) {
			fault_device(f);
			generation_detach(gen);
			return -1;
		}
	for (int d = 0; old && d < RULE_DIRS; d++)
		if (detach_half(old, (enum rule_dir)d)) {
			fault_device(f);
			while (d-- > 0)
				attach_half(old, gen, (enum rule_dir)d);
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

const struct plan_cost *generation_cost(const struct generation *gen)
{
	return &gen->cost;
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
		const struct holding *h = &gen->hold[i];

		out[i].packets = out[i].bytes = UINT64_MAX;
		if (!h->bulk)
			continue;
		if (h->bulk != known) {
			free(all);
			all = calloc(bulk_size(h->bulk), sizeof(*all));
			if (!all || dvx_flow_counter_query(bulk_counter(h->bulk), 0,
							   bulk_size(h->bulk), all)) {
				free(all);
				return fault_device(f);
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
			return fault_device(f);
	return 0;
}

void generation_entries(const struct generation *gen, entry_of_fn entry_of, void *arg)
{
	for (size_t t = 0; t < gen->ntables; t++) {
		for (size_t i = 0; i + 1 < gen->table[t].nrules; i++)
			entry_of(arg, dvx_flow_rule_id(gen->table[t].rule[i]),
				 gen->table[t].owner[i]);
		if (gen->table[t].codes)
			acl_tables_entries(gen->table[t].codes, entry_of, arg);
	}
}

void generation_rewrites(const struct generation *gen, rewrites_fn tell, void *arg)
{
	for (size_t i = 0; i < gen->set.n; i++)
		changes_tell(gen->hold[i].changes, tell, arg);
	for (size_t t = 0; t < gen->ntables; t++)
		if (gen->table[t].codes)
			acl_tables_rewrites(gen->table[t].codes, tell, arg);
}

void generation_mirrors(const struct generation *gen, mirror_fn tell, void *arg)
{
	for (size_t i = 0; i < gen->set.n; i++)
		if (gen->hold[i].mirror)
			tell(arg, dvx_flow_action_id(gen->hold[i].mirror),
			     dvx_flow_table_id(gen->table[gen->hold[i].next].table));
}
