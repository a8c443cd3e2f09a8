/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that SEND, WRITE and READ move the right bytes and make the right CQEs, at every length,
 * with scatter/gather, inline data, immediate data, ring and PSN wrap. */
#include "tests/test.h"
#include <endian.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/log.h"
#include "queue_rig.h"
#include "queue/queue.h"
#include "transport/bth.h"

static const uint32_t lengths[] = { 1, 3, 8, 1023, 1024, 1025, 2048, 4096, 65535, 65536, 65537,
				    200000, RIG_BUF };
#define NLENGTHS (sizeof(lengths) / sizeof(lengths[0]))

static void expect_req(struct rig_cq *c, uint8_t opcode, uint16_t index, uint32_t qpn)
{
	const uint8_t *cqe = rig_sent(c, 0);

	assert_int_equal(prm_cqe64_get_s_wqe_opcode(cqe), opcode);
	assert_int_equal(prm_cqe64_get_wqe_counter(cqe), index);
	assert_int_equal(prm_cqe64_get_qpn(cqe), qpn);
	assert_int_equal(prm_cqe64_get_user_index(cqe), 0x1234);
}

TEST(pair, test_write)
{
	for (unsigned int i = 0; i < NLENGTHS; i++) {
		uint16_t index = p->a.sq_pi;

		memset(p->dst, 0, RIG_BUF);
		rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, lengths[i]);
		assert_memory_equal(p->src, p->dst, lengths[i]);
		expect_req(&p->ca, PRM_WQE_OPCODE_RDMA_WRITE, index, p->a.qp->q.o.id);
		assert_null(rig_poll(&p->ca));
		assert_null(rig_poll(&p->cb));
	}
}

TEST(pair, test_read)
{
	memcpy(p->dst, p->src, RIG_BUF);
	for (unsigned int i = 0; i < NLENGTHS; i++) {
		uint16_t index = p->a.sq_pi;
		const uint8_t *cqe;

		memset(p->src, 0, RIG_BUF);
		rig_do(p, PRM_WQE_OPCODE_RDMA_READ, 0, lengths[i]);
		assert_memory_equal(p->src, p->dst, lengths[i]);
		cqe = rig_sent(&p->ca, 0);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), lengths[i]);
		assert_int_equal(prm_cqe64_get_wqe_counter(cqe), index);
	}
}

TEST(pair, test_send)
{
	for (unsigned int i = 0; i < NLENGTHS; i++) {
		bool imm = i % 2;
		uint8_t op = imm ? PRM_WQE_OPCODE_SEND_IMM : PRM_WQE_OPCODE_SEND;
		struct rig_wqe w = rig_begin(&p->a, op, SIGNALED | PRM_WQE_CTRL_FLAG_SOLICITED,
					     0x11223344);
		const uint8_t *cqe;

		memset(p->dst, 0, RIG_BUF);
		rig_recv(&p->b, p->dst, RIG_BUF, rig_key(p->md));
		rig_data(&w, p->src, lengths[i], rig_key(p->ms));
		rig_go(&w);
		assert_memory_equal(p->src, p->dst, lengths[i]);
		cqe = rig_cqe(&p->cb);
		assert_int_equal(prm_cqe64_get_opcode(cqe), imm ? PRM_CQE_OPCODE_RESP_SEND_IMM :
								  PRM_CQE_OPCODE_RESP_SEND);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), lengths[i]);
		assert_int_equal(prm_cqe64_get_wqe_counter(cqe), i);
		assert_int_equal(prm_cqe64_get_se(cqe), 1);
		if (imm)
			assert_int_equal(prm_cqe64_get_immediate(cqe), 0x11223344);
		assert_non_null(rig_poll(&p->ca));
	}
}

TEST(pair, test_write_imm)
{
	static const uint32_t some[] = { 0, 5, 1024, 5000, 300000 };

	for (unsigned int i = 0; i < 5; i++) {
		struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_RDMA_WRITE_IMM, SIGNALED, 77 + i);
		const uint8_t *cqe;

		rig_recv(&p->b, NULL, 0, 0x100);
		rig_raddr(&w, p->dst, rig_key(p->md));
		if (some[i])
			rig_data(&w, p->src, some[i], rig_key(p->ms));
		rig_go(&w);
		assert_memory_equal(p->src, p->dst, some[i]);
		cqe = rig_cqe(&p->cb);
		assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_WR_IMM);
		assert_int_equal(prm_cqe64_get_immediate(cqe), 77 + i);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), some[i]);
		assert_non_null(rig_poll(&p->ca));
	}
}

/* Several inline segments beside pointers, over the ring's end. */
TEST(pair, test_lists_wrap)
{
	for (unsigned int i = 0; i < 40; i++) {
		struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, 0);
		uint8_t want[300];

		rig_raddr(&w, p->dst + i, rig_key(p->md));
		rig_inline(&w, p->src, 37);
		rig_data(&w, p->src + 100, 60, rig_key(p->ms));
		rig_data(&w, p->src + 7, 1, rig_key(p->ms));
		rig_inline(&w, p->src + 500, 90);
		memcpy(want, p->src, 37);
		memcpy(want + 37, p->src + 100, 60);
		want[97] = p->src[7];
		memcpy(want + 98, p->src + 500, 90);
		rig_go(&w);
		assert_memory_equal(p->dst + i, want, 188);
		assert_non_null(rig_poll(&p->ca));
	}
	assert_true(p->a.sq_pi > 100);
}

/* 16-bit counters of both rings wrap; a full RQ of 8 entries is used to its last entry. */
TEST(pair, test_counters_wrap)
{
	for (unsigned int i = 0; i < 66000 / 8; i++) {
		for (unsigned int k = 0; k < 8; k++) {
			struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_SEND, k == 7 ? SIGNALED : 0, 0);
			uint32_t n = i * 8 + k;

			rig_recv(&p->b, p->dst + 4 * k, 4, rig_key(p->md));
			rig_inline(&w, &n, sizeof(n));
			rig_end(&w);
		}
		rig_run(&p->a);
		for (unsigned int k = 0; k < 8; k++) {
			const uint8_t *cqe = rig_poll(&p->cb);
			uint32_t n = i * 8 + k;

			assert_non_null(cqe);
			assert_int_equal(prm_cqe64_get_wqe_counter(cqe), n & 0xffff);
			assert_memory_equal(p->dst + 4 * k, &n, sizeof(n));
		}
		assert_null(rig_poll(&p->cb));
		assert_int_equal(prm_cqe64_get_wqe_counter(rig_poll(&p->ca)), (i * 8 + 7) & 0xffff);
	}
}

/* Unsignaled requests make no CQE; a later one's CQE completes them. NOP completes in order. */
TEST(pair, test_unsignaled_nop)
{
	for (unsigned int i = 0; i < 3; i++)
		rig_rdma(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, 0, p->dst, p->md, p->src, 100000, p->ms);
	rig_nop(&p->a);
	rig_run(&p->a);
	expect_req(&p->ca, PRM_WQE_OPCODE_NOP, 3, p->a.qp->q.o.id);
	assert_null(rig_poll(&p->ca));
	assert_int_equal(p->a.qp->sq.done, 4);
}

/* A record without a register write starts nothing; neither does a write to another UAR. */
TEST(pair, test_no_doorbell)
{
	rig_nop(&p->a);
	p->a.dbrec[1] = htobe32(p->a.sq_pi);
	rig_pass(&p->rig, 1000000000);
	assert_null(rig_poll(&p->ca));
	queue_doorbell(&p->rig.dev, RIG_UAR + 1, 0x800, 0);
	rig_pass(&p->rig, 1000000000);
	assert_null(rig_poll(&p->ca));
	rig_run(&p->a);
	assert_non_null(rig_poll(&p->ca));
}

/* When a burst loses its first register value, the record of the UAR's other queue still counts. */
TEST(pair, test_lost_doorbell)
{
	rig_nop(&p->a);
	p->a.dbrec[1] = htobe32(p->a.sq_pi);
	rig_nop(&p->b);
	rig_run(&p->b);
	assert_non_null(rig_poll(&p->ca));
	assert_non_null(rig_poll(&p->cb));
}

/* Receives have no inline segments: bit 31 of their length asks for padding, without effect. */
TEST(pair, test_padded_receive)
{
	rig_recv(&p->b, p->dst, 3 | 1u << 31, rig_key(p->md));
	rig_recv(&p->b, p->dst + 64, 3 | 1u << 31, rig_key(p->md));
	rig_message(&p->a, SIGNALED, "fit");
	rig_message(&p->a, SIGNALED, "long");
	rig_run(&p->a);
	assert_int_equal(prm_cqe64_get_byte_cnt(rig_poll(&p->cb)), 3);
	assert_memory_equal(p->dst, "fit\0", 4);
	rig_recv_failed(&p->cb, PRM_SYNDROME_LOCAL_LENGTH_ERR);
}

static void post_on_demand(struct rig_pair *p, uint8_t opcode, uint32_t off)
{
	p->md->on_demand = true;
	mkey_place(p->md);
	if (opcode == PRM_WQE_OPCODE_SEND)
		rig_recv(&p->b, p->dst + off, 100, rig_key(p->md));
	rig_post(p, opcode, off, 100);
	rig_run(&p->a);
}

/*
 * The first request for a page of an on-demand region gets an RNR NAK; neighbours then need none.
 */
TEST(pair, test_on_demand)
{
	static const uint8_t opcode[] = {PRM_WQE_OPCODE_RDMA_WRITE, PRM_WQE_OPCODE_RDMA_READ,
					 PRM_WQE_OPCODE_SEND};

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t off = (i + 1) * 8192;

		memset(p->src + off, 'a' + (int)i, 100);
		memset(p->dst + off, 'a' + (int)i, opcode[i] == PRM_WQE_OPCODE_RDMA_READ ? 100 : 0);
		post_on_demand(p, opcode[i], off);
		assert_null(rig_poll(&p->ca));
		rig_pass(&p->rig, 1000000000);
		expect_req(&p->ca, opcode[i], (uint16_t)(2 * i), p->a.queue->o.id);
		assert_memory_equal(p->src + off, p->dst + off, 100);
		post_on_demand(p, opcode[i], off + 200);
		assert_non_null(rig_poll(&p->ca));
	}
}

/* Without retries the RNR NAK ends the connection. */
TEST(pair, test_on_demand_without_retries)
{
	const uint32_t across = 4096 - 50 - (uintptr_t)p->dst % 4096;

	p->a.qp->rnr_retry = 0;
	/* prefetched: it ends in the next page */
	mkey_fault_in(p->md, (uintptr_t)p->dst + across, 100);
	post_on_demand(p, PRM_WQE_OPCODE_RDMA_WRITE, across);
	rig_sent(&p->ca, 0);
	/* whole pages are present, no others */
	post_on_demand(p, PRM_WQE_OPCODE_RDMA_WRITE, across / 2);
	rig_sent(&p->ca, 0);
	post_on_demand(p, PRM_WQE_OPCODE_RDMA_WRITE, across + 50 + 4096 - 100);
	rig_sent(&p->ca, 0);
	post_on_demand(p, PRM_WQE_OPCODE_RDMA_WRITE, 8192);
	rig_sent(&p->ca, PRM_SYNDROME_RNR_RETRY_EXC_ERR);
}

static void double_answers(void *ctx, struct port *port, struct frame *f)
{
	(void)ctx;
	if (bth_row(rig_bth(f, NULL)[0])->op == OP_ACK)
		port_queue(port, frame_copy(f));
	port_queue(port, f);
}

/* An RNR NAK that comes twice costs one retry. */
TEST(pair, test_doubled_rnr_nak)
{
	p->a.qp->rnr_retry = 1;
	rig_connect_one(&p->a, &p->b); /* the count is read at RTS */
	port_set_hook(p->rig.dev.port, double_answers, NULL);
	rig_do(p, PRM_WQE_OPCODE_SEND, 0, 8);
	rig_recv(&p->b, p->dst, 8, rig_key(p->md));
	rig_pass(&p->rig, 1000000000);
	rig_sent(&p->ca, 0);
	assert_int_equal(p->a.queue->stats->rnr_nak_retry_err, 1);
}

static void keep_first(void *ctx, struct port *port, struct frame *f)
{
	struct frame **kept = ctx;

	if (!*kept)
		*kept = frame_copy(f);
	port_queue(port, f);
}

/* A late copy of a SEND that was refused finds a receive: its ACK ends the wait. */
TEST(pair, test_acknowledged_in_an_rnr_wait)
{
	struct frame *late = NULL;

	port_set_hook(p->rig.dev.port, keep_first, &late);
	rig_post(p, PRM_WQE_OPCODE_SEND, 0, 8);
	rig_do(p, PRM_WQE_OPCODE_SEND, 8, 8);
	rig_recv(&p->b, p->dst, 8, rig_key(p->md));
	rig_recv(&p->b, p->dst + 8, 8, rig_key(p->md));
	assert_null(rig_poll(&p->ca));
	port_queue(p->rig.dev.port, late);
	rig_settle(&p->rig);
	rig_sent(&p->ca, 0);
	rig_sent(&p->ca, 0);
	assert_memory_equal(p->src, p->dst, 16);
}

/* Moves a queue pair to the next UAR. */
static void rig_qp_next_uar(struct rig_qp *q)
{
	queue_stop(q->queue);
	q->queue->uar = RIG_UAR + 1;
	assert_int_equal(queue_start(q->queue), 0);
	rig_settle(q->rig);
}

static void ring_on(struct rig_qp *q, uint32_t uar, uint32_t qpn)
{
	uint8_t db[8] = {0};
	uint64_t value;

	q->dbrec[1] = htobe32(q->sq_pi);
	prm_wqe_ctrl_seg_set_qpn(db, qpn);
	memcpy(&value, db, sizeof(value));
	queue_doorbell(&q->rig->dev, uar, 0x800, value);
	rig_pass(q->rig, 1000000000);
}

/* A doorbell on another UAR's page starts nothing, there or on the queue's own page. */
TEST(pair, test_foreign_uar)
{
	rig_qp_next_uar(&p->b);
	rig_nop(&p->a);
	ring_on(&p->a, RIG_UAR + 1, p->a.queue->o.id);
	assert_null(rig_poll(&p->ca));
	ring_on(&p->a, RIG_UAR, p->a.queue->o.id);
	assert_non_null(rig_poll(&p->ca));
}

/* A doorbell with a number of no queue, or of another UAR's queue, starts nothing. */
TEST(pair, test_foreign_number)
{
	const uint32_t b = p->b.queue->o.id;

	rig_qp_next_uar(&p->b);
	rig_nop(&p->a);
	rig_nop(&p->b);
	p->b.dbrec[1] = htobe32(p->b.sq_pi);
	ring_on(&p->a, RIG_UAR, b);
	ring_on(&p->a, RIG_UAR, 0xffffff);
	ring_on(&p->a, RIG_UAR, 0);
	assert_null(rig_poll(&p->ca));
	assert_null(rig_poll(&p->cb));
	ring_on(&p->a, RIG_UAR, p->a.queue->o.id);
	assert_non_null(rig_poll(&p->ca));
	assert_null(rig_poll(&p->cb));
}

/*
 * Strict doorbells: a store known to be the only one starts only its queue; else all records count.
 */
TEST(pair, test_strict)
{
	rig_nop(&p->a);
	p->a.dbrec[1] = htobe32(p->a.sq_pi);
	rig_nop(&p->b);
	p->b.dbrec[1] = htobe32(p->b.sq_pi);
	queue_trapped(&p->rig.dev, RIG_UAR);
	rig_run(&p->b);
	assert_non_null(rig_poll(&p->cb));
	assert_null(rig_poll(&p->ca));
	rig_nop(&p->b);
	rig_run(&p->b); /* its record moved after the trap */
	assert_non_null(rig_poll(&p->cb));
	assert_non_null(rig_poll(&p->ca));
}

/* A WQE in the register is only a hint: if the ring has other bytes, the ring's are sent. */
TEST(pair, test_blueflame)
{
	const uint32_t n = p->a.queue->o.id, blocks = 1u << p->a.queue->sq->log_size;
	uint8_t wqe[64];

	for (uint16_t i = 0; i < 4; i++) {
		struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, 0);

		rig_raddr(&w, p->dst, rig_key(p->md));
		rig_inline(&w, "ring", 4);
		rig_end(&w);
		memcpy(wqe, p->a.sq + 64u * (i & (blocks - 1)), sizeof(wqe));
		if (i)
			memcpy(wqe + 36, "regs", 4);
		if (i == 2)
			prm_wqe_ctrl_seg_set_wqe_index(wqe, 0); /* the index of a finished WQE */
		rig_ring(&p->a);
		p->a.queue->uar += i == 3; /* the register is another queue's */
		queue_blueflame(&p->rig.dev, RIG_UAR, wqe, sizeof(wqe));
		p->a.queue->uar = RIG_UAR;
		rig_settle(&p->rig);
		assert_memory_equal(p->dst, i == 1 ? "regs" : "ring", 4);
		expect_req(&p->ca, PRM_WQE_OPCODE_RDMA_WRITE, i, n);
	}
	p->a.queue->sq = NULL;
	queue_blueflame(&p->rig.dev, RIG_UAR, wqe, sizeof(wqe));
	p->a.queue->sq = &p->a.qp->sq;
	prm_wqe_ctrl_seg_set_qpn(wqe, 0xffffff);
	queue_blueflame(&p->rig.dev, RIG_UAR, wqe, sizeof(wqe));
	queue_blueflame(&p->rig.dev, RIG_UAR + 7, wqe, sizeof(wqe));
	queue_trapped(&p->rig.dev, RIG_UAR + 7);
}

/* A record that is more than a ring ahead counts as one ring, and the log has its numbers. */
TEST(pair, test_record_too_far)
{
	const uint16_t blocks = (uint16_t)(1u << p->a.queue->sq->log_size);
	const int log = memfd_create("log", 0);
	char text[4096] = "";

	sim_log_to(log);
	for (uint16_t i = 0; i < blocks; i++)
		rig_nop(&p->a);
	rig_ring(&p->a);
	assert_true(pread(log, text, sizeof(text) - 1, 0) <= 0); /* a full ring is none ahead */
	p->a.sq_pi++;
	rig_run(&p->a);
	for (uint16_t i = 0; i < blocks; i++)
		expect_req(&p->ca, PRM_WQE_OPCODE_NOP, i, p->a.queue->o.id);
	assert_true(pread(log, text, sizeof(text) - 1, 0) > 0);
	assert_non_null(strstr(text, "more than a ring ahead of 0x0000"));
	sim_log_to(-1);
	close(log);
}

/* A doorbell that overwrote another one may name a destroyed queue pair. */
TEST(pair, test_lost_doorbell_to_a_dead_queue)
{
	struct rig_qp dead;

	rig_qp_open(&p->rig, &dead, BLUEFIELD2_HOST, &p->ca, &p->ca, 2, 2);
	rig_nop(&p->a);
	p->a.dbrec[1] = htobe32(p->a.sq_pi);
	rig_qp_close(&dead);
	rig_settle(&p->rig);
	assert_non_null(rig_poll(&p->ca));
}

/* More READs than log_sra_max allows at once, then a fenced WRITE to their sources. */
TEST(pair, test_reads_and_fence)
{
	struct rig_wqe w;

	p->a.qp->log_sra_max = 1;
	memset(p->dst, 0xaa, RIG_BUF);
	for (unsigned int i = 0; i < 8; i++)
		rig_rdma(&p->a, PRM_WQE_OPCODE_RDMA_READ, 0, p->dst, p->md, p->src + i * 70000,
			 70000, p->ms);
	w = rig_begin(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED | PRM_WQE_CTRL_FLAG_FENCE, 0);
	rig_raddr(&w, p->dst, rig_key(p->md));
	rig_inline(&w, "changed", 7);
	rig_go(&w);
	for (unsigned int i = 0; i < 8 * 70000; i++)
		assert_int_equal(p->src[i], 0xaa);
	assert_memory_equal(p->dst, "changed", 7);
	assert_non_null(rig_poll(&p->ca));
}

/* A READ sees earlier WRITEs; small ones are posted on their way to memory. */
TEST(pair, test_read_after_write)
{
	for (uint32_t len = 1; len < 3000; len = len * 3 + 1) {
		memset(p->dst, 0, 4096);
		rig_post(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, len);
		rig_rdma(&p->a, PRM_WQE_OPCODE_RDMA_READ, SIGNALED, p->dst, p->md, p->src + 100000,
			 len, p->ms);
		rig_run(&p->a);
		assert_non_null(rig_poll(&p->ca));
		assert_non_null(rig_poll(&p->ca));
		assert_memory_equal(p->src, p->src + 100000, len);
	}
}

/* A queue pair connected to itself, and one with force loopback and an unknown GID. */
TEST(pair, test_self)
{
	struct mkey *m = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->dst, RIG_BUF, MKEY_RW | MKEY_RR);

	for (unsigned int fl = 0; fl < 2; fl++) {
		p->a.qp->fl = fl;
		rig_restart(&p->a, &p->a);
		if (fl)
			memset(p->a.qp->rgid, 0x77, 16);
		rig_rdma(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, p->dst, m, p->src, 5000,
			 p->ms);
		rig_run(&p->a);
		assert_non_null(rig_poll(&p->ca));
		assert_memory_equal(p->dst, p->src, 5000);
	}
	rig_mkey_close(m);
}

#define BETWEEN_FUNCTIONS(test)                  \
	TEST(pair_dpu, test##_between_functions) \
	{                                        \
		test(p);                         \
	}
BETWEEN_FUNCTIONS(test_write)
BETWEEN_FUNCTIONS(test_read)
BETWEEN_FUNCTIONS(test_send)
