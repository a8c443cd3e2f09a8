/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory-to-memory engine: DMA copies between two local keys. An alias is a local key, too. */
#include <dvx/prm/cqe.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "obj/mkey.h"

#define META	16u
#define SRC	32u
#define DEST	48u
#define SCRATCH 64u
#define MMO_CHUNK \
	(256u << 10) /* bytes of one step, small enough that other queues get their turn */

struct side {
	uint32_t lkey;
	uint64_t addr;
	unsigned int rights;
};

static uint64_t length(const uint8_t *seg)
{
	uint32_t n = prm_wqe_data_seg_get_byte_count(seg);

	return n ? n : 1ull << 31;
}

static struct side side_of(const uint8_t *seg, unsigned int rights)
{
	return (struct side){prm_wqe_data_seg_get_lkey(seg), prm_wqe_data_seg_get_addr(seg),
			     rights};
}

static uint8_t mmo_refuse(const struct queue *q, struct send_wr *wr, uint8_t syndrome,
			  const char *why)
{
	obj_refuse(&q->o, "MMO WQE %u: %s", wr->index, why);
	wr->error = syndrome;
	wr->vendor = syndrome == PRM_SYNDROME_LOCAL_QP_OP_ERR ? VENDOR_MMO : 0;
	return syndrome;
}

/* [I] All checks here: public sources show good WQEs only. */
static uint8_t mmo_check(struct queue *q, struct send_wr *wr)
{
	const struct profile *chip = q->o.vhca->dev->profile;
	const uint8_t *src = wr->wqe + SRC, *dest = wr->wqe + DEST;

	wr->len = length(src);
	if (!chip->dma_mmo || !qp_of(q)->mmo)
		return mmo_refuse(q, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR,
				  "qpc_ext.mmo is not enabled");
	if (wr->opmod != PRM_MMO_OPMOD_DMA)
		return mmo_refuse(q, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR, "its opmod is not DMA (1)");
	if (wr->ds != PRM_MMO_WQE_BYTES / META)
		return mmo_refuse(q, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR, "ds is not 4");
	if (prm_wqe_inline_seg_get_is_inline(src) || prm_wqe_inline_seg_get_is_inline(dest))
		return mmo_refuse(q, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR, "an inline segment");
	if (length(dest) != wr->len)
		return mmo_refuse(q, wr, PRM_SYNDROME_LOCAL_LENGTH_ERR,
				  "byte_count of source and destination differ");
	if (chip->log_dma_mmo_max_size && wr->len > 1ull << chip->log_dma_mmo_max_size)
		return mmo_refuse(q, wr, PRM_SYNDROME_LOCAL_LENGTH_ERR,
				  "byte_count is over log_dma_mmo_max_size");
	return 0;
}

void mmo_parse(struct queue *q, struct send_wr *wr)
{
	wqe_probe(q, wr, "mmo_metadata_seg", wr->wqe + META);
	wqe_probe(q, wr, "wqe_data_seg", wr->wqe + SRC);
	wqe_probe(q, wr, "wqe_data_seg", wr->wqe + DEST);
	mmo_check(q, wr);
}

static bool mmo_allowed(struct queue *q, const struct side *s, uint64_t len)
{
	return mkey_part(q->o.vhca, s->lkey, q->pdn, q->o.id, s->addr, &len, s->rights, NULL, 0) >=
	       0;
}

/* Checks both ranges and the scratch buffer before a byte moves. */
static uint8_t check_access(struct queue *q, struct send_wr *wr, const struct side *src,
			    const struct side *dest)
{
	const uint8_t *meta = wr->wqe + META;
	struct side scratch = {prm_mmo_metadata_seg_get_local_key(meta),
			       prm_mmo_metadata_seg_get_local_address(meta), MKEY_LW};

	if (scratch.addr % SCRATCH)
		return mmo_refuse(q, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR,
				  "mmo_meta.local_address is not 64-byte aligned");
	if (!mmo_allowed(q, &scratch, SCRATCH) || !mmo_allowed(q, src, wr->len) ||
	    !mmo_allowed(q, dest, wr->len))
		return PRM_SYNDROME_LOCAL_PROT_ERR;
	return 0;
}

static int mmo_copy(struct host *h, const struct dma_seg *to, const struct dma_seg *from,
		    size_t len)
{
	size_t to_at = 0, from_at = 0, n;
	int err = 0;

	while (len && !err) {
		n = to->len - to_at < from->len - from_at ? to->len - to_at : from->len - from_at;
		err = dma_copy(h, to->addr + to_at, from->addr + from_at, n);
		len -= n;
		to_at += n;
		from_at += n;
		if (to_at == to->len) {
			to++;
			to_at = 0;
		}
		if (from_at == from->len) {
			from++;
			from_at = 0;
		}
	}
	return err;
}

static int mmo_segs(struct queue *q, const struct side *s, uint64_t *len, struct dma_seg *seg)
{
	int n = mkey_part(q->o.vhca, s->lkey, q->pdn, q->o.id, s->addr, len, s->rights, seg,
			  MKEY_SEGS + 1);

	if (n == -MKEY_SIGNED)
		obj_refuse(&q->o, "MMO through mkey 0x%x, which has signatures", s->lkey);
	return n;
}

/* Copies as many bytes as both sides' segments hold; *len: how many. */
static int copy_chunk(struct queue *q, const struct side *dest, const struct side *src,
		      uint64_t *len)
{
	struct dma_seg to[MKEY_SEGS + 1], from[MKEY_SEGS + 1];

	if (mmo_segs(q, src, len, from) < 0 || mmo_segs(q, dest, len, to) < 0)
		return -1;
	return mmo_copy(host_of(&q->o), to, from, (size_t)*len);
}

int mmo_step(struct queue *q, struct send_wr *wr)
{
	struct side src = side_of(wr->wqe + SRC, MKEY_LR);
	struct side dest = side_of(wr->wqe + DEST, MKEY_LW);
	uint64_t left = wr->len - wr->progress;
	uint64_t n = left < MMO_CHUNK ? left : MMO_CHUNK;
	uint8_t err = wr->progress ? 0 : check_access(q, wr, &src, &dest);

	if (err)
		return err;
	post_flush(queues_of(&q->o));
	src.addr += wr->progress;
	dest.addr += wr->progress;
	if (copy_chunk(q, &dest, &src, &n)) {
		queue_unmapped(q, "memory of a copy (MMO)");
		return PRM_SYNDROME_LOCAL_PROT_ERR;
	}
	wr->progress += n;
	return wr->progress == wr->len ? 0 : SQ_AGAIN;
}
