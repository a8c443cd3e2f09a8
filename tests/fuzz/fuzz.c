/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz.h"

static const uint8_t *at;
static size_t left;

void fuzz_begin(const uint8_t *bytes, size_t len)
{
	at = bytes;
	left = len;
}

bool fuzz_more(void)
{
	return left != 0;
}

static uint64_t take(uint64_t top)
{
	uint64_t v = 0;

	for (; top && left; top >>= 8, left--)
		v = v << 8 | *at++;
	return v;
}

uint32_t any(uint32_t n)
{
	return (uint32_t)(take(n - 1) % n);
}

uint64_t any_value(void)
{
	return take(UINT64_MAX);
}

void any_bytes(uint8_t *to, size_t len)
{
	size_t n = len < left ? len : left;

	memcpy(to, at, n);
	memset(to + n, 0, len - n);
	at += n;
	left -= n;
}

void any_noise(uint8_t *to, size_t len)
{
	uint32_t state = any(UINT32_MAX) + 1u;

	for (size_t i = 0; i < len; i++)
		to[i] = (uint8_t)(fuzz_random(&state) >> 11);
}

uint32_t fuzz_hash(const uint8_t *bytes, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ bytes[i]) * 16777619u;
	return h ? h : 1;
}

uint32_t fuzz_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}
