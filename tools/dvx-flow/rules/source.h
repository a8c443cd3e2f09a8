/* SPDX-License-Identifier: BSD-2-Clause */
/* Edits the text of a set of rules, with its comments. */
#ifndef DVX_FLOW_SOURCE_H
#define DVX_FLOW_SOURCE_H

#include "rule.h"

/*
 * An edit: some rules of a set leave, others are added: rule i of `more` before rule at[i] of the
 * set (set->n: behind all).
 */
struct rules_edit {
	const struct ruleset *set;
	const bool *gone;	    /* for each rule of the set; NULL: none leaves */
	const struct ruleset *more; /* each of the table of the rule behind it, or before it */
	const size_t *at;	    /* ascending */
};

/* Returns how many rules the edited set has. */
size_t edit_count(const struct rules_edit *e);
/* Finds origins. from[i]: index in the old set of rule i of the edited one; EDIT_NEW: added. */
#define EDIT_NEW UINT32_MAX
void edit_origins(const struct rules_edit *e, uint32_t *from);

/* The place of a rule in the text. */
struct source_place {
	uint32_t first_byte, end_byte, line;
};

/*
 * Returns the edited text, or NULL if there is no memory. A 0 ends `text`. Sets the places of all
 * rules (edit_count() of them). Added rules get a line each, behind the line of the rule before
 * them. Leaving rules leave empty lines, so that the others keep their numbers; a rule added at
 * such a place takes one of these lines.
 */
char *source_edit(const char *text, size_t len, const struct rules_edit *e,
		  struct source_place *place, size_t *out_len);

#endif
