/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An AVL tree by the begin of intervals, in which each node has the highest end below it. Programs
 * choose the addresses in it, so the worst case counts: n intervals have at most 1.45 log2(n)
 * levels, and nothing recurses.
 */
#include <stdbool.h>
#include <stddef.h>
#include "intervals.h"

static unsigned int interval_height(const struct interval *n)
{
	return n ? n->height : 0;
}

static uint64_t interval_most(const struct interval *n)
{
	return n ? n->most : 0;
}

/* Updates a node from the nodes below it. */
static void interval_sum(struct interval *n)
{
	unsigned int left = interval_height(n->left), right = interval_height(n->right);
	uint64_t first = interval_most(n->left), second = interval_most(n->right);

	n->height = 1 + (left > right ? left : right);
	n->most = first > second ? first : second;
	if (n->most < n->end)
		n->most = n->end;
}

/* Puts new, which may be NULL, into old's place. */
static void interval_replace(struct intervals *is, const struct interval *old, struct interval *new)
{
	struct interval *up = old->up;

	if (!up)
		is->root = new;
	else if (up->left == old)
		up->left = new;
	else
		up->right = new;
	if (new)
		new->up = up;
}

/* Rotates: the left child takes n's place, and n becomes its right child. */
static void interval_lower_right(struct intervals *is, struct interval *n)
{
	struct interval *top = n->left;

	interval_replace(is, n, top);
	n->left = top->right;
	if (n->left)
		n->left->up = n;
	top->right = n;
	n->up = top;
	interval_sum(n);
	interval_sum(top);
}

static void interval_lower_left(struct intervals *is, struct interval *n)
{
	struct interval *top = n->right;

	interval_replace(is, n, top);
	n->right = top->left;
	if (n->right)
		n->right->up = n;
	top->left = n;
	n->up = top;
	interval_sum(n);
	interval_sum(top);
}

/* Rotates if one side is two levels higher than the other. Returns the node now in n's place. */
static struct interval *interval_balance(struct intervals *is, struct interval *n)
{
	unsigned int left = interval_height(n->left), right = interval_height(n->right);

	if (left > right + 1) {
		if (interval_height(n->left->left) < interval_height(n->left->right))
			interval_lower_left(is, n->left);
		interval_lower_right(is, n);
		return n->up;
	}
	if (right > left + 1) {
		if (interval_height(n->right->right) < interval_height(n->right->left))
			interval_lower_right(is, n->right);
		interval_lower_left(is, n);
		return n->up;
	}
	interval_sum(n);
	return n;
}

/* Updates the nodes above a change, until a node does not change. */
static void interval_changed(struct intervals *is, struct interval *n)
{
	bool same = false;

	while (n && !same) {
		unsigned int height = n->height;
		uint64_t most = n->most;

		n = interval_balance(is, n);
		same = n->height == height && n->most == most;
		n = n->up;
	}
}

void intervals_add(struct intervals *is, struct interval *new)
{
	struct interval **at = &is->root, *up = NULL;

	while (*at) {
		up = *at;
		at = new->from < up->from ? &up->left : &up->right;
	}
	new->up = up;
	new->left = new->right = NULL;
	interval_sum(new);
	*at = new;
	interval_changed(is, up);
}

static struct interval *interval_first(struct interval *n)
{
	while (n->left)
		n = n->left;
	return n;
}

void intervals_remove(struct intervals *is, struct interval *old)
{
	struct interval *next, *up;

	if (!old->left || !old->right) {
		interval_replace(is, old, old->left ? old->left : old->right);
		interval_changed(is, old->up);
		return;
	}
	/* the next interval, which has no left child, takes the place */
	next = interval_first(old->right);
	interval_replace(is, next, next->right);
	up = next->up == old ? next : next->up;
	interval_replace(is, old, next);
	next->left = old->left;
	next->left->up = next;
	next->right = old->right;
	if (next->right)
		next->right->up = next;
	next->height = old->height;
	next->most = old->most;
	interval_changed(is, up);
	interval_changed(is, next); /* this node may not have been reached yet */
}

/*
 * Returns the first overlap below n, or NULL. If the left side has an end behind `from` but no
 * overlap, the interval with that end begins behind `end`, and so do all later ones.
 */
static struct interval *interval_over(struct interval *n, uint64_t from, uint64_t end)
{
	while (n && n->most > from) {
		if (interval_most(n->left) > from)
			n = n->left;
		else if (n->from >= end)
			return NULL;
		else if (n->end > from)
			return n;
		else
			n = n->right;
	}
	return NULL;
}

/* Returns the nearest node above n that comes after it. */
static struct interval *interval_above(const struct interval *n)
{
	while (n->up && n->up->right == n)
		n = n->up;
	return n->up;
}

struct interval *intervals_over(const struct intervals *is, uint64_t from, uint64_t end,
				const struct interval *last)
{
	struct interval *n;

	if (!last)
		return interval_over(is->root, from, end);
	if (interval_most(last->right) > from)
		return interval_over(last->right, from, end);
	for (n = interval_above(last); n && n->from < end; n = interval_above(n)) {
		if (n->end > from)
			return n;
		if (interval_most(n->right) > from)
			return interval_over(n->right, from, end);
	}
	return NULL;
}
