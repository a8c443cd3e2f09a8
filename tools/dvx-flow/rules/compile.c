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
#include "map.h"

/*
 * Limits the search for a place: so many matchers are searched, and so many shapes may search one
 * matcher; beyond that, an entry counts as conflicting. Each search keeps a hash table that all
 * later entries of the matcher join.
 */
#define LOOKS 64u

/* The entries of a matcher under the bits that its shape and another shape both compare. */
struct shape_view {
	const struct shape *other;
	uint8_t n, mine[MATCH_KEYS], theirs[MATCH_KEYS]; /* indexes of the values */
	uint64_t mask[MATCH_KEYS];
	bool covers;	 /* the matcher compares no bit that the other shape does not */
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
	struct map shapes; /* hash -> index in `shape` */
	struct shape **shape;
	size_t nshapes, shape_room;
	/* the current rule */
	const struct ruleset *set;
	uint32_t rule;
	uint32_t *action; /* the first rule with the same action, for each rule; such rules never
			     conflict */
	bool placed;
	uint32_t coverer;
	size_t shadow_room;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 29;
}

/* --- shapes ------------------------------------------------------------------------------------ */

static bool same_shape(const struct shape *a, const struct shape *b)
{
	return a->n == b->n && !memcmp(a->key, b->key, a->n) &&
	       !memcmp(a->mask, b->mask, a->n * sizeof(a->mask[0]));
}

/* Keeps one copy of each shape, so that pointers can be compared. */
static const struct shape *intern(struct work *w, const struct shape *s)
{
	uint64_t h = s->n;
	const struct map_slot *known;
	struct shape *kept;

	for (unsigned int i = 0; i < s->n; i++)
		h = mix(mix(h, s->key[i]), s->mask[i]);
	known = map_get(&w->shapes, h);
	if (known && same_shape(w->shape[known->what], s))
		return w->shape[known->what];
	kept = arena_get(w->out->memory, sizeof(*kept));
	if (!kept ||
	    !array_grow((void **)&w->shape, w->nshapes, &w->shape_room, sizeof(*w->shape)) ||
	    !map_put(&w->shapes, h, (uint32_t)w->nshapes))
		return NULL;
	*kept = *s;
	w->shape[w->nshapes++] = kept;
	return kept;
}

/* --- common bits of two shapes -------------------------------------------------------------- */

static uint64_t hash(const struct shape_view *v, const uint8_t *places, const uint64_t *value)
{
	uint64_t h = 1;

	for (unsigned int i = 0; i < v->n; i++)
		h = mix(h, value[places[i]] & v->mask[i]);
	return h;
}

/* Finds the bits that both shapes compare. */
static void meet(struct shape_view *v, const struct shape *mine, const struct shape *other)
{
	unsigned int j = 0;

	v->covers = true;
	for (unsigned int i = 0; i < mine->n; i++) {
		uint64_t mask;

		while (j < other->n && other->key[j] < mine->key[i])
			j++;
		mask = j < other->n && other->key[j] == mine->key[i]
			       ? mine->mask[i] & other->mask[j]
			       : 0;
		v->covers &= mask == mine->mask[i];
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

/* Compares the bits, not their hash. */
static bool compile_agree(const struct shape_view *v, const uint64_t *mine, const uint64_t *theirs)
{
	for (unsigned int i = 0; i < v->n; i++)
		if ((mine[v->mine[i]] ^ theirs[v->theirs[i]]) & v->mask[i])
			return false;
	return true;
}

/* --- places ------------------------------------------------------------------------------------ */

enum relation { APART, IN_THE_WAY, COVERED, NO_MEMORY };

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

/* Hashes that collide only cost a matcher, so only COVERED compares the bits. */
static enum relation relate(const struct work *w, struct matcher_build *m,
			    const struct shape *shape, const uint64_t *value, uint32_t *rule)
{
	struct shape_view *v = view_get(w, m, shape);
	const struct map_slot *s;

	if (!v)
		return NO_MEMORY;
	s = map_get(&v->seen, hash(v, v->theirs, value));
	if (!s)
		return APART;
	*rule = m->entry[s->what].rule;
	if (v->covers && compile_agree(v, m->entry[s->what].value, value))
		return COVERED;
	return s->mixed || w->action[*rule] != w->action[w->rule] ? IN_THE_WAY : APART;
}

static int compile_add_entry(struct work *w, struct matcher_list *l, struct matcher_build *m,
			     const uint64_t *value)
{
	uint64_t *kept = arena_get(w->out->memory, m->shape->n * sizeof(*kept));

	if (!kept || !array_grow((void **)&m->entry, m->n, &m->room, sizeof(*m->entry)))
		return -ENOMEM;
	memcpy(kept, value, m->shape->n * sizeof(*kept));
	m->mixed |= m->n && m->action != w->action[w->rule];
	m->action = w->action[w->rule];
	m->entry[m->n++] = (struct rule_entry){w->rule, kept};
	for (size_t i = 0; i < m->nviews; i++)
		if (!view_add(w, &m->view[i], m, m->n - 1))
			return -ENOMEM;
	l->entries++;
	w->placed = true;
	return 0;
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
static enum relation find_place(struct work *w, struct matcher_list *l, const struct shape *shape,
				const uint64_t *value, size_t *target)
{
	unsigned int looks = 0;
	bool blocked = false;

	*target = l->n;
	for (size_t i = l->n; i-- > 0;) {
		struct matcher_build *m = &l->matcher[i];
		enum relation how = APART;

		if (!indifferent(w, l, m, shape)) {
			if (looks++ == LOOKS)
				break;
			how = crowded(m, shape) ? IN_THE_WAY
						: relate(w, m, shape, value, &w->coverer);
		}
		if (how == COVERED || how == NO_MEMORY)
			return how;
		/* The search continues: an earlier rule may cover this entry. */
		blocked |= how == IN_THE_WAY;
		if (m->shape == shape && !blocked)
			*target = i;
	}
	return APART;
}

static int compile_place(void *arg, const struct shape *wanted, const uint64_t *value)
{
	struct work *w = arg;
	struct matcher_list *l = &w->list[w->set->rule[w->rule].dir];
	const struct shape *shape = intern(w, wanted);
	size_t target;
	int ret;

	if (!shape)
		return -ENOMEM;
	switch (find_place(w, l, shape, value, &target)) {
	case NO_MEMORY:
		return -ENOMEM;
	case COVERED:
		return 0;
	default:
		ret = target == l->n ? add_matcher(l, shape) : 0;
		return ret ? ret : compile_add_entry(w, l, &l->matcher[target], value);
	}
}

/* --- actions -------------------------------------------------------------------------------------
 */

/* Hashes what a rule does with a packet. A rule with a counter is equal to no other. */
static uint64_t action_hash(const struct rule *r, uint32_t i)
{
	uint64_t h = mix(mix(1, r->verdict), r->verdict == RULE_SEND ? r->queue : 0);

	h = mix(h, r->has_tag ? 1ull << 32 | r->tag : 0);
	return r->count ? mix(mix(2, i), h) : h;
}

static bool same_action(const struct rule *a, const struct rule *b)
{
	return a == b || (!a->count && !b->count && a->verdict == b->verdict &&
			  a->queue == b->queue && a->has_tag == b->has_tag && a->tag == b->tag);
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
	free(w->shape);
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
