/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "work.h"

static int acl_span_order(const void *one, const void *other)
{
	const struct cube_span *a = one, *b = other;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->last < b->last) - (a->last > b->last);
}

size_t acl_spans_sort(struct cube_span *span, size_t n)
{
	size_t kept = 0;

	qsort(span, n, sizeof(*span), acl_span_order);
	for (size_t i = 0; i < n; i++)
		if (!i || acl_span_order(&span[kept - 1], &span[i]))
			span[kept++] = span[i];
	return kept;
}

/* Finds parents and ends. The open nodes are the ancestors of the last one. */
static void acl_family_nest(struct acl_family *f)
{
	uint32_t open = 0;

	f->parent[0] = 0;
	for (uint32_t i = 1; i < f->n; i++) {
		while (f->span[open].last < f->span[i].first) {
			f->end[open] = i;
			open = f->parent[open];
		}
		f->parent[i] = open;
		open = i;
	}
	for (; open; open = f->parent[open])
		f->end[open] = f->n;
	f->end[0] = f->n;
}

static bool acl_family_heights(struct acl_family *f)
{
	for (uint32_t i = f->n; i-- > 1;) {
		uint8_t *up = &f->height[f->parent[i]];

		if (*up <= f->height[i])
			*up = (uint8_t)(f->height[i] + 1);
		if (*up > ACL_HEIGHT)
			return false;
	}
	f->top = f->height[0];
	return true;
}

static int acl_family_ranks(struct acl_family *f)
{
	for (unsigned int l = 0; l <= f->top; l++) {
		uint32_t *rank = f->rank[l] = calloc(f->n + 1u, sizeof(*rank));

		if (!rank)
			return -ENOMEM;
		for (uint32_t i = 0; i < f->n; i++)
			rank[i + 1] = rank[i] + (f->height[i] >= l);
	}
	return 0;
}

int acl_family_make(struct acl_work *w, struct acl_family *f, struct cube_span *span, size_t n,
		    cube_bits max)
{
	struct cube_span *all = reallocarray(span, n + 1, sizeof(*all));

	f->span = all ? all : span;
	if (!all)
		return -ENOMEM;
	all[n] = (struct cube_span){0, max};
	n = acl_spans_sort(all, n + 1);
	if (n > ACL_SPANS)
		return acl_refuse(w, w->rule, "a field has too many values");
	f->n = (uint32_t)n;
	f->parent = calloc(n, sizeof(*f->parent));
	f->end = calloc(n, sizeof(*f->end));
	f->height = calloc(n, sizeof(*f->height));
	if (!f->parent || !f->end || !f->height)
		return -ENOMEM;
	acl_family_nest(f);
	if (!acl_family_heights(f))
		return acl_refuse(w, w->rule, "too many prefixes or ranges inside each other");
	return acl_family_ranks(f);
}

uint32_t acl_family_find(const struct acl_family *f, const struct cube_span *span)
{
	const struct cube_span *at = bsearch(span, f->span, f->n, sizeof(*span), acl_span_order);

	return at ? (uint32_t)(at - f->span) : ACL_NONE;
}

uint32_t acl_family_class(const struct acl_family *f, uint32_t node, unsigned int level)
{
	while (f->height[node] < level)
		node = f->parent[node];
	return node;
}

uint32_t acl_family_count(const struct acl_family *f, uint32_t node, unsigned int level)
{
	return f->rank[level][f->end[node]] - f->rank[level][node];
}

void acl_family_free(struct acl_family *f)
{
	free(f->span);
	free(f->parent);
	free(f->end);
	free(f->height);
	for (unsigned int l = 0; l <= ACL_HEIGHT; l++)
		free(f->rank[l]);
}
