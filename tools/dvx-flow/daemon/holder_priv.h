/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of a holder. */
#ifndef DVX_FLOW_HOLDER_PRIV_H
#define DVX_FLOW_HOLDER_PRIV_H

#include "holder.h"

/* Rules that are to take the place of those in effect, and their text. */
struct holder_change {
	struct generation_change edit; /* the difference to the rules in effect */
	size_t changed;		       /* rules added or removed */
	char *text;		       /* the holder's after the commit, then NULL */
	size_t len;
	/* All rules, emptied when they are taken. Rule i continues rule from[i] of those in effect. */
	struct ruleset *set;
	const uint32_t *from;		  /* NULL: there are none */
	const struct source_place *place; /* of all rules in the text, if set is NULL */
	built_fn built;
	void (*after)(void *arg); /* called on success */
	void *arg;		  /* of both functions */
	bool taken;		  /* the arriving rules of the edit are the generation's now */
};

/* --- holder.c --- */

/* Both change the device and the file, or nothing. They return 0, or -1 with the fault. */

/* Edits the tables as they are. Returns EDIT_REBUILD if that can't be done. */
int holder_edit_tables(struct holder *h, struct holder_change *c, struct flow_fault *f);
/* Builds the set beside the rules in effect, and makes it take effect. */
int holder_replace(struct holder *h, struct holder_change *c, struct flow_fault *f);

int holder_parse(const struct holder *h, const char *text, size_t len, struct ruleset *set,
		 struct flow_fault *f);
/* Checks that the daemon has the queues that rules name. */
int holder_check_queues(const struct holder *h, const struct ruleset *set, struct flow_fault *f);
/* Sets the fault to the first mistake of a text; a mistake_fn. */
void holder_first_mistake(void *fault, const struct mistake *m);
/* Returns a copy without the byte order mark, so its places are the rules'. NULL: no memory. */
char *holder_copy(const char *text, size_t *len);

#endif
