/* SPDX-License-Identifier: BSD-2-Clause */
/* What a daemon holds: the rules on the device, and the file that restores them. */
#ifndef DVX_FLOW_HOLDER_H
#define DVX_FLOW_HOLDER_H

#include <stddef.h>
#include "generation.h"
#include "fault.h"
#include "server.h"

struct holder {
	struct base_tables base;
	struct generation *now; /* NULL: no rules */
	const char *state;	/* path */
	uint64_t applied;	/* how many times */
	bool unsealed;		/* the rules were restored from a file without a checksum */
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

/*
 * --- state.c: the file of the rules that were committed last. It is always complete, and says its
 * length and checksum in its first line, a comment. ---
 */

/*
 * A commit has two steps. A full disk fails the first, which leaves the old file in place; only the
 * second changes what a restarted daemon finds. Both return 0 or -errno.
 */
int state_prepare(const char *path, const char *text, size_t len);
int state_commit(const char *path);
void state_abandon(const char *path);

/*
 * Checks that path can be such a file. Returns 0 or -errno, -EINVAL if it exists and is no regular
 * file.
 */
int state_check(const char *path);
struct state_text {
	char *text; /* the rules, ended by a NUL */
	size_t len;
	bool sealed; /* with length and checksum, which are right; otherwise nobody knows */
};

/* -ENOENT: nothing was committed. Any other error has the fault; -EBADMSG: the file is damaged. */
int state_read(const char *path, struct state_text *out, struct flow_fault *f);

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
 *	del	"rule": an id, or a rule's text
 *	dump	{"rules": as list, "entries": [[entry id of the dump, rule id]]}; the body is the dump
 */
void answer(void *holder, struct server_conn *c, const struct flow_msg *request);

#endif
