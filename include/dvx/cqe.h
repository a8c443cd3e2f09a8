/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_CQE_H
#define DVX_CQE_H

/*
 * Reading a completion (PRM, "Completion Queue Entry Format"). The pointer comes from dvx_cq_peek()
 * and is good until dvx_cq_pop() or dvx_cq_publish().
 */
#include <dvx/common.h>
#include <dvx/prm/cqe.h>

DVX_BEGIN_DECLS

#define DVX_CQE_BYTES 64u

/* Opcode, format, solicited event and owner bit share the last byte. */
#define DVX_CQE_FORMAT 0x0cu /* all set: compressed */

DVX_INLINE uint8_t dvx_cqe_op_own(const void *cqe)
{
	return ((const uint8_t *)cqe)[DVX_CQE_BYTES - 1];
}

/* Returns the format bits of the last byte: whether the CQE holds data, or is compressed. */
DVX_INLINE uint8_t dvx_cqe_format(const void *cqe)
{
	return dvx_cqe_op_own(cqe) & DVX_CQE_FORMAT;
}

/* Returns an enum prm_cqe_opcode: REQ for sends, RESP_* for receives, *_ERR for errors. */
DVX_INLINE uint8_t dvx_cqe_opcode(const void *cqe)
{
	return dvx_cqe_op_own(cqe) >> 4;
}

/* The lowest last byte of an error CQE: the error opcodes are the greatest ones. */
#define DVX_CQE_ERRORS (PRM_CQE_OPCODE_SIG_ERR << 4)

DVX_INLINE bool dvx_cqe_is_error(const void *cqe)
{
	return dvx_cqe_op_own(cqe) >= DVX_CQE_ERRORS;
}

/* Returns true for a completion of a send queue, false for one of a receive queue. */
DVX_INLINE bool dvx_cqe_is_send(const void *cqe)
{
	uint8_t op = dvx_cqe_opcode(cqe);

	return op == PRM_CQE_OPCODE_REQ || op == PRM_CQE_OPCODE_REQ_ERR;
}

/* Returns the number that a DevX queue was created with (dvx_qp_attr.user_index). */
DVX_INLINE uint32_t dvx_cqe_user_index(const void *cqe)
{
	return prm_cqe64_get_user_index(cqe);
}

/* Returns the queue's QPN, SQN or RQN, which adopted queues have too. */
DVX_INLINE uint32_t dvx_cqe_qpn(const void *cqe)
{
	return prm_cqe64_get_qpn(cqe);
}

/* Returns the index of the WQE's first block, for dvx_sq_retire(). */
DVX_INLINE uint32_t dvx_cqe_wqe_index(const void *cqe)
{
	return prm_cqe64_get_wqe_counter(cqe);
}

/* Returns the opcode of the send: enum prm_wqe_opcode. */
DVX_INLINE uint8_t dvx_cqe_send_opcode(const void *cqe)
{
	return (uint8_t)prm_cqe64_get_s_wqe_opcode(cqe);
}

/* Returns how many bytes were received, or read. */
DVX_INLINE uint32_t dvx_cqe_byte_count(const void *cqe)
{
	return prm_cqe64_get_byte_cnt(cqe);
}

/*
 * The upper half of byte_cnt in CQEs of a striding queue (rxq.h): how many strides the packet took,
 * and whether they are filler, the rest of a WQE without a packet.
 */
#define DVX_CQE_STRIDES_SHIFT 16
#define DVX_CQE_STRIDES_MASK  0x3fffu
#define DVX_CQE_FILLER	      (1u << 31)

/*
 * Returns when the device completed the work, in ticks of its clock: dvx_clock_ns() converts them.
 * On a queue with *_REAL_TIME it is the time of day: dvx_real_time_ns() converts it. Packets whose
 * CQEs were compressed have the time of the first one of their session.
 */
DVX_INLINE uint64_t dvx_cqe_timestamp(const void *cqe)
{
	return prm_cqe64_get_timestamp(cqe);
}

/* Returns the immediate data that the peer posted with a *_imm call, as a number. */
DVX_INLINE uint32_t dvx_cqe_imm(const void *cqe)
{
	return prm_cqe64_get_immediate(cqe);
}

/*
 * Returns how many bytes of data the CQE itself holds at most: 0 (the data are in the buffer), 32,
 * or 64 in the first half of a CQE of 128 bytes. Adopted verbs queues do this (scatter-to-CQE)
 * unless it was switched off, for example by MLX5_SCATTER_TO_CQE=0. DevX queues of libdvx never do.
 * dvx_cqe_unscatter() copies the data to the buffer.
 */
DVX_INLINE uint32_t dvx_cqe_scattered(const void *cqe)
{
	uint32_t format = (uint32_t)prm_cqe64_get_cqe_format(cqe);

	return format && format != PRM_CQE_FORMAT_COMPRESSED ? format * 32 : 0;
}

/* ---- Datagrams (ud.h) ---- */

/* Returns the number of the queue that sent the message; at a DC target, the initiator's. */
DVX_INLINE uint32_t dvx_cqe_src_qp(const void *cqe)
{
	return prm_cqe64_get_rqpn(cqe);
}

/* Tells whether the first 40 bytes of the receive hold the packet's header. On RoCE always. */
DVX_INLINE bool dvx_cqe_grh(const void *cqe)
{
	return prm_cqe64_get_g(cqe) == 1;
}

/* Return the service level and the LID of the sender (InfiniBand). */
DVX_INLINE uint8_t dvx_cqe_sl(const void *cqe)
{
	return (uint8_t)prm_cqe64_get_sl(cqe);
}

DVX_INLINE uint16_t dvx_cqe_src_lid(const void *cqe)
{
	return (uint16_t)prm_cqe64_get_slid(cqe);
}

/* ---- Raw packets (rxq.h) ---- */

/* Returns the tag that a rule's tag action set; 0 without one. */
DVX_INLINE uint32_t dvx_cqe_flow_tag(const void *cqe)
{
	return prm_cqe64_get_flow_tag(cqe);
}

/* Returns the hash that selected the queue; 0 if none did. */
DVX_INLINE uint32_t dvx_cqe_rss_hash(const void *cqe)
{
	return prm_cqe64_get_rss_hash_result(cqe);
}

/*
 * Returns the ones' complement sum over an IP packet, without its Ethernet header and VLAN tags.
 * For other EtherTypes do not rely on it.
 */
DVX_INLINE uint16_t dvx_cqe_checksum(const void *cqe)
{
	return (uint16_t)prm_cqe64_get_check_sum(cqe);
}

/*
 * Return true if the device found the checksum of the IP header, or of TCP or UDP, correct. False
 * does not mean a wrong checksum: fragments and packets without that header have it, too.
 */
DVX_INLINE bool dvx_cqe_l3_ok(const void *cqe)
{
	return prm_cqe64_get_l3_ok(cqe);
}

DVX_INLINE bool dvx_cqe_l4_ok(const void *cqe)
{
	return prm_cqe64_get_l4_ok(cqe);
}

/* Returns true if a VLAN tag was removed from the packet; dvx_cqe_vlan_tci() has its content. */
DVX_INLINE bool dvx_cqe_vlan(const void *cqe)
{
	return prm_cqe64_get_vlan(cqe);
}

DVX_INLINE uint16_t dvx_cqe_vlan_tci(const void *cqe)
{
	return (uint16_t)prm_cqe64_get_vlan_info(cqe);
}

/* An error completion, decoded. PRM: err_cqe. */
struct dvx_cqe_failure {
	uint8_t syndrome;    /* enum prm_syndrome: 0x04 local protection, 0x05 flushed, ... */
	uint8_t vendor;	     /* vendor syndrome: for the vendor's support */
	uint8_t send_opcode; /* enum prm_wqe_opcode, of a send */
	bool send;
	uint32_t wqe_index;
	uint32_t qpn;
	uint32_t user_index;
};

/* Decodes an error CQE. */
void dvx_cqe_error(const void *cqe, struct dvx_cqe_failure *out);
/* Describes a syndrome (enum prm_syndrome); never NULL, valid for ever. */
const char *dvx_cqe_strerror(uint8_t syndrome);

DVX_END_DECLS

#endif
