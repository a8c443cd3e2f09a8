/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory keys, seen through READs and WRITEs of a queue that is connected to another one. */
#include <string.h>
#include "verify.h"

#define THERE 0x8000u /* where in the buffer data arrive */

/* Numbers the bytes of the buffer's beginning, and clears where data arrive. */
static void mkey_fill(struct bench *b)
{
	for (uint32_t i = 0; i < THERE; i++)
		b->buf[i] = (uint8_t)(i * 7 + i / 256);
	memset(b->buf + THERE, 0, THERE);
}

/* Reads `len` bytes through a key, and expects those of the buffer from `from` on. */
static void mkey_reads(struct bench *b, struct bench_pair *p, uint32_t key, uint64_t at,
		       uint32_t len, uint32_t from, const char *what)
{
	struct dvx_sge to = {b->addr + THERE, len, b->key};

	NEED(dvx_post_read(p->sq, at, key, &to, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	bench_expect_done(p->cq[0], what);
	EXPECT(!memcmp(b->buf + THERE, b->buf + from, len), "%s: other bytes were read", what);
}

static void mkey_fails(struct bench_pair *p, uint8_t syndrome, const char *what)
{
	dvx_sq_ring(p->sq);
	bench_expect_error(p->cq[0], syndrome, what);
}

void probe_lib_mkey_command(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_mkey_attr attr = {.size = sizeof(attr),
				     .access = BENCH_ACCESS,
				     .pd = b->pd,
				     .len = 1000,
				     .umem_offset = 5000,
				     .iova = 0x100000000000 + 5000 % 4096};
	struct dvx_mkey *mkey;

	mkey_fill(b);
	bench_pair_make(b, &p);
	NEED(dvx_umem_reg(b->dev, b->buf, 65536, DVX_LOCAL_WRITE, &attr.umem));
	EXPECT(!dvx_mkey_create(b->dev, &attr, &mkey), "an mkey at byte 5000 of a umem: %s",
	       dvx_strerror(dvx_last_error()->err));
	mkey_reads(b, &p, dvx_mkey_key(mkey), attr.iova + 10, 100, 5010,
		   "an mkey at byte 5000 of a umem");
}

/* Makes a list of three pieces of 1024 bytes, which begin at 0x400, 0xc00 and 0x1400. */
static struct dvx_mkey *mkey_fixed(struct bench *b, uint64_t iova)
{
	struct dvx_sge pieces[3];
	struct dvx_mkey_list_attr attr = {.size = sizeof(attr),
					  .access = DVX_REMOTE_READ,
					  .pd = b->pd,
					  .pieces = pieces,
					  .n = 3,
					  .log_entity = 10,
					  .iova = iova};
	struct dvx_mkey *mkey;
	int err;

	if (dvx_dev_caps(b->dev)->min_mkey_log_entity > 10)
		conclude(VERDICT_OPEN, "the smallest piece has 1 << %u bytes",
			 dvx_dev_caps(b->dev)->min_mkey_log_entity);
	for (uint32_t i = 0; i < 3; i++)
		pieces[i] = (struct dvx_sge){b->addr + 0x400 + 0x800 * i, 0x400, b->key};
	err = dvx_mkey_create_of(b->dev, &attr, &mkey);
	EXPECT(!err, "a KSM of pieces of 1024 bytes: %s", dvx_strerror(err));
	return mkey;
}

static void mkey_read_fixed(struct bench *b, uint64_t iova)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_mkey *mkey = mkey_fixed(b, iova);

	mkey_fill(b);
	bench_pair_make(b, &p);
	mkey_reads(b, &p, dvx_mkey_key(mkey), iova + 7, 64, 0x407, "the first piece of a KSM");
	mkey_reads(b, &p, dvx_mkey_key(mkey), iova + 0x400, 64, 0xc00, "its second piece");
	mkey_reads(b, &p, dvx_mkey_key(mkey), iova + 0xbc0, 64, 0x17c0, "its last bytes");
}

void probe_mkey_list(struct bench *b)
{
	mkey_read_fixed(b, 0x7000);
}

void probe_klm_find_equal(struct bench *b)
{
	mkey_read_fixed(b, 0x7123);
}

void probe_umr_2(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_sge piece = {b->addr + 0x100, 64, b->key}, to = {b->addr + THERE, 8, b->key};
	struct dvx_mkey *mkey;
	uint32_t key, next;

	mkey_fill(b);
	bench_pair_make(b, &p);
	NEED(dvx_mkey_create_list(b->dev, b->pd, 4, &mkey));
	key = dvx_mkey_key(mkey);
	next = dvx_key_next(key);
	NEED(dvx_post_umr_renew(p.sq, key, next, DVX_REMOTE_READ, &piece, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_done(p.cq[0], "a UMR that changes the key's low byte");
	mkey_reads(b, &p, next, 0, 64, 0x100, "a READ by the new number");
	NEED(dvx_post_read(p.sq, 0, key, &to, 1, 1, DVX_SIGNALED));
	mkey_fails(&p, PRM_SYNDROME_REMOTE_ACCESS_ERR, "a READ by the old number");
}

/* An mkey without remote rights, and one of another PD, are parts. */
void probe_mkey_walk_list_2(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_mkey_attr local = {.size = sizeof(local),
				      .access = DVX_LOCAL_WRITE,
				      .pd = b->pd,
				      .addr = b->buf,
				      .len = 4096};
	struct dvx_sge piece = {b->addr, 64, 0};
	struct dvx_mkey_list_attr attr = {.size = sizeof(attr),
					  .access = DVX_REMOTE_READ | DVX_REMOTE_WRITE |
						    DVX_LOCAL_WRITE,
					  .pd = b->pd,
					  .pieces = &piece,
					  .n = 1,
					  .iova = 0x7000};
	struct dvx_mkey *part, *list;

	mkey_fill(b);
	bench_pair_make(b, &p);
	NEED(dvx_mkey_create(b->dev, &local, &part));
	piece.lkey = dvx_mkey_key(part);
	NEED(dvx_mkey_create_of(b->dev, &attr, &list));
	mkey_reads(b, &p, dvx_mkey_key(list), 0x7000, 64, 0,
		   "a READ through a list of an mkey without remote rights");
	NEED(dvx_pd_alloc(b->dev, &local.pd));
	NEED(dvx_mkey_create(b->dev, &local, &part));
	piece.lkey = dvx_mkey_key(part);
	NEED(dvx_mkey_create_of(b->dev, &attr, &list));
	NEED(dvx_post_write_inline(p.sq, 0x7000, dvx_mkey_key(list), "x", 1, 1, DVX_SIGNALED));
	mkey_fails(&p, PRM_SYNDROME_REMOTE_ACCESS_ERR,
		   "a WRITE through a list of an mkey of another PD");
}

void probe_mkey_walk_null(struct bench *b)
{
	struct bench_pair p = bench_pair_default(b);
	struct dvx_sge gap = {0, 4096, 0};
	int err = dvx_dev_null_key(b->dev, &gap.lkey);

	if (err)
		conclude(VERDICT_OPEN, "the device has no null mkey");
	mkey_fill(b);
	bench_pair_make(b, &p);
	NEED(dvx_post_read(p.sq, b->addr, b->key, &gap, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p.sq);
	bench_expect_done(p.cq[0], "a READ into the null mkey");
	NEED(dvx_post_write_inline(p.sq, 0, gap.lkey, "x", 1, 1, DVX_SIGNALED));
	mkey_fails(&p, PRM_SYNDROME_REMOTE_ACCESS_ERR, "a WRITE to the null mkey");
}

/* The engine refuses wrong copies. */
static void mkey_wrong_copy(struct bench *b, uint32_t flags, void (*spoil)(uint8_t *wqe),
			    uint8_t syndrome, const char *what)
{
	struct bench_pair p = bench_pair_default(b);

	p.flags = flags;
	bench_pair_make(b, &p);
	if (!flags) { /* dvx_post_dma() refuses a queue without scratch memory */
		p.sq->mmo_lkey = b->key;
		p.sq->mmo_addr = b->addr;
	}
	NEED(dvx_post_dma(p.sq, b->addr, b->key, b->addr + 4096, b->key, 64, 1, DVX_SIGNALED));
	if (spoil)
		spoil(dvx_sq_last(p.sq));
	mkey_fails(&p, syndrome, what);
}

static void mkey_longer_target(uint8_t *wqe)
{
	prm_wqe_data_seg_set_byte_count(wqe + 3 * DVX_SEG, 65);
}

static void mkey_odd_scratch(uint8_t *wqe)
{
	uint8_t *scratch = wqe + 2 * DVX_SEG - 1;

	*scratch = (uint8_t)(*scratch + 8);
}

void probe_mmo(struct bench *b)
{
	if (!dvx_dev_caps(b->dev)->dma_mmo)
		conclude(VERDICT_OPEN, "the device has no DMA engine (dma_mmo)");
	mkey_wrong_copy(b, DVX_QP_MMO, mkey_longer_target, PRM_SYNDROME_LOCAL_LENGTH_ERR,
			"a copy of 64 bytes to 65");
	mkey_wrong_copy(b, DVX_QP_MMO, mkey_odd_scratch, PRM_SYNDROME_LOCAL_QP_OP_ERR,
			"a scratch buffer that is not aligned");
	mkey_wrong_copy(b, 0, NULL, PRM_SYNDROME_LOCAL_QP_OP_ERR, "a copy on a QP without MMO");
}
