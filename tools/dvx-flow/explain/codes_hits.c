/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hits. A band of matchers writes the rule that it found into c4, the best hit so far, or into c5,
 * if the band comes later: a depth, of which the smaller one is the earlier rule, and below it a
 * number of the rule. A hit is recognized by the tables that write it, and only where the rules'
 * texts are known.
 */
#include <inttypes.h>
#include <stdio.h>
#include "codes_priv.h"

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

static void hit_note(struct hit_writers *h, const struct registers *c, const struct dump_rule *r,
		     uint32_t result)
{
	for (unsigned int reg = HIT_BEST; reg <= HIT_LATER; reg++) {
		uint32_t value, mask = code_written(c->d, r, reg, &value);
		const char *name;

		if (mask != UINT32_MAX)
			continue;
		h->begins |= reg == HIT_BEST && value == HIT_DEPTH;
		if ((value & HIT_RESULT) != result || !result)
			continue;
		name = c->name(c->arg, r->id);
		h->several |= h->rule && name != h->rule;
		h->rule = name ? name : h->rule;
	}
}

static void hit_note_table(struct hit_writers *h, const struct registers *c, uint32_t table,
			   uint32_t result)
{
	const struct dump_table *t = &c->d->table[table];

	for (uint32_t m = t->first; m < t->first + t->n; m++) {
		const struct dump_matcher *of = &c->d->matcher[m];

		for (uint32_t i = of->first; i < of->first + of->n; i++)
			if (dump_rewrite_of(c->d, &c->d->rule[i]))
				hit_note(h, c, &c->d->rule[i], result);
	}
}

static void hit_put_depth(struct code_text *x, unsigned int reg, uint32_t value, uint32_t mask)
{
	const char *of = reg == HIT_BEST ? "the best hit" : "this band's hit";
	char text[80];

	if ((value & mask & HIT_NONE) == HIT_NONE || (value & mask) == HIT_NONE >> 8)
		snprintf(text, sizeof(text), "no hit so far");
	else
		snprintf(text, sizeof(text), "%s of depth 0x%" PRIx32, of,
			 (value & mask) >> __builtin_ctz(mask));
	code_put(x, text);
}

bool code_put_hit(struct code_text *x, struct registers *c, const struct explain_walk *w,
		  uint32_t steps, unsigned int reg, uint32_t value, uint32_t mask)
{
	struct hit_writers h = {0};
	char text[480];

	if (!c->name || (reg != HIT_BEST && reg != HIT_LATER))
		return false;
	for (uint32_t i = 0; i < steps; i++)
		if (w->step[i].kind == STEP_TABLE)
			hit_note_table(&h, c, w->step[i].table, value & HIT_RESULT);
	if (h.begins && !(mask & HIT_RESULT)) {
		hit_put_depth(x, reg, value, mask);
		return true;
	}
	if (!h.begins || mask != HIT_RESULT)
		return false;
	if (h.rule && !h.several)
		snprintf(text, sizeof(text), "a hit of \"%s\"", h.rule);
	else if (value & mask)
		snprintf(text, sizeof(text), "a hit with result 0x%" PRIx32, value & mask);
	else
		snprintf(text, sizeof(text), "no hit");
	code_put(x, text);
	return true;
}
