/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves cross-channel requests: a managed queue sends and receives up to the index that another
 * queue's requests name, a WAIT holds its queue until its CQ has had its count of completions, and
 * nothing polls meanwhile. */
#include "tests/test.h"
#include "queue_rig.h"
#include "queue/queue.h"
#include "queue/services.h"
#include "transport/transport.h"

#define LEN 64u

/* The pair, whose queues may be managed, and a queue that starts them. */
struct cross {
	struct rig_pair *p;
	struct rig_cq cq;
	struct rig_qp m;
};

static int cross_setup(void **state)
{
	struct cross *x = calloc(1, sizeof(*x));

	assert_non_null(x);
	x->p = rig_pair_open(*state);
	rig_cq_open(&x->p->rig, &x->cq, BLUEFIELD2_HOST, 6, false);
	rig_qp_open(&x->p->rig, &x->m, BLUEFIELD2_HOST, &x->cq, &x->cq, 4, 3);
	x->m.qp->fl = true;
	x->m.qp->sq.master = true;
	rig_connect(&x->m, &x->m);
	*state = x;
	return 0;
}

static int cross_teardown(void **state)
{
	struct cross *x = *state;

	rig_qp_close(&x->m);
	if (x->cq.cq)
		rig_cq_close(&x->cq);
	rig_pair_close(x->p);
	free(x);
	return 0;
}

#define FIXTURE_cross_on(name, kind) \
	FIXTURE_WITH(name, struct cross *x, cross_setup, cross_teardown, kind)
#define FIXTURE_cross(name)    FIXTURE_cross_on(name, &rig_rc)
#define FIXTURE_cross_ud(name) FIXTURE_cross_on(name, &rig_ud)

static void post_cross(struct rig_qp *q, uint8_t opcode, uint8_t opmod, uint32_t number,
		       uint32_t index)
{
	struct rig_wqe w = rig_begin(q, opcode, SIGNALED, 0);

	prm_wqe_ctrl_seg_set_opmod(w.bytes, opmod);
	memset(w.bytes + 16, 0, 16);
	prm_wqe_qseg_set_max_index(w.bytes + 16, index);
	prm_wqe_qseg_set_qpn_cqn(w.bytes + 16, number);
	w.ds++;
	rig_end(&w);
}

static void wait_for(struct rig_qp *q, const struct rig_cq *cq, uint32_t index)
{
	post_cross(q, PRM_WQE_OPCODE_WAIT, 0, cq->cq->o.id, index);
}

static void enable(struct rig_qp *q, const struct rig_qp *to, uint32_t index)
{
	post_cross(q, PRM_WQE_OPCODE_SEND_EN, 0, to->queue->o.id, index);
}

/* Checks for n good completions, and no more. */
static void completed(struct rig_cq *cq, unsigned int n)
{
	const uint8_t *cqe;

	for (; n; n--) {
		cqe = rig_cqe(cq);
		assert_in_range(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ,
				PRM_CQE_OPCODE_RESP_SEND);
	}
	assert_null(rig_poll(cq));
}

static void cross_receive(struct cross *x, struct rig_qp *q, uint8_t *to, unsigned int n)
{
	const uint32_t key = rig_key(to == x->p->dst ? x->p->md : x->p->ms);

	for (unsigned int i = 0; i < n; i++)
		rig_recv(q, to + i * LEN, LEN, key);
}

/* A managed queue runs up to SEND_EN's index, without a write to its record or register. */
TEST(cross, enabled_sends)
{
	x->p->a.qp->sq.managed = true;
	for (unsigned int i = 0; i < 3; i++)
		rig_nop(&x->p->a);
	rig_settle(&x->p->rig);
	completed(&x->p->ca, 0);
	enable(&x->m, &x->p->a, 2);
	rig_run(&x->m);
	completed(&x->cq, 1);
	completed(&x->p->ca, 2);
	enable(&x->m, &x->p->a, 1); /* reached already */
	rig_run(&x->m);
	completed(&x->p->ca, 0);
	enable(&x->m, &x->p->a, 0x10003); /* only 16 bits count */
	rig_run(&x->m);
	completed(&x->p->ca, 1);
}

/* Other queues' doorbells read a managed queue's record: an unwritten record starts nothing. */
TEST(cross, old_records_start_nothing)
{
	x->p->a.qp->sq.managed = true;
	for (uint16_t i = 8; i; i = (uint16_t)(i + 8)) {
		for (unsigned int n = 0; n < 8; n++)
			rig_nop(&x->p->a);
		enable(&x->m, &x->p->a, i);
		rig_run(&x->m);
		completed(&x->p->ca, 8);
		completed(&x->cq, 1);
		if (!(i % 0x2000)) {
			rig_nop(&x->p->b);
			rig_run(&x->p->b);
			completed(&x->p->cb, 1);
			completed(&x->p->ca, 0);
		}
	}
}

/* Its own doorbell starts it as well (DPDK does both), and that start lasts. */
TEST(cross, own_doorbell)
{
	x->p->a.qp->sq.managed = true;
	rig_nop(&x->p->a);
	enable(&x->m, &x->p->a, 1);
	rig_run(&x->m);
	completed(&x->p->ca, 1);
	rig_nop(&x->p->a);
	rig_run(&x->p->a);
	completed(&x->p->ca, 1);
	rig_nop(&x->p->a);
	enable(&x->m, &x->p->a, 3);
	rig_run(&x->m);
	completed(&x->p->ca, 1);
	assert_int_equal(x->p->a.qp->sq.ci, 3);
	x->p->a.sq_pi = 1; /* a record that comes late */
	rig_run(&x->p->a);
	completed(&x->p->ca, 0);
	assert_int_equal(x->p->a.qp->sq.ci, 3);
	/* after a restart the same record counts again */
	rig_restart(&x->p->a, &x->p->b);
	rig_nop(&x->p->a);
	rig_run(&x->p->a);
	completed(&x->p->ca, 1);
}

/* An arriving message starts a prepared answer; the processor does nothing. */
TEST(cross, a_receive_starts_a_send)
{
	struct rig_wqe w = rig_begin(&x->p->b, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	x->p->b.qp->sq.managed = true;
	cross_receive(x, &x->p->b, x->p->dst, 1);
	cross_receive(x, &x->p->a, x->p->src + 4096, 1);
	rig_data(&w, x->p->dst, 6, rig_key(x->p->md));
	rig_end(&w);
	wait_for(&x->m, &x->p->cb, 1);
	enable(&x->m, &x->p->b, 1);
	rig_run(&x->m);
	completed(&x->cq, 0);
	memset(x->p->src + 4096, 0, LEN);
	rig_message(&x->p->a, SIGNALED, "hello");
	rig_run(&x->p->a);
	completed(&x->cq, 2);
	completed(&x->p->cb, 2);
	completed(&x->p->ca, 2);
	assert_string_equal((char *)x->p->src + 4096, "hello");
}

/* Several queues wait for one CQ, each for its own count; requests before a WAIT do not wait. */
TEST(cross, waits_by_count)
{
	rig_nop(&x->m);
	wait_for(&x->m, &x->p->ca, 2);
	rig_nop(&x->m);
	wait_for(&x->p->b, &x->p->ca, 3);
	rig_ring(&x->p->b);
	rig_run(&x->m);
	completed(&x->cq, 1);
	for (unsigned int i = 0; i < 3; i++) {
		rig_nop(&x->p->a);
		rig_run(&x->p->a);
		completed(&x->cq, i == 1 ? 2 : 0);
		completed(&x->p->cb, i == 2);
	}
}

/* A CQ's count has 24 bits and wraps; a WAIT's higher bits are ignored. */
TEST(cross, count_turns_over)
{
	x->p->ca.cq->pi = x->p->ca.cq->ci = x->p->ca.ci = 0xfffffc0;
	x->p->ca.dbrec[0] = htobe32(0xffffc0);
	wait_for(&x->m, &x->p->ca, 0x55ffffc0);
	wait_for(&x->m, &x->p->ca, 0);
	rig_run(&x->m);
	completed(&x->cq, 1);
	for (unsigned int i = 0; i < 64; i++) {
		completed(&x->cq, 0);
		rig_nop(&x->p->a);
		rig_run(&x->p->a);
		assert_non_null(rig_poll(&x->p->ca));
	}
	completed(&x->cq, 1);
}

/* A waiting queue is looked at when its CQ has the count, and not before. */
TEST(cross, nothing_polls)
{
	rig_nop(&x->m);
	wait_for(&x->m, &x->p->ca, 9);
	rig_run(&x->m);
	for (unsigned int i = 0; i < 8; i++) {
		rig_nop(&x->p->a);
		rig_run(&x->p->a);
		memset(x->m.sq + 64, 0xff, 16); /* the WAIT, in case it is fetched again */
		rig_nop(&x->m);
		rig_run(&x->m);
		sq_reschedule(&x->m.qp->sq); /* as a timer of its transport does */
		rig_settle(&x->p->rig);
	}
	assert_int_equal(x->m.qp->sq.ci, 1);
	assert_int_equal(x->m.queue->state, QP_RTS);
}

/* A managed receive queue takes messages up to RECV_EN's index, while its record has entries. */
TEST(cross, enabled_receives)
{
	x->p->b.qp->rq.managed = true;
	cross_receive(x, &x->p->b, x->p->dst, 1);
	for (unsigned int i = 0; i < 2; i++)
		rig_message(&x->p->a, SIGNALED, "x");
	rig_run(&x->p->a);
	completed(&x->p->cb, 0);
	post_cross(&x->m, PRM_WQE_OPCODE_RECV_EN, 0, x->p->b.queue->o.id, 3);
	rig_run(&x->m);
	completed(&x->cq, 1);
	rig_pass(&x->p->rig, 1000000000);
	completed(&x->p->cb, 1);
	cross_receive(x, &x->p->b, x->p->dst, 3);
	rig_pass(&x->p->rig, 1000000000);
	completed(&x->p->cb, 1);
	for (unsigned int i = 0; i < 2; i++)
		rig_message(&x->p->a, SIGNALED, "x");
	rig_run(&x->p->a);
	rig_pass(&x->p->rig, 1000000000);
	completed(&x->p->cb, 1);
	post_cross(&x->m, PRM_WQE_OPCODE_RECV_EN, 0, x->p->b.queue->o.id, 4);
	rig_run(&x->m);
	rig_pass(&x->p->rig, 1000000000);
	completed(&x->p->cb, 1);
}

/* All service types start others and wait. */
TEST(cross, all_transports)
{
	static const struct transport *const all[] = {&transport_rc, &transport_uc, &transport_ud,
						      &transport_xrc, &transport_dci};
	struct rig_qp m;

	x->p->a.qp->sq.managed = true;
	for (uint16_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		x->p->rig.transport = all[i];
		rig_qp_open(&x->p->rig, &m, BLUEFIELD2_HOST, &x->cq, &x->cq, 4, 3);
		m.qp->fl = true;
		m.qp->sq.master = true;
		rig_connect(&m, &m);
		rig_nop(&x->p->a);
		wait_for(&m, &x->p->ca, i);
		enable(&m, &x->p->a, (uint16_t)(i + 1));
		wait_for(&m, &x->p->ca, i + 1u);
		rig_run(&m);
		completed(&x->p->ca, 1);
		completed(&x->cq, 3);
		rig_qp_close(&m);
	}
}

static void cross_refused(struct cross *x, const char *what, uint8_t vendor)
{
	const uint8_t *cqe;

	rig_run(&x->m);
	cqe = rig_poll(&x->cq);
	if (!cqe || prm_err_cqe_get_syndrome(cqe) != PRM_SYNDROME_LOCAL_QP_OP_ERR ||
	    prm_err_cqe_get_vendor_err_synd(cqe) != vendor)
		fail_msg("%s: not refused", what);
	rig_restart(&x->m, &x->m);
}

/* Numbers of no object, or of one not made for it, are refused. */
TEST(cross, refusals)
{
	const uint32_t a = x->p->a.queue->o.id, ca = x->p->ca.cq->o.id;
	static const struct {
		const char *what;
		uint8_t opcode, opmod, vendor;
		bool cq, none, orphan, foreign;
	} table[] = {
		{"WAIT for memory", PRM_WQE_OPCODE_WAIT, 1, VENDOR_OPCODE, .cq = true},
		{"WAIT for a time", PRM_WQE_OPCODE_WAIT, 2, VENDOR_OPCODE, .cq = true},
		{"WAIT for no CQ", PRM_WQE_OPCODE_WAIT, 0, VENDOR_CROSS, .none = true},
		{"WAIT for another's CQ", PRM_WQE_OPCODE_WAIT, 0, VENDOR_CROSS, .cq = true,
		 .foreign = true},
		{"SEND_EN of no queue", PRM_WQE_OPCODE_SEND_EN, 0, VENDOR_CROSS, .none = true},
		{"SEND_EN of a queue of its own", PRM_WQE_OPCODE_SEND_EN, 0, VENDOR_CROSS,
		 .cq = false},
		{"RECV_EN of a queue of its own", PRM_WQE_OPCODE_RECV_EN, 0, VENDOR_CROSS,
		 .cq = false},
		{"SEND_EN of another's queue", PRM_WQE_OPCODE_SEND_EN, 0, VENDOR_CROSS,
		 .foreign = true},
		{"SEND_EN by no master", PRM_WQE_OPCODE_SEND_EN, 0, VENDOR_CROSS, .orphan = true},
	};

	for (unsigned int i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		x->m.qp->sq.master = !table[i].orphan;
		x->m.queue->o.uid = table[i].foreign ? 7 : 0;
		x->p->a.queue->o.uid = x->p->ca.cq->o.uid = table[i].foreign ? 8 : 0;
		x->p->a.qp->sq.managed = table[i].orphan || table[i].foreign;
		post_cross(&x->m, table[i].opcode, table[i].opmod,
			   table[i].none ? 0xabcdef
			   : table[i].cq ? ca
					 : a,
			   0);
		cross_refused(x, table[i].what, table[i].vendor);
	}
}

/* A destroyed CQ leaves no queue waiting for it; a destroyed queue leaves nothing at the CQ. */
TEST(cross, ends)
{
	struct rig_cq cq;

	rig_cq_open(&x->p->rig, &cq, BLUEFIELD2_HOST, 6, false);
	wait_for(&x->m, &cq, 1);
	rig_run(&x->m);
	completed(&x->cq, 0);
	rig_cq_close(&cq);
	cross_refused(x, "WAIT for a CQ that went", VENDOR_CROSS);
	for (unsigned int i = 0; i < 2; i++) {
		wait_for(&x->m, &x->p->ca, 1);
		rig_run(&x->m);
		if (i)
			queue_set_state(x->m.queue, QP_ERR);
		rig_settle(&x->p->rig);
		assert_true(!i == !rig_poll(&x->cq)); /* flushed */
		rig_restart(&x->m, &x->m);
	}
	rig_nop(&x->p->a);
	rig_run(&x->p->a);
	completed(&x->p->ca, 1);
	rig_nop(&x->m);
	rig_run(&x->m);
	completed(&x->cq, 1);
}

/* Sends that continue after an error do not wait for flushed requests. */
TEST(cross_ud, a_flushed_wait_ends)
{
	struct rig_wqe w = rig_begin(&x->m, PRM_WQE_OPCODE_SEND, SIGNALED, 0);

	rig_av(&w, &x->p->b);
	rig_data(&w, x->p->src, 8, 0x100);
	rig_end(&w);
	wait_for(&x->m, &x->p->ca, 1);
	rig_run(&x->m);
	assert_int_equal(x->m.queue->state, QP_SQER);
	for (unsigned int i = 0; i < 2; i++)
		assert_non_null(rig_poll(&x->cq));
	queue_set_state(x->m.queue, QP_RTS);
	rig_nop(&x->m);
	rig_run(&x->m);
	completed(&x->cq, 1);
}
