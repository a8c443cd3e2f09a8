/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves which messages and responses lie in their completion instead of in memory (qpc.cs_req and
 * cs_res): whole ones of up to 32 bytes, or 64 with completions of 128 bytes, and no others. */
#include "tests/test.h"
#include <endian.h>
#include <dvx/prm/qp.h>
#include "queue_rig.h"
#include "queue/queue.h"

#define WHERE 4096u /* offset in src and dst */

/* The pair's two queues, with completions of 64 or 128 bytes. */
struct inlined {
	struct rig_pair *p;
	struct rig_cq ca, cb;
	struct rig_qp a, b;
	unsigned int most;
};

/* The bytes that a completion carries at the most. */
static const unsigned int most_64 = 32, most_128 = 64;

static int inlined_setup(void **state)
{
	struct inlined *s = calloc(1, sizeof(*s));
	struct rig *r;

	assert_non_null(s);
	s->p = rig_pair_open(&rig_rc);
	s->most = *(const unsigned int *)*state;
	r = &s->p->rig;
	rig_cq_open(r, &s->ca, BLUEFIELD2_HOST, 6, s->most == most_128);
	rig_cq_open(r, &s->cb, BLUEFIELD2_HOST, 6, s->most == most_128);
	rig_qp_open(r, &s->a, BLUEFIELD2_HOST, &s->ca, &s->ca, 4, 3);
	rig_qp_open(r, &s->b, BLUEFIELD2_HOST, &s->cb, &s->cb, 4, 3);
	s->a.qp->sq.inline_most = s->b.qp->rq.inline_most = (uint8_t)s->most;
	s->b.qp->rae = true;
	s->b.qp->atomic_mode = PRM_QPC_ATOMIC_MODE_UP_TO_8B;
	rig_connect(&s->a, &s->b);
	*state = s;
	return 0;
}

static int inlined_teardown(void **state)
{
	struct inlined *s = *state;

	rig_qp_close(&s->a);
	rig_qp_close(&s->b);
	rig_cq_close(&s->ca);
	rig_cq_close(&s->cb);
	rig_pair_close(s->p);
	free(s);
	return 0;
}

#define FIXTURE_inlined(name, most) \
	FIXTURE_WITH(name, struct inlined *s, inlined_setup, inlined_teardown, most)
#define FIXTURE_cqe64(name)  FIXTURE_inlined(name, &most_64)
#define FIXTURE_cqe128(name) FIXTURE_inlined(name, &most_128)

/* Checks that this completion carries these bytes; len 0: none. */
static void carries(const struct inlined *s, const uint8_t *cqe, const void *bytes, uint32_t len)
{
	const unsigned int format =
		s->most == 64 ? PRM_CQE_FORMAT_INLINE_DATA64 : PRM_CQE_FORMAT_INLINE_DATA32;

	assert_non_null(cqe);
	assert_int_equal(prm_cqe64_get_cqe_format(cqe), len ? format : 0);
	if (len)
		assert_memory_equal(cqe - (s->most == 64 ? 64 : 0), bytes, len);
}

static void untouched(const uint8_t *p, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(p[i], 0xee);
}

static void send_len(struct inlined *s, uint32_t len, uint32_t room)
{
	struct rig_wqe w = rig_begin(&s->a, PRM_WQE_OPCODE_SEND_IMM, SIGNALED, 0x55667788);

	memset(s->p->dst, 0xee, WHERE);
	rig_recv(&s->b, s->p->dst, room, rig_key(s->p->md));
	if (len)
		rig_data(&w, s->p->src, len, rig_key(s->p->ms));
	rig_go(&w);
}

static void short_sends_are_in_the_cqe(struct inlined *s)
{
	const uint32_t most = s->most, lengths[] = {0, 1, 31, most - 1, most, most + 1, 3000};

	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const uint32_t len = lengths[i], in_cqe = len <= most ? len : 0;
		const uint8_t *cqe;

		send_len(s, len, WHERE);
		cqe = rig_poll(&s->cb);
		carries(s, cqe, s->p->src, in_cqe);
		assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_SEND_IMM);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), len);
		assert_int_equal(prm_cqe64_get_immediate(cqe), 0x55667788);
		assert_int_equal(prm_cqe64_get_wqe_counter(cqe), i);
		if (in_cqe)
			untouched(s->p->dst, len);
		else
			assert_memory_equal(s->p->dst, s->p->src, len);
		assert_non_null(rig_poll(&s->ca));
	}
}

TEST(cqe64, test_short_sends_are_in_the_cqe)
{
	short_sends_are_in_the_cqe(s);
}

TEST(cqe128, test_short_sends_are_in_the_larger_cqe)
{
	short_sends_are_in_the_cqe(s);
}

TEST(cqe64, test_a_send_longer_than_its_receive_fails)
{
	send_len(s, 20, 19);
	rig_recv_failed(&s->cb, PRM_SYNDROME_LOCAL_LENGTH_ERR);
}

static void read_len(struct inlined *s, uint32_t len, uint8_t flags)
{
	memset(s->p->src + WHERE, 0xee, WHERE);
	rig_rdma(&s->a, PRM_WQE_OPCODE_RDMA_READ, flags, s->p->dst, s->p->md, s->p->src + WHERE,
		 len, s->p->ms);
	rig_run(&s->a);
}

static void short_reads_are_in_the_cqe(struct inlined *s)
{
	const uint32_t most = s->most, lengths[] = {1, most, most + 1, 3000};

	memcpy(s->p->dst, s->p->src, WHERE);
	for (unsigned int i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const uint32_t len = lengths[i], in_cqe = len <= most ? len : 0;
		const uint8_t *cqe;

		read_len(s, len, SIGNALED);
		cqe = rig_poll(&s->ca);
		carries(s, cqe, s->p->dst, in_cqe);
		assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), len);
		if (in_cqe)
			untouched(s->p->src + WHERE, len);
		else
			assert_memory_equal(s->p->src + WHERE, s->p->dst, len);
	}
}

TEST(cqe64, test_short_reads_are_in_the_cqe)
{
	short_reads_are_in_the_cqe(s);
}

TEST(cqe128, test_short_reads_are_in_the_larger_cqe)
{
	short_reads_are_in_the_cqe(s);
}

TEST(cqe64, test_a_read_without_a_cqe_is_in_memory)
{
	memcpy(s->p->dst, s->p->src, WHERE);
	read_len(s, 8, 0);
	assert_null(rig_poll(&s->ca));
	assert_memory_equal(s->p->src + WHERE, s->p->dst, 8);
}

/* Atomics in a CQE are big-endian, as UCX reads them, in any atomic_req_8B_endianness_mode. */
TEST(cqe64, test_an_atomic_in_the_cqe_is_big_endian)
{
	const uint64_t old = 0x0102030405060708, be = htobe64(old);
	struct rig_wqe w = rig_begin(&s->a, PRM_WQE_OPCODE_ATOMIC_FA, SIGNALED, 0);
	uint64_t now;

	memcpy(s->p->dst, &old, sizeof(old));
	memset(s->p->src, 0xee, sizeof(old));
	rig_raddr(&w, s->p->dst, rig_key(s->p->md));
	prm_wqe_atomic_seg_pack(w.bytes + 16 * w.ds, .swap_add = 1, .compare = 0);
	w.ds++;
	rig_data(&w, s->p->src, sizeof(old), rig_key(s->p->ms));
	rig_go(&w);
	carries(s, rig_poll(&s->ca), &be, sizeof(be));
	untouched(s->p->src, sizeof(old));
	memcpy(&now, s->p->dst, sizeof(now));
	assert_true(now == old + 1);
}
