/* SPDX-License-Identifier: BSD-2-Clause */
#include "crc.h"

#define CRC16_POLYNOMIAL  0x8bb7u
#define CRC32C_POLYNOMIAL 0x82f63b78u
#define CRC64_POLYNOMIAL  0x9a6c9329ac4bc9b5ull

static uint16_t crc16_of[256];
static uint32_t crc32c_of[256];
static uint64_t crc64_of[256];

static uint64_t crc_reflected(uint64_t crc, uint64_t polynomial)
{
	for (unsigned int bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	return crc;
}

static uint16_t crc_straight(uint32_t crc)
{
	for (unsigned int bit = 0; bit < 8; bit++)
		crc = crc << 1 ^ (crc & 0x8000 ? CRC16_POLYNOMIAL : 0);
	return (uint16_t)crc;
}

/* Filled before main(), so that users need no check and no lock. */
__attribute__((constructor)) static void crc_prepare(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		crc16_of[b] = crc_straight(b << 8);
		crc32c_of[b] = (uint32_t)crc_reflected(b, CRC32C_POLYNOMIAL);
		crc64_of[b] = crc_reflected(b, CRC64_POLYNOMIAL);
	}
}

uint16_t crc16_add(uint16_t crc, const void *bytes, size_t len)
{
	for (const uint8_t *p = bytes; len--; p++)
		crc = (uint16_t)(crc << 8 ^ crc16_of[(crc >> 8 ^ *p) & 0xff]);
	return crc;
}

uint32_t crc32c_add(uint32_t crc, const void *bytes, size_t len)
{
	for (const uint8_t *p = bytes; len--; p++)
		crc = crc >> 8 ^ crc32c_of[(crc ^ *p) & 0xff];
	return crc;
}

uint64_t crc64_add(uint64_t crc, const void *bytes, size_t len)
{
	for (const uint8_t *p = bytes; len--; p++)
		crc = crc >> 8 ^ crc64_of[(crc ^ *p) & 0xff];
	return crc;
}
