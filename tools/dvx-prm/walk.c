/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walker {
	const uint8_t *p;
	uint64_t end; /* in bits */
	walk_fn *fn;
	void *ctx;
	size_t count;
	char path[WALK_PATH];
};

static int walk_struct(struct walker *w, const struct prm_struct *s, uint64_t base, uint64_t end,
		       size_t used);

static bool any_set(const uint8_t *p, uint64_t bit, uint64_t width)
{
	for (; width && bit % 8; width--, bit++)
		if (prm_bits_get(p, bit, 1))
			return true;
	for (; width >= 8; width -= 8, bit += 8)
		if (p[bit / 8])
			return true;
	return width && prm_bits_get(p, bit, (unsigned int)width);
}

static int walk_emit(struct walker *w, const struct prm_field *f, uint64_t bit, uint64_t width)
{
	struct walk_leaf leaf = {.path = w->path, .f = f, .bit = bit, .width = width};

	leaf.raw = width > 64 || (f->bytes && f->count != 1);
	leaf.set = any_set(w->p, bit, width);
	if (!leaf.raw)
		leaf.value = prm_bits_get(w->p, bit, (unsigned int)width);
	return ++w->count > WALK_MOST ? 1 : w->fn(&leaf, w->ctx);
}

static int walk_field(struct walker *w, const struct prm_field *f, uint64_t base, uint64_t end,
		      size_t used)
{
	uint64_t first = base + f->offset;
	uint64_t have = first < end ? end - first : 0;
	uint64_t n = f->count ? f->count : have / f->width;
	int err = 0;

	if (f->bytes && f->width == 8 && f->count != 1) {
		n = n * 8 < have ? n * 8 : have - have % 8;
		snprintf(w->path + used, WALK_PATH - used, "%s", f->name);
		return n ? walk_emit(w, f, first, n) : 0;
	}
	for (uint64_t i = 0; i < n && !err; i++) {
		uint64_t bit = first + i * f->width;
		int more =
			snprintf(w->path + used, WALK_PATH - used,
				 f->count == 1 ? "%s" : "%s[%llu]", f->name, (unsigned long long)i);

		if (bit >= end || more < 0 || used + (size_t)more + 2 > WALK_PATH)
			return 0;
		if (f->type) {
			uint64_t stop = bit + f->width < end ? bit + f->width : end;

			strcpy(w->path + used + more, ".");
			err = walk_struct(w, f->type, bit, stop, used + (size_t)more + 1);
		} else if (bit + f->width <= end) {
			err = walk_emit(w, f, bit, f->width);
		}
	}
	return err;
}

static int walk_struct(struct walker *w, const struct prm_struct *s, uint64_t base, uint64_t end,
		       size_t used)
{
	const uint8_t *p = w->p + base / 8;
	size_t len = (size_t)(end - base) / 8;
	int err = 0;

	for (size_t i = 0; i < s->field_count && !err; i++)
		if (prm_field_active(s, &s->fields[i], p, len))
			err = walk_field(w, &s->fields[i], base, end, used);
	return err;
}

size_t walk_extent(const struct prm_struct *s, size_t len)
{
	for (size_t i = 0; i < s->field_count; i++)
		if (!s->fields[i].count)
			return len;
	return len < s->bytes ? len : s->bytes;
}

int walk(const struct prm_struct *s, const uint8_t *p, size_t len, walk_fn *fn, void *ctx)
{
	struct walker w = {.p = p, .fn = fn, .ctx = ctx};

	return walk_struct(&w, s, 0, (uint64_t)walk_extent(s, len) * 8, 0);
}

static int walk_mark(const struct walk_leaf *leaf, void *ctx)
{
	uint8_t *covered = ctx;
	uint64_t bit = leaf->bit, width = leaf->width;

	for (; width >= 8 && !(bit % 8); width -= 8, bit += 8)
		covered[bit / 8] = 0xff;
	for (; width; width--, bit++)
		covered[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
	return 0;
}

uint8_t *walk_cover(const struct prm_struct *s, const uint8_t *p, size_t len)
{
	uint8_t *covered = calloc(1, len + 1);

	if (covered)
		walk(s, p, len, walk_mark, covered);
	return covered;
}

/* Returns a reserved range within one 32-bit word, so that it can be found in a dump. */
static struct stray range_at(const uint8_t *covered, const uint8_t *p, uint64_t bit, uint64_t end)
{
	struct stray s = {.bit = bit};

	do {
		s.value = s.value << 1 | prm_bits_get(p, bit, 1);
		s.width++;
		bit++;
	} while (bit % 32 && bit < end && !prm_bits_get(covered, bit, 1));
	return s;
}

size_t walk_strays(const struct prm_struct *s, const uint8_t *p, size_t len, struct stray *out,
		   size_t max, size_t *set)
{
	size_t n = 0, bytes = walk_extent(s, len);
	uint8_t *covered = walk_cover(s, p, bytes);

	*set = 0;
	if (!covered)
		return 0;
	for (uint64_t bit = 0, end = (uint64_t)bytes * 8; bit < end;) {
		struct stray range;

		if (!(bit % 8) && (covered[bit / 8] == 0xff || !p[bit / 8])) {
			bit += 8;
			continue;
		}
		if (prm_bits_get(covered, bit, 1)) {
			bit++;
			continue;
		}
		range = range_at(covered, p, bit, end);
		bit += range.width;
		if (!range.value)
			continue;
		*set += (size_t)__builtin_popcountll(range.value);
		if (n < max)
			out[n] = range;
		n++;
	}
	free(covered);
	return n;
}
