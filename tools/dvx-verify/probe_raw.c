/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw send queues: only requests that must fail, so that no frame leaves the port. */
#include "verify.h"

static void raw_make(struct bench *b, struct dvx_cq **cq, struct dvx_txq **txq)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 64, .uar = b->uar};
	struct dvx_txq_attr ta = {.size = sizeof(ta), .pd = b->pd, .uar = b->uar, .sq_blocks = 64};

	NEED(dvx_cq_create(b->dev, &ca, cq));
	ta.cq = *cq;
	NEED(dvx_txq_create(b->dev, &ta, txq));
}

/* Posts a frame of `len` bytes of zeros, which is spoilt before its doorbell. */
static void raw_fails(struct bench *b, uint32_t len, void (*spoil)(uint8_t *wqe), uint8_t syndrome,
		      const char *what)
{
	struct dvx_sge s = {b->addr, len, b->key};
	struct dvx_txq *txq;
	struct dvx_cq *cq;

	raw_make(b, &cq, &txq);
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
