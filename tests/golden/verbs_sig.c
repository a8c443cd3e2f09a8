/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests for signatures and encryption by libmlx5's calls. */
#include "verbs_sig.h"

void verbs_sig_open(struct verbs_sig *s, struct ibv_pd *pd, const struct golden_case *c)
{
	struct mlx5dv_dek_init_attr dek = {.key_size = MLX5DV_CRYPTO_KEY_SIZE_128,
					   .has_keytag = true,
					   .key_purpose = MLX5DV_CRYPTO_KEY_PURPOSE_AES_XTS,
					   .pd = pd,
					   .comp_mask = MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN};
	struct mlx5dv_mkey_init_attr attr = {
		.pd = pd,
		.create_flags =
			MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
			(golden_signs(c) ? MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE : 0u) |
			(c->sig->crypt.data_unit ? MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO : 0u),
		.max_entries = 4};

	memcpy(dek.key, golden_payload, 40);
	s->dek = c->sig->crypt.data_unit ? mlx5dv_dek_create(pd->context, &dek) : NULL;
	s->mkey = mlx5dv_create_mkey(&attr);
	assert_true(s->mkey && (s->dek || !c->sig->crypt.data_unit));
}

void verbs_sig_close(struct verbs_sig *s)
{
	assert_int_equal(mlx5dv_destroy_mkey(s->mkey), 0);
	assert_true(!s->dek || !mlx5dv_dek_destroy(s->dek));
}

static enum mlx5dv_block_size block_size(uint32_t bytes)
{
	return bytes == 512    ? MLX5DV_BLOCK_SIZE_512
	       : bytes == 520  ? MLX5DV_BLOCK_SIZE_520
	       : bytes == 4048 ? MLX5DV_BLOCK_SIZE_4048
	       : bytes == 4096 ? MLX5DV_BLOCK_SIZE_4096
			       : MLX5DV_BLOCK_SIZE_4160;
}

/* One side, and what it points to. */
struct domain {
	struct mlx5dv_sig_block_domain domain;
	struct mlx5dv_sig_crc crc;
	struct mlx5dv_sig_t10dif dif;
};

static void domain_dif(struct domain *d, const struct dvx_sig_side *s)
{
	d->domain.sig_type = MLX5DV_SIG_TYPE_T10DIF;
	d->domain.sig.dif = &d->dif;
	d->dif.bg_type =
		s->type == DVX_SIG_DIF_CRC ? MLX5DV_SIG_T10DIF_CRC : MLX5DV_SIG_T10DIF_CSUM;
	d->dif.bg = s->flags & DVX_SIG_ONES ? 0xffff : 0;
	d->dif.app_tag = s->app_tag;
	d->dif.ref_tag = s->ref_tag;
	d->dif.flags =
		(uint16_t)((s->flags & DVX_SIG_REF_GROWS ? MLX5DV_SIG_T10DIF_FLAG_REF_REMAP : 0) |
			   (s->flags & DVX_SIG_APP_ESCAPE ? MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE : 0) |
			   (s->flags & DVX_SIG_APP_REF_ESCAPE
				    ? MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE
				    : 0));
}

static void domain_crc(struct domain *d, const struct dvx_sig_side *s)
{
	const bool ones = s->flags & DVX_SIG_ONES;

	d->domain.sig_type = MLX5DV_SIG_TYPE_CRC;
	d->domain.sig.crc = &d->crc;
	d->crc.type = s->type == DVX_SIG_CRC32	  ? MLX5DV_SIG_CRC_TYPE_CRC32
		      : s->type == DVX_SIG_CRC32C ? MLX5DV_SIG_CRC_TYPE_CRC32C
						  : MLX5DV_SIG_CRC_TYPE_CRC64_XP10;
	d->crc.seed = !ones ? 0 : s->type == DVX_SIG_CRC64 ? UINT64_MAX : UINT32_MAX;
}

static const struct mlx5dv_sig_block_domain *domain_of(struct domain *d,
						       const struct dvx_sig_side *s)
{
	memset(d, 0, sizeof(*d));
	if (!s->type)
		return NULL;
	if (s->type >= DVX_SIG_DIF_CRC)
		domain_dif(d, s);
	else
		domain_crc(d, s);
	d->domain.block_size = block_size(s->block);
	return &d->domain;
}

static void set_sig(struct mlx5dv_qp_ex *dv, const struct dvx_sig *sig)
{
	struct domain memory, wire;
	struct mlx5dv_sig_block_attr attr = {
		.mem = domain_of(&memory, &sig->memory),
		.wire = domain_of(&wire, &sig->wire),
		.flags = sig->copy_given ? MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK : 0,
		.check_mask = sig->check,
		.copy_mask = sig->copy};

	mlx5dv_wr_set_mkey_sig_block(dv, &attr);
}

static void set_crypt(struct mlx5dv_qp_ex *dv, const struct dvx_crypt *c, struct mlx5dv_dek *dek)
{
	struct mlx5dv_crypto_attr attr = {
		.crypto_standard = MLX5DV_CRYPTO_STANDARD_AES_XTS,
		.encrypt_on_tx = c->flags & DVX_CRYPT_WIRE,
		.signature_crypto_order =
			c->flags & DVX_CRYPT_SIGNED
				? MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_AFTER_CRYPTO_ON_TX
				: MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX,
		.data_unit_size = block_size(c->data_unit),
		.dek = dek};

	memcpy(attr.initial_tweak, c->tweak, sizeof(attr.initial_tweak));
	for (int i = 0; i < 8; i++)
		attr.keytag[i] = (char)(c->keytag >> (56 - 8 * i) & 0xff);
	mlx5dv_wr_set_mkey_crypto(dv, &attr);
}

void verbs_sig_post(const struct verbs_sig *s, struct ibv_qp_ex *ex, const struct golden_case *c,
		    struct ibv_sge *sge, uint16_t n)
{
	struct mlx5dv_qp_ex *dv = mlx5dv_qp_ex_from_ibv_qp_ex(ex);
	struct mlx5dv_mkey_conf_attr none = {0};

	ex->wr_flags |= IBV_SEND_INLINE;
	mlx5dv_wr_mkey_configure(dv, s->mkey, (uint8_t)(2 + golden_signs(c) + !!s->dek), &none);
	mlx5dv_wr_set_mkey_access_flags(dv, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	mlx5dv_wr_set_mkey_layout_list(dv, n, sge);
	if (golden_signs(c))
		set_sig(dv, &c->sig->sig);
	if (s->dek)
		set_crypt(dv, &c->sig->crypt, s->dek);
}
