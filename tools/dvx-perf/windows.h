/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_WINDOWS_H
#define DVX_PERF_WINDOWS_H

/*
 * The far end of SEND_INVAL: memory windows, one for each receive of a queue. Message i invalidates
 * key i, counted round; its receive is posted again when the window is bound again, so that a
 * message never comes before its key.
 */
#include "far.h"

/* Makes the windows and fills in the ends' keys: 0, or a negative errno. */
int windows_make(const struct perf_site *, struct far *);
/* Binds all of a queue, which is connected, and posts its receives. */
int windows_bind(const struct perf_site *, struct far *, uint32_t lane);
void windows_drop(struct far *);

/* Blocks of a queue's send ring: a bind of each window. */
uint32_t windows_blocks(const struct far_wish *);

#endif
