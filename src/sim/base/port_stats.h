/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_PORT_STATS_H
#define SIM_BASE_PORT_STATS_H

#include <stdint.h>

/* Counters of the queues of one set. */
struct queue_stats {
#define QUEUE_STAT(name) uint64_t name;
#include "queue_stats.def"
#undef QUEUE_STAT
};

/*
 * Port counters that a function's kernel shows below ports/1. Programs read them at any time
 * (sysfs/sysfs.h); each is one word that only the chip writes.
 */
struct port_stats {
	/* RoCE packets and bytes with all headers, without FCS [I] */
	uint64_t xmit_packets, xmit_bytes, rcv_packets, rcv_bytes;
	uint64_t multicast_xmit_packets, multicast_rcv_packets; /* multicast packets among them */
	struct queue_stats queues; /* queues in the Q counter set of the function's driver */
	/* congestion: packets that a switch marked, and notifications of it */
	uint64_t np_ecn_marked, np_cnp_sent, rp_cnp_handled, rp_cnp_ignored;
	uint64_t rx_icrc_errors; /* of the physical port, for RoCE: rx_icrc_encapsulated */
};

#endif
