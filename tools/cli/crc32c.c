/* SPDX-License-Identifier: BSD-2-Clause */
#include "crc32c.h"

#include <pthread.h>
#include <string.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#include <arm_acle.h>
#include <asm/hwcap.h>
#endif

#define POLY 0x82f63b78u /* 0x1edc6f41 with its bits reversed */

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void table_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ POLY : c >> 1;
		table[0][i] = c;
	}
	for (uint32_t i = 0; i < 256; i++)
		for (int k = 1; k < 8; k++)
			table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
}

/*
 * Handles eight bytes per step with a table for each, so that the lookups do not depend on each
 * other.
 */
uint32_t crc32c_table(const void *p, size_t len)
{
	const uint8_t *b = p;
	uint32_t c = ~0u;

	pthread_once(&table_once, table_fill);
	for (; len >= 8; len -= 8, b += 8) {
		c ^= (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
		     (uint32_t)b[3] << 24;
		c = table[7][c & 0xff] ^ table[6][c >> 8 & 0xff] ^ table[5][c >> 16 & 0xff] ^
		    table[4][c >> 24] ^ table[3][b[4]] ^ table[2][b[5]] ^ table[1][b[6]] ^
		    table[0][b[7]];
	}
	for (; len; len--, b++)
		c = c >> 8 ^ table[0][(c ^ *b) & 0xff];
	return ~c;
}

#if defined(__x86_64__)
#define HARDWARE_TARGET __attribute__((target("sse4.2")))
#define CRC_8(c, v)	((uint32_t)__builtin_ia32_crc32di((c), (v)))
#define CRC_1(c, v)	__builtin_ia32_crc32qi((c), (v))
#define CPU_HAS_CRC	__builtin_cpu_supports("sse4.2")
#elif defined(__aarch64__) && (!defined(__clang__) || defined(__ARM_FEATURE_CRC32))
/* clang declares the instructions only in files that are built for CPUs with them. */
#define HARDWARE_TARGET __attribute__((target("+crc")))
#define CRC_8(c, v)	__crc32cd((c), (v))
#define CRC_1(c, v)	__crc32cb((c), (v))
#define CPU_HAS_CRC	(getauxval(AT_HWCAP) & HWCAP_CRC32)
#endif

#ifdef HARDWARE_TARGET
static uint64_t word_at(const uint8_t *b)
{
	uint64_t v;

	memcpy(&v, b, 8);
	return v;
}

HARDWARE_TARGET static uint32_t crc_run(uint32_t c, const uint8_t *b, size_t len)
{
	for (; len >= 8; len -= 8, b += 8)
		c = CRC_8(c, word_at(b));
	for (; len; len--, b++)
		c = CRC_1(c, *b);
	return c;
}

/*
 * Each instruction waits for the one before it, though the CPU can begin one per cycle. So three
 * lanes are computed in turns and then combined: a CRC is linear, and lane_skip holds the effect of
 * LANE zero bytes on each byte of it.
 */
#define LANE 4096u

static uint32_t lane_skip[4][256];
static pthread_once_t lane_once = PTHREAD_ONCE_INIT;

static void lane_fill(void)
{
	static const uint8_t zeros[LANE];

	for (int k = 0; k < 4; k++)
		for (uint32_t v = 1; v < 256; v++)
			lane_skip[k][v] = v & (v - 1) ? lane_skip[k][v & (v - 1)] ^ lane_skip[k][v & -v]
						      : crc_run(v << 8 * k, zeros, LANE);
}

static uint32_t lane_after(uint32_t c)
{
	return lane_skip[0][c & 0xff] ^ lane_skip[1][c >> 8 & 0xff] ^
	       lane_skip[2][c >> 16 & 0xff] ^ lane_skip[3][c >> 24];
}

HARDWARE_TARGET static uint32_t crc_lanes(uint32_t c, const uint8_t *b)
{
	uint32_t second = 0, third = 0;

	for (size_t i = 0; i < LANE; i += 8) {
		c = CRC_8(c, word_at(b + i));
		second = CRC_8(second, word_at(b + LANE + i));
		third = CRC_8(third, word_at(b + 2 * LANE + i));
	}
	return lane_after(lane_after(c) ^ second) ^ third;
}

static uint32_t by_instruction(const void *p, size_t len)
{
	const uint8_t *b = p;
	uint32_t c = ~0u;

	pthread_once(&lane_once, lane_fill);
	for (; len >= 3 * LANE; len -= 3 * LANE, b += 3 * LANE)
		c = crc_lanes(c, b);
	return ~crc_run(c, b, len);
}
#endif

uint32_t crc32c(const void *p, size_t len)
{
#ifdef HARDWARE_TARGET
	if (CPU_HAS_CRC)
		return by_instruction(p, len);
#endif
	return crc32c_table(p, len);
}
