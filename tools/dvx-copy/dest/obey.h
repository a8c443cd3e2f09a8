/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_OBEY_H
#define DVX_COPY_OBEY_H

#include "receiver.h"

/* A message of the sender. */
int obey_message(struct receiver *r, const struct copy_msg *m);

/* Sends the verdicts so far: the sender may wait for them. */
int obey_flush(struct receiver *r);

/* The sender has sent all of a source; its last data may be on its way. */
int obey_end(struct receiver *r);

/* --- of receiver.c --- */

/* Works until all announced data has arrived. */
int receiver_drain(struct receiver *r);

#endif
