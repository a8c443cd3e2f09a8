/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of a holder. */
#ifndef DVX_FLOW_HOLDER_PRIV_H
#define DVX_FLOW_HOLDER_PRIV_H

#include "holder.h"

/* --- holder.c: these return 0, or -1 with the fault. --- */

int holder_parse(const struct holder *h, const char *text, size_t len, struct ruleset *set,
		 struct flow_fault *f);
/*
 * Builds the set beside the rules in effect. Rule i continues rule from[i] of those. Empties the
 * set on success, frees it on failure.
 */
int holder_build(struct holder *h, struct ruleset *set, const uint32_t *from, built_fn built,
		 void *arg, struct generation **gen, struct flow_fault *f);
/* Makes gen take effect and commits the text, which the holder owns from here on. */
int holder_replace(struct holder *h, struct generation *gen, char *text, size_t len,
		   void (*after)(void *arg), void *arg, struct flow_fault *f);
/* Returns a copy without the byte order mark, so its places are the rules'. NULL: no memory. */
char *holder_copy(const char *text, size_t *len);

/* An edit of the tables as they are, and the text that results. */
struct holder_edited {
	struct generation_edit *edit;
	char *text; /* owned by the holder after the commit */
	size_t len;
	/* The places of all rules in the text, or the whole set, which is emptied. */
	const struct source_place *place;
	struct ruleset *set;
	size_t changed; /* rules added or removed */
	void (*after)(void *arg);
	void *arg;
};
/*
 * Commits the edit, or undoes it. Returns 1 if it is done, but the device keeps an entry; the fault
 * says so.
 */
int holder_commit_edit(struct holder *h, struct holder_edited *e, struct flow_fault *f);

#endif
