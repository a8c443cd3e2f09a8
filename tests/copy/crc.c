/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves: dvx-copy's CRC32C is RFC 3720's, both with the CPU's instruction and with tables. */
#include "tests/test.h"

#include "tools/cli/crc32c.h"

/* The vectors of RFC 3720, appendix B.4, and the catalogue's check value. */
TEST(none, vectors)
{
	static const uint8_t read_pdu[48] = {0x01, 0xc0, 0, 0,	  0,	0, 0, 0,    0,	  0, 0, 0,
					     0,	   0,	 0, 0,	  0x14, 0, 0, 0,    0,	  0, 4, 0,
					     0,	   0,	 0, 0x14, 0,	0, 0, 0x18, 0x28, 0, 0, 0,
					     0,	   0,	 0, 0,	  2,	0, 0, 0,    0,	  0, 0, 0};
	uint8_t b[32];

	memset(b, 0, sizeof(b));
	assert_int_equal(crc32c(b, 32), 0x8a9136aa);
	memset(b, 0xff, sizeof(b));
	assert_int_equal(crc32c(b, 32), 0x62a8ab43);
	for (unsigned int i = 0; i < 32; i++)
		b[i] = (uint8_t)i;
	assert_int_equal(crc32c(b, 32), 0x46dd794e);
	for (unsigned int i = 0; i < 32; i++)
		b[i] = (uint8_t)(31 - i);
	assert_int_equal(crc32c(b, 32), 0x113fdb5c);
	assert_int_equal(crc32c(read_pdu, 48), 0xd9963a56);
	assert_int_equal(crc32c("123456789", 9), 0xe3069283);
	assert_int_equal(crc32c("", 0), 0);
}

static void copy_crc_fill(uint8_t *b, size_t n)
{
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		b[i] = (uint8_t)(x >> 24);
	}
}

/* Long buffers, which the instruction handles in three lanes, give the same. */
TEST(none, lanes)
{
	static const size_t lengths[] = {12287, 12288, 12289, 12296, 16384, 24575, 24576, 40001};
	static uint8_t b[40008];

	copy_crc_fill(b, sizeof(b));
	for (size_t from = 0; from < 8; from++)
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
			assert_int_equal(crc32c(b + from, lengths[i]),
					 crc32c_table(b + from, lengths[i]));
}

/* Both ways agree for every length and alignment around the eight-byte step. */
TEST(none, both_ways)
{
	uint8_t b[320];

	copy_crc_fill(b, sizeof(b));
	for (size_t from = 0; from < 16; from++)
		for (size_t n = 0; n + from <= sizeof(b); n++)
			assert_int_equal(crc32c(b + from, n), crc32c_table(b + from, n));
}
