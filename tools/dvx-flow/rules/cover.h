/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries of a table so far, to find the one that takes all packets of the next entry. */
#ifndef DVX_FLOW_COVER_H
#define DVX_FLOW_COVER_H

#include "compile.h"
#include "map.h"
#include "shape.h"

/* A shape and its entries. */
struct cover_shape {
	const struct shape *shape;
	/* Folded bits. A wider shape has none that this one lacks, which rules out most shapes. */
	uint64_t bits[2];
	struct cover_entries {
		struct rule_entry *entry;
		size_t n, room;
		struct map seen; /* by their values; `what` is an index in `entry`; ... */
		size_t filled;	 /* ... only so many of them, until it is searched */
		bool rising;	 /* each value is above the one before */
		struct shape_constant constant;
	} of[RULE_DIRS];
	/*
	 * Indexes of the shapes that compare only bits of this one: only their entries can cover
	 * one of this shape. Shapes from number `compared` on have not been compared yet.
	 */
	uint32_t *wider;
	size_t nwider, room, compared;
};

struct cover {
	struct cover_shape *shape;
	size_t n, room;
	size_t settled; /* shapes of earlier rules; of a rule's own shapes, only equal entries cover */
	/* Comparisons and lookups of shapes. After `most`, only an equal entry covers one. */
	uint64_t steps, most;
};

/* Adds shape number c->n. Returns false if there is no memory. */
bool cover_add_shape(struct cover *c, const struct shape *shape);
bool cover_add(struct cover *c, enum rule_dir dir, size_t shape, struct rule_entry entry);
/* Returns 1 if an entry of rule *by takes all packets of such an entry, 0 if none does, -ENOMEM. */
int cover_find(struct cover *c, enum rule_dir dir, size_t shape, const uint64_t *value,
	       uint32_t *by);
void cover_free(struct cover *c);

#endif
