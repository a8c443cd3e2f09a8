/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in a table an entry lies: CRC32 of the tag's bytes that byte_mask names, reflected, from 0
 * and without a final inversion, its bytes swapped. Eight tables, as one byte at a time is what a
 * walk would spend most of its time on.
 */
#include <byteswap.h>
#include <stddef.h>
#include <string.h>
#include "ste1.h"

#define POLYNOMIAL 0xedb88320u

static uint32_t table[8][256];

static uint32_t shift(uint32_t crc)
{
	for (unsigned int i = 0; i < 8; i++)
		crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
	return crc;
}

static void __attribute__((constructor)) hash_fill(void)
{
	for (uint32_t i = 0; i < 256; i++)
		table[0][i] = shift(i);
	for (unsigned int t = 1; t < 8; t++)
		for (uint32_t i = 0; i < 256; i++)
			table[t][i] = table[t - 1][i] >> 8 ^ table[0][table[t - 1][i] & 0xff];
}

static uint32_t crc8(uint32_t crc, const uint8_t *p)
{
	crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return table[7][crc & 0xff] ^ table[6][crc >> 8 & 0xff] ^ table[5][crc >> 16 & 0xff] ^
	       table[4][crc >> 24] ^ table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^
	       table[0][p[7]];
}

/* byte_mask: bit 15 is byte 0. */
uint32_t ste_hash(const uint8_t tag[STE_TAG_BYTES], uint16_t byte_mask, uint32_t n)
{
	uint8_t masked[STE_TAG_BYTES];

	for (unsigned int i = 0; i < STE_TAG_BYTES; i++)
		masked[i] = byte_mask >> (STE_TAG_BYTES - 1 - i) & 1 ? tag[i] : 0;
	return bswap_32(crc8(crc8(0, masked), masked + 8)) & (n - 1);
}
