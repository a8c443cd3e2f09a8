/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_MESSAGE_H
#define SIM_TRANSPORT_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>
#include "bth.h"

struct qp;
struct send_wr;

/* SENDs and WRITEs, cut into packets and put together again: alike in all connected transports. */

/* Opcodes for a packet, or for a burst's first and last one: npkts is set. */
void message_opcodes(struct bth_packet *, enum bth_type, const struct send_wr *, bool first,
		     bool last);

/* The message that a responder receives. */
struct message {
	uint8_t in; /* op of the one that has begun; OP_NONE: none has */
	bool recv;  /* it has a receive entry */
	uint64_t off, left, va;
	uint32_t rkey;
};

enum message_end {
	MESSAGE_OK,
	MESSAGE_NO_RECEIVE,  /* no receive is posted */
	MESSAGE_NO_PAGE,     /* of a region on demand; it is there when the message comes again */
	MESSAGE_INVALID,     /* it breaks the rules of packets */
	MESSAGE_FORBIDDEN,   /* the peer may not access that memory, or it is gone */
	MESSAGE_RECV_FAILED, /* the receive entry's own error, a CQE's syndrome */
};
struct message_result {
	enum message_end end;
	uint8_t syndrome;
	const char *why;
};

/* Takes what a packet or a burst brings; it is the next in sequence. */
struct message_result message_take(struct message *, struct qp *, const struct bth_packet *,
				   uint32_t mtu);
/* After a packet that ends it was taken: the receive entry's CQE, if it has one. */
void message_done(struct message *, struct qp *, const struct bth_packet *);
/*
 * A WRITE with immediate needs its receive entry with its last packet, not before. True: the burst
 * is cut into head, everything but its last packet, and that one.
 */
bool message_split(struct bth_packet *, uint32_t mtu, struct bth_packet *head);

static inline uint32_t message_packets(uint64_t len, uint32_t mtu)
{
	return len <= mtu ? 1 : (uint32_t)((len + mtu - 1) / mtu);
}

#endif
