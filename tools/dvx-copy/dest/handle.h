/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_OBEY_H
#define DVX_COPY_OBEY_H

#include "receiver.h"

/* Handles a message of the sender. */
int receiver_handle(struct receiver *r, const struct copy_msg *m);

/* Sends the verdicts so far: the sender may wait for them. */
int receiver_flush_verdicts(struct receiver *r);

/* Ends a source that the sender has sent completely; its last data may still be on its way. */
int receiver_end_source(struct receiver *r);

/* --- of receiver.c --- */

/* Works until all announced data has arrived. */
int receiver_drain(struct receiver *r);

#endif
