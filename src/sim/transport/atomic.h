/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_ATOMIC_H
#define SIM_TRANSPORT_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>
#include "bth.h"

struct dma_atomic;
struct qp;
struct send_wr;

/* Atomics, the same in all transports that have them. */

uint8_t atomic_opcode(const struct send_wr *); /* the BTH opcode of its packet */
/* Fills in a request's packet: its opcode, and its headers, which lie in hdr. */
void atomic_request(struct bth_packet *, const struct send_wr *, uint8_t hdr[MASKED_ETH_LEN]);
/* Fills in the responder's answer. */
void atomic_response(struct bth_packet *, uint64_t old, uint8_t hdr[ATOMIC_ACK_LEN]);
uint64_t atomic_answer(const struct bth_packet *);

enum atomic_end {
	ATOMIC_OK,
	ATOMIC_INVALID,	  /* a size that the queue does not allow, or unaligned */
	ATOMIC_NO_PAGE,	  /* an on-demand page is missing, until the request is repeated */
	ATOMIC_FORBIDDEN, /* the peer has no right to the memory, or it is unmapped */
};
struct atomic_result {
	enum atomic_end end;
	const char *why;
	uint64_t old;
};
/* Returns whether the queue allows atomics of this size at va; does not check the key. */
bool atomic_allowed(const struct qp *, uint8_t size, uint64_t va);
/* Does the atomic that a request's packet asks for. */
struct atomic_result atomic_take(struct qp *, const struct bth_packet *);

#endif
