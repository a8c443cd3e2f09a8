/* SPDX-License-Identifier: BSD-2-Clause */
#include "shape.h"

void shape_meet(struct shape_common *out, const struct shape *mine, const struct shape *theirs)
{
	unsigned int j = 0;

	out->n = 0;
	for (unsigned int i = 0; i < mine->n; i++) {
		uint64_t mask;

		while (j < theirs->n && theirs->key[j] < mine->key[i])
			j++;
		mask = j < theirs->n && theirs->key[j] == mine->key[i]
			       ? mine->mask[i] & theirs->mask[j]
			       : 0;
		if (!mask)
			continue;
		out->mine[out->n] = (uint8_t)i;
		out->theirs[out->n] = (uint8_t)j;
		out->mask[out->n++] = mask;
	}
}

/* Keys are ascending in both. */
bool shape_is_wider(const struct shape *wide, const struct shape *narrow)
{
	unsigned int j = 0;

	if (wide->n > narrow->n)
		return false;
	for (unsigned int i = 0; i < wide->n; i++) {
		while (j < narrow->n && narrow->key[j] < wide->key[i])
			j++;
		if (j == narrow->n || narrow->key[j] != wide->key[i] ||
		    wide->mask[i] & ~narrow->mask[j])
			return false;
	}
	return true;
}

bool shape_constant_add(struct shape_constant *c, unsigned int n, const uint64_t *value)
{
	if (!c->value) {
		c->mask = malloc(n * sizeof(*c->mask) + 1);
		if (!c->mask)
			return false;
		memset(c->mask, 0xff, n * sizeof(*c->mask));
		c->value = value;
	}
	for (unsigned int i = 0; i < n; i++)
		c->mask[i] &= ~(c->value[i] ^ value[i]);
	return true;
}

void shape_put(struct shape *s, uint64_t *values, unsigned int key, uint64_t value, uint64_t mask)
{
	unsigned int at = s->n;

	if (!mask)
		return;
	for (; at && s->key[at - 1] > key; at--) {
		s->key[at] = s->key[at - 1];
		s->mask[at] = s->mask[at - 1];
		values[at] = values[at - 1];
	}
	s->key[at] = (uint8_t)key;
	s->mask[at] = mask;
	values[at] = value & mask;
	s->n++;
}

void shape_both(struct shape *out, uint64_t *values, const struct shape *a, const uint64_t *of_a,
		const struct shape *b, const uint64_t *of_b)
{
	unsigned int i = 0, j = 0;

	*out = (struct shape){0};
	while (i < a->n || j < b->n) {
		bool mine = i < a->n && (j == b->n || a->key[i] <= b->key[j]);
		bool its = j < b->n && (i == a->n || b->key[j] <= a->key[i]);

		out->key[out->n] = mine ? a->key[i] : b->key[j];
		out->mask[out->n] = (mine ? a->mask[i] : 0) | (its ? b->mask[j] : 0);
		values[out->n++] = (mine ? of_a[i] : 0) | (its ? of_b[j] : 0);
		i += mine;
		j += its;
	}
}
