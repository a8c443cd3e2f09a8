/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of an edit. */
#ifndef DVX_FLOW_GENERATION_EDIT_H
#define DVX_FLOW_GENERATION_EDIT_H

#include "generation_priv.h"

/* An entry that was covered before the edit. */
struct edit_uncovered {
	uint32_t table;
	struct covered_entry was;
	bool entered; /* false: another entry covers it now */
};

struct generation_edit {
	struct generation *gen;
	uint32_t next_id; /* before the edit */
	size_t *entries;  /* by table: how many before the edit */
	uint32_t *in;	  /* by arriving rule: its table of the program */
	size_t written, compared;
	bool overlay; /* the edit has made overlay entries */
	struct edit_uncovered *uncovered;
	size_t nuncovered, room;
	struct flow_fault *fault;
	/* memory to end the edit, which must not fail */
	uint32_t *to, *drop;
	size_t drop_room;
	/* the rule whose entries are inserted */
	uint32_t rule;
	const bool *leaving;
};

/* --- generation_fits.c --- */

/*
 * Finds the table of each arriving rule: that of the rule behind it, since mirrors divide the
 * tables of the file.
 */
int edit_find_tables(struct generation_edit *e, const struct generation_change *c);
/* Returns whether the change can be made entry by entry, as far as its rules show it. */
bool edit_fits(const struct generation_edit *e, const struct generation_change *c);

/*
 * Returns whether the rule's goto, from table `in` of the program, leads to a table that exists and
 * is behind it.
 */
bool edit_leads_on(const struct generation *gen, const struct rule *r, uint32_t in);

/* --- overlay.c: edits of tables of codes. --- */

int edit_overlay(struct generation_edit *e);
/* Removes the entries that the edit has added, from the last one. */
int edit_overlay_undo(struct generation_edit *e, uint32_t table);

/* --- generation_entries.c: these return as generation_edit_begin() does. --- */

int edit_no_memory(struct generation_edit *e);
/* Makes the changes so far take effect for packets. */
int edit_sync(struct generation_edit *e);

/* Find places for entries of arriving rules, and for entries that only a leaving rule covers. */
int edit_insert(struct generation_edit *e);
int edit_uncover(struct generation_edit *e);
/* Inserts all new entries on the device. */
int edit_write(struct generation_edit *e);
/* Undoes edit_uncover(). */
void edit_cover_again(struct generation_edit *e);
/* Removes the entries of the arriving rules, or else of the leaving ones. */
int edit_drop_entries(struct generation_edit *e, bool arriving);
/* Puts an entry at its place. */
int edit_put(struct generation_edit *e, struct built_table *h, const struct covered_entry *c,
	     struct live_spot spot);
/* Removes an entry from the list, and its matcher if that is empty then. */
void edit_forget(struct built_table *h, size_t i);
/* Sets the fault that the device keeps an entry. Returns -1. */
int edit_kept(struct generation_edit *e);

#endif
