/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_PORT_STATS_H
#define SIM_BASE_PORT_STATS_H

#include <stdint.h>

/*
 * Port counters that a function's kernel shows below ports/1. Programs read them at any time
 * (preload/sysfs.h); each is one word, which only the chip writes.
 */
struct port_stats {
	/* RoCE packets and their bytes, all headers among them, without FCS [I] */
	uint64_t xmit_packets, xmit_bytes, rcv_packets, rcv_bytes;
	uint64_t multicast_xmit_packets, multicast_rcv_packets; /* of those */
	/* of queues, as mlx5's Q counters */
	uint64_t rx_write_requests, rx_read_requests, rx_atomic_requests, out_of_buffer;
	uint64_t out_of_sequence, duplicate_request, rnr_nak_retry_err, packet_seq_err,
		implied_nak_seq_err;
	uint64_t local_ack_timeout_err;
	/* congestion: packets that a switch marked, notifications of it */
	uint64_t np_ecn_marked, np_cnp_sent, rp_cnp_handled, rp_cnp_ignored;
	uint64_t rx_icrc_errors; /* of the physical port, for RoCE: rx_icrc_encapsulated */
};

#endif
