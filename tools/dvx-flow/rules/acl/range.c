/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts ranges that overlap without one being inside the other, where the first one ends. */
#include <errno.h>
#include <stdlib.h>

#include "work.h"
#include "rules/arena.h"

/* Puts two pieces in place of span i. */
static int acl_range_cut(struct cube_span **span, size_t *n, size_t *room, size_t i, cube_bits at)
{
	struct cube_span whole = (*span)[i];

	if (!array_grow((void **)span, *n, room, sizeof(**span)))
		return -ENOMEM;
	(*span)[i].last = at;
	(*span)[(*n)++] = (struct cube_span){at + 1, whole.last};
	return 0;
}

/* Makes one pass over sorted spans. Returns how many were cut, or a negative errno. */
static int acl_ranges_pass(struct cube_span **span, size_t *n, size_t *room)
{
	size_t sorted = *n, depth = 0;
	cube_bits *open = calloc(sorted + 1, sizeof(*open)); /* ends of the spans around */
	int cuts = 0, ret = open ? 0 : -ENOMEM;

	for (size_t i = 0; i < sorted && !ret; i++) {
		while (depth && open[depth - 1] < (*span)[i].first)
			depth--;
		if (depth && open[depth - 1] < (*span)[i].last) {
			ret = acl_range_cut(span, n, room, i, open[depth - 1]);
			cuts++;
		}
		open[depth++] = (*span)[i].last;
	}
	free(open);
	return ret ? ret : cuts;
}

int acl_ranges_cut(struct acl_work *w, struct cube_span **span, size_t *n, size_t *room)
{
	int cuts;

	do {
		*n = acl_spans_sort(*span, *n);
		if (*n > ACL_SPANS)
			return acl_refuse(w, w->rule, "too many ranges overlap");
		cuts = acl_ranges_pass(span, n, room);
	} while (cuts > 0);
	return cuts;
}

/* Returns the first node that begins at a value; if there are several, the longest. */
static uint32_t acl_range_at(const struct acl_family *f, cube_bits first)
{
	uint32_t low = 0, high = f->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (f->span[mid].first < first)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t acl_range_nodes(const struct acl_family *f, struct cube_span range, uint32_t *node,
		       size_t room)
{
	size_t n = 0;

	while (n < room) {
		uint32_t i = acl_range_at(f, range.first);

		/* Cutting left a piece that begins here, so there is one that is short enough. */
		while (f->span[i].last > range.last)
			i++;
		node[n++] = i;
		if (f->span[i].last == range.last)
			break;
		range.first = f->span[i].last + 1;
	}
	return n;
}
