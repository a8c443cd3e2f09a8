/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_SESSIONS_H
#define SIM_CHIP_SESSIONS_H

struct chip;
struct sessions;

/*
 * Serves clients of a listening socket (owned from here on) on the chip's loop. A client can do
 * harm to itself only: its connection is closed with a line in the log when it sends nonsense or
 * does not read its answers. NULL and errno on failure.
 */
struct sessions *sessions_new(struct chip *, int listener, const char *name);
/* Closes all connections: objects go as if every client had died. */
void sessions_free(struct sessions *);

#endif
