/* SPDX-License-Identifier: BSD-2-Clause */
/* Encrypted mkeys: what a request may access, and by which key and tweak. */
#include "signed.h"

/* A key for AES-128-XTS, and an mkey whose data it encrypts. */
struct crypt_pair {
	struct signed_pair s;
	struct dvx_dek *dek;
	struct dvx_crypt crypt;
};

static void crypt_open(struct bench *b, struct crypt_pair *c, uint32_t flags, uint16_t unit,
		       uint16_t order)
{
	uint8_t key[32];
	struct dvx_dek_attr attr = {
		.size = sizeof(attr), .pd = b->pd, .key = key, .len = sizeof(key), .bits = 128};

	c->s.p = bench_pair_default(b);
	signed_open(b, &c->s, flags);
	for (uint8_t i = 0; i < sizeof(key); i++)
		key[i] = (uint8_t)(i * 11);
	NEED(dvx_dek_create(b->dev, &attr, &c->dek));
	c->crypt = (struct dvx_crypt){
		.dek = dvx_dek_number(c->dek), .data_unit = unit, .flags = order};
}

static void crypt_describe(struct crypt_pair *c, uint32_t bytes)
{
	signed_describe(&c->s, bytes, NULL, &c->crypt);
}

/* The second unit alone has the bytes that it has behind the first one. */
void probe_crypto_tweak(struct bench *b)
{
	struct crypt_pair c;
	uint8_t both[2 * SIGNED_BLOCK];

	crypt_open(b, &c, DVX_MKEY_ENCRYPTS, SIGNED_BLOCK, DVX_CRYPT_WIRE);
	crypt_describe(&c, sizeof(both));
	signed_write(&c.s, 0, sizeof(both));
	bench_need_done(c.s.p.cq[0], "a WRITE of two encrypted units");
	memcpy(both, b->buf + SIGNED_THERE, sizeof(both));
	signed_write(&c.s, SIGNED_BLOCK, SIGNED_BLOCK);
	bench_expect_done(c.s.p.cq[0], "a WRITE of the second unit");
	EXPECT(!memcmp(b->buf + SIGNED_THERE, both + SIGNED_BLOCK, SIGNED_BLOCK),
	       "the second unit alone has another tweak than behind the first one");
}

void probe_crypto_block_across_signature(struct bench *b)
{
	struct dvx_sig sig = {.memory = {.type = DVX_SIG_CRC32, .block = 520},
			      .check = DVX_SIG_ALL};
	struct crypt_pair c;

	crypt_open(b, &c, DVX_MKEY_SIGNS | DVX_MKEY_ENCRYPTS, 4096,
		   DVX_CRYPT_WIRE | DVX_CRYPT_SIGNED);
	signed_post(&c.s, SIGNED_BYTES, &sig, &c.crypt);
	dvx_sq_ring(c.s.p.sq);
	bench_expect_error(c.s.p.cq[0], PRM_SYNDROME_MW_BIND_ERR,
			   "units of 4096 and a CRC32 of 520, signed after encryption");
}

/* Accesses must fail: the key is gone, or of another PD. */
void probe_crypto_key_gone(struct bench *b)
{
	struct dvx_dek_attr foreign = {
		.size = sizeof(foreign), .key = b->buf, .len = 32, .bits = 128};
	struct crypt_pair c;

	crypt_open(b, &c, DVX_MKEY_ENCRYPTS, SIGNED_BLOCK, DVX_CRYPT_WIRE);
	crypt_describe(&c, SIGNED_BYTES);
	NEED(dvx_dek_destroy(c.dek));
	signed_write(&c.s, 0, SIGNED_BLOCK);
	bench_expect_error(c.s.p.cq[0], PRM_SYNDROME_LOCAL_PROT_ERR,
			   "an access whose key object was destroyed");
	NEED(dvx_pd_alloc(b->dev, &foreign.pd));
	crypt_open(b, &c, DVX_MKEY_ENCRYPTS, SIGNED_BLOCK, DVX_CRYPT_WIRE);
	NEED(dvx_dek_create(b->dev, &foreign, &c.dek));
	c.crypt.dek = dvx_dek_number(c.dek);
	crypt_describe(&c, SIGNED_BYTES);
	signed_write(&c.s, 0, SIGNED_BLOCK);
	bench_expect_error(c.s.p.cq[0], PRM_SYNDROME_LOCAL_PROT_ERR,
			   "an access with a key object of another PD");
}

/* 520 bytes are a unit of 512 and half an AES block. */
void probe_crypto_partial_block(struct bench *b)
{
	const uint32_t bytes = SIGNED_BLOCK + 8;
	struct dvx_sge to;
	struct crypt_pair c;

	crypt_open(b, &c, DVX_MKEY_ENCRYPTS, SIGNED_BLOCK, DVX_CRYPT_WIRE);
	crypt_describe(&c, bytes);
	to = (struct dvx_sge){0, bytes, dvx_mkey_key(c.s.mkey)};
	NEED(dvx_post_read(c.s.p.sq, b->addr + SIGNED_THERE, b->key, &to, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(c.s.p.sq);
	bench_need_done(c.s.p.cq[0], "a READ of 520 bytes into encrypted units of 512");
	EXPECT(!memcmp(b->buf + SIGNED_BLOCK, c.s.data + SIGNED_BLOCK, 8),
	       "half an AES block reached memory");
	signed_write(&c.s, 0, bytes);
	bench_expect_error(c.s.p.cq[0], PRM_SYNDROME_LOCAL_PROT_ERR,
			   "a WRITE of 520 bytes of encrypted units of 512");
}

void probe_crypto_unaligned_write(struct bench *b)
{
	struct dvx_sge from = {b->addr + SIGNED_THERE, 32, b->key};
	struct crypt_pair c;

	crypt_open(b, &c, DVX_MKEY_ENCRYPTS, SIGNED_BLOCK, DVX_CRYPT_WIRE);
	crypt_describe(&c, SIGNED_BYTES);
	NEED(dvx_post_write(c.s.p.sq, 8, dvx_mkey_key(c.s.mkey), &from, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(c.s.p.sq);
	bench_expect_error(c.s.p.cq[0], PRM_SYNDROME_REMOTE_ACCESS_ERR,
			   "a WRITE to byte 8 of an encrypted mkey");
}

static void crypt_expect_crc(const uint8_t *data, const uint8_t *is, const char *what)
{
	const uint32_t crc = (uint32_t)signed_crc(0xedb88320, 0, data);
	const uint8_t want[] = {(uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16),
				(uint8_t)(crc >> 24)};

	EXPECT(!memcmp(is, want, sizeof(want)), "%s: the CRC32 is not that of the encrypted data",
	       what);
}

/* Plaintext on the wire, then in memory; the signature is where the plaintext is. */
void probe_crypto_raw_order(struct bench *b)
{
	const struct dvx_sig_side crc = {.type = DVX_SIG_CRC32, .block = SIGNED_BLOCK};
	const struct dvx_sig memory = {.memory = crc, .check = DVX_SIG_ALL},
			     wire = {.wire = crc, .check = DVX_SIG_ALL};
	struct dvx_sge to;
	struct crypt_pair c;

	crypt_open(b, &c, DVX_MKEY_SIGNS | DVX_MKEY_ENCRYPTS, SIGNED_BLOCK, 0);
	signed_describe(&c.s, SIGNED_BLOCK, &wire, &c.crypt);
	signed_write(&c.s, 0, SIGNED_BLOCK + 4);
	bench_expect_done(c.s.p.cq[0], "a WRITE of encrypted memory with a CRC32 on the wire");
	crypt_expect_crc(b->buf, b->buf + SIGNED_THERE + SIGNED_BLOCK, "raw memory");
	c.crypt.flags = DVX_CRYPT_WIRE | DVX_CRYPT_SIGNED;
	signed_describe(&c.s, SIGNED_BLOCK + 4, &memory, &c.crypt);
	to = (struct dvx_sge){0, SIGNED_BLOCK, dvx_mkey_key(c.s.mkey)};
	NEED(dvx_post_read(c.s.p.sq, b->addr + SIGNED_THERE, b->key, &to, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(c.s.p.sq);
	bench_expect_done(c.s.p.cq[0], "a READ of encrypted data into memory with a CRC32");
	crypt_expect_crc(b->buf + SIGNED_THERE, b->buf + SIGNED_BLOCK, "raw wire");
}
