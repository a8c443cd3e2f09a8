/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The request that describes an mkey's signatures and encryption, in the form that libmlx5's
 * mlx5dv_wr_mkey_configure() writes: a UMR with the descriptions (BSF) behind its list, then a
 * SET_PSV for each side with signatures.
 */
#include "priv.h"

#define BSF_DS	    4u
#define PSV_DS	    2u
#define ALL_OF_IT   0xffffffffu
#define CRC_SEED_0  0x01u
#define CRC_REPEAT  0x02u
#define GUARD_SHIFT 48
#define APP_SHIFT   32
#define CRC32_SHIFT 32

static const struct {
	uint8_t bfs;	/* of a CRC */
	uint8_t dif;	/* enum prm_sig_type, of T10-DIF */
	uint8_t copied; /* the bytes of a CRC */
} kinds[] = {
	[DVX_SIG_CRC32] = {.bfs = 0x20, .copied = DVX_SIG_CRC},
	[DVX_SIG_CRC32C] = {.bfs = 0x40, .copied = DVX_SIG_CRC},
	[DVX_SIG_CRC64] = {.bfs = 0x50, .copied = DVX_SIG_ALL},
	[DVX_SIG_DIF_CRC] = {.dif = PRM_SIG_TYPE_DIF_CRC},
	[DVX_SIG_DIF_CSUM] = {.dif = PRM_SIG_TYPE_DIF_IPCS},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct dvx_sig unsigned_data;

/* Returns the selector of a block size; 0: there is none. */
static uint32_t block_selector(uint32_t bytes)
{
	static const uint16_t sizes[] = {0, 512, 520, 4096, 4160, 0, 4048};
	uint32_t i;

	for (i = 1; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] && sizes[i] == bytes)
			return i;
	return 0;
}

/* --- checks ---------------------------------------------------------------------------------- */

static int sig_check_side(const struct dvx_sig_side *s, const char *side)
{
	const uint32_t dif = DVX_SIG_REF_GROWS | DVX_SIG_APP_ESCAPE | DVX_SIG_APP_REF_ESCAPE;

	if (s->reserved)
		return dvx_fail(EINVAL, "dvx_post_umr_sig: sig->%s.reserved is not 0", side);
	if (s->type == DVX_SIG_NONE)
		return 0;
	if (s->type >= KINDS)
		return dvx_fail(EINVAL, "dvx_post_umr_sig: sig->%s.type %u is none", side, s->type);
	if (!block_selector(s->block))
		return dvx_fail(EINVAL,
				"dvx_post_umr_sig: sig->%s.block is %u, not 512, 520, 4048, 4096 "
				"or 4160",
				side, s->block);
	if (s->flags & ~(DVX_SIG_ONES | (kinds[s->type].dif ? dif : 0)))
		return dvx_fail(EINVAL,
				"dvx_post_umr_sig: sig->%s.flags 0x%x: bits that its type does not "
				"have",
				side, s->flags);
	return 0;
}

/* Tells whether both sides have the same block size, and the same CRC or T10-DIF. */
static bool sig_same(const struct dvx_sig *s)
{
	const struct dvx_sig_side *m = &s->memory, *w = &s->wire;

	return m->type && w->type && m->block == w->block &&
	       (m->type == w->type || (kinds[m->type].dif && kinds[w->type].dif));
}

static int lib_sig_check(const struct dvx_sig_key *key, const struct dvx_sig *sig)
{
	int err;

	if (!sig)
		return 0;
	if (!key->signs)
		return dvx_fail(EINVAL,
				"dvx_post_umr_sig: mkey 0x%x was made without "
				"DVX_MKEY_SIGNS",
				key->key);
	err = sig_check_side(&sig->memory, "memory");
	if (!err)
		err = sig_check_side(&sig->wire, "wire");
	if (!err && sig->copy_given && !sig_same(sig))
		err = dvx_fail(EINVAL,
			       "dvx_post_umr_sig: sig->copy_given is for blocks of the same "
			       "kind and length on both sides");
	return err;
}

static int crypt_check(const struct dvx_sig_key *key, const struct dvx_sig *sig,
		       const struct dvx_crypt *crypt)
{
	const bool raw =
		crypt && !(crypt->flags & DVX_CRYPT_WIRE) == !(crypt->flags & DVX_CRYPT_SIGNED);

	if (!crypt != !key->encrypts)
		return dvx_fail(EINVAL,
				"dvx_post_umr_sig: mkey 0x%x was made %s DVX_MKEY_ENCRYPTS, "
				"but crypt is %s",
				key->key, key->encrypts ? "with" : "without",
				crypt ? "given" : "NULL");
	if (!crypt)
		return 0;
	if (!block_selector(crypt->data_unit))
		return dvx_fail(EINVAL,
				"dvx_post_umr_sig: crypt->data_unit is %u, not 512, 520, 4048, "
				"4096 or 4160",
				crypt->data_unit);
	if (crypt->flags & ~(DVX_CRYPT_WIRE | DVX_CRYPT_SIGNED))
		return dvx_fail(EINVAL, "dvx_post_umr_sig: crypt->flags 0x%x: unknown bits",
				crypt->flags);
	if (raw && sig && sig->memory.type && sig->wire.type)
		return dvx_fail(EINVAL, "dvx_post_umr_sig: no device has this order of encryption "
					"(crypt->flags) with signatures on both sides");
	return 0;
}

/* --- descriptions ---------------------------------------------------------------------------- */

static uint32_t sig_bfs(const struct dvx_sig_side *s)
{
	const uint32_t kind = kinds[s->type].bfs;

	return kind ? kind | CRC_REPEAT | (s->flags & DVX_SIG_ONES ? 0 : CRC_SEED_0) : 0;
}

static void sig_write_dif(const struct dvx_sig_side *s, void *inl)
{
	if (!kinds[s->type].dif)
		return;
	prm_bsf_inl_set_valid(inl, 1);
	prm_bsf_inl_set_refresh(inl, 1);
	prm_bsf_inl_set_dif_apptag(inl, s->app_tag);
	prm_bsf_inl_set_dif_reftag(inl, s->ref_tag);
	prm_bsf_inl_set_sig_type(inl, kinds[s->type].dif);
	prm_bsf_inl_set_repeat_block(inl, 1);
	prm_bsf_inl_set_seed(inl, !!(s->flags & DVX_SIG_ONES));
	prm_bsf_inl_set_inc_reftag(inl, !!(s->flags & DVX_SIG_REF_GROWS));
	if (s->flags & DVX_SIG_APP_REF_ESCAPE)
		prm_bsf_inl_set_appref_escape(inl, 1);
	else
		prm_bsf_inl_set_apptag_escape(inl, !!(s->flags & DVX_SIG_APP_ESCAPE));
	prm_bsf_inl_set_dif_app_bitmask_check(inl, 0xffff);
}

/* Returns the bytes that are the same on both sides, so that the device copies them. */
static uint8_t sig_copied(const struct dvx_sig *s)
{
	const struct dvx_sig_side *m = &s->memory, *w = &s->wire;
	const bool same_seed = !((m->flags ^ w->flags) & DVX_SIG_ONES);
	uint8_t bytes = 0;

	if (s->copy_given)
		return s->copy;
	if (!kinds[m->type].dif)
		return same_seed ? kinds[m->type].copied : 0;
	if (m->type == w->type && same_seed)
		bytes |= DVX_SIG_GUARD;
	if (m->app_tag == w->app_tag)
		bytes |= DVX_SIG_APP_TAG;
	if (m->ref_tag == w->ref_tag)
		bytes |= DVX_SIG_REF_TAG;
	return bytes;
}

static void sig_write(const struct dvx_sig_key *key, const struct dvx_sig *s, uint8_t *bsf)
{
	prm_bsf_set_bsf_size(bsf, key->encrypts ? PRM_BSF_SIZE_SIG_AND_CRYPTO
						: PRM_BSF_SIZE_WITH_INLINE);
	prm_bsf_set_raw_data_size(bsf, ALL_OF_IT);
	if (s->memory.type || s->wire.type)
		prm_bsf_set_check_byte_mask(bsf, s->check);
	if (s->memory.type) {
		prm_bsf_set_m_bfs(bsf, sig_bfs(&s->memory));
		prm_bsf_set_m_psv(bsf, key->psv[0]);
		prm_bsf_set_m_bs_selector(bsf, block_selector(s->memory.block));
		sig_write_dif(&s->memory, prm_bsf_at_m_inl(bsf));
	}
	if (!s->wire.type)
		return;
	prm_bsf_set_w_bfs(bsf, sig_bfs(&s->wire));
	prm_bsf_set_w_psv(bsf, key->psv[1]);
	sig_write_dif(&s->wire, prm_bsf_at_w_inl(bsf));
	prm_bsf_set_sbs(bsf, sig_same(s));
	if (sig_same(s))
		prm_bsf_set_copy_byte_mask(bsf, sig_copied(s));
	else
		prm_bsf_set_w_bs_selector(bsf, block_selector(s->wire.block));
}

static void crypt_write(const struct dvx_sig_key *key, const struct dvx_crypt *c, uint8_t *bsf)
{
	static const uint8_t order[] = {
		[0] = PRM_BSF_ENC_ORDER_ENCRYPTED_RAW_MEMORY,
		[DVX_CRYPT_SIGNED] = PRM_BSF_ENC_ORDER_ENCRYPTED_MEMORY_SIGNATURE,
		[DVX_CRYPT_WIRE] = PRM_BSF_ENC_ORDER_ENCRYPTED_WIRE_SIGNATURE,
		[DVX_CRYPT_WIRE | DVX_CRYPT_SIGNED] = PRM_BSF_ENC_ORDER_ENCRYPTED_RAW_WIRE,
	};
	uint8_t *tweak = prm_crypto_bsf_at_xts_init_tweak(bsf);
	size_t i;

	prm_crypto_bsf_set_bsf_size(bsf, key->signs ? PRM_BSF_SIZE_SIG_AND_CRYPTO
						    : PRM_BSF_SIZE_WITH_INLINE);
	prm_crypto_bsf_set_bsf_type(bsf, 1);
	prm_crypto_bsf_set_enc_order(bsf, order[c->flags]);
	prm_crypto_bsf_set_raw_data_size(bsf, ALL_OF_IT);
	prm_crypto_bsf_set_bs_pointer(bsf, block_selector(c->data_unit));
	for (i = 0; i < sizeof(c->tweak); i++) /* for several data units: highest byte first */
		tweak[i] = c->tweak[sizeof(c->tweak) - 1 - i];
	prm_crypto_bsf_set_dek_ptr(bsf, c->dek);
	prm_crypto_bsf_set_keytag(bsf, c->keytag);
}

/* --- requests -------------------------------------------------------------------------------- */

/* Returns the initial signature state, of the first block. */
static uint64_t psv_value(const struct dvx_sig_side *s)
{
	const uint64_t ones = s->flags & DVX_SIG_ONES ? UINT64_MAX : 0;

	if (kinds[s->type].dif)
		return ones << GUARD_SHIFT | (uint64_t)s->app_tag << APP_SHIFT | s->ref_tag;
	return s->type == DVX_SIG_CRC64 ? ones : ones << CRC32_SHIFT;
}

static void psv_post(struct dvx_sq *sq, uint32_t psv, const struct dvx_sig_side *s, uint64_t wr_id,
		     uint32_t flags)
{
	struct prm_seg_set_psv_args a = {.psv_num = psv, .transient_signature = psv_value(s)};
	struct dvx_sq_place p = dvx_sq_place_at(sq, sq->pi, 1);

	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_SET_PSV, 0, PSV_DS, flags, 0);
	prm_seg_set_psv_pack_args(p.wqe + DVX_SEG, a);
	dvx_sq_commit(sq, &p, wr_id);
}

/* A whole request: the UMR's segments, and how many SET_PSV follow. */
struct sig_request {
	uint32_t room, ds, psvs;
	uint64_t len;
};

static int sig_request_check(struct dvx_sq *sq, const struct dvx_sge *pieces, uint32_t n,
			     uint32_t flags, struct sig_request *r)
{
	uint32_t i;

	if (flags & ~(uint32_t)DVX_POST_FLAGS)
		return -EBADR;
	if (!n || n > DVX_MAX_DS || dvx_wqe_bad_length(pieces, n) || !dvx_sq_fits(sq, r->ds))
		return -EMSGSIZE;
	for (i = 0; i < n; i++)
		r->len += pieces[i].length;
	return r->len > ALL_OF_IT ? dvx_fail(EINVAL, "dvx_post_umr_sig: the pieces are 4 GiB or "
						     "more together")
				  : 0;
}

/* Claims the UMR's place; false unless all WQEs of the request have room. */
static bool sig_claim(struct dvx_sq *sq, const struct sig_request *r, struct dvx_sq_place *p)
{
	uint32_t blocks = dvx_wqe_blocks(r->ds), at = sq->pi & sq->mask;
	uint32_t pad = at + blocks > sq->mask + 1 ? sq->mask + 1 - at : 0;

	return pad + blocks + r->psvs <= dvx_sq_free(sq) && dvx_sq_claim(sq, blocks, p);
}

static void sig_write_umr(const struct dvx_sq *sq, const struct dvx_sq_place *p,
			  const struct dvx_sig_key *key, uint32_t access,
			  const struct sig_request *r, uint32_t flags)
{
	struct prm_wqe_umr_ctrl_seg_args umr = {.xlt_octowords = r->room};
	const uint32_t bsf = r->ds - DVX_UMR_DS - r->room;
	uint8_t *mkey;

	umr.bsf_octowords = bsf;
	umr.mkey_mask = DVX_UMR_LIST_MASK | PRM_UMR_MKEY_MASK_BSF_EN |
			(key->unanswered ? PRM_UMR_MKEY_MASK_EN_SIGERR : 0);
	mkey = dvx_umr_begin(sq, p, key->key, r->ds, flags, umr);
	dvx_umr_fields(mkey, key->key, access, r->len);
	prm_mkey_seg_set_bsf_en(mkey, !!bsf);
	prm_mkey_seg_set_sig_err_count(mkey, key->unanswered && key->errors & 1);
	memset(mkey + PRM_MKEY_SEG_BYTES + (size_t)r->room * DVX_SEG, 0, (size_t)bsf * DVX_SEG);
}

int dvx_post_umr_sig(struct dvx_sq *sq, struct dvx_sig_key *key, uint32_t access,
		     const struct dvx_sge *pieces, uint32_t n, const struct dvx_sig *sig,
		     const struct dvx_crypt *crypt, uint64_t wr_id, uint32_t flags)
{
	const struct dvx_sig *s = sig ? sig : &unsigned_data;
	struct sig_request r = {.room = dvx_umr_room(n)};
	uint32_t quiet = flags & ~(uint32_t)DVX_SIGNALED;
	struct dvx_sq_place p;
	uint8_t *list;
	bool signs;
	int err = dvx_check_not_null("dvx_post_umr_sig", "sq", sq, "key", key, "pieces", pieces,
				     NULL);

	if (!err)
		err = lib_sig_check(key, sig);
	if (err)
		return err;
	signs = key->signs && (sig || crypt);
	r.psvs = (s->memory.type ? 1u : 0) + (s->wire.type ? 1u : 0);
	r.ds = DVX_UMR_DS + r.room + (signs ? BSF_DS : 0) + (crypt ? BSF_DS : 0);
	err = crypt_check(key, sig, crypt);
	if (!err)
		err = sig_request_check(sq, pieces, n, flags, &r);
	if (err)
		return err;
	if (!sig_claim(sq, &r, &p))
		return dvx_sq_refuse(sq);
	sig_write_umr(sq, &p, key, access, &r, r.psvs ? quiet : flags);
	list = p.wqe + (size_t)DVX_UMR_DS * DVX_SEG;
	dvx_wqe_gather(list, pieces, n);
	dvx_umr_fill(list, n);
	list += (size_t)r.room * DVX_SEG;
	if (signs)
		sig_write(key, s, list);
	if (crypt)
		crypt_write(key, crypt, list + (signs ? PRM_BSF_BYTES : 0));
	dvx_sq_commit(sq, &p, wr_id);
	/* SET_PSV must follow the UMR in order, since they set its signature states. */
	flags |= flags & DVX_FENCE ? 0 : DVX_SMALL_FENCE;
	quiet = flags & ~(uint32_t)DVX_SIGNALED;
	if (s->memory.type)
		psv_post(sq, key->psv[0], &s->memory, wr_id, s->wire.type ? quiet : flags);
	if (s->wire.type)
		psv_post(sq, key->psv[1], &s->wire, wr_id, flags);
	key->unanswered = false;
	key->last = *s;
	return 0;
}
