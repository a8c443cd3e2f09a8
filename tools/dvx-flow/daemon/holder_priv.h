/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a holder share. */
#ifndef DVX_FLOW_HOLDER_PRIV_H
#define DVX_FLOW_HOLDER_PRIV_H

#include "holder.h"

/* --- holder.c: these return 0, or -1 with the fault. --- */

int holder_parse(const struct holder *h, const char *text, size_t len, struct ruleset *set,
		 struct flow_fault *f);
/*
 * Builds the set beside the rules in effect. Rule i continues rule from[i] of those. Empties the set
 * on success, frees it on failure.
 */
int holder_build(struct holder *h, struct ruleset *set, const uint32_t *from, built_fn built,
		 void *arg, struct generation **gen, struct flow_fault *f);
/* gen takes effect. The text, which becomes the committed one, is the holder's from here on. */
int holder_replace(struct holder *h, struct generation *gen, char *text, size_t len,
		   void (*after)(void *arg), void *arg, struct flow_fault *f);
/* A copy without the byte order mark: places in it are those of the rules. NULL: no memory. */
char *holder_copy(const char *text, size_t *len);

/* Rules that came and go in the tables as they are, and the text that has the result. */
struct holder_edited {
	struct generation_edit *edit;
	char *text; /* the holder's from here on */
	size_t len;
	/* of all rules: where they stand in the text, or the whole set, which is emptied */
	const struct source_place *place;
	struct ruleset *set;
	size_t changed; /* rules that came or went */
	void (*after)(void *arg);
	void *arg;
};
/* Commits them, or undoes the edit. 1: done, but the device has kept an entry: the fault says so. */
int holder_commit_edit(struct holder *h, struct holder_edited *e, struct flow_fault *f);

#endif
