/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of a generation. */
#ifndef DVX_FLOW_GENERATION_PRIV_H
#define DVX_FLOW_GENERATION_PRIV_H

#include "rules/arena.h"
#include "rules/live.h"
#include "objects.h"
#include "spread.h"
#include "table.h"

/* tag, count, object, destination */
#define RULE_ACTIONS_MAX (4 + CHANGE_ACTIONS)

/* Size of a bulk of counters for rules that edits add. */
#define SPARE_COUNTERS 64u

/* One rule's objects on the device. */
struct rule_state {
	uint32_t id;
	struct bulk *bulk; /* NULL: the rule has no counter */
	uint32_t index;	   /* in the bulk */
	struct dvx_flow_action *count;
	struct aso_bulk *object; /* NULL: the rule has no meter and no first-hit bit */
	uint32_t object_index;	 /* in the bulk */
	struct dvx_flow_action *change_object;
	uint64_t last_hit;	      /* of a rule that expires, in ms */
	struct limit *limit;	      /* of a rule with a rate: its table before table `next` */
	struct held_option *option; /* NULL: the rule compares none */
	struct changes *changes;      /* NULL: the rule changes nothing */
	struct dvx_flow_action *tag;  /* shared by rules of the same tag, owned by the generation */
	struct dvx_flow_action *own_tag; /* of a rule that an edit added */
	struct arena *memory;		 /* of its entries, if an edit added it */
	bool arriving;			 /* in the edit that is being made */
	struct dvx_flow_action *mirror;	 /* to the queue and to table `next` */
	uint32_t next;
	uint32_t table;	       /* of the program, with its entries */
	struct spread *spread; /* its destination; owned by the generation */
};

/* A table of the program on the device. */
struct built_table {
	struct dvx_flow_table *table;	  /* NULL: no packet reaches it */
	struct dvx_flow_action *to_table; /* leads to this table */
	uint32_t of;			  /* the table of the rules that it belongs to */
	bool keeps_entries;		  /* of leaving rules, until the generation is freed */
};

/* A way to hold rules, and what it holds of one table of the program. */
struct held_table {
	const struct table_ops *ops;
	void *is;
	uint32_t table; /* of the program */
};

/* The entry of a direction: how packets reach its first table. */
struct direction_state {
	struct dvx_flow_rule *attached; /* in the root */
	unsigned int priority;		/* which of the root's two priorities */
};

/* A bulk of objects for further rules; NULL: there is none. */
struct spare_objects {
	struct aso_bulk *bulk;
	uint32_t used;
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
	struct held_table *held; /* in the order of the program's tables; at most two for each */
	size_t nheld;
	struct direction_state direction[RULE_DIRS];
	uint32_t
		track_next; /* the table behind the rule that tracks connections; 0: there is none */
	struct spread *spread[RSS_MAX]; /* NULL: unused */
	struct dvx_flow_action **tag;
	size_t ntags;
	size_t built; /* entries of all tables, before edits */
	/* Objects of removed rules, of which tables still have entries. No packet meets them. */
	struct rule_state *retired;
	size_t nretired, retired_room;
	bool changed;	  /* since the cost was counted */
	bool stray_entry; /* the device has an entry that is in no list, so edits are impossible */
	struct bulk *spare; /* counters for further rules; NULL: none */
	uint32_t spare_used;
	struct spare_objects objects[2]; /* by enum dvx_aso_kind */
};

/* The description of an entry for the device. */
struct table_entry {
	struct dvx_flow_match match;
	struct dvx_flow_action *actions[RULE_ACTIONS_MAX];
	bool queue_refused; /* by the device: the rule's queue */
};

/* State while a generation is built. */
struct generation_build {
	struct generation *gen;
	uint32_t table; /* of the program: the one that is being built */
	void *into;	/* the argument of generation_insert() */
	/* the last entry */
	struct table_entry entry;
	uint32_t rule; /* LIVE_REST: none */
	/* progress */
	built_fn built;
	void *arg;
	size_t total;
	size_t cramped_at; /* entries inserted when the device ran out of room; 0: it has room */
	bool no_room;
	struct flow_fault *fault;
	int ret; /* of the compiler */
};

struct dvx_flow_domain *generation_domain(const struct generation *gen, uint32_t table);

/* --- rule_state.c: one rule's objects; -1 with the fault. --- */

/* Makes the objects of all rules. Rule i continues rule from[i] of `like`, if that is not NULL. */
int rule_states_make(struct generation *gen, const struct generation *like, const uint32_t *from,
		     struct flow_fault *f);
/* Gives the rule a counter, if it has none and needs one. want: the size of a new bulk. */
int rule_state_take_counter(struct generation *gen, size_t i, uint32_t want, struct flow_fault *f);
int rule_state_make_count(struct generation *gen, size_t i, struct flow_fault *f);
int rule_state_make_changes(struct generation *gen, size_t i, struct flow_fault *f);
/* Returns as generation_edit_begin() does: a generation has room for RSS_MAX spreads. */
int rule_state_make_spread(struct generation *gen, size_t i, struct flow_fault *f);
/* Frees the spreads that no rule sends to. */
void generation_drop_spreads(struct generation *gen);
/* Frees what leads to a later table: the mirror, or the table of the rate. */
void rule_state_drop_onward(struct rule_state *h);
void rule_state_free(struct rule_state *h);

/* --- rule_object.c --- */

static inline bool rule_has_object(const struct rule *r)
{
	return r->over || r->expire;
}

static inline enum dvx_aso_kind rule_object_kind(const struct rule *r)
{
	return r->over ? DVX_ASO_METERS : DVX_ASO_HITS;
}

/*
 * Makes the rule's object and its action, or goes on with those of `like`. want: the size of a new
 * bulk. The rule may need none.
 */
int rule_object_make(struct generation *gen, size_t i, const struct rule_state *like, uint32_t want,
		     struct flow_fault *f);
void rule_object_free(struct rule_state *h);

/* --- generation_table.c: the tables that rules are held in. --- */

int generation_make_tables(struct generation_build *b);
void generation_free_tables(struct generation *gen);
/*
 * Inserts n entries, which `next` describes one by one, as dvx_flow_bulk has it; b->into is `into`
 * meanwhile. Returns 0 or libdvx's -errno.
 */
int generation_insert(struct generation_build *b,
		      int (*next)(void *b, size_t i, struct dvx_flow_rule_attr *attr), void *into,
		      size_t n, struct dvx_flow_rule **out);
/*
 * Describes the actions of an entry of a rule (LIVE_REST: for packets that no rule takes), which
 * are in x. Returns 0 or libdvx's -errno.
 */
int generation_actions(struct generation *gen, uint32_t table, uint32_t rule, struct table_entry *x,
		       struct dvx_flow_rule_attr *attr);
/* Describes likewise the actions of a rule itself, without its rate. */
int generation_rule_actions(struct generation *gen, uint32_t rule, struct table_entry *x,
			    struct dvx_flow_rule_attr *attr);
/* About this many entries fit in what libmlx5 has left of its last piece of memory. */
#define LAST_ENTRIES 4096u
int no_room_fault(const struct rule *r, bool without_reason, struct flow_fault *f);

#endif
