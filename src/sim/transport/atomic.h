/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_ATOMIC_H
#define SIM_TRANSPORT_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>
#include "bth.h"

struct dma_atomic;
struct qp;
struct send_wr;

/* Atomics: alike in all transports that have them. */

uint8_t atomic_opcode(const struct send_wr *); /* of its packet */
/* A request's packet: its opcode, and its headers, which lie in hdr. */
void atomic_request(struct bth_packet *, const struct send_wr *, uint8_t hdr[MASKED_ETH_LEN]);
/* The responder's answer. */
void atomic_response(struct bth_packet *, uint64_t old, uint8_t hdr[ATOMIC_ACK_LEN]);
uint64_t atomic_answer(const struct bth_packet *);

enum atomic_end {
	ATOMIC_OK,
	ATOMIC_INVALID,	  /* a size that the queue does not take, or unaligned */
	ATOMIC_NO_PAGE,	  /* of a region on demand; it is there when the request comes again */
	ATOMIC_FORBIDDEN, /* the peer may not do that, or the memory is gone */
};
struct atomic_result {
	enum atomic_end end;
	const char *why;
	uint64_t old;
};
/* The queue takes atomics of this size there; whether the key does is not asked. */
bool atomic_allowed(const struct qp *, uint8_t size, uint64_t va);
/* Does what a request's packet asks for. */
struct atomic_result atomic_take(struct qp *, const struct bth_packet *);

#endif
