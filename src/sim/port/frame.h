/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_FRAME_H
#define SIM_PORT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What travels between functions, wires, captures and replays: an Ethernet frame, its bytes without
 * FCS in data.
 *
 * Within the chip, and while nobody observes the port, a RoCE message may stay a descriptor instead
 * (burst.npkts > 0): data holds the payload of npkts packets in a row, so that a long message costs
 * few copies. burst.hdr is the first packet's transport headers in network order; PSNs are
 * consecutive; each packet but the last carries mtu bytes; AckReq and ImmDt belong to the last.
 */
#define FRAME_HDR 76u /* BTH 12, DC's header 16 and the longest behind it, a masked atomic's 48 */

struct frame_pool;
struct gid_entry;
struct vhca;

struct frame {
	struct frame *next;
	struct frame_pool *pool;
	struct vhca *to;    /* who gets it; NULL: its bytes say */
	uint32_t len, room; /* of data */
	bool forced;	    /* loopback: `to` is its sender, whatever its addresses say */
	bool icrc_good;	    /* a RoCE packet of this chip's that nobody could damage */
	bool injected;	    /* of a replay: what becomes of it is counted apart */
	bool arrived;	    /* from the other side of the wire */
	uint64_t due;	    /* of a frame that is delayed */
	struct {
		uint16_t npkts, mtu, hdr_len;
		uint8_t last_opcode; /* the last packet's */
		uint16_t tci;	     /* of a datagram's VLAN tag; 0: none */
		uint32_t octets;     /* of all packets on a wire, without FCS */
		const struct gid_entry *source;
		uint8_t hdr[FRAME_HDR];
	} burst;
	uint8_t grh[40]; /* of a descriptor that is a datagram: roce_describe_grh() */
	uint8_t data[];
};

/* How many packets of a wire it stands for. */
static inline uint32_t frame_packets(const struct frame *frame)
{
	return frame->burst.npkts ? frame->burst.npkts : 1;
}

/* Frames are reused: a pool per chip. NULL: out of memory. */
struct frame_pool *frame_pool_new(void);
void frame_pool_free(struct frame_pool *); /* frames still out are freed when they come back */
struct frame *frame_new(struct frame_pool *, size_t room);
struct frame *frame_copy(const struct frame *);
void frame_free(struct frame *);

#endif
