/* SPDX-License-Identifier: BSD-2-Clause */
/* Transports: what fails at the sender, at the receiver, and what stays usable. */
#include <dvx/prm/qp.h>
#include "verify.h"

/* Waits until this end's doorbell has had its effect: a NOP behind the others completes. */
static void transport_send(struct bench_pair *p, uint32_t len)
{
	static const uint8_t data[64];

	NEED(dvx_post_send_inline(p->sq, data, len, 1, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	bench_need_done(p->cq[0], "a SEND");
}

void probe_uc(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UC);

	NEED(dvx_post_send_inval_inline(p.sq, b->key, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_QP_OP_ERR, "SEND_INVAL on UC");
}

void probe_uc_2(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UC);

	bench_receive(&p, (struct dvx_sge){b->addr, 16, b->key});
	transport_send(&p, 64);
	bench_expect_none(p.cq[1], "64 bytes for a receive of 16");
	transport_send(&p, 8);
	bench_expect_done(p.cq[1], "8 bytes after a message that was dropped");
	bench_receive(&p, (struct dvx_sge){b->addr, 16, 0xbad00});
	transport_send(&p, 8);
	bench_expect_error(p.cq[1], PRM_SYNDROME_LOCAL_PROT_ERR, "a receive with a wrong key");
}

void probe_dvx_qp_sqerr_to_rts(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UC);
	struct dvx_sge bad = {b->addr, 64, 0xbad00};
	struct dvx_wc wc;
	uint8_t state;
	int n;

	NEED(dvx_post_write(p.sq, b->addr, b->key, &bad, 1, 1, 0));
	NEED(dvx_post_nop(p.sq, 2, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	for (int i = 0; i < 2; i++) {
		EXPECT(bench_wait(p.cq[0]), "completion %d of 2 did not come", i + 1);
		n = dvx_cq_poll(p.cq[0], &wc);
		EXPECT(n == -EIO, "completion %d is not an error", i + 1);
	}
	NEED(dvx_qp_query_state(p.qp[0], &state));
	EXPECT(state == PRM_QP_STATE_SQER, "the state is %u after a bad key, not SQER", state);
	n = dvx_qp_sqerr_to_rts(p.qp[0]);
	EXPECT(!n, "SQERR2RTS_QP: %s", dvx_strerror(n));
	NEED(dvx_post_nop(p.sq, 3, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_done(p.cq[0], "a NOP after SQERR2RTS_QP");
}

/* Fails a request at a peer that grants nothing. */
static void transport_forbidden(struct bench *b, uint8_t opcode, struct dvx_to to, const char *what)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_sge s = {b->addr, 8, b->key};

	p.access = 0;
	bench_pair_make(b, &p);
	NEED(dvx_post_gather(p.sq, opcode, 0, to, &s, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_REMOTE_ACCESS_ERR, what);
}

void probe_message(struct bench *b)
{
	struct dvx_to to = dvx_to_memory(dvx_to_peer(), b->addr + 4096, b->key);

	transport_forbidden(b, PRM_WQE_OPCODE_RDMA_READ, to, "a READ with rre clear");
	transport_forbidden(b, PRM_WQE_OPCODE_RDMA_WRITE, to, "a WRITE with rwe clear");
	transport_forbidden(b, PRM_WQE_OPCODE_ATOMIC_FA, dvx_to_operands(to, 1, 0),
			    "an atomic with rae clear");
}

void probe_rc_resp_forbid(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_RC);

	bench_receive(&p, (struct dvx_sge){b->addr, 64, b->key});
	NEED(dvx_post_write_imm_inline(p.sq, 7, b->addr, 0xbad00, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_REMOTE_ACCESS_ERR, "WRITE_IMM with a bad rkey");
	bench_expect_error(p.cq[1], PRM_SYNDROME_LOCAL_ACCESS_ERR,
			   "the receive of WRITE_IMM with a bad rkey");
}

/* The requester's retries end soon. */
void probe_nak_of_receive(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);

	p.local.retry_count = 1;
	p.local.ack_timeout = 8;
	bench_pair_make(b, &p);
	bench_receive(&p, (struct dvx_sge){b->addr, 64, b->key});
	NEED(dvx_post_send_inval_inline(p.sq, b->key, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[1], PRM_SYNDROME_REMOTE_INVAL_REQ_ERR,
			   "a receive of SEND_INVAL with a region's key");
	bench_expect_error(p.cq[0], PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR,
			   "SEND_INVAL with a region's key");
}

void probe_dvx_rq_repost(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_RC);

	bench_receive(&p, (struct dvx_sge){b->addr + 4096, 64, b->key});
	for (uint8_t i = 0; i < 20; i++) { /* more than the ring's entries */
		NEED(dvx_post_send_inline(p.sq, &i, 1, 1, DVX_SIGNALED));
		dvx_sq_ring(p.sq);
		bench_need_done(p.cq[0], "a SEND");
		dvx_sq_retire(p.sq, p.sq->pi - 1);
		bench_expect_done(p.cq[1], "a receive that was posted again");
		dvx_rq_retire(p.rq);
		if (i < dvx_rq_free(p.rq))
			EXPECT(b->buf[4096] == i, "message %u did not reach the first receive", i);
		if (i + 1u < dvx_rq_free(p.rq))
			bench_receive(&p, (struct dvx_sge){b->addr + 4096, 64, b->key});
		else
			NEED(dvx_rq_repost(p.rq));
		dvx_rq_ring(p.rq);
	}
}

/* ---- requests that a queue does not have ---- */

void probe_uc_mmo(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_UC);

	bench_copy_fails(b, p.sq, p.cq[0], "a copy (MMO) on UC");
}

void probe_rules_on_rc(struct bench *b)
{
	struct bench_pair p = bench_pair_of(b, DVX_QP_RC);

	bench_post_empty(p.sq, PRM_WQE_OPCODE_FLOW_TBL_ACCESS, 0, 8, 0);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_QP_OP_ERR,
			   "FLOW_TBL_ACCESS of an entry on an RC queue");
}

/* Small, so that the copy is done first if it is not ordered. */
void probe_copies_complete_in_order(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_sge from = {b->addr, BENCH_BYTES / 2, b->key};

	p.flags = DVX_QP_MMO;
	if (!dvx_dev_caps(b->dev)->dma_mmo)
		conclude(VERDICT_OPEN, "the device has no DMA engine (dma_mmo)");
	bench_pair_make(b, &p);
	for (int i = 0; i < 8; i++)
		NEED(dvx_post_write(p.sq, b->addr + BENCH_BYTES / 2, b->key, &from, 1, 1, 0));
	NEED(dvx_post_nop(p.sq, 1, DVX_SIGNALED));
	NEED(dvx_post_write(p.sq, b->addr + BENCH_BYTES / 2, b->key, &from, 1, 1, DVX_SIGNALED));
	NEED(dvx_post_dma(p.sq, b->addr, b->key, b->addr + 64, b->key, 64, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	for (uint32_t i = 8; i < 11; i++) {
		const void *cqe = bench_wait(p.cq[0]);

		EXPECT(!cqe || dvx_cqe_wqe_index(cqe) == i,
		       "WQE %u completed in the turn of WQE %u", dvx_cqe_wqe_index(cqe), i);
		bench_expect_done(p.cq[0], "a WRITE, and a copy behind it");
	}
}

/* ---- vendor syndromes ---- */

/* The bytes that the tables of dvx name, with the syndromes that they were seen with. */
static const struct {
	uint8_t vendor, syndrome;
} transport_vendors[] = {
	{PRM_VENDOR_SYNDROME_LOCAL_PROT_2, PRM_SYNDROME_LOCAL_PROT_ERR},
	{PRM_VENDOR_SYNDROME_LOCAL_PROT, PRM_SYNDROME_LOCAL_PROT_ERR},
	{PRM_VENDOR_SYNDROME_LOCAL_PROT_3, PRM_SYNDROME_LOCAL_PROT_ERR},
	{PRM_VENDOR_SYNDROME_LOCAL_PROT_4, PRM_SYNDROME_LOCAL_PROT_ERR},
	{PRM_VENDOR_SYNDROME_LOCAL_PROT_5, PRM_SYNDROME_LOCAL_PROT_ERR},
	{PRM_VENDOR_SYNDROME_MW_BIND, PRM_SYNDROME_MW_BIND_ERR},
	{PRM_VENDOR_SYNDROME_RETRY_EXCEEDED, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR},
	{PRM_VENDOR_SYNDROME_RNR_RETRY_EXCEEDED, PRM_SYNDROME_RNR_RETRY_EXC_ERR},
	{PRM_VENDOR_SYNDROME_REMOTE_ACCESS, PRM_SYNDROME_REMOTE_ACCESS_ERR},
	{PRM_VENDOR_SYNDROME_REMOTE_OP, PRM_SYNDROME_REMOTE_OP_ERR},
	{PRM_VENDOR_SYNDROME_REMOTE_INVAL_REQ, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR},
	{PRM_VENDOR_SYNDROME_FLUSHED, PRM_SYNDROME_WR_FLUSH_ERR},
};

/* Takes an error CQE. Returns whether its vendor byte is one of the table. */
static bool transport_vendor(struct dvx_cq *cq, const char *what)
{
	const void *cqe = bench_wait(cq);
	struct dvx_cqe_failure why;
	bool named = false;

	if (!cqe || !dvx_cqe_is_error(cqe))
		conclude(VERDICT_OPEN, "%s made no error completion", what);
	dvx_cqe_error(cqe, &why);
	for (size_t i = 0; i < sizeof(transport_vendors) / sizeof(transport_vendors[0]); i++) {
		if (transport_vendors[i].vendor != why.vendor)
			continue;
		named = true;
		EXPECT(transport_vendors[i].syndrome == why.syndrome,
		       "%s: vendor 0x%x beside syndrome 0x%x", what, why.vendor, why.syndrome);
	}
	dvx_cq_pop(cq);
	return named;
}

/* Each request fails, and a NOP behind it is flushed. */
void probe_vendor_syndromes(struct bench *b)
{
	enum { KINDS = 4 };
	static const char *const what[KINDS] = {"a wrong lkey", "a wrong rkey",
						"a WRITE without a right", "no receive"};
	struct dvx_sge good = {b->addr, 8, b->key}, bad = {b->addr, 8, 0xbad00};
	int named = 0;

	for (int i = 0; i < KINDS; i++) {
		struct bench_pair p = bench_pair_default(b);

		p.access = i == 2 ? 0 : p.access;
		p.local.rnr_retry = 0;
		bench_pair_make(b, &p);
		if (i == 3)
			NEED(dvx_post_send(p.sq, &good, 1, 1, 0));
		else
			NEED(dvx_post_write(p.sq, b->addr + 64, i == 1 ? 0xbad00 : b->key,
					    i ? &good : &bad, 1, 1, 0));
		NEED(dvx_post_nop(p.sq, 1, DVX_SIGNALED));
		dvx_sq_ring(p.sq);
		named += transport_vendor(p.cq[0], what[i]);
		named += transport_vendor(p.cq[0], "a flushed NOP");
	}
	if (!named)
		conclude(VERDICT_OPEN, "no vendor byte was one that dvx names");
}
