/* SPDX-License-Identifier: BSD-2-Clause */
/* Send and receive queues: how the device reads WQEs, and what their completions hold. */
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "verify.h"

/* A NOP that is spoilt before its doorbell ends in this syndrome. */
static void queue_spoilt_nop(struct bench *b, void (*spoil)(uint8_t *wqe), const char *what)
{
	struct bench_pair p = bench_pair_default(b);

	bench_pair_make(b, &p);
	NEED(dvx_post_nop(p.sq, 1, DVX_SIGNALED));
	spoil(dvx_sq_last(p.sq));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_QP_OP_ERR, what);
}

static void queue_other_index(uint8_t *wqe)
{
	prm_wqe_ctrl_seg_set_wqe_index(wqe, prm_wqe_ctrl_seg_get_wqe_index(wqe) + 1);
}

static void queue_other_number(uint8_t *wqe)
{
	prm_wqe_ctrl_seg_set_qpn(wqe, prm_wqe_ctrl_seg_get_qpn(wqe) ^ 1);
}

void probe_wqe_parse_ctrl(struct bench *b)
{
	queue_spoilt_nop(b, queue_other_index, "a NOP with wqe_index + 1");
	queue_spoilt_nop(b, queue_other_number, "a NOP with the QPN of another queue");
}

static void queue_no_segments(uint8_t *wqe)
{
	prm_wqe_ctrl_seg_set_ds(wqe, 0);
}

static void queue_no_address(uint8_t *wqe)
{
	prm_wqe_ctrl_seg_set_opcode(wqe, PRM_WQE_OPCODE_RDMA_WRITE);
}

static void queue_past_record(uint8_t *wqe)
{
	prm_wqe_ctrl_seg_set_ds(wqe, 5);
}

void probe_check_ds(struct bench *b)
{
	queue_spoilt_nop(b, queue_no_segments, "ds 0");
	queue_spoilt_nop(b, queue_no_address, "a WRITE of one segment");
	queue_spoilt_nop(b, queue_past_record, "ds 5 and a record of one block");
}

/* Returns the byte_cnt of the next CQE. */
static uint32_t queue_bytes(struct bench_pair *p, const char *what)
{
	const void *cqe;

	dvx_sq_ring(p->sq);
	cqe = bench_wait(p->cq[0]);
	if (!cqe || dvx_cqe_is_error(cqe))
		bench_need_done(p->cq[0], what);
	dvx_cq_pop(p->cq[0]);
	return dvx_cqe_byte_count(cqe);
}

void probe_sq_done(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_sge s = {b->addr, 64, b->key};
	uint32_t bytes;

	bench_pair_make(b, &p);
	NEED(dvx_post_read(p.sq, b->addr + 4096, b->key, &s, 1, 1, DVX_SIGNALED));
	bytes = queue_bytes(&p, "a READ");
	EXPECT(bytes == 64, "byte_cnt of a READ of 64 bytes is %u", bytes);
	NEED(dvx_post_write(p.sq, b->addr + 4096, b->key, &s, 1, 2, DVX_SIGNALED));
	bytes = queue_bytes(&p, "a WRITE");
	EXPECT(bytes == 0, "byte_cnt of a WRITE of 64 bytes is %u", bytes);
}

/* Sends a message to the pair's receiver, and returns the receiver's CQE. */
static const void *queue_send_receive(struct bench *b, struct bench_pair *p, uint32_t flags)
{
	struct dvx_sge s = {b->addr, 64, b->key}, to = {b->addr + 4096, 64, b->key};
	const void *cqe;

	NEED(dvx_rq_post(p->rq, &to, 1, 1));
	dvx_rq_ring(p->rq);
	NEED(dvx_post_send(p->sq, &s, 1, 1, DVX_SIGNALED | flags));
	dvx_sq_ring(p->sq);
	bench_need_done(p->cq[0], "a SEND");
	cqe = bench_wait(p->cq[1]);
	if (!cqe || dvx_cqe_is_error(cqe))
		bench_need_done(p->cq[1], "a receive");
	dvx_cq_pop(p->cq[1]);
	return cqe;
}

void probe_rq_end(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	const void *cqe;
	uint32_t n;

	bench_pair_make(b, &p);
	for (uint32_t flags = 0; flags <= DVX_SOLICITED; flags += DVX_SOLICITED) {
		cqe = queue_send_receive(b, &p, flags);
		n = (uint32_t)prm_cqe64_get_rqpn(cqe);
		EXPECT(n == dvx_qp_number(p.qp[0]), "rqpn is not the peer's, but %+d from it",
		       (int)(n - dvx_qp_number(p.qp[0])));
		EXPECT(prm_cqe64_get_se(cqe) == !!flags, "se is %u after a SEND with%s SOLICITED",
		       (unsigned int)prm_cqe64_get_se(cqe), flags ? "" : "out");
		n = (uint32_t)prm_cqe64_get_qpn(cqe);
		EXPECT(n == dvx_qp_number(p.qp[1]), "flow_tag's place is %+d from the local QPN",
		       (int)(n - dvx_qp_number(p.qp[1])));
	}
}

/* Posts a fetch and add whose data segment has this length. */
static void queue_atomic(struct bench *b, struct bench_pair *p, uint32_t bytes)
{
	struct dvx_to to = dvx_to_memory(dvx_to_peer(), b->addr + 4096, b->key);

	NEED(dvx_post_atomic(p->sq, PRM_WQE_OPCODE_ATOMIC_FA, dvx_to_operands(to, 1, 0), b->buf,
			     bytes, b->key, 1, DVX_SIGNALED));
}

void probe_wqe_parse_atomic(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	uint32_t bytes;

	bench_pair_make(b, &p);
	queue_atomic(b, &p, 8);
	queue_bytes(&p, "an atomic of 8 bytes");
	queue_atomic(b, &p, 16);
	dvx_sq_ring(p.sq);
	bench_expect_done(p.cq[0], "an atomic with room for 16 bytes");
	queue_atomic(b, &p, 16);
	bytes = queue_bytes(&p, "an atomic with room for 16 bytes");
	EXPECT(bytes == 8, "byte_cnt of an atomic of 8 bytes is %u", bytes);
	queue_atomic(b, &p, 4);
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_LENGTH_ERR,
			   "an atomic with room for 4 bytes");
}

/* A masked atomic of 4 bytes on a number with four different bytes. */
void probe_wr_atomic_found(struct bench *b)
{
	static const uint8_t big_endian[] = {0x01, 0x02, 0x03, 0x04};
	struct bench_pair p = bench_pair_default(b);
	uint32_t *there = (uint32_t *)(void *)(b->buf + 4096), *old = (uint32_t *)(void *)b->buf;

	bench_pair_make(b, &p);
	*there = 0x01020304;
	NEED(dvx_post_masked_faa32(p.sq, b->addr + 4096, b->key, 1, 0, old, b->key, 1,
				   DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_need_done(p.cq[0], "a masked atomic of 4 bytes");
	EXPECT(!memcmp(old, big_endian, 4),
	       "the old value 0x01020304 came back as %02x %02x %02x %02x", b->buf[0], b->buf[1],
	       b->buf[2], b->buf[3]);
}

void probe_queue_poll_later(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_sge to = {b->addr, 64, b->key};

	bench_pair_make(b, &p);
	NEED(dvx_qp_to_err(p.qp[1]));
	NEED(dvx_rq_post(p.rq, &to, 1, 1));
	dvx_rq_ring(p.rq);
	bench_expect_error(p.cq[1], PRM_SYNDROME_WR_FLUSH_ERR, "a receive that is posted in ERR");
}

/* A doorbell without a new post, before the first one and after it. */
void probe_dvx_sq_ring(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);

	bench_pair_make(b, &p);
	dvx_sq_ring(p.sq);
	bench_expect_none(p.cq[0], "a doorbell before the first post");
	NEED(dvx_post_nop(p.sq, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_done(p.cq[0], "a NOP after a doorbell with nothing");
	dvx_sq_ring(p.sq);
	bench_expect_none(p.cq[0], "a doorbell with nothing new");
}

/* Fills the ring to its last block; then a request of two blocks needs a pad. */
void probe_sq(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_sge bad = {b->addr, 64, 0};
	static const uint8_t data[100];

	bench_pair_make(b, &p);
	for (uint32_t i = 0; i < dvx_sq_blocks(p.sq) - 2; i++)
		NEED(dvx_post_nop(p.sq, i, i == dvx_sq_blocks(p.sq) - 3 ? DVX_SIGNALED : 0));
	dvx_sq_ring(p.sq);
	bench_need_done(p.cq[0], "NOPs up to the ring's end");
	dvx_sq_retire(p.sq, dvx_sq_blocks(p.sq) - 3);
	NEED(dvx_post_write(p.sq, b->addr, b->key, &bad, 1, 7, 0));
	NEED(dvx_post_send_inline(p.sq, data, sizeof(data), 8, 0));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_PROT_ERR, "a WRITE with a bad lkey");
	bench_expect_error(p.cq[0], PRM_SYNDROME_WR_FLUSH_ERR, "the NOP at the ring's end");
	bench_expect_error(p.cq[0], PRM_SYNDROME_WR_FLUSH_ERR, "the SEND behind it");
	bench_expect_none(p.cq[0], "two WQEs were flushed");
}

/* A window is free until it is bound. */
void probe_umr_check(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_mkey *mkey;

	bench_pair_make(b, &p);
	NEED(dvx_mkey_create_window(b->dev, b->pd, &mkey));
	NEED(dvx_post_unbind(p.sq, dvx_mkey_key(mkey), 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_MW_BIND_ERR, "an invalidation of a free key");
}
