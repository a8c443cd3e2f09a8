/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that descriptions (signatures, encryption) of UMR WQEs are taken whole or refused, that an
 * error in an mkey's PSVs, its key or its range ends an access with an error and nothing else, and
 * that CRCs, AES-XTS and key wrap are those of their standards. tests/interop/signatures.sh has the
 * bytes. */
#include "tests/test.h"
#include <dvx/prm/mkey.h>
#include "base/crc.h"
#include "obj/sig.h"
#include "queue_rig.h"
#include "queue/priv.h"
#include "queue/queue.h"

#define BLOCK 512u
#define BSF   4u /* octowords */

/* CRC RevEng's check values, for these nine digits. */
TEST(none, catalogue)
{
	const char *digits = "123456789";

	assert_int_equal(crc16_add(0, digits, 9), 0xd0db);
	assert_int_equal(~crc32c_add(~0u, digits, 9), 0xe3069283);
	assert_true(~crc64_add(UINT64_MAX, digits, 9) == 0xae8b14860a799888);
}

/* IEEE 1619, vectors 1 and 15 (whose last byte is stolen). */
TEST(none, xts_vectors)
{
	static const uint8_t first[32] = {0x91, 0x7c, 0xf6, 0x9e, 0xbd, 0x68, 0xb2, 0xec,
					  0x9b, 0x9f, 0xe9, 0xa3, 0xea, 0xdd, 0xa6, 0x92,
					  0xcd, 0x43, 0xd2, 0xf5, 0x95, 0x98, 0xed, 0x85,
					  0x8c, 0x02, 0xc2, 0x65, 0x2f, 0xbf, 0x92, 0x2e};
	static const uint8_t stolen[17] = {0x6c, 0x16, 0x25, 0xdb, 0x46, 0x71, 0x52, 0x2d, 0x3d,
					   0x75, 0x99, 0x60, 0x1d, 0xe7, 0xca, 0x09, 0xed};
	const uint8_t tweak[XTS_BLOCK] = {0x9a, 0x78, 0x56, 0x34, 0x12};
	uint8_t keys[32] = {0}, zero[XTS_BLOCK] = {0}, data[32] = {0};
	struct xts *x = xts_new(keys, 16);

	xts_run(x, zero, 0, data, 32, true);
	assert_memory_equal(data, first, 32);
	xts_free(x);
	for (unsigned int i = 0; i < 16; i++) {
		keys[i] = (uint8_t)(0xff - i);
		keys[16 + i] = (uint8_t)(0xbf - i);
	}
	for (unsigned int i = 0; i < 17; i++)
		data[i] = (uint8_t)i;
	x = xts_new(keys, 16);
	xts_run(x, tweak, 0, data, 17, true);
	assert_memory_equal(data, stolen, 17);
	xts_run(x, tweak, 0, data, 17, false);
	for (unsigned int i = 0; i < 17; i++)
		assert_int_equal(data[i], i);
	xts_free(x);
}

/* RFC 3394, 4.1; with a wrong byte it is no key. */
TEST(none, unwrap_vector)
{
	uint8_t wrapped[24] = {0x1f, 0xa6, 0x8b, 0x0a, 0x81, 0x12, 0xb4, 0x47,
			       0xae, 0xf3, 0x4b, 0xd8, 0xfb, 0x5a, 0x7b, 0x82,
			       0x9d, 0x3e, 0x86, 0x23, 0x71, 0xd2, 0xcf, 0xe5};
	uint8_t key[16], to[16];

	for (unsigned int i = 0; i < 16; i++)
		key[i] = (uint8_t)i;
	assert_true(aes_unwrap(key, wrapped, to, 16));
	for (unsigned int i = 0; i < 16; i++)
		assert_int_equal(to[i], i * 0x11);
	wrapped[23] ^= 1;
	assert_false(aes_unwrap(key, wrapped, to, 16));
}

/* An mkey of b's memory dst, with CRC32 on the wire side and PSV 1. */
struct signed_key {
	struct rig_pair *p;
	struct mkey *m;
	struct psv *psv;
	struct dek *dek;
	struct obj *pd;
	uint8_t bsf[128]; /* the second half is for encryption, which no UMR here sets */
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
	k->m->sig->room = BSF;
	k->pd = obj_new_at(v, OBJ_PD, 0, RIG_PD, sizeof(*k->pd));
	k->psv = obj_new(v, OBJ_PSV, 0, sizeof(*k->psv));
	k->psv->pd = k->pd;
	k->dek = obj_new(v, OBJ_DEK, 0, sizeof(*k->dek));
	k->dek->pd = k->pd;
	k->dek->xts = xts_new((const uint8_t[32]){0}, 16);
	prm_bsf_set_bsf_size(k->bsf, PRM_BSF_SIZE_WITH_INLINE);
	prm_bsf_set_w_bs_selector(k->bsf, 1);
	prm_bsf_set_w_bfs(k->bsf, 0x22);
	prm_bsf_set_w_psv(k->bsf, k->psv->o.id);
	prm_bsf_set_check_byte_mask(k->bsf, 0xff);
	prm_bsf_set_raw_data_size(k->bsf, 0xffffffff);
	prm_crypto_bsf_set_bsf_size(k->bsf + 64, PRM_BSF_SIZE_SIG_AND_CRYPTO);
	prm_crypto_bsf_set_bsf_type(k->bsf + 64, 1);
	prm_crypto_bsf_set_bs_pointer(k->bsf + 64, 1);
	prm_crypto_bsf_set_raw_data_size(k->bsf + 64, 0xffffffff);
}

static void signed_close(struct signed_key *k)
{
	klm_list_free(k->m->list);
	free(k->m->sig);
	obj_free(&k->m->o);
	obj_free(&k->psv->o);
	xts_free(k->dek->xts);
	obj_free(&k->dek->o);
	obj_free(k->pd);
}

/* Posts a UMR of one part of dst, and the description. */
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
	memcpy(klm + 16, k->bsf, 64);
	w.ds = 8 + 1 + BSF;
	rig_go(&w);
	return rig_status(&k->p->cb);
}

static uint8_t set_psv(struct signed_key *k, uint32_t index, uint64_t transient)
{
	struct rig_wqe w = rig_begin(&k->p->b, PRM_WQE_OPCODE_SET_PSV, SIGNALED, 0);

	memset(w.bytes + 16, 0, 16);
	prm_seg_set_psv_set_psv_num(w.bytes + 16, index);
	prm_seg_set_psv_set_transient_signature(w.bytes + 16, transient);
	w.ds = 2;
	rig_go(&w);
	return rig_status(&k->p->cb);
}

/* Makes a READ of the wire side of b's mkey. */
static uint8_t signed_read(struct signed_key *k, uint8_t opcode, uint64_t va, uint32_t len)
{
	struct rig_wqe w = rig_begin(&k->p->a, opcode, SIGNALED, 0);

	rig_raddr(&w, (const void *)(uintptr_t)va, rig_key(k->m));
	if (opcode == PRM_WQE_OPCODE_ATOMIC_FA) {
		memset(w.bytes + 16 * w.ds, 0, 16);
		w.ds++;
	}
	rig_data(&w, k->p->src, len, rig_key(k->p->ms));
	rig_go(&w);
	return rig_status(&k->p->ca);
}

#define SEED	  (0xffffffffull << 32)
#define READ_WIRE signed_read(&k, PRM_WQE_OPCODE_RDMA_READ, 0, 4 * (BLOCK + 4))
#define REFUSED	  PRM_SYNDROME_REMOTE_ACCESS_ERR

TEST(pair, reads)
{
	struct signed_key k;

	signed_open(&k, p);
	assert_int_equal(set_psv(&k, k.psv->o.id, SEED), 0);
	assert_int_equal(signed_umr(&k, BSF), 0);
	assert_int_equal(READ_WIRE, 0);
	signed_close(&k);
}

/* Checks one error, in a new pair: the connection is in ERR afterwards. */
static void read_is_refused(void (*spoil)(struct signed_key *), uint8_t opcode, uint64_t va,
			    uint32_t len)
{
	struct rig_pair *p = rig_pair_open(&rig_rc);
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

static void not_encrypted(struct signed_key *k)
{
	k->m->sig->crypt.on = true;
}

static void encrypted(struct signed_key *k)
{
	k->m->sig->crypt =
		(struct crypt){.on = true, .described = true, .unit = BLOCK, .dek = k->dek->o.id};
}

/* Makes its last 12 bytes on the wire no whole AES block. */
static void encrypted_short(struct signed_key *k)
{
	encrypted(k);
	k->m->len = BLOCK + 8;
}

static void dek_gone(struct signed_key *k)
{
	encrypted(k);
	k->m->sig->crypt.dek = 0xffff;
}

static void dek_of_another_pd(struct signed_key *k)
{
	encrypted(k);
	k->dek->pd = &k->psv->o;
}

static void dek_of_another_tag(struct signed_key *k)
{
	encrypted(k);
	k->dek->has_keytag = true;
	k->dek->keytag = 1;
}

/* Writing back the bytes of a READ leaves memory as it was, with and without encryption, in packets
 * and directly. */
TEST(none, writes)
{
	uint8_t before[4 * BLOCK], wire[4 * (BLOCK + 4)];
	unsigned int frames;

	for (unsigned int i = 0; i < 4; i++) {
		struct rig_pair *p = rig_pair_open(&rig_rc);
		struct signed_key k;

		signed_open(&k, p);
		assert_int_equal(set_psv(&k, k.psv->o.id, SEED), 0);
		assert_int_equal(signed_umr(&k, BSF), 0);
		if (i & 1)
			encrypted(&k);
		k.m->start = i * 4096;
		port_set_hook(p->rig.dev.port, i & 2 ? rig_count_frame : NULL, &frames);
		memcpy(before, p->dst, sizeof(before));
		assert_int_equal(
			signed_read(&k, PRM_WQE_OPCODE_RDMA_READ, k.m->start, sizeof(wire)), 0);
		memcpy(wire, p->src, sizeof(wire));
		memset(p->dst, 0, sizeof(before));
		assert_int_equal(
			signed_read(&k, PRM_WQE_OPCODE_RDMA_WRITE, k.m->start, sizeof(wire)), 0);
		assert_memory_equal(p->dst, before, sizeof(before));
		assert_memory_equal(p->src, wire, sizeof(wire));
		port_set_hook(p->rig.dev.port, NULL, NULL);
		signed_close(&k);
		rig_pair_close(p);
	}
}

/* An encrypted write takes whole AES blocks of 4 KiB at a time. */
TEST(pair, long_write)
{
	struct signed_key k;
	uint8_t klm[KLM_BYTES] = {0}, there[3 * 4096];
	struct sig_range r = {.pdn = RIG_PD, .len = sizeof(there), .requester = true};

	signed_open(&k, p);
	encrypted(&k);
	k.m->sig->on = k.m->sig->described = true;
	k.m->sig->data = k.m->len = sizeof(there);
	prm_klm_set_byte_count(klm, sizeof(there));
	prm_klm_set_mkey(klm, rig_key(p->md));
	prm_klm_set_address(klm, (uintptr_t)p->dst);
	assert_int_equal(klm_list_write(k.m->list, 0, klm, 1), 0);
	r.key = rig_key(k.m);
	assert_true(sig_scatter(p->b.queue, &r, p->src));
	assert_memory_not_equal(p->dst, p->src, sizeof(there));
	assert_true(sig_gather(p->b.queue, &r, there));
	assert_memory_equal(p->src, there, sizeof(there));
	signed_close(&k);
}

TEST(none, refusals)
{
	const uint8_t write = PRM_WQE_OPCODE_RDMA_WRITE;
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
	read_is_refused(not_encrypted, read, 0, all);
	read_is_refused(dek_gone, read, 0, all);
	read_is_refused(dek_of_another_pd, read, 0, all);
	read_is_refused(dek_of_another_tag, read, 0, all);
	read_is_refused(encrypted, write, 8, 32); /* begins inside an AES block */
	read_is_refused(encrypted_short, read, BLOCK + 4, 8);
}

/* Descriptions of any contents: never a crash, and the old one stays when one is refused. */
TEST(pair, descriptions)
{
	struct signed_key k;
	struct sig s = {0};
	unsigned int taken = 0;

	signed_open(&k, p);
	srand(7);
	s.crypt.on = true;
	for (unsigned int i = 0; i < 200000; i++) {
		const unsigned int at = i % 3 == 2 ? 64 : 0, octowords = i % 3 ? BSF : 2 * BSF;
		uint8_t bsf[128];
		struct sig before = s;

		memcpy(bsf, k.bsf, sizeof(bsf));
		prm_bsf_set_bsf_size(bsf, i % 3 ? PRM_BSF_SIZE_WITH_INLINE
						: PRM_BSF_SIZE_SIG_AND_CRYPTO);
		if (at)
			prm_crypto_bsf_set_bsf_size(bsf + at, PRM_BSF_SIZE_WITH_INLINE);
		for (unsigned int n = 1 + (unsigned int)rand() % 4; n; n--)
			bsf[rand() % 128] = (uint8_t)(rand() % 3 ? rand() : 0);
		if (sig_read(&s, bsf + at, octowords)) {
			assert_memory_equal(&s, &before, sizeof(s));
			continue;
		}
		taken++;
		assert_true(s.crypt.on && s.crypt.described == (i % 3 != 1 || bsf[0] & 1));
		assert_true(!s.crypt.described || s.crypt.unit >= BLOCK);
		assert_true(s.described && s.wire.block <= SIG_BLOCK_MOST);
		assert_true(s.wire.size <= SIG_BYTES_MOST && s.memory.size <= SIG_BYTES_MOST);
		assert_true(!s.wire.size == !s.wire.kind && (!s.wire.size || s.wire.block));
	}
	assert_true(taken > 1000 && taken < 199000);
	signed_close(&k);
}

/* Makes a random description that has a good chance to be valid. */
static void random_description(const struct signed_key *k, uint8_t bsf[128])
{
	static const uint8_t kind[] = {0, 0x22, 0x52};

	memcpy(bsf, k->bsf, 128);
	prm_bsf_set_bsf_size(bsf, PRM_BSF_SIZE_SIG_AND_CRYPTO);
	prm_bsf_set_w_bs_selector(bsf, 1 + (unsigned int)rand() % 2);
	prm_bsf_set_m_bs_selector(bsf, 1 + (unsigned int)rand() % 2);
	prm_bsf_set_w_bfs(bsf, kind[rand() % 3]);
	prm_bsf_set_m_bfs(bsf, kind[rand() % 3]);
	prm_bsf_set_w_psv(bsf, prm_bsf_get_w_bfs(bsf) == 0x22 ? k->psv->o.id : 0);
	prm_bsf_set_m_psv(bsf, prm_bsf_get_m_bfs(bsf) == 0x22 ? k->psv->o.id : 0);
	prm_crypto_bsf_set_enc_order(bsf + 64, (unsigned int)rand() % 4);
	prm_crypto_bsf_set_bs_pointer(bsf + 64, 1 + (unsigned int)rand() % 4);
	prm_crypto_bsf_set_dek_ptr(bsf + 64, k->dek->o.id);
}

/* Accesses a range as a queue does: sends bytes, and receives them in two parts; may fail. */
static bool random_access(struct signed_key *k, uint8_t *bytes, uint64_t va, uint32_t len)
{
	struct sig_range r = {
		.key = rig_key(k->m), .pdn = RIG_PD, .va = va, .len = len, .requester = true};
	const size_t first = len ? (size_t)rand() % len : 0;
	struct dma_seg seg[MKEY_SEGS];
	uint64_t part = len;

	if (mkey_part(k->m->o.vhca, r.key, RIG_PD, k->p->b.queue->o.id, va, &part, MKEY_LW, seg,
		      MKEY_SEGS) != -MKEY_SIGNED)
		return false;
	if (rand() % 2)
		return sig_gather(k->p->b.queue, &r, bytes);
	r.len = first;
	if (!sig_scatter(k->p->b.queue, &r, bytes))
		return false;
	r.va += first;
	r.len = len - first;
	return sig_scatter(k->p->b.queue, &r, bytes + first);
}

/* Random descriptions and ranges: bytes outside the mkey stay, and often the access works. */
TEST(pair, chance)
{
	struct signed_key k;
	uint8_t bytes[6000];
	uint8_t klm[KLM_BYTES] = {0};
	unsigned int good = 0;

	signed_open(&k, p);
	k.psv->set = true;
	k.psv->transient = SEED;
	k.m->sig->room = 2 * BSF;
	k.m->sig->on = k.m->sig->crypt.on = true;
	srand(9);
	memset(bytes, 0x77, sizeof(bytes));
	prm_klm_set_byte_count(klm, 5000);
	prm_klm_set_mkey(klm, rig_key(p->md));
	prm_klm_set_address(klm, (uintptr_t)p->dst + 64);
	assert_int_equal(klm_list_write(k.m->list, 0, klm, 1), 0);
	for (unsigned int i = 0; i < 3000; i++) {
		uint8_t bsf[128];

		random_description(&k, bsf);
		if (i % 4 == 0)
			(void)sig_read(k.m->sig, bsf, 2 * BSF);
		k.m->len = (unsigned int)rand() % 5001;
		good += k.m->sig->described &&
			random_access(&k, bytes, i % 2 ? 0 : (unsigned int)rand() % 3000,
				      (unsigned int)rand() % 6000);
		for (unsigned int at = 0; at < 64; at++)
			assert_true(!p->dst[at] && !p->dst[64 + k.m->len + at]);
		memset(p->dst, 0, 6000);
	}
	assert_true(good > 150);
	signed_close(&k);
}

static void umr_is_refused(void (*spoil)(struct signed_key *), uint32_t octowords)
{
	struct rig_pair *p = rig_pair_open(&rig_rc);
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

TEST(none, umr_refusals)
{
	umr_is_refused(no_room, BSF);
	umr_is_refused(transactions, BSF);
	umr_is_refused(as_it_is, BSF - 1);
	umr_is_refused(as_it_is, BSF + 1); /* runs past ds */
	umr_is_refused(as_it_is, 0xffff);
}

TEST(pair, psv_is_not_there)
{
	struct signed_key k;

	signed_open(&k, p);
	assert_int_equal(set_psv(&k, 0x1000001, 0), PRM_SYNDROME_LOCAL_QP_OP_ERR);
	assert_false(k.psv->set);
	signed_close(&k);
}

/* CRC32 behind each block of dst, none of them right, and none on the wire. */
static void signed_in_memory(struct signed_key *k)
{
	prm_bsf_set_m_bfs(k->bsf, 0x22);
	prm_bsf_set_m_bs_selector(k->bsf, 1);
	prm_bsf_set_m_psv(k->bsf, k->psv->o.id);
	prm_bsf_set_w_bfs(k->bsf, 0);
	prm_bsf_set_w_psv(k->bsf, 0);
	assert_int_equal(set_psv(k, k->psv->o.id, SEED), 0);
	assert_int_equal(signed_umr(k, BSF), 0);
}

/* An XRC target's receive queue has no CQ when its SRQ is gone: a READ goes on, unreported. */
TEST(pair, nobody_to_tell)
{
	struct cq *cq = p->b.qp->rq.cq;
	struct signed_key k;

	signed_open(&k, p);
	signed_in_memory(&k);
	p->b.qp->rq.cq = NULL;
	assert_int_equal(signed_read(&k, PRM_WQE_OPCODE_RDMA_READ, 0, BLOCK), 0);
	p->b.qp->rq.cq = cq;
	assert_null(rig_poll(&p->cb));
	signed_close(&k);
}

/* Sending stops after the request with the wrong signature: the next one is read anew. */
TEST(pair, pipelining)
{
	struct signed_key k;
	const uint8_t *cqe;

	signed_open(&k, p);
	signed_in_memory(&k);
	p->b.queue->drain_sigerr = true;
	for (unsigned int i = 0; i < 3; i++)
		rig_rdma(&p->b, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, p->dst + 0x10000, p->md, NULL,
			 BLOCK, k.m);
	p->rig.watched = &p->cb;
	rig_run(&p->b);
	p->rig.watched = NULL;
	assert_int_equal(p->rig.blind, 0); /* at the event, the CQE is there */
	cqe = rig_poll(&p->cb);
	assert_int_equal(prm_sig_err_cqe_get_opcode(cqe), PRM_CQE_OPCODE_SIG_ERR);
	assert_int_equal(prm_sig_err_cqe_get_mkey(cqe), rig_key(k.m));
	assert_int_equal(rig_status(&p->cb), 0); /* the transfer itself went on */
	assert_null(rig_poll(&p->cb));
	assert_int_equal(p->b.queue->state, QP_SQD);
	assert_int_equal(rig_count(&p->rig, PRM_EVENT_SQ_DRAINED), 1);
	queue_set_state(p->b.queue, QP_RTS);
	rig_settle(&p->rig);
	assert_int_equal(rig_status(&p->cb), 0);
	assert_int_equal(rig_status(&p->cb), 0);
	assert_null(rig_poll(&p->cb));
	signed_close(&k);
}
