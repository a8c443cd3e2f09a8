/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_TRANSPORT_BTH_H
#define SIM_TRANSPORT_BTH_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "base/drops.h"
#include "port/frame.h"
#include "port/roce.h"

/*
 * InfiniBand transport headers (IBTA vol. 1, chapter 9) in network order, at BTH + 0. BTH.opcode is
 * a transport in bits 7:5 and an operation in bits 4:0, the same for all transports.
 */
#define BTH_TYPE(opcode) ((opcode) >> 5)
enum bth_type { BTH_RC = 0, BTH_UC = 1, BTH_DC = 2 /* [I] RD's number */, BTH_UD = 3, BTH_XRC = 5 };
enum bth_operation {
	BTH_SEND_FIRST = 0x00,
	BTH_SEND_MIDDLE = 0x01,
	BTH_SEND_LAST = 0x02,
	BTH_SEND_LAST_IMM = 0x03,
	BTH_SEND_ONLY = 0x04,
	BTH_SEND_ONLY_IMM = 0x05,
	BTH_WRITE_FIRST = 0x06,
	BTH_WRITE_MIDDLE = 0x07,
	BTH_WRITE_LAST = 0x08,
	BTH_WRITE_LAST_IMM = 0x09,
	BTH_WRITE_ONLY = 0x0a,
	BTH_WRITE_ONLY_IMM = 0x0b,
	BTH_READ_REQUEST = 0x0c,
	BTH_READ_RESP_FIRST = 0x0d,
	BTH_READ_RESP_MIDDLE = 0x0e,
	BTH_READ_RESP_LAST = 0x0f,
	BTH_READ_RESP_ONLY = 0x10,
	BTH_ACKNOWLEDGE = 0x11,
	BTH_ATOMIC_ACK = 0x12,
	BTH_COMPARE_SWAP = 0x13,
	BTH_FETCH_ADD = 0x14,
	BTH_SEND_LAST_INV = 0x16,
	BTH_SEND_ONLY_INV = 0x17,
	/* [I] Reserved numbers: the real encoding of masked atomics is not public. */
	BTH_MASKED_CS = 0x1c,
	BTH_MASKED_FA = 0x1d,
	BTH_DISCONNECT = 0x1e, /* [I] of DC */
	BTH_OPS = 0x20,
};

#define BTH_LEN 12u
#define RETH_LEN 16u
#define DETH_LEN 8u /* in all packets of UD */
/* [I] DC's: access key, channel, source queue pair, connection. The real header is not public. */
#define DCETH_LEN      16u
#define XRCETH_LEN     4u /* in all requests of XRC, right behind BTH (annex A14) */
#define AETH_LEN       4u
#define IMM_LEN 4u
#define ATOMIC_ETH_LEN 28u
#define MASKED_ETH_LEN 48u /* [I] AtomicETH, mask, compare mask, size */
#define ATOMIC_ACK_LEN 8u
#define PKEY_DEFAULT 0xffffu
#define PSN_MASK 0xffffffu
#define MSG_MAX (1ull << 31)

/* AETH syndromes: the kind in bits 6:5, its value in bits 4:0. */
#define AETH_ACK      0x1fu /* no credit count: dvx-sim has no end-to-end flow control */
#define AETH_RNR 0x20u
#define AETH_NAK 0x60u
#define AETH_KIND(s) ((s) & 0x60u)
#define NAK_PSN 0u
#define NAK_INVALID 1u
#define NAK_ACCESS 2u
#define NAK_OPERATION 3u
#define NAK_NONE      31u /* no NAK is sent */

/* An opcode as the state machines see it. */
struct bth_row {
	uint8_t op; /* enum bth_op */
	bool starts, ends, reth, aeth, imm;
	bool inv;	/* ImmDt's place holds IETH: the rkey to invalidate */
	uint8_t atomic; /* bytes of AtomicETH, or of AtomicAckETH */
};
enum bth_op {
	OP_NONE,
	OP_SEND,
	OP_WRITE,
	OP_READ_REQUEST,
	OP_READ_RESP,
	OP_ACK,
	OP_ATOMIC,
	OP_ATOMIC_ACK,
	OP_DISCONNECT,
};
extern const struct bth_row bth_rows[BTH_OPS];

static inline const struct bth_row *bth_row(uint8_t opcode)
{
	return &bth_rows[opcode % BTH_OPS];
}

/* The parsed headers of one frame. */
struct bth_packet {
	uint8_t opcode;
	uint8_t last_opcode;
	uint8_t op;
	bool starts, ends, solicited, ack_req;
	uint8_t pad;
	uint32_t dqpn, psn, npkts;
	uint64_t va;
	uint32_t rkey, dma_len;
	uint8_t syndrome;
	uint32_t msn;
	uint32_t imm;	       /* as it is in the packet */
	const uint8_t *atomic; /* atomic headers as they are in the packet; see atomic.h */
	uint32_t qkey, sqpn; /* DETH */
	uint32_t srqn;	     /* XRCETH */
	uint64_t dc_key;     /* DC: in requests */
	uint32_t connection; /* DC, like channel and sqpn */
	uint8_t channel;
	const uint8_t *data;
	uint32_t len;
	uint32_t mtu;			/* the MTU that a burst was cut for */
	const struct roce_packet *roce; /* the headers before BTH, or NULL if unknown */
};

/* Returns whether this is a request of XRC, which has an XRCETH. */
bool bth_has_xrceth(uint8_t opcode);
/* Parses a packet. Returns a reason to drop bytes that are no packet for this device. */
enum drop bth_parse(struct bth_packet *, const struct roce_packet *);
/* Writes the headers into the frame; AckReq, pad and the rest come from the packet. */
void bth_build(const struct bth_packet *, struct frame *);

/* Returns the distance between PSNs, -2^23 .. 2^23 - 1. */
static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static inline uint32_t psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & PSN_MASK;
}

/* Returns whether a burst was cut for this MTU. The length of a single packet shows whether it was. */
static inline bool bth_cut_for(const struct bth_packet *p, uint32_t mtu)
{
	return p->npkts == 1 || p->mtu == mtu;
}

/* Drops the first n packets of a burst, which were received before. */
static inline void bth_skip(struct bth_packet *p, uint32_t n, uint32_t mtu)
{
	p->psn = psn_add(p->psn, n);
	p->npkts -= n;
	p->data += (size_t)n * mtu;
	p->len -= n * mtu;
	p->starts = false;
}

static inline void bth_put32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, 4);
}

static inline uint32_t bth_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return be32toh(v);
}

#endif
