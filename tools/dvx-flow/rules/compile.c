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

/*
 * Limits the search for a place: so many matchers are searched, and so many shapes may search one
 * matcher; beyond that, an entry counts as conflicting, which costs a matcher. Each search keeps a
 * hash table that all later entries of the matcher join.
 */
#define LOOKS 64u

/* The entries of a matcher under the bits that its shape and another shape both compare. */
struct shape_view {
	const struct shape *other;
	uint8_t n, mine[MATCH_KEYS], theirs[MATCH_KEYS]; /* indexes of the values */
	uint64_t mask[MATCH_KEYS];
	struct map seen; /* entries of the matcher, by the common bits */
};

struct matcher_build {
	const struct shape *shape;
	struct rule_entry *entry;
	size_t n, room;
	uint32_t action; /* of all entries, unless `mixed` */
	bool mixed;
	struct shape_view *view;
	size_t nviews;
};

struct matcher_list {
	struct matcher_build *matcher;
	size_t n, room, entries;
};

struct work {
	struct program *out;
	struct matcher_list list[RULE_DIRS];
	struct map shapes; /* hash -> the shape's number in `cover` */
	struct cover cover;
	/* the current rule */
	const struct ruleset *set;
	uint32_t rule;
	uint32_t *action; /* the first rule with the same action, for each rule; such rules never
			     conflict */
	bool placed;
	uint32_t coverer;
	size_t shadow_room;
};

/* --- shapes ------------------------------------------------------------------------------------ */

static bool same_shape(const struct shape *a, const struct shape *b)
{
	return a->n == b->n && !memcmp(a->key, b->key, a->n) &&
	       !memcmp(a->mask, b->mask, a->n * sizeof(a->mask[0]));
}

/* Keeps one copy of each shape, so that pointers can be compared. False: no memory. */
static bool intern(struct work *w, const struct shape *s, size_t *number)
{
	struct cover *c = &w->cover;
	uint64_t h = s->n;
	const struct map_slot *known;
	struct shape *kept;

	for (unsigned int i = 0; i < s->n; i++)
		h = map_mix(map_mix(h, s->key[i]), s->mask[i]);
	known = map_get(&w->shapes, h);
	*number = known && same_shape(c->shape[known->what].shape, s) ? known->what : c->n;
	if (*number < c->n)
		return true;
	kept = arena_get(w->out->memory, sizeof(*kept));
	if (!kept || !map_put(&w->shapes, h, (uint32_t)c->n))
		return false;
	*kept = *s;
	return cover_add_shape(c, kept);
}

/* --- common bits of two shapes -------------------------------------------------------------- */

static uint64_t hash(const struct shape_view *v, const uint8_t *places, const uint64_t *value)
{
	uint64_t h = 1;

	for (unsigned int i = 0; i < v->n; i++)
		h = map_mix(h, value[places[i]] & v->mask[i]);
	return h;
}

/* Finds the bits that both shapes compare. */
static void meet(struct shape_view *v, const struct shape *mine, const struct shape *other)
{
	unsigned int j = 0;

	for (unsigned int i = 0; i < mine->n; i++) {
		uint64_t mask;

		while (j < other->n && other->key[j] < mine->key[i])
			j++;
		mask = j < other->n && other->key[j] == mine->key[i]
			       ? mine->mask[i] & other->mask[j]
			       : 0;
		if (!mask)
			continue;
		v->mine[v->n] = (uint8_t)i;
		v->theirs[v->n] = (uint8_t)j;
		v->mask[v->n++] = mask;
	}
}

/* Keeps the first entry with these bits; a later one only records whether it acts differently. */
static bool view_add(const struct work *w, struct shape_view *v, const struct matcher_build *m,
		     size_t i)
{
	struct map_slot *s = map_put(&v->seen, hash(v, v->mine, m->entry[i].value), (uint32_t)i);

	if (s && w->action[m->entry[s->what].rule] != w->action[m->entry[i].rule])
		s->mixed = true;
	return s != NULL;
}

static struct shape_view *view_get(const struct work *w, struct matcher_build *m,
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
	meet(v, m->shape, other);
	m->nviews++;
	for (size_t i = 0; i < m->n; i++)
		if (!view_add(w, v, m, i))
			return NULL;
	return v;
}

/* --- places ------------------------------------------------------------------------------------ */

enum relation { APART, IN_THE_WAY, NO_MEMORY };

/* In a long list, matchers that cannot conflict are not searched. */
static bool indifferent(const struct work *w, const struct matcher_list *l,
			const struct matcher_build *m, const struct shape *shape)
{
	return l->n > LOOKS && m->shape != shape && !m->mixed && m->action == w->action[w->rule];
}

static bool crowded(const struct matcher_build *m, const struct shape *shape)
{
	return m->nviews >= LOOKS && m->shape != shape;
}

/* Hashes that collide only cost a matcher. */
static enum relation relate(const struct work *w, struct matcher_build *m,
			    const struct shape *shape, const uint64_t *value)
{
	struct shape_view *v = view_get(w, m, shape);
	const struct map_slot *s;

	if (!v)
		return NO_MEMORY;
	s = map_get(&v->seen, hash(v, v->theirs, value));
	if (!s)
		return APART;
	return s->mixed || w->action[m->entry[s->what].rule] != w->action[w->rule] ? IN_THE_WAY
										   : APART;
}

static int compile_add_entry(struct work *w, struct matcher_list *l, struct matcher_build *m,
			     size_t shape, const uint64_t *value)
{
	uint64_t *kept = arena_get(w->out->memory, m->shape->n * sizeof(*kept));
	struct rule_entry entry = {w->rule, kept};

	if (!kept || !array_grow((void **)&m->entry, m->n, &m->room, sizeof(*m->entry)))
		return -ENOMEM;
	memcpy(kept, value, m->shape->n * sizeof(*kept));
	m->mixed |= m->n && m->action != w->action[w->rule];
	m->action = w->action[w->rule];
	m->entry[m->n++] = entry;
	for (size_t i = 0; i < m->nviews; i++)
		if (!view_add(w, &m->view[i], m, m->n - 1))
			return -ENOMEM;
	l->entries++;
	w->placed = true;
	return cover_add(&w->cover, w->set->rule[w->rule].dir, shape, entry) ? 0 : -ENOMEM;
}

static int add_matcher(struct matcher_list *l, const struct shape *shape)
{
	if (l->n == MATCHERS_MAX)
		return -E2BIG;
	if (!array_grow((void **)&l->matcher, l->n, &l->room, sizeof(*l->matcher)))
		return -ENOMEM;
	l->matcher[l->n++] = (struct matcher_build){.shape = shape};
	return 0;
}

/* Finds the place of an entry: the first matcher of its shape behind all conflicting entries. */
static int find_place(struct work *w, struct matcher_list *l, const struct shape *shape,
		      const uint64_t *value, size_t *target)
{
	unsigned int looks = 0;

	*target = l->n;
	for (size_t i = l->n; i-- > 0;) {
		struct matcher_build *m = &l->matcher[i];
		enum relation how = APART;

		if (!indifferent(w, l, m, shape)) {
			if (looks++ == LOOKS)
				break;
			how = crowded(m, shape) ? IN_THE_WAY : relate(w, m, shape, value);
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

static int compile_place(void *arg, const struct shape *wanted, const uint64_t *value)
{
	struct work *w = arg;
	enum rule_dir dir = w->set->rule[w->rule].dir;
	struct matcher_list *l = &w->list[dir];
	const struct shape *shape;
	size_t number, target;
	int ret;

	if (!intern(w, wanted, &number))
		return -ENOMEM;
	ret = cover_find(&w->cover, dir, number, value, &w->coverer);
	if (ret)
		return ret < 0 ? ret : 0;
	shape = w->cover.shape[number].shape;
	ret = find_place(w, l, shape, value, &target);
	if (!ret && target == l->n)
		ret = add_matcher(l, shape);
	return ret ? ret : compile_add_entry(w, l, &l->matcher[target], number, value);
}

/* --- actions -------------------------------------------------------------------------------------
 */

/* Hashes what a rule does with a packet. A rule with a counter or a change is equal to no other. */
static uint64_t action_hash(const struct rule *r, uint32_t i)
{
	uint64_t h = map_mix(map_mix(1, r->verdict), r->verdict == RULE_SEND ? r->queue : 0);

	h = map_mix(h, r->has_tag ? 1ull << 32 | r->tag : 0);
	return r->count || r->nchanges ? map_mix(map_mix(2, i), h) : h;
}

static bool same_action(const struct rule *a, const struct rule *b)
{
	return a == b || (!a->count && !b->count && !a->nchanges && !b->nchanges &&
			  a->verdict == b->verdict && a->queue == b->queue &&
			  a->has_tag == b->has_tag && a->tag == b->tag);
}

static int compile_find_actions(struct work *w)
{
	struct map firsts = {0};
	int ret = 0;

	w->action = calloc(w->set->n ? w->set->n : 1, sizeof(*w->action));
	for (uint32_t i = 0; i < w->set->n && w->action && !ret; i++) {
		struct map_slot *s = map_put(&firsts, action_hash(&w->set->rule[i], i), i);

		ret = s ? 0 : -ENOMEM;
		w->action[i] =
			s && same_action(&w->set->rule[s->what], &w->set->rule[i]) ? s->what : i;
	}
	map_free(&firsts);
	return w->action ? ret : -ENOMEM;
}

/* --- a whole set of rules ------------------------------------------------------------------- */

static int keep_shadow(struct work *w)
{
	struct program *p = w->out;

	if (!array_grow((void **)&p->shadow, p->nshadows, &w->shadow_room, sizeof(*p->shadow)))
		return -ENOMEM;
	p->shadow[p->nshadows++] = (struct shadow){w->rule, w->coverer};
	return 0;
}

static int place_rules(struct work *w)
{
	int ret = 0;

	for (; w->rule < w->set->n && !ret; w->rule += !ret) {
		w->placed = false;
		ret = rule_expand(&w->set->rule[w->rule], compile_place, w);
		if (!ret && !w->placed)
			ret = keep_shadow(w);
	}
	return ret;
}

static int keep_table(struct matcher_list *l, struct table *t)
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

static void work_free(struct work *w)
{
	for (int d = 0; d < RULE_DIRS; d++) {
		for (size_t i = 0; i < w->list[d].n; i++) {
			struct matcher_build *m = &w->list[d].matcher[i];

			for (size_t v = 0; v < m->nviews; v++)
				map_free(&m->view[v].seen);
			free(m->view);
			free(m->entry);
		}
		free(w->list[d].matcher);
	}
	map_free(&w->shapes);
	cover_free(&w->cover);
	free(w->action);
}

int rules_compile(const struct ruleset *set, struct program *out, size_t *wrong)
{
	struct work w = {.out = out, .set = set};
	int ret;

	*out = (struct program){.memory = arena_new()};
	ret = out->memory ? compile_find_actions(&w) : -ENOMEM;
	if (!ret)
		ret = place_rules(&w);
	for (int d = 0; d < RULE_DIRS && !ret; d++)
		ret = keep_table(&w.list[d], &out->table[d]);
	*wrong = w.rule;
	work_free(&w);
	if (ret)
		program_free(out);
	return ret;
}

void program_free(struct program *p)
{
	for (int d = 0; d < RULE_DIRS; d++) {
		for (size_t i = 0; i < p->table[d].n; i++)
			free(p->table[d].matcher[i].entry);
		free(p->table[d].matcher);
	}
	free(p->shadow);
	arena_free(p->memory);
	*p = (struct program){0};
}
