/* SPDX-License-Identifier: BSD-2-Clause */
/* Transports: what fails at the sender, at the receiver, and what stays usable. */
#include <dvx/prm/qp.h>
#include "verify.h"

static struct bench_pair transport_pair(struct bench *b, uint8_t type)
{
	struct bench_pair p = bench_pair_default(b);

	p.type = type;
	p.access = type == DVX_QP_UD ? 0 : type == DVX_QP_UC ? DVX_REMOTE_WRITE : p.access;
	p.local.q_key = 0x1ee7a330;
	bench_pair_make(b, &p);
	return p;
}

static void transport_post_receive(struct bench_pair *p, struct dvx_sge to)
{
	NEED(dvx_rq_post(p->rq, &to, 1, 1));
	dvx_rq_ring(p->rq);
}

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
	struct bench_pair p = transport_pair(b, DVX_QP_UC);

	NEED(dvx_post_send_inval_inline(p.sq, b->key, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_QP_OP_ERR, "SEND_INVAL on UC");
}

void probe_uc_2(struct bench *b)
{
	struct bench_pair p = transport_pair(b, DVX_QP_UC);

	transport_post_receive(&p, (struct dvx_sge){b->addr, 16, b->key});
	transport_send(&p, 64);
	bench_expect_none(p.cq[1], "64 bytes for a receive of 16");
	transport_send(&p, 8);
	bench_expect_done(p.cq[1], "8 bytes after a message that was dropped");
	transport_post_receive(&p, (struct dvx_sge){b->addr, 16, 0xbad00});
	transport_send(&p, 8);
	bench_expect_error(p.cq[1], PRM_SYNDROME_LOCAL_PROT_ERR, "a receive with a wrong key");
}

void probe_dvx_qp_sqerr_to_rts(struct bench *b)
{
	struct bench_pair p = transport_pair(b, DVX_QP_UC);
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
	struct bench_pair p = transport_pair(b, DVX_QP_RC);

	transport_post_receive(&p, (struct dvx_sge){b->addr, 64, b->key});
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
	transport_post_receive(&p, (struct dvx_sge){b->addr, 64, b->key});
	NEED(dvx_post_send_inval_inline(p.sq, b->key, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[1], PRM_SYNDROME_REMOTE_INVAL_REQ_ERR,
			   "a receive of SEND_INVAL with a region's key");
	bench_expect_error(p.cq[0], PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR,
			   "SEND_INVAL with a region's key");
}

void probe_dvx_rq_repost(struct bench *b)
{
	struct bench_pair p = transport_pair(b, DVX_QP_RC);

	transport_post_receive(&p, (struct dvx_sge){b->addr + 4096, 64, b->key});
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
			transport_post_receive(&p, (struct dvx_sge){b->addr + 4096, 64, b->key});
		else
			NEED(dvx_rq_repost(p.rq));
		dvx_rq_ring(p.rq);
	}
}

/* ---- datagrams ---- */

/* Addresses the pair's receiver. */
static struct dvx_ah transport_ah(struct bench *b, struct bench_pair *p)
{
	struct dvx_qp_peer peer = {.size = sizeof(peer)};
	uint8_t blob[DVX_QP_BLOB_BYTES];
	struct dvx_ah ah;

	NEED(dvx_qp_blob_write(p->qp[1], &p->local, blob));
	NEED(dvx_qp_blob_read(p->qp[0], blob, sizeof(blob), &peer));
	NEED(dvx_ah_init(b->dev, &p->local, &peer, &ah));
	return ah;
}

void probe_ud_2(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	int err;

	p.type = DVX_QP_UD;
	bench_pair_create(b, &p);
	p.local.q_key = 0x80010000;
	err = dvx_qp_connect(p.qp[0], &p.local, NULL);
	EXPECT(!err, "a Q_Key with bit 31: %s", dvx_strerror(err));
}

void probe_ud_parse(struct bench *b)
{
	struct bench_pair p = transport_pair(b, DVX_QP_UD);
	struct dvx_ah ah = transport_ah(b, &p);

	prm_av_set_ext(ah.av, 0);
	NEED(dvx_post_ud_send_inline(p.sq, &ah, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_QP_OP_ERR, "a vector with ext clear");
}

static void transport_datagram(struct bench_pair *p, const struct dvx_ah *ah, uint32_t len)
{
	static const uint8_t data[64];

	NEED(dvx_post_ud_send_inline(p->sq, ah, data, len, 1, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	bench_need_done(p->cq[0], "a datagram");
}

void probe_ud_drop(struct bench *b)
{
	struct bench_pair p = transport_pair(b, DVX_QP_UD);
	struct dvx_ah ah = transport_ah(b, &p);

	transport_post_receive(&p, (struct dvx_sge){b->addr, 60, b->key});
	transport_datagram(&p, &ah, 64);
	bench_expect_none(p.cq[1], "a datagram of 64 bytes for a receive of 60");
	transport_datagram(&p, &ah, 8);
	bench_expect_done(p.cq[1], "a datagram of 8 bytes after one that was dropped");
}

void probe_rq_fill_datagram(struct bench *b)
{
	struct bench_pair p = transport_pair(b, DVX_QP_UD);
	struct dvx_ah ah = transport_ah(b, &p);
	const void *cqe;

	transport_post_receive(&p, (struct dvx_sge){b->addr, 128, b->key});
	transport_datagram(&p, &ah, 8);
	cqe = bench_wait(p.cq[1]);
	if (!cqe || dvx_cqe_is_error(cqe))
		bench_need_done(p.cq[1], "a datagram");
	EXPECT(prm_cqe64_get_l2_ok(cqe) && dvx_cqe_l3_ok(cqe) && dvx_cqe_l4_ok(cqe),
	       "a datagram's l2_ok, l3_ok and l4_ok are %u, %u and %u",
	       (unsigned int)prm_cqe64_get_l2_ok(cqe), dvx_cqe_l3_ok(cqe), dvx_cqe_l4_ok(cqe));
	for (int i = 0; b->buf[20] >> 4 == 4 && i < 20; i++)
		EXPECT(!b->buf[i], "byte %d before an IPv4 header is 0x%x", i, b->buf[i]);
}
