/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table that is compiled to codes: an acl_program, as tables behind a first one. Registers keep
 * their values in packets that return to the root. No table behind the root compares them in legacy
 * mode [I].
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/dev.h>

#include "generation_priv.h"
#include "rules/acl/acl.h"

struct codes {
	struct generation *gen;
	uint32_t at; /* table of the generation's program */
	const struct acl_program *program;
	struct dvx_flow_table **table; /* [0]: the generation's */
	struct dvx_flow_action **to;   /* lead to these tables; [0]: none */
	struct dvx_flow_action **list;
	struct dvx_flow_matcher **matcher; /* of all tables, in table order */
	size_t nmatchers;
	struct dvx_flow_rule **entry; /* in the program's order */
	size_t nentries;
};

/* --- the program's entries, in their order ---------------------------------------------------- */

/* The place of an entry. Zeros: before the first one. */
struct codes_cursor {
	size_t table, matcher;
	size_t index; /* of the matcher, among those of all tables */
	size_t next;  /* entry of the matcher */
};

/* Returns the next entry; NULL: there is none. */
static struct acl_entry *codes_next(const struct acl_program *p, struct codes_cursor *at)
{
	for (; at->table < p->n; at->table++, at->matcher = 0) {
		const struct acl_table *t = &p->table[at->table];

		for (; at->matcher < t->n; at->matcher++, at->index++, at->next = 0)
			if (at->next < t->matcher[at->matcher].n)
				return &t->matcher[at->matcher].entry[at->next++];
	}
	return NULL;
}

/* --- register lists --------------------------------------------------------------------------- */

/* Adds one rewrite for each run of bits under the mask. */
static int codes_add_write(struct dvx_flow_rewrites *r, const struct acl_write *w)
{
	int ret = 0;

	for (unsigned int low = 0, bits; low < 32 && !ret; low += bits + !bits) {
		for (bits = 0; low + bits < 32 && w->mask >> (low + bits) & 1;)
			bits++;
		if (bits)
			ret = dvx_flow_rewrite_set_bits(r, match_keys[w->key].path, low, bits,
							w->value >> low &
								(uint32_t)((1ull << bits) - 1));
	}
	return ret;
}

static int codes_make_list(struct codes *c, struct dvx_flow_domain *domain, size_t i)
{
	const struct acl_list *l = &c->program->list[i];
	struct dvx_flow_rewrites r = {0};
	int ret = 0;

	for (unsigned int k = 0; k < l->n && !ret; k++)
		ret = codes_add_write(&r, &l->write[k]);
	if (l->copy && !ret)
		ret = dvx_flow_rewrite_copy(&r, match_keys[ACL_BEST].path, 0,
					    match_keys[ACL_CANDIDATE].path, 0, 32);
	return ret ? ret : dvx_flow_action_create_modify(domain, &r, &c->list[i]);
}

/* --- tables and matchers ---------------------------------------------------------------------- */

/* Makes the tables behind the first one, at the levels behind its level. */
static int codes_make_tables(struct codes *c, struct dvx_flow_domain *domain)
{
	uint32_t *level = calloc(c->program->n, sizeof(*level));
	int ret = level ? 0 : -ENOMEM;

	if (level)
		acl_levels(c->program, level);
	for (size_t i = 1; i < c->program->n && !ret; i++) {
		ret = dvx_flow_table_create(domain, c->gen->plan.list.table[c->at].level + level[i],
					    &c->table[i]);
		if (!ret)
			ret = dvx_flow_action_create_table(domain, c->table[i], &c->to[i]);
	}
	free(level);
	return ret;
}

static int codes_make_matcher(struct codes *c, size_t table, size_t m, size_t index)
{
	const struct acl_matcher *from = &c->program->table[table].matcher[m];
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr),
					     .match = &match,
					     .priority = TABLE_FIRST + (uint32_t)m,
					     .expected_rules = (uint32_t)from->n};

	fill_match(match.mask, from->shape, from->shape->mask);
	fill_match(match.value, from->shape, from->entry->value);
	return dvx_flow_matcher_create(c->table[table], &attr, &c->matcher[index]);
}

/* Makes the matchers, the last one first: libmlx5 searches for a matcher's place from the front. */
static int codes_make_matchers(struct codes *c)
{
	size_t index = c->nmatchers;
	int ret = 0;

	for (size_t i = c->program->n; i-- > 0 && !ret;)
		for (size_t m = c->program->table[i].n; m-- > 0 && !ret;)
			ret = codes_make_matcher(c, i, m, --index);
	return ret;
}

/* --- entries ---------------------------------------------------------------------------------- */

/* A table that is being filled. */
struct codes_filling {
	struct codes *c;
	struct codes_cursor at;
};

static int codes_describe(void *arg, size_t i, struct dvx_flow_rule_attr *attr)
{
	struct generation_build *b = arg;
	struct codes_filling *f = b->into;
	const struct codes *c = f->c;
	const struct acl_entry *e = codes_next(c->program, &f->at);
	struct table_entry *x = &b->entry;

	(void)i;
	memset(&x->match, 0, sizeof(x->match));
	fill_match(x->match.value, c->program->table[f->at.table].matcher[f->at.matcher].shape,
		   e->value);
	attr->match = &x->match;
	attr->matcher = c->matcher[f->at.index];
	if (e->next == ACL_NONE)
		return generation_actions(c->gen, c->at, e->rule, x, attr);
	attr->actions = x->actions;
	if (e->list != ACL_NONE)
		x->actions[attr->action_count++] = c->list[e->list];
	x->actions[attr->action_count++] = c->to[e->next];
	return 0;
}

/* --- all of it -------------------------------------------------------------------------------- */

static void codes_free(void *table)
{
	struct codes *c = table;

	if (c->entry)
		base_tables_delete(c->gen->base, c->entry, c->nentries);
	while (c->matcher && c->nmatchers)
		dvx_flow_matcher_destroy(c->matcher[--c->nmatchers]);
	for (size_t i = 0; c->list && i < c->program->nlists; i++)
		dvx_flow_action_destroy(c->list[i]);
	for (size_t i = 1; c->to && i < c->program->n; i++)
		dvx_flow_action_destroy(c->to[i]);
	for (size_t i = 1; c->table && i < c->program->n; i++)
		dvx_flow_table_destroy(c->table[i]);
	free(c->table);
	free(c->to);
	free(c->list);
	free(c->matcher);
	free(c->entry);
	free(c);
}

static bool codes_alloc(struct codes *c)
{
	const struct acl_program *p = c->program;

	for (size_t i = 0; i < p->n; i++) {
		c->nmatchers += p->table[i].n;
		for (size_t m = 0; m < p->table[i].n; m++)
			c->nentries += p->table[i].matcher[m].n;
	}
	c->table = calloc(p->n, sizeof(struct dvx_flow_table *));
	c->to = calloc(p->n, sizeof(struct dvx_flow_action *));
	c->list = calloc(p->nlists + 1, sizeof(struct dvx_flow_action *));
	c->matcher = calloc(c->nmatchers, sizeof(struct dvx_flow_matcher *));
	c->entry = calloc(c->nentries, sizeof(struct dvx_flow_rule *));
	return c->table && c->to && c->list && c->matcher && c->entry;
}

static int codes_fill(struct codes *c, struct generation_build *b)
{
	struct dvx_flow_domain *domain = generation_domain(c->gen, c->at);
	struct codes_filling f = {.c = c};
	int ret = codes_alloc(c) ? 0 : -ENOMEM;

	if (ret)
		return ret;
	c->table[0] = c->gen->table[c->at].table;
	ret = codes_make_tables(c, domain);
	for (size_t i = 0; i < c->program->nlists && !ret; i++)
		ret = codes_make_list(c, domain, i);
	if (!ret)
		ret = codes_make_matchers(c);
	return ret ? ret : generation_insert(b, codes_describe, &f, c->nentries, c->entry);
}

/*
 * If the device refuses codes, e.g. for want of memory, the table can still be a list. If the client
 * gave up, it needs none.
 */
static int codes_build(struct generation_build *b, void **out)
{
	struct acl_program *p = &b->gen->plan.codes[b->table];
	struct codes *c = p->n ? calloc(1, sizeof(*c)) : NULL;
	bool gave_up;
	int ret;

	if (!p->n)
		return TABLE_UNFIT;
	if (c) {
		*c = (struct codes){.gen = b->gen, .at = b->table, .program = p};
		ret = codes_fill(c, b);
		if (!ret) {
			*out = c;
			return 0;
		}
		gave_up = ret == -ECANCELED && !b->no_room;
		if (gave_up)
			flow_fault_device(b->fault);
		codes_free(c);
		if (gave_up)
			return -1;
	}
	acl_free(p);
	b->gen->changed = true;
	return TABLE_UNFIT;
}

static void codes_renumber(void *table, const uint32_t *to)
{
	const struct codes *c = table;
	struct codes_cursor at = {0};

	for (struct acl_entry *e; (e = codes_next(c->program, &at));)
		if (e->rule != ACL_NONE)
			e->rule = to[e->rule];
}

static int codes_cost(const void *table, struct cost_sum *s)
{
	const struct codes *c = table;

	return cost_add_codes(s, c->at, c->program);
}

static void codes_entries(const void *table, entry_of_fn visit, void *arg)
{
	const struct codes *c = table;
	struct codes_cursor at = {0};

	for (size_t i = 0; i < c->nentries; i++)
		visit(arg, dvx_flow_rule_id(c->entry[i]), codes_next(c->program, &at)->rule);
}

/* --- what packets reach ----------------------------------------------------------------------- */

/* Marks the tables that `from` leads to. One pass is enough: entries lead to later tables only. */
static bool *codes_reached(const struct codes *c, uint64_t from)
{
	bool *reached = calloc(c->program->n, sizeof(*reached));
	struct codes_cursor at = {0};
	size_t table = 0;

	for (struct acl_entry *e; reached && (e = codes_next(c->program, &at));) {
		if (at.table != table)
			reached[at.table] |= dvx_flow_table_id(c->table[at.table]) == from;
		table = at.table;
		if (reached[table] && e->next != ACL_NONE)
			reached[e->next] = true;
	}
	return reached;
}

static int codes_dump(const void *table, uint64_t from, FILE *to, entry_of_fn visit, void *arg)
{
	const struct codes *c = table;
	bool *reached = codes_reached(c, from);
	struct codes_cursor at = {0};
	int ret = reached ? 0 : -ENOMEM;

	for (size_t i = 1; i < c->program->n && !ret; i++)
		if (reached[i])
			ret = dvx_flow_table_dump(c->table[i], to);
	for (size_t i = 0; i < c->nentries && !ret; i++) {
		const struct acl_entry *e = codes_next(c->program, &at);

		if (!at.table || reached[at.table])
			visit(arg, dvx_flow_rule_id(c->entry[i]), e->rule);
	}
	free(reached);
	return ret;
}

static void codes_rewrites(const void *table, rewrites_fn visit, void *arg)
{
	const struct codes *c = table;
	struct dvx_flow_rewrites list;

	for (size_t i = 0; i < c->program->nlists; i++)
		if (!dvx_flow_action_rewrites(c->list[i], &list))
			visit(arg, dvx_flow_action_id(c->list[i]), &list);
}

const struct table_ops codes_ops = {
	.before = &overlay_ops,
	.build = codes_build,
	.free = codes_free,
	.renumber = codes_renumber,
	.cost = codes_cost,
	.entries = codes_entries,
	.dump = codes_dump,
	.rewrites = codes_rewrites,
};
