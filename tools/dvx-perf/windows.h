/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_WINDOWS_H
#define DVX_PERF_WINDOWS_H

/*
 * The peer's side of SEND_INVAL: memory windows, one for each receive of a queue. Message i
 * invalidates key i, round and round; its receive is reposted when the window is bound again, so a
 * message never comes before its key.
 */
#include "responder.h"

/* Makes the windows and sets ends.keys. Returns 0, or a negative errno. */
int windows_make(const struct perf_site *, struct responder *);
/* Binds all windows of a connected queue, and posts its receives. */
int windows_bind(const struct perf_site *, struct responder *, uint32_t lane);
void windows_drop(struct responder *);

/* Returns the blocks of a queue's send ring: a bind of each window. */
uint32_t windows_blocks(const struct responder_request *);

#endif
