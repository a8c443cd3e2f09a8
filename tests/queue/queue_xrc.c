/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that XRC's requests reach the SRQ that they name, with its CQ, user index and PD, in
 * bursts and packet by packet; their form on a wire; and that an SRQ of another domain ends both
 * ends.
 */
#include "tests/test.h"
#include <endian.h>
#include <dvx/prm/qp.h>
#include "queue_rig.h"
#include "queue/queue.h"
#include "transport/rc/rc.h"

#define OTHER_PD (RIG_PD + 1)

/* Two SRQs of b's domain, with another PD than its own. */
struct xrc {
	struct rig_pair *p;
	struct obj domain;
	struct rig_srq srq[2];
	bool gone; /* the first SRQ is destroyed before a message's last packet */
};

static int xrc_setup(void **state)
{
	static struct xrc x;

	x = (struct xrc){.p = rig_pair_open(&rig_xrc)};
	x.p->b.qp->xrcd = &x.domain;
	x.p->b.qp->rae = true;
	x.p->b.qp->atomic_mode = PRM_QPC_ATOMIC_MODE_UP_TO_8B;
	x.p->md->pdn = OTHER_PD;
	for (unsigned int i = 0; i < 2; i++) {
		rig_srq_open(&x.p->rig, &x.srq[i], OTHER_PD);
		x.srq[i].srq->xrcd = &x.domain;
		x.srq[i].srq->cq = x.p->cb.cq;
		x.srq[i].srq->user_index = 0x700 + i;
	}
	*state = &x;
	return 0;
}

static int xrc_teardown(void **state)
{
	struct xrc *x = *state;

	for (unsigned int i = 0; i < 2; i++)
		rig_srq_close(&x->srq[i]);
	rig_pair_close(x->p);
	return 0;
}

#define FIXTURE_xrc(name) FIXTURE(name, struct xrc *x, xrc_setup, xrc_teardown)

static struct rig_wqe to_srq(struct xrc *x, unsigned int i, uint8_t opcode, uint32_t imm)
{
	struct rig_wqe w = rig_begin(&x->p->a, opcode, SIGNALED, imm);

	prm_wqe_xrc_seg_pack(w.bytes + 16, .xrc_srqn = x->srq[i].srq->o.id);
	w.ds++;
	return w;
}

static void give(struct xrc *x, unsigned int i, unsigned int index)
{
	rig_srq_entry(&x->srq[i], index, (uint16_t)((index + 1) % RIG_SRQ_ENTRIES), x->p->dst,
		      RIG_BUF, rig_key(x->p->md));
	rig_srq_post(&x->srq[i], 1);
}

static const uint8_t *came(struct xrc *x, unsigned int i, uint8_t opcode)
{
	const uint8_t *cqe = rig_cqe(&x->p->cb);

	assert_int_equal(prm_cqe64_get_opcode(cqe), opcode);
	assert_int_equal(prm_cqe64_get_user_index(cqe), 0x700 + i);
	assert_int_equal(prm_cqe64_get_qpn(cqe), x->p->b.queue->o.id);
	assert_null(rig_poll(&x->p->cb));
	return cqe;
}

static void messages(struct xrc *x)
{
	static const uint32_t lengths[] = {0, 1, 1024, 1025, 200000};

	for (unsigned int k = 0; k < 10; k++) {
		const uint32_t len = lengths[k / 2];
		struct rig_wqe w = to_srq(x, k % 2, PRM_WQE_OPCODE_SEND_IMM, k);

		memset(x->p->dst, 0, RIG_BUF);
		give(x, k % 2, x->srq[k % 2].pi % RIG_SRQ_ENTRIES);
		if (len)
			rig_data(&w, x->p->src, len, rig_key(x->p->ms));
		rig_go(&w);
		rig_sent(&x->p->ca, 0);
		assert_int_equal(
			prm_cqe64_get_byte_cnt(came(x, k % 2, PRM_CQE_OPCODE_RESP_SEND_IMM)), len);
		assert_memory_equal(x->p->dst, x->p->src, len);
	}
}

static void memory(struct xrc *x)
{
	struct rig_wqe w = to_srq(x, 1, PRM_WQE_OPCODE_RDMA_WRITE, 0);
	uint64_t was, now;

	rig_raddr(&w, x->p->dst, rig_key(x->p->md));
	rig_data(&w, x->p->src, 100000, rig_key(x->p->ms));
	rig_go(&w);
	rig_sent(&x->p->ca, 0);
	assert_memory_equal(x->p->dst, x->p->src, 100000);
	w = to_srq(x, 0, PRM_WQE_OPCODE_RDMA_READ, 0);
	rig_raddr(&w, x->p->dst + 7, rig_key(x->p->md));
	rig_data(&w, x->p->src + 200000, 90000, rig_key(x->p->ms));
	rig_go(&w);
	rig_sent(&x->p->ca, 0);
	assert_memory_equal(x->p->dst + 7, x->p->src + 200000, 90000);
	memcpy(&was, x->p->dst, 8);
	w = to_srq(x, 0, PRM_WQE_OPCODE_ATOMIC_FA, 0);
	rig_raddr(&w, x->p->dst, rig_key(x->p->md));
	prm_wqe_atomic_seg_pack(w.bytes + 16 * w.ds++, .swap_add = 5);
	rig_data(&w, x->p->src, 8, rig_key(x->p->ms));
	rig_go(&w);
	rig_sent(&x->p->ca, 0);
	memcpy(&now, x->p->dst, 8);
	assert_int_equal(now, was + 5);
	assert_memory_equal(x->p->src, &was, 8);
	assert_null(rig_poll(&x->p->cb));
}

TEST(xrc, in_bursts)
{
	messages(x);
	memory(x);
}

/* All requests carry XRCETH behind BTH, no response does (annex A14). */
static void check(void *ctx, struct port *w, struct frame *f)
{
	struct xrc *x = ctx;
	const uint8_t *bth = rig_bth(f, NULL);
	const uint32_t srqn = bth_get32(bth + BTH_LEN);
	const uint8_t op = bth_row(bth[0])->op;

	assert_int_equal(bth[0] >> 5, BTH_XRC);
	if (op != OP_ACK && op != OP_READ_RESP && op != OP_ATOMIC_ACK)
		assert_true(srqn == x->srq[0].srq->o.id || srqn == x->srq[1].srq->o.id);
	port_queue(w, f);
}

TEST(xrc, packet_by_packet)
{
	port_set_hook(x->p->rig.dev.port, check, x);
	messages(x);
	memory(x);
	port_set_hook(x->p->rig.dev.port, NULL, NULL);
}

/* Checks for a NAK (invalid request), and that nothing is received. */
static void refused(struct xrc *x)
{
	struct rig_wqe w = to_srq(x, 0, PRM_WQE_OPCODE_SEND, 0);

	give(x, 0, 0);
	rig_data(&w, x->p->src, 8, rig_key(x->p->ms));
	rig_go(&w);
	rig_sent(&x->p->ca, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR);
	assert_null(rig_poll(&x->p->cb));
	assert_int_equal(x->p->b.queue->state, QP_ERR);
	assert_int_equal(rig_count(&x->p->rig, PRM_EVENT_WQ_INVAL_REQ_ERROR), 1);
}

TEST(xrc, another_domain)
{
	struct obj other = {.id = 1};

	x->srq[0].srq->xrcd = &other;
	refused(x);
}

TEST(xrc, no_xrc_srq)
{
	x->srq[0].srq->xrcd = NULL;
	refused(x);
}

/* Makes the last packet name the other SRQ. */
static void other_srq(void *ctx, struct port *w, struct frame *f)
{
	struct xrc *x = ctx;
	uint32_t len;
	uint8_t *bth = rig_bth(f, &len);
	const struct bth_row *row = bth_row(bth[0]);

	if (row->op == OP_SEND && row->ends && !row->starts) {
		bth_put32(bth + BTH_LEN, x->srq[1].srq->o.id);
		rig_reseal(f, len);
		if (x->gone)
			rq_serve(&x->p->b.qp->rq, NULL);
	}
	port_queue(w, f);
}

static void changes(struct xrc *x)
{
	struct rig_wqe w = to_srq(x, 0, PRM_WQE_OPCODE_SEND, 0);

	give(x, 0, 0);
	give(x, 1, 0);
	port_set_hook(x->p->rig.dev.port, other_srq, x);
	rig_data(&w, x->p->src, 3000, rig_key(x->p->ms));
	rig_go(&w);
	port_set_hook(x->p->rig.dev.port, NULL, NULL);
	rig_sent(&x->p->ca, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR);
}

/* A message belongs to one SRQ, */
TEST(xrc, another_srq_inside_a_message)
{
	changes(x);
}

/* and ends with it. */
TEST(xrc, srq_destroyed_inside_a_message)
{
	x->gone = true;
	changes(x);
}

/*
 * A new initiator sends to the second SRQ, where the last one's message waits for a page of the
 * first SRQ's entry. That entry ends, and is not used for the second SRQ.
 */
static void waits_and_another_comes(struct xrc *x)
{
	struct rig_wqe w = to_srq(x, 0, PRM_WQE_OPCODE_SEND, 0);

	give(x, 0, 0);
	give(x, 1, 0);
	x->p->md->on_demand = true;
	mkey_place(x->p->md);
	rig_data(&w, x->p->src, 8, rig_key(x->p->ms));
	rig_go(&w);
	x->p->md->on_demand = false;
	mkey_place(x->p->md);
	if (x->gone)
		srq_stop(x->srq[0].srq);
	queue_set_state(x->p->a.queue, QP_RST);
	x->p->a.sq_pi = 0;
	rig_connect_one(&x->p->a, &x->p->b);
	w = to_srq(x, 1, PRM_WQE_OPCODE_SEND, 0);
	rig_data(&w, x->p->src, 8, rig_key(x->p->ms));
	rig_go(&w);
	rig_sent(&x->p->ca, 0);
}

TEST(xrc, another_srq_after_a_missing_page)
{
	const uint8_t *cqe;

	waits_and_another_comes(x);
	cqe = rig_recv_failed(&x->p->cb, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(prm_err_cqe_get_srqn(cqe), 0x700);
	came(x, 1, PRM_CQE_OPCODE_RESP_SEND);
}

TEST(xrc, srq_destroyed_after_a_missing_page)
{
	x->gone = true;
	waits_and_another_comes(x);
	came(x, 1, PRM_CQE_OPCODE_RESP_SEND);
}

/* A READ of another SRQ that is repeated meanwhile does not end the entry. */
TEST(xrc, another_srq_is_read_after_a_missing_page)
{
	struct rig_wqe w = to_srq(x, 1, PRM_WQE_OPCODE_RDMA_READ, 0);
	unsigned int n = 0;

	port_set_hook(x->p->rig.dev.port, rig_first_frame, &n);
	rig_raddr(&w, x->p->dst, rig_key(x->p->md));
	rig_data(&w, x->p->src, 8, rig_key(x->p->ms));
	rig_go(&w);
	port_set_hook(x->p->rig.dev.port, rig_count_frame, &n);
	give(x, 0, 0);
	x->p->md->on_demand = true;
	mkey_place(x->p->md);
	w = to_srq(x, 0, PRM_WQE_OPCODE_SEND, 0);
	rig_data(&w, x->p->src, 8, rig_key(x->p->ms));
	rig_go(&w);
	rig_pass(&x->p->rig, 1000000000);
	rig_sent(&x->p->ca, 0);
	rig_sent(&x->p->ca, 0);
	came(x, 0, PRM_CQE_OPCODE_RESP_SEND);
}

/* A READ that is repeated after its SRQ has gone is refused by its own number. */
TEST(xrc, srq_destroyed_before_a_read_is_repeated)
{
	struct rig_wqe w = to_srq(x, 0, PRM_WQE_OPCODE_RDMA_READ, 0);
	unsigned int n = 0;

	port_set_hook(x->p->rig.dev.port, rig_first_frame, &n);
	rig_raddr(&w, x->p->dst, rig_key(x->p->md));
	rig_data(&w, x->p->src, 8, rig_key(x->p->ms));
	rig_go(&w);
	port_set_hook(x->p->rig.dev.port, rig_count_frame, &n);
	x->srq[0].srq->xrcd = NULL;
	rig_pass(&x->p->rig, 1000000000);
	rig_sent(&x->p->ca, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR);
}

/* The queue pair's own PD gives no access. */
TEST(xrc, pd_of_the_srq)
{
	struct rig_wqe w = to_srq(x, 0, PRM_WQE_OPCODE_RDMA_WRITE, 0);

	x->p->md->pdn = RIG_PD;
	rig_raddr(&w, x->p->dst, rig_key(x->p->md));
	rig_data(&w, x->p->src, 8, rig_key(x->p->ms));
	rig_go(&w);
	rig_sent(&x->p->ca, PRM_SYNDROME_REMOTE_ACCESS_ERR);
}

/* In ERR a target flushes no receives: it has none of its own, whatever its doorbell record says. */
TEST(xrc, nothing_to_flush)
{
	x->p->b.dbrec[0] = htobe32(5);
	rq_serve(&x->p->b.qp->rq, NULL);
	queue_set_state(x->p->b.queue, QP_ERR);
	rig_settle(&x->p->rig);
	assert_int_equal(x->p->b.queue->stats->resp_cqe_error, 0);
}
