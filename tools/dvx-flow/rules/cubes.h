/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of a field's values as masked compares. A cube is the values that equal `value` in the bits
 * of `mask`.
 */
#ifndef DVX_FLOW_CUBES_H
#define DVX_FLOW_CUBES_H

#include "rule.h"

typedef unsigned __int128 cube_bits;

struct cube_span {
	cube_bits first, last;
};

struct cube {
	cube_bits value, mask;
};

struct cubes {
	struct cube one;   /* most lists have one cube, ... */
	struct cube *cube; /* ... others these */
	size_t n, room;
	int err; /* -ENOMEM or -E2BIG: the list is not complete */
};

static inline const struct cube *cubes_at(const struct cubes *c, size_t i)
{
	return c->cube ? &c->cube[i] : &c->one;
}

/* More cubes in one list are -E2BIG. */
#define CUBES_MAX 65536u

/* Adds the values first to last of a field of `width` bits, as the fewest prefixes. */
void cubes_add_range(struct cubes *c, cube_bits first, cube_bits last, unsigned int width);

/* Adds the elements of a list. Elements that touch are joined before they are cut into prefixes. */
void cubes_add_nets(struct cubes *c, const struct rule_nets *nets);
void cubes_add_ports(struct cubes *c, const struct rule_ports *ports);

/*
 * Add the complement: all other values of the field. Masks end at a multiple of `stride` bits: with
 * 4, "not port 22" is 60 cubes under 4 masks; with 1, it is 16 under 16.
 */
void cubes_not_nets(struct cubes *c, const struct rule_nets *nets, unsigned int stride);
void cubes_not_ports(struct cubes *c, const struct rule_ports *ports, unsigned int stride);
/* Adds all values of a field but these; `all` has the field's bits set. */
void cubes_not_values(struct cubes *c, const struct rule_value *v, size_t n, uint64_t all,
		      unsigned int stride);

#endif
