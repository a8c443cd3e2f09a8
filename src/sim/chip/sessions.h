/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_SESSIONS_H
#define SIM_CHIP_SESSIONS_H

struct chip;
struct sessions;

/*
 * Serves clients of a listening socket (owned from here on) on the chip's loop. A client that sends
 * malformed messages or does not read its answers is disconnected with a line in the log. NULL and
 * errno on failure.
 */
struct sessions *sessions_new(struct chip *, int listener, const char *name);
/* Closes all connections and destroys their objects. */
void sessions_free(struct sessions *);

#endif
