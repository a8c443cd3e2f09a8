/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_LOOP_H
#define SIM_PORT_LOOP_H

#include <stdbool.h>
#include "frame.h"

/* Frames under way, oldest first. */
struct loop {
	struct frame *head, **tail;
	unsigned int n;
	size_t bytes;
};

void loop_init(struct loop *);
void loop_fini(struct loop *);
/* How many packets it dropped with the frame: the loop may be full even for those that can't wait. */
unsigned int loop_put(struct loop *, struct frame *);
struct frame *loop_take(struct loop *);
/* For those that can wait. */
bool loop_room(const struct loop *);
/* Drops frames that match. */
void loop_purge(struct loop *, bool (*match)(const struct frame *, const void *), const void *arg);

#endif
