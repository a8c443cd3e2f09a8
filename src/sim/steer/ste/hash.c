/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hashes a tag to its index in a table: the CRC32 from 0, without a final inversion, byte-swapped.
 */
#include <byteswap.h>
#include <endian.h>
#include <string.h>
#include "base/crc32.h"
#include "ste.h"

#define EACH_BYTE 0x0101010101010101u

/* Expands eight bits into eight bytes of ones or zeros, bit 7 first in memory. */
static uint64_t hash_bytes(uint64_t bits)
{
	uint64_t one = bits * EACH_BYTE & 0x0102040810204080u; /* selects one bit for each byte */

	return htole64(((one + 0x7f * EACH_BYTE) >> 7 & EACH_BYTE) * 0xff);
}

uint32_t ste_hash(const uint8_t tag[STE_TAG_BYTES], uint16_t byte_mask, uint32_t n)
{
	uint64_t masked[2];

	memcpy(masked, tag, sizeof(masked));
	masked[0] &= hash_bytes(byte_mask >> 8);
	masked[1] &= hash_bytes(byte_mask & 0xff);
	return bswap_32(crc32_add(0, masked, sizeof(masked))) & (n - 1);
}

uint32_t ste_hash_wide(const uint8_t tag[STE_TAG_LONGEST], uint32_t n)
{
	return bswap_32(crc32_add(0, tag, STE_TAG_LONGEST)) & (n - 1);
}
