/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds rows of the tables, and adds lists of rewrites that a dump lacks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codes.h"
#include "ste.h"

void *steering_grow(void **rows, uint32_t *n, size_t size)
{
	if ((*n & (*n - 1)) == 0) {
		void *more = realloc(*rows, (*n ? 2 * (size_t)*n : 1) * size);

		if (!more)
			return NULL;
		*rows = more;
	}
	return memset((char *)*rows + size * (*n)++, 0, size);
}

void steering_free(struct steering *d)
{
	code_tables_free(d);
	for (uint32_t i = 0; i < d->nmatchers; i++)
		for (unsigned int side = 0; side < SIDES; side++)
			free(d->matcher[i].view[side]);
	free(d->domain);
	free(d->vport);
	free(d->table);
	free(d->matcher);
	free(d->rule);
	free(d->action);
	free(d->rewrite);
	free(d->template);
	free(d->entry);
	free(d->by_index);
	memset(d, 0, sizeof(*d));
}

static int steering_compare_places(const void *a, const void *b, void *ctx)
{
	const struct steering *d = ctx;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct steering_record *x = &d->entry[left], *y = &d->entry[right];

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return left < right ? -1 : left > right;
}

int steering_index(struct steering *d)
{
	d->by_index = calloc(d->nentries + 1u, sizeof(*d->by_index));
	if (!d->by_index)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->nentries; i++)
		d->by_index[i] = i;
	qsort_r(d->by_index, d->nentries, sizeof(*d->by_index), steering_compare_places, d);
	return 0;
}

/* --- actions --- */

bool steering_add_rewrites(struct steering *d, const uint8_t *bytes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct steering_rewrite *w = STEERING_GROW(d->rewrite, d->nrewrites);

		if (!w)
			return false;
		w->prm = true;
		memcpy(w->bytes, bytes + sizeof(w->bytes) * i, sizeof(w->bytes));
	}
	return true;
}

const struct steering_action *steering_rewrites(const struct steering *d,
						const struct steering_rule *r)
{
	const struct steering_action *found = NULL;

	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++) {
		const struct steering_action *a = &d->action[i];

		if (a->kind == ACTION_DECAP_L3 || (a->kind == ACTION_REWRITES && found))
			return NULL;
		if (a->kind == ACTION_REWRITES)
			found = a;
	}
	return found;
}

const struct steering_action *steering_copies(const struct steering *d,
					      const struct steering_rule *r)
{
	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (d->action[i].onward)
			return &d->action[i];
	return NULL;
}

bool steering_rule_has(const struct steering *d, const struct steering_rule *r,
		       enum action_kind first, enum action_kind last)
{
	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (d->action[i].kind >= first && d->action[i].kind <= last)
			return true;
	return false;
}

bool steering_rule_is(const struct steering *d, const struct steering_rule *r, uint32_t type)
{
	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (d->action[i].type == type)
			return true;
	return false;
}

const char *steering_encap(const struct steering *d, const struct steering_rule *r)
{
	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (d->action[i].encap)
			return d->action[i].encap;
	return NULL;
}

/* --- tables and entries --- */

const struct steering_record *steering_entry_at(const struct steering *d, uint32_t domain,
						uint32_t index)
{
	uint32_t low = 0, high = d->nentries;
	const struct steering_record *e;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		e = &d->entry[d->by_index[mid]];
		if (e->domain < domain || (e->domain == domain && e->index < index))
			low = mid + 1;
		else
			high = mid;
	}
	e = low < d->nentries ? &d->entry[d->by_index[low]] : NULL;
	return e && e->domain == domain && e->index == index ? e : NULL;
}

/* An entry of hardware steering leads on by a template, and the rule has its action. */
static const struct steering_table *steering_leads_by_action(const struct steering *d,
							     const struct steering_rule *r)
{
	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (d->action[i].kind == ACTION_TABLE)
			return steering_table_of(d, d->action[i].table);
	return NULL;
}

const struct steering_table *steering_leads(const struct steering *d,
					    const struct steering_record *r,
					    const struct steering_entry *e)
{
	if (r->format == STEERING_HARDWARE)
		return steering_leads_by_action(d, &d->rule[r->rule]);
	if (e->next_entries != 1 ||
	    steering_rule_has(d, &d->rule[r->rule], ACTION_ENDS, ACTION_ARRAY))
		return NULL;
	for (uint32_t i = 0; i < d->ntables; i++)
		if (d->table[i].domain == r->domain && d->table[i].has[r->side] &&
		    d->table[i].anchor[r->side] == steering_index_of(e->next))
			return &d->table[i];
	return NULL;
}

struct steering_table *steering_table_of(const struct steering *d, uint64_t id)
{
	for (uint32_t i = 0; i < d->ntables; i++)
		if (d->table[i].id == id)
			return &d->table[i];
	return NULL;
}

struct steering_range steering_rules(const struct steering *d, uint32_t table)
{
	const struct steering_table *t = &d->table[table];
	const struct steering_matcher *first = &d->matcher[t->first], *last = first + t->n - 1;

	if (!t->n)
		return (struct steering_range){0, 0};
	return (struct steering_range){first->first, last->first + last->n};
}

const struct steering_record *steering_first_entry(const struct steering *d,
						   const struct steering_rule *r, enum side side)
{
	for (uint32_t i = r->first; i < r->first + r->n; i++)
		if (d->entry[i].side == side)
			return &d->entry[i];
	return NULL;
}

uint32_t steering_place(const struct steering *d, const struct steering_record *e)
{
	return (uint32_t)(e - steering_first_entry(d, &d->rule[e->rule], (enum side)e->side));
}

bool steering_is_last(const struct steering *d, const struct steering_record *e)
{
	const struct steering_rule *r = &d->rule[e->rule];
	uint32_t at = (uint32_t)(e - d->entry);

	return at + 1 == r->first + r->n || d->entry[at + 1].side != e->side;
}
