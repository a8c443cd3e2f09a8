/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_DIRECT_RECV_H
#define SIM_TRANSPORT_DIRECT_RECV_H

#include <stdbool.h>
#include <stdint.h>

struct queue;
struct rq;
struct send_wr;

/* Messages to a queue of the same chip, from memory to memory (doc/design/0036). */

/* The data of a request that has one segment, where the device reaches it itself; or NULL. */
const uint8_t *direct_from(const struct queue *, const struct send_wr *);
/*
 * The request's message goes to the current receive entry, a datagram's behind its ROCE_GRH bytes
 * (NULL: it is none). False: nothing that counts was done, and packets may do it.
 */
bool direct_receive(struct queue *, struct rq *to, const struct send_wr *, const uint8_t *grh);

#endif
