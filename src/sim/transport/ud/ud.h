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
	struct sender sender; /* first member */
	uint32_t psn;
	/* the last address vector and its path: programs often send many messages to one */
	uint8_t av[PRM_AV_BYTES];
	struct roce_path path;
	/* fields of the receiver's CQE on this chip, for messages of this length and these GIDs */
	struct ud_header {
		uint32_t len;
		uint64_t resolved;
		uint8_t grh[ROCE_GRH];
		struct recv_done done; /* fields that differ by message are set for each */
	} header;
	/* the receiver */
	bool up;   /* RTR or later */
	bool recv; /* it has taken a receive entry and keeps it for the next packet that fits */
};

static inline struct ud *ud_of(const struct queue *q)
{
	return q->conn;
}

/* Delivers the message on this chip without a packet; false: a packet must go. */
bool ud_direct(struct queue *, struct send_wr *);

/* Returns the source QP number for its datagrams. */
static inline uint32_t ud_sqpn(const struct queue *q)
{
	return q->transport == &transport_qp1 ? GSI_QPN : q->o.id;
}

#define UD_QKEY_OWN 0x80000000u /* if set in a request, the QP's own Q_Key is sent [K] */
static inline uint32_t ud_qkey(const struct queue *q, const uint8_t *av)
{
	uint32_t qkey = prm_av_get_qkey(av);

	return qkey & UD_QKEY_OWN ? qp_of(q)->qkey : qkey;
}

#endif
