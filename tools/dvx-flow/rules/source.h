/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a set of rules, with its comments, while rules come and go. */
#ifndef DVX_FLOW_SOURCE_H
#define DVX_FLOW_SOURCE_H

#include "rule.h"

/* Some rules of a set go, and others come before rule `at` of it (at set->n: behind all). */
struct rules_edit {
	const struct ruleset *set;
	const bool *gone; /* for each rule of the set; NULL: none goes */
	const struct ruleset *more;
	size_t at;
	uint32_t table; /* that these come to: that of rule `at`, or of the one before it */
};

/* How many rules the edited set has. */
size_t edit_count(const struct rules_edit *e);
/* from[i]: the index in the old set of rule i of the edited one; EDIT_NEW: it came. */
#define EDIT_NEW UINT32_MAX
void edit_origins(const struct rules_edit *e, uint32_t *from);

/* Where a rule stands in the text. */
struct source_place {
	uint32_t first_byte, end_byte, line;
};

/*
 * The edited text, or NULL: no memory. Sets the places of all rules (edit_count() of them). Rules
 * that come get a line each, behind the one of the rule before them. Rules that go leave their lines
 * empty, so that the others keep their numbers; one that comes at such a place takes a line of it.
 */
char *source_edit(const char *text, size_t len, const struct rules_edit *e,
		  struct source_place *place, size_t *out_len);

#endif
