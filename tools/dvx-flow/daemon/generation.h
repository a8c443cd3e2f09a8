/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One set of rules on the device. No packet enters its tables until its root rules are attached.
 * While it replaces an older generation, each packet meets exactly one of the two.
 */
#ifndef DVX_FLOW_GENERATION_H
#define DVX_FLOW_GENERATION_H

#include <stdio.h>
#include <dvx/flow.h>

#include "rules/plan.h"
#include "rules/source.h"
#include "base_tables.h"
#include "fault.h"

struct generation;

/* Called from time to time with the number of inserted entries. Nonzero: give up. */
typedef int (*built_fn)(void *arg, size_t done, size_t of);

/*
 * Takes the set (and empties *set) on success. `like`, if given, is a generation whose IDs and
 * counters continue: rule i of the set is its rule from[i], or a new one (UINT32_MAX). Returns 0,
 * or -1 with the fault.
 */
int generation_build(struct base_tables *g, struct ruleset *set, const struct generation *like,
		     const uint32_t *from, built_fn built, void *arg, struct generation **out,
		     struct flow_fault *f);
void generation_free(struct generation *gen);

/*
 * Switches packets to gen, and away from `old` (NULL: none), at one moment for each direction. On
 * failure nothing changes.
 */
int generation_switch(struct generation *gen, struct generation *old, struct flow_fault *f);

/* Packets meet it no longer. */
void generation_detach(struct generation *gen);

/* --- generation_edit.c: the same with few rules more or less, in the tables as they are. --- */

struct generation_change {
	const bool *gone; /* of the rules in effect; NULL: none goes */
	/* Rules that come, each before one of those in effect (their number: behind all). */
	const struct rule *more;
	const size_t *before; /* ascending */
	/*
	 * Which of those in effect each is, elsewhere in the list: that one goes, and its ID and
	 * counter go on. UINT32_MAX: a new one. NULL: all are new.
	 */
	const uint32_t *from;
	size_t nmore;
};

struct generation_edit;
#define EDIT_REBUILD 1

/*
 * Rules that come take effect, and the list of rules has them and still those that go. Returns 0,
 * -1 with the fault, or EDIT_REBUILD: this change needs a new generation. Otherwise nothing has
 * changed.
 */
int generation_edit_begin(struct generation *gen, const struct generation_change *c,
			  struct generation_edit **out, struct flow_fault *f);
/*
 * Both end the edit. Rules that go, go; or all is as before. The fault is about an entry that the
 * device keeps: the rules have changed all the same.
 */
int generation_edit_finish(struct generation_edit *e, size_t *written, struct flow_fault *f);
void generation_edit_undo(struct generation_edit *e);

const struct ruleset *generation_rules(const struct generation *gen);
/* Entries of all of its rules. */
size_t generation_size(const struct generation *gen);
/* Where the rules stand in their text now. */
void generation_set_places(struct generation *gen, const struct source_place *place);
/* Takes a set that has the same rules, and empties *set. */
void generation_take(struct generation *gen, struct ruleset *set);
/* Whether there are rules of this direction. */
bool generation_has(const struct generation *gen, enum rule_dir dir);
/* What the device's tables cost now. NULL: no memory. */
const struct plan_cost *generation_cost(struct generation *gen);
/* The ID that users see of rule i. */
uint32_t generation_id(const struct generation *gen, size_t i);
/* The counters of all rules. packets is UINT64_MAX for a rule without a counter. */
int generation_count(const struct generation *gen, struct dvx_flow_count *out,
		     struct flow_fault *f);
/* For explain: libmlx5's dump, and the rule of each of its entries. */
int generation_dump(const struct generation *gen, FILE *to, struct flow_fault *f);
typedef void (*entry_of_fn)(void *arg, uint64_t entry_id, uint32_t rule);
/*
 * Dump and entries of a direction's first table, of the table with this id (0: none), and of those
 * that packets come to from there. Writes nothing where the rules are no codes: then a packet can
 * meet nearly all entries.
 */
int generation_dump_part(const struct generation *gen, enum rule_dir dir, uint64_t from, FILE *to,
			 entry_of_fn tell, void *arg, struct flow_fault *f);
void generation_entries(const struct generation *gen, entry_of_fn tell, void *arg);
/* The names that the rules give to tables, by the dump's ids. */
/* The ID of the direction's first table; 0: no rules are of it. */
uint64_t generation_first_table(const struct generation *gen, enum rule_dir dir);

typedef void (*table_of_fn)(void *arg, uint64_t table_id, const char *name);
void generation_tables(const struct generation *gen, table_of_fn tell, void *arg);
/* Mirrors: the table where the packet itself goes on, which a destination array hides. */
typedef void (*mirror_fn)(void *arg, uint64_t action_id, uint64_t table_id);
void generation_mirrors(const struct generation *gen, mirror_fn tell, void *arg);
/* The lists of rewrites, which the dump has only the actions' ids of. */
typedef void (*rewrites_fn)(void *arg, uint64_t action_id, const struct dvx_flow_rewrites *list);
void generation_rewrites(const struct generation *gen, rewrites_fn tell, void *arg);

/* --- blame.c: the word of a rule that the device refused. Both return -1 and set the fault. --- */

/* libdvx's last error is about this word. */
int blame_location(struct flow_fault *f, const struct rule *r, struct source_location at);
/* libdvx's last error is about the field that it names as match.NAME, else about the whole rule. */
int blame_match(struct flow_fault *f, const struct rule *r);

/* --- fill.c --- */

/* Writes value[i] of the shape's key i (for a matcher: its mask) into an fte_match_param. */
void fill_match(void *fte_match_param, const struct shape *shape, const uint64_t *value);

/*
 * --- counters.c ---
 *
 * Counters of rules. They are allocated in bulks. A bulk lives as long as a generation refers to
 * it, so a rule keeps its counter when others are replaced.
 */

struct bulk;

/*
 * Allocates up to `want` counters, fewer if the device has no bulks that large. Returns libdvx's
 * -errno.
 */
int bulk_make(struct dvx_dev *dev, uint32_t want, struct bulk **out);
void bulk_hold(struct bulk *b);
/* Drops a reference; the last one destroys the bulk. b may be NULL. */
void bulk_drop(struct bulk *b);
struct dvx_flow_counter *bulk_counter(const struct bulk *b);
uint32_t bulk_size(const struct bulk *b);

/* --- changes.c: the actions of a rule that changes its packets. --- */

#define CHANGE_ACTIONS 4u /* decap, pop, push, rewrites */
struct changes {
	struct dvx_flow_action *action[CHANGE_ACTIONS];
	uint32_t n;
};

/* Adds to out->action; on a fault the caller frees them. */
int changes_make(struct dvx_flow_domain *domain, const struct rule *r, struct changes *out,
		 struct flow_fault *f);
void changes_free(struct changes *c);
/* The list of the one that rewrites; c may be NULL. */
void changes_tell(const struct changes *c, rewrites_fn tell, void *arg);

#endif
