/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_BYTES_H
#define DVX_COPY_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that the holder does not own: a name, a ticket, part of a frame. */
struct copy_bytes {
	const uint8_t *p;
	uint32_t n;
};

static inline struct copy_bytes bytes_text(const char *s)
{
	return (struct copy_bytes){(const uint8_t *)s, (uint32_t)strlen(s)};
}

/* Writes v in n bytes, little-endian: the order of all numbers in messages. */
static inline void bytes_put(uint8_t *to, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t bytes_get(const uint8_t *from, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)from[i] << 8 * i;
	return v;
}

#endif
