/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and stores that the generated accessors are made of.
 *
 * Device structures are big-endian, bit 0 of a table is the most significant bit of byte 0.
 * Words that may alias anything and, on a CPU, lie anywhere keep every access legal; each compiles
 * to one move.
 */
#ifndef DVX_PRM_PRM_H
#define DVX_PRM_PRM_H

#include <stddef.h>
#include <stdint.h>
#include <dvx/prm/platform.h>
#ifdef PRM_DEBUG
#include <assert.h>
#endif

#ifdef __cplusplus
extern "C" {
#define PRM_ARGS(type, ...) type{__VA_ARGS__}
#define PRM_NOTHING \
	{           \
	}	     /* all fields 0, also where designated initializers are not known */
#define PRM_ZERO = 0 /* what is not named; C does so by itself */
#else
#define PRM_ZERO
#define PRM_NOTHING \
	{           \
		0   \
	}
#define PRM_ARGS(type, ...) ((struct type){__VA_ARGS__})
#endif

#ifndef PRM_INLINE
#define PRM_INLINE DVX_DEVICE static inline __attribute__((always_inline))
#endif

/*
 * Never defined: a call that survives optimisation is the compile error (a link error with
 * clang < 14, which has no such attribute).
 */
#ifdef __OPTIMIZE__
DVX_DEVICE
#if __has_attribute(error)
__attribute__((error("value does not fit the PRM field")))
#endif
void prm_value_does_not_fit(void);
#endif

/*
 * A GPU takes no word from an odd address, so its compiler splits accesses of unknown alignment into
 * bytes. There the words of a structure lie at multiples of their size, as those of rings do.
 */
#ifdef DVX_GPU
#define PRM_WORD __attribute__((may_alias))
#else
#define PRM_WORD __attribute__((may_alias, aligned(1)))
#endif
typedef uint16_t PRM_WORD prm_word16;
typedef uint32_t PRM_WORD prm_word32;
typedef uint64_t PRM_WORD prm_word64;

/*
 * A constant is checked by the optimising compiler, anything else only with -DPRM_DEBUG: the hot
 * path has no room for a branch.
 */
PRM_INLINE void prm_fit(uint64_t v, uint64_t mask)
{
#ifdef __OPTIMIZE__
	if (__builtin_constant_p(v > mask) && v > mask)
		prm_value_does_not_fit();
#endif
#ifdef PRM_DEBUG
	assert(v <= mask);
#endif
	(void)v;
	(void)mask;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
PRM_INLINE uint16_t prm_swap16(uint16_t v)
{
	return __builtin_bswap16(v);
}

PRM_INLINE uint32_t prm_swap32(uint32_t v)
{
	return __builtin_bswap32(v);
}

PRM_INLINE uint64_t prm_swap64(uint64_t v)
{
	return __builtin_bswap64(v);
}
#else
PRM_INLINE uint16_t prm_swap16(uint16_t v)
{
	return v;
}

PRM_INLINE uint32_t prm_swap32(uint32_t v)
{
	return v;
}

PRM_INLINE uint64_t prm_swap64(uint64_t v)
{
	return v;
}
#endif

PRM_INLINE void *prm_at(void *p, size_t byte)
{
	return (uint8_t *)p + byte;
}

PRM_INLINE const void *prm_cat(const void *p, size_t byte)
{
	return (const uint8_t *)p + byte;
}

PRM_INLINE uint8_t prm_load8(const void *p, size_t byte)
{
	return ((const uint8_t *)p)[byte];
}

PRM_INLINE uint16_t prm_load16(const void *p, size_t byte)
{
	return prm_swap16(*(const prm_word16 *)prm_cat(p, byte));
}

PRM_INLINE uint32_t prm_load32(const void *p, size_t byte)
{
	return prm_swap32(*(const prm_word32 *)prm_cat(p, byte));
}

PRM_INLINE uint64_t prm_load64(const void *p, size_t byte)
{
	return prm_swap64(*(const prm_word64 *)prm_cat(p, byte));
}

PRM_INLINE void prm_store8(void *p, size_t byte, uint8_t v)
{
	((uint8_t *)p)[byte] = v;
}

PRM_INLINE void prm_store16(void *p, size_t byte, uint16_t v)
{
	*(prm_word16 *)prm_at(p, byte) = prm_swap16(v);
}

PRM_INLINE void prm_store32(void *p, size_t byte, uint32_t v)
{
	*(prm_word32 *)prm_at(p, byte) = prm_swap32(v);
}

PRM_INLINE void prm_store64(void *p, size_t byte, uint64_t v)
{
	*(prm_word64 *)prm_at(p, byte) = prm_swap64(v);
}

/* Eight bytes as they lie in memory. */
PRM_INLINE uint64_t prm_take64(const void *p, size_t byte)
{
	return *(const prm_word64 *)prm_cat(p, byte);
}

PRM_INLINE void prm_put64(void *p, size_t byte, uint64_t v)
{
	*(prm_word64 *)prm_at(p, byte) = v;
}

/* A field inside one naturally sized word: `shift` bits above the word's low end. */
PRM_INLINE uint32_t prm_get8(const void *p, size_t byte, unsigned int shift, uint32_t mask)
{
	return (uint32_t)prm_load8(p, byte) >> shift & mask;
}

PRM_INLINE uint32_t prm_get16(const void *p, size_t byte, unsigned int shift, uint32_t mask)
{
	return (uint32_t)prm_load16(p, byte) >> shift & mask;
}

PRM_INLINE uint32_t prm_get32(const void *p, size_t byte, unsigned int shift, uint32_t mask)
{
	return prm_load32(p, byte) >> shift & mask;
}

PRM_INLINE uint64_t prm_get64(const void *p, size_t byte, unsigned int shift, uint64_t mask)
{
	return prm_load64(p, byte) >> shift & mask;
}

PRM_INLINE void prm_set8(void *p, size_t byte, unsigned int shift, uint32_t mask, uint32_t v)
{
	uint32_t keep = prm_load8(p, byte) & ~(mask << shift);

	prm_fit(v, mask);
	prm_store8(p, byte, (uint8_t)(keep | (v & mask) << shift));
}

PRM_INLINE void prm_set16(void *p, size_t byte, unsigned int shift, uint32_t mask, uint32_t v)
{
	uint32_t keep = prm_load16(p, byte) & ~(mask << shift);

	prm_fit(v, mask);
	prm_store16(p, byte, (uint16_t)(keep | (v & mask) << shift));
}

PRM_INLINE void prm_set32(void *p, size_t byte, unsigned int shift, uint32_t mask, uint32_t v)
{
	uint32_t keep = prm_load32(p, byte) & ~(mask << shift);

	prm_fit(v, mask);
	prm_store32(p, byte, keep | (v & mask) << shift);
}

PRM_INLINE void prm_set64(void *p, size_t byte, unsigned int shift, uint64_t mask, uint64_t v)
{
	uint64_t keep = prm_load64(p, byte) & ~(mask << shift);

	prm_fit(v, mask);
	prm_store64(p, byte, keep | (v & mask) << shift);
}

#ifdef __cplusplus
}
#endif

#endif
