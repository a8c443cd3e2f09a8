/* SPDX-License-Identifier: BSD-2-Clause */
/* What a daemon holds: the rules that are on the device, and the file that would bring them back.
 */
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
 * All or nothing: text's rules take the place of what was there, and are committed. Else nothing
 * changed. `after` is called when it is done, before the old rules are cleared away.
 */
int holder_apply(struct holder *h, const char *text, size_t len, built_fn built, void *arg,
		 void (*after)(void *arg), struct flow_fault *f);
/* The same without one rule (its place in the set); the others' counters go on. */
int holder_delete(struct holder *h, size_t rule, void (*after)(void *arg), void *arg,
		  struct flow_fault *f);
/* What was committed last, if anything. */
int holder_restore(struct holder *h, struct flow_fault *f);
void holder_free(struct holder *h);

#endif
