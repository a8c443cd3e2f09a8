/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encryption of mkeys' data: reads its description, finds its key, and encrypts groups of bytes.
 * [I] Data units are counted from the mkey's start.
 */
#include <dvx/prm/wqe.h>
#include "crypt.h"
#include "mkey.h"
#include "sig.h"
#include "base/log.h"

#define TYPE_CRYPTO 1u
#define ALL_OF_IT   0xffffffffu

/* Reads the tweak, whose highest byte comes first (cap.aes_xts_multi_block_be_tweak). */
static void crypt_read_tweak(struct crypt *c, const uint8_t *from)
{
	for (unsigned int i = 0; i < XTS_BLOCK; i++)
		c->tweak[i] = from[XTS_BLOCK - 1 - i];
}

static void crypt_read_order(struct crypt *c, uint32_t order)
{
	c->encrypts = order == PRM_BSF_ENC_ORDER_ENCRYPTED_WIRE_SIGNATURE ||
		      order == PRM_BSF_ENC_ORDER_ENCRYPTED_RAW_WIRE;
	c->raw = order == PRM_BSF_ENC_ORDER_ENCRYPTED_RAW_WIRE ||
		 order == PRM_BSF_ENC_ORDER_ENCRYPTED_RAW_MEMORY;
	c->memory = order == PRM_BSF_ENC_ORDER_ENCRYPTED_MEMORY_SIGNATURE ||
		    order == PRM_BSF_ENC_ORDER_ENCRYPTED_RAW_WIRE;
}

uint16_t bsf_block_size(uint32_t selector)
{
	static const uint16_t size[] = {0, 512, 520, 4096, 4160, 0, 4048};

	return selector < sizeof(size) / sizeof(size[0]) ? size[selector] : 0;
}

const char *crypt_read(struct crypt *c, const uint8_t *bsf, unsigned int size)
{
	const uint32_t order = prm_crypto_bsf_get_enc_order(bsf);

	if (!c->on)
		return "gets a description of encryption, but mkc.crypto_en is 0";
	if (prm_crypto_bsf_get_bsf_type(bsf) != TYPE_CRYPTO ||
	    prm_crypto_bsf_get_bsf_size(bsf) != size)
		return "crypto_bsf.bsf_type is not 1, or bsf_size is neither 2 (alone) nor 3 "
		       "(behind signatures)";
	if (order > PRM_BSF_ENC_ORDER_ENCRYPTED_RAW_MEMORY || prm_crypto_bsf_get_enc_standard(bsf))
		return "crypto_bsf.enc_order is over 3, or enc_standard is not 0 (AES-XTS)";
	c->unit = bsf_block_size(prm_crypto_bsf_get_bs_pointer(bsf));
	if (!c->unit)
		return "crypto_bsf.bs_pointer is none of 1 (512), 2 (520), 3 (4096), 4 (4160), "
		       "6 (4048)";
	crypt_read_order(c, order);
	crypt_read_tweak(c, prm_crypto_bsf_cat_xts_init_tweak(bsf));
	c->dek = prm_crypto_bsf_get_dek_ptr(bsf);
	c->keytag = prm_crypto_bsf_get_keytag(bsf);
	c->data = prm_crypto_bsf_get_raw_data_size(bsf);
	if (c->data == ALL_OF_IT)
		c->data = UINT64_MAX;
	c->parts = 0;
	c->described = true;
	return NULL;
}

/*
 * Returns true if no AES block, nor a pair of blocks with a stolen end, crosses the end of a
 * signature's block.
 */
static bool crypt_fits_block(const struct crypt *c, uint16_t block)
{
	if (!block || !c->raw)
		return true;
	return c->unit % XTS_BLOCK ? block == c->unit : block % XTS_BLOCK == 0;
}

const char *crypt_fits(const struct crypt *c, uint16_t memory, uint16_t wire)
{
	if (c->raw && memory && wire)
		return "crypto_bsf.enc_order is 2 or 3 (raw), and both sides have signatures";
	if (!crypt_fits_block(c, memory) || !crypt_fits_block(c, wire))
		return "crypto_bsf.enc_order is 2 or 3 (raw), and AES blocks lie across the ends "
		       "of the signatures' blocks"; /* [I] */
	return NULL;
}

const struct dek *crypt_key(const struct mkey *m)
{
	const struct crypt *c = &m->sig->crypt;
	const struct dek *dek = c->described ? obj_find(m->o.vhca, OBJ_DEK, c->dek) : NULL;
	const char *why = NULL;

	if (!c->described)
		why = "mkc.crypto_en is set, but no UMR brought its encryption";
	else if (!dek)
		why = "the key object (DEK) does not exist";
	else if (dek->pd->id != m->pdn)
		why = "the key object (DEK) is of another PD";
	else if (!dek->xts)
		why = "the key object (DEK) serves TLS (key_purpose 1)";
	else if (dek->has_keytag && dek->keytag != c->keytag)
		why = "the key object (DEK) has another keytag";
	if (!why)
		return dek;
	obj_refuse(&m->o, "crypto_bsf.dek_ptr 0x%x: %s", c->dek, why);
	return NULL;
}

/*
 * Finds the group around a byte. [I] A unit that the range does not fill consists of AES blocks
 * without a stolen end.
 */
struct crypt_group crypt_group(const struct crypt *c, uint64_t pos)
{
	const uint32_t off = (uint32_t)(pos % c->unit), whole = c->unit / XTS_BLOCK;
	const uint64_t unit = pos - off;

	if (c->unit % XTS_BLOCK && off >= (whole - 1) * XTS_BLOCK)
		return (struct crypt_group){unit + (whole - 1) * XTS_BLOCK,
					    XTS_BLOCK + c->unit % XTS_BLOCK};
	return (struct crypt_group){pos - off % XTS_BLOCK, XTS_BLOCK};
}

static void crypt_tweak(const struct crypt *c, uint64_t unit, uint8_t to[XTS_BLOCK])
{
	uint64_t carry = unit;

	for (unsigned int i = 0; i < XTS_BLOCK; i++, carry >>= 8) {
		carry += c->tweak[i];
		to[i] = (uint8_t)carry;
	}
}

void crypt_run(const struct crypt *c, const struct dek *dek, uint64_t at, uint8_t *p, size_t len,
	       bool to_wire)
{
	size_t n;

	for (; len; len -= n, at += n, p += n) {
		const uint32_t off = (uint32_t)(at % c->unit);
		uint8_t tweak[XTS_BLOCK];

		n = c->unit - off;
		n = n < len ? n : len;
		crypt_tweak(c, at / c->unit, tweak);
		xts_run(dek->xts, tweak, off / XTS_BLOCK, p, n, c->encrypts == to_wire);
	}
}
