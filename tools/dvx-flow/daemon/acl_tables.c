/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers keep their values in packets that return to the root. No table behind the root compares
 * them in legacy mode [I].
 */
#include "acl_tables.h"

#include <errno.h>
#include <stdlib.h>

#include "generation.h"

struct acl_tables {
	const struct acl_program *program; /* valid while the tables are made */
	struct acl_tables_attr attr;
	struct dvx_flow_table **table; /* NULL: the caller's first one */
	struct dvx_flow_action **to;   /* lead to these tables */
	size_t ntables;
	struct dvx_flow_action **list;
	size_t nlists;
	struct dvx_flow_matcher **matcher; /* of all tables, in table order */
	size_t nmatchers;
	struct dvx_flow_rule **entry;
	uint32_t *owner; /* the rule of entry[i] */
	size_t nentries;
	/* position of the next entry to insert */
	size_t at_table, at_matcher, at_entry, matcher_index;
	struct dvx_flow_match match;
	struct dvx_flow_action *actions[2];
};

/* --- register lists --------------------------------------------------------------------------- */

/* Adds one rewrite for each run of bits under the mask. */
static int acl_write_add(struct dvx_flow_rewrites *r, const struct acl_write *w)
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

static int acl_tables_list(struct acl_tables *t, size_t i)
{
	const struct acl_list *l = &t->program->list[i];
	struct dvx_flow_rewrites r = {0};
	int ret = 0;

	for (unsigned int k = 0; k < l->n && !ret; k++)
		ret = acl_write_add(&r, &l->write[k]);
	if (l->copy && !ret)
		ret = dvx_flow_rewrite_copy(&r, match_keys[ACL_BEST].path, 0,
					    match_keys[ACL_CANDIDATE].path, 0, 32);
	return ret ? ret : dvx_flow_action_create_modify(t->attr.domain, &r, &t->list[i]);
}

/* --- tables and matchers ------------------------------------------------------------------------ */

static int acl_tables_levels(struct acl_tables *t)
{
	uint32_t *level = calloc(t->ntables, sizeof(*level));
	int ret = level ? 0 : -ENOMEM;

	if (level)
		acl_levels(t->program, level);
	for (size_t i = 1; i < t->ntables && !ret; i++) {
		ret = dvx_flow_table_create(t->attr.domain, t->attr.level + level[i], &t->table[i]);
		if (!ret)
			ret = dvx_flow_action_create_table(t->attr.domain, t->table[i], &t->to[i]);
	}
	free(level);
	return ret;
}

static int acl_tables_matcher(struct acl_tables *t, size_t table, size_t m, size_t index)
{
	const struct acl_matcher *from = &t->program->table[table].matcher[m];
	struct dvx_flow_match match = {0};
	struct dvx_flow_matcher_attr attr = {.size = sizeof(attr),
					     .match = &match,
					     .priority = ACL_TABLES_FIRST + (uint32_t)m,
					     .expected_rules = (uint32_t)from->n};

	fill_match(match.mask, from->shape, from->shape->mask);
	fill_match(match.value, from->shape, from->entry->value);
	return dvx_flow_matcher_create(table ? t->table[table] : t->attr.first, &attr,
				       &t->matcher[index]);
}

/* Makes the matchers, the last one first: libmlx5 searches for a matcher's place from the front. */
static int acl_tables_matchers(struct acl_tables *t)
{
	size_t index = t->nmatchers;
	int ret = 0;

	for (size_t i = t->ntables; i-- > 0 && !ret;)
		for (size_t m = t->program->table[i].n; m-- > 0 && !ret;)
			ret = acl_tables_matcher(t, i, m, --index);
	return ret;
}

/* --- entries ------------------------------------------------------------------------------------ */

static const struct acl_entry *acl_tables_next_entry(struct acl_tables *t, size_t *index,
						     const struct shape **shape)
{
	const struct acl_table *table = &t->program->table[t->at_table];

	while (t->at_matcher == table->n || t->at_entry == table->matcher[t->at_matcher].n) {
		if (t->at_matcher == table->n) {
			table = &t->program->table[++t->at_table];
			t->at_matcher = 0;
		} else {
			t->at_matcher++;
			t->matcher_index++;
		}
		t->at_entry = 0;
	}
	*index = t->matcher_index;
	*shape = table->matcher[t->at_matcher].shape;
	return &table->matcher[t->at_matcher].entry[t->at_entry++];
}

static int acl_tables_entry(void *arg, size_t i, struct dvx_flow_rule_attr *attr)
{
	struct acl_tables *t = arg;
	const struct shape *shape;
	size_t index;
	const struct acl_entry *e = acl_tables_next_entry(t, &index, &shape);

	t->match = (struct dvx_flow_match){.value = {0}};
	fill_match(t->match.value, shape, e->value);
	attr->match = &t->match;
	attr->matcher = t->matcher[index];
	t->owner[i] = e->rule;
	if (e->next == ACL_NONE)
		return t->attr.verdict(t->attr.arg, e->rule, attr);
	attr->actions = t->actions;
	if (e->list != ACL_NONE)
		t->actions[attr->action_count++] = t->list[e->list];
	t->actions[attr->action_count++] = t->to[e->next];
	return 0;
}

static int acl_tables_progress(void *arg, size_t done)
{
	const struct acl_tables *t = arg;

	return t->attr.progress(t->attr.arg, done);
}

static int acl_tables_insert(struct acl_tables *t)
{
	struct dvx_flow_bulk bulk = {.size = sizeof(bulk),
				     .next = acl_tables_entry,
				     .progress = acl_tables_progress,
				     .arg = t};

	return dvx_flow_rules_insert(&bulk, t->nentries, t->entry);
}

/* --- all of it ------------------------------------------------------------------------------------ */

static bool acl_tables_room(struct acl_tables *t)
{
	for (size_t i = 0; i < t->program->n; i++) {
		t->nmatchers += t->program->table[i].n;
		for (size_t m = 0; m < t->program->table[i].n; m++)
			t->nentries += t->program->table[i].matcher[m].n;
	}
	t->ntables = t->program->n;
	t->nlists = t->program->nlists;
	t->table = calloc(t->ntables, sizeof(struct dvx_flow_table *));
	t->to = calloc(t->ntables, sizeof(struct dvx_flow_action *));
	t->list = calloc(t->nlists + 1, sizeof(struct dvx_flow_action *));
	t->matcher = calloc(t->nmatchers, sizeof(struct dvx_flow_matcher *));
	t->entry = calloc(t->nentries, sizeof(struct dvx_flow_rule *));
	t->owner = calloc(t->nentries, sizeof(*t->owner));
	return t->table && t->to && t->list && t->matcher && t->entry && t->owner;
}

int acl_tables_make(const struct acl_tables_attr *attr, struct acl_tables **out)
{
	struct acl_tables *t = calloc(1, sizeof(*t));
	int ret = -ENOMEM;

	if (!t)
		return ret;
	t->attr = *attr;
	t->program = attr->program;
	if (acl_tables_room(t))
		ret = acl_tables_levels(t);
	for (size_t i = 0; i < t->nlists && !ret; i++)
		ret = acl_tables_list(t, i);
	if (!ret)
		ret = acl_tables_matchers(t);
	if (!ret)
		ret = acl_tables_insert(t);
	t->program = NULL;
	if (ret)
		acl_tables_free(t, attr->base);
	else
		*out = t;
	return ret;
}

void acl_tables_renumber(struct acl_tables *t, const uint32_t *to)
{
	for (size_t i = 0; i < t->nentries; i++)
		if (t->owner[i] != ACL_NONE)
			t->owner[i] = to[t->owner[i]];
}

void acl_tables_free(struct acl_tables *t, const struct base_tables *g)
{
	if (!t)
		return;
	if (t->entry)
		base_tables_delete(g, t->entry, t->nentries);
	while (t->matcher && t->nmatchers)
		dvx_flow_matcher_destroy(t->matcher[--t->nmatchers]);
	for (size_t i = 0; t->list && i < t->nlists; i++)
		dvx_flow_action_destroy(t->list[i]);
	for (size_t i = 0; t->to && i < t->ntables; i++)
		dvx_flow_action_destroy(t->to[i]);
	for (size_t i = 0; t->table && i < t->ntables; i++)
		dvx_flow_table_destroy(t->table[i]);
	free(t->table);
	free(t->to);
	free(t->list);
	free(t->matcher);
	free(t->entry);
	free(t->owner);
	free(t);
}

size_t acl_tables_size(const struct acl_tables *t)
{
	return t->nentries;
}

void acl_tables_entries(const struct acl_tables *t,
			void (*visit)(void *arg, uint64_t entry, uint32_t rule), void *arg)
{
	for (size_t i = 0; i < t->nentries; i++)
		visit(arg, dvx_flow_rule_id(t->entry[i]), t->owner[i]);
}

/* Marks the tables that `from` leads to. One pass is enough: entries lead to later tables only. */
static bool *acl_tables_reached(const struct acl_tables *t, const struct acl_program *p,
				uint64_t from)
{
	bool *reached = calloc(t->ntables, sizeof(*reached));

	for (size_t i = 0; i < t->ntables && reached; i++) {
		reached[i] |= i && dvx_flow_table_id(t->table[i]) == from;
		for (size_t m = 0; m < p->table[i].n && reached[i]; m++)
			for (size_t k = 0; k < p->table[i].matcher[m].n; k++)
				if (p->table[i].matcher[m].entry[k].next != ACL_NONE)
					reached[p->table[i].matcher[m].entry[k].next] = true;
	}
	return reached;
}

int acl_tables_dump(const struct acl_tables *t, const struct acl_program *p, uint64_t from,
		    FILE *to, void (*visit)(void *arg, uint64_t entry, uint32_t rule), void *arg)
{
	bool *reached = acl_tables_reached(t, p, from);
	size_t at = 0;
	int ret = reached ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->ntables && !ret; i++) {
		size_t end = at;

		for (size_t m = 0; m < p->table[i].n; m++)
			end += p->table[i].matcher[m].n;
		if (reached[i])
			ret = dvx_flow_table_dump(t->table[i], to);
		for (; at < end; at++)
			if (!i || reached[i])
				visit(arg, dvx_flow_rule_id(t->entry[at]), t->owner[at]);
	}
	free(reached);
	return ret;
}

void acl_tables_rewrites(const struct acl_tables *t,
			 void (*visit)(void *arg, uint64_t action_id,
				       const struct dvx_flow_rewrites *list),
			 void *arg)
{
	struct dvx_flow_rewrites list;

	for (size_t i = 0; i < t->nlists; i++)
		if (!dvx_flow_action_rewrites(t->list[i], &list))
			visit(arg, dvx_flow_action_id(t->list[i]), &list);
}
