/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of a generation. */
#ifndef DVX_FLOW_GENERATION_PRIV_H
#define DVX_FLOW_GENERATION_PRIV_H

#include "generation.h"
#include "rules/arena.h"
#include "rules/live.h"
#include "spread.h"

/* tag, count, destination */
#define RULE_ACTIONS_MAX (3 + CHANGE_ACTIONS)

/* Size of a bulk of counters for rules that edits add. */
#define SPARE_COUNTERS 64u

/* One rule's objects on the device. */
struct rule_state {
	uint32_t id;
	struct bulk *bulk; /* NULL: the rule has no counter */
	uint32_t index;	   /* in the bulk */
	struct dvx_flow_action *count;
	struct changes *changes;     /* NULL: the rule changes nothing */
	struct dvx_flow_action *tag; /* shared by rules of the same tag, owned by the generation */
	struct dvx_flow_action *own_tag; /* of a rule that an edit added */
	struct arena *memory;		 /* of its entries, if an edit added it */
	bool arriving, leaving;		 /* in the edit that is being made */
	struct dvx_flow_action *mirror;	 /* to the queue and to table `next` */
	uint32_t next;
	uint32_t table;	       /* of the program, with its entries */
	struct spread *spread; /* its destination; owned by the generation */
};

/* A table of the program on the device. */
struct built_table {
	struct dvx_flow_table *table; /* NULL: no packet reaches it */
	struct live_table live;
	struct dvx_flow_matcher **matcher; /* of `live`, by index */
	struct dvx_flow_rule **rule;	   /* by entry */
	size_t matcher_room, rule_room;
	struct dvx_flow_matcher *last_matcher; /* for packets that no rule takes */
	struct dvx_flow_rule *last;
	size_t cramped;			  /* entries added without room on the device */
	struct acl_tables *codes;	  /* behind `live`, which is then an overlay; NULL: none */
	struct arena *memory;		  /* of overlay entries */
	struct dvx_flow_action *to_table; /* leads to this table */
	uint32_t of;			  /* the table of the rules that it belongs to */
};

/* The entry of a direction: how packets reach its first table. */
struct direction_state {
	struct dvx_flow_rule *attached; /* in the root */
	unsigned int priority;		/* which of the root's two priorities */
};

struct generation {
	struct base_tables *base;
	struct ruleset set;
	struct rule_state *hold;
	size_t room; /* of set.rule and hold; 0: unknown */
	uint32_t next_id;
	struct plan plan; /* as built, without edits */
	struct plan_cost cost;
	struct built_table *table; /* by table of the program */
	size_t ntables;
	struct direction_state direction[RULE_DIRS];
	struct spread *spread[RSS_MAX]; /* NULL: unused */
	struct dvx_flow_action **tag;
	size_t ntags;
	/* Objects of removed rules, of which codes still have entries. No packet meets them. */
	struct rule_state *retired;
	size_t nretired, retired_room;
	bool edited;	  /* since the cost was counted */
	bool stray_entry; /* the device has an entry that is in no list, so edits are impossible */
	struct bulk *spare; /* counters for rules that edits add; NULL: none */
	uint32_t spare_used;
};

/* State while a generation is built. */
struct generation_build {
	struct base_tables *base;
	struct generation *gen;
	/* the current table and its last entry */
	const struct table *now;
	struct built_table *into;
	const struct live_entry *entry; /* NULL: none */
	struct dvx_flow_match match;
	struct dvx_flow_action *actions[RULE_ACTIONS_MAX];
	/* progress */
	built_fn built;
	void *arg;
	size_t before, total;
	size_t cramped_at; /* entries inserted when the device ran out of room; 0: it has room */
	bool no_room, queue_refused;
	bool codes_refused; /* lists have taken the place of the planned codes */
	struct flow_fault *fault;
	int ret; /* of the compiler */
};

/* --- generation.c: one rule's objects; -1 with the fault. --- */

int rule_state_make_count(struct generation *gen, size_t i, struct flow_fault *f);
int rule_state_make_changes(struct generation *gen, size_t i, struct flow_fault *f);
/* Returns as generation_edit_begin() does: a generation has room for RSS_MAX spreads. */
int rule_state_make_spread(struct generation *gen, size_t i, struct flow_fault *f);
/* Frees the spreads that no rule sends to. */
void generation_drop_spreads(struct generation *gen);
void rule_state_drop_mirror(struct rule_state *h);
void rule_state_free(struct rule_state *h);
int no_counter(const struct rule *r, struct flow_fault *f);

/* --- generation_table.c: tables, their matchers and entries. --- */

int generation_make_tables(struct generation_build *b);
void generation_free_tables(struct generation *gen);
/* Makes the device's matcher for matcher m of h->live; `like` is one of its entries' values. */
int built_table_make_matcher(struct built_table *h, size_t m, size_t expected,
			     const uint64_t *like);
/*
 * Writes the actions of a rule (LIVE_REST: for packets that no rule takes). *queue_refused becomes
 * true if the device refused the rule's queue.
 */
int generation_actions(struct generation *gen, size_t table, uint32_t rule,
		       struct dvx_flow_action **out, uint32_t *n, bool *queue_refused);
/* About this many entries fit in what libmlx5 has left of its last piece of memory. */
#define LAST_ENTRIES 4096u
int no_room_fault(const struct rule *r, bool without_reason, struct flow_fault *f);

#endif
