/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that the kernel's UMR queue makes regions of pages, moves them to a PD and revokes them as
 * mlx5_ib's umr.c does; that a program's queue can do none of it; and which WQEs of the kernel are
 * refused. */
#include "tests/test.h"
#include <dvx/prm/mkey.h>
#include "queue_rig.h"
#include "queue/queue.h"
#include "transport/transport.h"

#define PAGE	  4096u
#define PAGES	  12u
#define ROOM	  16u /* entries: 8 octwords */
#define IOVA	  0x7000123u
#define LEN	  (PAGES * PAGE - 0x200u)
#define READ	  PRM_WQE_OPCODE_RDMA_READ
#define WRITE	  PRM_WQE_OPCODE_RDMA_WRITE
#define PRESENT	  3u
#define MASK(bit) PRM_UMR_MKEY_MASK_##bit
/* The rights that Linux 6.1 sets. */
#define RIGHTS (MASK(LR) | MASK(LW) | MASK(RR) | MASK(RW) | MASK(A))
#define ENABLE                                                                      \
	(MASK(KEY) | MASK(FREE) | RIGHTS | MASK(PD) | MASK(LEN) | MASK(PAGE_SIZE) | \
	 MASK(START_ADDR))

struct reg {
	struct rig_pair *p;
	struct rig_qp k; /* the kernel's queue */
	struct rig_cq cq;
	struct obj *own, *pd; /* the kernel's PD, a program's */
	struct mkey *m;	      /* a free mkey of the cache, without a page */
	uint8_t *mem;	      /* PAGES pages of dst */
	uint8_t *list;	      /* in src, behind the bytes read and written */
};

static int reg_setup(void **state)
{
	struct reg *g = calloc(1, sizeof(*g));
	struct vhca *v;

	assert_non_null(g);
	g->p = rig_pair_open(&rig_rc);
	v = &g->p->rig.dev.vhca[BLUEFIELD2_HOST];
	g->p->rig.transport = &transport_reg_umr;
	rig_cq_open(&g->p->rig, &g->cq, BLUEFIELD2_HOST, 6, false);
	rig_qp_open(&g->p->rig, &g->k, BLUEFIELD2_HOST, &g->cq, &g->cq, 4, 3);
	rig_connect_one(&g->k, &g->k);
	g->own = obj_new(v, OBJ_PD, 0, sizeof(*g->own));
	g->pd = obj_new(v, OBJ_PD, 0, sizeof(*g->pd));
	assert_true(g->own && g->pd);
	g->p->b.qp->q.pdn = g->pd->id;
	g->m = rig_mkey(&g->p->rig, BLUEFIELD2_HOST, NULL, 0, MKEY_UMR);
	g->m->free = true;
	g->m->log_entity = 12;
	g->m->nentries = ROOM;
	free(g->m->entries);
	g->m->entries = calloc(ROOM, sizeof(*g->m->entries));
	mkey_move(g->m, g->own);
	mkey_place(g->m);
	g->mem = (uint8_t *)(((uintptr_t)g->p->dst + PAGE) & ~(uintptr_t)(PAGE - 1));
	g->list = g->p->src + 2 * PAGES * PAGE;
	*state = g;
	return 0;
}

static int reg_teardown(void **state)
{
	struct reg *g = *state;

	obj_put(g->m->pd);
	rig_mkey_close(g->m);
	obj_free(g->own);
	obj_free(g->pd);
	rig_qp_close(&g->k);
	rig_cq_close(&g->cq);
	rig_pair_close(g->p);
	free(g);
	return 0;
}
#define FIXTURE_reg(name) FIXTURE(name, struct reg *g, reg_setup, reg_teardown)

/* Begins a UMR with the context that mlx5_ib always writes. */
static struct rig_wqe umr(struct reg *g, struct rig_qp *q, uint8_t flags, uint64_t mask)
{
	struct rig_wqe w = rig_begin(q, PRM_WQE_OPCODE_UMR, SIGNALED, rig_key(g->m));
	uint8_t *ctrl = w.bytes + 16, *mkc = w.bytes + 64;

	memset(ctrl, 0, sizeof(w.bytes) - 16);
	prm_wqe_umr_ctrl_seg_set_flags(ctrl, flags);
	prm_wqe_umr_ctrl_seg_set_mkey_mask(ctrl, mask);
	prm_mkc_set_lr(mkc, 1);
	prm_mkc_set_lw(mkc, 1);
	prm_mkc_set_rr(mkc, 1);
	prm_mkc_set_rw(mkc, 1);
	prm_mkc_set_pd(mkc, g->pd->id);
	prm_mkc_set_qpn(mkc, MKEY_ANY_QP);
	prm_mkc_set_mkey_7_0(mkc, 0x77);
	prm_mkc_set_start_addr(mkc, IOVA);
	prm_mkc_set_len(mkc, LEN);
	prm_mkc_set_log_page_size(mkc, 12);
	w.ds = 8;
	return w;
}

static uint8_t run(struct rig_wqe *w)
{
	rig_go(w);
	return rig_status(w->q->scq);
}

/* Sets the entries from `first` on; the rest of 64 bytes names no page, as in mlx5_ib. */
static uint8_t load(struct reg *g, struct rig_qp *q, uint64_t mask, uint32_t first, uint32_t n,
		    const unsigned int *page)
{
	struct rig_wqe w =
		umr(g, q, PRM_UMR_FLAG_CHECK_FREE | PRM_UMR_FLAG_TRANSLATION_OFFSET, mask);
	const uint32_t bytes = (8 * n + 63) & ~63u;

	memset(g->list, 0, bytes);
	for (uint32_t i = 0; i < n; i++)
		prm_store64(g->list, 8 * i,
			    mm_bus(g->p->rig.mm, (uintptr_t)g->mem + PAGE * page[first + i]) |
				    PRESENT);
	prm_wqe_umr_ctrl_seg_set_xlt_octowords(w.bytes + 16, bytes / 16);
	prm_wqe_umr_ctrl_seg_set_xlt_offset(w.bytes + 16, first / 2);
	rig_data(&w, g->list, bytes, rig_key(g->p->ms));
	return run(&w);
}

static uint8_t access_region(struct reg *g, uint8_t opcode, uint32_t low, uint64_t va, uint32_t len)
{
	struct rig_wqe w = rig_begin(&g->p->a, opcode, SIGNALED, 0);

	rig_raddr(&w, (const void *)(uintptr_t)va, g->m->o.id << 8 | low);
	rig_data(&w, g->p->src, len, rig_key(g->p->ms));
	return run(&w);
}

/* Checks that each byte of the region is in the page that the list has there. */
static void holds(struct reg *g, const unsigned int *page)
{
	const uint32_t at = IOVA & (PAGE - 1);

	for (uint32_t i = 0; i < PAGES * PAGE; i++)
		g->mem[i] = (uint8_t)(i * 31 + i / 253);
	assert_int_equal(access_region(g, READ, 0x77, IOVA, LEN), 0);
	for (uint32_t i = 0; i < LEN; i++)
		assert_int_equal(g->p->src[i],
				 g->mem[page[(at + i) / PAGE] * PAGE + (at + i) % PAGE]);
	memset(g->p->src, 0x5c, 100);
	assert_int_equal(access_region(g, WRITE, 0x77, IOVA + LEN - 100, 100), 0);
	for (uint32_t i = LEN - 100; i < LEN; i++)
		assert_int_equal(g->mem[page[(at + i) / PAGE] * PAGE + (at + i) % PAGE], 0x5c);
}

static const unsigned int mixed[PAGES] = {3, 1, 2, 0, 11, 10, 9, 8, 4, 5, 7, 6},
			  straight[PAGES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* mlx5r_umr_update_mr_pas(): a list in two parts, then all else with the second. */
TEST(reg, makes_a_region)
{
	assert_int_equal(load(g, &g->k, 0, 0, 8, mixed), 0);
	assert_true(g->m->free);
	assert_int_equal(load(g, &g->k, ENABLE, 8, PAGES - 8, mixed), 0);
	assert_int_equal(g->m->pdn, g->pd->id);
	holds(g, mixed);
	assert_int_equal(access_region(g, READ, 0x77, IOVA + LEN - 99, 100),
			 PRM_SYNDROME_REMOTE_ACCESS_ERR);
}

/* mlx5r_umr_revoke_mr(), and the mkey made into another region. */
TEST(reg, revokes)
{
	struct rig_wqe w;

	assert_int_equal(load(g, &g->k, ENABLE, 0, PAGES, straight), 0);
	mkey_place(g->m); /* as CREATE_MKEY does, with its pages */
	holds(g, straight);
	w = umr(g, &g->k, PRM_UMR_FLAG_INLINE, MASK(PD) | MASK(FREE));
	prm_mkc_set_free(w.bytes + 64, 1);
	prm_mkc_set_pd(w.bytes + 64, g->own->id);
	assert_int_equal(run(&w), 0);
	assert_int_equal(g->m->pdn, g->own->id);
	assert_int_equal(load(g, &g->k, ENABLE, 0, PAGES, mixed), 0);
	holds(g, mixed);
	w = umr(g, &g->k, PRM_UMR_FLAG_INLINE, MASK(PD) | MASK(FREE));
	prm_mkc_set_free(w.bytes + 64, 1);
	assert_int_equal(run(&w), 0);
	assert_int_equal(access_region(g, READ, 0x77, IOVA, 8), PRM_SYNDROME_REMOTE_ACCESS_ERR);
}

/* mlx5r_umr_rereg_pd_access(): in use, then with other rights and another PD. */
TEST(reg, changes_rights_and_pd)
{
	struct rig_wqe w;

	assert_int_equal(load(g, &g->k, ENABLE, 0, PAGES, straight), 0);
	holds(g, straight);
	w = umr(g, &g->k, PRM_UMR_FLAG_CHECK_NOT_FREE | PRM_UMR_FLAG_INLINE, RIGHTS | MASK(PD));
	prm_mkc_set_rw(w.bytes + 64, 0);
	prm_mkc_set_pd(w.bytes + 64, g->own->id);
	assert_int_equal(run(&w), 0);
	g->p->b.qp->q.pdn = g->own->id;
	assert_int_equal(access_region(g, READ, 0x77, IOVA, 100), 0);
	assert_int_equal(access_region(g, WRITE, 0x77, IOVA, 100), PRM_SYNDROME_REMOTE_ACCESS_ERR);
}

/* A page without an entry is no memory. */
TEST(reg, absent_page)
{
	assert_int_equal(load(g, &g->k, ENABLE, 0, PAGES - 1, straight), 0);
	assert_int_equal(access_region(g, READ, 0x77, IOVA, PAGE), 0);
	assert_int_not_equal(access_region(g, READ, 0x77, IOVA + (PAGES - 1) * PAGE, 1), 0);
}

/* Checks that the WQE ends in an error and changes nothing. */
static void refused(struct reg *g, struct rig_wqe *w, uint8_t syndrome)
{
	const struct mkey before = *g->m;
	bus_t entries[ROOM];

	memcpy(entries, g->m->entries, sizeof(entries));
	assert_int_equal(run(w), syndrome);
	assert_memory_equal(&before, g->m, sizeof(before));
	assert_memory_equal(entries, g->m->entries, sizeof(entries));
	assert_int_equal(w->q->qp->q.state, QP_ERR);
	rig_restart(w->q, w->q);
}

/* Puts pages into the WQE, as for a queue of the kernel's. */
static struct rig_wqe inline_pages(struct reg *g, struct rig_qp *q, uint64_t mask, uint32_t first)
{
	struct rig_wqe w = umr(g, q, PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_TRANSLATION_OFFSET, mask);

	prm_wqe_umr_ctrl_seg_set_xlt_octowords(w.bytes + 16, 4);
	prm_wqe_umr_ctrl_seg_set_xlt_offset(w.bytes + 16, first / 2);
	for (unsigned int i = 0; i < 8; i++)
		prm_store64(w.bytes, 128 + 8 * i,
			    mm_bus(g->p->rig.mm, (uintptr_t)g->mem) | PRESENT);
	w.ds += 4;
	return w;
}

/* A program's queue of the mkey's own PD may change no page, no range and no PD. */
TEST(reg, programs_may_not)
{
	struct rig_qp *q = &g->p->b;
	struct rig_wqe w;

	q->qp->q.pdn = g->own->id;
	w = inline_pages(g, q, 0, 0);
	refused(g, &w, PRM_SYNDROME_MW_BIND_ERR);
	w = umr(g, q, PRM_UMR_FLAG_INLINE, MASK(LEN));
	refused(g, &w, PRM_SYNDROME_MW_BIND_ERR);
	w = umr(g, q, PRM_UMR_FLAG_INLINE, MASK(PAGE_SIZE) | MASK(FREE));
	refused(g, &w, PRM_SYNDROME_MW_BIND_ERR);
	w = umr(g, q, PRM_UMR_FLAG_INLINE, MASK(PD));
	refused(g, &w, PRM_SYNDROME_LOCAL_QP_OP_ERR);
	q->qp->q.pdn = g->pd->id;
	w = umr(g, q, PRM_UMR_FLAG_INLINE, MASK(FREE));
	refused(g, &w, PRM_SYNDROME_MW_BIND_ERR);
}

TEST(reg, refusals)
{
	struct rig_wqe w = inline_pages(g, &g->k, 0, ROOM - 6);

	refused(g, &w, PRM_SYNDROME_MW_BIND_ERR);
	w = umr(g, &g->k, PRM_UMR_FLAG_INLINE, MASK(PD));
	prm_mkc_set_pd(w.bytes + 64, 0x99);
	refused(g, &w, PRM_SYNDROME_MW_BIND_ERR);
	w = umr(g, &g->k, PRM_UMR_FLAG_INLINE | PRM_UMR_FLAG_CHECK_NOT_FREE, MASK(PD));
	refused(g, &w, PRM_SYNDROME_MW_BIND_ERR);
	/* the queue is for UMRs only */
	w = rig_begin(&g->k, PRM_WQE_OPCODE_SEND, SIGNALED, 0);
	rig_data(&w, g->list, 8, rig_key(g->p->ms));
	refused(g, &w, PRM_SYNDROME_LOCAL_QP_OP_ERR);
	w = inline_pages(g, &g->k, ENABLE, 0);
	assert_int_equal(run(&w), 0);
}
