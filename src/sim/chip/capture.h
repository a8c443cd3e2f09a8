/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CAPTURE_H
#define SIM_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/*
 * What is on the wire, for whoever looks: raw packets as they are, RoCE messages as RoCE packets.
 * A capture keeps what its reader has not taken, up to a bound. Then the wire waits for the reader,
 * and if that takes nothing for a second, the capture loses packets and the wire goes on
 * (doc/design/0061).
 */
struct captures;
struct capture;

struct captures *captures_new(struct device *);
void captures_free(struct captures *); /* after its captures */
bool captures_run(struct captures *);  /* in each turn, after the datapath */

/* NULL: out of memory. */
struct capture *capture_open(struct captures *, void (*ready)(void *arg), void *arg);
void capture_close(struct capture *);
/* Nothing new comes in from here on. */
void capture_stop(struct capture *);
/* Calls ready() once, when there is something to take. */
void capture_want(struct capture *);
/*
 * The oldest piece: link_captured and link_packets, at most CAPTURE_PIECE bytes; freed by the
 * caller. NULL: out of memory.
 */
#define CAPTURE_PIECE (64u << 10)
uint8_t *capture_take(struct capture *, size_t *len);

#endif
