/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of an edit. */
#ifndef DVX_FLOW_GENERATION_EDIT_H
#define DVX_FLOW_GENERATION_EDIT_H

#include "generation_priv.h"

struct generation_edit {
	struct generation *gen;
	uint32_t next_id; /* before the edit */
	uint32_t *to;	  /* where rules move when some come or go */
	/* by arriving rule: its index, and its table of the program */
	uint32_t *arriving, *in;
	size_t narriving;
	bool *leaving; /* by rule */
	size_t written, compared;
	bool overlay;  /* entries before a table that never changes have been tried */
	uint32_t rule; /* of the last inserted entry; UINT32_MAX: none */
	struct flow_fault *fault;
};

/* --- generation_edit.c --- */

int edit_no_memory(struct generation_edit *e);
/* Makes the changes so far take effect for packets. Returns 0, or -1 with the fault. */
int edit_sync(struct generation_edit *e);
/* Returns whether the rule leaves. LIVE_REST: false. */
bool edit_removes(const struct generation_edit *e, uint32_t rule);
/* Sets the fault that the device keeps an entry. Returns -1. */
int edit_kept(struct generation_edit *e);

/* --- generation_fits.c --- */

/*
 * Finds the table of each arriving rule: that of the rule behind it, since mirrors divide the
 * tables of the file. Returns 0 or -ENOMEM.
 */
int edit_find_tables(struct generation_edit *e, const struct generation_change *c);
/* Returns whether the change can be made entry by entry, as far as its rules show it. */
bool edit_fits(const struct generation_edit *e, const struct generation_change *c);

/*
 * Returns whether the rule's goto, from table `in` of the program, leads to a table that exists and
 * is behind it.
 */
bool edit_leads_on(const struct generation *gen, const struct rule *r, uint32_t in);

#endif
