/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_UD_UD_H
#define SIM_TRANSPORT_UD_UD_H

#include <stdbool.h>
#include <stdint.h>
#include <dvx/prm/wqe.h>
#include "obj/qp.h"
#include "port/roce.h"
#include "queue/services.h"
#include "transport/gsi.h"
#include "transport/sender.h"
#include "transport/transport.h"

struct ud {
	struct sender sender; /* first */
	uint32_t psn;
	/* the path of the last address vector: programs send many messages to one */
	uint8_t av[PRM_AV_BYTES];
	struct roce_path path;
	/* what its receiver on this chip finds with a message of this length, by these GIDs */
	struct ud_header {
		uint32_t len;
		uint64_t resolved;
		uint8_t grh[ROCE_GRH];
		struct recv_done done; /* what is the message's own is written for each */
	} header;
	/* the receiver */
	bool up;   /* RTR or later */
	bool recv; /* it has taken a receive entry, for the next packet that fits */
};

static inline struct ud *ud_of(const struct queue *q)
{
	return q->conn;
}

/* The message is with its receiver on this chip, without a packet; false: a packet has to go. */
bool ud_direct(struct queue *, struct send_wr *);

/* What its datagrams carry. */
static inline uint32_t ud_sqpn(const struct queue *q)
{
	return q->transport == &transport_qp1 ? GSI_QPN : q->o.id;
}

#define UD_QKEY_OWN 0x80000000u /* in a request: the QP's own Q_Key is sent [K] */
static inline uint32_t ud_qkey(const struct queue *q, const uint8_t *av)
{
	uint32_t qkey = prm_av_get_qkey(av);

	return qkey & UD_QKEY_OWN ? qp_of(q)->qkey : qkey;
}

#endif
