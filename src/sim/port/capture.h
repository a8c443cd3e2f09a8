/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_CAPTURE_H
#define SIM_PORT_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;

/*
 * Captures of the port's frames. A capture keeps frames that its reader has not taken, up to a
 * bound. At the bound, senders wait for the reader. If the reader takes nothing for a second,
 * senders go on and the capture loses packets (doc/design/0061).
 */
struct port_captures;
struct port_capture;

struct port_captures *captures_new(struct device *);
void captures_free(struct port_captures *); /* after its captures are closed */
bool captures_run(struct port_captures *);  /* called in each turn, after the datapath */

/* Returns a running capture; NULL if there is no memory. */
struct port_capture *capture_open(struct port_captures *, void (*ready)(void *arg), void *arg);
void capture_close(struct port_capture *);
/* Stops: no further frames are added. */
void capture_stop(struct port_capture *);
/* Asks for one call of ready(), when there is something to take. */
void capture_request(struct port_capture *);
/*
 * Returns the oldest piece, port_captured and port_packets of at most CAPTURE_PIECE bytes, which
 * the caller frees. NULL: out of memory.
 */
#define CAPTURE_PIECE (64u << 10)
uint8_t *capture_take(struct port_capture *, size_t *len);

#endif
