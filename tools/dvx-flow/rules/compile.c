/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Orders entries in few matchers so that the first rule of the file wins. An entry may join a
 * matcher of its shape if no later matcher has a conflicting entry: one that matches a common
 * packet and acts differently. Of two such entries, the earlier rule's must be looked up first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "compile.h"
#include "cover.h"
#include "map.h"
#include "rates.h"
#include "shape.h"

const struct compile_limits compile_limits = {.looks = 64, .few = 8, .covers = 1u << 25};

/* The entries of a larger matcher, by the bits that its shape and another shape both compare. */
struct shape_view {
	const struct shape *other;
	const struct view_key {
		uint64_t mask;
		uint8_t mine, theirs; /* indexes of the values */
	} * key;
	unsigned int n;
	struct map seen; /* entries of the matcher, by the common bits; ... */
	size_t filled;	 /* ... only so many of them, until it is searched */
};

struct matcher_build {
	const struct shape *shape;
	struct rule_entry *entry;
	size_t n, room;
	uint32_t action; /* of all entries, unless `mixed` */
	bool mixed;
	struct shape_constant constant;
	struct shape_view *view;
	size_t nviews;
};

struct matcher_list {
	struct matcher_build *matcher;
	size_t n, room, entries;
};

/* One table of the file while it is compiled. */
struct table_work {
	struct map shapes; /* hash -> the shape's number in `cover` */
	struct cover cover;
	uint32_t list[RULE_DIRS];  /* tables of the program that get the next rule's entries */
	uint32_t rates[RULE_DIRS]; /* the table of the rates right before; TABLE_NONE: none */
};

/* A rule that leads from one table to another. */
struct table_way {
	uint32_t from, to, rule;
};

struct work {
	const struct compile_limits *limits;
	struct program *out;
	struct table_work *of; /* for each table of the file */
	size_t nof;
	struct matcher_list *list; /* for each table of the program */
	size_t list_room, table_room;
	struct table_way *way;
	size_t nways, way_room;
	struct arena *scratch; /* of the views */
	/* the current rule */
	struct table_work *now;
	const struct ruleset *set;
	uint32_t rule;
	/* By rule: the first rule with the same action. Rules of one action never conflict. */
	uint32_t *action;
	struct map actions; /* of rules that may act alike: hash -> the first of them */
	struct rates_run *rates;
	bool placed;
	uint32_t coverer;
	size_t shadow_room;
};

/* --- shapes ------------------------------------------------------------------------------------ */

/* Keeps one copy of each shape, so that pointers can be compared. False: no memory. */
static bool compile_intern(struct work *w, const struct shape *s, size_t *number)
{
	struct cover *c = &w->now->cover;
	uint64_t h = s->n;
	const struct map_slot *known;
	struct shape *kept;

	for (unsigned int i = 0; i < s->n; i++)
		h = map_mix(map_mix(h, s->key[i]), s->mask[i]);
	for (; (known = map_get(&w->now->shapes, h)); h = map_again(h))
		if (shape_same(c->shape[known->what].shape, s)) {
			*number = known->what;
			return true;
		}
	*number = c->n;
	kept = arena_get(w->out->memory, sizeof(*kept));
	if (!kept || !map_put(&w->now->shapes, h, (uint32_t)c->n))
		return false;
	*kept = *s;
	return cover_add_shape(c, kept);
}

/* --- common bits of two shapes -------------------------------------------------------------- */

static uint64_t compile_view_hash_mine(const struct shape_view *v, const uint64_t *value)
{
	uint64_t h = 1;

	for (unsigned int i = 0; i < v->n; i++)
		h = map_mix(h, value[v->key[i].mine] & v->key[i].mask);
	return h;
}

static uint64_t compile_view_hash_theirs(const struct shape_view *v, const uint64_t *value)
{
	uint64_t h = 1;

	for (unsigned int i = 0; i < v->n; i++)
		h = map_mix(h, value[v->key[i].theirs] & v->key[i].mask);
	return h;
}

/* Keeps the first entry with these bits; a later one only records whether it acts differently. */
static bool compile_view_add(const struct work *w, struct shape_view *v,
			     const struct matcher_build *m, size_t i)
{
	struct map_slot *s =
		map_put(&v->seen, compile_view_hash_mine(v, m->entry[i].value), (uint32_t)i);

	if (s && w->action[m->entry[s->what].rule] != w->action[m->entry[i].rule])
		s->mixed = true;
	return s != NULL;
}

static bool compile_view_meet(const struct work *w, struct shape_view *v, const struct shape *mine)
{
	struct shape_common common;
	struct view_key *key;

	shape_meet(&common, mine, v->other);
	v->key = key = arena_get(w->scratch, common.n * sizeof(*key) + 1);
	v->n = common.n;
	for (unsigned int i = 0; key && i < common.n; i++)
		key[i] = (struct view_key){common.mask[i], common.mine[i], common.theirs[i]};
	return key;
}

static struct shape_view *compile_view_get(const struct work *w, struct matcher_build *m,
					   const struct shape *other)
{
	struct shape_view *grown, *v;

	for (size_t i = 0; i < m->nviews; i++)
		if (m->view[i].other == other)
			return &m->view[i];
	grown = reallocarray(m->view, m->nviews + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	m->view = grown;
	v = &grown[m->nviews];
	*v = (struct shape_view){.other = other};
	m->nviews++;
	return compile_view_meet(w, v, m->shape) ? v : NULL;
}

static bool compile_view_fill(const struct work *w, struct shape_view *v,
			      const struct matcher_build *m)
{
	while (v->filled < m->n && compile_view_add(w, v, m, v->filled))
		v->filled++;
	return v->filled == m->n;
}

/* Returns whether the value differs from all of the matcher's in a bit that these have in common. */
static bool compile_view_apart(const struct shape_view *v, const struct matcher_build *m,
			       const uint64_t *value)
{
	for (unsigned int i = 0; i < v->n; i++) {
		const struct view_key *k = &v->key[i];

		if ((m->constant.value[k->mine] ^ value[k->theirs]) & k->mask &
		    m->constant.mask[k->mine])
			return true;
	}
	return false;
}

/* --- places ------------------------------------------------------------------------------------ */

enum relation { APART, IN_THE_WAY, NO_MEMORY };

/* Returns whether the matcher need not be searched: in a long list, one that cannot conflict. */
static bool compile_indifferent(const struct work *w, const struct matcher_list *l,
				const struct matcher_build *m, const struct shape *shape)
{
	return l->n > w->limits->looks && m->shape != shape && !m->mixed &&
	       m->action == w->action[w->rule];
}

static bool compile_crowded(const struct work *w, const struct matcher_build *m,
			    const struct shape *shape)
{
	return m->nviews >= w->limits->looks && m->shape != shape;
}

static bool compile_acts_alike(const struct work *w, const struct rule_entry *e)
{
	return w->action[e->rule] == w->action[w->rule];
}

static enum relation compile_relate_few(const struct work *w, const struct matcher_build *m,
					const struct shape *shape, const uint64_t *value)
{
	struct shape_common common;

	shape_meet(&common, m->shape, shape);
	for (size_t i = 0; i < m->n; i++)
		if (!compile_acts_alike(w, &m->entry[i]) &&
		    shape_agree(&common, m->entry[i].value, value))
			return IN_THE_WAY;
	return APART;
}

/*
 * Returns whether the matcher has a conflicting entry. Hashes that collide only cost a matcher. An
 * equal entry of the same shape would have covered this one.
 */
static enum relation compile_relate(const struct work *w, struct matcher_build *m,
				    const struct shape *shape, const uint64_t *value)
{
	const struct map_slot *s;
	struct shape_view *v;

	if (m->shape == shape)
		return APART;
	if (m->n <= w->limits->few)
		return compile_relate_few(w, m, shape, value);
	v = compile_view_get(w, m, shape);
	if (!v)
		return NO_MEMORY;
	if (compile_view_apart(v, m, value))
		return APART;
	if (!compile_view_fill(w, v, m))
		return NO_MEMORY;
	s = map_get(&v->seen, compile_view_hash_theirs(v, value));
	if (!s)
		return APART;
	return s->mixed || !compile_acts_alike(w, &m->entry[s->what]) ? IN_THE_WAY : APART;
}

/* Records an entry as one that covers later ones, unless its packets go on to later rules. */
static int compile_covers(struct work *w, size_t shape, struct rule_entry entry)
{
	const struct rule *r = &w->set->rule[w->rule];

	if (rule_goes_on(r))
		return 0;
	return cover_add(&w->now->cover, r->dir, shape, entry) ? 0 : -ENOMEM;
}

static int compile_add_entry(struct work *w, struct matcher_list *l, struct matcher_build *m,
			     size_t shape, const uint64_t *value)
{
	uint64_t *kept = arena_get(w->out->memory, m->shape->n * sizeof(*kept));
	struct rule_entry entry = {w->rule, kept};

	if (!kept || !array_grow((void **)&m->entry, m->n, &m->room, sizeof(*m->entry)))
		return -ENOMEM;
	memcpy(kept, value, m->shape->n * sizeof(*kept));
	if (!shape_constant_add(&m->constant, m->shape->n, kept))
		return -ENOMEM;
	m->mixed |= m->n && m->action != w->action[w->rule];
	m->action = w->action[w->rule];
	m->entry[m->n++] = entry;
	l->entries++;
	w->placed = true;
	return compile_covers(w, shape, entry);
}

static int compile_add_matcher(struct matcher_list *l, const struct shape *shape)
{
	if (l->n == MATCHERS_MAX)
		return -E2BIG;
	if (!array_grow((void **)&l->matcher, l->n, &l->room, sizeof(*l->matcher)))
		return -ENOMEM;
	l->matcher[l->n++] = (struct matcher_build){.shape = shape};
	return 0;
}

/* Finds the place of an entry: the first matcher of its shape behind all conflicting entries. */
static int compile_find_place(struct work *w, struct matcher_list *l, const struct shape *shape,
			      const uint64_t *value, size_t *target)
{
	unsigned int looks = 0;

	*target = l->n;
	for (size_t i = l->n; i-- > 0;) {
		struct matcher_build *m = &l->matcher[i];
		enum relation how = APART;

		if (!compile_indifferent(w, l, m, shape)) {
			if (looks++ == w->limits->looks)
				break;
			how = compile_crowded(w, m, shape) ? IN_THE_WAY
							   : compile_relate(w, m, shape, value);
		}
		if (how == NO_MEMORY)
			return -ENOMEM;
		if (how == IN_THE_WAY)
			break;
		if (m->shape == shape)
			*target = i;
	}
	return 0;
}

/* Keeps a covered entry, for an edit that removes the covering rule. */
static int compile_keep_covered(struct work *w, size_t shape, const uint64_t *value)
{
	struct table *t = &w->out->table[w->out->where[w->rule]];
	struct covered_entry c = {
		.shape = w->now->cover.shape[shape].shape, .rule = w->rule, .by = w->coverer};
	uint64_t *kept;

	/* The rule covers the entry itself, so both leave together. */
	if (c.by == c.rule)
		return 0;
	kept = arena_get(w->out->memory, c.shape->n * sizeof(*kept));
	if (!kept ||
	    !array_grow((void **)&t->covered, t->ncovered, &t->covered_room, sizeof(*t->covered)))
		return -ENOMEM;
	c.value = memcpy(kept, value, c.shape->n * sizeof(*kept));
	t->covered[t->ncovered++] = c;
	return 0;
}

static int compile_place(void *arg, const struct shape *wanted, const uint64_t *value)
{
	struct work *w = arg;
	enum rule_dir dir = w->set->rule[w->rule].dir;
	struct matcher_list *l = &w->list[w->out->where[w->rule]];
	const struct shape *shape;
	size_t number, target;
	int ret;

	if (!compile_intern(w, wanted, &number))
		return -ENOMEM;
	ret = cover_find(&w->now->cover, dir, number, value, &w->coverer);
	if (ret)
		return ret < 0 ? ret : compile_keep_covered(w, number, value);
	shape = w->now->cover.shape[number].shape;
	ret = compile_find_place(w, l, shape, value, &target);
	if (!ret && target == l->n)
		ret = compile_add_matcher(l, shape);
	return ret ? ret : compile_add_entry(w, l, &l->matcher[target], number, value);
}

/* --- actions ----------------------------------------------------------------------------------- */

/* Hashes a rule's action. */
static uint64_t action_hash(const struct rule *r)
{
	uint64_t h = map_mix(map_mix(map_mix(1, r->verdict), r->queue), r->vport);

	h = map_mix(h, r->has_tag ? 1ull << 32 | r->tag : 0);
	return map_mix(map_mix(h, r->go), r->rss ? r->rss->number + 1 : 0);
}

bool rule_same_action(const struct rule *a, const struct rule *b)
{
	return a == b ||
	       (!rule_acts_alone(a) && !rule_acts_alone(b) && a->verdict == b->verdict &&
		a->queue == b->queue && a->vport == b->vport && a->has_tag == b->has_tag &&
		a->tag == b->tag && a->go == b->go && a->rss == b->rss);
}

static int compile_find_action(struct work *w)
{
	const struct rule *r = &w->set->rule[w->rule];
	const struct map_slot *s;

	w->action[w->rule] = w->rule;
	if (rule_acts_alone(r))
		return 0;
	s = map_put(&w->actions, action_hash(r), w->rule);
	if (s && rule_same_action(&w->set->rule[s->what], r))
		w->action[w->rule] = s->what;
	return s ? 0 : -ENOMEM;
}

/* --- tables ------------------------------------------------------------------------------------ */

static int compile_add_table(struct work *w, enum rule_dir dir, uint32_t of)
{
	struct program *p = w->out;

	if (!array_grow((void **)&w->list, p->ntables, &w->list_room, sizeof(*w->list)) ||
	    !array_grow((void **)&p->table, p->ntables, &w->table_room, sizeof(*p->table)))
		return -ENOMEM;
	w->list[p->ntables] = (struct matcher_list){0};
	p->table[p->ntables] = (struct table){.dir = dir, .of = of, .next = TABLE_NONE};
	w->of[of].list[dir] = (uint32_t)p->ntables++;
	w->of[of].rates[dir] = TABLE_NONE;
	return 0;
}

/* Adds all tables; the first one of each direction comes first. */
static int compile_add_tables(struct work *w)
{
	int ret = 0;

	w->nof = w->set->ntables ? w->set->ntables : 1;
	w->of = calloc(w->nof, sizeof(*w->of));
	if (!w->of)
		return -ENOMEM;
	for (uint32_t t = 0; t < w->nof; t++)
		w->of[t].cover.most = w->limits->covers;
	for (uint32_t t = 0; t < w->nof; t++)
		for (int d = 0; d < RULE_DIRS && !ret; d++)
			ret = compile_add_table(w, (enum rule_dir)d, t);
	return ret;
}

/* Records that the current rule leads from one table to another. */
static int compile_add_way(struct work *w, uint32_t from, uint32_t to)
{
	if (!array_grow((void **)&w->way, w->nways, &w->way_room, sizeof(*w->way)))
		return -ENOMEM;
	w->way[w->nways++] = (struct table_way){from, to, w->rule};
	return 0;
}

/* Begins a new table for the rules behind one whose packets they judge, too. */
static int compile_go_on(struct work *w)
{
	const struct rule *r = &w->set->rule[w->rule];
	uint32_t before = w->now->list[r->dir];
	int ret = compile_add_table(w, r->dir, r->table);

	if (ret)
		return ret;
	w->out->table[before].next = w->now->list[r->dir];
	w->out->table[before].next_levels = (uint8_t)rule_levels(r);
	w->now->rates[r->dir] = r->over ? before : TABLE_NONE;
	return compile_add_way(w, before, w->now->list[r->dir]);
}

static int compile_ways(struct work *w)
{
	const struct rule *r = &w->set->rule[w->rule];
	uint32_t in = w->out->where[w->rule];
	int ret = 0;

	if (r->verdict == RULE_GOTO)
		ret = compile_add_way(w, in, program_goto(r));
	return ret || !rule_goes_on(r) || in == w->now->rates[r->dir] ? ret : compile_go_on(w);
}

/* Puts a table behind one that leads to it. Returns 1, 0 if it was behind already, or -EMLINK. */
static int compile_deepen(struct work *w, const struct table_way *way)
{
	uint32_t level = w->out->table[way->from].level;
	uint32_t behind = level + rule_levels(&w->set->rule[way->rule]);

	if (!level || w->out->table[way->to].level >= behind)
		return 0;
	w->rule = way->rule;
	w->out->table[way->to].level = behind;
	return behind > TABLES_DEEP ? -EMLINK : 1;
}

static int compile_levels(struct work *w)
{
	int moved = 1, ret = 0;

	for (int d = 0; d < RULE_DIRS; d++)
		w->out->table[d].level = w->list[d].n != 0;
	while (moved && ret >= 0) {
		moved = 0;
		for (size_t i = 0; i < w->nways && ret >= 0; i++)
			moved |= ret = compile_deepen(w, &w->way[i]);
	}
	return ret < 0 ? ret : 0;
}

/* --- a whole set of rules ------------------------------------------------------------------- */

static int compile_keep_shadow(struct work *w)
{
	struct program *p = w->out;

	if (!array_grow((void **)&p->shadow, p->nshadows, &w->shadow_room, sizeof(*p->shadow)))
		return -ENOMEM;
	p->shadow[p->nshadows++] = (struct shadow){w->rule, w->coverer};
	return 0;
}

/* Chooses the current rule's table: the next one, or that of the rates right before. */
static int compile_choose_table(struct work *w)
{
	enum rule_dir dir = w->set->rule[w->rule].dir;
	int joins = rates_take(w->rates, &w->set->rule[w->rule]);

	if (!joins)
		w->now->rates[dir] = TABLE_NONE;
	w->out->where[w->rule] =
		w->now->rates[dir] == TABLE_NONE ? w->now->list[dir] : w->now->rates[dir];
	return joins < 0 ? joins : 0;
}

static int compile_place_rule(struct work *w)
{
	int ret;

	w->placed = false;
	w->now = &w->of[w->set->rule[w->rule].table];
	w->now->cover.settled = w->now->cover.n;
	ret = compile_find_action(w);
	if (!ret)
		ret = compile_choose_table(w);
	if (!ret)
		ret = rule_expand(&w->set->rule[w->rule], compile_place, w);
	if (!ret)
		ret = w->placed ? compile_ways(w) : compile_keep_shadow(w);
	return ret;
}

static int compile_place_rules(struct work *w)
{
	int ret = 0;

	for (; w->rule < w->set->n && !ret; w->rule += !ret)
		ret = compile_place_rule(w);
	return ret;
}

static int compile_keep_table(struct matcher_list *l, struct table *t)
{
	t->matcher = calloc(l->n ? l->n : 1, sizeof(*t->matcher));
	if (!t->matcher)
		return -ENOMEM;
	t->n = l->n;
	t->entries = l->entries;
	for (size_t i = 0; i < l->n; i++) {
		t->matcher[i] =
			(struct matcher){l->matcher[i].shape, l->matcher[i].entry, l->matcher[i].n};
		l->matcher[i].entry = NULL;
	}
	return 0;
}

static void compile_list_free(struct matcher_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct matcher_build *m = &l->matcher[i];

		for (size_t v = 0; v < m->nviews; v++)
			map_free(&m->view[v].seen);
		free(m->view);
		shape_constant_free(&m->constant);
		free(m->entry);
	}
	free(l->matcher);
}

static void compile_work_free(struct work *w)
{
	for (size_t t = 0; t < w->out->ntables; t++)
		compile_list_free(&w->list[t]);
	for (size_t t = 0; w->of && t < w->nof; t++) {
		map_free(&w->of[t].shapes);
		cover_free(&w->of[t].cover);
	}
	arena_free(w->scratch);
	free(w->list);
	free(w->of);
	free(w->way);
	free(w->action);
	map_free(&w->actions);
	rates_free(w->rates, w->set);
}

int rules_compile(const struct ruleset *set, struct program *out, size_t *wrong)
{
	return rules_compile_within(set, &compile_limits, out, wrong);
}

int rules_compile_within(const struct ruleset *set, const struct compile_limits *limits,
			 struct program *out, size_t *wrong)
{
	struct work w = {.limits = limits, .out = out, .set = set, .scratch = arena_new()};
	int ret;

	*out = (struct program){.memory = arena_new()};
	out->where = calloc(set->n + 1, sizeof(*out->where));
	w.action = calloc(set->n + 1, sizeof(*w.action));
	w.rates = rates_new(set);
	ret = out->memory && out->where && w.action && w.rates && w.scratch ? compile_add_tables(&w)
									    : -ENOMEM;
	if (!ret)
		ret = compile_place_rules(&w);
	if (!ret)
		ret = compile_levels(&w);
	for (size_t t = 0; t < out->ntables && !ret; t++)
		ret = compile_keep_table(&w.list[t], &out->table[t]);
	*wrong = w.rule;
	compile_work_free(&w);
	if (ret)
		program_free(out);
	return ret;
}

void program_free(struct program *p)
{
	for (size_t t = 0; t < p->ntables; t++) {
		for (size_t i = 0; i < p->table[t].n; i++)
			free(p->table[t].matcher[i].entry);
		free(p->table[t].matcher);
		free(p->table[t].covered);
	}
	free(p->table);
	free(p->where);
	free(p->shadow);
	arena_free(p->memory);
	*p = (struct program){0};
}
