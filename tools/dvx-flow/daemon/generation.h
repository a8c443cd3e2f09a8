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
 * Builds a generation. Takes the set (and empties *set) on success. `like`, if given, is a
 * generation whose IDs and counters continue: rule i of the set is its rule from[i], or a new one
 * (UINT32_MAX). Returns 0, or -1 with the fault.
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

/* Takes packets off the generation's tables. */
void generation_detach(struct generation *gen);
/* So, too, of a generation that replaced none: tracked packets are led to it no longer. */
void generation_leave(struct generation *gen);

/* --- generation_edit.c: changes few rules, in the tables as they are. --- */

struct generation_change {
	const bool *gone; /* by rule in effect: it leaves; NULL: none leaves */
	/*
	 * Arriving rules. more[i] is put before rule before[i] of those in effect (their number:
	 * behind all).
	 */
	const struct rule *more;
	const size_t *before; /* ascending */
	/*
	 * from[i]: the rule in effect that more[i] moves. That one leaves, its ID and counter
	 * continue. UINT32_MAX: more[i] is new. NULL: all are new.
	 */
	const uint32_t *from;
	size_t nmore;
};

struct generation_edit;
#define EDIT_REBUILD 1

/*
 * Begins an edit: arriving rules take effect; the list of rules has arriving and leaving ones.
 * Returns 0, -1 with the fault, or EDIT_REBUILD if this change needs a new generation. If not 0,
 * nothing has changed.
 */
int generation_edit_begin(struct generation *gen, const struct generation_change *c,
			  struct generation_edit **out, struct flow_fault *f);
/*
 * End an edit: _finish removes the leaving rules, _undo restores the state before the edit. _finish
 * fails if the device keeps an entry; the rules have changed all the same.
 */
int generation_edit_finish(struct generation_edit *e, size_t *written, struct flow_fault *f);
void generation_edit_undo(struct generation_edit *e);

const struct ruleset *generation_rules(const struct generation *gen);
/* Returns whether connections are tracked. */
bool generation_tracks(const struct generation *gen);
/* Returns the number of entries of all rules. */
size_t generation_size(const struct generation *gen);
/* Updates the rules' places in their text. */
void generation_set_places(struct generation *gen, const struct source_place *place);
/* Replaces the set by one with the same rules. Empties *set. */
void generation_take(struct generation *gen, struct ruleset *set);
/* Returns whether there are rules of this direction. */
bool generation_has(const struct generation *gen, enum rule_dir dir);
/* Returns the cost of the device's tables as they are now. NULL: no memory. */
const struct plan_cost *generation_cost(struct generation *gen);
/* Returns the ID that users see of rule i. */
uint32_t generation_id(const struct generation *gen, size_t i);
/* Reads the counters of all rules. packets is UINT64_MAX for a rule without a counter. */
int generation_count(const struct generation *gen, struct dvx_flow_count *out,
		     struct flow_fault *f);
/* Writes libmlx5's dump, for explain. generation_entries() has the rule of each of its entries. */
int generation_dump(const struct generation *gen, FILE *to, struct flow_fault *f);
/* rule: ENTRY_ALONE if the entry is no rule's */
typedef void (*entry_of_fn)(void *arg, uint64_t entry_id, uint32_t rule);
#define ENTRY_ALONE UINT32_MAX
/*
 * Dumps a direction's first table, the table with this ID (0: none), and the tables that packets
 * reach from that one, and visits their entries. Writes nothing if the rules are one list, of which
 * a packet can meet nearly all entries.
 */
int generation_dump_part(const struct generation *gen, enum rule_dir dir, uint64_t from, FILE *to,
			 entry_of_fn visit, void *arg, struct flow_fault *f);
void generation_entries(const struct generation *gen, entry_of_fn visit, void *arg);
/* Returns the dump's ID of the direction's first table; 0: the direction has no rules. */
uint64_t generation_first_table(const struct generation *gen, enum rule_dir dir);

typedef void (*table_of_fn)(void *arg, uint64_t table_id, const char *name);
void generation_tables(const struct generation *gen, table_of_fn visit, void *arg);
/*
 * Visits mirrors, with the table where the packet goes on, which the destination array hides, and
 * in how many packets one is copied; 0: each.
 */
typedef void (*mirror_fn)(void *arg, uint64_t action_id, uint64_t table_id, uint32_t sample);
void generation_mirrors(const struct generation *gen, mirror_fn visit, void *arg);
/* Visits the tunnels that rules begin. The dump has only their actions' IDs. */
typedef void (*encap_fn)(void *arg, uint64_t action_id, const struct rule_encap *encap);
void generation_encaps(const struct generation *gen, encap_fn visit, void *arg);
/* Visits the lists of rewrites. The dump has only their actions' IDs. */
typedef void (*rewrites_fn)(void *arg, uint64_t action_id, const struct dvx_flow_rewrites *list);
void generation_rewrites(const struct generation *gen, rewrites_fn visit, void *arg);

/* Visits the state of each object, with the ID of its rule and the result of a packet now. */
typedef void (*object_fn)(void *arg, uint32_t id, uint8_t result, const char *says);
int generation_objects(const struct generation *gen, object_fn visit, void *arg,
		       struct flow_fault *f);

/* --- rule_object.c: rules that go after some time without packets; times are in ms. --- */

uint64_t generation_now(void);
bool generation_expires(const struct generation *gen);
/* Returns in how many seconds the rule goes, if no packet comes. */
uint64_t generation_expires_in(const struct generation *gen, size_t i);
/* Notes which rules had packets, and marks those whose time is over. Returns their number, or -1. */
int generation_look(struct generation *gen, uint64_t now, bool *gone, struct flow_fault *f);
/* Lets the time of these rules begin anew. */
void generation_renew(struct generation *gen, const bool *which);

/* --- locate.c: finds the word that the device refused. Both return -1 and set the fault. --- */

/* Sets the fault to libdvx's last error, at this word. */
int locate_error(struct flow_fault *f, const struct rule *r, struct source_location at);
/*
 * Sets the fault to libdvx's last error, at the field that it names as match.NAME, else at the
 * whole rule.
 */
int locate_match_error(struct flow_fault *f, const struct rule *r);

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

/* Allocates up to `want` counters, fewer if bulks are limited. Returns libdvx's -errno. */
int bulk_make(struct dvx_dev *dev, uint32_t want, struct bulk **out);
void bulk_hold(struct bulk *b);
/* Drops a reference; the last one destroys the bulk. b may be NULL. */
void bulk_drop(struct bulk *b);
struct dvx_flow_counter *bulk_counter(const struct bulk *b);
uint32_t bulk_size(const struct bulk *b);

/* --- changes.c: the actions of a rule that changes its packets. --- */

#define CHANGE_ACTIONS 5u /* decap, pop, push, rewrites, encap */
struct changes {
	struct dvx_flow_action *action[CHANGE_ACTIONS];
	uint32_t n;
	struct dvx_flow_action *encap; /* one of them; NULL: none */
};

/* Adds to out->action; on a fault the caller frees them. */
int changes_make(struct dvx_flow_domain *domain, const struct rule *r, struct changes *out,
		 struct flow_fault *f);
void changes_free(struct changes *c);
/* Visits the rewrites of these changes; c may be NULL. */
void changes_visit_rewrites(const struct changes *c, rewrites_fn visit, void *arg);

#endif
