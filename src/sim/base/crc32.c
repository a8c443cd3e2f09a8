/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <string.h>
#include "crc32.h"
#include "crc32_fold.h"

#define POLYNOMIAL 0xedb88320u
#define SLICES	   8u
#define ONE	   0x80000000u /* x^0: bits are reflected */
#define BACKS	   32u /* enough: x has the order 2^32 - 1, so 2^(k + 32) zeros equal 2^k zeros */

/* slice[k][b]: the remainder of byte b followed by k zero bytes. */
static uint32_t slice[SLICES][256];
static uint32_t back[BACKS]; /* x^-(8 * 2^k): undoes 2^k zero bytes */

static void crc32_fill(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t crc = b;

		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		slice[0][b] = crc;
	}
	for (unsigned int k = 1; k < SLICES; k++)
		for (uint32_t b = 0; b < 256; b++)
			slice[k][b] = slice[k - 1][b] >> 8 ^ slice[0][slice[k - 1][b] & 0xff];
}

/* Returns a * b modulo the polynomial. */
static uint32_t crc32_times(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a; a <<= 1) {
		product ^= a & ONE ? b : 0;
		b = b >> 1 ^ (b & 1 ? POLYNOMIAL : 0);
	}
	return product;
}

/* Divides by x, which always works: the polynomial has a constant term. */
static uint32_t crc32_over_x(uint32_t crc)
{
	return crc & ONE ? (crc ^ POLYNOMIAL) << 1 | 1 : crc << 1;
}

static void crc32_fill_back(void)
{
	uint32_t b = ONE;

	for (unsigned int bit = 0; bit < 8; bit++)
		b = crc32_over_x(b);
	for (unsigned int k = 0; k < BACKS; k++, b = crc32_times(b, b))
		back[k] = b;
}

static crc32_fold_fn *crc32_fold; /* NULL: tables only */

/* Filled before main(), so that users need no check and no lock. */
__attribute__((constructor)) static void crc32_prepare(void)
{
	crc32_fill();
	crc32_fill_back();
	crc32_fold = crc32_folder();
}

/* Adds 8 bytes. Each is looked up in the table of its position, so the loads are independent. */
static uint32_t add8(uint32_t crc, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	v = le64toh(v) ^ crc;
	/* no loop: gcc does not unroll it, and steering hashes two such words for each table */
	return slice[7][v & 0xff] ^ slice[6][v >> 8 & 0xff] ^ slice[5][v >> 16 & 0xff] ^
	       slice[4][v >> 24 & 0xff] ^ slice[3][v >> 32 & 0xff] ^ slice[2][v >> 40 & 0xff] ^
	       slice[1][v >> 48 & 0xff] ^ slice[0][v >> 56];
}

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	if (len >= CRC32_FOLD_LEAST && crc32_fold) {
		size_t n = len - len % CRC32_FOLDED;

		crc = crc32_fold(crc, p, n);
		if (n == len)
			return crc;
		p += n;
		len -= n;
	}
	for (; len >= SLICES; p += SLICES, len -= SLICES)
		crc = add8(crc, p);
	while (len--)
		crc = crc >> 8 ^ slice[0][(crc ^ *p++) & 0xff];
	return crc;
}

uint32_t crc32_rewind(uint32_t crc, size_t zeros)
{
	for (unsigned int k = 0; crc && zeros; k++, zeros >>= 1)
		if (zeros & 1)
			crc = crc32_times(crc, back[k % BACKS]);
	return crc;
}
