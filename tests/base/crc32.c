/* SPDX-License-Identifier: BSD-2-Clause */
/* A CRC is what the polynomial says, bit by bit, at every length and address; and zero bytes are
 * taken back. */
#include "tests/test.h"
#include "base/crc32.h"

static uint32_t by_bits(uint32_t crc, const uint8_t *p, size_t len)
{
	while (len--) {
		crc ^= *p++;
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return crc;
}

TEST(none, any_length)
{
	uint8_t bytes[320];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 151 + i / 7);
	for (size_t len = 0; len < 300; len++)
		for (size_t at = 0; at < 17; at++)
			assert_int_equal(crc32_add((uint32_t)len * 0x9e3779b9u, bytes + at, len),
					 by_bits((uint32_t)len * 0x9e3779b9u, bytes + at, len));
}

TEST(none, zeros_taken_back)
{
	static const uint8_t zeros[70000];

	for (size_t n = 0; n < sizeof(zeros); n = n * 3 / 2 + 1)
		assert_int_equal(crc32_rewind(by_bits(0x12345678, zeros, n), n), 0x12345678);
	assert_int_equal(crc32_rewind(by_bits(0x12345678, zeros, sizeof(zeros)), sizeof(zeros)),
			 0x12345678);
	assert_int_equal(crc32_rewind(0, 1000), 0);
}
