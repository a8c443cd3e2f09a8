/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_CAPTURE_H
#define SIM_PORT_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/*
 * The port's frames, for programs that read them. A capture keeps what its reader has not taken, up
 * to a bound. Then senders wait for the reader; if it takes nothing for a second, the capture loses
 * packets and senders go on (doc/design/0061).
 */
struct port_captures;
struct port_capture;

struct port_captures *captures_new(struct device *);
void captures_free(struct port_captures *); /* after its captures */
bool captures_run(struct port_captures *);  /* in each turn, after the datapath */

/* NULL: out of memory. */
struct port_capture *capture_open(struct port_captures *, void (*ready)(void *arg), void *arg);
void capture_close(struct port_capture *);
/* Nothing new comes in from here on. */
void capture_stop(struct port_capture *);
/* Calls ready() once, when there is something to take. */
void capture_want(struct port_capture *);
/*
 * The oldest piece: port_captured and port_packets, at most CAPTURE_PIECE bytes; freed by the
 * caller. NULL: out of memory.
 */
#define CAPTURE_PIECE (64u << 10)
uint8_t *capture_take(struct port_capture *, size_t *len);

#endif
