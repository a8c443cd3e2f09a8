/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_UD_H
#define DVX_UD_H

/*
 * Datagrams (UD): a queue without a peer, whose messages fit into one packet each and may be lost.
 * Each says where it goes.
 *
 *	dvx_ah_init(dev, &local, &peer, &ah);			once per receiver
 *	dvx_post_ud_send_inline(sq, &ah, "hello", 6, cookie, DVX_SIGNALED);
 *	dvx_sq_ring(sq);
 *
 * A receive begins with 40 bytes (DVX_GRH_BYTES), which byte_count counts, too: the packet's IPv6
 * header (GRH), or 20 bytes of no meaning and its IPv4 header. The message follows. Whoever wants
 * to answer gives them to dvx_ah_answer().
 */
#include <dvx/connect.h>
#include <dvx/post_to.h>

DVX_BEGIN_DECLS

struct dvx_qp;
struct dvx_mcast;

#define DVX_GRH_BYTES 40u

/* The queue number of a datagram to a multicast group. */
#define DVX_QPN_GROUP 0xffffffu

/*
 * In a datagram's Q_Key, not in a queue's: the sending queue's own Q_Key is sent. So a program
 * can't make up keys of this kind, which the kernel gives only to the privileged.
 */
#define DVX_Q_KEY_OWN 0x80000000u

/*
 * Where datagrams go, as WQEs have it (PRM, struct av). Not an object of the device: copy it, keep
 * one for each receiver, throw it away.
 */
struct dvx_ah {
	uint64_t av[PRM_AV_BYTES / 8];
};

/*
 * From port, gid_index, sl, traffic_class, hop_limit and udp_sport of the own side and the peer's
 * qpn, gid, mac, lid and q_key; a blob carries those (dvx_qp_blob_read()). A group: its GID, qpn
 * DVX_QPN_GROUP. On RoCE the kernel resolves the MAC from the GID, unless the caller knows it.
 */
int dvx_ah_init(struct dvx_dev *dev, const struct dvx_qp_local *local,
		const struct dvx_qp_peer *peer, struct dvx_ah *ah);

/*
 * Back to the sender of a received datagram: grh is its first 40 bytes, src_qp comes with its
 * completion (struct dvx_wc, dvx_cqe_src_qp()). local is as above, but for the GID and the traffic
 * class, which are those that the datagram came with. Keep the result: the kernel resolves the MAC
 * each time. RoCE only: elsewhere -EOPNOTSUPP.
 */
int dvx_ah_answer(struct dvx_dev *dev, const struct dvx_qp_local *local, const void *grh,
		  uint32_t src_qp, uint32_t q_key, struct dvx_ah *ah);

/* Another queue at the same address. */
DVX_INLINE void dvx_ah_set_qp(struct dvx_ah *ah, uint32_t qpn, uint32_t q_key)
{
	prm_av_set_dqp_dct(ah->av, qpn);
	prm_av_set_qkey(ah->av, q_key);
}

DVX_INLINE struct dvx_to dvx_to_ah(const struct dvx_ah *ah)
{
	struct dvx_to to = {ah->av, PRM_AV_BYTES / DVX_SEG, 0};

	return to;
}

/*
 * One datagram, of at most the port's MTU: a longer one completes with LOCAL_LENGTH_ERR or is lost.
 * A completion says that it was sent; whether it arrived, nobody knows.
 */
DVX_INLINE int dvx_post_ud_send(struct dvx_sq *sq, const struct dvx_ah *ah,
				const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				uint32_t flags)
{
	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_SEND, 0, dvx_to_ah(ah), sge, n, wr_id, flags);
}

DVX_INLINE int dvx_post_ud_send_imm(struct dvx_sq *sq, const struct dvx_ah *ah, uint32_t imm,
				    const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				    uint32_t flags)
{
	return dvx_post_gather_to(sq, PRM_WQE_OPCODE_SEND_IMM, imm, dvx_to_ah(ah), sge, n, wr_id,
				  flags);
}

DVX_INLINE int dvx_post_ud_send_inline(struct dvx_sq *sq, const struct dvx_ah *ah, const void *data,
				       uint32_t len, uint64_t wr_id, uint32_t flags)
{
	return dvx_post_inline_to(sq, PRM_WQE_OPCODE_SEND, 0, dvx_to_ah(ah), data, len, wr_id,
				  flags);
}

DVX_INLINE int dvx_post_ud_send_imm_inline(struct dvx_sq *sq, const struct dvx_ah *ah, uint32_t imm,
					   const void *data, uint32_t len, uint64_t wr_id,
					   uint32_t flags)
{
	return dvx_post_inline_to(sq, PRM_WQE_OPCODE_SEND_IMM, imm, dvx_to_ah(ah), data, len, wr_id,
				  flags);
}

/*
 * A UD queue joins a multicast group: it gets a copy of each datagram to it that carries its Q_Key,
 * its own too. gid is the group's: an IPv6 address of ff00::/8, or ::ffff:a.b.c.d of 224.0.0.0/4.
 * Fabrics with more than one switch must be told as well: rdma_join_multicast(3). A queue can't be
 * destroyed while it is in a group. PRM: ATTACH_TO_MCG, DETACH_FROM_MCG.
 */
int dvx_mcast_attach(struct dvx_qp *qp, const uint8_t gid[16], struct dvx_mcast **out);
int dvx_mcast_detach(struct dvx_mcast *group);

DVX_END_DECLS

#endif
