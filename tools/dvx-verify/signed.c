/* SPDX-License-Identifier: BSD-2-Clause */
#include "signed.h"

void signed_open(struct bench *b, struct signed_pair *s, uint32_t flags)
{
	struct dvx_mkey_sig_attr attr = {
		.size = sizeof(attr), .flags = flags, .pd = b->pd, .max_pieces = 1};

	s->b = b;
	NEED(dvx_mkey_create_sig(b->dev, &attr, &s->mkey));
	for (uint32_t i = 0; i < SIGNED_BYTES; i++)
		s->data[i] = (uint8_t)(i * 7 + i / 256);
	memcpy(b->buf, s->data, SIGNED_BYTES);
	bench_pair_make(b, &s->p);
}

void signed_post(struct signed_pair *s, uint32_t bytes, const struct dvx_sig *sig,
		 const struct dvx_crypt *crypt)
{
	struct dvx_sge piece = {s->b->addr, bytes, s->b->key};

	NEED(dvx_post_umr_sig(s->p.sq, dvx_mkey_sig(s->mkey), BENCH_ACCESS, &piece, 1, sig, crypt,
			      1, DVX_SIGNALED));
}

void signed_describe(struct signed_pair *s, uint32_t bytes, const struct dvx_sig *sig,
		     const struct dvx_crypt *crypt)
{
	signed_post(s, bytes, sig, crypt);
	dvx_sq_ring(s->p.sq);
	bench_need_done(s->p.cq[0], "the description of an mkey");
}

void signed_write(struct signed_pair *s, uint64_t at, uint32_t len)
{
	struct dvx_sge from = {at, len, dvx_mkey_key(s->mkey)};

	NEED(dvx_post_write(s->p.sq, s->b->addr + SIGNED_THERE, s->b->key, &from, 1, 1,
			    DVX_SIGNALED));
	dvx_sq_ring(s->p.sq);
}

struct dvx_sig_error signed_wrong(struct signed_pair *s, struct dvx_cq *cq, const char *what)
{
	const void *cqe = bench_wait(cq);
	struct dvx_sig_error e;

	EXPECT(cqe, "%s: no report of a wrong signature in two seconds", what);
	EXPECT(dvx_cqe_is_sig_error(cqe), "%s: opcode 0x%x, not a report of a wrong signature",
	       what, dvx_cqe_opcode(cqe));
	EXPECT(!dvx_sig_error_read(dvx_mkey_sig(s->mkey), cqe, &e),
	       "%s: a report of another key's signature", what);
	dvx_cq_pop(cq);
	return e;
}

void signed_good(struct signed_pair *s, const char *what)
{
	const void *cqe = bench_wait(s->p.cq[0]);

	EXPECT(!cqe || !dvx_cqe_is_sig_error(cqe), "%s: a wrong signature was reported", what);
	bench_expect_done(s->p.cq[0], what);
}

uint64_t signed_crc(uint64_t polynomial, uint64_t seed, const uint8_t *data)
{
	uint64_t crc = seed;

	for (uint32_t i = 0; i < SIGNED_BLOCK; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	}
	return ~crc;
}
