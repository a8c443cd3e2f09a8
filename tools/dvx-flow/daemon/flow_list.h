/* SPDX-License-Identifier: BSD-2-Clause */
/* A list of matchers on the device, whose entries come and go one by one. */
#ifndef DVX_FLOW_FLOW_LIST_H
#define DVX_FLOW_FLOW_LIST_H

#include "generation_edit.h"
#include "rules/live.h"

struct flow_list {
	struct generation *gen;
	uint32_t table; /* of the program */
	struct live_table live;
	struct dvx_flow_matcher **matcher; /* of `live`, by index; NULL: not on the device yet */
	struct dvx_flow_rule **rule;	   /* by entry */
	size_t matcher_room, rule_room;
	struct dvx_flow_matcher *last_matcher; /* for packets that no rule takes */
	struct dvx_flow_rule *last;
	size_t cramped;	      /* entries added without room on the device */
	struct arena *memory; /* of entries that an edit made for older rules */
	struct flow_list_edit {
		bool begun;
		/* before the edit: how many entries there were, and the covered ones */
		size_t n, ncovered;
		struct covered_entry *covered;
		/* the entries of leaving rules, the last rule's first */
		uint32_t *leave;
		size_t nleave, leave_room;
	} edit;
};

/* Makes a list without matchers and entries. NULL: no memory. */
struct flow_list *flow_list_new(struct generation *gen, uint32_t table);
void flow_list_free(void *list);
void flow_list_renumber(void *list, const uint32_t *to);
void flow_list_entries(const void *list, entry_of_fn visit, void *arg);
/* Notes the state before an edit, and the entries that it will remove. */
int flow_list_edit_begin(struct flow_list *l, struct generation_edit *e);
/* Copies a shape and a value to memory that lasts. *memory may be NULL. False: no memory. */
bool flow_list_keep(struct flow_list *l, struct arena **memory, const struct shape *shape,
		    const uint64_t *value, struct covered_entry *out);
/*
 * Adds an entry to the list, at its place. flow_list_edit_write() inserts it and its matcher when
 * all have a place.
 */
int flow_list_put(struct flow_list *l, struct generation_edit *e, const struct covered_entry *c,
		  struct live_spot spot);
int flow_list_edit_write(void *list, struct generation_edit *e);
int flow_list_edit_finish(void *list, struct generation_edit *e);
void flow_list_edit_undo(void *list, struct generation_edit *e);

#endif
