/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where rules become tables of codes (doc/design/0066), a table compares one field and writes a code
 * of its value into a register, and later tables compare the code. So a code means the values that
 * get it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "codes.h"

#define CODE_DEEP      160 /* intervals inside each other: prefixes of 128 bits, and some */
#define CODE_SHOWN     3   /* values of a code */

#define CODE_REGISTERS 6

/* Values that one rule of a table takes; `order`: its place among the table's rules. */
struct code_part {
	u128 first, last;
	uint32_t order;
};

/* A rule's writes into the registers. */
struct code_wrote {
	uint32_t mask[CODE_REGISTERS], value[CODE_REGISTERS];
};

/* A table that writes a code of one field. */
struct code_table {
	bool ready, usable;
	enum field field;
	unsigned int l3;
	u128 full; /* the field's bits */
	struct code_part *part;
	struct code_wrote *wrote; /* by a part's order */
	uint32_t n, nwrote;
	uint32_t writes[CODE_REGISTERS]; /* all of them together */
};

void code_tables_free(struct steering *d)
{
	for (uint32_t i = 0; d->code && i < d->ntables; i++) {
		free(d->code[i].part);
		free(d->code[i].wrote);
	}
	free(d->code);
}

/* --- writes and compares of a rule ------------------------------------------------------------ */

/* Returns the bits of the register that the rule's list sets, and their values. */
static uint32_t code_written(const struct steering *d, const struct steering_rule *r,
			     unsigned int reg, uint32_t *value)
{
	const struct steering_action *a = steering_rewrites(d, r);
	uint32_t mask = 0;

	*value = 0;
	for (uint32_t i = 0; a && i < a->n; i++) {
		const struct steering_rewrite *w = &d->rewrite[a->first + i];
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
};

/* Returns false if they are not known. */
static bool code_compares(struct steering *d, const struct steering_rule *r, enum side side,
			  struct code_compared *out)
{
	*out = (struct code_compared){0};
	for (uint32_t i = r->first; i < r->first + r->n; i++) {
		struct steering_entry e;

		if (d->entry[i].side != side)
			continue;
		steering_read(d, &d->entry[i], &e);
		if (e.acts)
			continue;
		if (!e.known)
			return false;
		for (const struct entry_key *k = e.key; k < e.key + e.nkeys; k++) {
			if (k->field == F_NONE)
				continue;
			out->mask[k->field] |= (u128)k->mask << k->shift;
			out->value[k->field] |= (u128)(k->value & k->mask) << k->shift;
		}
	}
	return true;
}

/* --- a table ---------------------------------------------------------------------------------- */

/* The fields that a table's rules compare, and those in which they differ. */
struct code_fields {
	u128 value[F_COUNT], mask[F_COUNT], all[F_COUNT];
	bool differs[F_COUNT];
};

static void code_fields_add(struct code_fields *t, const struct code_compared *r)
{
	for (unsigned int f = 0; f < F_COUNT; f++) {
		if (!r->mask[f])
			continue;
		if (t->all[f] && (t->value[f] != r->value[f] || t->mask[f] != r->mask[f]))
			t->differs[f] = true;
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
		if (!t->all[f] || code_is_header(f))
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

/* Sets the fields of the table's rules that have a list of rewrites. */
static bool code_read_fields(struct steering *d, uint32_t table, enum side side,
			     struct code_fields *f)
{
	struct steering_range rules = steering_rules(d, table);
	struct code_compared r;

	for (uint32_t i = rules.first; i < rules.end; i++) {
		if (!steering_rewrites(d, &d->rule[i]))
			continue;
		if (!code_compares(d, &d->rule[i], side, &r))
			return false;
		code_fields_add(f, &r);
	}
	return true;
}

static bool code_add_part(struct code_table *t, u128 first, u128 last, uint32_t order)
{
	struct code_part *p = STEERING_GROW(t->part, t->n);

	if (p)
		*p = (struct code_part){first, last, order};
	return p;
}

/* Adds a rule's values as an interval, and its writes. Returns false if they are none. */
static bool code_read_part(struct steering *d, const struct steering_rule *rule, enum side side,
			   struct code_table *t)
{
	struct code_compared r;
	struct code_wrote *w;
	u128 rest;

	if (!code_compares(d, rule, side, &r))
		return false;
	rest = t->full & ~r.mask[t->field];
	w = rest & (rest + 1) ? NULL : STEERING_GROW(t->wrote, t->nwrote);
	if (!w)
		return false;
	if (r.mask[t->field])
		t->l3 = d->matcher[rule->matcher].mask.l3;
	for (unsigned int i = 0; i < CODE_REGISTERS; i++) {
		w->mask[i] = code_written(d, rule, i, &w->value[i]);
		t->writes[i] |= w->mask[i];
	}
	return code_add_part(t, r.value[t->field], r.value[t->field] | rest, t->nwrote - 1);
}

static bool code_read_parts(struct steering *d, uint32_t table, enum side side,
			    struct code_table *t)
{
	struct steering_range rules = steering_rules(d, table);

	for (uint32_t i = rules.first; i < rules.end; i++)
		if (steering_rewrites(d, &d->rule[i]) && !code_read_part(d, &d->rule[i], side, t))
			return false;
	return true;
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
	if (!code_add_part(out, o->at, last, best->order))
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
	for (uint32_t i = 0; i < t->n && good; i++) {
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
	return good;
}

/* Returns all bits up to the highest one that is compared. */
static u128 code_full(u128 mask)
{
	for (unsigned int i = 1; i < 128; i *= 2)
		mask |= mask >> i;
	return mask;
}

/* Returns NULL if the table writes no code of a field. */
static const struct code_table *code_table_of(struct steering *d, uint32_t table, enum side side)
{
	struct code_fields *f;
	struct code_table *t;

	if (!d->code)
		d->code = calloc(d->ntables + 1u, sizeof(*d->code));
	if (!d->code)
		return NULL;
	t = &d->code[table];
	if (t->ready)
		return t->usable ? t : NULL;
	t->ready = true;
	f = calloc(1, sizeof(*f));
	t->field = f && code_read_fields(d, table, side, f) ? code_field(f) : F_NONE;
	if (t->field != F_NONE && !(t->field >= F_REG_C0 && t->field <= F_REG_C5)) {
		t->full = code_full(f->all[t->field]);
		t->usable = code_read_parts(d, table, side, t) && code_cut(t);
	}
	free(f);
	return t->usable ? t : NULL;
}

/* --- words of codes -------------------------------------------------------------------------- */

static void code_add_values(struct sentence *x, const struct code_table *t, u128 first, u128 last)
{
	unsigned int width = 0, bits = 0;
	u128 span = last - first;

	while (width < 128 && t->full >> width)
		width++;
	while (bits < 128 && span >> bits)
		bits++;
	sentence_add_value(x, t->field, first, t->l3);
	if (!span)
		return;
	if (t->full > UINT16_MAX && !(first & span) && !(span & (span + 1))) {
		sentence_add(x, "/%u", width - bits);
		return;
	}
	sentence_add(x, "-");
	sentence_add_value(x, t->field, last, t->l3);
}

/* A register's bits that are compared. */
struct code_wanted {
	unsigned int reg;
	uint32_t value, mask;
};

static bool code_has(const struct code_table *t, uint32_t part, const struct code_wanted *c)
{
	const struct code_wrote *w = &t->wrote[t->part[part].order];

	return (w->mask[c->reg] & c->mask) == c->mask && !((w->value[c->reg] ^ c->value) & c->mask);
}

/* Adds the values that have this code; neighbours are one interval. */
static void code_add_intervals(struct sentence *x, const struct code_table *t,
			       const struct code_wanted *c)
{
	unsigned int intervals = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		u128 first = t->part[i].first;

		if (!code_has(t, i, c))
			continue;
		while (i + 1 < t->n && t->part[i + 1].first == t->part[i].last + 1 &&
		       code_has(t, i + 1, c))
			i++;
		if (intervals++ >= CODE_SHOWN)
			continue;
		sentence_add(x, intervals > 1 ? " or " : " ");
		code_add_values(x, t, first, t->part[i].last);
	}
	if (!intervals)
		sentence_add(x, " no value");
	if (intervals > CODE_SHOWN)
		sentence_add(x, " or %u more", intervals - CODE_SHOWN);
}

static void code_add_table(struct sentence *x, const struct code_table *t,
			   const struct code_wanted *c)
{
	bool address = t->field == F_SRC || t->field == F_DST || t->field == F_INNER(F_SRC) ||
		       t->field == F_INNER(F_DST);

	sentence_add(x, "code 0x%" PRIx32 " of ", (c->value & c->mask) >> __builtin_ctz(c->mask));
	if (address)
		sentence_add(x, t->l3 == 2 || t->full >> 32 ? "ipv6 " : "ipv4 ");
	sentence_add_words(x, t->field);
	sentence_add(x, ":");
	code_add_intervals(x, t, c);
}

/*
 * --- hits ---
 *
 * A band of matchers writes the rule that it found into c4, the best hit so far, or into c5, if the
 * band comes later: a depth, of which the smaller one is the earlier rule, and below it a number of
 * the rule. A hit is recognized by the tables that write it, and only where the rules' texts are
 * known.
 */

#define HIT_BEST   4u
#define HIT_LATER  5u
#define HIT_RESULT 0xffffu
#define HIT_DEPTH  0xffff0000u
#define HIT_NONE   0xff000000u /* a depth's digit before the first hit has all bits */

/* The rules that wrote into c4 and c5 on a packet's way. */
struct hit_writers {
	bool begins;	  /* something writes that there is no hit yet */
	const char *rule; /* the one that writes the result; NULL: none, or several */
	bool several;
};

static void hit_note(struct hit_writers *h, const struct steering *d, const struct steering_rule *r,
		     uint32_t result)
{
	for (unsigned int reg = HIT_BEST; reg <= HIT_LATER; reg++) {
		uint32_t value, mask = code_written(d, r, reg, &value);

		if (mask != UINT32_MAX)
			continue;
		h->begins |= reg == HIT_BEST && value == HIT_DEPTH;
		if ((value & HIT_RESULT) != result || !result)
			continue;
		h->several |= h->rule && r->text != h->rule;
		h->rule = r->text ? r->text : h->rule;
	}
}

/* Adds a depth of the register's hit. */
static void hit_add_depth(struct sentence *x, const struct code_wanted *c)
{
	uint32_t depth = c->value & c->mask;

	if ((depth & HIT_NONE) == HIT_NONE || depth == HIT_NONE >> 8)
		sentence_add(x, "no hit so far");
	else
		sentence_add(x, "%s of depth 0x%" PRIx32,
			     c->reg == HIT_BEST ? "the best hit" : "this band's hit",
			     depth >> __builtin_ctz(c->mask));
}

/* Adds the meaning of bits that bands write. Returns false if they have none. */
static bool hit_add(struct sentence *x, const struct explain_walk *w, uint32_t steps,
		    const struct code_wanted *c)
{
	struct hit_writers h = {0};

	if (!w->d->named || (c->reg != HIT_BEST && c->reg != HIT_LATER))
		return false;
	for (uint32_t i = 0; i < steps; i++) {
		struct steering_range rules = steering_rules(w->d, w->step[i].table);

		for (uint32_t k = rules.first; w->step[i].kind == STEP_TABLE && k < rules.end; k++)
			hit_note(&h, w->d, &w->d->rule[k], c->value & HIT_RESULT);
	}
	if (!h.begins || (c->mask & HIT_RESULT && c->mask != HIT_RESULT))
		return false;
	if (!(c->mask & HIT_RESULT))
		hit_add_depth(x, c);
	else if (h.rule && !h.several)
		sentence_add(x, "a hit of \"%s\"", h.rule);
	else if (c->value & c->mask)
		sentence_add(x, "a hit with result 0x%" PRIx32, c->value & c->mask);
	else
		sentence_add(x, "no hit");
	return true;
}

bool sentence_add_register(struct sentence *t, const struct explain_walk *w, uint32_t steps,
			   enum field reg, uint32_t value, uint32_t mask)
{
	struct code_wanted c = {reg - F_REG_C0, value, mask};
	char text[512];
	struct sentence x = SENTENCE(text);

	if (reg < F_REG_C0 || reg > F_REG_C5)
		return false;
	for (uint32_t i = 0; i < steps && mask; i++) {
		const struct code_table *of =
			w->step[i].kind == STEP_TABLE
				? code_table_of(w->d, w->step[i].table, w->side)
				: NULL;

		c.mask = of ? of->writes[c.reg] & mask : 0;
		if (c.mask)
			sentence_add(&x, "%s", x.at ? ", " : "");
		if (c.mask)
			code_add_table(&x, of, &c);
		mask &= ~c.mask;
	}
	c.mask = mask;
	if (mask && (x.at || !hit_add(&x, w, steps, &c)))
		return false;
	if (x.at)
		sentence_add(t, "%s", text);
	return x.at;
}
