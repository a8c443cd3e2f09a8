/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the cost of the tables as edits have left them: edits make and remove matchers. */
#include <stdlib.h>

#include "generation_priv.h"

/* A matcher of a live table, for sorting. */
struct cost_matcher {
	uint32_t priority, matcher;
};

static int live_cost_order(const void *a, const void *b)
{
	const struct cost_matcher *one = a, *other = b;

	return (one->priority > other->priority) - (one->priority < other->priority);
}

/* Returns the table's matchers, sorted by priority. */
static struct cost_matcher *live_cost_matchers(const struct live_table *l, size_t *n)
{
	struct cost_matcher *of = calloc(l->nmatchers + 1, sizeof(*of));

	*n = 0;
	for (uint32_t m = 0; m < l->nmatchers && of; m++)
		if (l->matcher[m].shape)
			of[(*n)++] = (struct cost_matcher){l->matcher[m].priority, m};
	if (of)
		qsort(of, *n, sizeof(*of), live_cost_order);
	return of;
}

/* Fills t with empty matchers. place[m] becomes the index there of the live table's matcher m. */
static int live_cost_begin(const struct live_table *l, struct table *t, uint32_t *place)
{
	struct cost_matcher *of = live_cost_matchers(l, &t->n);
	int ret = -1;

	t->matcher = calloc(t->n + 1, sizeof(*t->matcher));
	if (of && t->matcher)
		ret = 0;
	else
		t->n = 0;
	for (uint32_t i = 0; i < t->n && !ret; i++) {
		const struct live_matcher *m = &l->matcher[of[i].matcher];

		place[of[i].matcher] = i;
		t->matcher[i].shape = m->shape;
		t->matcher[i].entry = calloc(m->entries + 1, sizeof(struct rule_entry));
		ret = t->matcher[i].entry ? 0 : -1;
	}
	free(of);
	return ret;
}

/* Adds an entry; the entry of the matcher's first rule stays in front. */
static void live_cost_add(struct matcher *m, struct rule_entry e)
{
	m->entry[m->n++] = e;
	if (m->entry[0].rule <= e.rule)
		return;
	m->entry[m->n - 1] = m->entry[0];
	m->entry[0] = e;
}

static int live_cost_table(const struct built_table *h, struct table *t)
{
	uint32_t *place = calloc(h->live.nmatchers + 1, sizeof(*place));
	int ret = place ? live_cost_begin(&h->live, t, place) : -1;

	for (size_t i = 0; i < h->live.n && !ret; i++) {
		const struct live_entry *e = &h->live.entry[i];

		live_cost_add(&t->matcher[place[e->matcher]],
			      (struct rule_entry){e->rule, e->value});
	}
	t->entries = h->live.n;
	free(place);
	return ret;
}

/* Counts the overlay entries before codes. */
static void live_cost_before(const struct table *t, struct table_cost *out)
{
	*out = (struct table_cost){.entries = t->entries, .matchers = t->n};
	for (size_t m = 0; m < t->n; m++)
		out->mean_path += (double)(m + 1) * (double)t->matcher[m].n;
	out->mean_path /= t->entries ? (double)t->entries : 1;
}

/*
 * Reduces t, a table of codes, to its gotos: the cost of codes is counted elsewhere, and the list
 * of entries is only asked where packets go next.
 */
static int live_cost_ways(const struct generation *gen, uint32_t table, struct table *t)
{
	struct matcher *m = &t->matcher[0];

	for (size_t i = 0; i < t->n; i++)
		free(t->matcher[i].entry);
	t->n = 1;
	*m = (struct matcher){.entry = calloc(gen->set.n + 1, sizeof(*m->entry))};
	for (uint32_t i = 0; i < gen->set.n && m->entry; i++)
		if (gen->hold[i].table == table && gen->set.rule[i].verdict == RULE_GOTO)
			m->entry[m->n++].rule = i;
	return m->entry ? 0 : -1;
}

static int live_cost_add_table(const struct generation *gen, struct plan *p, uint32_t i)
{
	const struct table *was = &gen->plan.list.table[i];
	struct table *t = &p->list.table[p->list.ntables++];
	int ret;

	*t = (struct table){.dir = was->dir, .of = was->of, .next = was->next, .level = was->level};
	ret = live_cost_table(&gen->table[i], t);
	if (ret || !gen->table[i].codes)
		return ret;
	live_cost_before(t, &p->before[i]);
	return live_cost_ways(gen, i, t);
}

static int live_cost_count(const struct generation *gen, struct plan *p, struct plan_cost *out)
{
	p->list.table = calloc(gen->ntables, sizeof(*p->list.table));
	p->before = calloc(gen->ntables, sizeof(*p->before));
	if (!p->list.table || !p->before)
		return -1;
	for (uint32_t t = 0; t < gen->ntables; t++)
		if (live_cost_add_table(gen, p, t))
			return -1;
	return plan_cost(p, &gen->set, out);
}

const struct plan_cost *generation_cost(struct generation *gen)
{
	struct plan now = gen->plan;
	int ret;

	if (!gen->edited)
		return &gen->cost;
	now.list = (struct program){.ntables = 0};
	ret = live_cost_count(gen, &now, &gen->cost);
	program_free(&now.list);
	free(now.before);
	gen->edited = ret;
	return ret ? NULL : &gen->cost;
}
