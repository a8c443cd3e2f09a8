/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that UMR WQEs make mkeys of parts of others: lists, interleaved lists, lists of lists,
 * fixed blocks and windows show exactly the bytes that they name; that invalidations revoke them;
 * and that a forbidden UMR ends in an error and changes nothing. */
#include "tests/test.h"
#include <dvx/prm/mkey.h>
#include "queue_rig.h"
#include "queue/queue.h"

#define ROOM 32u
#define ACCESS \
	(PRM_UMR_MKEY_MASK_LW | PRM_UMR_MKEY_MASK_RR | PRM_UMR_MKEY_MASK_RW | PRM_UMR_MKEY_MASK_A)
#define BIND	(PRM_UMR_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_KEY | PRM_UMR_MKEY_MASK_LEN | ACCESS)
#define MODE(m) PRM_MKC_ACCESS_MODE_##m

/* Makes a free mkey, as CREATE_MKEY and ALLOC_MW do. */
static struct mkey *indirect(struct rig_pair *p, uint8_t mode)
{
	struct mkey *m = obj_new(&p->rig.dev.vhca[BLUEFIELD2_HOST], OBJ_MKEY, 0, sizeof(*m));

	assert_non_null(m);
	m->low = 0x11;
	m->mode = mode;
	m->rights = MKEY_LR | MKEY_UMR;
	m->free = true;
	m->en_rinval = true;
	m->qpn = MKEY_ANY_QP;
	m->pdn = RIG_PD;
	m->list = klm_list_new(ROOM);
	assert_non_null(m->list);
	return m;
}

static void indirect_free(struct mkey *m)
{
	klm_list_free(m->list);
	obj_free(&m->o);
}

/* A UMR on b's queue; the caller fills in its changes. */
struct umr_wqe {
	struct rig_wqe w;
	uint8_t *ctrl, *mkc, *list;
	unsigned int entries;
};

static void umr_begin(struct umr_wqe *u, struct rig_qp *q, const struct mkey *m, uint64_t mask,
		      uint8_t flags)
{
	*u = (struct umr_wqe){.w = rig_begin(q, PRM_WQE_OPCODE_UMR, SIGNALED, rig_key(m))};
	memset(u->w.bytes + 16, 0, sizeof(u->w.bytes) - 16);
	u->ctrl = u->w.bytes + 16;
	u->mkc = u->w.bytes + 64;
	u->list = u->w.bytes + 128;
	u->w.ds = 8;
	prm_wqe_umr_ctrl_seg_set_flags(u->ctrl, flags);
	prm_wqe_umr_ctrl_seg_set_mkey_mask(u->ctrl, mask);
	prm_mkc_set_qpn(u->mkc, MKEY_ANY_QP);
	prm_mkc_set_mkey_7_0(u->mkc, 0x22);
	prm_mkc_set_lw(u->mkc, 1);
	prm_mkc_set_rr(u->mkc, 1);
	prm_mkc_set_rw(u->mkc, 1);
}

/* Declares one and begins it. */
#define UMR(u, ...)       \
	struct umr_wqe u; \
	umr_begin(&u, __VA_ARGS__)

static void add_klm(struct umr_wqe *u, uint32_t len, uint32_t key, const void *at)
{
	uint8_t *klm = u->list + 16 * u->entries++;

	prm_klm_set_byte_count(klm, len);
	prm_klm_set_mkey(klm, key);
	prm_klm_set_address(klm, (uintptr_t)at);
}

static uint8_t umr_run(struct umr_wqe *u)
{
	prm_wqe_umr_ctrl_seg_set_xlt_octowords(u->ctrl, u->entries);
	u->w.ds += u->entries;
	rig_end(&u->w);
	rig_run(u->w.q);
	return rig_status(u->w.q->scq);
}

/* Lets a read or write b's memory through the key, at va. */
static uint8_t access_key(struct rig_pair *p, uint8_t opcode, uint32_t key, uint64_t va,
			  uint32_t len)
{
	struct rig_wqe w = rig_begin(&p->a, opcode, SIGNALED, 0);

	rig_raddr(&w, (const void *)(uintptr_t)va, key);
	rig_data(&w, p->src, len, rig_key(p->ms));
	rig_go(&w);
	return rig_status(&p->ca);
}

#define READ  PRM_WQE_OPCODE_RDMA_READ
#define WRITE PRM_WQE_OPCODE_RDMA_WRITE

static uint32_t new_key(const struct mkey *m)
{
	return m->o.id << 8 | 0x22;
}

/* Checks the mkey's bytes one by one; map: where each of them is in dst. */
static void same_bytes(struct rig_pair *p, const struct mkey *m, const uint32_t *map, uint32_t len)
{
	for (uint32_t i = 0; i < RIG_BUF; i++)
		p->dst[i] = (uint8_t)(i * 31 + i / 253);
	for (unsigned int round = 0; round < 20; round++) {
		uint32_t n = 1 + (uint32_t)rand() % len, at = (uint32_t)rand() % (len - n + 1);

		assert_int_equal(access_key(p, READ, new_key(m), m->start + at, n), 0);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(p->src[i], p->dst[map[at + i]]);
		for (uint32_t i = 0; i < n; i++)
			p->src[i] = (uint8_t)rand();
		assert_int_equal(access_key(p, WRITE, new_key(m), m->start + at, n), 0);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(p->src[i], p->dst[map[at + i]]);
	}
}

#define MAP 20000u

static uint32_t make_list(struct rig_pair *p, struct mkey *m, uint32_t *map)
{
	uint32_t len = 0;
	UMR(u, &p->b, m, BIND, PRM_UMR_FLAG_INLINE);

	for (unsigned int i = 0; i < 12; i++) {
		uint32_t n = 1 + (uint32_t)rand() % (i % 2 ? 1500 : 20);
		uint32_t at = (uint32_t)rand() % (RIG_BUF - n);

		add_klm(&u, n, rig_key(p->md), p->dst + at);
		while (n--)
			map[len++] = at++;
	}
	prm_mkc_set_len(u.mkc, len);
	assert_int_equal(umr_run(&u), 0);
	return len;
}

TEST(pair, list)
{
	struct mkey *m = indirect(p, MODE(KLM));
	static uint32_t map[MAP];

	srand(1);
	for (unsigned int i = 0; i < 5; i++)
		same_bytes(p, m, map, make_list(p, m, map));
	indirect_free(m);
}

/* Parts of a list, in another order; and fixed blocks of those. */
TEST(pair, list_of_lists)
{
	struct mkey *inner = indirect(p, MODE(KLM)), *outer = indirect(p, MODE(KLM)),
		    *blocks = indirect(p, MODE(KSM));
	static uint32_t map[MAP], outer_map[MAP], block_map[MAP];
	uint32_t half, len;

	srand(2);
	len = make_list(p, inner, map);
	half = len / 2;
	UMR(u, &p->b, outer, BIND, PRM_UMR_FLAG_INLINE);
	add_klm(&u, len - half, new_key(inner), (void *)(uintptr_t)half);
	add_klm(&u, half, new_key(inner), NULL);
	prm_mkc_set_len(u.mkc, len);
	assert_int_equal(umr_run(&u), 0);
	memcpy(outer_map, map + half, (len - half) * sizeof(*map));
	memcpy(outer_map + len - half, map, half * sizeof(*map));
	same_bytes(p, outer, outer_map, len);

	UMR(k, &p->b, blocks, BIND | PRM_UMR_MKEY_MASK_PAGE_SIZE | PRM_UMR_MKEY_MASK_START_ADDR,
	    PRM_UMR_FLAG_INLINE);
	for (uint32_t at = 100; at < 100 + 4 * 64; at += 64) {
		for (uint32_t i = 0; i < 64; i++)
			block_map[64 * k.entries + i] = outer_map[at + i];
		add_klm(&k, 0, new_key(outer), (void *)(uintptr_t)at);
	}
	prm_mkc_set_log_page_size(k.mkc, 6);
	prm_mkc_set_start_addr(k.mkc, 0x12345);
	prm_mkc_set_len(k.mkc, 256);
	assert_int_equal(umr_run(&k), 0);
	same_bytes(p, blocks, block_map, 256);
	indirect_free(inner);
	indirect_free(outer);
	indirect_free(blocks);
}

static void add_repeat(struct umr_wqe *u, uint32_t bytes, uint32_t repeat, uint32_t entries)
{
	prm_umr_repeat_block_seg_pack(u->list + 16 * u->entries++, .byte_count = bytes,
				      .op = MKEY_REPEAT, .repeat_count = repeat,
				      .num_entries = entries);
}

/* Like mlx5dv_wr_mr_interleaved(): 3 bytes of 10, then 70 of 100, 150 times. */
TEST(pair, interleaved)
{
	struct mkey *m = indirect(p, MODE(KLM));
	static uint32_t map[MAP];
	const uint32_t bytes[] = {3, 70}, stride[] = {10, 100}, at[] = {50, 40001};
	uint32_t len = 0;
	UMR(u, &p->b, m, BIND, PRM_UMR_FLAG_INLINE);

	srand(3);
	add_repeat(&u, 73, 150, 2);
	for (unsigned int i = 0; i < 2; i++)
		prm_umr_repeat_entry_seg_pack(u.list + 16 * u.entries++, .stride = stride[i],
					      .byte_count = bytes[i], .mkey = rig_key(p->md),
					      .address = (uintptr_t)p->dst + at[i]);
	u.entries++; /* the padding to a multiple of 4 */
	for (uint32_t cycle = 0; cycle < 150; cycle++)
		for (unsigned int i = 0; i < 2; i++)
			for (uint32_t b = 0; b < bytes[i]; b++)
				map[len++] = at[i] + cycle * stride[i] + b;
	prm_mkc_set_len(u.mkc, len);
	assert_int_equal(umr_run(&u), 0);
	same_bytes(p, m, map, len);
	indirect_free(m);
}

/* A list in memory, and then one entry of it, changed by its offset. */
TEST(pair, pointer_and_offset)
{
	struct mkey *m = indirect(p, MODE(KLM));
	static uint32_t map[MAP];
	UMR(u, &p->b, m, BIND, 0);

	srand(4);
	for (unsigned int i = 0; i < 8; i++) {
		uint8_t *klm = p->dst + RIG_BUF - 256 + 16 * i;

		prm_klm_set_byte_count(klm, 100);
		prm_klm_set_mkey(klm, rig_key(p->md));
		prm_klm_set_address(klm, (uintptr_t)p->dst + 5000 * i);
		for (uint32_t b = 0; b < 100; b++)
			map[100 * i + b] = 5000 * i + b;
	}
	prm_wqe_data_seg_pack(u.list, .byte_count = 128, .lkey = rig_key(p->md),
			      .addr = (uintptr_t)p->dst + RIG_BUF - 256);
	prm_wqe_umr_ctrl_seg_set_xlt_octowords(u.ctrl, 8);
	prm_mkc_set_len(u.mkc, 800);
	u.w.ds = 9;
	rig_end(&u.w);
	rig_run(&p->b);
	assert_int_equal(rig_status(&p->cb), 0);
	same_bytes(p, m, map, 800);

	UMR(one, &p->b, m, 0, PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_TRANSLATION_OFFSET);
	add_klm(&one, 100, rig_key(p->md), p->dst + 99999);
	prm_wqe_umr_ctrl_seg_set_xlt_offset(one.ctrl, 5);
	assert_int_equal(umr_run(&one), 0);
	for (uint32_t b = 0; b < 100; b++)
		map[500 + b] = 99999 + b;
	same_bytes(p, m, map, 800);
	indirect_free(m);
}

/* --- windows -------------------------------------------------------------------------------------
 */

/* Binds a window of type 2 as libmlx5 does: dst[100..200), for b's queue alone. */
static uint8_t bind_window(struct rig_pair *p, const struct mkey *m)
{
	UMR(u, &p->b, m, BIND | PRM_UMR_MKEY_MASK_START_ADDR | PRM_UMR_MKEY_MASK_QPN,
	    PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_TRANSLATION_OFFSET | PRM_UMR_FLAG_CHECK_FREE);

	add_klm(&u, 100, rig_key(p->md), p->dst + 100);
	u.entries = 4;
	prm_mkc_set_len(u.mkc, 100);
	prm_mkc_set_start_addr(u.mkc, (uintptr_t)p->dst + 100);
	prm_mkc_set_qpn(u.mkc, p->b.qp->q.o.id);
	prm_mkc_set_rr(u.mkc, 0);
	return umr_run(&u);
}

static uint8_t invalidate(struct rig_pair *p, const struct mkey *m)
{
	UMR(u, &p->b, m, PRM_UMR_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_KEY | PRM_UMR_MKEY_MASK_QPN,
	    PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_TRANSLATION_OFFSET | PRM_UMR_FLAG_CHECK_QPN);

	prm_mkc_set_free(u.mkc, 1);
	prm_mkc_set_mkey_7_0(u.mkc, 0);
	return umr_run(&u);
}

TEST(pair, window)
{
	struct mkey *m = indirect(p, MODE(KLM));

	p->md->rights = MKEY_LR | MKEY_LW; /* the window's rights need not be the region's */
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(bind_window(p, m), 0);
		assert_int_equal(access_key(p, WRITE, new_key(m), (uintptr_t)p->dst + 150, 50), 0);
		assert_memory_equal(p->src, p->dst + 150, 50);
		assert_int_equal(invalidate(p, m), 0);
		assert_true(m->free);
	}
	assert_int_equal(access_key(p, WRITE, new_key(m), (uintptr_t)p->dst + 150, 50),
			 PRM_SYNDROME_REMOTE_ACCESS_ERR);
	indirect_free(m);
}

/* Binding a window of type 1 to no byte, by libmlx5's WQE, frees its key, any number of times. */
TEST(pair, window_of_no_byte)
{
	struct mkey *m = indirect(p, MODE(KLM));

	assert_int_equal(bind_window(p, m), 0);
	for (unsigned int i = 0; i < 2; i++) {
		UMR(u, &p->b, m, PRM_UMR_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_KEY,
		    PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_TRANSLATION_OFFSET);
		prm_mkc_set_free(u.mkc, 1);
		assert_int_equal(umr_run(&u), 0);
	}
	assert_int_equal(access_key(p, WRITE, new_key(m), (uintptr_t)p->dst + 150, 50),
			 PRM_SYNDROME_REMOTE_ACCESS_ERR);
	indirect_free(m);
}

/* A window has bounds, rights and a queue of its own. It is bound to a region with any rights, and
 * outlives it: each access checks the region's rights. */
TEST(none, window_refuses)
{
	static const struct {
		uint8_t opcode;
		uint32_t from, len;
		uint8_t rights; /* the region's; 0: enough */
		bool gone, of_another_queue;
	} bad[] = {
		{WRITE, 150, .len = 51},
		{READ, 150, .len = 10},
		{WRITE, 150, 50, .rights = MKEY_LR | MKEY_RW},
		{WRITE, 150, 50, .rights = MKEY_LR | MKEY_LW, .gone = true},
		{WRITE, 150, 5, .of_another_queue = true},
	};

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rig_pair *p = rig_pair_open(&rig_rc);
		struct mkey *m = indirect(p, MODE(KLM));

		if (bad[i].rights)
			p->md->rights = bad[i].rights;
		assert_int_equal(bind_window(p, m), 0);
		p->md->free = bad[i].gone;
		if (bad[i].of_another_queue)
			m->qpn = p->a.qp->q.o.id;
		assert_int_equal(access_key(p, bad[i].opcode, new_key(m),
					    (uintptr_t)p->dst + bad[i].from, bad[i].len),
				 PRM_SYNDROME_REMOTE_ACCESS_ERR);
		indirect_free(m);
		rig_pair_close(p);
	}
}

/* --- SEND with invalidate ------------------------------------------------------------------------
 */

static void send_inval(struct rig_pair *p, uint32_t key, uint32_t len)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_SEND_INVAL, SIGNALED, key);

	rig_recv(&p->b, p->dst, 4096, rig_key(p->md));
	rig_data(&w, p->src, len, rig_key(p->ms));
	rig_go(&w);
}

TEST(pair, peer_invalidates)
{
	struct mkey *m = indirect(p, MODE(KLM));
	const uint8_t *cqe;

	for (uint32_t len = 1; len < 4000; len += 1800) {
		assert_int_equal(bind_window(p, m), 0);
		send_inval(p, new_key(m), len);
		cqe = rig_cqe(&p->cb);
		assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_SEND_INV);
		assert_int_equal(prm_cqe64_get_immediate(cqe), new_key(m));
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), len);
		assert_int_equal(rig_status(&p->ca), 0);
		assert_true(m->free);
	}
	indirect_free(m);
}

TEST(pair, peer_may_not)
{
	send_inval(p, rig_key(p->md), 8);
	rig_recv_failed(&p->cb, PRM_SYNDROME_REMOTE_INVAL_REQ_ERR);
	assert_null(rig_poll(&p->ca)); /* fault class J: no NAK, so the requester repeats */
	assert_int_equal(p->b.qp->q.state, QP_ERR);
	assert_false(p->md->free);
	rig_pass(&p->rig, 100000000000);
	assert_int_equal(rig_status(&p->ca), PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
}

/* --- what is refused
 * ------------------------------------------------------------------------------ */

static void refused(struct rig_pair *p, struct umr_wqe *u, const struct mkey *m, uint8_t syndrome)
{
	const struct mkey before = *m;
	const struct klm_list list = m->list ? *m->list : (struct klm_list){0};
	uint8_t raw[ROOM * 16] = {0};

	if (m->list)
		memcpy(raw, list.raw, sizeof(raw));
	assert_int_equal(umr_run(u), syndrome);
	assert_memory_equal(&before, m, sizeof(before));
	if (m->list) {
		assert_memory_equal(&list, m->list, sizeof(list));
		assert_memory_equal(raw, list.raw, sizeof(raw));
	}
	assert_int_equal(p->b.qp->q.state, QP_ERR);
	rig_restart(&p->a, &p->b);
}

TEST(pair, refusals)
{
	struct mkey *m = indirect(p, MODE(KLM));

	UMR(nothing, &p->b, m,
	    PRM_UMR_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_KEY | PRM_UMR_MKEY_MASK_QPN,
	    PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_TRANSLATION_OFFSET | PRM_UMR_FLAG_CHECK_QPN);
	prm_mkc_set_free(nothing.mkc, 1);
	refused(p, &nothing, m, PRM_SYNDROME_MW_BIND_ERR);
	m->free = false;
	UMR(busy, &p->b, m, BIND, PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_CHECK_FREE);
	refused(p, &busy, m, PRM_SYNDROME_MW_BIND_ERR);
	m->qpn = p->a.qp->q.o.id;
	UMR(qpn, &p->b, m, BIND, PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_CHECK_QPN);
	refused(p, &qpn, m, PRM_SYNDROME_MW_BIND_ERR);
	m->pdn++;
	UMR(pd, &p->b, m, BIND, PRM_UMR_FLAG_INLINE);
	refused(p, &pd, m, PRM_SYNDROME_MW_BIND_ERR);
	m->pdn--;
	UMR(room, &p->b, m, BIND, PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_TRANSLATION_OFFSET);
	add_klm(&room, 1, rig_key(p->md), p->dst);
	prm_wqe_umr_ctrl_seg_set_xlt_offset(room.ctrl, ROOM);
	refused(p, &room, m, PRM_SYNDROME_MW_BIND_ERR);
	UMR(cycle, &p->b, m, BIND, PRM_UMR_FLAG_INLINE);
	add_repeat(&cycle, 10, 1, 2);
	cycle.entries += 2;
	refused(p, &cycle, m, PRM_SYNDROME_MW_BIND_ERR);
	UMR(bits, &p->b, m, PRM_UMR_MKEY_MASK_PD, PRM_UMR_FLAG_INLINE);
	refused(p, &bits, m, PRM_SYNDROME_LOCAL_QP_OP_ERR);
	UMR(plain, &p->b, p->md, PRM_UMR_MKEY_MASK_RR, PRM_UMR_FLAG_INLINE);
	refused(p, &plain, p->md, PRM_SYNDROME_MW_BIND_ERR); /* no umr_en */
	p->md->rights |= MKEY_UMR;
	UMR(range, &p->b, p->md, PRM_UMR_MKEY_MASK_LEN, PRM_UMR_FLAG_INLINE);
	prm_mkc_set_len(range.mkc, 2 * RIG_BUF);
	refused(p, &range, p->md, PRM_SYNDROME_MW_BIND_ERR); /* pages, no list */
	indirect_free(m);
}

/* A list that names itself is refused, and so are too many levels. */
TEST(pair, circle)
{
	struct mkey *m = indirect(p, MODE(KLM));
	UMR(u, &p->b, m, BIND, PRM_UMR_FLAG_INLINE);

	add_klm(&u, 100, new_key(m), NULL);
	prm_mkc_set_len(u.mkc, 100);
	assert_int_equal(umr_run(&u), 0);
	assert_int_equal(access_key(p, READ, new_key(m), 0, 100), PRM_SYNDROME_REMOTE_ACCESS_ERR);
	indirect_free(m);
}

/* The null mkey reads as zeros, and drops what is written. */
TEST(pair, null_mkey)
{
	for (unsigned int i = 0; i < 4; i++) {
		struct rig_wqe w = rig_begin(&p->a, i % 2 ? READ : WRITE, SIGNALED, 0);

		memset(p->dst, 0xee, 200000);
		rig_raddr(&w, p->dst, rig_key(p->md));
		rig_data(&w, (void *)0x1234, 200000, MKEY_NULL);
		rig_go(&w);
		assert_int_equal(rig_status(&p->ca), 0);
		for (unsigned int k = 0; k < 200000; k++)
			assert_int_equal(p->dst[k], i % 2 ? 0xee : 0);
	}
	assert_int_equal(access_key(p, READ, MKEY_NULL, 0, 8), PRM_SYNDROME_REMOTE_ACCESS_ERR);
}
