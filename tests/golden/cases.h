/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work requests whose bytes are compared: what libdvx writes against what libmlx5 writes, live
 * (verbs.c, on a device) and kept (wqe/NAME.hex, without one).
 */
#ifndef TESTS_GOLDEN_CASES_H
#define TESTS_GOLDEN_CASES_H

#include "tests/test.h"
#include <stdio.h>
#include <dvx/dvx.h>

#define GOLDEN_BLOCKS 16u
#define GOLDEN_BYTES  (GOLDEN_BLOCKS * DVX_BLOCK)

enum golden_kind {
	G_SEND,
	G_SEND_IMM,
	G_WRITE,
	G_WRITE_IMM,
	G_READ,
	G_DMA,
	G_NOP,
	G_RECV,
	G_SRQ_RECV,
	G_ETH,
	G_SEND_INVAL,
	G_CAS,
	G_FAA,
	G_UMR_LIST,
	G_UMR_STRIDES,
	G_BIND,
	G_UNBIND,
	G_UD_SEND,
	G_UD_SEND_IMM,
	G_SIG,
	G_TSO,
	G_DC_SEND,
	G_DC_WRITE,
	G_DC_READ,
	G_DC_CAS,
	G_DC_FAA,
	G_XRC_SEND,
	G_XRC_WRITE,
	G_XRC_READ,
	G_ETH_MULTI,
	G_ETH_VLAN,
	G_WAIT,
	G_SEND_EN,
	G_RECV_EN,
	G_RULE, /* n: which one (rules.c) */
	G_RULE_DEL,
	G_RULE_AT
};

/* Signatures and encryption of an mkey. */
struct golden_sig {
	struct dvx_sig sig;
	struct dvx_crypt crypt; /* data_unit 0: none */
};

struct golden_case {
	const char *name;
	enum golden_kind kind;
	uint32_t flags;	     /* enum dvx_post_flags, enum dvx_eth_flags */
	uint32_t inline_len; /* bytes of golden_payload, or: */
	uint32_t n;	     /* pieces of golden_pieces */
	uint32_t header;     /* bytes of a raw packet that the Ethernet segment has */
	const struct golden_sig *sig;
};

/* A WQE that a queue wrote, and what the comparison has to take from it. */
struct golden_wqe {
	uint8_t bytes[GOLDEN_BYTES];
	size_t len;
};

extern const struct golden_case golden_cases[];
extern const size_t golden_count;
extern const uint8_t golden_payload[256];
extern const struct dvx_sge golden_pieces[4];
extern const struct dvx_stride golden_columns[4];
#define GOLDEN_ROWS    0x12345u
#define GOLDEN_CASES   128u /* at most */

#define GOLDEN_RADDR   0x1122334455667788u
#define GOLDEN_RKEY    0x99aabbccu
#define GOLDEN_IMM     0xdeadbeefu
#define GOLDEN_COMPARE 0x0102030405060708u
#define GOLDEN_SWAP    0xf1f2f3f4f5f6f7f8u
#define GOLDEN_DMA_DST 0x7f1234560000u
#define GOLDEN_DMA_SRC 0x7f6543210000u
#define GOLDEN_DMA_LEN 0x10000u

/* A datagram goes to ff0e::9, whose MAC follows from it, by the GID of index 1. */
#define GOLDEN_QPN    0x123456u
#define GOLDEN_Q_KEY  0x1ee7a330u
#define GOLDEN_MAC    0x333300000009u
#define GOLDEN_TCLASS 0x20u
#define GOLDEN_HOPS   5u
#define GOLDEN_SL     3u
extern const uint8_t golden_group[16];
/* libmlx5 chooses the source port at random. */
struct dvx_ah golden_ah(uint32_t udp_sport);

/*
 * A raw packet's first bytes are read by whoever posts it. They lie at the same address in each
 * process, since the WQE has it.
 */
#define GOLDEN_TCI    0xe123u
#define GOLDEN_CQN     0x102u
#define GOLDEN_MANAGED 0x10bu /* a queue that others start */
#define GOLDEN_MSS    1460u
#define GOLDEN_DC_KEY 0x0123456789abcdefu
#define GOLDEN_SRQN   0xabcdefu
#define GOLDEN_FRAME  0x200000000000u
#define GOLDEN_FIRST  200u /* bytes of the first piece */
const uint8_t *golden_frame(void);

/* Whether it has signatures: then its mkey has room for them. */
bool golden_signs(const struct golden_case *);

/* Fields that belong to the queue or the device, not to the request. */
struct golden_given {
	uint32_t qpn;
	uint32_t key; /* of MMO, or of a list, or a datagram's source port */
	uint64_t mmo_addr;
	uint32_t psv[2], dek;
	struct dvx_sge packets[4]; /* of DPDK's memory */
};

/* Requests without a call of libmlx5: the vectors are DPDK's, or of its older kin. */
bool golden_of_dpdk(enum golden_kind);

/* rules.c: posts a rule by a request, or its deletion. */
int golden_post_rule(struct dvx_sq *, const struct golden_case *);

/* Posts the case by libdvx into a ring in plain memory. */
void golden_dvx(const struct golden_case *, const struct golden_given *, struct golden_wqe *out);

/* QPN, MMO scratch buffer and new keys are not the request's: libdvx gets libmlx5's. */
void golden_dvx_like(const struct golden_case *, const struct golden_wqe *theirs,
		     struct golden_wqe *out);

/* Fails the test with both WQEs decoded, segment by segment, unless they are the same. */
void golden_compare(const char *name, const struct golden_wqe *theirs,
		    const struct golden_wqe *ours);

/* The kernel's hex dump (print_hex_dump with offsets), `#` lines before it. */
int golden_read(const char *path, struct golden_wqe *out);
int golden_write(const char *path, const char *source, const struct golden_wqe *);

#endif
