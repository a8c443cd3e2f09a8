/* SPDX-License-Identifier: BSD-2-Clause */
/* A shared receive ring on plain memory, against a device that follows its links. */
#include "ring.h"

#define ENTRIES 8u
#define STRIDE	64u

struct plain_srq {
	struct dvx_srq srq;
	uint64_t wr_ids[ENTRIES];
	_Alignas(64) uint8_t buf[ENTRIES][STRIDE];
	uint32_t dbrec[2];
	/* the device's side */
	uint32_t next;	   /* the entry that the next message takes */
	uint32_t taken;	   /* how many it took */
	uint32_t held[64]; /* taken, not completed */
	uint32_t holds;
};

static void plain_srq_init(struct plain_srq *p)
{
	struct dvx_srq_memory init = {.size = sizeof(init),
				      .entries = ENTRIES,
				      .buf = p->buf,
				      .wr_ids = p->wr_ids,
				      .dbrec = p->dbrec,
				      .stride = STRIDE};

	memset(p, 0, sizeof(*p));
	memset(p->buf, 0xee, sizeof(p->buf));
	assert_int_equal(dvx_srq_init(&p->srq, &init), 0);
}

/* A message takes the next entry, whose link the device reads now. */
static void take(struct plain_srq *p)
{
	assert_int_not_equal((prm_swap32(p->dbrec[0]) - p->taken) & 0xffff, 0);
	p->held[p->holds++] = p->next;
	p->next = prm_wqe_srq_next_seg_get_next_wqe_index(p->buf[p->next]);
	p->taken++;
}

/* Completes a receive; returns its buffer's address, which the test uses as cookie. */
static uint64_t complete(struct plain_srq *p, uint32_t which)
{
	uint32_t at = p->held[which];
	uint64_t addr = prm_wqe_data_seg_get_addr(p->buf[at] + DVX_SEG);

	p->held[which] = p->held[--p->holds];
	assert_int_equal(dvx_srq_retire(&p->srq, at), addr);
	return addr;
}

/* Receives complete in any order, the device takes them in the order of the posts, and a post to a
 * full ring fails without changing it. */
TEST(none, any_order)
{
	struct plain_srq p, before;
	uint64_t posted = 0x1000, taken = 0x1000;
	uint32_t i, seed = 1;

	plain_srq_init(&p);
	for (i = 0; i < 100000; i++) {
		struct dvx_sge sge = {posted, 16, 9};

		seed = seed * 1664525 + 1013904223;
		switch (seed >> 28 & 3) {
		case 0:
		case 1:
			before = p;
			if (dvx_srq_free(&p.srq)) {
				assert_int_equal(dvx_srq_post(&p.srq, &sge, 1, posted++), 0);
				dvx_srq_ring(&p.srq);
			} else {
				assert_int_equal(dvx_srq_post(&p.srq, &sge, 1, 1), -ENOSPC);
				assert_memory_equal(&before, &p, sizeof(p));
			}
			break;
		case 2:
			if (taken == posted)
				break;
			take(&p);
			assert_int_equal(
				prm_wqe_data_seg_get_addr(p.buf[p.held[p.holds - 1]] + DVX_SEG),
				taken);
			taken++;
			break;
		default:
			if (p.holds)
				complete(&p, (seed >> 8) % p.holds);
		}
		assert_int_equal(dvx_srq_free(&p.srq), ENTRIES - 1 - (posted - taken) - p.holds);
	}
	assert_true(p.taken > 0x4000);
}

/* A list of pieces ends with the invalid lkey unless it fills the entry; bad lists fail. */
TEST(none, pieces)
{
	struct dvx_sge sge[4] = {{1, 16, 9}, {3, 8, 9}, {4, 4, 9}, {2, 0, 9}};
	struct plain_srq p;

	plain_srq_init(&p);
	assert_int_equal(p.srq.max_sge, 3);
	assert_int_equal(dvx_srq_post(&p.srq, sge, 4, 0), -EMSGSIZE);
	assert_int_equal(dvx_srq_post(&p.srq, sge + 3, 1, 0), -EMSGSIZE);
	assert_int_equal(dvx_srq_post(&p.srq, sge, 3, 0), 0);
	assert_int_equal(prm_wqe_data_seg_get_addr(p.buf[0] + 48), 4);
	assert_int_equal(dvx_srq_post(&p.srq, sge, 1, 0), 0);
	assert_int_equal(prm_wqe_data_seg_get_addr(p.buf[1] + 16), 1);
	assert_int_equal(prm_wqe_data_seg_get_lkey(p.buf[1] + 32), DVX_INVALID_LKEY);
	assert_int_equal(p.dbrec[0], 0);
}

/* An incomplete description fails; a plain ring has no limit. */
TEST(none, bad_init)
{
	struct plain_srq p;
	struct dvx_srq_memory init = {.size = sizeof(init),
				      .entries = ENTRIES,
				      .buf = p.buf,
				      .wr_ids = p.wr_ids,
				      .dbrec = p.dbrec,
				      .stride = 32};

	init.entries = 1;
	assert_int_equal(dvx_srq_init(&p.srq, &init), -EINVAL);
	init.entries = 12;
	assert_int_equal(dvx_srq_init(&p.srq, &init), -EINVAL);
	init.entries = ENTRIES;
	init.stride = 16;
	assert_int_equal(dvx_srq_init(&p.srq, &init), -EINVAL);
	init.stride = 32;
	init.dbrec = NULL;
	assert_int_equal(dvx_srq_init(&p.srq, &init), -EINVAL);
	init.dbrec = p.dbrec;
	assert_int_equal(dvx_srq_init(&p.srq, &init), 0);
	assert_int_equal(dvx_srq_arm(&p.srq, 1), -EINVAL);
}
