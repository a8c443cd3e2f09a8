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
	if (run->has_shape)
		map_free(&run->seen);
	run->has_shape = run->closed = false;
}

static size_t rates_runs(const struct ruleset *set)
{
	return RULE_DIRS * (set->ntables ? set->ntables : 1);
}

struct rates_run *rates_new(const struct ruleset *set)
{
	return calloc(rates_runs(set), sizeof(struct rates_run));
}

/* A rule of too many entries is refused later. */
int rates_take(struct rates_run *runs, const struct rule *r)
{
	struct rates_run *run = &runs[RULE_DIRS * r->table + (uint32_t)r->dir];
	bool joins;

	if (!r->over) {
		rates_begin(run);
		return false;
	}
	joins = !rule_expand(r, rates_look, run);
	if (!joins)
		rates_begin(run);
	return rule_expand(r, rates_add, run) == -ENOMEM ? -ENOMEM : joins;
}

void rates_free(struct rates_run *runs, const struct ruleset *set)
{
	for (size_t i = 0; runs && i < rates_runs(set); i++)
		map_free(&runs[i].seen);
	free(runs);
}
