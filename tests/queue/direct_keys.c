/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a queue does not go on with what it found by a key when the key changes, and that
 * the bytes of a DMA buffer are found each time.
 */
#include "direct_run.h"
#include <dvx/prm/mkey.h>

static void key_invalidated(struct rig_pair *p)
{
	p->md->en_rinval = true;
	assert_true(mkey_invalidate(p->md->o.vhca, rig_key(p->md), RIG_PD, 0));
}

static void key_moved(struct rig_pair *p)
{
	struct obj *pd = obj_new_at(p->md->o.vhca, OBJ_PD, 0, RIG_PD + 1, sizeof(*pd));

	assert_non_null(pd);
	mkey_move(p->md, pd);
	obj_put(pd);
	obj_free(pd);
	p->md->pd = NULL;
}

/* Another key gets the index of the one that is destroyed. */
static void key_replaced(struct rig_pair *p)
{
	const struct mkey old = *p->md;
	struct obj o;

	obj_free(&p->md->o);
	p->md = obj_new_at(old.o.vhca, OBJ_MKEY, 0, old.o.id, sizeof(old));
	assert_non_null(p->md);
	o = p->md->o;
	*p->md = old;
	p->md->o = o;
	p->md->rights = MKEY_RR;
}

static void key_freed_by_umr(struct rig_pair *p)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_UMR, 0, rig_key(p->md));
	uint8_t *ctrl = w.bytes + 16, *mkc = ctrl + PRM_WQE_UMR_CTRL_SEG_BYTES;

	p->md->rights |= MKEY_UMR;
	prm_wqe_umr_ctrl_seg_set_mkey_mask(ctrl, PRM_UMR_MKEY_MASK_FREE);
	prm_mkc_set_free(mkc, 1);
	w.ds = 8;
	rig_go(&w);
}

/* A queue keeps what it found by a key; each change of the key ends that. */
TEST(none, test_a_key_changes_between_messages)
{
	static void (*const change[])(struct rig_pair *) = {key_invalidated, key_moved,
							    key_replaced, key_freed_by_umr};

	for (size_t i = 0; i < sizeof(change) / sizeof(*change); i++) {
		struct run r = direct_open(&rig_rc, SHARED);
		struct mkey *m = r.p->md;

		m->start = ((uintptr_t)r.p->dst + 4096) & ~4095ul; /* only shared pages */
		m->len = AREA / 4;
		mkey_place(m);
		direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 4096, 0);
		direct_drain(&r);
		assert_non_null(r.p->b.queue->view[MKEY_BY_PEER].at);
		assert_int_equal(r.p->a.queue->state, QP_RTS);
		change[i](r.p);
		direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 4096, 0);
		direct_drain(&r);
		assert_int_equal(r.p->a.queue->state, QP_ERR);
		free(direct_close(&r));
	}
}

static uint8_t *same_at(void *ctx, uint64_t addr, size_t len)
{
	(void)ctx;
	(void)len;
	return (uint8_t *)(uintptr_t)addr;
}

/* Messages to a DMA buffer, whose bytes the device finds by a call each time. */
static struct outcome *direct_to_dma_buffer(enum way way)
{
	struct run r = direct_open(&rig_rc, way);
	struct mm *mm = mm_open_device(r.p->rig.host, same_at, NULL);

	if (way != PACKETS)
		r.p->md->entries[0] = mm_bus(mm, 0);
	mkey_place(r.p->md);
	for (unsigned int i = 0; i < 3; i++) {
		direct_post(&r, PRM_WQE_OPCODE_RDMA_WRITE, 64, 4096 + 64 * i, 0);
		direct_drain(&r);
	}
	assert_int_equal(r.p->a.queue->state, QP_RTS);
	mm_close(mm);
	return direct_close(&r);
}

TEST(none, test_a_key_of_a_dma_buffer)
{
	direct_same(direct_to_dma_buffer(SHARED), direct_to_dma_buffer(PACKETS));
}
