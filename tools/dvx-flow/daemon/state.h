/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of the rules that were committed last. Its first line, a comment, has the length and the
 * checksum of the rest: the rules, and behind them the edits since.
 */
#ifndef DVX_FLOW_STATE_H
#define DVX_FLOW_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"

/* The contents of the first line. */
struct state_seal {
	size_t rules;
	uint32_t sum; /* crc32c */
	size_t edits; /* bytes */
	/* crc32c of the last edit, which has that of the one before it; `sum` if there is none */
	uint32_t last;
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

/*
 * Write a whole file, in two steps. A full disk fails the first one, which leaves the old file in
 * place; only the second one changes what a restarted daemon finds. Both return 0 or -errno.
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
	bool sealed; /* the file has a length and a checksum, and they are right */
	struct state_tail tail;
};

/*
 * Returns -ENOENT if nothing was committed. Any other error has the fault; -EBADMSG: the file is
 * damaged.
 */
int state_read(const char *path, struct state_text *out, struct flow_fault *f);

/*
 * Appends the edit that turns the old text into the new one. Returns 0, -errno (nothing has
 * changed), or JOURNAL_WHOLE: the caller has to write a whole file.
 */
#define JOURNAL_WHOLE 1
struct journal_texts {
	const char *old, *now;
	size_t old_len, now_len;
};
int journal_append(const char *path, struct state_tail *t, const struct journal_texts *texts);

#endif
