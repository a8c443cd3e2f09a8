/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_PACKETS_H
#define SIM_PORT_PACKETS_H

#include <stdint.h>

/*
 * Packets on their way into a replay or out of a capture, as the port has them and as they stand in
 * messages: each is Ethernet without FCS, padded to 8 bytes.
 */
struct port_packet {
	uint64_t ns; /* since 1970; a replay ignores it */
	uint32_t len, pad;
};
#define PORT_PACKET_MIN 14u
#define PORT_PACKET_MAX 9216u /* [I] what the port takes, jumbo packets included */

static inline uint32_t port_packet_padded(uint32_t len)
{
	return (len + 7) & ~7u;
}

/* What a capture hands over: packets follow. */
struct port_captured {
	uint64_t lost; /* since the start: the reader was too slow */
	uint32_t ended;
	uint32_t npackets;
};

/*
 * What became of packets that were replayed. One that several functions or queues got is counted
 * at each, so these may be more than frames.
 */
struct port_fates {
	uint64_t frames, bytes;
	uint64_t queued;    /* in a receive queue, with its completion */
	uint64_t no_buffer; /* for a queue in which no receive was posted */
	uint64_t failed;    /* longer than the receive, or its memory is gone */
	uint64_t dropped;   /* by a rule, or by a table's default */
	uint64_t missed;    /* no rule took it: hardware's function would hand it to its kernel */
	uint64_t unclaimed; /* no function has its address or an RX root table */
	uint64_t lost;	    /* steering went wrong: hop limit, garbage in ICM */
	uint64_t transport; /* RoCE, for a GID of a function's: its transport takes or drops it */
};

static inline void port_fates_add(struct port_fates *to, const struct port_fates *fates)
{
	for (unsigned int i = 0; i < sizeof(*to) / sizeof(uint64_t); i++)
		((uint64_t *)to)[i] += ((const uint64_t *)fates)[i];
}

static inline void port_fates_sub(struct port_fates *from, const struct port_fates *fates)
{
	for (unsigned int i = 0; i < sizeof(*from) / sizeof(uint64_t); i++)
		((uint64_t *)from)[i] -= ((const uint64_t *)fates)[i];
}

#endif
