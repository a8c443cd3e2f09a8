/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of a generation share. */
#ifndef DVX_FLOW_GENERATION_PRIV_H
#define DVX_FLOW_GENERATION_PRIV_H

#include "generation.h"
#include "rules/arena.h"
#include "rules/live.h"
#include "spread.h"

/* tag, count, destination */
#define RULE_ACTIONS_MAX (3 + CHANGE_ACTIONS)

/* Counters for rules that come later are made so many at a time. */
#define SPARE_COUNTERS 64u

/* One rule's objects on the device. */
struct holding {
	uint32_t id;
	struct bulk *bulk; /* NULL: the rule has no counter */
	uint32_t index;	   /* in the bulk */
	struct dvx_flow_action *count;
	struct changes *changes;     /* NULL: the rule changes nothing */
	struct dvx_flow_action *tag; /* shared by rules of the same tag, owned by the generation */
	struct dvx_flow_action *own_tag; /* of a rule that came later */
	struct arena *memory;		 /* of its entries, if it came later */
	bool came, goes;		 /* with the edit that is being made */
	struct dvx_flow_action *mirror;	 /* to the queue and to the next table */
	uint32_t next;			 /* that table */
	uint32_t table;			 /* of the program, that its entries are in */
	struct spread *spread;		 /* where it sends to; owned by the generation */
};

/* A table of the program on the device. */
struct built_table {
	struct dvx_flow_table *table; /* NULL: no packet comes here */
	struct live_table live;
	struct dvx_flow_matcher **matcher; /* those of `live`, by their indexes */
	struct dvx_flow_rule **rule;	   /* its entries */
	size_t matcher_room, rule_room;
	struct dvx_flow_matcher *last_matcher; /* takes what no rule took */
	struct dvx_flow_rule *last;
	size_t cramped;			  /* entries that came since the device had no more room */
	struct acl_tables *codes;	  /* behind these entries, which edits made; NULL: none */
	struct arena *memory;		  /* of entries before codes */
	struct dvx_flow_action *to_table; /* to the table */
	uint32_t of;			  /* table of the rules */
};

/* How packets of a direction come to its first table. */
struct half {
	struct dvx_flow_rule *attached; /* in the root */
	unsigned int priority;		/* of the root's two priorities */
};

struct generation {
	struct base_tables *base;
	struct ruleset set;
	struct holding *hold;
	size_t room; /* for rules that come, in both; 0: unknown */
	uint32_t next_id;
	struct plan plan; /* what the tables began with */
	struct plan_cost cost;
	struct built_table *table; /* as the program has them */
	size_t ntables;
	struct half half[RULE_DIRS];
	struct spread *spread[RSS_MAX]; /* NULL: none */
	struct dvx_flow_action **tag;
	size_t ntags;
	/* Codes have entries of rules that went, which no packet meets. */
	struct holding *buried;
	size_t nburied, buried_room;
	bool edited;	    /* since the cost was counted */
	bool keeps;	    /* an entry that is in no list; an edit would not know of it */
	struct bulk *spare; /* counters for rules that come later; NULL: none */
	uint32_t spare_used;
};

/* State while a generation is built. */
struct generation_build {
	struct base_tables *base;
	struct generation *gen;
	/* the table, and its last entry */
	const struct table *now;
	struct built_table *into;
	const struct live_entry *entry; /* NULL: there is none */
	struct dvx_flow_match match;
	struct dvx_flow_action *actions[RULE_ACTIONS_MAX];
	/* progress */
	built_fn built;
	void *arg;
	size_t before, total;
	size_t cramped_at; /* entries inserted when the device had no more room; 0: it has room */
	bool no_room, queue_refused;
	bool codes_refused; /* the plan's; lists took their place */
	struct flow_fault *fault;
	int ret; /* of the compiler */
};

/* --- generation.c: one rule's objects; -1 with the fault. --- */

int holding_make_count(struct generation *gen, size_t i, struct flow_fault *f);
int holding_make_changes(struct generation *gen, size_t i, struct flow_fault *f);
/* As generation_edit_begin(): there may be no room for one more. */
int holding_make_spread(struct generation *gen, size_t i, struct flow_fault *f);
/* Frees those that no rule sends to. */
void generation_drop_spreads(struct generation *gen);
void holding_drop_mirror(struct holding *h);
void holding_free(struct holding *h);
int no_counter(const struct rule *r, struct flow_fault *f);

/* --- generation_table.c: tables, their matchers and entries. --- */

int generation_make_tables(struct generation_build *b);
void generation_free_tables(struct generation *gen);
/* Makes the device's matcher for matcher m of h->live; `like` is one of its entries' values. */
int half_make_matcher(struct built_table *h, size_t m, size_t expected, const uint64_t *like);
/*
 * Writes what happens to a rule's packets (LIVE_REST: to those of no rule), and tells whether its
 * queue was refused.
 */
int generation_actions(struct generation *gen, size_t table, uint32_t rule,
		       struct dvx_flow_action **out, uint32_t *n, bool *queue_refused);
/* About this many entries fit in what libmlx5 has left of its last piece of memory. */
#define LAST_ENTRIES 4096u
int no_room_fault(const struct rule *r, bool told, struct flow_fault *f);

#endif
