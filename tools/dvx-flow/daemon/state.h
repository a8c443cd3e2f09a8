/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of the rules that were committed last. It is always complete. */
#ifndef DVX_FLOW_STATE_H
#define DVX_FLOW_STATE_H

#include <stddef.h>

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
/* -ENOENT: nothing was committed. text ends with a NUL. */
int state_read(const char *path, char **text, size_t *len);

#endif
