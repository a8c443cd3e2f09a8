/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries of a table so far, to find the one that takes all packets of the next. */
#ifndef DVX_FLOW_COVER_H
#define DVX_FLOW_COVER_H

#include "compile.h"
#include "map.h"

/* A shape and its entries. */
struct cover_shape {
	const struct shape *shape;
	uint64_t bits[2]; /* a wider shape has no bit here that this one lacks: most are told apart
			     by it */
	struct map seen[RULE_DIRS]; /* by their values; `what` is an index in `entry` */
	/* Indexes of the shapes that compare no bit but this one's: only their entries can cover
	 * one of this shape. Shapes from number `compared` on were not compared yet. */
	uint32_t *wider;
	size_t nwider, room, compared;
};

struct cover {
	struct cover_shape *shape;
	size_t n, room;
	size_t settled; /* shapes of earlier rules: of a rule's own, only equal entries are found */
	struct rule_entry *entry;
	size_t nentries, entry_room;
	/* Shapes that were compared or asked. Behind so many, only an equal entry covers one. */
	uint64_t steps, most;
};

/* Shape number c->n. False: no memory. */
bool cover_add_shape(struct cover *c, const struct shape *shape);
bool cover_add(struct cover *c, enum rule_dir dir, size_t shape, struct rule_entry entry);
/* 1: an entry of rule *by takes all packets that such an entry would; 0: none; -ENOMEM. */
int cover_find(struct cover *c, enum rule_dir dir, size_t shape, const uint64_t *value,
	       uint32_t *by);
void cover_free(struct cover *c);

#endif
