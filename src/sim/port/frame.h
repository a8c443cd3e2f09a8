/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PORT_FRAME_H
#define SIM_PORT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A frame between functions, wires, captures and replays: Ethernet, with its bytes without FCS in
 * data.
 *
 * Within the chip, and while the port is not observed, a RoCE message may stay a descriptor instead
 * (burst.npkts > 0): data holds the payload of npkts packets in a row, so that a long message costs
 * few copies. burst.hdr is the first packet's transport headers in network order; PSNs are
 * consecutive; each packet but the last carries mtu bytes; AckReq and ImmDt belong to the last.
 */
/* BTH 12, DC's header 16 and the longest one behind it, a masked atomic's 48 */
#define FRAME_HDR	76u
#define FRAME_REGISTERS 2u

struct frame_pool;
struct gid_entry;
struct vhca;

struct frame {
	struct frame *next;
	struct frame_pool *pool;
	struct vhca *to;    /* destination; NULL: the bytes decide */
	struct vhca *from;  /* of a switched frame: its sender; NULL: the wire */
	uint32_t len, room; /* of data */
	bool forced;	    /* loopback: goes back to its sender `to`, whatever its addresses are */
	bool icrc_good;	    /* a RoCE packet of this chip that cannot have been damaged */
	bool injected;	    /* of a replay: its result is counted separately */
	bool arrived;	    /* came by the wire */
	bool switched; /* the FDB decided: it goes to `to`, or beyond the wire if that is NULL */
	uint32_t reg_c[FRAME_REGISTERS]; /* of a switched frame: registers c_0 and c_1 */
	uint64_t due;	    /* time of delivery, of a delayed frame */
	struct {
		uint16_t npkts, mtu, hdr_len;
		uint8_t last_opcode; /* opcode of the last packet */
		uint16_t tci;	     /* VLAN tag of a datagram; 0: none */
		uint32_t octets;     /* of all packets on a wire, without FCS */
		const struct gid_entry *source;
		uint8_t hdr[FRAME_HDR];
	} burst;
	uint8_t grh[40]; /* of a datagram's descriptor: roce_describe_grh() */
	uint8_t data[];
};

/* Returns the number of packets on a wire that a frame stands for. */
static inline uint32_t frame_packets(const struct frame *frame)
{
	return frame->burst.npkts ? frame->burst.npkts : 1;
}

/* Returns a pool, by which a chip reuses its frames; NULL: out of memory. */
struct frame_pool *frame_pool_new(void);
void frame_pool_free(struct frame_pool *); /* frames in use are freed when they are returned */
struct frame *frame_new(struct frame_pool *, size_t room);
struct frame *frame_copy(const struct frame *);
void frame_free(struct frame *);

#endif
