/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves cross-channel requests of libdvx on a device: queue pairs and packet queues that wait,
 * start others, and are started. */
#include "tests/test.h"
#include "lib_rig.h"

/* A pair whose second queue is managed, and a queue that starts it. */
struct chain {
	struct pair p;
	struct dvx_cq *cq;
	struct dvx_qp *master;
	struct dvx_sq *sq; /* that queue's */
};

static void chain_make(struct rig *r, struct chain *c)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 64, .uar = r->uar};
	struct dvx_qp_attr qa = rig_qp_attr(r);

	OK(dvx_cq_create(r->dev, &ca, &c->cq));
	qa.flags = DVX_QP_MASTER;
	qa.rq_entries = qa.rq_sge = 0;
	qa.send_cq = c->cq;
	OK(dvx_qp_create(r->dev, &qa, &c->master));
	OK(dvx_qp_connect_self(c->master, 0));
	c->sq = dvx_qp_sq(c->master);
	for (int i = 0; i < 2; i++) {
		OK(dvx_cq_create(r->dev, &ca, &c->p.cq[i]));
		qa = rig_qp_attr(r);
		qa.flags = i ? DVX_QP_MANAGED_SEND | DVX_QP_MANAGED_RECV : 0;
		qa.send_cq = c->p.cq[i];
		qa.user_index = 0x70 + (uint32_t)i;
		OK(dvx_qp_create(r->dev, &qa, &c->p.qp[i]));
	}
	c->p.sq = dvx_qp_sq(c->p.qp[0]);
	c->p.rq = dvx_qp_rq(c->p.qp[1]);
	pair_connect(r, &c->p, 0);
}

/* An arriving message starts the answer: only the device acts between the two. */
TEST(rig, a_receive_starts_a_send)
{
	struct dvx_sge in = {(uintptr_t)r->buf + 0x1000, 64, r->key},
		       answer = {(uintptr_t)r->buf + 0x2000, 64, r->key};
	struct dvx_rq *rq;
	struct dvx_sq *prepared;
	struct dvx_wc wc;
	struct chain c;
	uint32_t qpn, i;

	chain_make(r, &c);
	rq = dvx_qp_rq(c.p.qp[0]);
	prepared = dvx_qp_sq(c.p.qp[1]);
	qpn = dvx_qp_number(c.p.qp[1]);
	OK(dvx_post_recv_enable(c.sq, qpn, 1, 10, 0));
	for (i = 0; i < 2; i++) {
		OK(dvx_rq_post(c.p.rq, &in, 1, 20 + i));
		OK(dvx_rq_post(rq, &answer, 1, 30 + i));
		OK(dvx_post_send(prepared, &in, 1, 40 + i, DVX_SIGNALED));
		/* its CQ has the message's CQE and the answer's for each */
		OK(dvx_post_wait(c.sq, c.p.cq[1]->cqn, dvx_cq_index(c.p.cq[1]) + 2 * i + 1, 50, 0));
		OK(dvx_post_send_enable(c.sq, qpn, prepared->pi, 60, 0));
		OK(dvx_post_recv_enable(c.sq, qpn, c.p.rq->pi + 1, 70 + i, DVX_SIGNALED));
	}
	dvx_rq_ring(c.p.rq);
	dvx_rq_ring(rq);
	dvx_sq_ring(c.sq);
	for (i = 0; i < 2; i++) {
		memset(r->buf + 0x2000, 0, 64);
		OK(dvx_post_send_inline(c.p.sq, "0123456789", 10, 1, DVX_SIGNALED));
		dvx_sq_ring(c.p.sq);
		for (unsigned int n = 0; n < 2; n++) { /* ours is sent, the answer is there */
			wait_cqe(c.p.cq[0]);
			assert_int_equal(dvx_cq_poll(c.p.cq[0], &wc), 1);
		}
		assert_memory_equal(r->buf + 0x2000, "0123456789", 10);
		done(c.cq, c.sq, 70 + i);
	}
	pair_free(&c.p);
	OK(dvx_qp_destroy(c.master));
	OK(dvx_cq_destroy(c.cq));
}

/* Packet send queues can be managed and be masters; other objects are refused. */
TEST(rig, managed_packets)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 64, .uar = r->uar};
	struct dvx_txq_attr ta = {.size = sizeof(ta), .pd = r->pd, .uar = r->uar, .sq_blocks = 8};
	struct dvx_qp_attr qa = rig_qp_attr(r);
	struct dvx_txq *master, *managed;
	struct dvx_cq *cq[2];

	for (int i = 0; i < 2; i++)
		OK(dvx_cq_create(r->dev, &ca, &cq[i]));
	ta.cq = cq[0];
	ta.flags = DVX_TXQ_MASTER;
	OK(dvx_txq_create(r->dev, &ta, &master));
	ta.cq = cq[1];
	ta.flags = DVX_TXQ_MANAGED;
	OK(dvx_txq_create(r->dev, &ta, &managed));
	OK(dvx_post_nop(dvx_txq_ring(managed), 5, DVX_SIGNALED));
	OK(dvx_post_send_enable(dvx_txq_ring(master), dvx_txq_sqn(managed), 1, 6, 0));
	OK(dvx_post_wait(dvx_txq_ring(master), cq[1]->cqn, 1, 7, DVX_SIGNALED));
	dvx_sq_ring(dvx_txq_ring(master));
	done(cq[1], dvx_txq_ring(managed), 5);
	done(cq[0], dvx_txq_ring(master), 7);
	assert_int_equal(dvx_post_wait(dvx_txq_ring(master), 1, 1, 7, 1), -EBADR);
	qa.send_cq = cq[0];
	qa.flags = DVX_QP_MANAGED_RECV;
	qa.rq_entries = qa.rq_sge = 0;
	refused(dvx_qp_create(r->dev, &qa, (struct dvx_qp *[1]){NULL}), -EINVAL,
		"DVX_QP_MANAGED_RECV", "receives");
	OK(dvx_txq_destroy(managed));
	OK(dvx_txq_destroy(master));
	for (int i = 0; i < 2; i++)
		OK(dvx_cq_destroy(cq[i]));
}

TEST_GROUP(rig_open, rig_close)
