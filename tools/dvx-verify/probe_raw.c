/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw send queues: only requests that must fail. A device that executes one of them sends a frame
 * from the port's address to the same address, which a switch does not forward.
 */
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/wqe.h>
#include "verify.h"

/* Writes the addresses of a frame from the port to itself. */
static void raw_addresses(struct bench *b, uint8_t frame[12])
{
	struct dvx_qp_peer self = {.size = sizeof(self), .qpn = 1};
	struct dvx_qp_local local;
	struct dvx_ah ah;

	NEED(dvx_qp_local_init(b->dev, 1, &local));
	NEED(dvx_dev_gid(b->dev, 1, local.gid_index, self.gid));
	NEED(dvx_ah_init(b->dev, &local, &self, &ah));
	prm_store16(frame, 0, (uint16_t)(prm_av_get_rmac(ah.av) >> 32));
	prm_store32(frame, 2, (uint32_t)prm_av_get_rmac(ah.av));
	memcpy(frame + 6, frame, 6);
}

/* Posts a frame of `len` bytes, zeros behind its addresses, which is spoilt before its doorbell. */
static void raw_fails(struct bench *b, uint32_t len, void (*spoil)(uint8_t *wqe), uint8_t syndrome,
		      const char *what)
{
	struct dvx_sge s = {b->addr, len, b->key};
	struct dvx_txq *txq;
	struct dvx_cq *cq;

	raw_addresses(b, b->buf);
	bench_txq_make(b, &cq, &txq);
	NEED(dvx_post_eth(dvx_txq_ring(txq), NULL, 0, &s, 1, 1, DVX_SIGNALED));
	if (spoil)
		spoil(dvx_sq_last(dvx_txq_ring(txq)));
	dvx_sq_ring(dvx_txq_ring(txq));
	bench_expect_error(cq, syndrome, what);
}

void probe_raw_measure(struct bench *b)
{
	raw_fails(b, 13, NULL, PRM_SYNDROME_LOCAL_LENGTH_ERR, "a frame of 13 bytes");
	raw_fails(b, 9217, NULL, PRM_SYNDROME_LOCAL_LENGTH_ERR, "a frame of 9217 bytes");
}

static void raw_set_mss(uint8_t *wqe)
{
	prm_wqe_eth_seg_set_mss(wqe + DVX_SEG, 100);
}

static void raw_long_header(uint8_t *wqe)
{
	prm_wqe_eth_seg_set_inline_hdr_sz(wqe + DVX_SEG, 200);
}

void probe_parse_eth(struct bench *b)
{
	raw_fails(b, 60, raw_set_mss, PRM_SYNDROME_LOCAL_QP_OP_ERR, "mss in a SEND");
	raw_fails(b, 60, raw_long_header, PRM_SYNDROME_LOCAL_QP_OP_ERR, "inline_hdr_sz past ds");
}

/* ---- large sends ---- */

#define RAW_HEADERS (14u + 20 + 20) /* Ethernet, IPv4, TCP */

/* Writes headers of a TCP segment. */
static void raw_headers(struct bench *b, uint8_t *h)
{
	memset(h, 0, RAW_HEADERS);
	raw_addresses(b, h);
	h[12] = 0x08;
	h[14] = 0x45;
	h[16] = 0x05;
	h[22] = 64;
	h[23] = 6;
	h[RAW_HEADERS - 8] = 0x50;
}

/* A large send with these headers, that is spoilt before its doorbell. */
struct raw_large {
	uint8_t headers[RAW_HEADERS];
	uint32_t inlined, bytes;
	uint16_t mss;
};

static struct raw_large raw_large_good(struct bench *b)
{
	struct raw_large l = {.inlined = RAW_HEADERS, .bytes = 200, .mss = 100};

	raw_headers(b, l.headers);
	return l;
}

static void raw_large_fails(struct bench *b, const struct raw_large *l, void (*spoil)(uint8_t *wqe),
			    uint8_t syndrome, const char *what)
{
	struct dvx_sge s = {b->addr, l->bytes, b->key};
	struct dvx_txq *txq;
	struct dvx_cq *cq;

	bench_txq_make(b, &cq, &txq);
	if (!dvx_txq_tso(txq))
		conclude(VERDICT_OPEN, "the device has no large sends (max_lso_cap)");
	NEED(dvx_post_eth_tso(dvx_txq_ring(txq), l->headers, l->inlined, l->mss, &s, 1, 1,
			      DVX_SIGNALED));
	if (spoil)
		spoil(dvx_sq_last(dvx_txq_ring(txq)));
	dvx_sq_ring(dvx_txq_ring(txq));
	bench_expect_error(cq, syndrome, what);
}

static void raw_no_mss(uint8_t *wqe)
{
	prm_wqe_eth_seg_set_mss(wqe + DVX_SEG, 0);
}

static void raw_insert_vlan(uint8_t *wqe)
{
	uint32_t size = (uint32_t)prm_wqe_eth_seg_get_inline_hdr_sz(wqe + DVX_SEG);

	prm_wqe_eth_seg_set_inline_hdr_sz(wqe + DVX_SEG, size | 0x8000);
}

static uint32_t raw_most(struct bench *b)
{
	struct dvx_txq *txq;
	struct dvx_cq *cq;

	bench_txq_make(b, &cq, &txq);
	return dvx_txq_tso(txq);
}

void probe_lso_headers(struct bench *b)
{
	const uint8_t bad = PRM_SYNDROME_LOCAL_QP_OP_ERR, length = PRM_SYNDROME_LOCAL_LENGTH_ERR;
	struct raw_large l = raw_large_good(b);

	raw_large_fails(b, &l, raw_no_mss, bad, "a large send with mss 0");
	raw_large_fails(b, &l, raw_insert_vlan, bad, "a large send that inserts a VLAN tag");
	l.inlined -= 4;
	raw_large_fails(b, &l, NULL, bad, "a large send whose headers end inside TCP's");
	l = raw_large_good(b);
	l.headers[13] = 0x06;
	raw_large_fails(b, &l, NULL, bad, "a large send of ARP");
	l = raw_large_good(b);
	l.headers[21] = 1;
	raw_large_fails(b, &l, NULL, bad, "a large send of a fragment");
	l = raw_large_good(b);
	l.mss = 9216;
	raw_large_fails(b, &l, NULL, length, "a large send of packets of 9270 bytes");
	l = raw_large_good(b);
	l.mss = 1000;
	l.bytes = raw_most(b) + 1;
	if (l.bytes <= BENCH_BYTES)
		raw_large_fails(b, &l, NULL, length, "a large send above max_lso_cap");
}

static void raw_inner(uint8_t *wqe)
{
	prm_wqe_eth_seg_set_cs_flags(wqe + DVX_SEG, PRM_ETH_CS_FLAG_L4_INNER_CSUM);
}

void probe_inner_checksums(struct bench *b)
{
	const void *caps;

	NEED(dvx_dev_cap_page(b->dev, PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, &caps));
	if (prm_per_protocol_networking_offload_caps_get_tunnel_stateless_vxlan(caps) ||
	    prm_per_protocol_networking_offload_caps_get_tunnel_stateless_gre(caps))
		conclude(VERDICT_OPEN, "the device has inner checksums (tunnel_stateless_*)");
	raw_fails(b, 60, raw_inner, PRM_SYNDROME_LOCAL_QP_OP_ERR, "inner checksums");
}

void probe_aso_of_no_object(struct bench *b)
{
	struct dvx_txq *txq;
	struct dvx_cq *cq;

	bench_txq_make(b, &cq, &txq);
	bench_post_empty(dvx_txq_ring(txq), PRM_WQE_OPCODE_ACCESS_ASO, PRM_ASO_OPMOD_FLOW_METER, 4,
			 0x7ffff0);
	bench_expect_error(cq, PRM_SYNDROME_LOCAL_QP_OP_ERR, "ACCESS_ASO of no object");
}
