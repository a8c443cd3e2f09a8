/* SPDX-License-Identifier: BSD-2-Clause */
#include "gate.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads up to three numbers, "A:B:C"; missing ones keep their values. Returns their count. */
static int gate_numbers(const char *s, unsigned int *to[3])
{
	int n = 0;

	for (; n < 3; n++) {
		char *end;
		unsigned long v = strtoul(s, &end, 10);

		if (*s < '0' || *s > '9' || v > UINT16_MAX)
			return -1;
		*to[n] = (unsigned int)v;
		if (!*end)
			return n + 1;
		if (*end != ':')
			return -1;
		s = end + 1;
	}
	return -1;
}

int gate_parse(struct copy_gate *g, const char *starting, const char *per_source,
	       struct copy_fault *f)
{
	unsigned int *start[3] = {&g->start, &g->rate, &g->full};
	unsigned int *source[3] = {&g->per_source, &g->v4_bits, &g->v6_bits};

	*g = (struct copy_gate){.v4_bits = 32, .v6_bits = 64};
	if (gate_numbers(starting, start) != 3 || g->start < 1 || g->start > g->full ||
	    g->rate > 100 || g->full > GATE_FULL_MAX)
		return copy_fail(f, COPY_USAGE,
				 "--max-starting %s: it is START:RATE:FULL, RATE a percentage, and "
				 "1 <= START <= FULL <= %u",
				 starting, GATE_FULL_MAX);
	if (gate_numbers(per_source, source) < 1 || g->per_source < 1 || g->v4_bits > 32 ||
	    g->v6_bits > 128)
		return copy_fail(f, COPY_USAGE,
				 "--max-starting-per-source %s: it is N[:V4BITS[:V6BITS]], N at "
				 "least 1, bits at most 32 and 128",
				 per_source);
	return 0;
}

static void gate_mask(uint8_t *p, unsigned int bytes, unsigned int bits)
{
	for (unsigned int i = 0; i < bytes; i++, bits -= bits < 8 ? bits : 8)
		if (bits < 8)
			p[i] &= (uint8_t)(0xff00 >> bits);
}

struct gate_source gate_source(const struct copy_gate *g, const struct sockaddr_storage *from)
{
	struct gate_source s = {{from->ss_family == AF_INET6}};
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	uint8_t *p = s.bytes + 1;

	if (from->ss_family == AF_INET6) {
		memcpy(&v6, from, sizeof(v6));
		memcpy(p, &v6.sin6_addr, 16);
		if (!IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
			gate_mask(p, 16, g->v6_bits);
			return s;
		}
		s.bytes[0] = 0;
		memmove(p, p + 12, 4);
		memset(p + 4, 0, 12);
	} else {
		memcpy(&v4, from, sizeof(v4));
		memcpy(p, &v4.sin_addr, 4);
	}
	gate_mask(p, 4, g->v4_bits);
	return s;
}

static bool gate_same(const struct gate_source *a, const struct gate_source *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static unsigned int gate_count(const struct gate_source *s, unsigned int n,
			       const struct gate_source *of)
{
	unsigned int same = 0;

	for (unsigned int i = 0; i < n; i++)
		same += gate_same(&s[i], of);
	return same;
}

/* Picks one of the connections whose source has `most` of them; `random` decides which. */
static int gate_pick(const unsigned int *sizes, unsigned int n, unsigned int most, uint32_t random)
{
	unsigned int among = 0, k;

	for (unsigned int i = 0; i < n; i++)
		among += sizes[i] == most;
	k = among ? random % among : 0;
	for (unsigned int i = 0; i < n; i++)
		if (sizes[i] == most && !k--)
			return (int)i;
	return -1;
}

/* Decides whether one of n is dropped: from `start` with `rate` percent to `full` always. */
static bool gate_drops(const struct copy_gate *g, unsigned int n, uint32_t random)
{
	unsigned int span = g->full - g->start;

	if (n < g->start)
		return false;
	if (n >= g->full)
		return true;
	return random % 100 < g->rate + (100 - g->rate) * (n - g->start) / span;
}

int gate_victim(const struct copy_gate *g, const struct gate_source *s, unsigned int n,
		const struct gate_source *comes, const uint32_t random[2])
{
	unsigned int sizes[GATE_FULL_MAX], most = 0;
	bool own = gate_count(s, n, comes) >= g->per_source;

	if (n > GATE_FULL_MAX || (!own && !gate_drops(g, n, random[0])))
		return -1;
	for (unsigned int i = 0; i < n; i++) {
		bool his = gate_same(&s[i], comes);

		sizes[i] = own && !his ? 0 : gate_count(s, n, &s[i]) + his;
		if (sizes[i] > most)
			most = sizes[i];
	}
	return gate_pick(sizes, n, most, random[1]);
}
