/* SPDX-License-Identifier: BSD-2-Clause */
/* Additions to the dump: lists of rewrites, and the tables that mirrors lead to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "dump.h"

#define REWRITES 3402 /* records: an action that rewrites headers */
#define ARRAY	 3416 /* destinations: a queue that mirrors, and where the packet goes on */
#define DECAP_L3 3410 /* its list writes the new Ethernet header */

static int dump_rewrite_append(struct steering_dump *d, const struct dump_rewrites *row)
{
	for (uint32_t i = 0; i < row->n; i++) {
		struct dump_rewrite *w =
			dump_grow((void **)&d->rewrite, &d->nrewrites, sizeof(*d->rewrite));

		if (!w)
			return -ENOMEM;
		w->prm = true;
		memcpy(w->bytes, row->bytes + sizeof(w->bytes) * i, sizeof(w->bytes));
	}
	return 0;
}

static int dump_rewrite_compare(const void *a, const void *b)
{
	const struct dump_rewrites *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

int steering_dump_rewrites(struct steering_dump *d, const struct dump_rewrites *rows, size_t n)
{
	uint32_t *first = calloc(n + 1, sizeof(*first));
	int ret = first ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !ret; i++) {
		first[i] = d->nrewrites;
		ret = dump_rewrite_append(d, &rows[i]);
	}
	for (uint32_t i = 0; i < d->nactions && !ret; i++) {
		struct dump_rewrites key = {.id = d->action[i].id}, *row;

		if (d->action[i].type != REWRITES)
			continue;
		row = bsearch(&key, rows, n, sizeof(key), dump_rewrite_compare);
		if (!row)
			continue;
		d->action[i].first = first[row - rows];
		d->action[i].n = row->n;
	}
	free(first);
	return ret;
}

const struct dump_action *dump_rewrite_of(const struct steering_dump *d, const struct dump_rule *r)
{
	const struct dump_action *found = NULL;

	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++) {
		if (d->action[i].type == DECAP_L3 || (d->action[i].type == REWRITES && found))
			return NULL;
		if (d->action[i].type == REWRITES)
			found = &d->action[i];
	}
	return found;
}

bool steering_dump_onward(struct steering_dump *d, uint64_t action, uint64_t table)
{
	bool found = false;
	uint32_t t = 0;

	while (t < d->ntables && d->table[t].id != table)
		t++;
	for (uint32_t i = 0; i < d->nactions && t < d->ntables; i++)
		if (d->action[i].type == ARRAY && d->action[i].id == action) {
			d->action[i].onward = t + 1;
			found = true;
		}
	return found;
}

const struct dump_table *dump_onward_of(const struct steering_dump *d, const struct dump_rule *r)
{
	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (d->action[i].onward)
			return &d->table[d->action[i].onward - 1];
	return NULL;
}

bool dump_rule_ends(const struct steering_dump *d, const struct dump_rule *r)
{
	static const uint32_t ends[] = {3403, 3404, 3408, 3411, ARRAY, 3423, 3424};

	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		for (size_t k = 0; k < sizeof(ends) / sizeof(ends[0]); k++)
			if (d->action[i].type == ends[k])
				return true;
	return false;
}
