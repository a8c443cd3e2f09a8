/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that a failure on the device gives the specification's CQE, followed by flushes. */
#include "tests/test.h"
#include <dvx/prm/qp.h>
#include "lib_rig.h"

enum {
	PROT = 0x04,
	FLUSH = 0x05,
	INVAL_REQ = 0x12,
	ACCESS = 0x13,
	LOST = 0x15,
	RNR = 0x16,
	LENGTH = 0x01
};

static void expect_state(struct dvx_qp *qp, uint8_t want)
{
	uint8_t state = 0xff;

	OK(dvx_qp_query_state(qp, &state));
	assert_int_equal(state, want);
}

/* A bad local key fails its WQE with 0x04; later WQEs, pads too, are flushed with 0x05. */
TEST(pair, local_key, DVX_REMOTE_WRITE)
{
	struct dvx_sge bad = {(uintptr_t)r->buf, 64, 0xdead00};
	static const uint8_t data[100];
	uint32_t i;

	for (i = 0; i < 62; i++) {
		OK(dvx_post_nop(p->sq, i, i == 61 ? DVX_SIGNALED : 0));
	}
	ring_done(p, 61);
	/* one bad WQE in block 62, a pad in 63, two blocks at the ring's beginning */
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf, r->key, &bad, 1, 7, 0));
	OK(dvx_post_send_inline(p->sq, data, sizeof(data), 8, 0));
	OK(dvx_post_nop(p->sq, 9, DVX_SIGNALED));
	ring_failed(p, 7, PROT);
	failed(p->cq[0], p->sq, DVX_WR_ID_PAD, FLUSH);
	failed(p->cq[0], p->sq, 8, FLUSH);
	failed(p->cq[0], p->sq, 9, FLUSH);
	assert_int_equal(dvx_sq_free(p->sq), 64);
	expect_state(p->qp[0], PRM_QP_STATE_ERR);
	/* later posts are flushed */
	OK(dvx_post_nop(p->sq, 10, 0));
	ring_failed(p, 10, FLUSH);
}

/* The peer refuses wrong keys, ranges, and rights of the QP. */
TEST(rig, remote_access)
{
	struct dvx_sge s = {(uintptr_t)r->buf, 64, r->key};
	uint64_t end = (uintptr_t)r->buf + RIG_BYTES;
	struct pair p;
	int i;

	for (i = 0; i < 4; i++) {
		pair_make(r, &p, i == 3 ? DVX_REMOTE_READ : DVX_REMOTE_WRITE | DVX_REMOTE_READ);
		if (i == 0)
			dvx_post_write(p.sq, (uintptr_t)r->buf, r->key + 1, &s, 1, 1, 0);
		else if (i == 1)
			dvx_post_write(p.sq, end - 63, r->key, &s, 1, 1, 0);
		else if (i == 2)
			dvx_post_read(p.sq, (uintptr_t)r->buf - 1, r->key, &s, 1, 1, 0);
		else
			dvx_post_write(p.sq, (uintptr_t)r->buf, r->key, &s, 1, 1, 0);
		ring_failed(&p, 1, ACCESS);
		pair_free(&p);
	}
}

/* The device checks an mkey's rights and PD on both sides. */
TEST(rig, rights)
{
	struct dvx_mkey_attr ro = {.size = sizeof(ro), .pd = r->pd, .addr = r->buf, .len = 4096};
	struct dvx_mkey_attr other = {
		.size = sizeof(other), .addr = r->buf, .len = 4096, .access = RIG_ALL};
	struct dvx_mkey *mkey;
	struct dvx_pd *pd;
	struct dvx_sge s = {(uintptr_t)r->buf, 64, 0};
	struct pair p;

	OK(dvx_mkey_create(r->dev, &ro, &mkey));
	s.lkey = dvx_mkey_key(mkey);
	pair_make(r, &p, DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	dvx_post_write(p.sq, (uintptr_t)r->buf + 8192, r->key, &s, 1, 1, DVX_SIGNALED);
	ring_done(&p, 1); /* reading locally is always allowed */
	dvx_post_read(p.sq, (uintptr_t)r->buf, r->key, &s, 1, 2, 0);
	ring_failed(&p, 2, PROT);
	pair_free(&p);
	pair_make(r, &p, DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	dvx_post_write(p.sq, (uintptr_t)r->buf, s.lkey, &s, 1, 3, 0);
	ring_failed(&p, 3, ACCESS);
	pair_free(&p);
	OK(dvx_mkey_destroy(mkey));
	OK(dvx_pd_alloc(r->dev, &pd));
	other.pd = pd;
	OK(dvx_mkey_create(r->dev, &other, &mkey));
	assert_int_equal(dvx_pd_free(pd), -EBUSY);
	s.lkey = dvx_mkey_key(mkey);
	pair_make(r, &p, 0);
	dvx_post_send(p.sq, &s, 1, 4, 0);
	ring_failed(&p, 4, PROT);
	pair_free(&p);
	OK(dvx_mkey_destroy(mkey));
	OK(dvx_pd_free(pd));
}

/* The DMA engine refuses wrong keys, past the end, over the device's limit. */
TEST(rig, dma)
{
	uint64_t a = (uintptr_t)r->buf, end = a + RIG_BYTES;
	uint64_t max = dvx_dev_caps(r->dev)->dma_mmo_max;
	struct pair p;
	int i;

	for (i = 0; i < 4; i++) {
		pair_make(r, &p, 0);
		if (i == 0)
			dvx_post_dma(p.sq, a, 0, a, r->key, 64, 1, 0);
		else if (i == 1)
			dvx_post_dma(p.sq, a, r->key, a, 0xbad00, 64, 1, 0);
		else if (i == 2)
			dvx_post_dma(p.sq, end - 63, r->key, a, r->key, 64, 1, 0);
		else if (max < DVX_MAX_SEGMENT)
			dvx_post_dma(p.sq, a, r->key, a, r->key, (uint32_t)max + 1, 1, 0);
		else
			dvx_post_dma(p.sq, a, r->key, a, r->key, RIG_BYTES + 1, 1, 0);
		dvx_sq_ring(p.sq);
		assert_true(dvx_cqe_is_error(wait_cqe(p.cq[0])));
		if (i < 3)
			failed(p.cq[0], p.sq, 1, PROT);
		pair_free(&p);
	}
}

/* A send that is longer than the receive: both ends get an error. */
TEST(pair, receive_too_small, 0)
{
	struct dvx_sge s = {(uintptr_t)r->buf, 64, r->key}, small = {(uintptr_t)r->buf, 63, r->key};
	struct dvx_cqe_failure why;

	OK(dvx_rq_post(p->rq, &small, 1, 77));
	dvx_rq_ring(p->rq);
	dvx_post_send(p->sq, &s, 1, 1, 0);
	ring_failed(p, 1, INVAL_REQ);
	dvx_cqe_error(wait_cqe(p->cq[1]), &why);
	assert_int_equal(why.syndrome, LENGTH);
	assert_false(why.send);
	assert_int_equal(why.user_index, 0x71);
	assert_int_equal(dvx_rq_retire(p->rq), 77);
}

/* Checks that a SEND to itself, or to another number, fails this way. */
static void lost(struct rig *r, const struct dvx_qp_local *local, uint32_t qpn, uint8_t syndrome)
{
	struct dvx_qp_peer peer;
	struct dvx_cq_attr cqa = {.size = sizeof(cqa), .entries = 128, .uar = r->uar};
	struct dvx_qp_attr qpa = rig_qp_attr(r);
	struct dvx_sq *sq;
	struct dvx_cq *cq;
	struct dvx_qp *qp;

	OK(dvx_cq_create(r->dev, &cqa, &cq));
	qpa.send_cq = cq;
	OK(dvx_qp_create(r->dev, &qpa, &qp));
	peer = rig_peer(r, qpn ? qpn : dvx_qp_number(qp));
	peer.psn = local->psn;
	OK(dvx_qp_connect(qp, local, &peer));
	sq = dvx_qp_sq(qp);
	dvx_post_send_inline(sq, "x", 1, 1, 0);
	dvx_sq_ring(sq);
	failed(cq, sq, 1, syndrome);
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
}

/* Without a receive, and with no RNR retry for the sender: RNR retries exceeded. 0 means 0. */
TEST(rig, receiver_not_ready)
{
	struct dvx_qp_local local = rig_local(r, 0);

	local.rnr_retry = 0;
	lost(r, &local, 0, RNR);
}

/* To an unknown queue, and with no retry: transport retries exceeded. */
TEST(rig, nobody_there)
{
	struct dvx_qp_local local = rig_local(r, 0);

	local.retry_count = 0;
	local.ack_timeout = 8;
	lost(r, &local, 0xfffff0, LOST);
}

/* To ERR by command: both queues flush their requests; through RST to RTS they work again. */
TEST(pair, error_and_reset, 0)
{
	struct dvx_sge s = {(uintptr_t)r->buf, 64, r->key};
	struct dvx_cqe_failure why;
	uint32_t i;

	expect_state(p->qp[1], PRM_QP_STATE_RTS);
	for (i = 0; i < 3; i++)
		OK(dvx_rq_post(p->rq, &s, 1, i));
	dvx_rq_ring(p->rq);
	OK(dvx_qp_to_err(p->qp[1]));
	expect_state(p->qp[1], PRM_QP_STATE_ERR);
	for (i = 0; i < 3; i++) {
		dvx_cqe_error(wait_cqe(p->cq[1]), &why);
		assert_int_equal(why.syndrome, FLUSH);
		assert_int_equal(dvx_rq_retire(p->rq), i);
		dvx_cq_pop(p->cq[1]);
	}
	OK(dvx_qp_to_err(p->qp[0]));
	for (i = 0; i < 2; i++) {
		OK(dvx_qp_to_rst(p->qp[i]));
		expect_state(p->qp[i], PRM_QP_STATE_RST);
	}
	pair_connect(r, p, DVX_REMOTE_WRITE);
	for (i = 0; i < 100; i++) {
		dvx_post_write_inline(p->sq, (uintptr_t)r->buf, r->key, &i, 4, i, DVX_SIGNALED);
		ring_done(p, i);
		assert_memory_equal(r->buf, &i, 4);
	}
}

/* Drains with dvx_qp_connect(3)'s marker: all earlier requests complete before it. */
static void drain_sends(struct pair *p, uint64_t marker)
{
	struct dvx_wc wc = {0};
	int n;

	OK(dvx_post_nop(p->sq, marker, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	do {
		wait_cqe(p->cq[0]);
		n = dvx_cq_poll(p->cq[0], &wc);
		assert_int_equal(n, -EIO);
	} while (wc.wr_id != marker);
	assert_int_equal(wc.syndrome, FLUSH);
	assert_int_equal(dvx_sq_free(p->sq), dvx_sq_blocks(p->sq));
}

/* A failed send of UC stops only its send queue; SQERR2RTS_QP lets it go on after the flushes. */
TEST(rig, send_queue_error)
{
	struct dvx_sge good = {(uintptr_t)r->buf, 64, r->key},
		       bad = {(uintptr_t)r->buf, 64, 0xbad00};
	struct dvx_cqe_failure why;
	struct pair p;
	int i;

	pair_make_type(r, &p, DVX_REMOTE_WRITE, DVX_QP_UC);
	for (i = 0; i < 3; i++) {
		OK(dvx_post_write(p.sq, (uintptr_t)r->buf + 4096, r->key, &bad, 1, 1, 0));
		OK(dvx_post_nop(p.sq, 2, 0));
		ring_failed(&p, 1, PROT);
		drain_sends(&p, 3);
		expect_state(p.qp[0], PRM_QP_STATE_SQER);
		OK(dvx_qp_sqerr_to_rts(p.qp[0]));
		expect_state(p.qp[0], PRM_QP_STATE_RTS);
		r->buf[0] = (uint8_t)i;
		OK(dvx_post_write(p.sq, (uintptr_t)r->buf + 4096, r->key, &good, 1, 4,
				  DVX_SIGNALED));
		ring_done(&p, 4);
	}
	/* its receive queue failed: ERR, from which only RST leads */
	refused(dvx_qp_sqerr_to_rts(p.qp[1]), -EINVAL, "in RTS", "not in SQER");
	good.lkey = 0xbad00;
	OK(dvx_rq_post(p.rq, &good, 1, 5));
	dvx_rq_ring(p.rq);
	OK(dvx_post_send_inline(p.sq, "x", 1, 6, DVX_SIGNALED));
	ring_done(&p, 6);
	dvx_cqe_error(wait_cqe(p.cq[1]), &why);
	assert_int_equal(why.syndrome, PROT);
	refused(dvx_qp_sqerr_to_rts(p.qp[1]), -EINVAL, "in ERR", "dvx_qp_to_rst()");
	pair_free(&p);
}

/* Garbage in a WQE makes an error CQE, and the device goes on. */
TEST(rig, garbage_in_the_ring)
{
	struct pair p;
	uint32_t seed = 1, i, j;

	for (i = 0; i < 50; i++) {
		pair_make(r, &p, DVX_REMOTE_WRITE | DVX_REMOTE_READ);
		OK(dvx_post_nop(p.sq, 1, DVX_SIGNALED));
		/* keep the index: a WQE with another one counts as not rung */
		for (j = 3; j < DVX_BLOCK; j++) {
			seed = seed * 1664525 + 1013904223;
			p.sq->buf[j] = (uint8_t)(seed >> 24);
		}
		p.sq->buf[11] |= PRM_WQE_CTRL_FLAG_CQ_UPDATE;
		dvx_sq_ring(p.sq);
		wait_cqe(p.cq[0]);
		pair_free(&p);
	}
	pair_make(r, &p, 0);
	OK(dvx_post_nop(p.sq, 2, DVX_SIGNALED));
	ring_done(&p, 2);
	pair_free(&p);
}

TEST_GROUP(rig_open, rig_close)
