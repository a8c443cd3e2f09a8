/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_UD_H
#define DVX_UD_H

/*
 * Datagrams (UD): a queue without a peer. Each message has its own destination, fits into one
 * packet, and may be lost.
 *
 *	dvx_ah_init(dev, &local, &peer, &ah);			once per receiver
 *	dvx_post_ud_send_inline(sq, &ah, "hello", 6, cookie, DVX_SIGNALED);
 *	dvx_sq_ring(sq);
 *
 * A receive begins with 40 bytes (DVX_GRH_BYTES), which byte_count includes: the packet's IPv6
 * header (GRH), or 20 undefined bytes and its IPv4 header. The message follows. dvx_ah_answer()
 * makes the sender's address of these bytes.
 */
#include <dvx/connect.h>
#include <dvx/post.h>

DVX_BEGIN_DECLS

struct dvx_qp;
struct dvx_mcast;

#define DVX_GRH_BYTES 40u

/* The destination QPN of a datagram to a multicast group. */
#define DVX_QPN_GROUP 0xffffffu

/*
 * Bit in the Q_Key of a request: the packet carries the sending queue's Q_Key instead. Such keys
 * are controlled: the kernel lets only privileged programs set one for their queue.
 */
#define DVX_Q_KEY_OWN 0x80000000u

/*
 * An address handle: a destination of datagrams in WQE format (PRM, struct av). It is plain memory
 * and no object of the device, so it can be copied and needs no destruction.
 */
struct dvx_ah {
	uint64_t av[PRM_AV_BYTES / 8];
};

/*
 * Makes an address handle from the local side's port, gid_index, sl, traffic_class, hop_limit and
 * udp_sport, and the peer's qpn, gid, mac, lid and q_key, which a blob carries
 * (dvx_qp_blob_read()). For a multicast group, gid is the group's and qpn is DVX_QPN_GROUP. On RoCE
 * the kernel resolves the MAC from the GID, unless peer->mac is set.
 */
int dvx_ah_init(struct dvx_dev *dev, const struct dvx_qp_local *local,
		const struct dvx_qp_peer *peer, struct dvx_ah *ah);

/*
 * Makes an address handle to the sender of a received datagram: grh points to its first 40 bytes,
 * src_qp comes with its completion (struct dvx_wc, dvx_cqe_src_qp()). `local` is used as above, but
 * GID and traffic class are those of the datagram. Keep the result: the kernel resolves the MAC in
 * each call. RoCE only: else -EOPNOTSUPP.
 */
int dvx_ah_answer(struct dvx_dev *dev, const struct dvx_qp_local *local, const void *grh,
		  uint32_t src_qp, uint32_t q_key, struct dvx_ah *ah);

/* Changes the destination to another queue at the same address. */
DVX_INLINE void dvx_ah_set_qp(struct dvx_ah *ah, uint32_t qpn, uint32_t q_key)
{
	prm_av_set_dqp_dct(ah->av, qpn);
	prm_av_set_qkey(ah->av, q_key);
}

/* Addresses the queue of the address handle, which must stay until the post. */
DVX_INLINE struct dvx_to dvx_to_ah(const struct dvx_ah *ah)
{
	struct dvx_to to = PRM_NOTHING;

	to.av = ah->av;
	to.av_ds = PRM_AV_BYTES / DVX_SEG;
	return to;
}

/*
 * Sends one datagram, of at most the port's MTU: a longer one completes with LOCAL_LENGTH_ERR or is
 * lost. A completion means that it was sent, not that it arrived.
 */
DVX_POST_GATHER(dvx_post_ud_send, SEND, 0, dvx_to_ah(ah), struct dvx_sq *sq,
		const struct dvx_ah *ah)
DVX_POST_INLINE(dvx_post_ud_send_inline, SEND, 0, dvx_to_ah(ah), struct dvx_sq *sq,
		const struct dvx_ah *ah)
DVX_POST_GATHER(dvx_post_ud_send_imm, SEND_IMM, imm, dvx_to_ah(ah), struct dvx_sq *sq,
		const struct dvx_ah *ah, uint32_t imm)
DVX_POST_INLINE(dvx_post_ud_send_imm_inline, SEND_IMM, imm, dvx_to_ah(ah), struct dvx_sq *sq,
		const struct dvx_ah *ah, uint32_t imm)

/*
 * Adds a UD queue to a multicast group: the queue gets a copy of each datagram to the group that
 * carries its Q_Key, including those that it sends. gid is the group's: an IPv6 address of
 * ff00::/8, or ::ffff:a.b.c.d of 224.0.0.0/4. In networks with more than one switch, also call
 * rdma_join_multicast(3). A queue can't be destroyed while it is in a group. PRM: ATTACH_TO_MCG,
 * DETACH_FROM_MCG.
 */
int dvx_mcast_attach(struct dvx_qp *qp, const uint8_t gid[16], struct dvx_mcast **out);
int dvx_mcast_detach(struct dvx_mcast *group);

DVX_END_DECLS

#endif
