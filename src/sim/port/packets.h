/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_PACKETS_H
#define SIM_PORT_PACKETS_H

#include <stdint.h>

/*
 * Packets for a replay or from a capture, as they are in the port and in messages: Ethernet without
 * FCS, padded to 8 bytes.
 */
struct port_packet {
	uint64_t ns; /* since 1970; replays ignore it */
	uint32_t len, pad;
};
#define PORT_PACKET_MIN 14u
#define PORT_PACKET_MAX 9216u /* [I] longest packet of the port, jumbo packets included */

static inline uint32_t port_packet_padded(uint32_t len)
{
	return (len + 7) & ~7u;
}

/* Header of captured data; packets follow it. */
struct port_captured {
	uint64_t lost; /* packets lost since the start, because the reader was too slow */
	uint32_t ended;
	uint32_t npackets;
};

/*
 * Results of replayed packets. A packet that several functions or queues got is counted at each, so
 * the sum may exceed the number of frames.
 */
struct port_results {
	uint64_t frames, bytes;
	uint64_t queued;    /* in a receive queue, with a completion */
	uint64_t no_buffer; /* no receive was posted */
	uint64_t failed;    /* longer than the receive, or its memory is gone */
	uint64_t dropped;   /* by a rule, or by a table's default */
	uint64_t missed;    /* no rule matched; on hardware the function's kernel gets them */
	uint64_t unclaimed; /* no function has the address or an RX root table */
	uint64_t lost;	    /* error in steering: hop limit, garbage in ICM */
	uint64_t transport; /* RoCE for a function's GID: the transport takes or drops it */
};

static inline void port_results_add(struct port_results *to, const struct port_results *fates)
{
	for (unsigned int i = 0; i < sizeof(*to) / sizeof(uint64_t); i++)
		((uint64_t *)to)[i] += ((const uint64_t *)fates)[i];
}

static inline void port_results_sub(struct port_results *from, const struct port_results *fates)
{
	for (unsigned int i = 0; i < sizeof(*from) / sizeof(uint64_t); i++)
		((uint64_t *)from)[i] -= ((const uint64_t *)fates)[i];
}

#endif
