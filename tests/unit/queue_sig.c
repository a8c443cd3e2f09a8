/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that signature descriptions which UMR WQEs bring are taken whole or refused, that what is
 * wrong with an mkey's PSVs or its range ends an access with an error and nothing else, and that
 * the CRCs are those of their catalogues. tests/interop/signatures.sh has the bytes. */
#include "tests/test.h"
#include <dvx/prm/mkey.h>
#include "base/crc.h"
#include "obj/sig.h"
#include "queue_rig.h"
#include "queue/queue.h"

#define TEST_FIXTURE                    \
	{                               \
		rig_setup, rig_teardown \
	}

#define BLOCK 512u
#define BSF   4u /* octowords */

/* CRC RevEng's check values, of these nine digits. */
TEST(catalogue)
{
	const char *digits = "123456789";

	assert_int_equal(crc16_add(0, digits, 9), 0xd0db);
	assert_int_equal(~crc32c_add(~0u, digits, 9), 0xe3069283);
	assert_true(~crc64_add(UINT64_MAX, digits, 9) == 0xae8b14860a799888);
}

/* An mkey of b's memory dst, with CRC32 on the wire side and PSV 1. */
struct signed_key {
	struct rig_pair *p;
	struct mkey *m;
	struct psv *psv;
	struct obj *pd;
	uint8_t bsf[64];
};

static void signed_open(struct signed_key *k, struct rig_pair *p)
{
	struct vhca *v = &p->rig.dev.vhca[BLUEFIELD2_HOST];

	*k = (struct signed_key){.p = p, .m = obj_new(v, OBJ_MKEY, 0, sizeof(*k->m))};
	k->m->rights = MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW | MKEY_ATOMIC | MKEY_UMR;
	k->m->mode = PRM_MKC_ACCESS_MODE_KLM;
	k->m->qpn = MKEY_ANY_QP;
	k->m->pdn = RIG_PD;
	k->m->list = klm_list_new(4);
	k->m->sig = calloc(1, sizeof(*k->m->sig));
	k->pd = obj_new_at(v, OBJ_PD, 0, RIG_PD, sizeof(*k->pd));
	k->psv = obj_new(v, OBJ_PSV, 0, sizeof(*k->psv));
	k->psv->pd = k->pd;
	prm_bsf_set_bsf_size(k->bsf, PRM_BSF_SIZE_WITH_INLINE);
	prm_bsf_set_w_bs_selector(k->bsf, 1);
	prm_bsf_set_w_bfs(k->bsf, 0x22);
	prm_bsf_set_w_psv(k->bsf, k->psv->o.id);
	prm_bsf_set_check_byte_mask(k->bsf, 0xff);
	prm_bsf_set_raw_data_size(k->bsf, 0xffffffff);
}

static void signed_close(struct signed_key *k)
{
	klm_list_free(k->m->list);
	free(k->m->sig);
	obj_free(&k->m->o);
	obj_free(&k->psv->o);
	obj_free(k->pd);
}

static uint8_t signed_status(struct rig_cq *cq)
{
	const uint8_t *cqe = rig_poll(cq);

	assert_non_null(cqe);
	return prm_cqe64_get_opcode(cqe) == PRM_CQE_OPCODE_REQ
		       ? 0
		       : (uint8_t)prm_err_cqe_get_syndrome(cqe);
}

/* An UMR of one part of dst, and the description. */
static uint8_t signed_umr(struct signed_key *k, uint32_t octowords)
{
	struct rig_wqe w = rig_begin(&k->p->b, PRM_WQE_OPCODE_UMR, SIGNALED, rig_key(k->m));
	uint8_t *ctrl = w.bytes + 16, *mkc = w.bytes + 64, *klm = w.bytes + 128;

	memset(w.bytes + 16, 0, sizeof(w.bytes) - 16);
	prm_wqe_umr_ctrl_seg_set_flags(ctrl, PRM_UMR_FLAG_INLINE);
	prm_wqe_umr_ctrl_seg_set_mkey_mask(ctrl, PRM_UMR_MKEY_MASK_LEN | PRM_UMR_MKEY_MASK_BSF_EN |
							 PRM_UMR_MKEY_MASK_EN_SIGERR);
	prm_wqe_umr_ctrl_seg_set_xlt_octowords(ctrl, 1);
	prm_wqe_umr_ctrl_seg_set_bsf_octowords(ctrl, octowords);
	prm_mkc_set_len(mkc, 4 * BLOCK);
	prm_mkc_set_bsf_en(mkc, 1);
	prm_mkc_set_expected_sigerr_count(mkc, 1);
	prm_klm_set_byte_count(klm, 4 * BLOCK);
	prm_klm_set_mkey(klm, rig_key(k->p->md));
	prm_klm_set_address(klm, (uintptr_t)k->p->dst);
	memcpy(klm + 16, k->bsf, sizeof(k->bsf));
	w.ds = 8 + 1 + BSF;
	rig_end(&w);
	rig_ring(&k->p->b);
	rig_settle(&k->p->rig);
	return signed_status(&k->p->cb);
}

static uint8_t set_psv(struct signed_key *k, uint32_t index, uint64_t transient)
{
	struct rig_wqe w = rig_begin(&k->p->b, PRM_WQE_OPCODE_SET_PSV, SIGNALED, 0);

	memset(w.bytes + 16, 0, 16);
	prm_seg_set_psv_set_psv_num(w.bytes + 16, index);
	prm_seg_set_psv_set_transient_signature(w.bytes + 16, transient);
	w.ds = 2;
	rig_end(&w);
	rig_ring(&k->p->b);
	rig_settle(&k->p->rig);
	return signed_status(&k->p->cb);
}

/* a READs the wire side of b's mkey. */
static uint8_t signed_read(struct signed_key *k, uint8_t opcode, uint64_t va, uint32_t len)
{
	struct rig_wqe w = rig_begin(&k->p->a, opcode, SIGNALED, 0);

	rig_raddr(&w, (const void *)(uintptr_t)va, rig_key(k->m));
	if (opcode == PRM_WQE_OPCODE_ATOMIC_FA) {
		memset(w.bytes + 16 * w.ds, 0, 16);
		w.ds++;
	}
	rig_data(&w, k->p->src, len, rig_key(k->p->ms));
	rig_end(&w);
	rig_ring(&k->p->a);
	rig_settle(&k->p->rig);
	return signed_status(&k->p->ca);
}

#define SEED	  (0xffffffffull << 32)
#define READ_WIRE signed_read(&k, PRM_WQE_OPCODE_RDMA_READ, 0, 4 * (BLOCK + 4))
#define REFUSED	  PRM_SYNDROME_REMOTE_ACCESS_ERR

TEST_PAIR(reads)
{
	struct signed_key k;

	signed_open(&k, p);
	assert_int_equal(set_psv(&k, k.psv->o.id, SEED), 0);
	assert_int_equal(signed_umr(&k, BSF), 0);
	assert_int_equal(READ_WIRE, 0);
	signed_close(&k);
}

/* Each way to be wrong, after which the connection is in ERR: a pair for each. */
static void read_is_refused(void (*spoil)(struct signed_key *), uint8_t opcode, uint64_t va,
			    uint32_t len)
{
	struct rig_pair *p = rig_pair_open(rig_setup);
	struct signed_key k;

	signed_open(&k, p);
	assert_int_equal(set_psv(&k, k.psv->o.id, SEED), 0);
	assert_int_equal(signed_umr(&k, BSF), 0);
	if (spoil)
		spoil(&k);
	memset(p->src, 0x77, 16);
	assert_int_equal(signed_read(&k, opcode, va, len), REFUSED);
	assert_int_equal(p->src[0], 0x77);
	signed_close(&k);
	rig_pair_close(p);
}

static void psv_not_set(struct signed_key *k)
{
	k->psv->set = false;
}

static void psv_of_another_seed(struct signed_key *k)
{
	assert_int_equal(set_psv(k, k->psv->o.id, 0), 0);
}

static void psv_gone(struct signed_key *k)
{
	k->m->sig->wire.psv = 0xffff;
}

static void not_described(struct signed_key *k)
{
	k->m->sig->described = false;
}

static void few_data(struct signed_key *k)
{
	k->m->sig->data = 3 * BLOCK;
}

TEST(refusals)
{
	const uint8_t read = PRM_WQE_OPCODE_RDMA_READ;
	const uint32_t all = 4 * (BLOCK + 4);

	read_is_refused(psv_not_set, read, 0, all);
	read_is_refused(psv_of_another_seed, read, 0, all);
	read_is_refused(psv_gone, read, 0, all);
	read_is_refused(not_described, read, 0, all);
	read_is_refused(few_data, read, 0, all);
	read_is_refused(NULL, read, 0, all + 1);
	read_is_refused(NULL, read, all, 1);
	read_is_refused(NULL, read, UINT64_MAX - 7, 8);
	read_is_refused(NULL, read, 1ull << 63, 8);
	read_is_refused(NULL, PRM_WQE_OPCODE_ATOMIC_FA, 0, 8);
}

/* The descriptions that a WQE can bring: never a crash, and the old one stays when one is refused.
 */
TEST_PAIR(descriptions)
{
	struct signed_key k;
	struct sig s = {0};
	unsigned int taken = 0;

	signed_open(&k, p);
	srand(7);
	for (unsigned int i = 0; i < 200000; i++) {
		uint8_t bsf[64];
		struct sig before = s;

		memcpy(bsf, k.bsf, sizeof(bsf));
		for (unsigned int n = 1 + (unsigned int)rand() % 4; n; n--)
			bsf[rand() % 64] = (uint8_t)(rand() % 3 ? rand() : 0);
		if (sig_read(&s, bsf)) {
			assert_memory_equal(&s, &before, sizeof(s));
			continue;
		}
		taken++;
		assert_true(s.described && s.wire.block <= SIG_BLOCK_MOST);
		assert_true(s.wire.size <= SIG_BYTES_MOST && s.memory.size <= SIG_BYTES_MOST);
		assert_true(!s.wire.size == !s.wire.kind && (!s.wire.size || s.wire.block));
	}
	assert_true(taken > 1000 && taken < 199000);
	signed_close(&k);
}

static void umr_is_refused(void (*spoil)(struct signed_key *), uint32_t octowords)
{
	struct rig_pair *p = rig_pair_open(rig_setup);
	struct signed_key k;

	signed_open(&k, p);
	spoil(&k);
	assert_int_not_equal(signed_umr(&k, octowords), 0);
	assert_true(!k.m->len && (!k.m->sig || !k.m->sig->described));
	signed_close(&k);
	rig_pair_close(p);
}

static void as_it_is(struct signed_key *k)
{
	(void)k;
}

static void no_room(struct signed_key *k)
{
	free(k->m->sig);
	k->m->sig = NULL;
}

static void transactions(struct signed_key *k)
{
	prm_bsf_set_w_tfs_psv(k->bsf, 1);
}

TEST(umr_refusals)
{
	umr_is_refused(no_room, BSF);
	umr_is_refused(transactions, BSF);
	umr_is_refused(as_it_is, BSF - 1);
	umr_is_refused(as_it_is, BSF + 1); /* runs past ds */
	umr_is_refused(as_it_is, 0xffff);
}

TEST_PAIR(psv_is_not_there)
{
	struct signed_key k;

	signed_open(&k, p);
	assert_int_equal(set_psv(&k, 0x1000001, 0), PRM_SYNDROME_LOCAL_QP_OP_ERR);
	assert_false(k.psv->set);
	signed_close(&k);
}

/* What is sent stops after the request with the wrong signature: the next one is read anew. */
TEST_PAIR(pipelining)
{
	struct signed_key k;
	const uint8_t *cqe;

	signed_open(&k, p);
	prm_bsf_set_m_bfs(k.bsf, 0x22);
	prm_bsf_set_m_bs_selector(k.bsf, 1);
	prm_bsf_set_m_psv(k.bsf, k.psv->o.id);
	prm_bsf_set_w_bfs(k.bsf, 0);
	prm_bsf_set_w_psv(k.bsf, 0);
	assert_int_equal(set_psv(&k, k.psv->o.id, SEED), 0);
	assert_int_equal(signed_umr(&k, BSF), 0);
	p->b.queue->drain_sigerr = true;
	for (unsigned int i = 0; i < 3; i++)
		rig_rdma(&p->b, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, p->dst + 0x10000, p->md, NULL,
			 BLOCK, k.m);
	rig_ring(&p->b);
	rig_settle(&p->rig);
	cqe = rig_poll(&p->cb);
	assert_int_equal(prm_sig_err_cqe_get_opcode(cqe), PRM_CQE_OPCODE_SIG_ERR);
	assert_int_equal(prm_sig_err_cqe_get_mkey(cqe), rig_key(k.m));
	assert_int_equal(signed_status(&p->cb), 0); /* the transfer itself went on */
	assert_null(rig_poll(&p->cb));
	assert_int_equal(p->b.queue->state, QP_SQD);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_SQ_DRAINED), 1);
	queue_set_state(p->b.queue, QP_RTS);
	rig_settle(&p->rig);
	assert_int_equal(signed_status(&p->cb), 0);
	assert_int_equal(signed_status(&p->cb), 0);
	assert_null(rig_poll(&p->cb));
	signed_close(&k);
}
