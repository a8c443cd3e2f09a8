/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "arena.h"
#include "live.h"
#include "shape.h"

const struct shape *live_keep_shape(struct live_table *t, const struct shape *shape)
{
	struct shape *own;

	for (size_t i = 0; i < t->nmatchers; i++)
		if (t->matcher[i].shape && shape_same(t->matcher[i].shape, shape))
			return t->matcher[i].shape;
	for (size_t i = 0; i < t->nown; i++)
		if (shape_same(t->own[i], shape))
			return t->own[i];
	own = array_grow((void **)&t->own, t->nown, &t->own_room, sizeof(*t->own))
		      ? malloc(sizeof(*own))
		      : NULL;
	if (!own)
		return NULL;
	*own = *shape;
	return t->own[t->nown++] = own;
}

bool live_add_matcher(struct live_table *t, const struct shape *shape, uint32_t priority,
		      uint32_t *matcher)
{
	for (*matcher = 0; *matcher < t->nmatchers && t->matcher[*matcher].shape;)
		++*matcher;
	if (*matcher == t->nmatchers) {
		if (!array_grow((void **)&t->matcher, t->nmatchers, &t->matcher_room,
				sizeof(*t->matcher)))
			return false;
		t->nmatchers++;
	}
	t->matcher[*matcher] = (struct live_matcher){shape, priority, 0};
	return true;
}

bool live_add(struct live_table *t, uint32_t rule, uint32_t matcher, const uint64_t *value)
{
	if (!array_grow((void **)&t->entry, t->n, &t->room, sizeof(*t->entry)))
		return false;
	t->entry[t->n++] = (struct live_entry){value, rule, matcher};
	t->matcher[matcher].entries++;
	return true;
}

bool live_cover(struct live_table *t, const struct covered_entry *c)
{
	if (!array_grow((void **)&t->covered, t->ncovered, &t->covered_room, sizeof(*t->covered)))
		return false;
	t->covered[t->ncovered++] = *c;
	return true;
}

bool live_remove(struct live_table *t, size_t entry)
{
	struct live_matcher *m = &t->matcher[t->entry[entry].matcher];

	t->entry[entry] = t->entry[--t->n];
	if (--m->entries)
		return false;
	m->shape = NULL;
	return true;
}

void live_uncover(struct live_table *t, size_t covered)
{
	t->covered[covered] = t->covered[--t->ncovered];
}

void live_renumber(struct live_table *t, const uint32_t *to)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->entry[i].rule != LIVE_REST)
			t->entry[i].rule = to[t->entry[i].rule];
	for (size_t i = 0; i < t->ncovered; i++) {
		t->covered[i].rule = to[t->covered[i].rule];
		t->covered[i].by = to[t->covered[i].by];
	}
}

static uint32_t live_gap(size_t matchers)
{
	size_t gap = LIVE_LAST / (matchers + 1);

	return gap ? (uint32_t)gap : 1;
}

static bool live_begin_matchers(struct live_table *t, const struct table *from)
{
	uint32_t gap = live_gap(from->n), at;

	t->matcher = calloc(from->n + 1, sizeof(*t->matcher));
	t->matcher_room = from->n + 1;
	for (at = 0; t->matcher && at < from->n; at++)
		t->matcher[t->nmatchers++] =
			(struct live_matcher){from->matcher[at].shape, at * gap + gap / 2, 0};
	return t->matcher;
}

bool live_begin(struct live_table *t, const struct table *from)
{
	bool fine = live_begin_matchers(t, from);

	t->last = LIVE_LAST;
	for (size_t m = from->n; m-- > 0;)
		for (size_t e = 0; e < from->matcher[m].n && fine; e++)
			fine = live_add(t, from->matcher[m].entry[e].rule, (uint32_t)m,
					from->matcher[m].entry[e].value);
	for (size_t i = 0; i < from->ncovered && fine; i++)
		fine = live_cover(t, &from->covered[i]);
	return fine;
}

void live_free(struct live_table *t)
{
	free(t->matcher);
	free(t->entry);
	free(t->covered);
	while (t->nown)
		free(t->own[--t->nown]);
	free(t->own);
	*t = (struct live_table){0};
}

/* --- where an entry goes ---------------------------------------------------------------------- */

/* The search for an entry's place. It belongs behind `low` and before `high`. */
struct live_search {
	const struct live_table *t;
	const struct ruleset *set;
	const bool *leaving;
	uint32_t rule;
	const struct shape *shape;
	const uint64_t *value;
	int64_t low, high; /* priorities */
	/* the matcher of the last entry that was compared */
	uint32_t matcher;
	bool wider, same;
	struct shape_common common;
};

static void live_turn_to(struct live_search *s, uint32_t matcher)
{
	const struct shape *its = s->t->matcher[matcher].shape;

	s->matcher = matcher;
	shape_meet(&s->common, its, s->shape);
	s->wider = shape_is_wider(its, s->shape);
	s->same = shape_same(its, s->shape);
}

static bool live_same_action(const struct ruleset *set, uint32_t a, uint32_t b)
{
	if (a == LIVE_REST || b == LIVE_REST)
		return a == b;
	return rule_same_action(&set->rule[a], &set->rule[b]);
}

/*
 * Narrows the place by an entry that a common packet matches: the earlier rule's is looked up
 * first, unless it makes no difference. Equal entries never share a matcher. Returns whether the
 * other entry covers this one.
 */
static bool live_relate(struct live_search *s, const struct live_entry *e)
{
	int64_t priority = s->t->matcher[e->matcher].priority;
	bool leaves = s->leaving && e->rule != LIVE_REST && s->leaving[e->rule],
	     earlier = e->rule <= s->rule;

	if (earlier && s->wider && !leaves)
		return true;
	if (!s->same && live_same_action(s->set, e->rule, s->rule))
		return false;
	if (earlier && priority > s->low)
		s->low = priority;
	if (!earlier && priority < s->high)
		s->high = priority;
	return false;
}

/* Finds the matcher of this shape with most entries, between the limits. */
static bool live_joins(const struct live_search *s, struct live_spot *out)
{
	const struct live_matcher *m = s->t->matcher;
	uint32_t most = 0;

	for (uint32_t i = 0; i < s->t->nmatchers; i++)
		if (m[i].shape && m[i].entries > most && m[i].priority > s->low &&
		    m[i].priority < s->high && shape_same(m[i].shape, s->shape)) {
			most = m[i].entries;
			*out = (struct live_spot){LIVE_JOINS, .matcher = i};
		}
	return most;
}

static int live_by_value(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return (one > other) - (one < other);
}

/*
 * Finds a priority for a new matcher: in the middle of the widest gap, or, behind all others, near
 * to the last.
 */
static struct live_spot live_begins(const struct live_search *s)
{
	int64_t *used = calloc(s->t->nmatchers + 2, sizeof(*used)), widest = 1, at = -1;
	size_t n = 0;

	if (!used)
		return (struct live_spot){.place = LIVE_NO_MEMORY};
	used[n++] = s->low;
	used[n++] = s->high;
	for (size_t i = 0; i < s->t->nmatchers; i++)
		if (s->t->matcher[i].shape && s->t->matcher[i].priority > s->low &&
		    s->t->matcher[i].priority < s->high)
			used[n++] = s->t->matcher[i].priority;
	qsort(used, n, sizeof(*used), live_by_value);
	for (size_t i = 0; i + 1 < n; i++) {
		int64_t gap = used[i + 1] - used[i];
		bool last = used[i + 1] == s->t->last && gap > 1;

		if (gap <= widest && !last)
			continue;
		widest = gap;
		at = used[i] + (last && gap > 512 ? 256 : gap / 2);
	}
	free(used);
	return at < 0 ? (struct live_spot){.place = LIVE_NOWHERE}
		      : (struct live_spot){LIVE_BEGINS, .priority = (uint32_t)at};
}

struct live_spot live_find(const struct live_table *t, const struct ruleset *set,
			   const bool *leaving, uint32_t rule, const struct shape *shape,
			   const uint64_t *value)
{
	struct live_search s = {.t = t,
				.set = set,
				.leaving = leaving,
				.rule = rule,
				.shape = shape,
				.value = value,
				.low = -1,
				.high = t->last,
				.matcher = UINT32_MAX};
	struct live_spot out;

	for (size_t i = 0; i < t->n; i++) {
		const struct live_entry *e = &t->entry[i];

		if (e->matcher != s.matcher)
			live_turn_to(&s, e->matcher);
		if (shape_agree(&s.common, e->value, value) && live_relate(&s, e))
			return (struct live_spot){LIVE_COVERED, .by = e->rule};
	}
	if (s.low >= s.high)
		return (struct live_spot){.place = LIVE_NOWHERE};
	return live_joins(&s, &out) ? out : live_begins(&s);
}
