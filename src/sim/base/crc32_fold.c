/* SPDX-License-Identifier: BSD-2-Clause */
#include "crc32_fold.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define FOLDS __attribute__((target("pclmul,sse4.1")))

/*
 * x^(n + 32) and x^(n - 32) modulo the polynomial, reflected and shifted left once. They move the
 * two halves of a word by n bits, 512 and 128.
 */
#define BY_512 _mm_set_epi64x(0x1c6e41596, 0x154442bd4)
#define BY_128 _mm_set_epi64x(0x0ccaa009e, 0x1751997d0)

FOLDS static inline __m128i fold_load(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* x^64, and Barrett's: the polynomial and its inverse, reflected. */
#define BY_64 _mm_cvtsi64_si128(0x163cd6124)
#define POLYS _mm_set_epi64x(0x1f7011641, 0x1db710641)

/* Moves x on to the position of `next` and adds it. */
FOLDS static inline __m128i fold_step(__m128i x, __m128i by, __m128i next)
{
	__m128i low = _mm_clmulepi64_si128(x, by, 0x00), high = _mm_clmulepi64_si128(x, by, 0x11);

	return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Folds 64 bytes or more to the last 16 of a multiple of 64, four words at a time. */
FOLDS static inline __m128i fold_fours(__m128i a, const uint8_t *p, size_t len)
{
	__m128i b = fold_load(p + 16), c = fold_load(p + 32), d = fold_load(p + 48);

	for (p += 64, len -= 64; len >= 64; p += 64, len -= 64) {
		a = fold_step(a, BY_512, fold_load(p));
		b = fold_step(b, BY_512, fold_load(p + 16));
		c = fold_step(c, BY_512, fold_load(p + 32));
		d = fold_step(d, BY_512, fold_load(p + 48));
	}
	return fold_step(fold_step(fold_step(a, BY_128, b), BY_128, c), BY_128, d);
}

/* Returns the remainder of the last 16 bytes: they are folded to 8 and 4 more, then divided. */
FOLDS static inline uint32_t fold_end(__m128i x)
{
	const __m128i low = _mm_set_epi32(0, 0, 0, -1);
	__m128i q;

	x = _mm_xor_si128(_mm_clmulepi64_si128(x, BY_128, 0x10), _mm_srli_si128(x, 8));
	x = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(x, low), BY_64, 0x00),
			  _mm_srli_si128(x, 4));
	q = _mm_clmulepi64_si128(_mm_and_si128(x, low), POLYS, 0x10);
	x = _mm_xor_si128(x, _mm_clmulepi64_si128(_mm_and_si128(q, low), POLYS, 0x00));
	return (uint32_t)_mm_extract_epi32(x, 1);
}

FOLDS static uint32_t fold_crc32(uint32_t crc, const uint8_t *p, size_t len)
{
	__m128i word = _mm_xor_si128(fold_load(p), _mm_cvtsi32_si128((int)crc));
	const uint8_t *end = p + len;

	if (len >= 64) {
		word = fold_fours(word, p, len);
		p += len & ~(size_t)63;
	} else {
		p += 16;
	}
	for (; p < end; p += 16)
		word = fold_step(word, BY_128, fold_load(p));
	return fold_end(word);
}
#endif

crc32_fold_fn *crc32_folder(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"))
		return fold_crc32;
#endif
	return NULL;
}
