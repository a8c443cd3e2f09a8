/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A compiled table whose entries are added and removed one by one: finds where an entry of a rule
 * may stand among the others. Uses no device; the daemon does the same to its matchers and entries.
 */
#ifndef DVX_FLOW_LIVE_H
#define DVX_FLOW_LIVE_H

#include "compile.h"

/* Priorities of matchers leave gaps; the last one is the default way's. */
#define LIVE_LAST 65535u

/* The rule number of an entry behind those of all rules: its packets go the default way. */
#define LIVE_REST UINT32_MAX

struct live_matcher {
	const struct shape *shape; /* NULL: the matcher was removed */
	uint32_t priority;
	uint32_t entries;
};

struct live_entry {
	const uint64_t *value;
	uint32_t rule, matcher;
};

struct live_table {
	struct live_matcher *matcher;
	size_t nmatchers, matcher_room;
	struct live_entry *entry; /* in no order */
	size_t n, room;
	uint32_t last; /* the priority behind all matchers */
	struct covered_entry *covered;
	size_t ncovered, covered_room;
	struct shape **own; /* shapes that are not the program's */
	size_t nown, own_room;
};

/*
 * Begins with a program's table: its matchers in their order, its entries from the last matcher's
 * to the first one's. Values and shapes stay the program's. Returns false if there is no memory.
 */
bool live_begin(struct live_table *t, const struct table *from);
void live_free(struct live_table *t);

enum live_place {
	LIVE_JOINS,   /* the matcher */
	LIVE_BEGINS,  /* a matcher of this priority */
	LIVE_COVERED, /* by an entry of the rule `by`, which may be its own */
	LIVE_NOWHERE, /* impossible without moving others */
	LIVE_NO_MEMORY,
};

struct live_spot {
	enum live_place place;
	uint32_t matcher, priority, by;
};

/*
 * Finds the place of an entry. `leaving`, if given, marks rules that are about to be deleted: they
 * cover nothing.
 */
struct live_spot live_find(const struct live_table *t, const struct ruleset *set,
			   const bool *leaving, uint32_t rule, const struct shape *shape,
			   const uint64_t *value);

/* Keeps one copy of a shape for the table's life. NULL: no memory. */
const struct shape *live_keep_shape(struct live_table *t, const struct shape *shape);

/* Change the table as found. Shapes and values stay the caller's. */
bool live_add_matcher(struct live_table *t, const struct shape *shape, uint32_t priority,
		      uint32_t *matcher);
bool live_add(struct live_table *t, uint32_t rule, uint32_t matcher, const uint64_t *value);
bool live_cover(struct live_table *t, const struct covered_entry *c);
/* Removes an entry; the last entry takes its place. Returns whether its matcher is empty now. */
bool live_remove(struct live_table *t, size_t entry);
/* Removes a covered entry; the last one takes its place. */
void live_uncover(struct live_table *t, size_t covered);

/* Renumbers rules: rule i becomes to[i]. */
void live_renumber(struct live_table *t, const uint32_t *to);

#endif
