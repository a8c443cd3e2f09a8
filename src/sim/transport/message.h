/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_MESSAGE_H
#define SIM_TRANSPORT_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>
#include "bth.h"

struct qp;
struct send_wr;

/* SENDs and WRITEs, cut into packets and put together, the same in all connected transports. */

/* Sets the opcodes of a packet, or of a burst's first and last packet; npkts is set already. */
void message_opcodes(struct bth_packet *, enum bth_type, const struct send_wr *, bool first,
		     bool last);

/* The message that a responder is receiving. */
struct message {
	uint8_t in; /* op of the current message; OP_NONE: there is none */
	bool recv;  /* it has a receive entry, or one is left for the next message that needs one */
	uint64_t off, left, va;
	uint32_t rkey;
};

enum message_end {
	MESSAGE_OK,
	MESSAGE_NO_RECEIVE,  /* no receive entry is posted */
	MESSAGE_NO_PAGE,     /* an on-demand page is missing, until the message is repeated */
	MESSAGE_INVALID,     /* packets in an order or of a size that is not allowed */
	MESSAGE_FORBIDDEN,   /* the peer has no right to the memory, or it is unmapped */
	MESSAGE_RECV_FAILED, /* the receive entry's own error, a CQE's syndrome */
};
struct message_result {
	enum message_end end;
	uint8_t syndrome;
	const char *why;
};

/* Stores the data of a packet or burst, the next one in sequence. */
struct message_result message_take(struct message *, struct qp *, const struct bth_packet *,
				   uint32_t mtu);
/* Completes the receive entry, if the message needs one, after its last packet was taken. */
void message_done(struct message *, struct qp *, const struct bth_packet *);
/*
 * Cuts a burst into head, all but its last packet, and the last packet. Returns true if it did: a
 * WRITE with immediate needs its receive entry with its last packet, not before.
 */
bool message_split(struct bth_packet *, uint32_t mtu, struct bth_packet *head);

static inline uint32_t message_packets(uint64_t len, uint32_t mtu)
{
	return len <= mtu ? 1 : (uint32_t)((len + mtu - 1) / mtu);
}

#endif
