/* SPDX-License-Identifier: BSD-2-Clause */
/* The views of each matcher's entries, made at their first use. */
#include <limits.h>
#include <stdlib.h>
#include "walk.h"

#define SLOTS_MAX (1u << 22)
#define CHAIN_MAX 4096

struct view_cache {
	const struct steering_dump *d;
	struct matcher_view *matcher;
};

struct view_cache *view_cache_new(const struct steering_dump *d)
{
	struct view_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->d = d;
	c->matcher = calloc(d->nmatchers + 1u, sizeof(*c->matcher));
	if (!c->matcher) {
		free(c);
		return NULL;
	}
	return c;
}

void view_cache_free(struct view_cache *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->d->nmatchers; i++)
		for (unsigned int side = 0; side < SIDES; side++)
			free(c->matcher[i].view[side]);
	free(c->matcher);
	free(c);
}

static const struct dump_entry *first_entry(const struct steering_dump *d,
					    const struct dump_rule *r, enum side side)
{
	for (uint32_t i = r->first; i < r->first + r->n; i++)
		if (d->entry[i].side == side)
			return &d->entry[i];
	return NULL;
}

uint32_t entry_place(const struct steering_dump *d, const struct dump_entry *e)
{
	return (uint32_t)(e - first_entry(d, &d->rule[e->rule], (enum side)e->side));
}

static uint32_t head_hash(const struct dump_entry *e, const struct builder_view *v)
{
	struct ste s;

	ste_read_tag(&s, e, v);
	return tag_slot(s.tag, v->tag_bytes, tag_byte_mask(s.mask), 1u << 31);
}

/* Returns true if the misses of the entry at `from` lead to e. */
static bool chained(const struct steering_dump *d, uint32_t from, const struct dump_entry *e)
{
	for (unsigned int hops = 0; hops < CHAIN_MAX; hops++) {
		const struct dump_entry *at = dump_entry_at(d, e->domain, from);
		struct ste s;

		if (!at || from == e->index)
			return at != NULL;
		ste_read_links(&s, at);
		from = ste_index(s.miss);
	}
	return false;
}

/* Returns true if the rules' first entries are where a table of n slots has them. */
static bool views_fits(const struct steering_dump *d, const struct dump_matcher *m, enum side side,
		       const uint32_t *hash, uint32_t n)
{
	for (uint32_t i = 0; i < m->n; i++) {
		const struct dump_entry *e = first_entry(d, &d->rule[m->first + i], side);
		uint32_t slot = m->start[side] + (hash[i] & (n - 1));

		if (!e || e->index == slot)
			continue;
		/* Inside the table, only at its own slot; outside, behind one that sits there. */
		if (e->index - m->start[side] < n || !chained(d, slot, e))
			return false;
	}
	return true;
}

/*
 * Finds the size of a matcher's first table, which a dump does not have. Tables begin at a multiple
 * of their size, and each rule's first entry is at its hash or chained behind that entry. Returns 0
 * if nothing fits.
 */
static uint32_t find_slots(const struct steering_dump *d, const struct dump_matcher *m,
			   enum side side, const struct builder_view *v)
{
	uint32_t *hash = calloc(m->n + 1u, sizeof(*hash));
	uint32_t n = 1;

	if (!hash)
		return 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct dump_entry *e = first_entry(d, &d->rule[m->first + i], side);

		hash[i] = e ? head_hash(e, v) : 0;
	}
	while (n <= SLOTS_MAX && !views_fits(d, m, side, hash, n))
		n = m->start[side] % (2 * n) ? SLOTS_MAX * 2 : 2 * n;
	free(hash);
	return n <= SLOTS_MAX ? n : 0;
}

static const struct ste_reader *matcher_reader(const struct steering_dump *d,
					       const struct dump_matcher *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (d->rule[m->first + i].n)
			return ste_reader_of(d->entry[d->rule[m->first + i].first].format);
	return ste_reader_of(UINT_MAX); /* no entry will be read by it */
}

const struct matcher_view *matcher_view(struct view_cache *c, uint32_t matcher, enum side side)
{
	const struct dump_matcher *m = &c->d->matcher[matcher];
	struct matcher_view *v = &c->matcher[matcher];

	if (v->ready[side])
		return v;
	v->view[side] = calloc(BUILDERS_MAX, sizeof(*v->view[side]));
	if (!v->view[side])
		return NULL;
	matcher_views(m, side, matcher_reader(c->d, m), v->view[side]);
	v->slots[side] = find_slots(c->d, m, side, &v->view[side][0]);
	v->ready[side] = true;
	return v;
}

void entry_read(struct view_cache *c, const struct dump_entry *e, struct ste *s)
{
	uint32_t matcher = c->d->rule[e->rule].matcher, place = entry_place(c->d, e);
	enum side side = (enum side)e->side;
	const struct matcher_view *v = matcher_view(c, matcher, side);
	bool compares = place < c->d->matcher[matcher].builders[side];

	ste_read(s, e, v && compares ? &v->view[side][place] : NULL);
	if (!compares)
		s->any = true;
}
