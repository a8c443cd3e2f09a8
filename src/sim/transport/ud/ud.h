/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_UD_UD_H
#define SIM_TRANSPORT_UD_UD_H

#include <stdbool.h>
#include <stdint.h>
#include <dvx/prm/wqe.h>
#include "obj/queue.h"
#include "port/roce.h"
#include "transport/sender.h"

struct bth_packet;

struct ud {
	struct sender sender; /* first */
	uint32_t psn;
	/* the path of the last address vector: programs send many messages to one */
	uint8_t av[PRM_AV_BYTES];
	struct roce_path path;
	/* what its receiver on this chip reads before a message of this length, by these GIDs */
	uint32_t grh_len;
	uint64_t grh_resolved;
	uint8_t grh[ROCE_GRH];
	/* the receiver */
	bool up;   /* RTR or later */
	bool recv; /* it has taken a receive entry, for the next packet that fits */
};

static inline struct ud *ud_of(const struct queue *q)
{
	return q->conn;
}

/* The message is with its receiver on this chip, without a packet; false: a packet has to go. */
bool ud_direct(struct queue *, struct send_wr *, const struct bth_packet *);

#endif
