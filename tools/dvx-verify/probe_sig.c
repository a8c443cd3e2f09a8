/* SPDX-License-Identifier: BSD-2-Clause */
/* Signatures of blocks: where they lie, their values, and what is reported of a wrong one. */
#include <dvx/prm/mkey.h>
#include <dvx/prm/wqe.h>
#include "signed.h"

#define CRC_BYTES 4u
#define DIF_BYTES 8u

static struct dvx_sig sig_in_memory(uint8_t type, uint8_t flags)
{
	return (struct dvx_sig){.memory = {.type = type,
					   .flags = flags,
					   .block = SIGNED_BLOCK,
					   .app_tag = 0x1234,
					   .ref_tag = 7},
				.check = DVX_SIG_ALL};
}

static struct dvx_sig sig_on_wire(uint8_t type, uint8_t flags)
{
	struct dvx_sig s = sig_in_memory(type, flags);

	s.wire = s.memory;
	s.memory = (struct dvx_sig_side){0};
	return s;
}

/* Compares the bytes behind a block in plain memory with a number, lowest byte first. */
static void sig_expect(const struct signed_pair *s, uint32_t at, uint64_t value, uint32_t bytes,
		       const char *what)
{
	uint64_t is = 0;

	for (uint32_t i = 0; i < bytes; i++)
		is |= (uint64_t)s->b->buf[SIGNED_THERE + at + i] << 8 * i;
	EXPECT(is == value, "%s: the signature is %0*llx, not %0*llx", what, (int)(2 * bytes),
	       (unsigned long long)is, (int)(2 * bytes), (unsigned long long)value);
}

void probe_crc_signatures(struct bench *b)
{
	static const struct {
		uint8_t type, bytes;
		uint64_t polynomial;
		const char *what;
	} crcs[] = {{DVX_SIG_CRC32, 4, 0xedb88320, "CRC32"},
		    {DVX_SIG_CRC32C, 4, 0x82f63b78, "CRC32C"},
		    {DVX_SIG_CRC64, 8, 0x9a6c9329ac4bc9b5, "CRC64"}};
	struct signed_pair s = {.p = bench_pair_default(b)};

	signed_open(b, &s, DVX_MKEY_SIGNS);
	for (size_t i = 0; i < 2 * sizeof(crcs) / sizeof(crcs[0]); i++) {
		const uint8_t ones = i % 2 ? DVX_SIG_ONES : 0, bytes = crcs[i / 2].bytes;
		const uint64_t all = UINT64_MAX >> (64 - 8 * bytes);
		struct dvx_sig sig = sig_on_wire(crcs[i / 2].type, ones);

		signed_describe(&s, SIGNED_BLOCK, &sig, NULL);
		signed_write(&s, 0, SIGNED_BLOCK + bytes);
		signed_good(&s, crcs[i / 2].what);
		sig_expect(&s, SIGNED_BLOCK,
			   signed_crc(crcs[i / 2].polynomial, ones ? all : 0, s.data) & all, bytes,
			   crcs[i / 2].what);
	}
}

/* Adds big-endian words as the Internet checksum does. */
static uint16_t sig_sum(uint32_t sum, const uint8_t *data)
{
	for (uint32_t i = 0; i < SIGNED_BLOCK; i += 2)
		sum += (uint32_t)data[i] << 8 | data[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

void probe_dif_checksum(struct bench *b)
{
	struct signed_pair s = {.p = bench_pair_default(b)};

	signed_open(b, &s, DVX_MKEY_SIGNS);
	for (uint32_t ones = 0; ones <= DVX_SIG_ONES; ones += DVX_SIG_ONES) {
		struct dvx_sig sig = sig_on_wire(DVX_SIG_DIF_CSUM, (uint8_t)ones);
		uint16_t guard = (uint16_t)~sig_sum(ones ? 0xffff : 0, s.data);

		signed_describe(&s, SIGNED_BLOCK, &sig, NULL);
		signed_write(&s, 0, SIGNED_BLOCK + DIF_BYTES);
		signed_good(&s, "a block with T10-DIF's checksum");
		sig_expect(&s, SIGNED_BLOCK, (uint64_t)(guard >> 8 | (guard & 0xff) << 8), 2,
			   "T10-DIF's checksum");
	}
}

/* The second block alone. */
void probe_dif_reference_tag(struct bench *b)
{
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_on_wire(DVX_SIG_DIF_CRC, DVX_SIG_REF_GROWS);

	signed_open(b, &s, DVX_MKEY_SIGNS);
	signed_describe(&s, 2 * SIGNED_BLOCK, &sig, NULL);
	signed_write(&s, SIGNED_BLOCK + DIF_BYTES, SIGNED_BLOCK + DIF_BYTES);
	signed_good(&s, "the second block of an mkey");
	sig_expect(&s, SIGNED_BLOCK + 4, 0x08000000, 4, "the second block's reference tag");
}

void probe_signed_mkey_lengths(struct bench *b)
{
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_on_wire(DVX_SIG_CRC32, DVX_SIG_ONES);

	signed_open(b, &s, DVX_MKEY_SIGNS);
	signed_describe(&s, SIGNED_BLOCK, &sig, NULL);
	signed_write(&s, 0, SIGNED_BLOCK + CRC_BYTES);
	signed_good(&s, "516 bytes of an mkey of 512 and a CRC32");
	EXPECT(!memcmp(b->buf + SIGNED_THERE, s.data, SIGNED_BLOCK),
	       "516 bytes of an mkey of 512 and a CRC32 do not begin with its data");
	memset(b->buf + SIGNED_THERE, 0, SIGNED_BLOCK + CRC_BYTES);
	signed_write(&s, 0, SIGNED_BLOCK);
	signed_good(&s, "512 bytes of it");
	sig_expect(&s, SIGNED_BLOCK, 0, CRC_BYTES, "512 bytes of it");
}

/* ---- wrong signatures ---- */

/* Leaves the bytes of signatures in memory as they are, which is wrong. */
static void sig_open_wrong(struct bench *b, struct signed_pair *s, const struct dvx_sig *sig)
{
	signed_open(b, s, DVX_MKEY_SIGNS);
	signed_describe(s, SIGNED_BYTES, sig, NULL);
}

void probe_partial_block_unchecked(struct bench *b)
{
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_in_memory(DVX_SIG_CRC32, 0);

	sig_open_wrong(b, &s, &sig);
	signed_write(&s, 0, SIGNED_BLOCK - 1);
	signed_good(&s, "511 bytes of a block with a wrong CRC32");
	signed_write(&s, 0, SIGNED_BLOCK);
	(void)signed_wrong(&s, s.p.cq[0], "512 bytes of a block with a wrong CRC32");
}

void probe_dif_escapes(struct bench *b)
{
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_in_memory(DVX_SIG_DIF_CRC, DVX_SIG_APP_ESCAPE);

	memset(s.data, 0, sizeof(s.data));
	sig_open_wrong(b, &s, &sig);
	memset(b->buf + SIGNED_BLOCK + 2, 0xff, 2);
	signed_write(&s, 0, SIGNED_BLOCK);
	signed_good(&s, "a block of application tag 0xffff with a wrong reference tag and guard");
}

/* The third block is the wrong one: those before get their CRC32 of zeros. */
void probe_sig_error_offset(struct bench *b)
{
	static const uint8_t zeros[SIGNED_BLOCK];
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_in_memory(DVX_SIG_CRC32, 0);
	const uint32_t each = SIGNED_BLOCK + CRC_BYTES;
	const uint32_t crc = (uint32_t)signed_crc(0xedb88320, 0, zeros);
	struct dvx_sig_error e;

	signed_open(b, &s, DVX_MKEY_SIGNS);
	memset(b->buf, 0, 3 * each);
	for (uint32_t i = 0; i < 2 * CRC_BYTES; i++)
		b->buf[i / CRC_BYTES * each + SIGNED_BLOCK + i % CRC_BYTES] =
			(uint8_t)(crc >> 8 * (i % CRC_BYTES));
	signed_describe(&s, 3 * each, &sig, NULL);
	signed_write(&s, 0, 3 * SIGNED_BLOCK);
	e = signed_wrong(&s, s.p.cq[0], "a wrong third block");
	EXPECT(e.offset == 2 * each && !e.wire, "err_offset is %llu%s for a wrong third block",
	       (unsigned long long)e.offset, e.wire ? ", on the wire," : "");
}

/* The guard is right, the tag is not. */
void probe_sig_error_values(struct bench *b)
{
	static const uint8_t zeros[SIGNED_BLOCK];
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_in_memory(DVX_SIG_DIF_CSUM, 0);
	const uint16_t guard = (uint16_t)~sig_sum(0, zeros);
	struct dvx_sig_error e;
	uint8_t *dif;

	signed_open(b, &s, DVX_MKEY_SIGNS);
	memset(b->buf, 0, SIGNED_BLOCK);
	dif = b->buf + SIGNED_BLOCK;
	memcpy(dif, (uint8_t[]){(uint8_t)(guard >> 8), (uint8_t)guard, 0x99, 0x99, 0, 0, 0, 7},
	       DIF_BYTES);
	signed_describe(&s, SIGNED_BLOCK + DIF_BYTES, &sig, NULL);
	signed_write(&s, 0, SIGNED_BLOCK);
	e = signed_wrong(&s, s.p.cq[0], "a wrong application tag");
	EXPECT(e.part == DVX_SIG_APP_TAG, "part 0x%x, not the application tag", e.part);
	EXPECT(e.expected == 0x9999 && e.actual == 0x1234,
	       "expected is %#llx and actual %#llx for a tag of 0x9999 in place of 0x1234",
	       (unsigned long long)e.expected, (unsigned long long)e.actual);
}

/* Each end has a CQ for sends and one for receives. */
void probe_sig_error_cq(struct bench *b)
{
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_in_memory(DVX_SIG_CRC32, 0), wire = sig_on_wire(DVX_SIG_CRC32, 0);
	struct dvx_sge plain = {b->addr + SIGNED_THERE, SIGNED_BLOCK, b->key}, to;

	s.p.receive_cq = bench_cq(b);
	sig_open_wrong(b, &s, &sig);
	signed_write(&s, 0, SIGNED_BLOCK);
	(void)signed_wrong(&s, s.p.cq[0], "a WRITE of a wrong block, at the send CQ");
	signed_good(&s, "a WRITE of a wrong block");
	signed_describe(&s, SIGNED_BYTES, &sig, NULL);
	NEED(dvx_post_read(s.p.sq, 0, dvx_mkey_key(s.mkey), &plain, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(s.p.sq);
	(void)signed_wrong(&s, s.p.receive_cq, "a peer's READ of a wrong block, at the receive CQ");
	signed_good(&s, "a READ of a wrong block");
	signed_describe(&s, SIGNED_BYTES, &wire, NULL);
	to = (struct dvx_sge){0, SIGNED_BLOCK + CRC_BYTES, dvx_mkey_key(s.mkey)};
	plain.length = to.length;
	NEED(dvx_rq_post(s.p.rq, &to, 1, 1));
	dvx_rq_ring(s.p.rq);
	NEED(dvx_post_send(s.p.sq, &plain, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(s.p.sq);
	(void)signed_wrong(&s, s.p.receive_cq, "a receive of a wrong block, at the receive CQ");
}

/* The mkey's first request comes with the count of its creation. */
void probe_sig_error_once(struct bench *b)
{
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_in_memory(DVX_SIG_CRC32, 0);
	uint8_t *mkc;

	signed_open(b, &s, DVX_MKEY_SIGNS);
	mkc = dvx_sq_place_at(s.p.sq, s.p.sq->pi, 1).wqe + 4 * DVX_SEG;
	signed_post(&s, SIGNED_BYTES, &sig, NULL);
	prm_mkc_set_expected_sigerr_count(mkc, 0);
	dvx_sq_ring(s.p.sq);
	bench_need_done(s.p.cq[0], "the description of an mkey");
	signed_write(&s, 0, SIGNED_BLOCK);
	signed_good(&s, "a wrong block while expected_sigerr_count is that of the creation");
	dvx_mkey_sig(s.mkey)->unanswered = true;
	signed_describe(&s, SIGNED_BYTES, &sig, NULL);
	signed_write(&s, 0, SIGNED_BLOCK);
	(void)signed_wrong(&s, s.p.cq[0], "a wrong block after another expected_sigerr_count");
	signed_good(&s, "a WRITE of a wrong block");
	signed_write(&s, 0, SIGNED_BLOCK);
	signed_good(&s, "a second WRITE of a wrong block");
}

/* The last request sets the memory's PSV. */
void probe_psv_differs_from_bsf(struct bench *b)
{
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_in_memory(DVX_SIG_CRC32, 0);
	uint8_t *psv;

	signed_open(b, &s, DVX_MKEY_SIGNS);
	signed_post(&s, SIGNED_BYTES, &sig, NULL);
	psv = dvx_sq_last(s.p.sq) + DVX_SEG;
	prm_seg_set_psv_set_transient_signature(psv, 1);
	dvx_sq_ring(s.p.sq);
	bench_need_done(s.p.cq[0], "the description of an mkey");
	signed_write(&s, 0, SIGNED_BLOCK);
	bench_expect_error(s.p.cq[0], PRM_SYNDROME_LOCAL_PROT_ERR,
			   "a WRITE while the PSV differs from the BSF");
}

void probe_list_of_signed_mkey(struct bench *b)
{
	struct signed_pair s = {.p = bench_pair_default(b)};
	struct dvx_sig sig = sig_in_memory(DVX_SIG_CRC32, 0);
	struct dvx_sge piece, from = {0x7000, 64, 0};
	struct dvx_mkey_list_attr attr = {.size = sizeof(attr),
					  .access = DVX_REMOTE_READ | DVX_LOCAL_WRITE,
					  .pd = b->pd,
					  .pieces = &piece,
					  .n = 1,
					  .iova = 0x7000};
	struct dvx_mkey *list;

	signed_open(b, &s, DVX_MKEY_SIGNS);
	signed_describe(&s, SIGNED_BYTES, &sig, NULL);
	piece = (struct dvx_sge){0, SIGNED_BLOCK, dvx_mkey_key(s.mkey)};
	NEED(dvx_mkey_create_of(b->dev, &attr, &list));
	from.lkey = dvx_mkey_key(list);
	NEED(dvx_post_write(s.p.sq, b->addr + SIGNED_THERE, b->key, &from, 1, 1, DVX_SIGNALED));
	dvx_sq_ring(s.p.sq);
	bench_expect_error(s.p.cq[0], PRM_SYNDROME_LOCAL_PROT_ERR,
			   "a WRITE through a list of an mkey with signatures");
}
