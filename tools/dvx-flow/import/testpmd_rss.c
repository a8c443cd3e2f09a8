/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * testpmd's action rss as `to rss`: queues in a row, and the kinds of packets that are spread. The
 * driver's own key differs from dvx-flow's; without a key in the action, a flow may reach another
 * queue.
 */
#include <string.h>

#include "testpmd.h"
#include "values.h"

/* Kinds of packets, of IPv4 and, shifted, of IPv6. */
enum { RSS_ADDRESS = 1, RSS_TCP = 2, RSS_UDP = 4, RSS_V6 = 3, RSS_KINDS = 7 };

static const struct {
	const char *name;
	unsigned int kinds;
} rss_types[] = {
	{"ipv4", RSS_ADDRESS},
	{"ipv6", RSS_ADDRESS << RSS_V6},
	{"ip", RSS_ADDRESS | RSS_ADDRESS << RSS_V6},
	{"ipv4-tcp", RSS_TCP},
	{"ipv6-tcp", RSS_TCP << RSS_V6},
	{"tcp", RSS_TCP | RSS_TCP << RSS_V6},
	{"ipv4-udp", RSS_UDP},
	{"ipv6-udp", RSS_UDP << RSS_V6},
	{"udp", RSS_UDP | RSS_UDP << RSS_V6},
};

/* Reads FIRST FIRST+1 ... end. */
static bool rss_queues(struct pmd_read *r, const struct token *at)
{
	uint64_t first = 0, last = 0, n, count = 0;

	while (!tokens_take(r->line, "end")) {
		const struct token *queue = tokens_next(r->line);

		if (!queue->text)
			return pmd_leave(r, queue, REASON_ENDS);
		if (!value_number(queue->text, 0, 0xffff, &n) || (count && n != last + 1))
			return pmd_leave(r, queue, REASON_TARGET);
		first = count++ ? first : n;
		last = n;
	}
	if (!count)
		return pmd_leave(r, at, REASON_TARGET);
	r->d->queue = count == 1 ? import_format(r->im, "queue %u", (unsigned int)first)
				 : import_format(r->im, "rss %u-%u", (unsigned int)first,
						 (unsigned int)last);
	return true;
}

static bool rss_read_types(struct pmd_read *r, unsigned int *kinds)
{
	*kinds = 0;
	while (!tokens_take(r->line, "end")) {
		const struct token *type = tokens_next(r->line);
		size_t i = 0;

		while (i < sizeof(rss_types) / sizeof(rss_types[0]) &&
		       !token_is(type, rss_types[i].name))
			i++;
		if (i == sizeof(rss_types) / sizeof(rss_types[0]))
			return pmd_leave(r, type, type->text ? REASON_TARGET : REASON_ENDS);
		*kinds |= rss_types[i].kinds;
	}
	return true;
}

/*
 * Returns the kinds as `on`, for the packets of the pattern. NULL: dvx-flow cannot, as it hashes
 * ports with addresses only, and alike for both IP versions.
 */
static const char *rss_on(struct pmd_read *r, unsigned int kinds)
{
	const char *ip = draft_value(r->d, SLOT_IP), *l4 = draft_value(r->d, SLOT_PROTO);
	unsigned int v4 = kinds & RSS_KINDS, v6 = kinds >> RSS_V6, one;
	bool tcp = l4 && !strcmp(l4, "tcp"), udp = l4 && !strcmp(l4, "udp");

	if (!ip && v4 != v6)
		return NULL;
	one = ip && !strcmp(ip, "ipv6") ? v6 : v4;
	one &= ~((tcp ? RSS_UDP : 0u) | (udp ? RSS_TCP : 0u));
	if (!one || (!(one & RSS_ADDRESS) && !tcp && !udp))
		return NULL;
	return import_format(r->im, "%s%s%s", ip ? ip : "ipv4,ipv6", one & RSS_TCP ? ",tcp" : "",
			     one & RSS_UDP ? ",udp" : "");
}

bool pmd_rss(struct pmd_read *r, const struct token *at)
{
	unsigned int kinds = RSS_ADDRESS | RSS_ADDRESS << RSS_V6; /* the driver's default */
	const char *on;

	for (;;) {
		if (tokens_take(r->line, "queues")) {
			if (!rss_queues(r, at))
				return false;
		} else if (tokens_take(r->line, "types")) {
			if (!rss_read_types(r, &kinds))
				return false;
		} else {
			break;
		}
	}
	/* Keys, functions and levels. */
	if (!r->d->queue ||
	    (!token_is(tokens_peek(r->line), "/") && !token_is(tokens_peek(r->line), "end")))
		return pmd_leave(r, r->d->queue ? tokens_peek(r->line) : at, REASON_TARGET);
	if (!strncmp(r->d->queue, "queue", 5))
		return true;
	on = rss_on(r, kinds);
	if (!on)
		return pmd_leave(r, at, REASON_TARGET);
	r->d->queue = import_format(r->im, "%s on %s", r->d->queue, on);
	return true;
}
