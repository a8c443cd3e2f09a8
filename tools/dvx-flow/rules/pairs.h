/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs rules of a new set with those of an old one: a rule with the same text in a table of the
 * same name is the same rule.
 */
#ifndef DVX_FLOW_PAIRS_H
#define DVX_FLOW_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAIR_NONE UINT32_MAX

struct pair_text {
	const char *text, *table;
};

struct texts {
	const struct pair_text *rule;
	size_t n;
};

/*
 * Pairs rules. from[i]: the index of the old rule that rule i of `now` continues, or PAIR_NONE.
 * Equal ones are paired in their order. Returns 0 or -ENOMEM.
 */
int pairs_find(struct texts old, struct texts now, uint32_t *from);

/*
 * Finds the rules that keep their place. stays[i]: rule i is paired, and keeps its place. As few as
 * possible of the others, which move or are new.
 */
int pairs_in_order(const uint32_t *from, size_t n, bool *stays);

#endif
