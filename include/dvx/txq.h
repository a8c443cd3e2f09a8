/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TXQ_H
#define DVX_TXQ_H

/*
 * Send queues of raw packets: an SQ, with the ring of sq.h, and a TIS of its own. Frames go through
 * the TX tables (flow.h) to the wire unchanged, with an FCS added.
 *
 *	dvx_post_eth(sq, frame, DVX_ETH_HEADER, &rest, 1, cookie, DVX_SIGNALED);
 *	dvx_sq_ring(sq);
 */
#include <dvx/cq.h>
#include <dvx/mem.h>
#include <dvx/post.h>

DVX_BEGIN_DECLS

struct dvx_txq;

enum dvx_txq_flags {
	DVX_TXQ_REAL_TIME = 1 << 0, /* CQEs have the time of day (clock.h) */
	/* Cross-channel (cross.h), if the device has it (PRM: cd). */
	DVX_TXQ_MASTER = 1 << 1,  /* its requests may start managed queues */
	DVX_TXQ_MANAGED = 1 << 2, /* requests of a master set how far it sends */
	/* The queue writes steering rules (hws.h), and sends no packets. */
	DVX_TXQ_RULES = 1 << 3,
};

struct dvx_txq_attr {
	uint32_t size;
	uint32_t flags; /* enum dvx_txq_flags */
	struct dvx_pd *pd;
	struct dvx_cq *cq; /* has an entry for each block of the queue */
	struct dvx_uar *uar;
	uint32_t sq_blocks;	/* at least; one for each 64 bytes of WQE */
	uint32_t user_index;	/* in CQEs: dvx_cqe_user_index(); 24 bits, 0xffffff excluded */
	struct dvx_place place; /* of the ring */
};

/* Makes a queue that is ready to send. Needs CAP_NET_RAW on a kernel's device. PRM: CREATE_TIS,
 * CREATE_SQ, MODIFY_SQ to RDY. */
int dvx_txq_create(struct dvx_dev *dev, const struct dvx_txq_attr *attr, struct dvx_txq **out);

int dvx_txq_destroy(struct dvx_txq *txq);
struct dvx_sq *dvx_txq_ring(struct dvx_txq *txq);
uint32_t dvx_txq_sqn(const struct dvx_txq *txq);
/*
 * Returns how many of a frame's first bytes must be inside the WQE on this device: 0, or
 * DVX_ETH_HEADER. PRM: wqe_inline_mode.
 */
uint32_t dvx_txq_inline(const struct dvx_txq *txq);

/*
 * Returns how many packets dvx_post_eth_multi() takes at most; 0: the device lacks the request, or
 * needs headers inside the WQE. PRM: enhanced_multi_pkt_send_wqe.
 */
uint32_t dvx_txq_multi(const struct dvx_txq *txq);

/* Returns how many bytes dvx_post_eth_tso() takes, without headers; 0: none. PRM: max_lso_cap. */
uint32_t dvx_txq_tso(const struct dvx_txq *txq);

/* Flags of dvx_post_eth*() besides those of enum dvx_post_flags: eth_cs_flag, shifted by 16. */
enum dvx_eth_flags {
	DVX_ETH_L3_CSUM = 0x400000, /* the device fills in the IPv4 header's checksum */
	DVX_ETH_L4_CSUM = 0x800000, /* the device fills in the checksum of TCP or UDP */
};
#define DVX_ETH_CSUM (DVX_ETH_L3_CSUM | DVX_ETH_L4_CSUM)

/* Bytes of an Ethernet header with a VLAN tag. */
#define DVX_ETH_HEADER 18u

/* Returns how many segments an Ethernet segment takes with `len` bytes of the frame in it. */
DVX_INLINE uint32_t dvx_wqe_eth_ds(uint32_t len)
{
	return len > 2 ? 1 + (len - 2 + DVX_SEG - 1) / DVX_SEG : 1;
}

/* Writes an Ethernet segment. mss: of a large send, else 0. */
DVX_INLINE void dvx_wqe_eth(uint8_t *seg, const void *header, uint32_t len, uint16_t mss,
			    uint32_t flags)
{
	struct prm_wqe_eth_seg_args a = PRM_NOTHING;

	a.cs_flags = flags >> 16 & 0xff;
	a.mss = mss;
	a.inline_hdr_sz = len;
	prm_wqe_eth_seg_pack_args(seg, a);
	dvx_wqe_copy(seg + DVX_SEG - 2, header, len);
}

/*
 * Sends a frame: its first `len` bytes (dvx_txq_inline() at least) are copied into the WQE from
 * `header`; the device reads the rest from memory. Returns the errors of post.h, as all calls here.
 */
DVX_INLINE int dvx_post_eth(struct dvx_sq *sq, const void *header, uint32_t len,
			    const struct dvx_sge *sge, uint32_t n, uint64_t wr_id, uint32_t flags)
{
	uint32_t eth = dvx_wqe_eth_ds(len), ds = 1 + eth + n;
	struct dvx_sq_place p;
	int err;

	if (DVX_UNLIKELY(len > DVX_MAX_DS * DVX_SEG || n > DVX_MAX_DS ||
			 dvx_wqe_bad_length(sge, n)))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags & ~(uint32_t)DVX_ETH_CSUM, &p);
	if (DVX_UNLIKELY(err))
		return err;
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_SEND, 0, ds, flags, 0);
	dvx_wqe_eth(p.wqe + DVX_SEG, header, len, 0, flags);
	dvx_wqe_gather(p.wqe + DVX_SEG * (1 + eth), sge, n);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* Greater than any packet's length. A power of two, so that one comparison checks all lengths. */
#define DVX_ETH_LONGEST 0x10000u

/*
 * Sends n packets, 1 to dvx_txq_multi(), by one request; each is a piece of memory. They share
 * flags, cookie and completion. If that is an error, some may have been sent. -EMSGSIZE: no packet
 * or too many, or a length of 0 or over 64 KiB.
 */
DVX_INLINE int dvx_post_eth_multi(struct dvx_sq *sq, const struct dvx_sge *packets, uint32_t n,
				  uint64_t wr_id, uint32_t flags)
{
	uint32_t ds = 2 + n, pi = sq->pi, odd = 0, i;
	uint64_t head = sq->head;
	struct dvx_sq_place p;
	int err;

	if (DVX_UNLIKELY(!n || n > DVX_MAX_DS))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags & ~(uint32_t)DVX_ETH_CSUM, &p);
	if (DVX_UNLIKELY(err))
		return err;
		/* Checks and writes in one loop: a WQE that is not committed has no effect. */
#pragma GCC unroll 4
	for (i = 0; i < n; i++) {
		odd |= (uint32_t)dvx_sge_word(&packets[i]) - 1;
		dvx_wqe_data_from(p.wqe + (2 + i) * DVX_SEG, &packets[i], DVX_ETH_LONGEST);
	}
	if (DVX_UNLIKELY(odd >= DVX_ETH_LONGEST)) {
		sq->pi = pi; /* also takes padding back */
		sq->head = head;
		return -EMSGSIZE;
	}
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_ENHANCED_MPSW, 0, ds, flags, 0);
	dvx_wqe_eth(p.wqe + DVX_SEG, NULL, 0, 0, flags);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* Value of inline_hdr_sz: inline_hdr_start is a VLAN tag to insert, and no bytes are inline. */
#define DVX_ETH_INSERT_VLAN 0x8000u

/*
 * Sends a frame into which the device inserts a VLAN tag, 0x8100 and `tci` (priority, DEI, VLAN),
 * behind the addresses. Only if dvx_txq_inline() is 0: the tag takes the header's place in the WQE.
 */
DVX_INLINE int dvx_post_eth_vlan(struct dvx_sq *sq, uint16_t tci, const struct dvx_sge *sge,
				 uint32_t n, uint64_t wr_id, uint32_t flags)
{
	struct prm_wqe_eth_seg_args a = PRM_NOTHING;
	uint32_t ds = 2 + n;
	struct dvx_sq_place p;
	int err;

	if (DVX_UNLIKELY(n > DVX_MAX_DS || dvx_wqe_bad_length(sge, n)))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags & ~(uint32_t)DVX_ETH_CSUM, &p);
	if (DVX_UNLIKELY(err))
		return err;
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_SEND, 0, ds, flags, 0);
	a.cs_flags = flags >> 16 & 0xff;
	a.inline_hdr_sz = DVX_ETH_INSERT_VLAN;
	a.inline_hdr_start = tci;
	prm_wqe_eth_seg_pack_args(p.wqe + DVX_SEG, a);
	dvx_wqe_gather(p.wqe + 2 * DVX_SEG, sge, n);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* The fewest header bytes of a large send: an Ethernet header without a tag. */
#define DVX_ETH_LEAST 14u

/*
 * Makes a large send (TSO): the device cuts the pieces into packets of `mss` bytes, and puts `len`
 * bytes of headers before each. The headers, from Ethernet to TCP or UDP with a VLAN tag if any,
 * are copied into the WQE. The device updates their lengths, sequence numbers and flags, and with
 * DVX_ETH_L3_CSUM and DVX_ETH_L4_CSUM the checksums. All pieces together have at most dvx_txq_tso()
 * bytes; only the device checks that.
 */
DVX_INLINE int dvx_post_eth_tso(struct dvx_sq *sq, const void *headers, uint32_t len, uint16_t mss,
				const struct dvx_sge *sge, uint32_t n, uint64_t wr_id,
				uint32_t flags)
{
	uint32_t eth = dvx_wqe_eth_ds(len), ds = 1 + eth + n;
	struct dvx_sq_place p;
	int err;

	if (DVX_UNLIKELY(len < DVX_ETH_LEAST || len > DVX_MAX_DS * DVX_SEG || !mss ||
			 n - 1 >= DVX_MAX_DS || dvx_wqe_bad_length(sge, n)))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags & ~(uint32_t)DVX_ETH_CSUM, &p);
	if (DVX_UNLIKELY(err))
		return err;
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_TSO, 0, ds, flags, 0);
	dvx_wqe_eth(p.wqe + DVX_SEG, headers, len, mss, flags);
	dvx_wqe_gather(p.wqe + DVX_SEG * (1 + eth), sge, n);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

/* Sends a frame whose rest, data[0..n-1], n >= 1, is copied into the WQE, too. */
DVX_INLINE int dvx_post_eth_inline(struct dvx_sq *sq, const void *header, uint32_t len,
				   const void *data, uint32_t n, uint64_t wr_id, uint32_t flags)
{
	uint32_t eth = dvx_wqe_eth_ds(len), ds = 1 + eth + dvx_wqe_inline_ds(n);
	struct dvx_sq_place p;
	int err;

	if (DVX_UNLIKELY(len > DVX_MAX_DS * DVX_SEG || n > DVX_MAX_DS * DVX_SEG))
		return -EMSGSIZE;
	err = dvx_post_claim(sq, ds, flags & ~(uint32_t)DVX_ETH_CSUM, &p);
	if (DVX_UNLIKELY(err))
		return err;
	dvx_sq_ctrl(sq, &p, PRM_WQE_OPCODE_SEND, 0, ds, flags, 0);
	dvx_wqe_eth(p.wqe + DVX_SEG, header, len, 0, flags);
	dvx_wqe_inline(p.wqe + DVX_SEG * (1 + eth), data, n);
	dvx_sq_commit(sq, &p, wr_id);
	return 0;
}

DVX_END_DECLS

#endif
