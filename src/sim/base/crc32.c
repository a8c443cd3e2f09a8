/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <string.h>
#include "crc32.h"

#define POLYNOMIAL 0xedb88320u
#define SLICES	   8u

/* slice[k][b]: what byte b, followed by k zero bytes, adds. */
static uint32_t slice[SLICES][256];
static uint8_t by_top[256]; /* whose slice[0] has this top byte: each has another one */

static void crc32_fill(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t crc = b;

		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		slice[0][b] = crc;
		by_top[crc >> 24] = (uint8_t)b;
	}
	for (unsigned int k = 1; k < SLICES; k++)
		for (uint32_t b = 0; b < 256; b++)
			slice[k][b] = slice[k - 1][b] >> 8 ^ slice[0][slice[k - 1][b] & 0xff];
}

/* Filled before main(), so that users need no check and no lock. */
__attribute__((constructor)) static void crc32_prepare(void)
{
	crc32_fill();
}

/* Each byte is looked up in the table for its position: the eight loads are independent. */
static uint32_t add8(uint32_t crc, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	v = le64toh(v) ^ crc;
	/* not a loop: gcc does not unroll it, and steering hashes two such words for each table */
	return slice[7][v & 0xff] ^ slice[6][v >> 8 & 0xff] ^ slice[5][v >> 16 & 0xff] ^
	       slice[4][v >> 24 & 0xff] ^ slice[3][v >> 32 & 0xff] ^ slice[2][v >> 40 & 0xff] ^
	       slice[1][v >> 48 & 0xff] ^ slice[0][v >> 56];
}

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (; len >= SLICES; p += SLICES, len -= SLICES)
		crc = add8(crc, p);
	while (len--)
		crc = crc >> 8 ^ slice[0][(crc ^ *p++) & 0xff];
	return crc;
}

uint32_t crc32_rewind(uint32_t crc, size_t zeros)
{
	while (zeros--) {
		uint8_t b = by_top[crc >> 24];

		crc = (crc ^ slice[0][b]) << 8 | b;
	}
	return crc;
}
