/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Orders masks in bands. A band looks up each of its masks once, in one order, and its first hit is
 * its answer. So a rule goes into the first band that has no overlapping earlier rule behind the
 * rule's own masks.
 *
 * The one of two bands' answers with smaller depth is the earlier rule; equal depths keep the
 * earlier band's. Depth has to grow only where a later band has the earlier rule of two that
 * overlap, so a few depths order thousands of rules.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"
#include "rules/arena.h"

/* The cells of a band and mask, as far as another mask can distinguish them. */
struct acl_view {
	struct map seen; /* hash of the common classes -> the deepest rule's depth */
};

struct acl_sight {
	const struct acl_class *c;
	struct acl_bands *b;
	struct acl_view *view[ACL_BANDS]; /* [band][mask * nmasks + other] */
	bool *has[ACL_BANDS];		  /* the band has cells of a mask */
};

/* Returns a cell's classes at the higher level of two masks: cells overlap if these are equal. */
static uint64_t acl_common(const struct acl_class *c, const struct acl_cell *cell, size_t m,
			   size_t other)
{
	uint64_t h = 1;

	for (unsigned int f = 0; f < c->nfields; f++) {
		uint8_t a = c->mask[m].level[f], b = c->mask[other].level[f];

		h = map_mix(h, acl_family_class(&c->field[f].family, cell->node[f], a > b ? a : b));
	}
	return h;
}

static struct acl_view *acl_view_of(const struct acl_sight *s, size_t band, size_t m, size_t other)
{
	return &s->view[band][m * s->c->nmasks + other];
}

/* --- cells that no packet reaches ----------------------------------------------------------- */

static const struct acl_cell *acl_mask_find(const struct acl_mask *m, const uint32_t *node)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int o = memcmp(m->cell[mid].node, node, sizeof(m->cell->node));

		if (!o)
			return &m->cell[mid];
		if (o < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* Returns whether an earlier rule's cell of mask `over`, nowhere finer, contains this cell. */
static bool acl_cell_covered(const struct acl_class *c, const struct acl_cell *cell,
			     const struct acl_mask *m, const struct acl_mask *over)
{
	uint32_t node[ACL_FIELDS] = {0};
	const struct acl_cell *found;

	for (unsigned int f = 0; f < c->nfields; f++) {
		if (over->level[f] < m->level[f])
			return false;
		node[f] = acl_family_class(&c->field[f].family, cell->node[f], over->level[f]);
	}
	found = acl_mask_find(over, node);
	return found && found->rule < cell->rule;
}

static void acl_mask_prune(struct acl_class *c, struct acl_mask *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++) {
		bool covered = false;

		for (size_t o = 0; o < c->nmasks && !covered; o++)
			covered = &c->mask[o] != m &&
				  acl_cell_covered(c, &m->cell[i], m, &c->mask[o]);
		if (!covered)
			m->cell[kept++] = m->cell[i];
	}
	m->n = kept;
}

/* --- bands ------------------------------------------------------------------------------------- */

static int acl_band_open(struct acl_sight *s)
{
	size_t n = s->c->nmasks;

	if (s->b->bands == ACL_BANDS)
		return -E2BIG;
	s->view[s->b->bands] = calloc(n * n, sizeof(**s->view));
	s->has[s->b->bands] = calloc(n, sizeof(**s->has));
	if (!s->view[s->b->bands] || !s->has[s->b->bands])
		return -ENOMEM;
	s->b->bands++;
	return 0;
}

static void acl_sight_free(struct acl_sight *s)
{
	for (size_t b = 0; b < ACL_BANDS; b++) {
		for (size_t i = 0; s->view[b] && i < s->c->nmasks * s->c->nmasks; i++)
			map_free(&s->view[b][i].seen);
		free(s->view[b]);
		free(s->has[b]);
	}
}

/* Returns whether an overlapping rule of the band stands behind the cell's mask. */
static bool acl_band_blocked(const struct acl_sight *s, size_t band, const struct acl_placed *p)
{
	for (size_t o = 0; o < s->c->nmasks; o++)
		if (s->has[band][o] && s->b->position[o] > s->b->position[p->mask] &&
		    map_get(&acl_view_of(s, band, o, p->mask)->seen,
			    acl_common(s->c, &p->cell, p->mask, o)))
			return true;
	return false;
}

static int acl_cell_place(struct acl_sight *s, struct acl_placed *p)
{
	size_t band = 0;
	int ret = 0;

	while (band < s->b->bands && acl_band_blocked(s, band, p))
		band++;
	if (band == s->b->bands)
		ret = acl_band_open(s);
	p->band = (uint16_t)band;
	return ret;
}

/* Returns the depth that a cell needs because of earlier rules in other bands. */
static uint32_t acl_cell_depth(const struct acl_sight *s, const struct acl_placed *p)
{
	uint32_t depth = 0;

	for (size_t band = 0; band < s->b->bands; band++)
		for (size_t o = 0; band != p->band && o < s->c->nmasks; o++) {
			const struct map_slot *seen =
				!s->has[band][o] ? NULL
						 : map_get(&acl_view_of(s, band, o, p->mask)->seen,
							   acl_common(s->c, &p->cell, p->mask, o));

			if (seen && seen->what + (band > p->band) > depth)
				depth = seen->what + (band > p->band);
		}
	return depth;
}

static int acl_cell_show(const struct acl_sight *s, const struct acl_placed *p, uint32_t depth)
{
	s->has[p->band][p->mask] = true;
	for (size_t o = 0; o < s->c->nmasks; o++) {
		struct map_slot *slot = map_put(&acl_view_of(s, p->band, p->mask, o)->seen,
						acl_common(s->c, &p->cell, p->mask, o), depth);

		if (!slot)
			return -ENOMEM;
		if (slot->what < depth)
			slot->what = depth;
	}
	return 0;
}

/* Places all cells of one rule, which do not order each other. */
static int acl_rule_place(struct acl_sight *s, size_t from, size_t to)
{
	struct acl_placed *p = s->b->placed;
	uint32_t depth = 0;
	int ret = 0;

	for (size_t i = from; i < to && !ret; i++)
		ret = acl_cell_place(s, &p[i]);
	for (size_t i = from; i < to && !ret; i++) {
		uint32_t d = acl_cell_depth(s, &p[i]);

		depth = d > depth ? d : depth;
	}
	if (depth > ACL_DEPTHS)
		ret = ret ? ret : -E2BIG;
	for (size_t i = from; i < to && !ret; i++)
		ret = acl_cell_show(s, &p[i], depth);
	s->b->depth[p[from].cell.rule] = (uint16_t)depth;
	s->b->depths = depth > s->b->depths ? (uint16_t)depth : s->b->depths;
	return ret;
}

static size_t acl_sight_path(const struct acl_sight *s)
{
	size_t path = 0;

	for (size_t b = 0; b < s->b->bands; b++) {
		path += b ? 3 : 1; /* the miss of a band; a choice of one digit and its miss */
		for (size_t m = 0; m < s->c->nmasks; m++)
			path += s->has[b][m];
	}
	return path;
}

static int acl_bands_fill(struct acl_class *c, struct acl_bands *b)
{
	struct acl_sight s = {.c = c, .b = b};
	int ret = 0;

	b->bands = 0;
	b->depths = 0;
	for (size_t m = 0; m < c->nmasks; m++)
		b->position[b->order[m]] = (uint16_t)m;
	for (size_t i = 0, end; i < b->n && !ret; i = end) {
		for (end = i; end < b->n && b->placed[end].cell.rule == b->placed[i].cell.rule;)
			end++;
		ret = acl_rule_place(&s, i, end);
		if (!ret)
			ret = acl_class_work(c, (end - i) * b->bands * c->nmasks);
	}
	b->path = acl_sight_path(&s);
	acl_sight_free(&s);
	return ret;
}

/* --- orders of masks ---------------------------------------------------------------------------- */

static int acl_placed_order(const void *one, const void *other)
{
	const struct acl_placed *a = one, *b = other;

	if (a->cell.rule != b->cell.rule)
		return a->cell.rule < b->cell.rule ? -1 : 1;
	return memcmp(a->cell.node, b->cell.node, sizeof(a->cell.node));
}

static int acl_cells_gather(const struct acl_class *c, struct acl_bands *b)
{
	size_t n = 0;

	for (size_t m = 0; m < c->nmasks; m++)
		n += c->mask[m].n;
	b->placed = calloc(n + 1, sizeof(*b->placed));
	if (!b->placed)
		return -ENOMEM;
	for (size_t m = 0; m < c->nmasks; m++)
		for (size_t i = 0; i < c->mask[m].n; i++)
			b->placed[b->n++] = (struct acl_placed){c->mask[m].cell[i], (uint16_t)m, 0};
	qsort(b->placed, b->n, sizeof(*b->placed), acl_placed_order);
	return 0;
}

/*
 * Counts, in before[a * nmasks + b], the cells of mask b that an earlier rule's cell of mask a
 * overlaps. Uses the view of a band that has all cells.
 */
static int acl_orders_count(const struct acl_class *c, struct acl_bands *b, uint32_t *before)
{
	struct acl_sight s = {.c = c, .b = b};
	int ret;

	b->bands = 0;
	ret = acl_band_open(&s);
	for (size_t i = 0; i < b->n && !ret; i++) {
		struct acl_placed *p = &b->placed[i];

		p->band = 0;
		for (size_t o = 0; o < c->nmasks; o++)
			before[o * c->nmasks + p->mask] +=
				o != p->mask && s.has[0][o] &&
				map_get(&acl_view_of(&s, 0, o, p->mask)->seen,
					acl_common(c, &p->cell, p->mask, o));
		ret = acl_cell_show(&s, p, 0);
	}
	acl_sight_free(&s);
	return ret;
}

/* Returns how many more of the remaining cells a mask stands before than behind. */
static int64_t acl_mask_lead(const uint32_t *before, size_t n, const bool *taken, size_t m)
{
	int64_t lead = 0;

	for (size_t o = 0; o < n; o++)
		if (!taken[o])
			lead += (int64_t)before[m * n + o] - before[o * n + m];
	return lead;
}

/*
 * Orders masks by lead: the mask with the greatest lead comes first, then the one with the greatest
 * lead over the others.
 */
static void acl_order_lead(const struct acl_class *c, struct acl_bands *b, const uint32_t *before)
{
	bool taken[ACL_MASKS] = {false};

	for (size_t at = 0; at < c->nmasks; at++) {
		int64_t best = INT64_MIN;

		for (size_t m = 0; m < c->nmasks; m++) {
			int64_t lead = acl_mask_lead(before, c->nmasks, taken, m);

			if (!taken[m] && lead > best) {
				best = lead;
				b->order[at] = (uint16_t)m;
			}
		}
		taken[b->order[at]] = true;
	}
}

/* Orders masks from the finest to the coarsest. */
static void acl_order_fine(const struct acl_class *c, struct acl_bands *b)
{
	unsigned int key[ACL_MASKS];

	for (size_t m = 0; m < c->nmasks; m++) {
		size_t at = m;

		key[m] = 0;
		for (unsigned int f = 0; f < c->nfields; f++)
			key[m] += c->mask[m].level[f] == c->field[f].family.top
					  ? 2 * ACL_HEIGHT
					  : c->mask[m].level[f];
		for (; at && key[b->order[at - 1]] > key[m]; at--)
			b->order[at] = b->order[at - 1];
		b->order[at] = (uint16_t)m;
	}
}

/* Tries two orders, and keeps the better one. */
static int acl_orders_try(struct acl_class *c, struct acl_bands *b, const uint32_t *before)
{
	size_t path;
	int ret;

	acl_order_fine(c, b);
	ret = acl_bands_fill(c, b);
	if (ret == -ENOMEM)
		return ret;
	path = ret ? SIZE_MAX : b->path;
	acl_order_lead(c, b, before);
	ret = acl_bands_fill(c, b);
	if (ret == -ENOMEM || (!ret && b->path <= path) || path == SIZE_MAX)
		return ret;
	acl_order_fine(c, b);
	return acl_bands_fill(c, b);
}

static int acl_bands_order(struct acl_class *c, struct acl_bands *b)
{
	uint32_t *before = calloc(c->nmasks * c->nmasks + 1, sizeof(*before));
	int ret = before ? acl_orders_count(c, b, before) : -ENOMEM;

	if (!ret)
		ret = acl_orders_try(c, b, before);
	free(before);
	return ret;
}

int acl_bands_make(struct acl_work *w, struct acl_class *c)
{
	struct acl_bands *b = &c->bands;
	int ret;

	acl_bands_free(b);
	*b = (struct acl_bands){.n = 0};
	if (c->nmasks > ACL_BAND_MASKS || c->nmasks * acl_class_cells(c) > ACL_VIEWS)
		return acl_refuse(w, c->box[0].rule, "the rules have too many shapes");
	for (size_t m = 0; m < c->nmasks; m++)
		acl_mask_prune(c, &c->mask[m]);
	b->depth = calloc(w->set->n + 1, sizeof(*b->depth));
	ret = b->depth ? acl_cells_gather(c, b) : -ENOMEM;
	if (!ret)
		ret = acl_bands_order(c, b);
	return ret == -E2BIG ? acl_refuse(w, c->box[0].rule, "the rules alternate too often") : ret;
}

void acl_bands_free(struct acl_bands *b)
{
	free(b->placed);
	free(b->depth);
}
