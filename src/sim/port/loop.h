/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_LOOP_H
#define SIM_PORT_LOOP_H

#include <stdbool.h>
#include "frame.h"

/* A queue of frames under way, oldest first. */
struct loop {
	struct frame *head, **tail;
	unsigned int n;
	size_t bytes;
};

void loop_init(struct loop *);
void loop_fini(struct loop *);
/*
 * Appends a frame. If the loop is full even for senders that can't wait, it drops the frame, and
 * returns the number of its packets; else 0.
 */
unsigned int loop_put(struct loop *, struct frame *);
/* Likewise puts it at a place, the address of the next frame's pointer. */
unsigned int loop_put_at(struct loop *, struct frame **at, struct frame *f);
struct frame *loop_take(struct loop *);
/* Returns false if senders that can wait must wait. */
bool loop_room(const struct loop *);
/* Drops the frames that match. */
void loop_purge(struct loop *, bool (*match)(const struct frame *, const void *), const void *arg);

#endif
