/* SPDX-License-Identifier: BSD-2-Clause */
/* What a daemon holds: the rules on the device, and the file that restores them. */
#ifndef DVX_FLOW_HOLDER_H
#define DVX_FLOW_HOLDER_H

#include "generation.h"

struct holder {
	struct base_tables base;
	struct generation *now; /* NULL: no rules */
	const char *state;	/* path */
	uint64_t applied;	/* how many times */
};

/*
 * Replaces all rules by those of text and commits them, or changes nothing. Calls `after` on
 * success, before the old rules are freed.
 */
int holder_apply(struct holder *h, const char *text, size_t len, built_fn built, void *arg,
		 void (*after)(void *arg), struct flow_fault *f);
/* The same with one rule less (its index in the set). The others' counters continue. */
int holder_delete(struct holder *h, size_t rule, void (*after)(void *arg), void *arg,
		  struct flow_fault *f);
/* Restores the rules that were committed last, if any. */
int holder_restore(struct holder *h, struct flow_fault *f);
void holder_free(struct holder *h);

#endif
