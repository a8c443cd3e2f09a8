/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removes levels. A removed level costs only cells: those of its masks are written once for each
 * class of the next lower level that is in use.
 */
#include <stdlib.h>
#include <string.h>

#include "work.h"

/* Levels of a field before masks are merged: masks multiply. */
#define ACL_LEVELS 6u
/* This many cells are few for any class. */
#define ACL_CELLS_FREE 4096u

static void acl_levels_used(const struct acl_class *c, unsigned int f, bool used[ACL_HEIGHT + 1])
{
	memset(used, 0, (ACL_HEIGHT + 1) * sizeof(*used));
	for (size_t m = 0; m < c->nmasks; m++)
		used[c->mask[m].level[f]] = true;
}

/* Counts the levels below "all values", and the bytes of their digits. */
static unsigned int acl_levels_count(const struct acl_class *c, unsigned int f, unsigned int *bytes)
{
	bool used[ACL_HEIGHT + 1];
	unsigned int n = 0;

	acl_levels_used(c, f, used);
	for (unsigned int l = 0; l < c->field[f].family.top; l++) {
		n += used[l];
		*bytes += used[l] ? acl_digit_bytes(&c->field[f].family, l) : 0;
	}
	return n;
}

/* Returns how many cells are added if `level` becomes `lower`. */
static size_t acl_level_cost(const struct acl_class *c, unsigned int f, unsigned int level,
			     unsigned int lower)
{
	size_t cost = 0;

	for (size_t m = 0; m < c->nmasks; m++)
		for (size_t i = 0; c->mask[m].level[f] == level && i < c->mask[m].n; i++)
			cost += acl_family_count(&c->field[f].family, c->mask[m].cell[i].node[f],
						 lower) -
				1;
	return cost;
}

struct acl_drop {
	unsigned int field, level, lower;
	size_t cost;
};

/* Finds the cheapest level of a field to remove. */
static void acl_level_cheapest(const struct acl_class *c, unsigned int f, struct acl_drop *best)
{
	bool used[ACL_HEIGHT + 1];
	unsigned int lower = 0;
	bool any = false;

	acl_levels_used(c, f, used);
	for (unsigned int l = 0; l <= c->field[f].family.top; l++) {
		size_t cost = used[l] && any ? acl_level_cost(c, f, l, lower) : SIZE_MAX;

		if (cost < best->cost)
			*best = (struct acl_drop){f, l, lower, cost};
		if (used[l])
			lower = l;
		any |= used[l];
	}
}

/* Moves masks of the level to the lower one. Masks that become equal are joined. */
static int acl_level_drop(struct acl_class *c, const struct acl_drop *d)
{
	int ret = 0;

	for (size_t m = 0; m < c->nmasks && !ret; m++)
		if (c->mask[m].level[d->field] == d->level)
			ret = acl_mask_lower(c, m, d->field, d->lower);
	for (size_t m = 0; m < c->nmasks && !ret; m++)
		for (size_t o = c->nmasks; o-- > m + 1 && !ret;)
			if (!memcmp(c->mask[m].level, c->mask[o].level, sizeof(c->mask->level)))
				ret = acl_masks_join(c, m, o);
	return ret;
}

int acl_levels_reduce(struct acl_work *w, struct acl_class *c)
{
	size_t most = c->cells * ACL_GROWTH_MOST + ACL_CELLS_FREE;
	int ret = 0;

	if (most > ACL_CELLS)
		most = ACL_CELLS;

	while (!ret) {
		struct acl_drop best = {.cost = SIZE_MAX};
		unsigned int bytes = 0, n[ACL_FIELDS];

		for (unsigned int f = 0; f < c->nfields; f++)
			n[f] = acl_levels_count(c, f, &bytes);
		for (unsigned int f = 0; f < c->nfields; f++)
			if (bytes > ACL_CODE_BYTES || n[f] > ACL_LEVELS)
				acl_level_cheapest(c, f, &best);
		if (bytes <= ACL_CODE_BYTES && best.cost == SIZE_MAX)
			break;
		if (best.cost > most || acl_class_cells(c) + best.cost > most)
			return acl_refuse(w, c->box[0].rule,
					  "the codes do not fit into the registers");
		ret = acl_level_drop(c, &best);
		if (!ret)
			ret = acl_class_work(c, c->nfields * acl_class_cells(c));
	}
	return ret;
}
