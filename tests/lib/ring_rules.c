/* SPDX-License-Identifier: BSD-2-Clause */
/* Many rules at once (hws.h) on plain memory: as many posts one by one write the same. */
#include "ring.h"

#define MOST 9u

static struct plain_sq one, all;
static uint8_t tags[MOST][DVX_TAG_BYTES], args[MOST][DVX_ARG_BYTES];
static struct dvx_hws_image image;

enum rules_kind { WRITE, BY, DELETE, ARGUMENT, KINDS };

static void rules_setup(uint32_t at)
{
	memset(&image, 0, sizeof(image));
	prm_wqe_ctrl_seg_set_general_id(image.wqe, 0x80706050);
	for (uint32_t i = 2; i < 12; i++)
		image.wqe[i] = 0x1111111111111111ull * i;
	memset(tags, 0, sizeof(tags));
	for (uint32_t i = 0; i < MOST; i++) {
		memset(tags[i], (int)(0x30 + i), sizeof(tags[i]));
		memset(args[i], (int)(0x50 + i), sizeof(args[i]));
	}
	plain_sq_init(&one, 32, 0);
	plain_sq_init(&all, 32, 0);
	one.sq.pi = one.sq.ci = all.sq.pi = all.sq.ci = at;
}

static void fill_port(const void *from, uint32_t i, const struct dvx_sq_place *p)
{
	dvx_rule_fill_tag(from, i, p);
	prm_store16(dvx_rule_tag(p), 2, (uint16_t)i);
	dvx_hws_image_value(dvx_rule_image(p), i);
}

static int post_one_by(struct dvx_sq *sq, uint32_t i, uint64_t wr_id, uint32_t flags)
{
	struct dvx_sq_place p;
	int err = dvx_post_rule_begin(sq, &image, flags, &p);

	if (err)
		return err;
	fill_port(tags, i, &p);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

static int post_one(enum rules_kind kind, uint32_t i, uint64_t wr_id, uint32_t flags)
{
	switch (kind) {
	case WRITE:
		return dvx_post_rule(&one.sq, &image, tags[i], wr_id, flags);
	case BY:
		return post_one_by(&one.sq, i, wr_id, flags);
	case DELETE:
		return dvx_post_rule_del(&one.sq, &image, tags[i], wr_id, flags);
	default:
		return dvx_post_rule_arg(&one.sq, 0x700 + i, args[i], DVX_ARG_BYTES, wr_id, flags);
	}
}

static int post_all(enum rules_kind kind, uint32_t n, uint64_t wr_id, uint32_t flags)
{
	switch (kind) {
	case WRITE:
		return dvx_post_rules(&all.sq, &image, tags, n, wr_id, flags);
	case BY:
		return dvx_post_rules_by(&all.sq, &image, fill_port, tags, n, wr_id, flags);
	case DELETE:
		return dvx_post_rules_del(&all.sq, &image, tags, n, wr_id, flags);
	default:
		return dvx_post_rule_args(&all.sq, 0x700, args, n, wr_id, flags);
	}
}

static void assert_equal_rings(void)
{
	assert_int_equal(one.sq.pi, all.sq.pi);
	assert_int_equal(one.sq.head, all.sq.head);
	assert_memory_equal(one.buf, all.buf, sizeof(one.buf));
	for (uint32_t i = 0; i < RING_BLOCKS; i++) {
		assert_int_equal(one.slots[i].wr_id, all.slots[i].wr_id);
		assert_int_equal(one.slots[i].end, all.slots[i].end);
	}
}

/* The bytes, cookies and ends are those of single posts, the fence first and the completion last. */
TEST(none, as_one_by_one)
{
	const uint32_t fence = DVX_SMALL_FENCE, last = DVX_SIGNALED | DVX_SOLICITED;

	for (uint32_t at = 0; at <= 32; at += 2)
		for (uint32_t n = 1; n <= MOST; n++)
			for (uint32_t kind = 0; kind < KINDS; kind++) {
				rules_setup(at - 8u); /* both indices wrap in some rounds */
				for (uint32_t i = 0; i < n; i++)
					assert_int_equal(
						post_one(kind, i, 70 + i,
							 (i ? 0 : fence) | (i + 1 < n ? 0 : last)),
						0);
				assert_int_equal(post_all(kind, n, 70, fence | last), 0);
				assert_equal_rings();
			}
}

/* Behind a request of one block, a block of padding comes first, which polls skip. */
TEST(none, odd_place_is_padded)
{
	rules_setup(0);
	assert_int_equal(dvx_post_nop(&all.sq, 5, 0), 0);
	assert_int_equal(dvx_post_rules(&all.sq, &image, tags, 2, 70, DVX_SIGNALED), 0);
	assert_int_equal(all.sq.pi, 6);
	assert_int_equal(prm_wqe_ctrl_seg_get_opcode(all.buf[1]), PRM_WQE_OPCODE_NOP);
	assert_int_equal(all.slots[1].end, 1);
	assert_int_equal(prm_wqe_ctrl_seg_get_wqe_index(all.buf[2]), 2);
	assert_int_equal(dvx_sq_retire(&all.sq, 4), 71);
	assert_int_equal(dvx_sq_free(&all.sq), 32);
}

/* All or none: one block too few, an unknown flag, nothing to do. */
TEST(none, all_or_none)
{
	struct plain_sq before;

	rules_setup(0);
	assert_int_equal(dvx_post_nop(&all.sq, 5, 0), 0);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(dvx_post_rules(&all.sq, &image, tags, 2, 70, 0), 0);
	before = all; /* 26 blocks are taken */
	assert_int_equal(dvx_post_rules(&all.sq, &image, tags, 4, 70, 0), -ENOSPC);
	assert_int_equal(dvx_post_rules(&all.sq, &image, tags, UINT32_MAX, 70, 0), -ENOSPC);
	assert_int_equal(dvx_post_rules(&all.sq, &image, tags, 1, 70, 1), -EBADR);
	assert_int_equal(dvx_post_rules(&all.sq, &image, tags, 0, 70, 0), 0);
	assert_memory_equal(&before, &all, sizeof(all));
	assert_int_equal(dvx_post_rules(&all.sq, &image, tags, 3, 70, 0), 0);
	assert_int_equal(dvx_sq_free(&all.sq), 0);
}
