/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_DIRECT_RECV_H
#define SIM_TRANSPORT_DIRECT_RECV_H

#include <stdbool.h>
#include <stddef.h>

struct dma_seg;
struct queue;
struct rq;
struct send_wr;

/* Messages to a queue of the same chip, from memory to memory (doc/design/0036). */

/* The request's data, unless it is inline: one piece of memory with this right. */
bool direct_local(const struct queue *, const struct send_wr *, unsigned int right, struct dma_seg *);
/*
 * n bytes and the request's message behind them go to the current receive entry. False: nothing
 * that counts was done, and packets may do it.
 */
bool direct_receive(struct queue *, struct rq *to, const struct send_wr *, const void *before,
		    size_t n);

#endif
