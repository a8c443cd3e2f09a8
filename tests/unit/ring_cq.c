/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring.h"

/* A new ring is empty. */
static void new_ring_is_empty(void **state)
{
	struct plain_cq p;

	(void)state;
	plain_cq_init(&p, 8);
	assert_null(dvx_cq_peek(&p.cq));
}

/* Lap after lap: what was written is seen once, in order, and old entries are never new again. */
static void laps(void **state)
{
	struct plain_cq p;
	const void *cqe;
	uint32_t i, burst, n = 0;

	(void)state;
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

/* peek is repeatable. The device hears of consumed entries when the slack is used up, or at once.
 */
static void slack(void **state)
{
	static const uint32_t slacks[] = {0, 1, 3, 4, 15, 16, 63};
	struct plain_cq p;
	uint32_t i, s, told;

	(void)state;
	for (s = 0; s < sizeof(slacks) / sizeof(slacks[0]); s++) {
		plain_cq_init_slack(&p, 64, slacks[s]);
		for (i = told = 0; i < 500; i++) {
			plain_cq_complete(&p, PRM_CQE_OPCODE_RESP_SEND, 0);
			assert_ptr_equal(dvx_cq_peek(&p.cq), p.buf[i % 64]);
			assert_ptr_equal(dvx_cq_peek(&p.cq), p.buf[i % 64]);
			assert_false(dvx_cqe_is_send(dvx_cq_peek(&p.cq)));
			dvx_cq_pop(&p.cq);
			assert_null(dvx_cq_peek(&p.cq));
			assert_true(i + 1 - prm_swap32(p.dbrec[0]) <= slacks[s]);
			told += prm_swap32(p.dbrec[0]) == i + 1;
		}
		assert_true(slacks[s] < 4 || told <= 500 / 4);
		dvx_cq_publish(&p.cq);
		assert_int_equal(prm_swap32(p.dbrec[0]), 500);
	}
}

/* The consumer index has 24 bits, and goes from the last to 0. */
static void index_passes_24_bits(void **state)
{
	struct plain_cq p;
	uint32_t i;

	(void)state;
	plain_cq_init(&p, 64);
	/* As if 2^24 - 64 had been consumed: a multiple of the entries, phase 0 or 1 alike. */
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

/* poll retires and pops in one step, and says all of an error. */
static void poll_one_queue(void **state)
{
	struct plain_sq s;
	struct plain_cq p;
	struct dvx_wc wc = {0};

	(void)state;
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

static void ids_are(const uint64_t *ids, uint64_t from, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(ids[i], from + (uint64_t)i);
}

/* Polls of many: never more than asked for, all in order over laps, and an error comes alone. */
static void poll_many(void **state)
{
	struct plain_sq s;
	struct plain_cq p;
	struct dvx_wc wc = {0};
	uint64_t ids[16], next = 0, posted = 0;
	int n;

	(void)state;
	plain_sq_init(&s, 64, 0);
	plain_cq_init_slack(&p, 64, 16);
	s.sq.cq = &p.cq;
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

/* An error CQE says why, where and which; the words are the PRM's. */
static void error_cqe(void **state)
{
	struct plain_cq p;
	struct dvx_cqe_failure e;
	uint8_t *cqe;

	(void)state;
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
static void arm(void **state)
{
	struct plain_cq p;
	const uint8_t *reg = (const uint8_t *)p.uar + 0x20;

	(void)state;
	plain_cq_init(&p, 8);
	plain_cq_complete(&p, PRM_CQE_OPCODE_REQ, 0);
	dvx_cq_pop(&p.cq);
	p.cq.arm_sn = 6;
	dvx_cq_arm(&p.cq, false);
	assert_int_equal(prm_swap32(p.dbrec[0]), 1);
	assert_int_equal(prm_swap32(p.dbrec[1]), 0x20000001);
	assert_int_equal(prm_load32(reg, 0), 0x20000001);
	assert_int_equal(prm_load32(reg, 4), 0x77);
	dvx_cq_arm(&p.cq, true);
	assert_int_equal(prm_swap32(p.dbrec[1]), 0x21000001);
}

/* Bytes that came inside a CQE go to the pieces that the WQE names. */
static void unscatter(void **state)
{
	struct plain_sq s;
	struct plain_cq p;
	uint8_t a[4] = {0}, b[8] = {0};
	struct dvx_sge sge[2] = {{(uintptr_t)a, 4, 1}, {(uintptr_t)b, 8, 1}};

	(void)state;
	plain_sq_init(&s, 8, 0);
	plain_cq_init(&p, 8);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_ring_is_empty),
		cmocka_unit_test(laps),
		cmocka_unit_test(slack),
		cmocka_unit_test(index_passes_24_bits),
		cmocka_unit_test(poll_one_queue),
		cmocka_unit_test(poll_many),
		cmocka_unit_test(error_cqe),
		cmocka_unit_test(arm),
		cmocka_unit_test(unscatter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
