/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

/* Works bit by bit: a table is not worth it for 76 bytes. */
uint32_t dvx_crc32c(const uint8_t *p, size_t len)
{
	uint32_t crc = ~0u;
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	return ~crc;
}
