/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_WIRE_WIRE_H
#define SIM_WIRE_WIRE_H

#include <stdbool.h>
#include "frame.h"

/*
 * The loop wire: a bounded queue of frames between the functions of one chip. It knows nothing of
 * what frames mean.
 */
struct wire;

struct wire *wire_new(void);
void wire_free(struct wire *);
void wire_on_frame(struct wire *, void (*rx)(void *ctx, struct frame *), void *ctx);

/* Takes the frame; drops it if the queue is full even for those that can't wait. */
void wire_send(struct wire *, struct frame *);
/* A sender that can wait does so while this is false. */
bool wire_room(const struct wire *);
/* Hands over up to n frames, oldest first. How many. */
unsigned int wire_run(struct wire *, unsigned int n);
bool wire_idle(const struct wire *);
/* Drops the frames that match: they were for somebody who is gone. */
void wire_purge(struct wire *, bool (*match)(const struct frame *, void *arg), void *arg);

/*
 * For tests: sees each frame instead of the queue and owns it; it may wire_queue() it now, later,
 * twice, changed, or frame_free() it. While a hook is there, frames carry one packet and an ICRC.
 */
typedef void (*wire_hook)(void *ctx, struct wire *, struct frame *);
void wire_set_hook(struct wire *, wire_hook, void *ctx);
void wire_queue(struct wire *, struct frame *);

/*
 * A tap sees each frame that goes on the wire, and keeps nothing of it. While it has no room,
 * wire_room() is false. While there is one, frames carry one packet and an ICRC.
 */
struct wire_tap {
	void *ctx;
	void (*frame)(void *ctx, const struct frame *);
	bool (*room)(void *ctx);
};
void wire_set_tap(struct wire *, const struct wire_tap *); /* NULL: none */

/* There is a hook or a tap. */
bool wire_observed(const struct wire *);

#endif
