/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the fields that a class's rules compare, makes the tree of each field's values, and turns
 * rules into cells: one node a field, under a mask of their heights.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"
#include "rules/arena.h"

/* --- which fields ------------------------------------------------------------------------------ */

/* Returns whether the key is a bit of a VLAN tag: libdvx takes "no tag" only as both bits. */
static bool acl_is_tag(unsigned int first)
{
	return first == KEY_CVLAN || first == KEY_CVLAN2 ||
	       first == (unsigned int)KEY_INNER(KEY_CVLAN) ||
	       first == (unsigned int)KEY_INNER(KEY_CVLAN2);
}

/* Returns the first key of a field: addresses have a key for each word, tags two. */
static unsigned int acl_field_first(unsigned int key)
{
	static const unsigned int addresses[] = {MATCH_SRC_127_96, MATCH_DST_127_96,
						 MATCH_INNER(MATCH_SRC_127_96),
						 MATCH_INNER(MATCH_DST_127_96)};

	for (int i = 0; i < 4; i++)
		if (key >= addresses[i] && key < addresses[i] + 4)
			return addresses[i];
	return key && acl_is_tag(key - 1) ? key - 1 : key;
}

/* Returns a rest's value and mask of a field's keys, one key behind the other. */
static struct cube_span acl_field_given(const struct acl_field *f, const struct acl_rest *r)
{
	struct cube_span given = {0, 0};

	for (unsigned int k = 0; k < f->nkeys; k++) {
		unsigned int bits = match_keys[f->key[k]].bits;

		given.first <<= bits;
		given.last <<= bits;
		for (unsigned int i = 0; i < r->n; i++)
			if (r->key[i] == f->key[k]) {
				given.first |= r->value[i];
				given.last |= r->mask[i];
			}
	}
	return given;
}

static cube_bits acl_field_all(const struct acl_field *f)
{
	return f->bits == 128 ? ~(cube_bits)0 : ((cube_bits)1 << f->bits) - 1;
}

/* Returns whether a mask is leading bits. */
static bool acl_is_prefix(const struct acl_field *f, cube_bits mask)
{
	cube_bits low = ~mask & acl_field_all(f);

	return !(low & (low + 1));
}

/* Finds the different masks under which the class compares a field. 0: more than `room`. */
static size_t acl_field_masks(const struct acl_class *c, const struct acl_field *f, cube_bits *mask,
			      size_t room)
{
	size_t n = 0;

	for (size_t r = 0; r < c->nrests; r++) {
		cube_bits m = acl_field_given(f, &c->rest[r]).last;
		size_t i = 0;

		while (m && i < n && mask[i] != m)
			i++;
		if (m && i == n && n == room)
			return 0;
		if (m && i == n)
			mask[n++] = m;
	}
	return n;
}

static int acl_field_put(struct acl_work *w, struct acl_class *c, const struct acl_field *f)
{
	if (c->nfields == ACL_FIELDS)
		return acl_refuse(w, c->box[0].rule, "the rules compare too many fields");
	c->field[c->nfields++] = *f;
	return 0;
}

/*
 * Returns whether values under a mask are spans. A tag's are not: values of a prefix would have
 * both kinds.
 */
static bool acl_mask_spreads(const struct acl_field *f, cube_bits mask)
{
	return !acl_is_tag(f->key[0]) && acl_is_prefix(f, mask);
}

/* Adds one field for all masks that are prefixes, and one for each other mask. */
static int acl_field_add(struct acl_work *w, struct acl_class *c, struct acl_field *f)
{
	cube_bits mask[129];
	size_t n = acl_field_masks(c, f, mask, 129);
	int ret = 0;

	if (!n)
		return acl_refuse(w, c->box[0].rule, "the rules compare a field under many masks");
	for (size_t i = 0; i < n; i++)
		f->spread |= acl_mask_spreads(f, mask[i]);
	f->mask = acl_field_all(f);
	if (f->spread)
		ret = acl_field_put(w, c, f);
	f->spread = false;
	for (size_t i = 0; i < n && !ret; i++) {
		f->mask = mask[i];
		if (!acl_mask_spreads(f, mask[i]))
			ret = acl_field_put(w, c, f);
	}
	return ret;
}

static int acl_rest_fields(struct acl_work *w, struct acl_class *c)
{
	bool seen[MATCH_KEYS] = {false};
	int ret = 0;

	for (size_t r = 0; r < c->nrests; r++)
		for (unsigned int i = 0; i < c->rest[r].n; i++)
			seen[c->rest[r].key[i]] = true;
	for (unsigned int k = 0; k < MATCH_KEYS && !ret; k++) {
		struct acl_field f = {.port = -1};
		unsigned int first = acl_field_first(k);

		for (; k < MATCH_KEYS && seen[k] && acl_field_first(k) == first; k++) {
			f.key[f.nkeys++] = (uint8_t)k;
			f.bits = (uint8_t)(f.bits + match_keys[k].bits);
		}
		if (!f.nkeys)
			continue;
		k--;
		ret = acl_field_add(w, c, &f);
	}
	return ret;
}

static bool acl_port_whole(const struct acl_box *b, int port)
{
	return !b->first[port] && b->last[port] == UINT16_MAX;
}

static int acl_port_fields(struct acl_work *w, struct acl_class *c)
{
	int ret = 0;

	for (int p = 0; p < ACL_PORTS && !ret; p++) {
		struct acl_field f = {.key = {(uint8_t)acl_port_key(c, p)},
				      .nkeys = 1,
				      .bits = 16,
				      .mask = UINT16_MAX,
				      .spread = true,
				      .port = p};
		size_t i = 0;

		while (i < c->n && acl_port_whole(&c->box[i], p))
			i++;
		if (i < c->n)
			ret = acl_field_put(w, c, &f);
	}
	return ret;
}

/* --- their trees ------------------------------------------------------------------------------ */

/* Finds the values that a rest or a box lets a field have. Returns false if it may have all. */
static bool acl_field_span(const struct acl_class *c, const struct acl_field *f,
			   const struct acl_box *b, struct cube_span *out)
{
	struct cube_span given;

	if (f->port >= 0) {
		*out = (struct cube_span){b->first[f->port], b->last[f->port]};
		return !acl_port_whole(b, f->port);
	}
	given = acl_field_given(f, &c->rest[b->rest]);
	if (!given.last || (f->spread ? !acl_mask_spreads(f, given.last) : given.last != f->mask))
		return false;
	*out = (struct cube_span){given.first, given.first | (f->mask & ~given.last)};
	return true;
}

static int acl_tree_make(struct acl_work *w, const struct acl_class *c, struct acl_field *f)
{
	struct cube_span *span = NULL;
	size_t n = 0, room = 0;
	int ret = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct cube_span s;

		if (!acl_field_span(c, f, &c->box[i], &s))
			continue;
		if (!array_grow((void **)&span, n, &room, sizeof(*span))) {
			free(span);
			return -ENOMEM;
		}
		span[n++] = s;
	}
	w->rule = c->box[0].rule;
	n = acl_spans_sort(span, n);
	if (f->port >= 0)
		ret = acl_ranges_cut(w, &span, &n, &room);
	if (ret) {
		free(span);
		return ret;
	}
	return acl_family_make(w, &f->family, span, n, f->mask);
}

/* --- cells --------------------------------------------------------------------------------------- */

static struct acl_mask *acl_mask_of(struct acl_class *c, const struct acl_cell *cell)
{
	uint8_t level[ACL_FIELDS] = {0};
	size_t i = 0;

	for (unsigned int f = 0; f < c->nfields; f++)
		level[f] = c->field[f].family.height[cell->node[f]];
	while (i < c->nmasks && memcmp(c->mask[i].level, level, sizeof(level)))
		i++;
	if (i == ACL_MASKS)
		return NULL;
	if (i == c->nmasks) {
		memcpy(c->mask[i].level, level, sizeof(level));
		c->nmasks++;
	}
	return &c->mask[i];
}

static int acl_cell_add(struct acl_work *w, struct acl_class *c, const struct acl_cell *cell)
{
	struct acl_mask *m = acl_mask_of(c, cell);

	if (!m)
		return acl_refuse(w, cell->rule, "the rules have too many shapes");
	if (c->cells++ >= ACL_CELLS)
		return acl_refuse(w, cell->rule, "the ranges of the rules are cut too often");
	if (!array_grow((void **)&m->cell, m->n, &m->room, sizeof(*m->cell)))
		return -ENOMEM;
	m->cell[m->n++] = *cell;
	return 0;
}

/* Adds a cell for each way to choose a node of every range. */
static int acl_box_cells(struct acl_work *w, struct acl_class *c, const struct acl_box *b,
			 unsigned int f, struct acl_cell *cell)
{
	struct cube_span s;
	uint32_t *node;
	size_t n;
	int ret = 0;

	if (f == c->nfields)
		return acl_cell_add(w, c, cell);
	cell->node[f] = 0;
	if (!acl_field_span(c, &c->field[f], b, &s))
		return acl_box_cells(w, c, b, f + 1, cell);
	cell->node[f] = acl_family_find(&c->field[f].family, &s);
	if (cell->node[f] != ACL_NONE)
		return acl_box_cells(w, c, b, f + 1, cell);
	node = calloc(c->field[f].family.n, sizeof(*node));
	n = node ? acl_range_nodes(&c->field[f].family, s, node, c->field[f].family.n) : 0;
	for (size_t i = 0; i < n && !ret; i++) {
		cell->node[f] = node[i];
		ret = acl_box_cells(w, c, b, f + 1, cell);
	}
	free(node);
	return node ? ret : -ENOMEM;
}

int acl_fields_make(struct acl_work *w, struct acl_class *c)
{
	int ret = acl_rest_fields(w, c);

	if (!ret)
		ret = acl_port_fields(w, c);
	for (unsigned int f = 0; f < c->nfields && !ret; f++)
		ret = acl_tree_make(w, c, &c->field[f]);
	for (size_t i = 0; i < c->n && !ret; i++) {
		struct acl_cell cell = {.rule = c->box[i].rule};

		ret = acl_box_cells(w, c, &c->box[i], 0, &cell);
	}
	return ret;
}
