/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges masks. Two masks become one that has the lower level of either in each field: a cell above
 * is written once for each class below. Inside a mask the first rule keeps a cell, which settles
 * their order.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"
#include "rules/arena.h"

static int acl_cell_order(const void *one, const void *other)
{
	const struct acl_cell *a = one, *b = other;
	int o = memcmp(a->node, b->node, sizeof(a->node));

	return o ? o : (a->rule > b->rule) - (a->rule < b->rule);
}

/* Sorts a mask's cells; of equal cells, the first rule's stays. */
static void acl_mask_settle(struct acl_mask *m)
{
	size_t kept = 0;

	qsort(m->cell, m->n, sizeof(*m->cell), acl_cell_order);
	for (size_t i = 0; i < m->n; i++)
		if (!i || memcmp(m->cell[kept - 1].node, m->cell[i].node, sizeof(m->cell->node)))
			m->cell[kept++] = m->cell[i];
	m->n = kept;
}

/* --- what a merge would cost ------------------------------------------------------------------ */

static void acl_level_join(uint8_t out[ACL_FIELDS], const struct acl_mask *a,
			   const struct acl_mask *b)
{
	for (unsigned int f = 0; f < ACL_FIELDS; f++)
		out[f] = a->level[f] < b->level[f] ? a->level[f] : b->level[f];
}

/* Returns how many cells a mask becomes at lower levels; `most` if that many or more. */
static size_t acl_mask_weight(const struct acl_class *c, const struct acl_mask *m,
			      const uint8_t *level, size_t most)
{
	size_t sum = 0;

	for (size_t i = 0; i < m->n && sum < most; i++) {
		size_t w = 1;

		for (unsigned int f = 0; f < c->nfields && w < most; f++)
			w *= acl_family_count(&c->field[f].family, m->cell[i].node[f], level[f]);
		sum += w;
	}
	return sum < most ? sum : most;
}

/* Returns by how many cells the class grows. */
static size_t acl_merge_growth(const struct acl_class *c, const struct acl_mask *a,
			       const struct acl_mask *b, size_t most)
{
	uint8_t level[ACL_FIELDS];
	size_t sum;

	most += a->n + b->n;
	acl_level_join(level, a, b);
	sum = acl_mask_weight(c, a, level, most);
	if (sum < most)
		sum += acl_mask_weight(c, b, level, most - sum);
	return sum - a->n - b->n;
}

/* --- merging ------------------------------------------------------------------------------------ */

/* Adds all classes of the lower levels in a cell. */
static int acl_cell_spread(const struct acl_class *c, struct acl_mask *to,
			   const struct acl_cell *from, unsigned int f, struct acl_cell *cell)
{
	const struct acl_family *tree;
	int ret = 0;

	if (f == c->nfields) {
		if (!array_grow((void **)&to->cell, to->n, &to->room, sizeof(*to->cell)))
			return -ENOMEM;
		to->cell[to->n++] = *cell;
		return 0;
	}
	tree = &c->field[f].family;
	for (uint32_t i = from->node[f]; i < tree->end[from->node[f]] && !ret; i++) {
		if (tree->height[i] < to->level[f])
			continue;
		cell->node[f] = i;
		ret = acl_cell_spread(c, to, from, f + 1, cell);
	}
	return ret;
}

static int acl_mask_spread(struct acl_class *c, struct acl_mask *to, const struct acl_mask *from)
{
	int ret = 0;

	for (size_t i = 0; i < from->n && !ret; i++) {
		struct acl_cell cell = {.rule = from->cell[i].rule};

		ret = acl_cell_spread(c, to, &from->cell[i], 0, &cell);
	}
	return ret ? ret : acl_class_work(c, from->n + to->n);
}

int acl_mask_lower(struct acl_class *c, size_t m, unsigned int f, unsigned int level)
{
	struct acl_mask to = {.n = 0};
	int ret;

	memcpy(to.level, c->mask[m].level, sizeof(to.level));
	to.level[f] = (uint8_t)level;
	ret = acl_mask_spread(c, &to, &c->mask[m]);
	if (!ret)
		acl_mask_settle(&to);
	free(c->mask[m].cell);
	c->mask[m] = to;
	return ret;
}

int acl_masks_join(struct acl_class *c, size_t a, size_t b)
{
	struct acl_mask to = {.n = 0};
	int ret;

	acl_level_join(to.level, &c->mask[a], &c->mask[b]);
	ret = acl_mask_spread(c, &to, &c->mask[a]);
	if (!ret)
		ret = acl_mask_spread(c, &to, &c->mask[b]);
	if (!ret)
		acl_mask_settle(&to);
	free(c->mask[a].cell);
	free(c->mask[b].cell);
	c->mask[a] = to;
	c->mask[b] = c->mask[--c->nmasks];
	c->mask[c->nmasks] = (struct acl_mask){.n = 0};
	return ret;
}

struct acl_growths {
	size_t (*of)[ACL_MASKS]; /* of[a][b], a < b */
	size_t most;
};

static int acl_growths_renew(struct acl_class *c, struct acl_growths *g, size_t at)
{
	for (size_t i = 0; i < c->nmasks; i++) {
		size_t a = i < at ? i : at, b = i < at ? at : i;

		if (a != b)
			g->of[a][b] = acl_merge_growth(c, &c->mask[a], &c->mask[b], g->most);
	}
	return acl_class_work(c, c->nmasks * c->mask[at].n + acl_class_cells(c));
}

static bool acl_growths_least(const struct acl_class *c, const struct acl_growths *g, size_t *a,
			      size_t *b)
{
	size_t least = g->most;

	for (size_t i = 0; i < c->nmasks; i++)
		for (size_t j = i + 1; j < c->nmasks; j++)
			if (g->of[i][j] < least) {
				least = g->of[i][j];
				*a = i;
				*b = j;
			}
	return least < g->most;
}

size_t acl_class_cells(const struct acl_class *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nmasks; i++)
		n += c->mask[i].n;
	return n;
}

static int acl_merge_all(struct acl_class *c, struct acl_growths *g, size_t budget)
{
	size_t a = 0, b = 0;
	int ret = 0;

	g->most = budget;
	for (size_t i = 0; i < c->nmasks && !ret; i++)
		ret = acl_growths_renew(c, g, i);
	while (!ret && acl_growths_least(c, g, &a, &b)) {
		if (g->of[a][b] + acl_class_cells(c) > budget)
			break;
		ret = acl_masks_join(c, a, b);
		if (!ret)
			ret = acl_growths_renew(c, g, a);
		if (!ret && b < c->nmasks)
			ret = acl_growths_renew(c, g, b);
	}
	return ret;
}

void acl_masks_settle(struct acl_class *c)
{
	for (size_t i = 0; i < c->nmasks; i++)
		acl_mask_settle(&c->mask[i]);
}

int acl_merge(struct acl_class *c, size_t budget)
{
	struct acl_growths g = {calloc(ACL_MASKS, sizeof(*g.of)), 0};
	int ret = g.of ? acl_merge_all(c, &g, budget) : -ENOMEM;

	free(g.of);
	return ret;
}
