/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ways to hold a table of rules on the device (doc/design/0069). Each is a table of functions;
 * a generation is an array of tables with theirs.
 */
#ifndef DVX_FLOW_TABLE_H
#define DVX_FLOW_TABLE_H

#include "generation.h"

struct generation_build;
struct generation_edit;

/* Returned by build() if the table's rules cannot be held in this way. */
#define TABLE_UNFIT 1

/* A table that never changes leaves the priorities below this one to the list before it. */
#define TABLE_FIRST 32768u

struct table_ops {
	/*
	 * Holds the entries that edits make, if the table itself never changes. Packets meet these
	 * entries first; those of leaving rules stay behind them. NULL: edits change the table.
	 */
	const struct table_ops *before;

	/* Makes the matchers and entries. Returns 0, -1 with the fault, or TABLE_UNFIT. */
	int (*build)(struct generation_build *b, void **out);
	void (*free)(void *table);
	/* Renumbers rules: rule i becomes to[i]; UINT32_MAX: the rule is gone. */
	void (*renumber)(void *table, const uint32_t *to);
	/* Adds the cost. Returns 0 or -ENOMEM. */
	int (*cost)(const void *table, struct cost_sum *s);
	/* Visits each entry's ID, with its rule. */
	void (*entries)(const void *table, entry_of_fn visit, void *arg);
	/*
	 * Dumps the table of the device with this ID (0: none) and those that packets reach from
	 * there. Visits their entries, and those of the first one. Returns libdvx's -errno, or
	 * -ENOMEM. NULL: there is one table only.
	 */
	int (*dump)(const void *table, uint64_t from, FILE *to, entry_of_fn visit, void *arg);
	/* Visits the lists of rewrites, if entries have such that are no rule's. */
	void (*rewrites)(const void *table, rewrites_fn visit, void *arg);

	/*
	 * The steps of an edit; NULL in a table that never changes. place() finds places for
	 * entries, write() inserts them on the device. Both return as generation_edit_begin() does.
	 * finish() removes the entries of leaving rules, undo() those that write() has inserted.
	 */
	int (*place)(void *table, struct generation_edit *e);
	int (*write)(void *table, struct generation_edit *e);
	int (*finish)(void *table, struct generation_edit *e);
	void (*undo)(void *table, struct generation_edit *e);
};

extern const struct table_ops flow_list_ops, overlay_ops, codes_ops;

#endif
