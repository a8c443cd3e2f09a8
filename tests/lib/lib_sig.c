/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that data which libdvx moves through an mkey with signatures or encryption has, on both
 * sides, the bytes of CRCs computed bit by bit and of IEEE 1619's test vector, and that a wrong
 * signature is reported with words.
 */
#include "tests/test.h"
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include "lib_rig.h"
#include "tests/wrapped.h"

#define ALL    (DVX_REMOTE_WRITE | DVX_REMOTE_READ)
#define BLOCKS 3u
#define FAR    0x20000u /* the peer's memory */
#define COPY   0x40000u /* the expected bytes */
#define GOOD   0x60000u

/* --- what signatures have to be -------------------------------------------------------------- */

static uint64_t crc_low_first(uint64_t polynomial, uint64_t crc, uint64_t end, const uint8_t *data,
			      uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	}
	return crc ^ end;
}

static uint16_t crc16(uint16_t crc, const uint8_t *data, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++) {
		crc = (uint16_t)(crc ^ data[i] << 8);
		for (int bit = 0; bit < 8; bit++)
			crc = (uint16_t)(crc << 1 ^ (crc & 0x8000 ? 0x8bb7 : 0));
	}
	return crc;
}

static void put(uint8_t *to, uint64_t value, uint32_t bytes, bool low_first)
{
	for (uint32_t i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * (low_first ? i : bytes - 1 - i));
}

/* Appends a block's signature; returns its length. */
static uint32_t sign(const struct dvx_sig_side *s, const uint8_t *data, uint32_t block, uint8_t *to)
{
	const bool ones = s->flags & DVX_SIG_ONES;
	uint32_t grown = s->flags & DVX_SIG_REF_GROWS ? block : 0;

	memmove(to, data, s->block);
	to += s->block;
	switch (s->type) {
	case DVX_SIG_CRC32:
	case DVX_SIG_CRC32C:
		put(to,
		    crc_low_first(s->type == DVX_SIG_CRC32 ? 0xedb88320 : 0x82f63b78,
				  ones ? UINT32_MAX : 0, UINT32_MAX, data, s->block),
		    4, true);
		return 4;
	case DVX_SIG_CRC64:
		put(to,
		    crc_low_first(0x9a6c9329ac4bc9b5, ones ? UINT64_MAX : 0, UINT64_MAX, data,
				  s->block),
		    8, true);
		return 8;
	default:
		put(to, crc16(ones ? 0xffff : 0, data, s->block), 2, false);
		put(to + 2, s->app_tag, 2, false);
		put(to + 4, s->ref_tag + grown, 4, false);
		return 8;
	}
}

/* Makes blocks of data as one side has them; returns how many bytes. */
static uint32_t side_bytes(const struct dvx_sig_side *s, const uint8_t *data, uint32_t len,
			   uint8_t *to)
{
	uint32_t at = 0;

	if (!s->type) {
		memcpy(to, data, len);
		return len;
	}
	for (uint32_t i = 0; i * s->block < len; i++)
		at += s->block + sign(s, data + i * s->block, i, to + at);
	return at;
}

/* --- moves ----------------------------------------------------------------------------------- */

static struct dvx_mkey *sig_make(struct rig *r, uint32_t flags)
{
	struct dvx_mkey_sig_attr attr = {
		.size = sizeof(attr), .flags = flags, .pd = r->pd, .max_pieces = 2};
	struct dvx_mkey *mkey;

	OK(dvx_mkey_create_sig(r->dev, &attr, &mkey));
	return mkey;
}

/* Configures the mkey: `len` bytes of the buffer, in two pieces that meet inside a block. */
static void configure(struct rig *r, struct pair *p, struct dvx_mkey *mkey, uint32_t len,
		      const struct dvx_sig *sig, const struct dvx_crypt *crypt)
{
	struct dvx_sge pieces[2] = {{(uintptr_t)r->buf, 700, r->key},
				    {(uintptr_t)r->buf + 700, len - 700, r->key}};

	OK(dvx_post_umr_sig(p->sq, dvx_mkey_sig(mkey), DVX_LOCAL_WRITE | ALL, pieces, 2, sig, crypt,
			    77, DVX_SIGNALED));
	ring_done(p, 77);
}

/* A WRITE moves them from the mkey to the peer's memory, a READ moves them back. */
static void moves(struct rig *r, struct pair *p, struct dvx_mkey *mkey, uint32_t memory,
		  uint32_t wire)
{
	struct dvx_sge mine = {0, wire, dvx_mkey_key(mkey)};

	memcpy(r->buf + GOOD, r->buf, memory);
	memset(r->buf + FAR, 0, wire);
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf + FAR, r->key, &mine, 1, 1, DVX_SIGNALED));
	ring_done(p, 1);
	assert_memory_equal(r->buf + FAR, r->buf + COPY, wire);
	memset(r->buf, 0, memory);
	OK(dvx_post_read(p->sq, (uintptr_t)r->buf + FAR, r->key, &mine, 1, 2, DVX_SIGNALED));
	ring_done(p, 2);
	assert_memory_equal(r->buf, r->buf + GOOD, memory);
	assert_null(dvx_cq_peek(p->cq[0]));
}

#define CRC_SIDE(kind, bytes)                                           \
	{                                                               \
		.type = (kind), .flags = DVX_SIG_ONES, .block = (bytes) \
	}
#define DIF_SIDE(bits, bytes)                                                                  \
	{                                                                                      \
		.type = DVX_SIG_DIF_CRC, .flags = (bits), .block = (bytes), .app_tag = 0x1234, \
		.ref_tag = 7                                                                   \
	}

/* Each kind on each side: memory and wire have the bytes of their descriptions. */
TEST(pair, signatures, ALL)
{
	static const struct dvx_sig sigs[] = {
		{.wire = CRC_SIDE(DVX_SIG_CRC32, 512), .check = DVX_SIG_ALL},
		{.memory = CRC_SIDE(DVX_SIG_CRC32, 512), .check = DVX_SIG_ALL},
		{.memory = CRC_SIDE(DVX_SIG_CRC32C, 512),
		 .wire = CRC_SIDE(DVX_SIG_CRC32C, 512),
		 .check = DVX_SIG_ALL},
		{.memory = CRC_SIDE(DVX_SIG_CRC32, 512), /* another seed: not copied */
		 .wire = {.type = DVX_SIG_CRC32, .block = 512},
		 .check = DVX_SIG_ALL},
		{.wire = CRC_SIDE(DVX_SIG_CRC64, 4096), .check = DVX_SIG_ALL},
		{.memory = DIF_SIDE(DVX_SIG_REF_GROWS, 512), .check = DVX_SIG_ALL},
		{.memory = DIF_SIDE(DVX_SIG_REF_GROWS, 512),
		 .wire = CRC_SIDE(DVX_SIG_CRC32, 512),
		 .check = DVX_SIG_ALL},
		{.memory = DIF_SIDE(DVX_SIG_ONES, 512),
		 .wire = DIF_SIDE(DVX_SIG_ONES | DVX_SIG_REF_GROWS, 512),
		 .check = DVX_SIG_ALL,
		 .copy = DVX_SIG_GUARD | DVX_SIG_APP_TAG,
		 .copy_given = true},
	};
	struct dvx_mkey *mkey = sig_make(r, DVX_MKEY_SIGNS);
	uint8_t data[BLOCKS * 4096];

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		uint32_t block = sigs[i].memory.type ? sigs[i].memory.block : sigs[i].wire.block;
		uint32_t memory, wire;

		for (size_t at = 0; at < sizeof(data); at++)
			data[at] = (uint8_t)(at * 7 + (at >> 8) + i);
		memory = side_bytes(&sigs[i].memory, data, BLOCKS * block, r->buf);
		wire = side_bytes(&sigs[i].wire, data, BLOCKS * block, r->buf + COPY);
		configure(r, p, mkey, memory, &sigs[i], NULL);
		moves(r, p, mkey, memory, wire);
	}
	configure(r, p, mkey, 4096, NULL, NULL); /* no description */
	memcpy(r->buf + COPY, r->buf, 4096);
	moves(r, p, mkey, 4096, 4096);
	OK(dvx_mkey_destroy(mkey));
}

/* --- errors ---------------------------------------------------------------------------------- */

/* Sends the mkey with one wrong byte; returns the device's report. */
static struct dvx_sig_error wrong(struct rig *r, struct pair *p, struct dvx_mkey *mkey,
				  uint32_t byte, uint32_t wire)
{
	struct dvx_sge mine = {0, wire, dvx_mkey_key(mkey)};
	struct dvx_sig_error error;
	struct dvx_wc wc;

	r->buf[byte] ^= 0x40;
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf + FAR, r->key, &mine, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(p->sq);
	wait_cqe(p->cq[0]);
	refused(dvx_cq_poll(p->cq[0], &wc), -EBADMSG, "wrong signature", "dvx_sig_error_read()");
	assert_int_equal(dvx_cq_poll(p->cq[0], &wc), -EBADMSG); /* the report stays */
	OK(dvx_sig_error_read(dvx_mkey_sig(mkey), dvx_cq_peek(p->cq[0]), &error));
	dvx_cq_pop(p->cq[0]);
	done(p->cq[0], p->sq, 1); /* the transfer went on */
	r->buf[byte] ^= 0x40;
	return error;
}

/* A wrong block is reported once, with its place and values; after another post, once more. */
TEST(pair, reported, ALL)
{
	struct dvx_sig sig = {.memory = DIF_SIDE(0, 512), .check = DVX_SIG_ALL};
	struct dvx_mkey *mkey = sig_make(r, DVX_MKEY_SIGNS), *other = sig_make(r, DVX_MKEY_SIGNS);
	struct dvx_sge mine = {0, 1536, dvx_mkey_key(mkey)};
	static const struct {
		uint32_t byte, part;
		uint64_t flipped;
		const char *name;
	} each[] = {{520 + 512, DVX_SIG_GUARD, 0x4000, "CRC or guard"},
		    {520 + 514, DVX_SIG_APP_TAG, 0x4000, "application tag"},
		    {520 + 516, DVX_SIG_REF_TAG, 0x40000000, "reference tag"}};
	struct dvx_sig_error e;
	uint8_t data[1536] = {1, 2, 3};
	char text[160];

	side_bytes(&sig.memory, data, sizeof(data), r->buf);
	for (int i = 0; i < 3; i++) {
		configure(r, p, mkey, 1560, &sig, NULL);
		e = wrong(r, p, mkey, each[i].byte, 1536);
		assert_int_equal(e.part, each[i].part);
		assert_int_equal(e.offset, 520);
		assert_false(e.wire);
		assert_int_equal(e.expected ^ e.actual, each[i].flipped);
		dvx_sig_error_text(&e, text, sizeof(text));
		assert_non_null(strstr(text, each[i].name));
		assert_non_null(strstr(text, "byte 520 in memory"));
	}
	/* no report until it is posted again */
	r->buf[512] ^= 1;
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf + FAR, r->key, &mine, 1, 2, DVX_SIGNALED));
	ring_done(p, 2);
	r->buf[512] ^= 1;
	refused(dvx_sig_error_read(dvx_mkey_sig(other), r->buf, &e), -ENOENT, "no signature error",
		"mkey");
	sig = (struct dvx_sig){.memory = CRC_SIDE(DVX_SIG_CRC64, 512), .check = DVX_SIG_ALL};
	side_bytes(&sig.memory, data, sizeof(data), r->buf);
	configure(r, p, mkey, 1560, &sig, NULL);
	e = wrong(r, p, mkey, 512, 1536);
	assert_int_equal(e.expected ^ e.actual, 0x40);
	OK(dvx_mkey_destroy(mkey));
	OK(dvx_mkey_destroy(other));
}

/* --- encryption ------------------------------------------------------------------------------ */

/* IEEE 1619-2007, vector 4: the beginning of a data unit of 512 bytes, 0 to 255 twice. */
static const uint8_t xts_key[32] = {0x27, 0x18, 0x28, 0x18, 0x28, 0x45, 0x90, 0x45,
				    0x23, 0x53, 0x60, 0x28, 0x74, 0x71, 0x35, 0x26,
				    0x31, 0x41, 0x59, 0x26, 0x53, 0x58, 0x97, 0x93,
				    0x23, 0x84, 0x62, 0x64, 0x33, 0x83, 0x27, 0x95};
static const uint8_t xts_begins[32] = {0x27, 0xa7, 0x47, 0x9b, 0xef, 0xa1, 0xd4, 0x76,
				       0x48, 0x9f, 0x30, 0x8c, 0xd4, 0xcf, 0xa6, 0xe2,
				       0xa9, 0x6e, 0x4b, 0xbe, 0x32, 0x08, 0xff, 0x25,
				       0x28, 0x7d, 0xd3, 0x81, 0x96, 0x16, 0xe8, 0x9c};

static bool wrapped(const struct rig *r)
{
	const void *caps;

	OK(dvx_dev_cap_page(r->dev, PRM_HCA_CAP_TYPE_CRYPTO, &caps));
	return prm_crypto_caps_get_wrapped_crypto_operational(caps);
}

static struct dvx_dek *dek_make(struct rig *r)
{
	struct dvx_dek_attr attr = {.size = sizeof(attr),
				    .pd = r->pd,
				    .key = wrapped(r) ? wrapped_key : xts_key,
				    .len = wrapped(r) ? WRAPPED_KEY_BYTES : sizeof(xts_key),
				    .bits = 128};
	struct dvx_dek *dek;

	OK(dvx_dek_create(r->dev, &attr, &dek));
	return dek;
}

/* Encrypts only on the wire, then only in memory, and with a signature of either. */
static void encrypt(struct rig *r, struct pair *p)
{
	struct dvx_mkey *mkey = sig_make(r, DVX_MKEY_ENCRYPTS),
			*both = sig_make(r, DVX_MKEY_ENCRYPTS | DVX_MKEY_SIGNS);
	struct dvx_dek *dek = dek_make(r);
	struct dvx_crypt crypt = {
		.dek = dvx_dek_number(dek), .data_unit = 512, .flags = DVX_CRYPT_WIRE};
	struct dvx_sig sig = {.wire = CRC_SIDE(DVX_SIG_CRC32, 512), .check = DVX_SIG_ALL};
	struct dvx_sge mine = {0, 1024, dvx_mkey_key(mkey)};

	for (int i = 0; i < 1024; i++)
		r->buf[i] = (uint8_t)i;
	configure(r, p, mkey, 1024, NULL, &crypt);
	OK(dvx_post_write(p->sq, (uintptr_t)r->buf + COPY, r->key, &mine, 1, 1, DVX_SIGNALED));
	ring_done(p, 1);
	assert_memory_equal(r->buf + COPY, xts_begins, sizeof(xts_begins));
	moves(r, p, mkey, 1024, 1024);

	/* encrypted, then signed: blocks of the wire's bytes */
	memcpy(r->buf + GOOD, r->buf + COPY, 1024);
	side_bytes(&sig.wire, r->buf + GOOD, 1024, r->buf + COPY);
	crypt.flags = DVX_CRYPT_WIRE | DVX_CRYPT_SIGNED;
	configure(r, p, both, 1024, &sig, &crypt);
	moves(r, p, both, 1024, 1032);

	/* the same bytes in memory are plain on the wire */
	memcpy(r->buf, r->buf + FAR, 512);
	memcpy(r->buf + 512, r->buf + FAR + 516, 512);
	for (uint32_t i = 0; i < 1024; i++)
		r->buf[COPY + i] = (uint8_t)i;
	crypt.flags = 0;
	configure(r, p, mkey, 1024, NULL, &crypt);
	moves(r, p, mkey, 1024, 1024);
	OK(dvx_mkey_destroy(both));
	OK(dvx_mkey_destroy(mkey));
	OK(dvx_dek_destroy(dek));
}

/* The key is in plaintext, or wrapped: then it is valid as long as a login. */
TEST(pair, encrypted, ALL)
{
	struct dvx_login_attr la = {.size = sizeof(la)};
	struct dvx_login *login = NULL;

	memcpy(la.credential, wrapped_credential, sizeof(la.credential));
	if (wrapped(r))
		OK(dvx_login_create(r->dev, &la, &login));
	encrypt(r, p);
	OK(dvx_login_destroy(login));
}

/* A chip that takes wrapped keys (sig_wrapped.sh) takes none before the login, one after it. */
TEST(rig, login)
{
	struct dvx_login_attr la = {.size = sizeof(la)};
	struct dvx_dek_attr attr = {.size = sizeof(attr),
				    .pd = r->pd,
				    .key = wrapped_key,
				    .len = WRAPPED_KEY_BYTES,
				    .bits = 128};
	struct dvx_login *login, *again;
	struct dvx_dek *dek;
	bool valid = false;
	int err = dvx_login_create(r->dev, &la, &login); /* with a credential of zeros */

	assert_true(err < 0);
	if (!wrapped(r)) {
		print_message("# this chip's keys come in plaintext\n");
		skip();
	}
	assert_true(dvx_dek_create(r->dev, &attr, &dek) < 0);
	memcpy(la.credential, wrapped_credential, sizeof(la.credential));
	OK(dvx_login_create(r->dev, &la, &login));
	OK(dvx_login_valid(login, &valid));
	assert_true(valid);
	assert_true(dvx_login_create(r->dev, &la, &again) < 0);
	OK(dvx_dek_create(r->dev, &attr, &dek));
	OK(dvx_login_destroy(login));
	OK(dvx_dek_destroy(dek));
}

/* --- what can't be --------------------------------------------------------------------------- */

static int post_bad(struct pair *p, struct dvx_mkey *mkey, const struct dvx_sig *sig,
		    const struct dvx_crypt *crypt)
{
	struct dvx_sge piece = {4096, 512, 7};

	return dvx_post_umr_sig(p->sq, dvx_mkey_sig(mkey), 0, &piece, 1, sig, crypt, 1, 0);
}

TEST(pair, refusals, ALL)
{
	struct dvx_mkey *signs = sig_make(r, DVX_MKEY_SIGNS), *mkey;
	struct dvx_mkey *both = sig_make(r, DVX_MKEY_ENCRYPTS | DVX_MKEY_SIGNS);
	struct dvx_mkey *encrypts = sig_make(r, DVX_MKEY_ENCRYPTS);
	struct dvx_mkey_sig_attr ma = {.size = sizeof(ma), .pd = r->pd, .max_pieces = 1};
	struct dvx_dek_attr da = {.size = sizeof(da), .pd = r->pd, .key = xts_key, .len = 33};
	struct dvx_login_attr la = {.size = sizeof(la)};
	struct dvx_crypt crypt = {.data_unit = 512};
	struct dvx_sig sig = {.wire = CRC_SIDE(DVX_SIG_CRC32, 512)};
	struct dvx_sge many[64] = {
		{4096, UINT32_MAX / 2, 7}, {4096, UINT32_MAX / 2, 7}, {4096, 9, 7}};
	struct dvx_login *login;
	struct dvx_dek *dek;

	assert_null(dvx_mkey_sig(r->mkey));
	refused(dvx_post_umr_sig(p->sq, dvx_mkey_sig(r->mkey), 0, many, 1, NULL, NULL, 1, 0),
		-EINVAL, "dvx_post_umr_sig", "key is NULL");
	refused(dvx_post_umr_sig(NULL, dvx_mkey_sig(signs), 0, many, 1, NULL, NULL, 1, 0), -EINVAL,
		"dvx_post_umr_sig", "sq is NULL");
	refused(dvx_sig_error_read(dvx_mkey_sig(signs), NULL, &(struct dvx_sig_error){0}), -EINVAL,
		"dvx_sig_error_read", "cqe is NULL");
	refused(dvx_login_valid(NULL, &(bool){false}), -EINVAL, "dvx_login_valid", "login is NULL");
	refused(post_bad(p, encrypts, &sig, &crypt), -EINVAL, "DVX_MKEY_SIGNS", "without");
	refused(post_bad(p, signs, &sig, &crypt), -EINVAL, "DVX_MKEY_ENCRYPTS", "without");
	refused(post_bad(p, both, &sig, NULL), -EINVAL, "DVX_MKEY_ENCRYPTS", "NULL");
	sig.memory.type = DVX_SIG_DIF_CSUM + 1;
	refused(post_bad(p, signs, &sig, NULL), -EINVAL, "memory.type", "6");
	sig.memory = (struct dvx_sig_side)CRC_SIDE(DVX_SIG_CRC32, 513);
	refused(post_bad(p, signs, &sig, NULL), -EINVAL, "memory.block", "513");
	sig.memory.block = 512;
	sig.memory.flags = DVX_SIG_REF_GROWS;
	refused(post_bad(p, signs, &sig, NULL), -EINVAL, "memory.flags", "type");
	sig.memory = (struct dvx_sig_side)DIF_SIDE(0, 512);
	sig.copy_given = true;
	refused(post_bad(p, signs, &sig, NULL), -EINVAL, "copy_given", "both sides");
	sig.copy_given = false;
	refused(post_bad(p, both, &sig, &crypt), -EINVAL, "order of encryption", "both sides");
	crypt.data_unit = 1;
	refused(post_bad(p, encrypts, NULL, &crypt), -EINVAL, "data_unit", "512");
	crypt = (struct dvx_crypt){.data_unit = 512, .flags = 4};
	refused(post_bad(p, encrypts, NULL, &crypt), -EINVAL, "crypt->flags", "0x4");
	refused(dvx_post_umr_sig(p->sq, dvx_mkey_sig(signs), 0, many, 3, NULL, NULL, 1, 0), -EINVAL,
		"4 GiB", "pieces");
	assert_int_equal(
		dvx_post_umr_sig(p->sq, dvx_mkey_sig(signs), 0, many, 64, NULL, NULL, 1, 0),
		-EMSGSIZE);
	assert_int_equal(dvx_post_umr_sig(p->sq, dvx_mkey_sig(signs), 0, many, 1, NULL, NULL, 1, 2),
			 -EBADR);
	assert_int_equal(p->sq->pi, 0);

	refused(dvx_mkey_create_sig(r->dev, &ma, &mkey), -EINVAL, "attr.flags", "DVX_MKEY_SIGNS");
	ma.flags = DVX_MKEY_SIGNS;
	ma.max_pieces = 0;
	refused(dvx_mkey_create_sig(r->dev, &ma, &mkey), -EINVAL, "max_pieces", "0");
	refused(dvx_dek_create(r->dev, &da, &dek), -EINVAL, "attr.bits", "0");
	da.bits = 128;
	refused(dvx_dek_create(r->dev, &da, &dek), -EINVAL, "attr.len", "33");
	if (!wrapped(r))
		refused(dvx_login_create(r->dev, &la, &login), -EOPNOTSUPP, "logins", "plaintext");
	la.credential_id = 1u << 24;
	refused(dvx_login_create(r->dev, &la, &login), -EINVAL, "credential_id", "24 bits");
	OK(dvx_mkey_destroy(signs));
	OK(dvx_mkey_destroy(both));
	OK(dvx_mkey_destroy(encrypts));
}

/* All WQEs of a request have room, or none is written. */
TEST(pair, room, ALL)
{
	struct dvx_sig sig = {.memory = CRC_SIDE(DVX_SIG_CRC32, 512),
			      .wire = CRC_SIDE(DVX_SIG_CRC32, 512)};
	struct dvx_mkey *mkey = sig_make(r, DVX_MKEY_SIGNS);
	uint32_t pi;

	while (dvx_sq_free(p->sq) > 5) /* a UMR of four blocks, but one SET_PSV of two */
		OK(dvx_post_nop(p->sq, 9, DVX_SIGNALED));
	pi = p->sq->pi;
	assert_int_equal(post_bad(p, mkey, &sig, NULL), -ENOSPC);
	assert_int_equal(p->sq->pi, pi);
	ring_done(p, 9);
	/* and padding up to the ring's end */
	assert_int_equal(post_bad(p, mkey, &sig, NULL), 0);
	assert_int_equal(p->sq->pi, pi + 6);
	OK(dvx_mkey_destroy(mkey));
}

TEST_GROUP(rig_open, rig_close)
