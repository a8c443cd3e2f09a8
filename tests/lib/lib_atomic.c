/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves what the atomics of libdvx leave at the peer and return. */
#include "tests/test.h"
#include "lib_rig.h"

#define ALL (DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC)

static void atomic_done(struct pair *p)
{
	ring_done(p, 1);
}

/* Returns the peer's word, which must be aligned, and where its old value is returned. */
static uint64_t *there(struct rig *r)
{
	return (uint64_t *)(void *)(r->buf + 0x1000);
}

static uint64_t *back(struct rig *r)
{
	return (uint64_t *)(void *)(r->buf + 0x2000);
}

#define AT (uintptr_t) there(r), r->key

/* A swap happens only if the word has the expected value; the old value is returned either way. */
TEST(pair, compare_and_swap, ALL)
{
	*there(r) = 0x1122334455667788;
	OK(dvx_post_cas(p->sq, AT, 0x1122334455667788, 7, back(r), r->key, 1, DVX_SIGNALED));
	atomic_done(p);
	assert_true(*back(r) == 0x1122334455667788);
	assert_int_equal(*there(r), 7);
	OK(dvx_post_cas(p->sq, AT, 8, 9, back(r), r->key, 1, DVX_SIGNALED));
	atomic_done(p);
	assert_int_equal(*back(r), 7);
	assert_int_equal(*there(r), 7);
}

/* Each addition returns the sum of the earlier ones. */
TEST(pair, fetch_and_add, ALL)
{
	*there(r) = UINT64_MAX - 1;
	for (uint64_t i = 0; i < 5; i++) {
		OK(dvx_post_faa(p->sq, AT, 3, back(r), r->key, 1, DVX_SIGNALED));
		atomic_done(p);
		assert_true(*back(r) == UINT64_MAX - 1 + 3 * i);
	}
	assert_int_equal(*there(r), 13);
}

/* Masks: bits that are not compared, bits that are not swapped, carries that stop. */
TEST(pair, masked, ALL)
{
	struct dvx_masked_cas op = {.compare = 0xff00,
				    .compare_mask = 0xff00,
				    .swap = 0xaaaaaaaaaaaaaaaa,
				    .swap_mask = 0xff000000000000ff};

	*there(r) = 0x123456789abcff11;
	OK(dvx_post_masked_cas(p->sq, AT, &op, back(r), r->key, 1, DVX_SIGNALED));
	atomic_done(p);
	assert_true(*back(r) == 0x123456789abcff11);
	assert_true(*there(r) == 0xaa3456789abcffaa);
	*there(r) = 0x00000000ffffffff;
	OK(dvx_post_masked_faa(p->sq, AT, 0x0000000100000001, 1ull << 31, back(r), r->key, 1,
			       DVX_SIGNALED));
	atomic_done(p);
	assert_true(*back(r) == 0x00000000ffffffff);
	assert_true(*there(r) == 0x0000000100000000);
}

/* Masked atomics of four bytes, whose old value is big-endian: neighbouring bytes stay. */
TEST(pair, masked32, ALL)
{
	struct dvx_masked_cas op = {.compare = 5,
				    .compare_mask = UINT32_MAX,
				    .swap = 0x11223344,
				    .swap_mask = UINT32_MAX};
	uint32_t *word = (uint32_t *)there(r), *old = (uint32_t *)back(r);

	word[0] = 5;
	word[1] = 0x77777777;
	old[1] = 0x88888888;
	OK(dvx_post_masked_cas32(p->sq, AT, &op, old, r->key, 1, DVX_SIGNALED));
	atomic_done(p);
	assert_int_equal(word[0], 0x11223344);
	assert_int_equal(prm_swap32(old[0]), 5);
	OK(dvx_post_masked_faa32(p->sq, AT, 0x01010101, 0, old, r->key, 1, DVX_SIGNALED));
	atomic_done(p);
	assert_int_equal(word[0], 0x12233445);
	assert_int_equal(prm_swap32(old[0]), 0x11223344);
	assert_int_equal(word[1], 0x77777777);
	assert_int_equal(old[1], 0x88888888);
}

/* Without the peer's right nothing changes, and the error reports it. */
TEST(pair, no_right, DVX_REMOTE_WRITE | DVX_REMOTE_READ)
{
	*there(r) = 41;
	OK(dvx_post_faa(p->sq, AT, 1, back(r), r->key, 1, DVX_SIGNALED));
	ring_failed(p, 1, PRM_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(*there(r), 41);
}

/* A full ring and a flag of verbs are refused as by the other posts. */
TEST(pair, refusals, ALL)
{
	uint32_t n = dvx_sq_blocks(p->sq);

	assert_int_equal(dvx_post_faa(p->sq, AT, 1, back(r), r->key, 1, 2), -EBADR);
	while (n--)
		OK(dvx_post_faa(p->sq, AT, 1, back(r), r->key, 1, 0));
	assert_int_equal(dvx_post_faa(p->sq, AT, 1, back(r), r->key, 1, 0), -ENOSPC);
}

TEST_GROUP(rig_open, rig_close)
