/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring.h"

struct plain_rq {
	struct dvx_rq rq;
	uint64_t wr_ids[8];
	_Alignas(64) uint8_t buf[8][64];
	uint32_t dbrec[2];
};

static void plain_rq_init(struct plain_rq *p, uint32_t stride)
{
	struct dvx_rq_memory init = {.size = sizeof(init),
				     .entries = 8,
				     .buf = p->buf,
				     .wr_ids = p->wr_ids,
				     .dbrec = p->dbrec,
				     .stride = stride};

	memset(p, 0, sizeof(*p));
	memset(p->buf, 0xee, sizeof(p->buf));
	assert_int_equal(dvx_rq_init(&p->rq, &init), 0);
}

/* Over several laps, cookies come back in order, a post to a full ring fails, the record wraps. */
TEST(none, wrap_and_full)
{
	struct dvx_sge sge = {0x1000, 16, 9};
	struct plain_rq p, before;
	uint32_t i;

	plain_rq_init(&p, 16);
	for (i = 0; i < 0x10010; i++) {
		assert_int_equal(dvx_rq_post(&p.rq, &sge, 1, i), 0);
		dvx_rq_ring(&p.rq);
		assert_int_equal(prm_swap32(p.dbrec[0]), (i + 1) & 0xffff);
		if (i >= 7) {
			before = p;
			assert_int_equal(dvx_rq_post(&p.rq, &sge, 1, 1), -ENOSPC);
			assert_memory_equal(&before, &p, sizeof(p));
			assert_int_equal(dvx_rq_retire(&p.rq), i - 7);
		}
	}
	assert_int_equal(p.dbrec[1], 0);
}

/*
 * A repost of the receives of a full queue changes nothing but the counters, and fails if the ring
 * is full.
 */
TEST(none, repost)
{
	struct plain_rq p, before;
	uint32_t i;

	plain_rq_init(&p, 16);
	for (i = 0; i < 8; i++) {
		struct dvx_sge sge = {0x1000 * i, 64 + i, 9};

		assert_int_equal(dvx_rq_post(&p.rq, &sge, 1, 100 + i), 0);
	}
	before = p;
	for (i = 0; i < 20; i++) {
		assert_int_equal(dvx_rq_retire(&p.rq), 100 + i % 8);
		assert_int_equal(dvx_rq_repost(&p.rq), 0);
		assert_int_equal(dvx_rq_free(&p.rq), 0);
		assert_int_equal(dvx_rq_repost(&p.rq), -ENOSPC);
		assert_int_equal(dvx_rq_free(&p.rq), 0);
	}
	dvx_rq_ring(&p.rq);
	assert_int_equal(prm_swap32(p.dbrec[0]), 28);
	assert_memory_equal(p.buf, before.buf, sizeof(p.buf));
}

/* The list of pieces ends with the invalid lkey unless it fills the WQE; empty pieces fail. */
TEST(none, pieces)
{
	struct dvx_sge sge[5] = {{1, 16, 9}, {3, 8, 9}, {2, 0, 9}, {4, 4, 9}, {5, 2, 9}};
	struct plain_rq p;

	plain_rq_init(&p, 64);
	assert_int_equal(dvx_rq_post(&p.rq, sge, 3, 0), -EMSGSIZE);
	assert_int_equal(dvx_rq_post(&p.rq, sge, 2, 0), 0);
	assert_int_equal(prm_wqe_data_seg_get_addr(p.buf[0] + 16), 3);
	assert_int_equal(prm_wqe_data_seg_get_lkey(p.buf[0] + 32), DVX_INVALID_LKEY);
	assert_int_equal(prm_wqe_data_seg_get_byte_count(p.buf[0] + 32), 0);
	assert_int_equal(p.buf[0][48], 0xee);
	assert_int_equal(dvx_rq_post(&p.rq, sge, 5, 0), -EMSGSIZE);
	sge[2].length = DVX_MAX_SEGMENT + 1;
	assert_int_equal(dvx_rq_post(&p.rq, sge, 3, 0), -EMSGSIZE);
	sge[2].length = 3;
	assert_int_equal(dvx_rq_post(&p.rq, sge, 4, 0), 0);
	assert_int_equal(prm_wqe_data_seg_get_addr(p.buf[1] + 48), 4);
}

/* An incomplete description fails, and the sentence names the member. */
TEST(none, bad_init)
{
	struct plain_rq p;
	struct dvx_rq_memory init = {.size = sizeof(init),
				     .entries = 8,
				     .buf = p.buf,
				     .wr_ids = p.wr_ids,
				     .dbrec = p.dbrec,
				     .stride = 16};

	init.stride = 24;
	assert_int_equal(dvx_rq_init(&p.rq, &init), -EINVAL);
	init.stride = 8;
	assert_int_equal(dvx_rq_init(&p.rq, &init), -EINVAL);
	init.stride = 16;
	init.entries = 0;
	assert_int_equal(dvx_rq_init(&p.rq, &init), -EINVAL);
	init.entries = 8;
	init.wr_ids = NULL;
	assert_int_equal(dvx_rq_init(&p.rq, &init), -EINVAL);
}
