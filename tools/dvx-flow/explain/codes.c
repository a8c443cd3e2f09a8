/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include "codes_priv.h"
#include "rules/arena.h"

#define CODE_DEEP 160 /* intervals inside each other: prefixes of 128 bits, and some */

struct registers *registers_new(const struct steering_dump *d, struct view_cache *cache,
				rule_name_fn name, void *arg)
{
	struct registers *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->d = d;
	c->cache = cache;
	c->name = name;
	c->arg = arg;
	c->table = calloc(d->ntables + 1u, sizeof(*c->table));
	if (c->table)
		return c;
	free(c);
	return NULL;
}

void registers_free(struct registers *c)
{
	for (uint32_t i = 0; c && i < c->d->ntables; i++) {
		free(c->table[i].part);
		free(c->table[i].wrote);
	}
	if (c)
		free(c->table);
	free(c);
}

/* --- writes and compares of a rule ------------------------------------------------------------ */

uint32_t code_written(const struct steering_dump *d, const struct dump_rule *r, unsigned int reg,
		      uint32_t *value)
{
	const struct dump_action *a = dump_rewrite_of(d, r);
	uint32_t mask = 0;

	*value = 0;
	for (uint32_t i = 0; a && i < a->n; i++) {
		const struct dump_rewrite *w = &d->rewrite[a->first + i];
		struct packet_change c;
		uint32_t bits;

		if (!w->prm)
			continue;
		change_of_prm(&c, w->bytes);
		if (c.kind != PACKET_SET || c.to.dword != DW_REG_C + reg || c.to.low > 31)
			continue;
		bits = (uint32_t)(((1ull << c.to.bits) - 1) << c.to.low);
		mask |= bits;
		*value = (*value & ~bits) | (c.value << c.to.low & bits);
	}
	return mask;
}

/* The fields that a rule's entries compare, all of them together. */
struct code_compared {
	u128 value[F_COUNT], mask[F_COUNT];
	unsigned int l3;
};

static bool code_compares(const struct registers *c, uint32_t rule, enum side side,
			  struct code_compared *out)
{
	const struct dump_rule *r = &c->d->rule[rule];
	const struct matcher_view *mv = matcher_view(c->cache, r->matcher, side);

	*out = (struct code_compared){.l3 = c->d->matcher[r->matcher].mask.l3};
	for (uint32_t i = r->first; mv && i < r->first + r->n; i++) {
		const struct dump_entry *e = &c->d->entry[i];
		uint32_t place = entry_place(c->d, e);
		const struct builder_view *v;
		struct ste s;

		if (e->side != side || place >= c->d->matcher[r->matcher].builders[side])
			continue;
		v = &mv->view[side][place];
		ste_read_tag(&s, e, v);
		if (!s.mask_known)
			return false;
		for (unsigned int k = 0; k < v->rows; k++) {
			enum field f = v->row[k].field;
			u128 mask = f == F_NONE ? 0 : tag_row_get(s.mask, &v->row[k]);

			if (!mask)
				continue;
			out->mask[f] |= mask;
			out->value[f] |= tag_row_get(s.tag, &v->row[k]) & mask;
		}
	}
	return mv;
}

/* --- a table ---------------------------------------------------------------------------------- */

/* The fields that a table's rules compare, and those in which they differ. */
struct code_fields {
	u128 value[F_COUNT], mask[F_COUNT], all[F_COUNT];
	bool compared[F_COUNT], differs[F_COUNT];
};

static void code_fields_add(struct code_fields *t, const struct code_compared *r)
{
	for (unsigned int f = 0; f < F_COUNT; f++) {
		if (!r->mask[f])
			continue;
		if (t->compared[f] && (t->value[f] != r->value[f] || t->mask[f] != r->mask[f]))
			t->differs[f] = true;
		t->compared[f] = true;
		t->value[f] = r->value[f];
		t->mask[f] = r->mask[f];
		t->all[f] |= r->mask[f];
	}
}

/*
 * Returns whether the field belongs to the headers that lead to another field, and are compared
 * beside it.
 */
static bool code_is_header(unsigned int f)
{
	return f == F_L3 || f == F_L4 || f == F_ETHERTYPE || f == F_PROTO || f == F_FRAG ||
	       f == F_L3_OK || f == F_L4_OK;
}

/* Returns the one field that the table is about, or F_NONE. */
static enum field code_field(const struct code_fields *t)
{
	unsigned int compared = 0, differ = 0, last_compared = 0, last_differs = 0;

	for (unsigned int f = 0; f < F_COUNT; f++) {
		if (!t->compared[f] || code_is_header(f))
			continue;
		compared++;
		last_compared = f;
		differ += t->differs[f];
		last_differs = t->differs[f] ? f : last_differs;
	}
	if (compared == 1)
		return (enum field)last_compared;
	return differ == 1 ? (enum field)last_differs : F_NONE;
}

static bool code_add_part(struct code_table *t, struct code_part p)
{
	if (!array_grow((void **)&t->part, t->n, &t->room, sizeof(p)))
		return false;
	t->part[t->n++] = p;
	return true;
}

/* Adds a rule's writes. Returns false if there is no memory. */
static bool code_add_wrote(struct code_table *t, const struct steering_dump *d,
			   const struct dump_rule *r)
{
	struct code_wrote *w;

	if (!array_grow((void **)&t->wrote, t->nwrote, &t->wrote_room, sizeof(*t->wrote)))
		return false;
	w = &t->wrote[t->nwrote++];
	for (unsigned int i = 0; i < CODE_REGISTERS; i++) {
		w->mask[i] = code_written(d, r, i, &w->value[i]);
		t->writes[i] |= w->mask[i];
	}
	return true;
}

/* Calls `take` for each rule of the table that has a list of rewrites. */
static bool code_rules(struct registers *c, uint32_t table, enum side side,
		       bool (*take)(struct registers *c, uint32_t rule, enum side side, void *arg),
		       void *arg)
{
	const struct dump_table *t = &c->d->table[table];

	for (uint32_t m = t->first; m < t->first + t->n; m++) {
		const struct dump_matcher *of = &c->d->matcher[m];

		for (uint32_t i = of->first; i < of->first + of->n; i++)
			if (dump_rewrite_of(c->d, &c->d->rule[i]) && !take(c, i, side, arg))
				return false;
	}
	return true;
}

static bool code_note_fields(struct registers *c, uint32_t rule, enum side side, void *arg)
{
	struct code_compared r;

	if (!code_compares(c, rule, side, &r))
		return false;
	code_fields_add(arg, &r);
	return true;
}

/* Notes a rule's values as an interval. Returns false if they are none. */
static bool code_note_part(struct registers *c, uint32_t rule, enum side side, void *arg)
{
	struct code_table *t = arg;
	struct code_compared r;
	u128 rest;

	if (!code_compares(c, rule, side, &r))
		return false;
	rest = t->full & ~r.mask[t->field];
	if (rest & (rest + 1))
		return false;
	if (r.mask[t->field])
		t->l3 = r.l3;
	return code_add_wrote(t, c->d, &c->d->rule[rule]) &&
	       code_add_part(t, (struct code_part){r.value[t->field], r.value[t->field] | rest,
						   (uint32_t)t->nwrote - 1});
}

/* Compares parts: wider ones first, so that each stands behind all that contain it. */
static int code_compare(const void *a, const void *b)
{
	const struct code_part *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->last != y->last)
		return x->last > y->last ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The intervals that contain the present value. */
struct code_open {
	struct code_part part[CODE_DEEP];
	unsigned int n;
	u128 at;   /* values before it are done */
	bool done; /* all values are done */
};

/* Adds the values up to `last` for the rule that takes them: the first of the open ones. */
static bool code_take(struct code_table *out, struct code_open *o, u128 last)
{
	const struct code_part *best = &o->part[0];

	for (unsigned int i = 1; i < o->n; i++)
		if (o->part[i].order < best->order)
			best = &o->part[i];
	if (o->done || o->at > last)
		return true;
	if (!code_add_part(out, (struct code_part){o->at, last, best->order}))
		return false;
	o->at = last + 1;
	o->done = !o->at;
	return true;
}

/* Takes the values of intervals that end before this one. */
static bool code_close(struct code_table *out, struct code_open *o, u128 before, bool all)
{
	while (o->n && (all || o->part[o->n - 1].last < before)) {
		if (!code_take(out, o, o->part[o->n - 1].last))
			return false;
		o->n--;
	}
	return true;
}

/* Cuts the intervals, which contain each other or are apart, so that each value is in one. */
static bool code_cut(struct code_table *t)
{
	struct code_table cut = {0};
	struct code_open *o = calloc(1, sizeof(*o));
	bool good = o != NULL;

	if (t->n)
		qsort(t->part, t->n, sizeof(*t->part), code_compare);
	for (size_t i = 0; i < t->n && good; i++) {
		const struct code_part *p = &t->part[i];

		good = code_close(&cut, o, p->first, false) &&
		       (!o->n || p->first <= o->at || code_take(&cut, o, p->first - 1)) &&
		       o->n < CODE_DEEP && (!o->n || p->last <= o->part[o->n - 1].last);
		if (!good)
			break;
		if (!o->n)
			o->at = p->first;
		o->part[o->n++] = *p;
	}
	good = good && code_close(&cut, o, 0, true);
	free(o);
	free(t->part);
	t->part = cut.part;
	t->n = cut.n;
	t->room = cut.room;
	return good;
}

/* Returns all bits up to the highest one that is compared. */
static u128 code_full(u128 mask)
{
	for (unsigned int i = 1; i < 128; i *= 2)
		mask |= mask >> i;
	return mask;
}

const struct code_table *code_table_of(struct registers *c, uint32_t table, enum side side)
{
	struct code_table *t = &c->table[table];
	struct code_fields *f;

	if (t->ready)
		return t->usable ? t : NULL;
	t->ready = true;
	f = calloc(1, sizeof(*f));
	if (f && code_rules(c, table, side, code_note_fields, f)) {
		t->field = code_field(f);
		if (t->field != F_NONE && !(t->field >= F_REG_C0 && t->field <= F_REG_C5)) {
			t->full = code_full(f->all[t->field]);
			t->usable = code_rules(c, table, side, code_note_part, t) && code_cut(t);
		}
	}
	free(f);
	return t->usable ? t : NULL;
}
