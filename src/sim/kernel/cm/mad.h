/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_CM_MAD_H
#define KERNEL_CM_MAD_H

#include <stdint.h>

/*
 * Fields of communication management MADs: first byte, first bit, width. IBA volume 1, tables 106
 * to 120; CM_FIELD counts from the end of the 24-byte header, as these tables do.
 */
#define MAD_FIELD(byte, bit, width) (((byte)*8u + (bit)) << 8 | (width))
#define CM_FIELD(byte, bit, width)  MAD_FIELD(24u + (byte), bit, width)

enum mad_field {
	MAD_BASE_VERSION = MAD_FIELD(0u, 0u, 8u),
	MAD_CLASS = MAD_FIELD(1u, 0u, 8u),
	MAD_CLASS_VERSION = MAD_FIELD(2u, 0u, 8u),
	MAD_METHOD = MAD_FIELD(3u, 0u, 8u),
	MAD_TID = MAD_FIELD(8u, 0u, 64u),
	MAD_ATTRIBUTE = MAD_FIELD(16u, 0u, 16u),
	MAD_MODIFIER = MAD_FIELD(20u, 0u, 32u),

	/* Both are in all messages except SIDR and REQ; REQ has CM_LOCAL_ID only. */
	CM_LOCAL_ID = CM_FIELD(0u, 0u, 32u),
	CM_REMOTE_ID = CM_FIELD(4u, 0u, 32u),

	REQ_VENDOR_ID = CM_FIELD(5u, 0u, 24u),
	REQ_SERVICE_ID = CM_FIELD(8u, 0u, 64u),
	REQ_CA_GUID = CM_FIELD(16u, 0u, 64u),
	REQ_QPN = CM_FIELD(32u, 0u, 24u),
	REQ_RESPONDER_RESOURCES = CM_FIELD(35u, 0u, 8u),
	REQ_INITIATOR_DEPTH = CM_FIELD(39u, 0u, 8u),
	REQ_REMOTE_RESPONSE_TIMEOUT = CM_FIELD(43u, 0u, 5u),
	REQ_SERVICE_TYPE = CM_FIELD(43u, 5u, 2u),
	REQ_FLOW_CONTROL = CM_FIELD(43u, 7u, 1u),
	REQ_PSN = CM_FIELD(44u, 0u, 24u),
	REQ_LOCAL_RESPONSE_TIMEOUT = CM_FIELD(47u, 0u, 5u),
	REQ_RETRY_COUNT = CM_FIELD(47u, 5u, 3u),
	REQ_PKEY = CM_FIELD(48u, 0u, 16u),
	REQ_MTU = CM_FIELD(50u, 0u, 4u),
	REQ_RNR_RETRY_COUNT = CM_FIELD(50u, 5u, 3u),
	REQ_MAX_CM_RETRIES = CM_FIELD(51u, 0u, 4u),
	REQ_SRQ = CM_FIELD(51u, 4u, 1u),
	REQ_EXTENDED_TYPE = CM_FIELD(51u, 5u, 3u),
	REQ_LOCAL_LID = CM_FIELD(52u, 0u, 16u),
	REQ_REMOTE_LID = CM_FIELD(54u, 0u, 16u),
	REQ_LOCAL_GID = CM_FIELD(56u, 0u, 0u),
	REQ_REMOTE_GID = CM_FIELD(72u, 0u, 0u),
	REQ_FLOW_LABEL = CM_FIELD(88u, 0u, 20u),
	REQ_RATE = CM_FIELD(91u, 2u, 6u),
	REQ_TCLASS = CM_FIELD(92u, 0u, 8u),
	REQ_HOP_LIMIT = CM_FIELD(93u, 0u, 8u),
	REQ_SL = CM_FIELD(94u, 0u, 4u),
	REQ_SUBNET_LOCAL = CM_FIELD(94u, 4u, 1u),
	REQ_ACK_TIMEOUT = CM_FIELD(95u, 0u, 5u),
	REQ_PRIVATE = CM_FIELD(140u, 0u, 0u),

	MRA_MESSAGE = CM_FIELD(8u, 0u, 2u),
	MRA_SERVICE_TIMEOUT = CM_FIELD(9u, 0u, 5u),

	REJ_MESSAGE = CM_FIELD(8u, 0u, 2u),
	REJ_INFO_LENGTH = CM_FIELD(9u, 0u, 7u),
	REJ_REASON = CM_FIELD(10u, 0u, 16u),
	REJ_INFO_GUID = CM_FIELD(12u, 0u, 64u),
	REJ_INFO = CM_FIELD(12u, 0u, 0u),
	REJ_PRIVATE = CM_FIELD(84u, 0u, 0u),

	REP_QPN = CM_FIELD(12u, 0u, 24u),
	REP_VENDOR_ID_HIGH = CM_FIELD(15u, 0u, 8u),
	REP_VENDOR_ID_MIDDLE = CM_FIELD(19u, 0u, 8u),
	REP_PSN = CM_FIELD(20u, 0u, 24u),
	REP_VENDOR_ID_LOW = CM_FIELD(23u, 0u, 8u),
	REP_RESPONDER_RESOURCES = CM_FIELD(24u, 0u, 8u),
	REP_INITIATOR_DEPTH = CM_FIELD(25u, 0u, 8u),
	REP_ACK_DELAY = CM_FIELD(26u, 0u, 5u),
	REP_FLOW_CONTROL = CM_FIELD(26u, 7u, 1u),
	REP_RNR_RETRY_COUNT = CM_FIELD(27u, 0u, 3u),
	REP_SRQ = CM_FIELD(27u, 3u, 1u),
	REP_CA_GUID = CM_FIELD(28u, 0u, 64u),
	REP_PRIVATE = CM_FIELD(36u, 0u, 0u),

	DREQ_QPN = CM_FIELD(8u, 0u, 24u),

	SIDR_REQUEST_ID = CM_FIELD(0u, 0u, 32u),
	SIDR_REQ_PKEY = CM_FIELD(4u, 0u, 16u),
	SIDR_REQ_SERVICE_ID = CM_FIELD(8u, 0u, 64u),
	SIDR_REQ_PRIVATE = CM_FIELD(16u, 0u, 0u),

	SIDR_REP_STATUS = CM_FIELD(4u, 0u, 8u),
	SIDR_REP_VENDOR_ID_HIGH = CM_FIELD(6u, 0u, 16u),
	SIDR_REP_QPN = CM_FIELD(8u, 0u, 24u),
	SIDR_REP_VENDOR_ID_LOW = CM_FIELD(11u, 0u, 8u),
	SIDR_REP_SERVICE_ID = CM_FIELD(12u, 0u, 64u),
	SIDR_REP_QKEY = CM_FIELD(20u, 0u, 32u),
	SIDR_REP_PRIVATE = CM_FIELD(96u, 0u, 0u),
};

/* Fields of a path record of subnet administration (IBA volume 1, table 206). */
enum path_field {
	PATH_SERVICE_ID = MAD_FIELD(0u, 0u, 64u),
	PATH_DGID = MAD_FIELD(8u, 0u, 0u),
	PATH_SGID = MAD_FIELD(24u, 0u, 0u),
	PATH_FLOW_LABEL = MAD_FIELD(44u, 4u, 20u),
	PATH_HOP_LIMIT = MAD_FIELD(47u, 0u, 8u),
	PATH_TCLASS = MAD_FIELD(48u, 0u, 8u),
	PATH_REVERSIBLE = MAD_FIELD(49u, 0u, 1u),
	PATH_PKEY = MAD_FIELD(50u, 0u, 16u),
	PATH_SL = MAD_FIELD(53u, 4u, 4u),
	PATH_MTU_SELECTOR = MAD_FIELD(54u, 0u, 2u),
	PATH_MTU = MAD_FIELD(54u, 2u, 6u),
	PATH_RATE_SELECTOR = MAD_FIELD(55u, 0u, 2u),
	PATH_RATE = MAD_FIELD(55u, 2u, 6u),
	PATH_LIFE_SELECTOR = MAD_FIELD(56u, 0u, 2u),
	PATH_LIFE = MAD_FIELD(56u, 2u, 6u),
};

/* Sizes of the private data in bytes. */
enum {
	REQ_PRIVATE_BYTES = 92,
	REJ_PRIVATE_BYTES = 148,
	REP_PRIVATE_BYTES = 196,
	SIDR_REQ_PRIVATE_BYTES = 216,
	SIDR_REP_PRIVATE_BYTES = 136,
};

/* Attribute ids of the class. */
enum {
	CM_REQ = 0x10,
	CM_MRA,
	CM_REJ,
	CM_REP,
	CM_RTU,
	CM_DREQ,
	CM_DREP,
	CM_SIDR_REQ,
	CM_SIDR_REP,
};

uint64_t mad_get(const uint8_t *mad, uint32_t field);
void mad_set(uint8_t *mad, uint32_t field, uint64_t value);

/* Returns a field that is a byte string, not a number. */
static inline const uint8_t *mad_bytes(const uint8_t *mad, uint32_t f)
{
	return mad + (f >> 11);
}

static inline uint8_t *mad_at(uint8_t *mad, uint32_t f)
{
	return mad + (f >> 11);
}

/* Zeroes mad and writes the header of a CM message. */
void mad_begin(uint8_t *mad, unsigned int attribute, uint64_t tid);

#endif
