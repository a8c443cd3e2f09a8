/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of an edit share. */
#ifndef DVX_FLOW_GENERATION_EDIT_H
#define DVX_FLOW_GENERATION_EDIT_H

#include "generation_priv.h"

/* An entry that was covered before the edit. */
struct edit_uncovered {
	uint32_t table;
	struct covered_entry was;
	bool entered; /* else something else covers it now */
};

struct generation_edit {
	struct generation *gen;
	uint32_t next_id; /* before the edit */
	size_t *entries;  /* of each table, before the edit */
	uint32_t *in;	  /* the table of the program that each rule comes to */
	size_t written, compared;
	bool front; /* there are entries before codes */
	struct edit_uncovered *uncovered;
	size_t nuncovered, room;
	struct flow_fault *fault;
	/* room for the ends of an edit, which must not fail for want of memory */
	uint32_t *to, *drop;
	size_t drop_room;
	/* the rule whose entries come */
	uint32_t rule;
	const bool *going;
};

/* --- generation_fits.c --- */

/* A rule comes to the table of the next rule: mirrors divide the tables of the file. */
int edit_find_tables(struct generation_edit *e, const struct generation_change *c);
/* Whether the change can be made entry by entry, as far as its rules show it. */
bool edit_fits(const struct generation_edit *e, const struct generation_change *c);

/* The table that a goto of the table `in` of the program leads to is there, and behind it. */
bool edit_leads_on(const struct generation *gen, const struct rule *r, uint32_t in);

/* --- front.c: the same for tables of codes. --- */

int edit_front(struct generation_edit *e);
/* The entries of an edit that is undone, from the last one. */
int edit_front_undo(struct generation_edit *e, uint32_t table);

/* --- generation_entries.c: these return as generation_edit_begin(). --- */

int edit_no_memory(struct generation_edit *e);
/* What was changed so far is what packets meet. */
int edit_sync(struct generation_edit *e);

/* The entries of rules that come find their places, and those that only a rule that goes covers. */
int edit_insert(struct generation_edit *e);
int edit_uncover(struct generation_edit *e);
/* The device gets all of these. */
int edit_write(struct generation_edit *e);
/* Undoes edit_uncover(). */
void edit_cover_again(struct generation_edit *e);
/* Drops the entries of the rules that came, or else of those that go. */
int edit_drop_entries(struct generation_edit *e, bool came);
/* An entry gets its place. */
int edit_put(struct generation_edit *e, struct built_table *h, const struct covered_entry *c,
	     struct live_spot spot);
/* It leaves the list, and its matcher is gone if it is empty then. */
void edit_forget(struct built_table *h, size_t i);
/* The fault of an entry that the device keeps. Returns -1. */
int edit_kept(struct generation_edit *e);

#endif
