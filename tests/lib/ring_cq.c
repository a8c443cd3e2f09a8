/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring.h"

/* The send queue and the CQ of each test. */
static struct plain_sq s;
static struct plain_cq p;

/* Empties both, of these sizes; the queue completes into the CQ. */
static void rings_init(uint32_t blocks, uint32_t entries)
{
	plain_sq_init(&s, blocks, 0);
	plain_cq_init(&p, entries);
	s.sq.cq = &p.cq;
}

/* A new ring is empty. */
TEST(none, new_ring_is_empty)
{
	plain_cq_init(&p, 8);
	assert_null(dvx_cq_peek(&p.cq));
}

/* In each lap, written CQEs are seen once, in order, and old entries are never new again. */
TEST(none, laps)
{
	const void *cqe;
	uint32_t i, burst, n = 0;

	plain_cq_init(&p, 8);
	for (i = 0; i < 100; i++) {
		for (burst = 0; burst < i % 9; burst++)
			plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, (uint16_t)(p.pi * 3));
		while ((cqe = dvx_cq_peek(&p.cq))) {
			assert_int_equal(dvx_cqe_wqe_index(cqe), (n * 3) & 0xffff);
			assert_int_equal(dvx_cqe_user_index(cqe), 0x42);
			assert_int_equal(dvx_cqe_qpn(cqe), RING_QPN);
			assert_true(dvx_cqe_is_send(cqe));
			assert_false(dvx_cqe_is_error(cqe));
			dvx_cq_pop(&p.cq);
			n++;
			assert_int_equal(prm_swap32(p.dbrec[0]), n & 0xffffff);
		}
		assert_int_equal(n, p.pi);
	}
}

/* peek is repeatable. The consumer index is published when the slack is used up, or on request. */
TEST(none, slack)
{
	static const uint32_t slacks[] = {0, 1, 3, 4, 15, 16, 63};
	uint32_t i, k, told;

	for (k = 0; k < sizeof(slacks) / sizeof(slacks[0]); k++) {
		plain_cq_init_slack(&p, 64, slacks[k]);
		for (i = told = 0; i < 500; i++) {
			plain_cq_complete(&p, PRM_CQE_OPCODE_RESP_SEND, 0);
			assert_ptr_equal(dvx_cq_peek(&p.cq), p.buf[i % 64]);
			assert_ptr_equal(dvx_cq_peek(&p.cq), p.buf[i % 64]);
			assert_false(dvx_cqe_is_send(dvx_cq_peek(&p.cq)));
			dvx_cq_pop(&p.cq);
			assert_null(dvx_cq_peek(&p.cq));
			assert_true(i + 1 - prm_swap32(p.dbrec[0]) <= slacks[k]);
			told += prm_swap32(p.dbrec[0]) == i + 1;
		}
		assert_true(slacks[k] < 4 || told <= 500 / 4);
		dvx_cq_publish(&p.cq);
		assert_int_equal(prm_swap32(p.dbrec[0]), 500);
	}
}

/* The consumer index has 24 bits, and goes from the last to 0. */
TEST(none, index_passes_24_bits)
{
	uint32_t i;

	plain_cq_init(&p, 64);
	/* Pretends that 2^24 - 64 were consumed, a multiple of the entries: the phase is right. */
	p.cq.stop_index += 0x1000000 - 64;
	p.cq.phase = DVX_CQ_OLD;
	p.pi = 0x1000000 - 64;
	for (i = 0; i < 200; i++) {
		plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, 0);
		assert_non_null(dvx_cq_peek(&p.cq));
		dvx_cq_pop(&p.cq);
		assert_int_equal(prm_swap32(p.dbrec[0]), p.pi & 0xffffff);
	}
}

/* poll retires and pops in one step, and reports all of an error. */
TEST(none, poll_one_queue)
{
	struct dvx_wc wc = {0};

	plain_sq_init(&s, 8, 0);
	plain_cq_init(&p, 8);
	assert_int_equal(dvx_sq_poll(&s.sq, &wc), -EINVAL); /* it has no CQ */
	s.sq.cq = &p.cq;
	assert_int_equal(dvx_sq_poll(&s.sq, &wc), 0);
	dvx_post_nop(&s.sq, 11, 0);
	dvx_post_nop(&s.sq, 22, DVX_SIGNALED);
	dvx_post_nop(&s.sq, 33, DVX_SIGNALED);
	plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, 1);
	plain_cq_complete(&p, PRM_CQE_OPCODE_REQ_ERR, 2);
	prm_err_cqe_set_syndrome(p.buf[1], PRM_SYNDROME_WR_FLUSH_ERR);
	prm_err_cqe_set_vendor_err_synd(p.buf[1], 0x51);
	assert_int_equal(dvx_sq_poll(&s.sq, &wc), 1);
	assert_int_equal(wc.wr_id, 22);
	assert_int_equal(dvx_sq_free(&s.sq), 7);
	assert_int_equal(prm_swap32(p.dbrec[0]), 1);
	assert_int_equal(dvx_sq_poll(&s.sq, &wc), -EIO);
	assert_int_equal(wc.wr_id, 33);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(wc.vendor, 0x51);
	assert_int_equal(wc.qpn, RING_QPN);
	assert_int_equal(wc.opcode, PRM_CQE_OPCODE_REQ_ERR);
	assert_int_equal(dvx_sq_free(&s.sq), 8);
	assert_int_equal(dvx_sq_poll(&s.sq, &wc), 0);
}

/* A program may use padding's cookie: only flushed padding is not reported. */
TEST(none, cookie_of_padding)
{
	static const uint8_t data[100];
	struct dvx_wc wc = {0};
	uint16_t i;

	rings_init(8, 16);
	for (i = 0; i < 6; i++) {
		dvx_post_nop(&s.sq, DVX_WR_ID_PAD, DVX_SIGNALED);
		plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, i);
		assert_int_equal(dvx_sq_poll(&s.sq, &wc), 1);
		assert_true(wc.wr_id == DVX_WR_ID_PAD);
	}
	dvx_post_nop(&s.sq, DVX_WR_ID_PAD, 0);
	dvx_post_send_inline(&s.sq, data, sizeof(data), DVX_WR_ID_PAD, 0); /* padding is block 7 */
	for (; i < 9; i++)
		plain_cq_complete(&p, PRM_CQE_OPCODE_REQ_ERR, i);
	for (i = 0; i < 2; i++) {
		assert_int_equal(dvx_sq_poll(&s.sq, &wc), -EIO);
		assert_true(wc.wr_id == DVX_WR_ID_PAD);
	}
	assert_int_equal(dvx_sq_poll(&s.sq, &wc), 0);
	assert_int_equal(dvx_sq_free(&s.sq), 8);
	/* one lap later, in the block that was padding */
	for (i = 10; i < 16; i++)
		dvx_post_nop(&s.sq, i < 15 ? i : DVX_WR_ID_PAD, 0);
	plain_cq_complete(&p, PRM_CQE_OPCODE_REQ_ERR, 15);
	assert_int_equal(dvx_sq_poll(&s.sq, &wc), -EIO);
	assert_true(wc.wr_id == DVX_WR_ID_PAD);
	/* a flush frees padding, even if nothing was posted behind it */
	for (i = 16; i < 23; i++)
		dvx_post_nop(&s.sq, i, 0);
	plain_cq_complete(&p, PRM_CQE_OPCODE_REQ_ERR, 22);
	assert_int_equal(dvx_sq_poll(&s.sq, &wc), -EIO);
	dvx_sq_pad(&s.sq);
	plain_cq_complete(&p, PRM_CQE_OPCODE_REQ_ERR, 23);
	assert_int_equal(dvx_sq_free(&s.sq), 7);
	assert_int_equal(dvx_sq_poll(&s.sq, &wc), 0);
	assert_int_equal(dvx_sq_free(&s.sq), 8);
}

static void ids_are(const uint64_t *ids, uint64_t from, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(ids[i], from + (uint64_t)i);
}

/* dvx_sq_poll_many(): never more than asked for, in order over laps, and an error comes alone. */
TEST(none, poll_many)
{
	struct dvx_wc wc = {0};
	uint64_t ids[16], next = 0, posted = 0;
	int n;

	rings_init(64, 64);
	plain_cq_init_slack(&p, 64, 16);
	assert_int_equal(dvx_sq_poll_many(&s.sq, ids, 16, &wc), 0);
	assert_int_equal(dvx_sq_poll_many(&s.sq, ids, 0, &wc), 0);
	for (uint32_t burst = 0; burst < 300; burst++) {
		for (uint32_t i = 0; i < burst % 30; i++) {
			assert_int_equal(dvx_post_nop(&s.sq, posted, DVX_SIGNALED), 0);
			plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, (uint16_t)posted++);
		}
		while ((n = dvx_sq_poll_many(&s.sq, ids, 1 + burst % 16, &wc)) > 0) {
			assert_true((uint32_t)n <= 1 + burst % 16);
			ids_are(ids, next, n);
			next += (uint64_t)n;
			assert_int_equal(dvx_sq_free(&s.sq), 64 - (posted - next));
		}
		assert_int_equal(n, 0);
		assert_int_equal(next, posted);
	}
	for (uint32_t i = 0; i < 3; i++) {
		dvx_post_nop(&s.sq, posted, DVX_SIGNALED);
		plain_cq_complete(&p, i == 1 ? PRM_CQE_OPCODE_REQ_ERR : PRM_CQE_OPCODE_REQ,
				  (uint16_t)posted++);
	}
	assert_int_equal(dvx_sq_poll_many(&s.sq, ids, 16, &wc), 1);
	ids_are(ids, next, 1);
	assert_int_equal(dvx_sq_poll_many(&s.sq, ids, 16, &wc), -EIO);
	assert_int_equal(wc.wr_id, next + 1);
	assert_int_equal(dvx_sq_poll_many(&s.sq, ids, 16, &wc), 1);
	ids_are(ids, next + 2, 1);
}

/* A CQE with data inside takes poll_many's slow path: alone, with its cookie and its data. */
TEST(none, poll_many_data_inside)
{
	struct dvx_wc wc = {0};
	uint64_t ids[4] = {0};
	uint8_t to[8] = {0};
	struct dvx_sge sge = {(uintptr_t)to, sizeof(to), 1};

	rings_init(8, 8);
	for (uint16_t i = 0; i < 2; i++) {
		dvx_post_read(&s.sq, 1, 2, &sge, 1, 70 + i, DVX_SIGNALED);
		plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, i);
		memcpy(p.buf[i], "01234567" + i, 7);
		prm_cqe64_set_byte_cnt(p.buf[i], 7);
		p.buf[i][63] |= PRM_CQE_FORMAT_INLINE_DATA32 << 2;
	}
	for (uint16_t i = 0; i < 2; i++) {
		assert_int_equal(dvx_sq_poll_many(&s.sq, ids, 4, &wc), 1);
		assert_int_equal(ids[0], 70 + i);
		assert_memory_equal(to, "01234567" + i, 7);
		assert_int_equal(dvx_sq_free(&s.sq), 7u + i);
	}
	assert_int_equal(dvx_sq_poll_many(&s.sq, ids, 4, &wc), 0);
}

/* Polls of a receive queue with its own CQ: none, a plain CQE, data inside, an error. */
TEST(none, poll_receives)
{
	static _Alignas(64) uint8_t buf[8][64];
	uint8_t to[8] = {0};
	uint64_t wr_ids[8];
	uint32_t dbrec[2];
	struct dvx_rq_memory init = {.size = sizeof(init),
				     .entries = 8,
				     .stride = 64,
				     .buf = buf,
				     .wr_ids = wr_ids,
				     .dbrec = dbrec,
				     .cq = &p.cq};
	struct dvx_sge sge = {(uintptr_t)to, sizeof(to), 9};
	struct dvx_wc wc;
	struct dvx_rq rq;

	plain_cq_init(&p, 8);
	assert_int_equal(dvx_rq_init(&rq, &init), 0);
	for (uint64_t i = 0; i < 8; i++)
		assert_int_equal(dvx_rq_post(&rq, &sge, 1, 50 + i), 0);
	assert_int_equal(dvx_rq_poll(&rq, &wc), 0);
	for (uint32_t i = 0; i < 3; i++) {
		plain_cq_complete(&p, i == 2 ? PRM_CQE_OPCODE_RESP_ERR : PRM_CQE_OPCODE_RESP_SEND,
				  0);
		prm_cqe64_set_byte_cnt(p.buf[i], 6 + i);
		if (i == 1) {
			memcpy(p.buf[i], "inside!", 7);
			p.buf[i][63] |= PRM_CQE_FORMAT_INLINE_DATA32 << 2;
		}
		memset(&wc, 0xee, sizeof(wc));
		assert_int_equal(dvx_rq_poll(&rq, &wc), i == 2 ? -EIO : 1);
		assert_int_equal(wc.wr_id, 50 + i);
		assert_int_equal(wc.byte_count, i == 2 ? 0 : 6 + i);
		assert_int_equal(dvx_rq_free(&rq), i + 1);
		assert_int_equal(prm_swap32(p.dbrec[0]), i + 1);
		assert_int_equal(dvx_rq_poll(&rq, &wc), 0);
	}
	assert_string_equal((const char *)to, "inside!");
}

#define QUEUES 4u

/* A CQ of four queues, two with the same hash: a sender, a receiver, one with an SRQ. */
struct several {
	struct plain_cq c;
	struct plain_sq s;
	struct dvx_rq rq;
	struct dvx_srq srq;
	struct dvx_cq_queue queues[QUEUES];
	uint64_t wr_ids[2][8];
	_Alignas(64) uint8_t buf[2][8][64];
	uint32_t dbrec[2];
};

static void several_init(struct several *r)
{
	struct dvx_rq_memory rq = {.size = sizeof(rq),
				   .entries = 8,
				   .stride = 64,
				   .buf = r->buf[0],
				   .wr_ids = r->wr_ids[0],
				   .dbrec = &r->dbrec[0]};
	struct dvx_srq_memory srq = {.size = sizeof(srq),
				     .entries = 8,
				     .stride = 64,
				     .buf = r->buf[1],
				     .wr_ids = r->wr_ids[1],
				     .dbrec = &r->dbrec[1]};

	memset(r, 0, sizeof(*r));
	plain_sq_init(&r->s, 8, 0);
	plain_cq_init(&r->c, 16);
	assert_int_equal(dvx_rq_init(&r->rq, &rq), 0);
	assert_int_equal(dvx_srq_init(&r->srq, &srq), 0);
	r->queues[1] = (struct dvx_cq_queue){.number = 0x101, .sq = &r->s.sq, .room = 8};
	r->queues[2] = (struct dvx_cq_queue){.number = 0x201, .rq = &r->rq, .room = 8};
	r->queues[3] =
		(struct dvx_cq_queue){.number = 0x203, .srq = &r->srq, .shared = true, .room = 8};
	r->c.cq.queues = r->queues;
	r->c.cq.queue_mask = QUEUES - 1;
}

static void several_complete(struct several *r, uint32_t qpn, uint8_t opcode, uint16_t index)
{
	uint8_t *cqe = r->c.buf[r->c.pi & 15];

	plain_cq_complete(&r->c, opcode, index);
	prm_cqe64_set_qpn(cqe, qpn);
	prm_cqe64_set_s_wqe_opcode(cqe, PRM_WQE_OPCODE_RDMA_READ);
	prm_cqe64_set_byte_cnt(cqe, 0x1000 + qpn);
	prm_cqe64_set_immediate(cqe, 0x2000 + qpn);
	if (opcode != PRM_CQE_OPCODE_REQ)
		prm_cqe64_set_rqpn(cqe, 0x3000 + qpn);
}

/* Each completion retires a WQE of its queue, in any order, and *wc has all members. */
TEST(none, poll_several)
{
	static struct several r;
	static const struct dvx_sge sge = {0x1000, 64, 9};
	static const struct {
		uint32_t qpn;
		uint8_t opcode;
		uint16_t index;
		uint64_t wr_id;
	} rows[] = {
		{0x203, PRM_CQE_OPCODE_RESP_SEND_IMM, 1, 31},
		{0x101, PRM_CQE_OPCODE_REQ, 1, 11},
		{0x201, PRM_CQE_OPCODE_RESP_SEND, 0, 20},
		{0x203, PRM_CQE_OPCODE_RESP_WR_IMM, 0, 30},
		{0x201, PRM_CQE_OPCODE_RESP_SEND, 0, 21},
	};
	struct dvx_wc wc;

	several_init(&r);
	for (uint64_t i = 0; i < 2; i++) {
		assert_int_equal(dvx_post_nop(&r.s.sq, 10 + i, DVX_SIGNALED), 0);
		assert_int_equal(dvx_rq_post(&r.rq, &sge, 1, 20 + i), 0);
		assert_int_equal(dvx_srq_post(&r.srq, &sge, 1, 30 + i), 0);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		several_complete(&r, rows[i].qpn, rows[i].opcode, rows[i].index);
		memset(&wc, 0xee, sizeof(wc));
		assert_int_equal(dvx_cq_poll(&r.c.cq, &wc), 1);
		assert_int_equal(wc.wr_id, rows[i].wr_id);
		assert_int_equal(wc.qpn, rows[i].qpn);
		assert_int_equal(wc.opcode, rows[i].opcode);
		assert_int_equal(wc.byte_count, 0x1000 + rows[i].qpn);
		assert_int_equal(wc.imm, 0x2000 + rows[i].qpn);
		assert_int_equal(wc.user_index, 0x42);
		assert_int_equal(wc.send_opcode, PRM_WQE_OPCODE_RDMA_READ);
		assert_int_equal(wc.src_qp, rows[i].opcode ? 0x3000 + rows[i].qpn : 0);
		assert_int_equal(wc.syndrome | wc.vendor, 0);
		assert_int_equal(dvx_cq_poll(&r.c.cq, &wc), 0);
	}
	assert_int_equal(dvx_sq_free(&r.s.sq), 8);
	assert_int_equal(dvx_rq_free(&r.rq), 8);
	assert_int_equal(dvx_srq_free(&r.srq), 7);
	/* an unknown queue, whose place is in use or free: nothing is consumed */
	for (uint32_t qpn = 0x300; qpn < 0x302; qpn++) {
		several_complete(&r, qpn, PRM_CQE_OPCODE_REQ, 0);
		assert_null(dvx_cq_find(&r.c.cq, qpn));
		assert_int_equal(dvx_cq_poll(&r.c.cq, &wc), -ENOENT);
		assert_int_equal(dvx_cqe_qpn(dvx_cq_peek(&r.c.cq)), qpn);
		dvx_cq_pop(&r.c.cq);
	}
}

/* An error CQE is decoded; the words for syndromes are the PRM's. */
TEST(none, error_cqe)
{
	struct dvx_cqe_failure e;
	uint8_t *cqe;

	plain_cq_init(&p, 8);
	plain_cq_complete(&p, PRM_CQE_OPCODE_RESP_ERR, 0x1234);
	cqe = p.buf[0];
	prm_err_cqe_set_syndrome(cqe, PRM_SYNDROME_LOCAL_PROT_ERR);
	prm_err_cqe_set_vendor_err_synd(cqe, 0x51);
	prm_err_cqe_set_s_wqe_opcode(cqe, PRM_WQE_OPCODE_MMO);
	dvx_cqe_error(dvx_cq_peek(&p.cq), &e);
	assert_int_equal(e.syndrome, 0x04);
	assert_int_equal(e.vendor, 0x51);
	assert_int_equal(e.send_opcode, PRM_WQE_OPCODE_MMO);
	assert_int_equal(e.wqe_index, 0x1234);
	assert_int_equal(e.qpn, RING_QPN);
	assert_int_equal(e.user_index, 0x42);
	assert_false(e.send);
	assert_non_null(strstr(dvx_cqe_strerror(0x04), "local protection"));
	assert_non_null(strstr(dvx_cqe_strerror(0x05), "flush"));
	assert_non_null(strstr(dvx_cqe_strerror(0xee), "does not know"));
}

/* Arming writes index, number and kind to the record and, with the CQN, to the register. */
TEST(none, arm)
{
	const uint8_t *reg = (const uint8_t *)p.uar + 0x20;

	plain_cq_init(&p, 8);
	plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, 0);
	dvx_cq_pop(&p.cq);
	p.cq.arm_sn = 6;
	p.dbrec[0] = 0; /* a consumer index from before this turn */
	dvx_cq_arm(&p.cq, false);
	assert_int_equal(prm_swap32(p.dbrec[0]), 1);
	assert_int_equal(prm_swap32(p.dbrec[1]), 0x20000001);
	assert_int_equal(prm_load32(reg, 0), 0x20000001);
	assert_int_equal(prm_load32(reg, 4), 0x77);
	/* The first request is still pending: the second one must be for any CQE, too. */
	dvx_cq_arm(&p.cq, true);
	assert_int_equal(prm_swap32(p.dbrec[1]), 0x20000001);
	assert_int_equal(prm_load32(reg, 0), 0x20000001);
}

TEST(none, arm_for_solicited)
{
	plain_cq_init(&p, 8);
	dvx_cq_arm(&p.cq, true);
	assert_int_equal(prm_swap32(p.dbrec[1]), 0x01000000);
	dvx_cq_arm(&p.cq, false);
	assert_int_equal(prm_swap32(p.dbrec[1]), 0);
}

/* Data inside a CQE are copied to the pieces of the WQE. */
TEST(none, unscatter)
{
	uint8_t a[4] = {0}, b[8] = {0};
	struct dvx_sge sge[2] = {{(uintptr_t)a, 4, 1}, {(uintptr_t)b, 8, 1}};

	rings_init(8, 8);
	dvx_post_read(&s.sq, 1, 2, sge, 2, 7, DVX_SIGNALED);
	plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, 0);
	memcpy(p.buf[0], "abcdefghij", 10);
	prm_cqe64_set_byte_cnt(p.buf[0], 10);
	assert_int_equal(dvx_cqe_scattered(p.buf[0]), 0);
	p.buf[0][63] |= PRM_CQE_FORMAT_INLINE_DATA32 << 2;
	assert_int_equal(dvx_cqe_scattered(p.buf[0]), 32);
	dvx_cqe_unscatter(dvx_cq_peek(&p.cq), &s.sq, NULL);
	assert_memory_equal(a, "abcd", 4);
	assert_memory_equal(b, "efghij\0\0", 8);
}

/* Completes WQE `index` with the bytes 1 to 8 inside the CQE, and copies them to its buffers. */
static void result_inside(uint32_t index, uint32_t byte_cnt)
{
	uint8_t *cqe = p.buf[p.pi];

	plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, (uint16_t)index);
	memcpy(cqe, "\1\2\3\4\5\6\7\10", 8);
	prm_cqe64_set_byte_cnt(cqe, byte_cnt);
	cqe[DVX_CQE_BYTES - 1] |= PRM_CQE_FORMAT_INLINE_DATA32 << 2;
	dvx_cqe_unscatter(cqe, &s.sq, NULL);
}

/* An atomic's old value goes to its buffer, in the order that atomic.h promises, and nowhere else. */
TEST(none, unscatter_atomic)
{
	uint64_t trap = 0, old[4] = {0};
	const struct dvx_masked_cas op = {(uintptr_t)&trap, 1, 8ull << 32 | 1, 1};
	uint32_t half[2] = {0}, at[6];
	struct dvx_sq *sq = &s.sq;

	rings_init(16, 8);
	at[0] = sq->pi;
	dvx_post_cas(sq, 1, 2, op.compare, op.swap, &old[0], 1, 7, DVX_SIGNALED);
	at[1] = sq->pi;
	dvx_post_faa(sq, 1, 2, op.swap, &old[1], 1, 7, DVX_SIGNALED);
	at[2] = sq->pi;
	dvx_post_masked_cas(sq, 1, 2, &op, &old[2], 1, 7, DVX_SIGNALED);
	at[3] = sq->pi;
	dvx_post_masked_faa(sq, 1, 2, op.swap, op.compare, &old[3], 1, 7, DVX_SIGNALED);
	at[4] = sq->pi;
	dvx_post_masked_cas32(sq, 1, 2, &op, &half[0], 1, 7, DVX_SIGNALED);
	at[5] = sq->pi;
	dvx_post_masked_faa32(sq, 1, 2, 5, 6, &half[1], 1, 7, DVX_SIGNALED);
	for (uint32_t i = 0; i < 6; i++)
		result_inside(at[i], i % 2 ? 99 : 8); /* their byte_cnt does not matter */
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(old[i], 0x0102030405060708);
	assert_memory_equal(&half[0], "\1\2\3\4", 4);
	assert_memory_equal(&half[1], "\1\2\3\4", 4);
	assert_int_equal(trap, 0);
}

/* Other work has no response: its buffers stay as they are. */
TEST(none, unscatter_nothing)
{
	uint64_t mine = 9;
	struct dvx_sge sge = {(uintptr_t)&mine, 8, 1};

	rings_init(8, 8);
	dvx_post_write(&s.sq, 1, 2, &sge, 1, 7, DVX_SIGNALED);
	dvx_post_send(&s.sq, (struct dvx_sge[]){sge, sge}, 2, 7, DVX_SIGNALED);
	result_inside(0, 8);
	result_inside(1, 8);
	assert_int_equal(mine, 9);
}

/* In entries of 128 bytes the CQE is the second half, and data are in the first one. */
TEST(none, large_entries)
{
	static _Alignas(128) uint8_t buf[8][128];
	uint32_t dbrec[2] = {0};
	struct dvx_cq_memory init = {.size = sizeof(init),
				     .entries = 8,
				     .buf = buf,
				     .dbrec = dbrec,
				     .slack = 2,
				     .cqe_bytes = 128};
	uint8_t data[64] = {0};
	struct dvx_sge sge = {(uintptr_t)data, sizeof(data), 1};
	uint64_t ids[8];
	struct dvx_wc wc;
	struct dvx_cq cq;
	uint8_t *cqe;

	plain_sq_init(&s, 8, 0);
	assert_int_equal(dvx_cq_init(&cq, &init), 0);
	s.sq.cq = &cq;
	for (uint32_t i = 0; i < 100; i++) {
		cqe = buf[i % 8] + 64;
		assert_int_equal(dvx_sq_poll(&s.sq, &wc), 0);
		assert_int_equal(dvx_post_read(&s.sq, 1, 2, &sge, 1, i, DVX_SIGNALED), 0);
		memset(cqe - 64, (int)i, 127);
		memset(cqe - 64 + 50, 0xee, 14);
		prm_cqe64_set_byte_cnt(cqe, 50);
		prm_cqe64_set_wqe_counter(cqe, i);
		cqe[63] = (uint8_t)(PRM_CQE_OPCODE_REQ << 4 | PRM_CQE_FORMAT_INLINE_DATA64 << 2 |
				    !!(i & 8));
		assert_int_equal(dvx_cqe_scattered(dvx_cq_peek(&cq)), 64);
		assert_int_equal(dvx_sq_poll(&s.sq, &wc), 1);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(data[0], i);
		assert_int_equal(data[49], i);
		assert_int_equal(data[50], 0);
		assert_int_equal(dvx_cq_index(&cq), i + 1);
	}
	/* Several at once: old bytes in the first halves are not taken for completions. */
	for (uint32_t i = 100; i < 103; i++) {
		cqe = buf[i % 8] + 64;
		assert_int_equal(dvx_post_nop(&s.sq, i, DVX_SIGNALED), 0);
		memset(cqe - 64, 0, 127);
		prm_cqe64_set_wqe_counter(cqe, i);
		cqe[63] = (uint8_t)(PRM_CQE_OPCODE_REQ << 4 | !!(i & 8));
	}
	assert_int_equal(dvx_sq_poll_many(&s.sq, ids, 2, &wc), 2);
	assert_int_equal(ids[1], 101);
	assert_int_equal(dvx_sq_poll_many(&s.sq, ids, 8, &wc), 1);
	assert_int_equal(ids[0], 102);
	assert_int_equal(dvx_cq_index(&cq), 103);
	init.cqe_bytes = 256;
	assert_int_equal(dvx_cq_init(&cq, &init), -EINVAL);
}

/* A collapsed CQ: one entry, whose newest CQE completes all sends before it. */
TEST(none, newest)
{
	uint8_t cqe[DVX_CQE_BYTES];
	struct dvx_wc wc;

	plain_sq_init(&s, 8, 0);
	assert_int_equal(dvx_sq_poll_newest(&s.sq, &wc), -EINVAL); /* it has no CQ */
	plain_cq_init(&p, 8);
	s.sq.cq = &p.cq;
	for (uint32_t i = 0; i < 70000; i++) {
		assert_int_equal(dvx_sq_poll_newest(&s.sq, &wc), 0);
		dvx_post_nop(&s.sq, i, DVX_SIGNALED);
		if (i % 3 == 1)
			continue;
		p.pi = 0;
		plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, (uint16_t)i);
		p.buf[0][63] |= i >> 3 & 1;
		assert_int_equal(dvx_sq_poll_newest(&s.sq, &wc), 1);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(dvx_sq_free(&s.sq), 8);
		assert_int_equal(dvx_cq_copy_newest(&p.cq, cqe), p.cq.newest);
		assert_memory_equal(cqe, p.buf[0], sizeof(cqe));
	}
}

/* Timestamps before and after the moment that the clock was read, also across a wrap. */
TEST(none, clock_ns)
{
	const struct dvx_clock c = {.ns = 1000000,
				    .ticks = 0xfffff0,
				    .frac = 1,
				    .mask = 0xffffff,
				    .mult = 5,
				    .shift = 1};
	const struct dvx_clock fine = {.mask = (1ull << 41) - 1, .mult = 1u << 31, .shift = 31};

	assert_int_equal(dvx_clock_ns(&c, 0xfffff0), 1000000);
	assert_int_equal(dvx_clock_ns(&c, 0xfffff1), 1000003);
	assert_int_equal(dvx_clock_ns(&c, 0x10), 1000080);
	assert_int_equal(dvx_clock_ns(&c, 0xffffe0), 1000000 - 39);
	assert_int_equal(dvx_clock_ns(&fine, 1ull << 39), 1ull << 39);
	assert_int_equal(dvx_clock_ns(&fine, fine.mask), UINT64_MAX);
	assert_int_equal(dvx_real_time_ns(3ull << 32 | 999999999), 3999999999ull);
}
