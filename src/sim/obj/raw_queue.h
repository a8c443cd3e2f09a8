/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_RAW_QUEUE_H
#define SIM_OBJ_RAW_QUEUE_H

#include "pace.h"
#include "queue.h"
#include "base/clock.h"

struct send_wr;

/* Queues of raw packets: OBJ_SQ, OBJ_RQ. */
struct raw_sq {
	struct queue q;
	struct sq sq;
	uint8_t min_inline; /* sqc.min_wqe_inline_mode */
	/* after a packet with a long walk: this many packets are sent one by one */
	uint8_t slow;
	uint8_t pp_rate;    /* row of vhca.pp_rates; 0: no limit */
	struct pace pace;
	struct timer held;     /* fires when the next packet may be sent, while sq.held is set */
	struct send_wr *large; /* large send in progress; NULL: none */
};

struct raw_rq {
	struct queue q;
	struct rq rq;
	bool strip_vlan; /* rqc.vsd is clear */
};

#endif
