/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of mkeys, memory windows, and UMRs that must fail. */
#include <dvx/prm/cmd.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/wqe.h>
#include <string.h>
#include "verify.h"

#define UMR_THERE 0x4000u
#define UMR_CTRL  DVX_SEG
#define UMR_MKC	  (4 * DVX_SEG)
#define UMR_LIST  (8 * DVX_SEG)

static void umr_ring(struct bench_pair *p, const char *what)
{
	dvx_sq_ring(p->sq);
	bench_need_done(p->cq[0], what);
}

static void umr_read(struct bench *b, struct bench_pair *p, uint32_t key, uint64_t at)
{
	struct dvx_sge to = {b->addr + UMR_THERE, 64, b->key};

	NEED(dvx_post_read(p->sq, at, key, &to, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
}

/* Reads through a key, and expects the bytes of the buffer from `from` on. */
static void umr_reads(struct bench *b, struct bench_pair *p, uint32_t key, uint64_t at,
		      uint32_t from, const char *what)
{
	umr_read(b, p, key, at);
	bench_expect_done(p->cq[0], what);
	EXPECT(!memcmp(b->buf + UMR_THERE, b->buf + from, 64), "%s: other bytes were read", what);
}

static void umr_open(struct bench *b, struct bench_pair *p)
{
	*p = bench_pair_default(b);
	for (uint32_t i = 0; i < UMR_THERE; i++)
		b->buf[i] = (uint8_t)(i * 7 + i / 256);
	bench_pair_make(b, p);
}

/* ---- lists ---- */

/* Five lists, each of the one before: the fourth can be read. */
void probe_lists_of_lists(struct bench *b)
{
	struct dvx_sge piece = {b->addr, 4096, b->key};
	struct dvx_mkey_list_attr attr = {.size = sizeof(attr),
					  .access = DVX_REMOTE_READ,
					  .pd = b->pd,
					  .pieces = &piece,
					  .n = 1,
					  .iova = 0x7000};
	struct bench_pair p;
	struct dvx_mkey *list;

	umr_open(b, &p);
	for (int depth = 1; depth <= 5; depth++) {
		NEED(dvx_mkey_create_of(b->dev, &attr, &list));
		piece = (struct dvx_sge){0x7000, 4096, dvx_mkey_key(list)};
		if (depth == 4)
			umr_reads(b, &p, piece.lkey, 0x7000, 0, "a READ through 4 lists");
	}
	umr_read(b, &p, piece.lkey, 0x7000);
	bench_expect_error(p.cq[0], PRM_SYNDROME_REMOTE_ACCESS_ERR, "a READ through 5 lists");
}

/* The second list is shorter; then only the mkey's length grows. */
void probe_shorter_list_keeps_rest(struct bench *b)
{
	struct dvx_sge pieces[8];
	struct dvx_mkey *mkey;
	struct bench_pair p;
	uint32_t key;
	uint8_t *wqe;

	for (uint32_t i = 0; i < 8; i++)
		pieces[i] = (struct dvx_sge){b->addr + 0x200 * i, 64, b->key};
	umr_open(b, &p);
	NEED(dvx_mkey_create_list(b->dev, b->pd, 8, &mkey));
	key = dvx_mkey_key(mkey);
	NEED(dvx_post_umr_list(p.sq, key, DVX_REMOTE_READ, pieces, 8, 1, DVX_SIGNALED));
	umr_ring(&p, "a list of 8");
	NEED(dvx_post_umr_list(p.sq, key, DVX_REMOTE_READ, pieces, 4, 1, DVX_SIGNALED));
	umr_ring(&p, "a list of 4");
	NEED(dvx_post_umr_list(p.sq, key, DVX_REMOTE_READ, pieces, 4, 1, DVX_SIGNALED));
	wqe = dvx_sq_last(p.sq);
	prm_mkc_set_len(wqe + UMR_MKC, 8 * 64);
	umr_ring(&p, "a list of 4, and a length of 8");
	umr_reads(b, &p, key, 4 * 64, 0x800, "the fifth entry, which a list of 4 left");
}

void probe_mkey_umem_offset(struct bench *b)
{
	struct dvx_umem *umem;
	struct bench_pair p;
	struct dvx_obj *obj;
	uint64_t in[PRM_CREATE_MKEY_IN_BYTES / 8] = {0}, out[PRM_CREATE_MKEY_OUT_BYTES / 8] = {0};
	void *mkc = prm_create_mkey_in_at_memory_key_mkey_entry(in);

	umr_open(b, &p);
	NEED(dvx_umem_reg(b->dev, b->buf + 0x300, 8192, DVX_LOCAL_WRITE | DVX_REMOTE_READ, &umem));
	prm_create_mkey_in_set_opcode(in, PRM_OPCODE_CREATE_MKEY);
	prm_create_mkey_in_set_mkey_umem_valid(in, 1);
	prm_create_mkey_in_set_mkey_umem_id(in, dvx_umem_id(umem));
	prm_create_mkey_in_set_mkey_umem_offset(in, 0x40);
	prm_create_mkey_in_set_translations_octword_actual_size(in, 2);
	prm_mkc_set_access_mode_1_0(mkc, PRM_MKC_ACCESS_MODE_1_0_MTT);
	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_rr(mkc, 1);
	prm_mkc_set_qpn(mkc, 0xffffff);
	prm_mkc_set_mkey_7_0(mkc, 1);
	prm_mkc_set_pd(mkc, dvx_pd_number(b->pd));
	prm_mkc_set_len(mkc, 4096);
	prm_mkc_set_log_page_size(mkc, 12);
	prm_mkc_set_translations_octword_size(mkc, 2);
	NEED(dvx_obj_create(b->dev, in, sizeof(in), out, sizeof(out), &obj));
	umr_reads(
		b, &p, prm_create_mkey_out_get_mkey_index(out) << 8 | 1, 0, 0x340,
		"address 0 of an mkey with umem offset 0x40, in a umem from byte 0x300 of a page");
}

/* ---- windows ---- */

static struct dvx_mkey *umr_window(struct bench *b, struct bench_pair *p, uint32_t access,
				   uint32_t lkey)
{
	struct dvx_sge piece = {b->addr, 4096, lkey};
	struct dvx_mkey *window;

	NEED(dvx_mkey_create_window(b->dev, b->pd, &window));
	NEED(dvx_post_bind(p->sq, dvx_mkey_key(window), dvx_mkey_key(window), access, &piece,
			   b->addr, 1, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	return window;
}

static struct dvx_mkey *umr_region(struct bench *b, uint32_t access)
{
	struct dvx_mkey_attr attr = {
		.size = sizeof(attr), .access = access, .pd = b->pd, .addr = b->buf, .len = 4096};
	struct dvx_mkey *region;

	NEED(dvx_mkey_create(b->dev, &attr, &region));
	return region;
}

/* A window's queue is the only one that may use it: the target's own. */
void probe_window_of_dead_region(struct bench *b)
{
	struct dvx_mkey *region = umr_region(b, BENCH_ACCESS), *window;
	struct bench_pair p;
	int err;

	umr_open(b, &p);
	p.sq = dvx_qp_sq(p.qp[1]);
	window = umr_window(b, &p, DVX_REMOTE_READ, dvx_mkey_key(region));
	bench_need_done(p.cq[1], "binding a window");
	p.sq = dvx_qp_sq(p.qp[0]);
	umr_read(b, &p, dvx_mkey_key(window), b->addr);
	bench_need_done(p.cq[0], "a READ through a window");
	err = dvx_mkey_destroy(region);
	EXPECT(!err, "destroying a region with a window: %s", dvx_strerror(err));
	umr_read(b, &p, dvx_mkey_key(window), b->addr);
	bench_expect_error(p.cq[0], PRM_SYNDROME_REMOTE_ACCESS_ERR,
			   "a READ through a window whose region is gone");
}

void probe_window_without_rights(struct bench *b)
{
	struct dvx_mkey *region = umr_region(b, DVX_REMOTE_READ), *window;
	struct bench_pair p;

	umr_open(b, &p);
	p.sq = dvx_qp_sq(p.qp[1]);
	window = umr_window(b, &p, DVX_REMOTE_WRITE, dvx_mkey_key(region));
	bench_expect_done(p.cq[1], "binding a window for WRITE to a region without local write");
	p.sq = dvx_qp_sq(p.qp[0]);
	NEED(dvx_post_write_inline(p.sq, b->addr, dvx_mkey_key(window), "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], PRM_SYNDROME_REMOTE_ACCESS_ERR, "a WRITE through it");
}

/* ---- UMRs that must fail ---- */

/* Spoils a request that gives a list of one piece to an mkey for four. */
static void umr_fails(struct bench *b, uint32_t key, void (*spoil)(uint8_t *wqe), uint8_t syndrome,
		      const char *what)
{
	struct dvx_sge piece = {b->addr, 64, b->key};
	struct bench_pair p;

	umr_open(b, &p);
	NEED(dvx_post_umr_list(p.sq, key, DVX_REMOTE_READ, &piece, 1, 1, DVX_SIGNALED));
	if (spoil)
		spoil(dvx_sq_last(p.sq));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], syndrome, what);
}

static void umr_check_used(uint8_t *wqe)
{
	uint32_t flags = (uint32_t)prm_wqe_umr_ctrl_seg_get_flags(wqe + UMR_CTRL);

	prm_wqe_umr_ctrl_seg_set_flags(wqe + UMR_CTRL, flags | PRM_UMR_FLAG_CHECK_NOT_FREE);
}

static void umr_check_qpn(uint8_t *wqe)
{
	uint32_t flags = (uint32_t)prm_wqe_umr_ctrl_seg_get_flags(wqe + UMR_CTRL);

	prm_wqe_umr_ctrl_seg_set_flags(wqe + UMR_CTRL, flags | PRM_UMR_FLAG_CHECK_QPN);
}

static void umr_mask(uint8_t *wqe, uint64_t bit)
{
	uint64_t mask = prm_wqe_umr_ctrl_seg_get_mkey_mask(wqe + UMR_CTRL);

	prm_wqe_umr_ctrl_seg_set_mkey_mask(wqe + UMR_CTRL, mask | bit);
}

static void umr_other_mask(uint8_t *wqe)
{
	umr_mask(wqe, 1ull << 62);
}

static void umr_mask_pd(uint8_t *wqe)
{
	umr_mask(wqe, PRM_UMR_MKEY_MASK_PD);
}

static void umr_small_ds(uint8_t *wqe)
{
	prm_wqe_ctrl_seg_set_ds(wqe, prm_wqe_ctrl_seg_get_ds(wqe) - 2);
}

/* An interleaved list whose only column has other bytes than its cycle. */
static void umr_bad_cycle(uint8_t *wqe)
{
	const struct dvx_stride column = {0x1000, 0, 8, 64};

	(void)dvx_wqe_strides(wqe + UMR_LIST, 2, &column, 1);
	prm_umr_repeat_block_seg_set_byte_count(wqe + UMR_LIST, 9);
}

/* A list that belongs to a queue. */
static uint32_t umr_list(struct bench *b, struct dvx_pd *pd)
{
	struct dvx_mkey *mkey;

	NEED(dvx_mkey_create_list(b->dev, pd, 4, &mkey));
	return dvx_mkey_key(mkey);
}

/* Returns an mkey for a list of four, which a window's bind has given to another queue. */
static uint32_t umr_of_another_queue(struct bench *b)
{
	struct bench_pair p;
	uint32_t key;

	umr_open(b, &p);
	key = dvx_mkey_key(umr_window(b, &p, DVX_REMOTE_READ, b->key));
	bench_need_done(p.cq[0], "binding a window");
	return key;
}

void probe_bad_umrs(struct bench *b)
{
	const uint8_t bind = PRM_SYNDROME_MW_BIND_ERR, bad = PRM_SYNDROME_LOCAL_QP_OP_ERR;
	struct dvx_sge pieces[8];
	struct dvx_pd *other;
	struct bench_pair p;

	NEED(dvx_pd_alloc(b->dev, &other));
	umr_fails(b, umr_list(b, b->pd), umr_check_used, bind, "a UMR that wants no free mkey");
	umr_fails(b, umr_of_another_queue(b), umr_check_qpn, bind, "a UMR of another queue's mkey");
	umr_fails(b, umr_list(b, other), NULL, bind, "a UMR of another PD's mkey");
	umr_fails(b, b->key, NULL, bind, "a UMR of an mkey with umr_en clear");
	umr_fails(b, umr_list(b, b->pd), umr_bad_cycle, bind, "strides that do not add up");
	umr_fails(b, umr_list(b, b->pd), umr_other_mask, bad, "mkey_mask with bit 62");
	umr_fails(b, umr_list(b, b->pd), umr_small_ds, bad, "ds without room for the list");
	for (uint32_t i = 0; i < 8; i++)
		pieces[i] = (struct dvx_sge){b->addr, 64, b->key};
	umr_open(b, &p);
	NEED(dvx_post_umr_list(p.sq, umr_list(b, b->pd), DVX_REMOTE_READ, pieces, 8, 1,
			       DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], bind, "a list of 8 for an mkey of 4");
}

void probe_umr_of_pd_and_pages(struct bench *b)
{
	umr_fails(b, umr_list(b, b->pd), umr_mask_pd, PRM_SYNDROME_LOCAL_QP_OP_ERR,
		  "a UMR that changes the PD");
	umr_fails(b, b->key, NULL, PRM_SYNDROME_MW_BIND_ERR, "a UMR that changes a region's pages");
}

/* ---- copies that must fail ---- */

static void umr_copy_fails(struct bench *b, uint32_t len, uint32_t scratch, uint8_t syndrome,
			   const char *what)
{
	struct bench_pair p = bench_pair_default(b);

	p.flags = DVX_QP_MMO;
	bench_pair_make(b, &p);
	p.sq->mmo_lkey = scratch ? scratch : p.sq->mmo_lkey;
	p.sq->mmo_addr = scratch ? b->addr : p.sq->mmo_addr;
	NEED(dvx_post_dma(p.sq, b->addr + 4096, b->key, b->addr, b->key, len, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_error(p.cq[0], syndrome, what);
}

void probe_mmo_more(struct bench *b)
{
	const struct dvx_caps *caps = dvx_dev_caps(b->dev);

	if (!caps->dma_mmo)
		conclude(VERDICT_OPEN, "the device has no DMA engine (dma_mmo)");
	umr_copy_fails(b, 64, dvx_mkey_key(umr_region(b, DVX_REMOTE_READ)),
		       PRM_SYNDROME_LOCAL_PROT_ERR, "a scratch buffer that can't be written");
	if (caps->dma_mmo_max >= DVX_MAX_SEGMENT)
		conclude(VERDICT_OPEN, "a copy has no limit below that of a WQE");
	umr_copy_fails(b, (uint32_t)caps->dma_mmo_max + 1, 0, PRM_SYNDROME_LOCAL_LENGTH_ERR,
		       "a copy over log_dma_mmo_max_size");
}
