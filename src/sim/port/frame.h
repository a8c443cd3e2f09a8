/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_FRAME_H
#define SIM_BASE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What travels between functions and over wires. hdr holds the transport headers (BTH onward) in
 * network order; the addresses, which a real wire puts into Ethernet, IP and UDP headers, stand
 * beside it. Nobody pads the payload: BTH.pad says what a real wire would add.
 *
 * A frame stands for npkts packets of one message in a row, so that a long message costs few
 * copies: hdr is the first packet's, last_opcode the last one's, PSNs are consecutive, each packet
 * but the last carries mtu bytes; AckReq and ImmDt belong to the last. Where somebody observes
 * packets (a hook, a capture), senders make frames of one packet.
 *
 * A raw frame (hdr_len 0) is an Ethernet packet without FCS in data; steering's tables decide who
 * gets it.
 */
#define FRAME_HDR 44u /* BTH 12, RETH 16, AtomicETH would be 28, ImmDt 4 */

struct frame_pool;

struct frame {
	struct frame *next;
	struct frame_pool *pool;
	uint8_t from;     /* function that sent it */
	bool loopback;    /* forced: back to `from`, whatever dgid says */
	bool has_icrc;    /* somebody looks at the wire, or may damage what is on it */
	bool roce_v1;     /* GRH behind Ethernet, without IP and UDP */
	bool raw;
	bool replayed;    /* raw, and from outside: of no function of this chip */
	uint8_t last_opcode;
	uint16_t npkts;
	uint16_t mtu;
	uint16_t hdr_len;
	uint16_t udp_sport;
	uint8_t tclass, hop_limit;
	uint8_t sgid[16], dgid[16];
	uint8_t smac[6], dmac[6];
	uint32_t icrc;
	uint32_t len, room; /* payload bytes, and how many fit */
	uint8_t hdr[FRAME_HDR];
	uint8_t data[];
};

/* Frames are reused: a pool per chip. NULL: out of memory. */
struct frame_pool *frame_pool_new(void);
void frame_pool_free(struct frame_pool *); /* frames still out are freed when they come back */
struct frame *frame_new(struct frame_pool *, size_t room);
struct frame *frame_copy(const struct frame *);
void frame_free(struct frame *);

#endif
