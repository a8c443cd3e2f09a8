/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_DC_H
#define DVX_DC_H

/*
 * Dynamically connected transport: reliable like RC, but one initiator (a queue pair of type
 * DVX_QP_DCI) sends to any number of targets (DCT), and a target receives from any number of
 * initiators. Each work request names its target.
 *
 *	dvx_dct_create(dev, &attr, &local, &dct);		at the receiver
 *	dvx_ah_init(dev, &local, &peer, &ah);	once per target; peer.qpn is its number
 *	dvx_ah_set_dct(&ah, dctn, key);
 *	dvx_post_dc_send_inline(sq, &ah, 0, "hello", 6, cookie, DVX_SIGNALED);
 *	dvx_sq_ring(sq);
 *
 * The device connects and disconnects when the target changes: a request for another target than
 * the one before waits until the earlier requests are done, unless it is on another stream. Each
 * stream (dvx_qp_attr.log_dci_streams) has a connection of its own. Completions come in the order
 * of the posts.
 */
#include <dvx/connect.h>
#include <dvx/ud.h>

DVX_BEGIN_DECLS

struct dvx_dct;

/* Attributes of a target. Messages take receives from the SRQ and complete in the CQ. */
struct dvx_dct_attr {
	uint32_t size;
	uint32_t user_index; /* in its CQEs; 24 bits, 0xffffff excluded */
	uint64_t key;	     /* requests without it are not answered */
	struct dvx_pd *pd;
	struct dvx_cq *cq;
	struct dvx_srq *srq;
};
/*
 * Makes a target, which can receive at once. Reads these members of *local: access, port,
 * gid_index, pkey_index, mtu_log, sl, traffic_class, hop_limit, min_rnr_timer. PRM: CREATE_DCT.
 */
int dvx_dct_create(struct dvx_dev *dev, const struct dvx_dct_attr *attr,
		   const struct dvx_qp_local *local, struct dvx_dct **out);
int dvx_dct_destroy(struct dvx_dct *dct);
uint32_t dvx_dct_number(const struct dvx_dct *dct);

/*
 * Writes the target's connection blob (connect.h). An initiator's dvx_qp_blob_read() makes the peer
 * for dvx_ah_init() from it, whose qpn is the target's number. The blob does not contain the key:
 * send that to the initiators separately.
 */
int dvx_dct_blob_write(struct dvx_dct *dct, const struct dvx_qp_local *local,
		       uint8_t blob[DVX_QP_BLOB_BYTES]);

/*
 * Asks for one event, DCT_KEY_VIOLATION (dvx_events_watch_dct()), at the next message with a wrong
 * key. Call it again after each event. PRM: ARM_DCT_FOR_KEY_VIOLATION.
 */
int dvx_dct_arm(struct dvx_dct *dct);

/*
 * Restarts a stream that stopped because a request failed; while it is stopped, its posts are
 * flushed. -EINVAL: the queue has no streams.
 */
int dvx_dci_reset_stream(struct dvx_qp *qp, uint16_t stream);

/* Makes the address handle lead to this target. */
DVX_INLINE void dvx_ah_set_dct(struct dvx_ah *ah, uint32_t dctn, uint64_t key)
{
	prm_av_set_dc_key(ah->av, key);
	prm_av_set_dqp_dct(ah->av, dctn);
}

/* The address segments of a request: the target, and the address and key of its memory. */
struct dvx_dc_segs {
	uint64_t av[PRM_AV_BYTES / 8];
	uint64_t raddr[DVX_SEG / 8];
};

DVX_INLINE struct dvx_to dvx_to_dct(const struct dvx_ah *ah, uint16_t stream)
{
	struct dvx_to to = {ah->av, PRM_AV_BYTES / DVX_SEG, stream};

	return to;
}

DVX_INLINE struct dvx_to dvx_to_dct_at(struct dvx_dc_segs *segs, const struct dvx_ah *ah,
				       uint16_t stream, uint64_t raddr, uint32_t rkey)
{
	struct dvx_to to = {segs, sizeof(*segs) / DVX_SEG, stream};

	__builtin_memcpy(segs->av, ah->av, sizeof(segs->av));
	dvx_wqe_raddr(segs->raddr, raddr, rkey);
	return to;
}

DVX_INLINE int dvx_post_dc_send(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
				const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				uint32_t flags)
{
	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_SEND, 0, dvx_to_dct(ah, stream), sge, n, wr_id,
				  flags);
}

DVX_INLINE int dvx_post_dc_send_imm(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
				    uint32_t imm, const struct dvx_sge *sge, uint32_t n,
				    uint64_t wr_id, uint32_t flags)
{
	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_SEND_IMM, imm, dvx_to_dct(ah, stream), sge, n,
				  wr_id, flags);
}

DVX_INLINE int dvx_post_dc_send_inline(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
				       const void *data, uint32_t len, uint64_t wr_id,
				       uint32_t flags)
{
	return dvx_post_inline_to(sq, PRM_WQE_OPCODE_SEND, 0, dvx_to_dct(ah, stream), data, len,
				  wr_id, flags);
}

DVX_INLINE int dvx_post_dc_write(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
				 uint64_t raddr, uint32_t rkey, const struct dvx_sge *sge,
				 uint32_t n, uint64_t wr_id, uint32_t flags)
{
	struct dvx_dc_segs segs;

	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_RDMA_WRITE, 0,
				  dvx_to_dct_at(&segs, ah, stream, raddr, rkey), sge, n, wr_id,
				  flags);
}

DVX_INLINE int dvx_post_dc_write_imm(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
				     uint32_t imm, uint64_t raddr, uint32_t rkey,
				     const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				     uint32_t flags)
{
	struct dvx_dc_segs segs;

	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_RDMA_WRITE_IMM, imm,
				  dvx_to_dct_at(&segs, ah, stream, raddr, rkey), sge, n, wr_id,
				  flags);
}

DVX_INLINE int dvx_post_dc_write_inline(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
					uint64_t raddr, uint32_t rkey, const void *data,
					uint32_t len, uint64_t wr_id, uint32_t flags)
{
	struct dvx_dc_segs segs;

	return dvx_post_inline_to(sq, PRM_WQE_OPCODE_RDMA_WRITE, 0,
				  dvx_to_dct_at(&segs, ah, stream, raddr, rkey), data, len, wr_id,
				  flags);
}

DVX_INLINE int dvx_post_dc_read(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
				uint64_t raddr, uint32_t rkey, const struct dvx_sge *sge,
				uint32_t n, uint64_t wr_id, uint32_t flags)
{
	struct dvx_dc_segs segs;

	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_RDMA_READ, 0,
				  dvx_to_dct_at(&segs, ah, stream, raddr, rkey), sge, n, wr_id,
				  flags);
}

/* The segments of an atomic of 8 bytes; dvx_post_dc_cas() and _faa() work as those of atomic.h. */
struct dvx_dc_atomic_segs {
	struct dvx_dc_segs at;
	uint64_t operands[DVX_SEG / 8];
};

DVX_INLINE int dvx_post_dc_atomic(struct dvx_sq *sq, uint8_t opcode, const struct dvx_ah *ah,
				  uint16_t stream, uint64_t raddr, uint32_t rkey,
				  struct prm_wqe_atomic_seg_args operands, uint64_t *old,
				  uint32_t lkey, uint64_t wr_id, uint32_t flags)
{
	struct dvx_sge piece = {(uintptr_t)old, sizeof(*old), lkey};
	struct dvx_dc_atomic_segs segs;
	struct dvx_to to = dvx_to_dct_at(&segs.at, ah, stream, raddr, rkey);

	prm_wqe_atomic_seg_pack_args(segs.operands, operands);
	to.seg = &segs;
	to.ds = sizeof(segs) / DVX_SEG;
	return dvx_post_gather_to(sq, opcode, 0, to, &piece, 1, wr_id, flags);
}

/* Compares 8 bytes with `compare`; if they are equal, replaces them by `swap`. */
DVX_INLINE int dvx_post_dc_cas(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
			       uint64_t raddr, uint32_t rkey, uint64_t compare, uint64_t swap,
			       uint64_t *old, uint32_t lkey, uint64_t wr_id, uint32_t flags)
{
	struct prm_wqe_atomic_seg_args a = PRM_NOTHING;

	a.swap_add = swap;
	a.compare = compare;
	return dvx_post_dc_atomic(sq, PRM_WQE_OPCODE_ATOMIC_CS, ah, stream, raddr, rkey, a, old,
				  lkey, wr_id, flags);
}

/* Fetches 8 bytes and adds `add` to them. */
DVX_INLINE int dvx_post_dc_faa(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
			       uint64_t raddr, uint32_t rkey, uint64_t add, uint64_t *old,
			       uint32_t lkey, uint64_t wr_id, uint32_t flags)
{
	struct prm_wqe_atomic_seg_args a = PRM_NOTHING;

	a.swap_add = add;
	return dvx_post_dc_atomic(sq, PRM_WQE_OPCODE_ATOMIC_FA, ah, stream, raddr, rkey, a, old,
				  lkey, wr_id, flags);
}

DVX_END_DECLS

#endif
