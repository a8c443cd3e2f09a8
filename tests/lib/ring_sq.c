/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring.h"

static const struct dvx_sge three[3] = {{0x1000, 16, 0x10}, {0x2000, 32, 0x20}, {0x3000, 64, 0x30}};

static struct plain_sq p; /* the ring of each test */

static uint32_t ctrl_index(const void *wqe)
{
	return prm_wqe_ctrl_seg_get_wqe_index(wqe);
}

/* A post to a full ring fails and writes nothing; it succeeds as soon as a WQE is retired. */
TEST(none, full_refuses)
{
	struct plain_sq before;
	uint32_t i;

	plain_sq_init(&p, 8, 0);
	for (i = 0; i < 8; i++) {
		assert_int_equal(dvx_sq_free(&p.sq), 8 - i);
		assert_int_equal(dvx_post_nop(&p.sq, 100 + i, DVX_SIGNALED), 0);
	}
	before = p;
	assert_int_equal(dvx_post_nop(&p.sq, 1, 0), -ENOSPC);
	assert_int_equal(dvx_post_write_inline(&p.sq, 1, 2, "x", 1, 1, 0), -ENOSPC);
	assert_int_equal(dvx_post_send(&p.sq, three, 3, 1, 0), -ENOSPC);
	assert_memory_equal(&before, &p, sizeof(p));
	assert_int_equal(dvx_sq_retire(&p.sq, 0), 100);
	assert_int_equal(dvx_post_nop(&p.sq, 1, 0), 0);
	assert_int_equal(dvx_post_nop(&p.sq, 1, 0), -ENOSPC);
}

/* Retiring one WQE frees everything posted before it, signaled or not. */
TEST(none, retire_frees_all_before)
{
	uint32_t i;

	plain_sq_init(&p, 16, 0);
	for (i = 0; i < 5; i++)
		assert_int_equal(
			dvx_post_send(&p.sq, three, i ? 1 : 3, i, i == 4 ? DVX_SIGNALED : 0), 0);
	assert_int_equal(dvx_sq_free(&p.sq), 16 - 5);
	assert_int_equal(dvx_sq_retire(&p.sq, 4), 4);
	assert_int_equal(dvx_sq_free(&p.sq), 16);
}

/* A WQE of two blocks at the last block: a NOP fills it, the WQE begins at block 0. */
TEST(none, wrap_pads_with_nop)
{
	struct dvx_sge four[4] = {three[0], three[1], three[2], three[0]};
	const uint8_t *pad;
	uint32_t i;

	plain_sq_init(&p, 8, 0);
	for (i = 0; i < 7; i++)
		assert_int_equal(dvx_post_nop(&p.sq, i, 0), 0);
	/* Padding and WQE need three blocks; with two, the post fails and changes nothing. */
	dvx_sq_retire(&p.sq, 0);
	assert_int_equal(dvx_sq_free(&p.sq), 2);
	assert_int_equal(dvx_post_write(&p.sq, 1, 2, four, 4, 9, 0), -ENOSPC);
	assert_int_equal(p.sq.pi, 7);
	dvx_sq_retire(&p.sq, 6);
	assert_int_equal(dvx_post_write(&p.sq, 1, 2, four, 4, 9, DVX_SIGNALED), 0);
	assert_int_equal(p.sq.pi, 10);
	pad = p.buf[7];
	assert_int_equal(prm_wqe_ctrl_seg_get_opcode(pad), PRM_WQE_OPCODE_NOP);
	assert_int_equal(ctrl_index(pad), 7);
	assert_int_equal(prm_wqe_ctrl_seg_get_ds(pad), 1);
	assert_int_equal(prm_wqe_ctrl_seg_get_fm_ce_se(pad), 0);
	assert_int_equal(prm_wqe_ctrl_seg_get_qpn(pad), RING_QPN);
	assert_int_equal(ctrl_index(p.buf[0]), 8);
	assert_int_equal(prm_wqe_ctrl_seg_get_ds(p.buf[0]), 6);
	assert_ptr_equal(dvx_sq_last(&p.sq), p.buf[0]);
	/* After an error padding is flushed like any other WQE. */
	assert_true(dvx_sq_retire(&p.sq, 7) == DVX_WR_ID_PAD);
	assert_int_equal(dvx_sq_free(&p.sq), 5); /* padding is freed with the WQE behind it */
	assert_int_equal(dvx_sq_retire(&p.sq, 8), 9);
	assert_int_equal(dvx_sq_free(&p.sq), 8);
}

/* Every length of WQE fits into an empty ring at every place, for every ring size; cookies match.
 */
TEST(none, every_length_everywhere)
{
	static const uint8_t data[1024];
	uint32_t blocks, at, ds, len, before;

	for (blocks = 1; blocks <= RING_BLOCKS; blocks *= 2) {
		plain_sq_init(&p, blocks, 0);
		for (at = 0; at < blocks; at++) {
			for (ds = 2; ds <= p.sq.max_ds; ds++) {
				/* moves to block `at` of an empty ring */
				while ((p.sq.pi & p.sq.mask) != at) {
					before = p.sq.pi;
					assert_int_equal(dvx_post_nop(&p.sq, 1, 0), 0);
					dvx_sq_retire(&p.sq, before);
				}
				len = (ds - 1) * 16 - 4;
				assert_int_equal(dvx_post_send_inline(&p.sq, data, len, 5 + ds, 0),
						 0);
				before = (uint32_t)((dvx_sq_last(&p.sq) - p.buf[0]) / DVX_BLOCK);
				assert_true(before + dvx_wqe_blocks(ds) <= blocks);
				assert_int_equal(ctrl_index(dvx_sq_last(&p.sq)) & p.sq.mask,
						 before);
				assert_int_equal(
					dvx_sq_retire(&p.sq, ctrl_index(dvx_sq_last(&p.sq))),
					5 + ds);
				assert_int_equal(dvx_sq_free(&p.sq), blocks);
			}
		}
	}
}

struct model {
	uint64_t owner[RING_BLOCKS]; /* cookie of the unretired WQE in each block, 0: free */
	uint64_t next;		     /* oldest cookie not retired */
	uint64_t posted;
	uint32_t index[4096]; /* first block of each cookie, modulo */
};

/* Checks that the blocks of a post, with its padding, were free; marks them. */
static void occupy(struct model *m, const struct dvx_sq *sq, uint32_t from, uint32_t blocks)
{
	uint32_t i, first = sq->pi - blocks;

	for (i = from; i != sq->pi; i++) {
		assert_true(m->owner[i & sq->mask] == 0);
		m->owner[i & sq->mask] = m->posted;
	}
	assert_int_equal((first & sq->mask) + blocks <= sq->mask + 1, 1);
	m->index[m->posted % 4096] = first & 0xffff;
}

/* Random posts and retirements, compared with a model: no block is used twice, none is lost. */
TEST(none, random_against_model)
{
	static const uint8_t data[1024];
	struct model m;
	uint32_t size, step, seed = 7, ds, from, i, used, retire;
	int err;

	for (size = 1; size <= RING_BLOCKS; size *= 2) {
		plain_sq_init(&p, size, 0);
		memset(&m, 0, sizeof(m));
		m.posted = m.next = 1;
		for (step = 0; step < 30000; step++) {
			seed = seed * 1664525 + 1013904223;
			ds = 2 + (seed >> 8) % (p.sq.max_ds - 1);
			from = p.sq.pi;
			err = dvx_post_send_inline(&p.sq, data, (ds - 1) * 16 - 4, m.posted, 0);
			if (!err) {
				occupy(&m, &p.sq, from, dvx_wqe_blocks(ds));
				m.posted++;
			} else {
				assert_int_equal(err, -ENOSPC);
				assert_int_equal(p.sq.pi, from);
			}
			for (used = i = 0; i < size; i++)
				used += m.owner[i] != 0;
			assert_int_equal(dvx_sq_free(&p.sq), size - used);
			if (m.next == m.posted || (!err && seed >> 30))
				continue;
			/* any of the outstanding ones may be the signaled one */
			retire = (uint32_t)((seed >> 16) % (m.posted - m.next));
			m.next += retire;
			assert_int_equal(dvx_sq_retire(&p.sq, m.index[m.next % 4096]), m.next);
			m.next++;
			for (i = 0; i < size; i++)
				if (m.owner[i] < m.next)
					m.owner[i] = 0;
		}
	}
}

/* A request that does not fit into the largest WQE fails, and so does a piece over 2 GiB. */
TEST(none, too_long)
{
	static const uint8_t data[2048];
	struct dvx_sge many[70], huge = {0, DVX_MAX_SEGMENT + 1, 1};
	uint32_t i;

	for (i = 0; i < 70; i++)
		many[i] = three[0];
	plain_sq_init(&p, RING_BLOCKS, 0);
	assert_int_equal(p.sq.max_ds, DVX_MAX_DS);
	assert_int_equal(dvx_post_send(&p.sq, many, 62, 0, 0), 0);
	assert_int_equal(dvx_post_send(&p.sq, many, 63, 0, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_write(&p.sq, 0, 0, many, 62, 0, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_send_inline(&p.sq, data, 62 * 16 - 4, 0, 0), 0);
	assert_int_equal(dvx_post_send_inline(&p.sq, data, 62 * 16 - 3, 0, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_send_inline(&p.sq, data, UINT32_MAX, 0, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_read(&p.sq, 0, 0, &huge, 1, 0, 0), -EMSGSIZE);
	huge.length--;
	assert_int_equal(dvx_post_read(&p.sq, 0, 0, &huge, 1, 0, 0), 0);
	assert_int_equal(prm_wqe_data_seg_get_byte_count(dvx_sq_last(&p.sq) + 32), 0);
}

/* Inline data of each length arrives whole, and nothing is written behind its segment. */
TEST(none, every_inline_length)
{
	uint8_t data[256];
	volatile uint32_t len;

	for (uint32_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 5 + 1);
	for (len = 1; len <= sizeof(data); len++) {
		uint32_t end = DVX_SEG * (1 + dvx_wqe_inline_ds(len));

		plain_sq_init(&p, 16, 0);
		assert_int_equal(dvx_post_send_inline(&p.sq, data, len, 0, 0), 0);
		assert_memory_equal(p.buf[0] + DVX_SEG + 4, data, len);
		assert_int_equal(((const uint8_t *)p.buf)[end], 0xee);
	}
}

/* An empty piece fails: in the WQE it would mean 2 GiB. A request without data has no pieces. */
TEST(none, empty_pieces)
{
	struct dvx_sge sge[3] = {{1, 5, 1}, {0x1111, 0, 2}, {3, 6, 3}};

	plain_sq_init(&p, 8, 0);
	assert_int_equal(dvx_post_write(&p.sq, 7, 8, sge, 3, 0, 0), -EMSGSIZE);
	assert_int_equal(dvx_sq_free(&p.sq), 8);
	assert_int_equal(dvx_post_write(&p.sq, 7, 8, NULL, 0, 0, 0), 0);
	assert_int_equal(prm_wqe_ctrl_seg_get_ds(p.buf[0]), 2);
	assert_int_equal(dvx_post_send_inline(&p.sq, "", 0, 0, 0), 0);
	assert_int_equal(prm_wqe_ctrl_seg_get_ds(p.buf[1]), 1);
}

/* The index in the WQE and the record are the low 16 bits of a longer counter. */
TEST(none, counter_passes_16_bits)
{
	uint32_t i;

	plain_sq_init(&p, 8, 0);
	for (i = 0; i < 0x10005; i++) {
		assert_int_equal(dvx_post_nop(&p.sq, i, 0), 0);
		dvx_sq_ring(&p.sq);
		assert_int_equal(ctrl_index(p.buf[i & 7]), i & 0xffff);
		assert_int_equal(prm_swap32(p.dbrec[1]), (i + 1) & 0xffff);
		assert_int_equal(dvx_sq_retire(&p.sq, i & 0xffff), i);
		assert_int_equal(dvx_sq_free(&p.sq), 8);
	}
}

/* The register gets the head of the last WQE; the receive half of the record does not change. */
TEST(none, doorbell_shows_the_last_wqe)
{
	plain_sq_init(&p, 8, 0);
	p.dbrec[0] = 0xabcdef;
	dvx_post_nop(&p.sq, 0, 0);
	dvx_post_write_inline(&p.sq, 1, 2, "abc", 3, 0, 0);
	dvx_sq_ring(&p.sq);
	assert_int_equal(prm_swap32(p.dbrec[1]), 2);
	assert_int_equal(p.dbrec[0], 0xabcdef);
	assert_memory_equal(p.reg[0], p.buf[1], 8);
	assert_int_equal(p.reg[0][1], 0);
}

/* Before the first post a doorbell has the queue's number only; BlueFlame copies nothing. */
TEST(none, doorbell_before_the_first_post)
{
	plain_sq_init(&p, 8, 256);
	dvx_sq_ring(&p.sq);
	assert_int_equal(prm_wqe_ctrl_seg_get_qpn(p.reg[0]), RING_QPN);
	assert_int_equal(ctrl_index((const uint8_t *)p.reg[0]), 0);
	assert_int_equal(p.dbrec[1], 0);
	memset(p.reg, 0xee, sizeof(p.reg));
	dvx_sq_ring_bf(&p.sq);
	assert_int_equal(p.reg[0][0], 0xeeeeeeeeeeeeeeee);
	assert_int_equal(p.reg[1][0], 0xeeeeeeeeeeeeeeee);
	assert_int_equal(p.dbrec[1], 0);
}

/* BlueFlame copies one new WQE to alternating buffers; several, or a long one, need a doorbell. */
TEST(none, blueflame)
{
	static const uint8_t data[300];

	plain_sq_init(&p, 16, 256);
	dvx_post_write_inline(&p.sq, 1, 2, "abcdefgh", 8, 0, 0);
	dvx_sq_ring_bf(&p.sq);
	assert_memory_equal(p.reg[0], p.buf[0], 64);
	assert_int_equal(p.reg[0][8], 0);
	dvx_post_send_inline(&p.sq, data, 100, 0, 0); /* 2 blocks */
	dvx_sq_ring_bf(&p.sq);
	assert_memory_equal(p.reg[1], p.buf[1], 128);
	memset(p.reg, 0, sizeof(p.reg));
	dvx_post_nop(&p.sq, 0, 0);
	dvx_post_nop(&p.sq, 0, 0);
	dvx_sq_ring_bf(&p.sq);
	assert_memory_equal(p.reg[0], p.buf[4], 8);
	assert_int_equal(p.reg[0][1], 0);
	dvx_post_send_inline(&p.sq, data, 300, 0, 0); /* 5 blocks, more than the buffer */
	dvx_sq_ring_bf(&p.sq);
	assert_memory_equal(p.reg[0], p.buf[5], 8);
	assert_int_equal(p.reg[0][1], 0);
	assert_int_equal(prm_swap32(p.dbrec[1]), 10);
}

/* A WQE behind padding is two new WQEs: the register is rung, BlueFlame is not used. */
TEST(none, blueflame_after_padding)
{
	static const uint8_t data[100];
	uint32_t i;

	plain_sq_init(&p, 8, 256);
	for (i = 0; i < 7; i++) {
		dvx_post_nop(&p.sq, 0, 0);
		dvx_sq_ring(&p.sq);
		dvx_sq_retire(&p.sq, i);
	}
	memset(p.reg, 0, sizeof(p.reg));
	dvx_post_send_inline(&p.sq, data, 100, 0, 0);
	dvx_sq_ring_bf(&p.sq);
	assert_memory_equal(p.reg[0], p.buf[0], 8);
	assert_int_equal(p.reg[0][1], 0);
	assert_int_equal(prm_swap32(p.dbrec[1]), 10);
}

/* A batch is posted as a whole when it ends, or never; polls meanwhile do not free room for it. */
TEST(none, batch)
{
	struct dvx_sq b;
	uint32_t i;

	plain_sq_init(&p, 8, 0);
	assert_int_equal(dvx_post_nop(&p.sq, 1, 0), 0);
	b = dvx_sq_begin(&p.sq);
	assert_int_equal(dvx_post_nop(&b, 99, 0), 0);
	assert_int_equal(dvx_sq_free(&p.sq), 7);
	b = dvx_sq_begin(&p.sq);
	for (i = 0; i < 7; i++)
		assert_int_equal(dvx_post_write(&b, 7, 8, NULL, 0, 10 + i, 0), 0);
	assert_int_equal(dvx_sq_retire(&p.sq, 0), 1);
	assert_int_equal(dvx_post_nop(&b, 99, 0), -ENOSPC);
	dvx_sq_end(&p.sq, &b);
	assert_int_equal(dvx_sq_free(&p.sq), 1);
	dvx_sq_ring(&p.sq);
	assert_int_equal(prm_swap32(p.dbrec[1]), 8);
	assert_memory_equal(p.reg[0], p.buf[7], 8);
	for (i = 0; i < 7; i++)
		assert_int_equal(dvx_sq_retire(&p.sq, i + 1), 10 + i);
}

/* A template writes the same requests, cookies and doorbells as the general post, in each lap. */
TEST(none, template_writes_the_request)
{
	struct dvx_sge sge = {0, 4096, 0x77};
	struct plain_sq q;
	struct dvx_template t;
	uint64_t value;
	uint32_t i, kind;

	for (kind = 0; kind < 2; kind++) {
		plain_sq_init(&p, 8, 0);
		plain_sq_init(&q, 8, 0);
		p.sq.pi = p.sq.ci = q.sq.pi = q.sq.ci = 0xfffffff0; /* the counter passes its end */
		assert_int_equal(kind ? dvx_template_read(&p.sq, 9, 0x77, 4096, DVX_SIGNALED, &t)
				      : dvx_template_write_inline(&p.sq, 9, 8, DVX_SIGNALED, &t),
				 0);
		for (i = 0; i < 40; i++) {
			value = sge.addr = i * 0x0102030405060708u;
			assert_int_equal(
				kind ? dvx_template_post(&p.sq, &t, i << 12, value, i)
				     : dvx_template_post_inline(&p.sq, &t, i << 12, &value, 8, i),
				0);
			assert_int_equal(
				kind ? dvx_post_read(&q.sq, i << 12, 9, &sge, 1, i, DVX_SIGNALED)
				     : dvx_post_write_inline(&q.sq, i << 12, 9, &value, 8, i,
							     DVX_SIGNALED),
				0);
			assert_memory_equal(dvx_sq_last(&p.sq), dvx_sq_last(&q.sq), 44);
			dvx_sq_ring(&p.sq);
			dvx_sq_ring(&q.sq);
			assert_memory_equal(p.reg, q.reg, 8);
			assert_int_equal(p.dbrec[1], q.dbrec[1]);
			assert_int_equal(dvx_sq_retire(&p.sq, i - 16), i);
			assert_int_equal(dvx_sq_retire(&q.sq, i - 16), i);
		}
		assert_int_equal(dvx_template_end(&p.sq), 0);
		assert_int_equal(p.sq.ci, q.sq.ci);
	}
}

/* Other posts fail while the ring has a template; no request is lost at its begin and end. */
TEST(none, template_has_the_ring)
{
	struct dvx_template t, u;
	uint32_t i;

	plain_sq_init(&p, 8, 0);
	assert_int_equal(dvx_template_end(&p.sq), -EINVAL);
	assert_int_equal(dvx_post_nop(&p.sq, 1, 0), 0);
	assert_int_equal(dvx_template_write(&p.sq, 1, 2, 3, 0, &t), -EBUSY);
	dvx_sq_retire(&p.sq, 0);
	assert_int_equal(dvx_template_write_inline(&p.sq, 1, 29, 0, &t), -EMSGSIZE);
	assert_int_equal(dvx_template_write_inline(&p.sq, 1, 0, 0, &t), -EMSGSIZE);
	assert_int_equal(dvx_template_write(&p.sq, 1, 2, 0, 0, &t), -EMSGSIZE);
	assert_int_equal(dvx_template_write(&p.sq, 1, 2, 3, 1, &t), -EBADR);
	assert_int_equal(dvx_template_write(&p.sq, 1, 2, 3, 0, &t), 0);
	assert_int_equal(dvx_template_write(&p.sq, 1, 2, 3, 0, &u), -EBUSY);
	assert_int_equal(dvx_template_post_inline(&p.sq, &t, 1, "12345678", 8, 1), -EMSGSIZE);
	assert_int_equal(dvx_template_post_inline(&p.sq, &t, 1, "", 0, 1), -EMSGSIZE);
	for (i = 0; i < 8; i++) {
		assert_int_equal(dvx_post_nop(&p.sq, 1, 0), -ENOSPC);
		assert_int_equal(dvx_sq_free(&p.sq), 0);
		assert_int_equal(dvx_template_post(&p.sq, &t, i, i, 10 + i), 0);
	}
	assert_int_equal(dvx_template_post(&p.sq, &t, i, i, 10 + i), -ENOSPC);
	assert_int_equal(dvx_template_end(&p.sq), -EBUSY);
	assert_int_equal(dvx_sq_retire(&p.sq, 7), 16);
	assert_int_equal(dvx_template_post(&p.sq, &t, i, i, 10 + i), 0);
	assert_int_equal(dvx_template_end(&p.sq), -EBUSY);
	dvx_sq_retire(&p.sq, 0);
	dvx_sq_retire(&p.sq, 1);
	assert_int_equal(dvx_template_end(&p.sq), 0);
	assert_int_equal(dvx_sq_free(&p.sq), 8);
	assert_int_equal(dvx_post_nop(&p.sq, 1, 0), 0);
}

/* A copy needs a queue with MMO, and a length that fits into a WQE. */
TEST(none, dma_bounds)
{
	plain_sq_init(&p, 8, 0);
	assert_int_equal(dvx_post_dma(&p.sq, 1, 2, 3, 4, 5, 6, 0), -EBADRQC);
	p.sq.mmo_lkey = 0x99;
	assert_int_equal(dvx_post_dma(&p.sq, 1, 2, 3, 4, 0, 6, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_dma(&p.sq, 1, 2, 3, 4, DVX_MAX_SEGMENT + 1, 6, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_dma(&p.sq, 1, 2, 3, 4, DVX_MAX_SEGMENT, 6, 0), 0);
	assert_int_equal(prm_wqe_data_seg_get_byte_count(p.buf[0] + 32), 0);
	assert_int_equal(prm_wqe_data_seg_get_lkey(p.buf[0] + 32), 4);
	assert_int_equal(prm_wqe_data_seg_get_lkey(p.buf[0] + 48), 2);
}

/* Another layout, a size that is no power of two, a missing member: the sentence names it. */
TEST(none, bad_init)
{
	struct dvx_sq_memory init;
	struct {
		struct dvx_sq_memory init;
		uint32_t newer;
	} longer;

	plain_sq_init(&p, 8, 0);
	init = (struct dvx_sq_memory){.size = sizeof(init),
				      .blocks = 8,
				      .buf = p.buf,
				      .slots = p.slots,
				      .dbrec = p.dbrec,
				      .reg = p.reg};
	init.blocks = 12;
	assert_int_equal(dvx_sq_init(&p.sq, &init), -EINVAL);
	assert_non_null(strstr(dvx_strerror(dvx_last_error()->err), "blocks is 12"));
	init.blocks = 65536;
	assert_int_equal(dvx_sq_init(&p.sq, &init), -EINVAL);
	init.blocks = 8;
	init.dbrec = NULL;
	assert_int_equal(dvx_sq_init(&p.sq, &init), -EINVAL);
	init.dbrec = p.dbrec;
	init.size = 0;
	assert_int_equal(dvx_sq_init(&p.sq, &init), -EINVAL);
	memset(&longer, 0, sizeof(longer));
	init.size = sizeof(longer);
	longer.init = init;
	assert_int_equal(dvx_sq_init(&p.sq, &longer.init), 0);
	longer.newer = 1;
	assert_int_equal(dvx_sq_init(&p.sq, &longer.init), -E2BIG);
}

/* A bad length does not change the ring, even at its end: no padding, the same doorbell. */
TEST(none, multi_refused)
{
	struct dvx_sge packets[16] = {{4096, 64, 7}};

	for (int i = 1; i < 16; i++)
		packets[i] = packets[0];
	packets[15].length = 0;
	plain_sq_init(&p, 16, 0);
	for (int i = 0; i < 12; i++)
		assert_int_equal(dvx_post_nop(&p.sq, 1, 0), 0);
	assert_int_equal(dvx_post_send_inline(&p.sq, packets, 64, 1, 0), 0); /* two blocks */
	p.sq.ci = 14;
	for (uint32_t bad = 0; bad <= 0x10001; bad += 0x10001) {
		struct dvx_sq before = p.sq;

		packets[15].length = bad;
		/* an adopted queue has no slots of WQEs that libmlx5 posted */
		memset(p.sq.slots, 0, sizeof(p.sq.slots[0]) * 16);
		assert_int_equal(dvx_post_eth_multi(&p.sq, packets, 16, 2, 0), -EMSGSIZE);
		assert_memory_equal(&before, &p.sq, sizeof(before));
	}
	packets[15].length = 0x10000;
	assert_int_equal(dvx_post_eth_multi(&p.sq, packets, 16, 2, 0), 0);
	assert_int_equal(p.sq.pi, 16 + 5);
}
