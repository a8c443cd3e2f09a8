/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the tables of a class: its fields, then its bands. With one band, its hits are verdicts.
 * With several, a hit writes depth and rule into a register, a choice keeps the better of two, and
 * the table of results has an entry for each rule.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"
#include "rules/arena.h"

/* A depth has two digits. One is enough if its pairs are at most these, or fewer than the cells. */
#define ACL_PAIRS 120u

struct acl_emission {
	struct acl_work *w;
	const struct acl_class *c;
	uint32_t *list[2]; /* by rule: its hit in ACL_BEST, in ACL_CANDIDATE */
};

/* --- bands ---------------------------------------------------------------------------------------- */

static void acl_cell_code(const struct acl_class *c, const struct acl_placed *p, struct shape *s,
			  uint64_t *value)
{
	uint8_t v[ACL_CODE_BYTES] = {0}, m[ACL_CODE_BYTES] = {0};

	for (unsigned int f = 0; f < c->nfields; f++)
		acl_code_write(&c->field[f], p->cell.node[f], &c->mask[p->mask].level[f], v, m);
	s->n = 0;
	for (unsigned int r = 0; r < ACL_CODE_BYTES; r += 4) {
		uint32_t mask = (uint32_t)m[r] << 24 | (uint32_t)m[r + 1] << 16 |
				(uint32_t)m[r + 2] << 8 | m[r + 3];

		if (!mask)
			continue;
		value[s->n] = (uint32_t)v[r] << 24 | (uint32_t)v[r + 1] << 16 |
			      (uint32_t)v[r + 2] << 8 | v[r + 3];
		s->key[s->n] = (uint8_t)(ACL_CODE + r / 4);
		s->mask[s->n++] = mask;
	}
}

static bool acl_one_digit(const struct acl_class *c)
{
	size_t depths = c->bands.depths + 1u, pairs = depths * (depths + 1) / 2;

	return depths <= 254 && (pairs <= ACL_PAIRS || pairs <= c->bands.n);
}

/* Returns the smallest base in which the digits hold all depths. */
static uint32_t acl_base(const struct acl_class *c)
{
	uint32_t base = 1;

	if (acl_one_digit(c))
		return c->bands.depths + 1u;
	while (base * base <= c->bands.depths)
		base++;
	return base;
}

static uint32_t acl_depth_code(const struct acl_class *c, uint32_t rule)
{
	uint32_t base = acl_base(c), depth = c->bands.depth[rule];

	return (depth / base) << 24 | (depth % base) << 16;
}

static int acl_result_of(struct acl_work *w, uint32_t rule, uint32_t *out)
{
	if (!w->result[rule] && w->results == ACL_RESULTS_MAX)
		return acl_refuse(w, rule, "the program has too many results");
	if (!w->result[rule])
		w->result[rule] = ++w->results;
	*out = w->result[rule];
	return 0;
}

static int acl_hit_list(struct acl_emission *e, uint32_t rule, bool candidate, uint32_t *out)
{
	uint32_t *list = &e->list[candidate][rule], result = 0;
	int ret = acl_result_of(e->w, rule, &result);

	if (!ret && *list == ACL_NONE) {
		struct acl_list l = {.n = 1,
				     .write = {{.key = candidate ? ACL_CANDIDATE : ACL_BEST,
						.mask = UINT32_MAX,
						.value = acl_depth_code(e->c, rule) | result}}};

		ret = acl_list_add(e->w->out, &l);
		if (ret >= 0)
			*list = (uint32_t)ret;
	}
	*out = *list;
	return ret < 0 ? ret : 0;
}

static int acl_cell_emit(struct acl_emission *e, int table, const struct acl_placed *p, bool *begun,
			 uint32_t next)
{
	struct shape s;
	uint64_t value[ACL_CODE_BYTES / 4];
	uint32_t list = ACL_NONE;
	int ret = 0;

	acl_cell_code(e->c, p, &s, value);
	if (!*begun)
		ret = acl_matcher_add(e->w->out, table, &s);
	*begun = true;
	if (ret >= 0 && next != ACL_NONE)
		ret = acl_hit_list(e, p->cell.rule, p->band > 0, &list);
	return ret < 0 ? ret : acl_entry_add(e->w->out, table, value, list, next, p->cell.rule);
}

/* Makes the matchers of one band. `hit` and `miss` are tables; none: verdicts. */
static int acl_band_emit(struct acl_emission *e, unsigned int band, int table, uint32_t hit,
			 uint32_t miss)
{
	const struct acl_bands *b = &e->c->bands;
	const struct acl_table *t;
	int ret = 0;

	for (size_t o = 0; o < e->c->nmasks; o++) {
		bool begun = false;

		for (size_t i = 0; i < b->n && !ret; i++)
			if (b->placed[i].mask == b->order[o] && b->placed[i].band == band)
				ret = acl_cell_emit(e, table, &b->placed[i], &begun, hit);
	}
	t = &e->w->out->table[table];
	/* A mask that compares nothing takes all packets. */
	if (ret || (t->n && !t->matcher[t->n - 1].shape->n))
		return ret;
	return acl_all_add(e->w->out, table, ACL_NONE, miss, ACL_NONE);
}

/* --- choices -------------------------------------------------------------------------------------- */

/* Adds pairs of digits at a place. Equal ones lead to `equal`, unless that is none. */
static int acl_choice_digit(struct acl_emission *e, int table, unsigned int shift, uint32_t copy,
			    uint32_t next, uint32_t equal)
{
	const uint64_t mask = 0xffull << shift;
	const struct shape s = {.n = 2, .key = {ACL_BEST, ACL_CANDIDATE}, .mask = {mask, mask}};
	uint32_t base = acl_base(e->c), none = ACL_NO_HIT >> 24;
	int ret = acl_matcher_add(e->w->out, table, &s);

	ret = ret < 0 ? ret : 0;
	for (uint32_t best = 0; best <= base && !ret; best++)
		for (uint32_t d = 0; d <= best && d < base && !ret; d++) {
			uint64_t value[] = {(uint64_t)(best == base ? none : best) << shift,
					    (uint64_t)d << shift};

			if (d < best)
				ret = acl_entry_add(e->w->out, table, value, copy, next, ACL_NONE);
			else if (equal != ACL_NONE)
				ret = acl_entry_add(e->w->out, table, value, ACL_NONE, equal,
						    ACL_NONE);
		}
	return ret ? ret : acl_all_add(e->w->out, table, ACL_NONE, next, ACL_NONE);
}

/*
 * Makes the tables that replace the best by the candidate if that one's depth is smaller. The last
 * of the tables is `next` - 1.
 */
static int acl_choice_emit(struct acl_emission *e, int table, uint32_t next)
{
	struct acl_list copy = {.copy = true};
	int list = acl_list_add(e->w->out, &copy), ret;

	if (list < 0)
		return list;
	if (acl_one_digit(e->c))
		return acl_choice_digit(e, table, 16, (uint32_t)list, next, ACL_NONE);
	ret = acl_choice_digit(e, table, 24, (uint32_t)list, next, (uint32_t)table + 1);
	return ret ? ret : acl_choice_digit(e, table + 1, 16, (uint32_t)list, next, ACL_NONE);
}

/* --- a class ----------------------------------------------------------------------------------- */

static int acl_bands_emit(struct acl_emission *e)
{
	unsigned int bands = e->c->bands.bands;
	/* Rules that change packets act in the table of results, which compares headers. */
	uint32_t only = e->w->changes ? ACL_RESULTS : ACL_NONE;
	int ret = 0;

	for (unsigned int b = 0; b < bands && ret >= 0; b++) {
		bool last = b + 1 == bands;
		int table = acl_table_add(e->w->out), choice, end;
		uint32_t next;

		if (bands == 1)
			return table < 0 ? table : acl_band_emit(e, b, table, only, ACL_NONE);
		choice = b ? acl_table_add(e->w->out) : table;
		end = b && !acl_one_digit(e->c) ? acl_table_add(e->w->out) : choice;
		if (table < 0 || choice < 0 || end < 0)
			return -ENOMEM;
		next = last ? ACL_RESULTS : (uint32_t)end + 1;
		ret = acl_band_emit(e, b, table, b ? (uint32_t)choice : next, next);
		if (b && !ret)
			ret = acl_choice_emit(e, choice, next);
	}
	return ret;
}

int acl_class_emit(struct acl_work *w, const struct acl_class *c)
{
	struct acl_emission e = {.w = w, .c = c};
	size_t bytes = (w->set->n + 1) * sizeof(**e.list);
	int first = (int)w->out->n, ret = 0;

	for (unsigned int f = 0; f < c->nfields && ret >= 0; f++)
		if (c->field[f].ndigits)
			ret = acl_lookup_add(w, c, &c->field[f]);
	e.list[0] = malloc(bytes);
	e.list[1] = malloc(bytes);
	if (ret >= 0 && (!e.list[0] || !e.list[1]))
		ret = -ENOMEM;
	if (ret >= 0) {
		memset(e.list[0], 0xff, bytes);
		memset(e.list[1], 0xff, bytes);
		ret = acl_bands_emit(&e);
	}
	free(e.list[0]);
	free(e.list[1]);
	return ret < 0 ? ret : first;
}
