/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "pairs.h"

static uint64_t pairs_hash(const struct pair_text *r)
{
	return map_mix_text(map_mix_text(1, r->text), r->table);
}

static bool pairs_equal(const struct pair_text *a, const struct pair_text *b)
{
	return !strcmp(a->text, b->text) && !strcmp(a->table, b->table);
}

/* Indexes the old rules: `first` has the first one of each hash, next[] the others in order. */
static int pairs_index(struct texts old, struct map *first, uint32_t *next)
{
	for (size_t i = old.n; i-- > 0;) {
		struct map_slot *s = map_put(first, pairs_hash(&old.rule[i]), PAIR_NONE);

		if (!s)
			return -ENOMEM;
		next[i] = s->what;
		s->what = (uint32_t)i;
	}
	return 0;
}

/* Takes the first old rule that equals this one out of its list. */
static uint32_t pairs_take(struct texts old, struct map *first, uint32_t *next,
			   const struct pair_text *rule)
{
	uint64_t hash = pairs_hash(rule);
	struct map_slot *s = map_get(first, hash) ? map_put(first, hash, PAIR_NONE) : NULL;
	uint32_t *at = s ? &s->what : NULL, found;

	while (at && *at != PAIR_NONE && !pairs_equal(&old.rule[*at], rule))
		at = &next[*at];
	if (!at || *at == PAIR_NONE)
		return PAIR_NONE;
	found = *at;
	*at = next[found];
	return found;
}

int pairs_find(struct texts old, struct texts now, uint32_t *from)
{
	uint32_t *next = calloc(old.n ? old.n : 1, sizeof(*next));
	struct map first = {0};
	int ret = next ? pairs_index(old, &first, next) : -ENOMEM;

	for (size_t i = 0; i < now.n && !ret; i++)
		from[i] = old.n ? pairs_take(old, &first, next, &now.rule[i]) : PAIR_NONE;
	map_free(&first);
	free(next);
	return ret;
}

/*
 * Finds the longest ascending subsequence. end[k] is the rule at the end of one of length k + 1; if
 * there are several, the earliest old rule.
 */
int pairs_in_order(const uint32_t *from, size_t n, bool *stays)
{
	uint32_t *end = calloc(n ? n : 1, sizeof(*end)),
		 *before = calloc(n ? n : 1, sizeof(*before));
	size_t longest = 0;
	int ret = end && before ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < n && !ret; i++) {
		size_t low = 0, high = longest;

		stays[i] = false;
		if (from[i] == PAIR_NONE)
			continue;
		while (low < high) {
			size_t middle = (low + high) / 2;

			if (from[end[middle]] < from[i])
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? end[low - 1] : PAIR_NONE;
		end[low] = i;
		longest += low == longest;
	}
	for (uint32_t i = longest ? end[longest - 1] : PAIR_NONE; !ret && i != PAIR_NONE;
	     i = before[i])
		stays[i] = true;
	free(end);
	free(before);
	return ret;
}
