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
#include <dvx/atomic.h>
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

/* Addresses a target on one of the initiator's streams. */
DVX_INLINE struct dvx_to dvx_to_dct(const struct dvx_ah *ah, uint16_t stream)
{
	struct dvx_to to = dvx_to_ah(ah);

	to.stream = stream;
	return to;
}

/* Addresses memory of a target. */
DVX_INLINE struct dvx_to dvx_to_dct_at(const struct dvx_ah *ah, uint16_t stream, uint64_t raddr,
				       uint32_t rkey)
{
	return dvx_to_memory(dvx_to_dct(ah, stream), raddr, rkey);
}

DVX_POST_GATHER(dvx_post_dc_send, SEND, 0, dvx_to_dct(ah, stream), struct dvx_sq *sq,
		const struct dvx_ah *ah, uint16_t stream)
DVX_POST_INLINE(dvx_post_dc_send_inline, SEND, 0, dvx_to_dct(ah, stream), struct dvx_sq *sq,
		const struct dvx_ah *ah, uint16_t stream)
DVX_POST_GATHER(dvx_post_dc_send_imm, SEND_IMM, imm, dvx_to_dct(ah, stream), struct dvx_sq *sq,
		const struct dvx_ah *ah, uint16_t stream, uint32_t imm)
DVX_POST_GATHER(dvx_post_dc_write, RDMA_WRITE, 0, dvx_to_dct_at(ah, stream, raddr, rkey),
		struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream, uint64_t raddr,
		uint32_t rkey)
DVX_POST_INLINE(dvx_post_dc_write_inline, RDMA_WRITE, 0, dvx_to_dct_at(ah, stream, raddr, rkey),
		struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream, uint64_t raddr,
		uint32_t rkey)
DVX_POST_GATHER(dvx_post_dc_write_imm, RDMA_WRITE_IMM, imm, dvx_to_dct_at(ah, stream, raddr, rkey),
		struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream, uint32_t imm,
		uint64_t raddr, uint32_t rkey)
DVX_POST_GATHER(dvx_post_dc_read, RDMA_READ, 0, dvx_to_dct_at(ah, stream, raddr, rkey),
		struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream, uint64_t raddr,
		uint32_t rkey)

/* Compares and swaps 8 bytes, as dvx_post_cas() (atomic.h). */
DVX_INLINE int dvx_post_dc_cas(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
			       uint64_t raddr, uint32_t rkey, uint64_t compare, uint64_t swap,
			       uint64_t *old, uint32_t lkey, uint64_t wr_id, uint32_t flags)
{
	struct dvx_to to = dvx_to_dct_at(ah, stream, raddr, rkey);

	return dvx_post_atomic(sq, PRM_WQE_OPCODE_ATOMIC_CS, dvx_to_operands(to, swap, compare),
			       old, sizeof(*old), lkey, wr_id, flags);
}

/* Fetches 8 bytes and adds to them, as dvx_post_faa(). */
DVX_INLINE int dvx_post_dc_faa(struct dvx_sq *sq, const struct dvx_ah *ah, uint16_t stream,
			       uint64_t raddr, uint32_t rkey, uint64_t add, uint64_t *old,
			       uint32_t lkey, uint64_t wr_id, uint32_t flags)
{
	struct dvx_to to = dvx_to_dct_at(ah, stream, raddr, rkey);

	return dvx_post_atomic(sq, PRM_WQE_OPCODE_ATOMIC_FA, dvx_to_operands(to, add, 0), old,
			       sizeof(*old), lkey, wr_id, flags);
}

DVX_END_DECLS

#endif
