/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of the rules that were committed last. Its first line, a comment, has the length and the
 * checksum of what follows: rules, and behind them the edits since (journal.c).
 */
#ifndef DVX_FLOW_STATE_H
#define DVX_FLOW_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"

/* What the first line says. */
struct state_seal {
	size_t rules;
	uint32_t sum; /* crc32c */
	size_t edits; /* bytes */
	uint32_t
		last; /* crc32c of the last edit, which has that of the one before it; `sum`: none */
};

/* A file that edits can be appended to. */
struct state_tail {
	bool known;
	dev_t dev;
	ino_t ino;
	struct state_seal seal;
	unsigned int nedits;
	size_t len; /* of the rules with all edits */
};

/* --- state.c --- */

/*
 * Writes a whole file, in two steps. A full disk fails the first, which leaves the old file in place;
 * only the second changes what a restarted daemon finds. Both return 0 or -errno.
 */
int state_prepare(const char *path, const char *text, size_t len, struct state_tail *out);
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
	struct state_tail tail;
};

/* -ENOENT: nothing was committed. Any other error has the fault; -EBADMSG: the file is damaged. */
int state_read(const char *path, struct state_text *out, struct flow_fault *f);

#define STATE_SEAL	"# dvx-flow state: "
#define STATE_SEAL_ROOM 120
/* The first line, whose length does not depend on the edits. Returns its length. */
size_t state_seal_line(const struct state_seal *s, char out[STATE_SEAL_ROOM]);
/* The whole buffer. Returns 0 or -errno. at -1: where the file is. */
int state_write(int fd, const char *p, size_t n, off_t at);
int state_damaged(struct flow_fault *f, const char *path, const char *how);

/* --- journal.c --- */

/*
 * Appends what makes the text of the new one. Returns 0, -errno (nothing has changed), or
 * JOURNAL_WHOLE: a whole file is to be written instead.
 */
#define JOURNAL_WHOLE 1
struct journal_texts {
	const char *old, *now;
	size_t old_len, now_len;
};
int journal_append(const char *path, struct state_tail *t, const struct journal_texts *texts);

/* Whether the text has the first line of an edit: then it is no rule file of a user. */
bool journal_has_edit(const char *text, size_t len);

/*
 * s->text has the rules and behind them what follows in the file: makes the edits. Returns as
 * state_read().
 */
int journal_replay(const char *path, struct state_text *s, struct flow_fault *f);

#endif
