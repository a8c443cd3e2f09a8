/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_DIRECT_RECV_H
#define SIM_TRANSPORT_DIRECT_RECV_H

#include <stdbool.h>
#include <stdint.h>

struct queue;
struct rq;
struct send_wr;

/* Messages to a queue of the same chip, from memory to memory (doc/design/0036). */

/* Returns the data of a request with one segment, if the device reaches it itself, or NULL. */
const uint8_t *direct_from(struct queue *, const struct send_wr *);
/*
 * Copies the request's message to the current receive entry, a datagram's behind its ROCE_GRH bytes
 * (NULL: not a datagram). Returns false if nothing visible was done and packets must do it.
 */
bool direct_receive(struct queue *, struct rq *to, const struct send_wr *, const uint8_t *grh);

#endif
