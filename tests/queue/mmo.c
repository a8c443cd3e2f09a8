/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the MMO DMA engine: it copies between local keys and through cross-VHCA aliases, on a QP
 * that need not be connected, refuses bad WQEs before a byte moves, and keeps order by fences. */
#include "tests/test.h"
#include "queue_rig.h"
#include "queue/queue.h"

#define FIXTURE_mmo(name) FIXTURE(name, struct rig_pair *p, setup, rig_teardown)

static void *aligned_buf(struct rig_pair *p)
{
	return (void *)(((uintptr_t)p->src + 63) & ~(uintptr_t)63);
}

static uint8_t opmod = PRM_MMO_OPMOD_DMA;

static void post_mmo(struct rig_pair *p, uint8_t flags, uint32_t dkey, const void *to,
		     uint32_t skey, const void *from, uint32_t dlen, uint32_t slen)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_MMO, flags, 0);

	prm_wqe_ctrl_seg_set_opmod(w.bytes, opmod);
	prm_mmo_metadata_seg_pack(w.bytes + 16, .local_key = rig_key(p->ms),
				  .local_address = (uintptr_t)aligned_buf(p));
	w.ds++;
	rig_data(&w, from, slen, skey);
	rig_data(&w, to, dlen, dkey);
	rig_end(&w);
	rig_ring(&p->a);
}

static struct rig_pair *open_mmo(void)
{
	struct rig_pair *p = rig_pair_open(&rig_rc_dpu);

	p->a.qp->mmo = true;
	return p;
}

static int setup(void **state)
{
	*state = open_mmo();
	return 0;
}

/* Makes A's alias of dst, which is the other function's. */
static struct mkey *alias(struct rig_pair *p)
{
	struct mkey *m = rig_mkey(&p->rig, BLUEFIELD2_HOST, NULL, 0, 0);

	m->o.alias = true;
	mkey_place(m);
	m->target_vhca = p->rig.dev.vhca[BLUEFIELD2_DPU].id;
	m->target_index = p->md->o.id;
	m->target_generation = p->md->o.generation;
	return m;
}

static const uint8_t *done(struct rig_pair *p)
{
	rig_settle(&p->rig);
	return rig_poll(&p->ca);
}

TEST(mmo, test_copy)
{
	struct mkey *k = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->dst, RIG_BUF, MKEY_LR | MKEY_LW);
	static const uint32_t lens[] = { 1, 63, 4096, 262144, 262145, RIG_BUF };

	for (unsigned int i = 0; i < 6; i++) {
		const uint8_t *cqe;

		memset(p->dst, 0, RIG_BUF);
		post_mmo(p, SIGNALED, rig_key(k), p->dst, rig_key(p->ms), p->src, lens[i], lens[i]);
		cqe = done(p);
		assert_non_null(cqe);
		assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ);
		assert_int_equal(cqe[0x38], 0x2f);
		assert_memory_equal(p->src, p->dst, lens[i]);
	}
	rig_mkey_close(k);
}

TEST(mmo, test_alias)
{
	struct mkey *k = alias(p);

	post_mmo(p, SIGNALED, rig_key(k), p->dst + 5, rig_key(p->ms), p->src, 300000, 300000);
	assert_int_equal(prm_cqe64_get_opcode(done(p)), PRM_CQE_OPCODE_REQ);
	assert_memory_equal(p->src, p->dst + 5, 300000);
	/* in the other direction */
	memset(p->dst, 0x3c, 1000);
	post_mmo(p, SIGNALED, rig_key(p->ms), p->src, rig_key(k), p->dst, 1000, 1000);
	assert_int_equal(prm_cqe64_get_opcode(done(p)), PRM_CQE_OPCODE_REQ);
	assert_memory_equal(p->src, p->dst, 1000);
	/* resolved at each access: another object of this index is not meant */
	p->md->o.generation++;
	post_mmo(p, SIGNALED, rig_key(p->ms), p->src, rig_key(k), p->dst, 1000, 1000);
	assert_int_equal(prm_err_cqe_get_syndrome(done(p)), PRM_SYNDROME_LOCAL_PROT_ERR);
	p->md->o.generation--;
	rig_mkey_close(k);
}

/* One copy of 100 bytes, with one error. */
TEST(none, test_bad)
{
	static const struct bad {
		const char *name;
		uint8_t syndrome;
		uint32_t at, dlen, slen; /* 0: 100 */
		uint8_t opmod;		 /* 0: DMA */
		uint8_t rights;		 /* rights of the destination's key; 0: both */
		uint8_t meta_rights;	 /* rights of the scratch buffer's key; 0: both */
		bool no_source, other_pd;
	} table[] = {
		{"lengths differ", 0x01, .slen = 101},
		{"over log_dma_mmo_max_size", 0x01, .dlen = (2u << 20) + 1, .slen = (2u << 20) + 1},
		{"destination without local write", 0x04, .rights = MKEY_LR},
		{"past the destination", 0x04, .at = 1, .dlen = RIG_BUF, .slen = RIG_BUF},
		{"source lkey 0", 0x04, .no_source = true},
		{"destination of another PD", 0x04, .other_pd = true},
		{"another opmod", 0x02, .opmod = PRM_MMO_OPMOD_DECOMPRESS},
		{"scratch buffer not writable", 0x04, .meta_rights = MKEY_LR},
	};

	for (const struct bad *t = table; t < table + sizeof(table) / sizeof(table[0]); t++) {
		struct rig_pair *p = open_mmo();
		struct mkey *k = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->dst, RIG_BUF,
					  t->rights ? t->rights : MKEY_LR | MKEY_LW);
		const uint8_t *cqe;

		k->pdn += t->other_pd;
		if (t->meta_rights)
			p->ms->rights = t->meta_rights;
		opmod = t->opmod ? t->opmod : PRM_MMO_OPMOD_DMA;
		post_mmo(p, 0, rig_key(k), p->dst + t->at, t->no_source ? 0 : rig_key(p->ms),
			 p->src, t->dlen ? t->dlen : 100, t->slen ? t->slen : 100);
		opmod = PRM_MMO_OPMOD_DMA;
		cqe = done(p);
		if (!cqe || prm_err_cqe_get_opcode(cqe) != PRM_CQE_OPCODE_REQ_ERR ||
		    prm_err_cqe_get_syndrome(cqe) != t->syndrome)
			fail_msg("%s: %s 0x%02x, not 0x%02x", t->name, cqe ? "syndrome" : "no CQE",
				 cqe ? prm_err_cqe_get_syndrome(cqe) : 0, t->syndrome);
		for (unsigned int b = 0; b < RIG_BUF; b++)
			assert_int_equal(p->dst[b], 0);
		rig_mkey_close(k);
		rig_pair_close(p);
	}
}

/*
 * The limit is the chip's own: one byte more is a length error; the limit itself passes and only
 * meets the end of the key. Without the engine, all are refused.
 */
TEST(none, test_chips)
{
	static const struct {
		bool mmo;
		uint8_t log;
		uint32_t bytes; /* 0: 2 GiB */
		uint8_t syndrome;
	} table[] = {
		{ true, 21, 1u << 21, 0x04 },	{ true, 21, (1u << 21) + 1, 0x01 },
		{ true, 27, 1u << 27, 0x04 },	{ true, 27, (1u << 27) + 1, 0x01 },
		{ true, 0, 0, 0x04 },		{ true, 31, 0, 0x04 },
		{ true, 30, 0, 0x01 },		{ true, 1, 3, 0x01 },
		{ false, 21, 100, 0x02 },
	};

	for (unsigned int i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct profile chip = profile_bluefield2;
		struct rig_pair *p = open_mmo();
		uint8_t syndrome;

		chip.dma_mmo = table[i].mmo;
		chip.log_dma_mmo_max_size = table[i].log;
		p->rig.dev.profile = &chip;
		post_mmo(p, 0, rig_key(p->ms), p->src, rig_key(p->ms), p->src, table[i].bytes,
			 table[i].bytes);
		rig_settle(&p->rig);
		syndrome = rig_status(&p->ca);
		if (syndrome != table[i].syndrome)
			fail_msg("row %u: syndrome 0x%02x", i, syndrome);
		rig_pair_close(p);
	}
}

/* RTS is enough, without a connection. */
TEST(mmo, test_unconnected)
{
	struct mkey *k = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->dst, RIG_BUF, MKEY_LW);

	queue_set_state(&p->a.qp->q, QP_RST);
	p->a.qp->remote_qpn = 0;
	memset(p->a.qp->rgid, 0, 16);
	queue_set_state(&p->a.qp->q, QP_INIT);
	queue_set_state(&p->a.qp->q, QP_RTR);
	queue_set_state(&p->a.qp->q, QP_RTS);
	post_mmo(p, SIGNALED, rig_key(k), p->dst, rig_key(p->ms), p->src, 5000, 5000);
	assert_int_equal(prm_cqe64_get_opcode(done(p)), PRM_CQE_OPCODE_REQ);
	assert_memory_equal(p->src, p->dst, 5000);
	rig_mkey_close(k);
}

/* A strong fence waits for an earlier READ; the copy takes the READ's bytes. */
TEST(mmo, test_strong_order)
{
	struct mkey *k = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->src, RIG_BUF, MKEY_LR | MKEY_LW);

	memset(p->dst, 0x99, 500000);
	rig_post(p, PRM_WQE_OPCODE_RDMA_READ, 0, 500000);
	post_mmo(p, SIGNALED | PRM_WQE_CTRL_FLAG_STRONG_ORDER, rig_key(k), p->src + 500000,
		 rig_key(k), p->src, 500000, 500000);
	assert_non_null(done(p));
	assert_non_null(done(p));
	assert_memory_equal(p->src + 500000, p->dst, 500000);
	rig_mkey_close(k);
}
