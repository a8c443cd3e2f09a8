/* SPDX-License-Identifier: BSD-2-Clause */
/* Cross-channel requests: queues that wait for CQs, and that others start. */
#include "verify.h"

static struct bench_pair cross_pair(struct bench *b, uint32_t flags)
{
	struct bench_pair p = bench_pair_default(b);

	p.flags = flags;
	bench_pair_make(b, &p);
	return p;
}

/* Posts NOPs; a managed queue gets no doorbell. */
static void cross_nops(struct bench_pair *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		NEED(dvx_post_nop(p->sq, i, DVX_SIGNALED));
	if (!(p->flags & DVX_QP_MANAGED_SEND))
		dvx_sq_ring(p->sq);
}

/* Enables requests of a managed queue up to an index, and waits for the request's end. */
static void cross_enable(struct bench_pair *master, struct bench_pair *managed, uint32_t index)
{
	NEED(dvx_post_send_enable(master->sq, dvx_qp_number(managed->qp[0]), index, 1,
				  DVX_SIGNALED));
	dvx_sq_ring(master->sq);
	bench_need_done(master->cq[0], "SEND_EN");
}

void probe_sq_enable(struct bench *b)
{
	struct bench_pair master = cross_pair(b, DVX_QP_MASTER);
	struct bench_pair managed = cross_pair(b, DVX_QP_MANAGED_SEND);
	static const uint8_t data[64];

	NEED(dvx_post_write_inline(managed.sq, b->addr, b->key, data, sizeof(data), 1,
				   DVX_SIGNALED));
	cross_nops(&managed, 1);
	bench_expect_none(managed.cq[0], "a managed queue before SEND_EN");
	cross_enable(&master, &managed, 2);
	bench_expect_done(managed.cq[0], "a WRITE of two blocks, SEND_EN 2");
	bench_expect_none(managed.cq[0], "the NOP behind two blocks, SEND_EN 2");
	cross_enable(&master, &managed, 3);
	bench_expect_done(managed.cq[0], "the NOP behind two blocks, SEND_EN 3");
}

void probe_sq_enable_2(struct bench *b)
{
	struct bench_pair master = cross_pair(b, DVX_QP_MASTER);
	struct bench_pair managed = cross_pair(b, DVX_QP_MANAGED_SEND);

	cross_nops(&managed, 3);
	cross_enable(&master, &managed, 2);
	bench_expect_done(managed.cq[0], "NOP 1, SEND_EN 2");
	bench_expect_done(managed.cq[0], "NOP 2, SEND_EN 2");
	cross_enable(&master, &managed, 1);
	bench_expect_none(managed.cq[0], "NOP 3, SEND_EN 2 and then 1");
}

/* Posts a cross-channel request that must fail. */
static void cross_fails(struct bench *b, uint32_t flags, uint8_t opcode, uint32_t number,
			const char *what)
{
	struct bench_pair p = cross_pair(b, flags);

	NEED(dvx_post_cross(p.sq, opcode, number, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_LOCAL_QP_OP_ERR, what);
}

void probe_cross_step(struct bench *b)
{
	const uint32_t both = DVX_QP_MANAGED_SEND | DVX_QP_MANAGED_RECV;
	struct bench_pair managed = cross_pair(b, both), plain = cross_pair(b, 0);
	uint32_t qpn = dvx_qp_number(managed.qp[0]), other = dvx_qp_number(plain.qp[0]);

	cross_fails(b, 0, PRM_WQE_OPCODE_SEND_EN, qpn, "SEND_EN without cd_master");
	cross_fails(b, 0, PRM_WQE_OPCODE_RECV_EN, qpn, "RECV_EN without cd_master");
	cross_fails(b, DVX_QP_MASTER, PRM_WQE_OPCODE_SEND_EN, other,
		    "SEND_EN of a queue that is not managed");
	cross_fails(b, DVX_QP_MASTER, PRM_WQE_OPCODE_RECV_EN, other,
		    "RECV_EN of a queue that is not managed");
	cross_fails(b, DVX_QP_MASTER, PRM_WQE_OPCODE_SEND_EN, 0xfffff0, "SEND_EN of no queue");
	cross_fails(b, DVX_QP_MASTER, PRM_WQE_OPCODE_WAIT, 0xfffff0, "WAIT for no CQ");
}

void probe_cross_parse_wait(struct bench *b)
{
	struct bench_pair waits = cross_pair(b, 0), other = cross_pair(b, 0);

	NEED(dvx_post_wait(waits.sq, other.cq[0]->cqn, 1, 1, 0));
	cross_nops(&waits, 1);
	bench_expect_none(waits.cq[0], "a NOP behind a WAIT");
	cross_nops(&other, 1);
	bench_expect_done(waits.cq[0], "a NOP behind a WAIT that is over");
}

void probe_cross_cq_stop(struct bench *b)
{
	struct bench_pair waits = cross_pair(b, DVX_QP_MASTER);
	struct dvx_cq_attr attr = {.size = sizeof(attr), .entries = 16, .uar = b->uar};
	struct dvx_cq *cq;
	const void *cqe;

	NEED(dvx_cq_create(b->dev, &attr, &cq));
	NEED(dvx_post_wait(waits.sq, cq->cqn, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(waits.sq);
	bench_expect_none(waits.cq[0], "a WAIT for an empty CQ");
	NEED(dvx_cq_destroy(cq));
	cqe = bench_wait(waits.cq[0]);
	EXPECT(cqe, "no completion of a WAIT whose CQ is gone");
	bench_expect_error(waits.cq[0], PRM_SYNDROME_LOCAL_QP_OP_ERR, "a WAIT whose CQ is gone");
}

/* ---- indices ---- */

/* Fills the ring; a managed queue gets no doorbell. Returns how many requests it holds. */
static uint32_t cross_fill(struct bench_pair *p)
{
	uint32_t n = dvx_sq_free(p->sq);

	for (uint32_t i = 0; i < n; i++)
		NEED(dvx_post_nop(p->sq, i, DVX_SIGNALED));
	return n;
}

static void cross_all_done(struct bench_pair *p, uint32_t n, const char *what)
{
	while (n--)
		bench_expect_done(p->cq[0], what);
}

void probe_enable_beyond_ring(struct bench *b)
{
	struct bench_pair master = cross_pair(b, DVX_QP_MASTER);
	struct bench_pair managed = cross_pair(b, DVX_QP_MANAGED_SEND);
	uint32_t n = cross_fill(&managed);

	cross_enable(&master, &managed, managed.sq->pi + 2 * dvx_sq_blocks(managed.sq));
	cross_all_done(&managed, n, "a full ring, SEND_EN two rings ahead");
}

/* Writes the record and the register by hand. */
void probe_record_beyond_ring(struct bench *b)
{
	struct bench_pair p = cross_pair(b, 0);
	uint32_t n = cross_fill(&p);
	uint16_t ahead = (uint16_t)(p.sq->pi + dvx_sq_blocks(p.sq));

	dvx_barrier_wqe_to_record();
	*dvx_sq_record_index(p.sq) = prm_swap16(ahead);
	dvx_barrier_record_to_register();
	*(volatile uint64_t *)p.sq->reg = p.sq->head;
	dvx_barrier_register_flush();
	cross_all_done(&p, n, "a full ring, a record one ring ahead of it");
}

/* Posts a WAIT for an index of the CQ, and a signaled NOP behind it. */
static void cross_wait(struct bench_pair *waits, const struct dvx_cq *cq, uint32_t index)
{
	NEED(dvx_post_wait(waits->sq, cq->cqn, index, 1, 0));
	cross_nops(waits, 1);
}

void probe_wait_counts_24_bits(struct bench *b)
{
	const uint32_t half = 1u << 23;
	struct bench_pair waits = cross_pair(b, 0);
	struct dvx_cq *cq = bench_cq(b);

	cross_wait(&waits, cq, half + 1);
	bench_expect_done(waits.cq[0], "a WAIT for 2^23 - 1 completions before");
	cross_wait(&waits, cq, 1);
	bench_expect_none(waits.cq[0], "a WAIT for the first completion");
	NEED(dvx_cq_resize(cq, 256, NULL));
	bench_expect_done(waits.cq[0], "a WAIT for a completion, which RESIZE_CQ was");
	cross_wait(&waits, cq, half + 1);
	bench_expect_none(waits.cq[0], "a WAIT for 2^23 completions ahead");
}

/* Sends one message, which needs a receive. */
static void cross_send(struct bench_pair *p)
{
	NEED(dvx_post_send_inline(p->sq, "x", 1, 1, 0));
	dvx_sq_ring(p->sq);
}

static void cross_receive(struct bench *b, struct bench_pair *p)
{
	struct dvx_sge to = {b->addr, 64, b->key};

	NEED(dvx_rq_post(p->rq, &to, 1, 1));
	dvx_rq_ring(p->rq);
}

void probe_managed_receives(struct bench *b)
{
	struct bench_pair master = cross_pair(b, DVX_QP_MASTER);
	struct bench_pair managed = cross_pair(b, DVX_QP_MANAGED_RECV);

	cross_receive(b, &managed);
	NEED(dvx_post_recv_enable(master.sq, dvx_qp_number(managed.qp[1]), 2, 1, DVX_SIGNALED));
	dvx_sq_ring(master.sq);
	bench_need_done(master.cq[0], "RECV_EN");
	cross_send(&managed);
	cross_send(&managed);
	bench_expect_done(managed.cq[1], "the first receive, RECV_EN 2");
	bench_expect_none(managed.cq[1], "the second receive, which is not posted, RECV_EN 2");
	cross_receive(b, &managed);
	bench_expect_done(managed.cq[1], "the second receive, RECV_EN 2");
	cross_receive(b, &managed);
	NEED(dvx_qp_to_err(managed.qp[1]));
	bench_expect_error(managed.cq[1], PRM_SYNDROME_WR_FLUSH_ERR,
			   "a receive that was not enabled, in ERR");
}

/* The other program is another open device of this one. */
void probe_cross_channel_of_others(struct bench *b)
{
	struct bench other = {0};
	struct bench_pair p;
	uint32_t qpn;

	bench_open_device(&other, dvx_dev_name(b->dev));
	bench_make(&other);
	p = cross_pair(&other, DVX_QP_MANAGED_SEND | DVX_QP_MANAGED_RECV);
	qpn = dvx_qp_number(p.qp[0]);
	cross_fails(b, DVX_QP_MASTER, PRM_WQE_OPCODE_SEND_EN, qpn, "SEND_EN of another's queue");
	cross_fails(b, DVX_QP_MASTER, PRM_WQE_OPCODE_RECV_EN, qpn, "RECV_EN of another's queue");
	cross_fails(b, DVX_QP_MASTER, PRM_WQE_OPCODE_WAIT, p.cq[0]->cqn, "WAIT for another's CQ");
}
