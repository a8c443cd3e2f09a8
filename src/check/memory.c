/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers: their hash, and the poison that receives are filled with at their post. */
#include "watch.h"

#include <stdlib.h>
#include <string.h>

#define LINES	 64u
#define POISONED (4u << 10) /* at each end of a long buffer */
#define SEEN	 16u	    /* bytes by which poison is recognised */

/* The first and the last 4 KiB of a long buffer, and lines of 64 bytes in between. */
uint64_t watch_hash_samples(uint64_t h, const unsigned char *at, size_t n)
{
	const size_t step = (n - 64) / LINES;

	h = watch_hash_bytes(h, at, POISONED);
	for (unsigned int i = 0; i < LINES; i++)
		h = watch_hash_bytes(h, at + i * step, 64);
	return watch_hash_bytes(h, at + n - POISONED, POISONED);
}

WATCH_RAW static void watch_fill(unsigned char *at, size_t n)
{
	while (n--)
		*(volatile unsigned char *)at++ = WATCH_POISON;
}

static bool watch_wants_poison(void)
{
	static int wants = -1;

	if (wants < 0)
		wants = !getenv(CHECK_NO_POISON);
	return wants;
}

/*
 * Fills receive buffers. A program that sends from the memory that it receives into, as
 * ibv_rc_pingpong does, has its bytes left alone.
 */
void watch_poison(const struct ibv_context *c, const struct ibv_sge *s, uint32_t n)
{
	if (!watch_wants_poison())
		return;
	for (; n; n--, s++) {
		struct watch_mr *m = watch_mr_of(c, s->lkey);
		unsigned char *at = watch_sge_memory(m, s);

		if (!at)
			continue;
		m->sink_from = s->addr < m->sink_from ? s->addr : m->sink_from;
		m->sink_to = s->addr + s->length > m->sink_to ? s->addr + s->length : m->sink_to;
		if (s->addr < m->source_to && s->addr + s->length > m->source_from)
			continue;
		watch_fill(at, s->length > POISONED ? POISONED : s->length);
		if (s->length > POISONED)
			watch_fill(at + s->length - POISONED, POISONED);
	}
}

WATCH_RAW bool watch_is_poison(const struct watch_mr *m, const struct ibv_sge *s,
			       const unsigned char *at)
{
	if (s->length < SEEN || (s->addr < m->sink_to && s->addr + s->length > m->sink_from))
		return false;
	for (unsigned int i = 0; i < SEEN; i++)
		if (at[i] != WATCH_POISON)
			return false;
	return watch_wants_poison();
}
