/* SPDX-License-Identifier: BSD-2-Clause */
/* The file of the rules that were committed last: always a whole one. */
#ifndef DVX_FLOW_STATE_H
#define DVX_FLOW_STATE_H

#include <stddef.h>

/*
 * Two steps: what can fail for want of room fails in the first one, while the old file stands.
 * Nothing but the second one changes what a daemon that starts again would find. -errno.
 */
int state_prepare(const char *path, const char *text, size_t len);
int state_commit(const char *path);
void state_abandon(const char *path);

/* May path be such a file? 0, or -errno: -EINVAL if it is a thing that is no regular file. */
int state_check(const char *path);
/* -ENOENT: nothing was ever committed. text has a NUL behind it. */
int state_read(const char *path, char **text, size_t *len);

#endif
