/* SPDX-License-Identifier: BSD-2-Clause */
/* Templates: the same request in every block of a ring (doc/design/0002). */
#include <dvx/template.h>
#include "priv.h"

static int template_check(const struct dvx_sq *sq, const struct dvx_template *out, const char *who)
{
	int err = dvx_check_not_null(who, "sq", sq, "out", out, NULL);

	if (err)
		return err;
	if (sq->pi - sq->ci > sq->mask + 1)
		return dvx_fail(EBUSY, "%s: the ring has a template: dvx_template_end() first",
				who);
	if (sq->pi != sq->ci)
		return dvx_fail(EBUSY, "%s: %u blocks of the ring were not polled", who,
				sq->pi - sq->ci);
	return 0;
}

/* A ring of one block, to which the ordinary calls post the request for the template. */
struct template_block {
	struct dvx_sq sq;
	struct dvx_sq_slot slot;
	_Alignas(DVX_BLOCK) uint8_t wqe[DVX_BLOCK];
};

static void template_block_init(struct template_block *b, const struct dvx_sq *sq)
{
	memset(b, 0, sizeof(*b));
	b->sq.buf = b->wqe;
	b->sq.slots = &b->slot;
	b->sq.qpn_be = sq->qpn_be;
}

static int template_begin(struct dvx_sq *sq, const struct template_block *b, uint32_t len,
			  struct dvx_template *out)
{
	uint32_t i;

	for (i = 0; i < dvx_sq_blocks(sq); i++)
		memcpy(sq->buf + (size_t)i * DVX_BLOCK, b->wqe, DVX_BLOCK);
	out->head = b->sq.head;
	out->limit = sq->ci + dvx_sq_blocks(sq);
	out->len = len;
	sq->ci ^= DVX_SQ_TAKEN;
	return 0;
}

int dvx_template_write_inline(struct dvx_sq *sq, uint32_t rkey, uint32_t len, uint32_t flags,
			      struct dvx_template *out)
{
	static const uint8_t data[DVX_BLOCK];
	struct template_block b;
	int err = template_check(sq, out, "dvx_template_write_inline");

	if (err)
		return err;
	if (!len || len > DVX_BLOCK - 2 * DVX_SEG - PRM_WQE_INLINE_SEG_BYTES)
		return -EMSGSIZE;
	template_block_init(&b, sq);
	err = dvx_post_write_inline(&b.sq, 0, rkey, data, len, 0, flags);
	return err ? err : template_begin(sq, &b, len, out);
}

static int template_piece(const char *who, struct dvx_sq *sq, uint8_t opcode, uint32_t rkey,
			  struct dvx_sge piece, uint32_t flags, struct dvx_template *out)
{
	struct template_block b;
	int err = template_check(sq, out, who);

	if (err)
		return err;
	template_block_init(&b, sq);
	err = dvx_post_gather(&b.sq, opcode, 0, dvx_to_memory(dvx_to_peer(), 0, rkey), &piece, 1, 0,
			      flags);
	return err ? err : template_begin(sq, &b, 0, out);
}

int dvx_template_write(struct dvx_sq *sq, uint32_t rkey, uint32_t lkey, uint32_t len,
		       uint32_t flags, struct dvx_template *out)
{
	struct dvx_sge piece = {.length = len, .lkey = lkey};

	return template_piece("dvx_template_write", sq, PRM_WQE_OPCODE_RDMA_WRITE, rkey, piece,
			      flags, out);
}

int dvx_template_read(struct dvx_sq *sq, uint32_t rkey, uint32_t lkey, uint32_t len, uint32_t flags,
		      struct dvx_template *out)
{
	struct dvx_sge piece = {.length = len, .lkey = lkey};

	return template_piece("dvx_template_read", sq, PRM_WQE_OPCODE_RDMA_READ, rkey, piece, flags,
			      out);
}

int dvx_template_end(struct dvx_sq *sq)
{
	int err = dvx_check_not_null("dvx_template_end", "sq", sq, NULL);
	uint32_t used;

	if (err)
		return err;
	used = sq->pi - (sq->ci ^ DVX_SQ_TAKEN);
	if (sq->pi - sq->ci <= sq->mask + 1)
		return dvx_fail(EINVAL, "dvx_template_end: the ring has no template");
	if (used)
		return dvx_fail(EBUSY, "dvx_template_end: %u of its requests were not polled",
				used);
	sq->ci = sq->pi;
	return 0;
}
