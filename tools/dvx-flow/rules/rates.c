/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "compile.h"
#include "map.h"
#include "rates.h"
#include "shape.h"

/* The rules with a rate in a row, of one table and direction. */
struct rates_run {
	struct shape shape; /* of all their entries */
	bool has_shape;
	bool closed;	 /* an entry has another shape */
	struct map seen; /* values of their entries */
};

static uint64_t rates_hash(const struct shape *s, const uint64_t *value)
{
	uint64_t h = 1;

	for (unsigned int i = 0; i < s->n; i++)
		h = map_mix(h, value[i]);
	return h;
}

/* Returns 1 if the entry may have a packet in common with the run. Equal hashes count as that. */
static int rates_look(void *arg, const struct shape *s, const uint64_t *value)
{
	const struct rates_run *run = arg;

	return !run->has_shape || run->closed || !shape_same(&run->shape, s) ||
	       map_get(&run->seen, rates_hash(s, value));
}

static int rates_add(void *arg, const struct shape *s, const uint64_t *value)
{
	struct rates_run *run = arg;

	if (!run->has_shape)
		run->shape = *s;
	run->has_shape = true;
	run->closed |= !shape_same(&run->shape, s);
	return map_put(&run->seen, rates_hash(s, value), 0) ? 0 : -ENOMEM;
}

static void rates_begin(struct rates_run *run)
{
	map_free(&run->seen);
	run->has_shape = run->closed = false;
}

/* A rule of too many entries is refused later. */
static int rates_take(struct rates_run *run, const struct rule *r, bool *joins)
{
	int ret;

	if (!r->over) {
		rates_begin(run);
		return 0;
	}
	*joins = !rule_expand(r, rates_look, run);
	if (!*joins)
		rates_begin(run);
	ret = rule_expand(r, rates_add, run);
	return ret == -ENOMEM ? ret : 0;
}

bool *rates_join(const struct ruleset *set)
{
	size_t n = RULE_DIRS * (set->ntables ? set->ntables : 1);
	struct rates_run *runs = calloc(n, sizeof(*runs));
	bool *joins = calloc(set->n + 1, sizeof(*joins));
	int ret = runs && joins ? 0 : -ENOMEM;

	for (size_t i = 0; i < set->n && !ret; i++) {
		const struct rule *r = &set->rule[i];

		ret = rates_take(&runs[RULE_DIRS * r->table + (uint32_t)r->dir], r, &joins[i]);
	}
	for (size_t i = 0; runs && i < n; i++)
		map_free(&runs[i].seen);
	free(runs);
	if (!ret)
		return joins;
	free(joins);
	return NULL;
}
