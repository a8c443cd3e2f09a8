/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of results: has the action of the best hit's rule. A rule that changes its packets has
 * an entry for each kind of packet that it takes, because libdvx rewrites a field, or pops a tag,
 * only in rules that compare the headers which have it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"
#include "rules/arena.h"
#include "rules/shape.h"

/* Returns whether an entry leads to the table of results. */
static bool acl_results_lead(struct acl_program *p, uint32_t table)
{
	bool any = false;

	for (size_t t = 0; t < p->n; t++)
		for (size_t m = 0; m < p->table[t].n; m++)
			for (size_t i = 0; i < p->table[t].matcher[m].n; i++) {
				struct acl_entry *e = &p->table[t].matcher[m].entry[i];

				any |= e->next == ACL_RESULTS;
				if (e->next == ACL_RESULTS)
					e->next = table;
			}
	return any;
}

/* --- rules that change packets ---------------------------------------------------------------- */

/* The headers that a packet has, and a rule's result: an entry. */
struct acl_kind {
	struct shape shape;
	uint64_t value[MATCH_KEYS];
	uint32_t rule;
};

struct acl_kinds {
	struct acl_work *w;
	struct acl_kind *kind;
	size_t n, room, first; /* of the current rule */
};

static bool acl_has_header(unsigned int key)
{
	static const uint8_t headers[] = {
		KEY_PROTO, KEY_CVLAN, KEY_SVLAN, KEY_CVLAN2, KEY_SVLAN2,
	};

	for (size_t i = 0; i < sizeof(headers); i++)
		if (key == headers[i] || key == (unsigned int)KEY_INNER(headers[i]))
			return true;
	return key == MATCH_IP_VERSION || key == MATCH_INNER(MATCH_IP_VERSION);
}

/* Notes an entry's headers and the rule's result, which implies all other conditions. */
static int acl_kind_note(void *arg, const struct shape *s, const uint64_t *value)
{
	struct acl_kinds *k = arg;
	struct acl_kind *new;

	if (!array_grow((void **)&k->kind, k->n, &k->room, sizeof(*k->kind)))
		return -ENOMEM;
	new = &k->kind[k->n];
	*new = (struct acl_kind){.rule = k->w->rule};
	for (unsigned int i = 0; i < s->n; i++)
		if (acl_has_header(s->key[i]))
			shape_put(&new->shape, new->value, s->key[i], value[i], s->mask[i]);
	shape_put(&new->shape, new->value, ACL_BEST, k->w->result[k->w->rule], 0xffff);
	for (size_t i = k->first; i < k->n; i++)
		if (shape_same(&k->kind[i].shape, &new->shape) &&
		    !memcmp(k->kind[i].value, new->value, new->shape.n * sizeof(*new->value)))
			return 0;
	k->n++;
	return 0;
}

/* Makes a matcher for each shape of the kinds. */
static int acl_kinds_emit(struct acl_kinds *k, int table)
{
	int ret = 0;

	for (size_t i = 0; i < k->n && ret >= 0; i++) {
		const struct shape *s = &k->kind[i].shape;
		size_t first = 0;

		while (!shape_same(&k->kind[first].shape, s))
			first++;
		if (first < i)
			continue;
		ret = acl_matcher_add(k->w->out, table, s);
		for (size_t j = i; j < k->n && ret >= 0; j++)
			if (shape_same(&k->kind[j].shape, s))
				ret = acl_entry_add(k->w->out, table, k->kind[j].value, ACL_NONE,
						    ACL_NONE, k->kind[j].rule);
	}
	return ret < 0 ? ret : 0;
}

static int acl_changing_emit(struct acl_work *w, int table)
{
	struct acl_kinds k = {.w = w};
	int ret = 0;

	for (w->rule = 0; w->rule < w->set->n && !ret; w->rule++) {
		if (!w->result[w->rule] || !w->set->rule[w->rule].nchanges)
			continue;
		k.first = k.n;
		ret = rule_expand(&w->set->rule[w->rule], acl_kind_note, &k);
	}
	if (!ret)
		ret = acl_kinds_emit(&k, table);
	free(k.kind);
	return ret;
}

/* --- all rules ---------------------------------------------------------------------------------- */

static int acl_plain_emit(struct acl_work *w, int table)
{
	static const struct shape result = {.n = 1, .key = {ACL_BEST}, .mask = {0xffff}};
	bool begun = false;
	int ret = 0;

	for (uint32_t i = 0; i < w->set->n && ret >= 0; i++) {
		uint64_t value = w->result[i];

		if (!value || w->set->rule[i].nchanges)
			continue;
		ret = begun ? 0 : acl_matcher_add(w->out, table, &result);
		begun = true;
		if (ret >= 0)
			ret = acl_entry_add(w->out, table, &value, ACL_NONE, ACL_NONE, i);
	}
	return ret < 0 ? ret : 0;
}

int acl_results_emit(struct acl_work *w)
{
	int table, ret;

	if (!acl_results_lead(w->out, (uint32_t)w->out->n))
		return 0;
	table = acl_table_add(w->out);
	ret = table < 0 ? table : acl_plain_emit(w, table);
	if (!ret)
		ret = acl_changing_emit(w, table);
	return ret ? ret : acl_all_add(w->out, table, ACL_NONE, ACL_NONE, ACL_NONE);
}
