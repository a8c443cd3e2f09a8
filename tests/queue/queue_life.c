/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that queues begin and end without harm to others: destroyed in the middle of traffic, old
 * frames after a restart, a busy queue beside many, order of a reply and one's own completion. */
#include "tests/test.h"
#include <endian.h>
#include <unistd.h>
#include "queue_rig.h"
#include "chip/datapath.h"
#include "queue/queue.h"
#include "transport/bth.h"

/* Queues are destroyed after any number of turns, with everything still under way. */
TEST(none, test_destroy_in_traffic)
{
	for (unsigned int turns = 0; turns < 6; turns++) {
		struct rig_pair *p = rig_pair_open(&rig_rc);

		for (unsigned int i = 0; i < 16; i++)
			rig_post(p, i % 2 ? PRM_WQE_OPCODE_RDMA_READ : PRM_WQE_OPCODE_RDMA_WRITE, 0,
				 RIG_BUF);
		rig_ring(&p->a);
		for (unsigned int i = 0; i < turns; i++)
			datapath_run(&p->rig.dev);
		rig_qp_close(turns % 2 ? &p->a : &p->b);
		rig_pass(&p->rig, 3000000000ull);
		/* the other end is alive: it gives up, or gets no more messages */
		rig_qp_open(&p->rig, turns % 2 ? &p->a : &p->b, BLUEFIELD2_HOST, &p->ca, &p->ca, 4,
			    3);
		rig_pair_close(p);
	}
}

/* A frame from before RST does not reach the restarted queue pair. */
TEST(pair, test_old_frames)
{
	struct frame *old = NULL;

	rig_recv(&p->b, p->dst, 64, rig_key(p->md));
	port_set_hook(p->rig.dev.port, rig_hold_frame, &old);
	rig_do(p, PRM_WQE_OPCODE_SEND, 0, 64);
	assert_non_null(old);
	port_set_hook(p->rig.dev.port, NULL, NULL);
	port_queue(p->rig.dev.port, old); /* it waits in the queue while b restarts */
	queue_set_state(&p->b.qp->q, QP_RST);
	p->b.rq_pi = 0;
	rig_connect_one(&p->b, &p->a);
	rig_recv(&p->b, p->dst, 64, rig_key(p->md));
	rig_settle(&p->rig);
	assert_null(rig_poll(&p->cb));
}

#define MANY 200u

/* A queue with endless long messages does not keep 200 short ones from finishing in a few turns. */
TEST(pair, test_fairness)
{
	struct rig_cq *cq = calloc(1, sizeof(*cq));
	struct rig_qp *q = calloc(MANY, sizeof(*q));
	struct mkey *m = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->dst, RIG_BUF, MKEY_RW);
	unsigned int got = 0, turns;

	rig_cq_open(&p->rig, cq, BLUEFIELD2_HOST, 9, false);
	for (unsigned int i = 0; i < MANY; i++) {
		rig_qp_open(&p->rig, &q[i], BLUEFIELD2_HOST, cq, cq, 2, 2);
		rig_connect(&q[i], &q[i]);
		rig_rdma(&q[i], PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, p->dst, m, p->src, 5, p->ms);
		q[i].dbrec[1] = htobe32(q[i].sq_pi);
	}
	for (unsigned int i = 0; i < 16; i++)
		rig_post(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, RIG_BUF);
	rig_ring(&p->a); /* one register value; the other queues have only their records */
	for (turns = 0; got < MANY && turns < 40; turns++) {
		datapath_run(&p->rig.dev);
		while (rig_poll(cq))
			got++;
	}
	assert_int_equal(got, MANY);
	rig_settle(&p->rig);
	for (unsigned int i = 0; i < MANY; i++)
		rig_qp_close(&q[i]);
	rig_cq_close(cq);
	rig_mkey_close(m);
	free(cq);
	free(q);
}

/* When b answers a at once and a sees the answer, a's own completion is there. */
TEST(pair, test_reply_order)
{
	struct rig_cq recv_cq;
	struct mkey *back = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->src, RIG_BUF, MKEY_RW | MKEY_LW);
	struct rig_qp a;

	rig_cq_open(&p->rig, &recv_cq, BLUEFIELD2_HOST, 6, false);
	rig_qp_open(&p->rig, &a, BLUEFIELD2_HOST, &p->ca, &recv_cq, 4, 3);
	queue_set_state(&p->b.qp->q, QP_RST);
	rig_connect(&a, &p->b);
	for (unsigned int i = 0; i < 50; i++) {
		bool replied = false, completed = false;

		rig_recv(&a, p->src, 64, rig_key(p->ms));
		rig_recv(&p->b, p->dst, 64, rig_key(p->md));
		rig_message(&a, SIGNALED, "ping");
		rig_ring(&a);
		for (unsigned int turn = 0; !completed || !replied; turn++) {
			assert_true(turn < 10);
			datapath_run(&p->rig.dev);
			if (rig_poll(&p->cb)) {
				rig_message(&p->b, 0, "pong");
				rig_ring(&p->b);
			}
			replied |= rig_poll(&recv_cq) != NULL;
			completed |= rig_poll(&p->ca) != NULL;
			assert_true(completed || !replied);
		}
	}
	rig_qp_close(&a);
	rig_cq_close(&recv_cq);
	rig_mkey_close(back);
}

struct late_ack {
	struct rig_pair *p;
	struct rig_cq *recv_cq;
	struct frame *ack;
	unsigned int sends;
	bool notified, completed;
};

static void hold_ack(void *ctx, struct port *w, struct frame *f)
{
	struct late_ack *l = ctx;

	if (*rig_bth(f, NULL) == BTH_ACKNOWLEDGE && !l->sends) {
		frame_free(l->ack);
		l->ack = f;
		return;
	}
	if (*rig_bth(f, NULL) == BTH_SEND_ONLY && l->ack && ++l->sends == 2) {
		port_queue(w, l->ack);
		l->ack = NULL;
	}
	port_queue(w, f);
}

static void at_event(void *ctx, struct vhca *v, uint32_t eqn, const void *eqe)
{
	struct late_ack *l = ctx;

	(void)v;
	(void)eqn;
	if (prm_eqe_get_cqn(eqe) != l->recv_cq->cq->o.id)
		return;
	l->notified = true;
	l->completed = rig_poll(&l->p->ca) != NULL;
}

/* Like test_reply_order, within one turn: an unrelated packet, the acknowledgement, the reply. */
TEST(pair, test_reply_order_in_one_turn)
{
	struct rig_cq recv_cq;
	struct rig_qp a;
	struct late_ack l = {.p = p, .recv_cq = &recv_cq};
	static const struct front_ops front = {.event = at_event};

	rig_cq_open(&p->rig, &recv_cq, BLUEFIELD2_HOST, 6, false);
	rig_qp_open(&p->rig, &a, BLUEFIELD2_HOST, &p->ca, &recv_cq, 4, 3);
	queue_set_state(&p->b.qp->q, QP_RST);
	rig_connect(&a, &p->b);
	for (unsigned int i = 0; i < 2; i++)
		rig_recv(&a, p->src, 64, rig_key(p->ms));
	rig_recv(&p->b, p->dst, 64, rig_key(p->md));
	port_set_hook(p->rig.dev.port, hold_ack, &l);
	rig_message(&a, SIGNALED, "ping");
	rig_run(&a);
	assert_non_null(l.ack);
	rig_arm(&recv_cq, 0, false);
	p->rig.dev.front = &front;
	p->rig.dev.front_ctx = &l;
	for (unsigned int i = 0; i < 2; i++)
		rig_message(&p->b, 0, "pong");
	rig_ring(&p->b);
	datapath_run(&p->rig.dev);
	assert_true(l.notified);
	assert_true(l.completed);
	rig_qp_close(&a);
	rig_cq_close(&recv_cq);
}

/* The first request that a QP takes in RTR makes one event; one that finds no receive makes none. */
static void established(struct rig_pair *p, unsigned int life)
{
	rig_restart(&p->a, &p->b);
	queue_set_state(p->b.queue, QP_RST);
	p->b.qp->next_rcv_psn = RIG_PSN;
	queue_set_state(p->b.queue, QP_INIT);
	queue_set_state(p->b.queue, QP_RTR);
	rig_do(p, PRM_WQE_OPCODE_SEND, 0, 8);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_COMM_EST), life);
	for (unsigned int i = 0; i < 3; i++) {
		rig_recv(&p->b, p->dst, 8, rig_key(p->md));
		rig_do(p, PRM_WQE_OPCODE_SEND, 0, 8);
		rig_pass(&p->rig, 1000000000ull);
		assert_int_equal(prm_cqe64_get_opcode(rig_cqe(&p->cb)), PRM_CQE_OPCODE_RESP_SEND);
		assert_int_equal(rig_count(&p->rig, PRM_EVENT_COMM_EST), life + 1);
	}
	rig_drain(&p->ca);
}

TEST(pair, test_established)
{
	established(p, 0);
	established(p, 1);
}

TEST(pair_uc, test_established_uc)
{
	established(p, 0);
	established(p, 1);
}

/* SQD: requests that have begun end, no new one begins, one event comes; RTS continues. */
TEST(pair, test_drain)
{
	rig_post(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 100000);
	rig_ring(&p->a);
	datapath_run(&p->rig.dev);
	queue_set_state(&p->a.qp->q, QP_SQD);
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 8);
	assert_non_null(rig_poll(&p->ca));
	assert_null(rig_poll(&p->ca));
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_SQ_DRAINED), 1);
	queue_set_state(&p->a.qp->q, QP_RTS);
	rig_settle(&p->rig);
	assert_non_null(rig_poll(&p->ca));
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_SQ_DRAINED), 1);
}

/* All memory of a client is unmapped with everything under way. */
TEST(pair, test_client_dies)
{
	for (unsigned int i = 0; i < 8; i++)
		rig_post(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, RIG_BUF);
	rig_ring(&p->a);
	datapath_run(&p->rig.dev);
	mm_close(p->rig.mm);
	rig_pass(&p->rig, 1000000000ull);
	p->rig.mm = mm_open(p->rig.host, getpid(), -1);
	assert_non_null(p->rig.mm);
}
