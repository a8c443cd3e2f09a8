/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a daemon: the rules on the device, and the file that restores them. */
#ifndef DVX_FLOW_HOLDER_H
#define DVX_FLOW_HOLDER_H

#include <stddef.h>
#include "generation.h"
#include "fault.h"
#include "server.h"
#include "state.h"
#include "rules/source.h"

struct holder {
	struct base_tables base;
	struct generation *now; /* NULL: no rules */
	char *text;		/* of the rules, with comments; NULL: none */
	size_t len;
	const char *state; /* path */
	struct state_tail tail;
	uint64_t applied; /* how often rules have changed */
	size_t edited;	  /* rules added or removed since all were built */
	/* the last change */
	size_t written; /* entries added or removed */
	bool rebuilt;	/* the rules were rebuilt */
	uint64_t look;	/* when first-hit bits are read next: generation_now() */
	bool unsealed;	/* the rules were restored from a file without a checksum */
};

/*
 * Replaces all rules by those of text and commits them, or changes nothing. Rules that were in
 * effect already keep their IDs and counters. Calls `after` on success, before the old rules are
 * freed.
 */
int holder_apply(struct holder *h, const char *text, size_t len, built_fn built, void *arg,
		 void (*after)(void *arg), struct flow_fault *f);
/* The place of an added rule. */
struct holder_place {
	size_t rule;
	uint32_t table; /* of the set: that of this rule, or of the one before it */
};
/*
 * Removes and adds some rules, as holder_apply() does with all. Faults have places in `words`, the
 * text of the added rules (NULL: none), if they are about these.
 */
int holder_edit(struct holder *h, const bool *gone, struct holder_place to,
		const struct flow_msg *words, void (*after)(void *arg), void *arg,
		struct flow_fault *f);
/*
 * Parses added rules, which may name the tables and the variables of those in effect. The caller
 * frees *more either way.
 */
int holder_parse_part(const struct holder *h, const char *text, size_t len, struct ruleset *more,
		      struct flow_fault *f);
/* Returns the rules in effect; an empty set if there are none. */
const struct ruleset *holder_rules(const struct holder *h);
/* Restores the rules that were committed last, if any. */
int holder_restore(struct holder *h, struct flow_fault *f);
/* expire.c: removes rules whose time is over, and handles connections. A tick_fn. */
int holder_tick(void *holder, int *fd);
/*
 * Detaches the rules: packets go the default way from here on. The process's end frees the rest: to
 * destroy each of 100,000 rules takes seconds, during which no other daemon could start.
 */
void holder_leave(struct holder *h);

/* --- lock.c: one daemon for each device, whatever its socket. --- */

/*
 * Returns a descriptor that locks the device until it is closed or the process ends, or -1 with the
 * fault.
 */
int device_lock(const char *device, struct flow_fault *f);

/* --- answers.c --- */

/*
 * An answer_fn of a holder. Requests, by their "do":
 *	apply	the body is a rule file
 *	list	{"rules": [{"id", "line", "direction", "action", "text"}]}
 *	stats	{"rules": [the same with "packets", "bytes" if it has a counter], "queues": [...]}
 *	del	"rules": [each an id, a range of ids [first, last], or a rule's text]
 *	add	the body is a rule, which comes behind all others, "before" the rule of this id, or
 *		to "replace" it
 *	batch	the body has edits as in batch.h
 *	flush
 *	save	the body is the rules' text, with comments
 *	dump	{"rules": as list, "entries": [[entry id of the dump, rule id]]}; the body is the dump
 */
void answer(void *holder, struct server_conn *c, const struct flow_msg *request);
/* Returns whether the request changes rules: false for list, stats and save. A changes_fn. */
bool answer_changes(const struct flow_msg *request);

/* --- edits.c: the requests that change some rules. --- */

void edits_del(struct holder *h, struct server_conn *c, const struct flow_msg *m);
void edits_flush(struct holder *h, struct server_conn *c, const struct flow_msg *m);
void edits_add(struct holder *h, struct server_conn *c, const struct flow_msg *m);
void edits_batch(struct holder *h, struct server_conn *c, const struct flow_msg *m);
/* Returns the head of an answer, with the result of the last change. */
json_t *edits_summary(const struct holder *h);
void edits_save(struct holder *h, struct server_conn *c, const struct flow_msg *m);

#endif
