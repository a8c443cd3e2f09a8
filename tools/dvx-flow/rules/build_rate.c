/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule's rate (over), and the time without packets after which it goes (expire). */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "build.h"

/* A meter's limits: dvx/aso.h. A packet counts as 128 bytes. */
#define RATE_BITS_LEAST	  2u
#define RATE_BITS_MOST	  2040000000000u
#define RATE_PACKETS_MOST 1992187500u
#define BURST_BYTES_MOST  0x7fffffffu
#define BURST_PACKETS	  128u
#define BURST_BYTES_LEAST 16384u /* by default: some frames of the largest size */
#define EXPIRE_MOST	  (366u * 24 * 3600)

struct rate_unit {
	const char *name;
	uint64_t times;
};

static const struct rate_unit rates[] = {
	{"bit", 1}, {"kbit", 1000}, {"Mbit", 1000000}, {"Gbit", 1000000000}};
static const struct rate_unit sizes[] = {
	{"k", 1024}, {"kb", 1024}, {"M", 1 << 20}, {"Mb", 1 << 20}, {"bytes", 1}};
static const struct rate_unit counts[] = {{"k", 1000}, {"M", 1000000}, {"packets", 1}};
static const struct rate_unit spans[] = {
	{"s", 1}, {"sec", 1}, {"min", 60}, {"h", 3600}, {"d", 24 * 3600}};

/* Finds how much a unit is; NULL is 1. Returns 0 if there is no such unit. */
static uint64_t rate_unit_find(const struct rate_unit *unit, size_t n, const char *name)
{
	for (size_t i = 0; i < n && name; i++)
		if (!strcasecmp(unit[i].name, name))
			return unit[i].times;
	return !name;
}
#define RATE_UNIT(units, name) rate_unit_find(units, sizeof(units) / sizeof((units)[0]), name)

/* Multiplies; UINT64_MAX stands for all that is more. */
static uint64_t rate_times(uint64_t number, uint64_t times)
{
	return number > UINT64_MAX / times ? UINT64_MAX : number * times;
}

/* Returns the burst of a rate without one: a tenth of a second, at least some packets. */
static uint64_t rate_burst(const struct rule_rate *r)
{
	uint64_t burst = r->packets ? r->rate / 10 : r->rate / 80;
	uint64_t least = r->packets ? 1 : BURST_BYTES_LEAST;
	uint64_t most = r->packets ? BURST_BYTES_MOST / BURST_PACKETS : BURST_BYTES_MOST;

	return burst < least ? least : burst > most ? most : burst;
}

void build_over(struct rule_build *b, const struct rule_node *n)
{
	bool packets =
		!n->name || !strcasecmp(n->name, "packets") || !strcasecmp(n->name, "packet");
	uint64_t times = packets ? 1 : RATE_UNIT(rates, n->name);
	uint64_t rate = times ? rate_times(n->number, times) : 1;

	if (!times)
		node_mistake(
			b, n,
			"a rate is in packets (1000/s) or bits (bit/s, kbit/s, Mbit/s, Gbit/s), "
			"not %s",
			n->name);
	else if (packets && (!rate || rate > RATE_PACKETS_MOST))
		node_mistake(b, n, "a rate is 1 to %u packets a second, not %" PRIu64,
			     RATE_PACKETS_MOST, n->number);
	else if (!packets && (rate < RATE_BITS_LEAST || rate > RATE_BITS_MOST))
		node_mistake(b, n, "a rate is %u bit/s to %" PRIu64 " Gbit/s, not %" PRIu64 " %s/s",
			     RATE_BITS_LEAST, (uint64_t)RATE_BITS_MOST / 1000000000, n->number,
			     n->name);
	if (b->rate.rate)
		node_mistake(b, n, "a second rate in one rule");
	b->rate = (struct rule_rate){.packets = packets, .rate = rate ? rate : 1};
	b->rate.burst = rate_burst(&b->rate);
	b->rate_at = n->at;
	b->rule.over_at = build_location(b, &n->at);
}

void build_burst(struct rule_build *b, const struct rule_node *n)
{
	bool packets = b->rate.packets;
	uint64_t times = packets ? RATE_UNIT(counts, n->name) : RATE_UNIT(sizes, n->name);
	uint64_t burst = times ? rate_times(n->number, times) : 0;
	uint64_t most = packets ? BURST_BYTES_MOST / BURST_PACKETS : BURST_BYTES_MOST;

	if (!times)
		node_mistake(b, n, "a burst is in %s (%s), not %s", packets ? "packets" : "bytes",
			     packets ? "100, 2k" : "65536, 64k, 1M", n->name);
	else if (burst > most)
		node_mistake(b, n, "a burst is at most %" PRIu64 " %s", most,
			     packets ? "packets" : "bytes");
	b->rate.burst = burst;
}

void build_expire(struct rule_build *b, const struct rule_node *n)
{
	uint64_t times = RATE_UNIT(spans, n->name);
	uint64_t seconds = times ? rate_times(n->number, times) : 1;

	if (!times)
		node_mistake(b, n, "a time is in s, min, h or d (expire 60s), not %s", n->name);
	else if (!seconds || seconds > EXPIRE_MOST)
		node_mistake(b, n, "expire takes 1s to 366d");
	if (b->rule.expire)
		node_mistake(b, n, "a second expire in one rule");
	b->rule.expire = (uint32_t)seconds;
	b->expire_at = n->at;
	b->rule.expire_at = build_location(b, &n->at);
}

void build_settle_rate(struct rule_build *b)
{
	if (!b->rate.rate)
		return;
	if (b->rule.verdict == RULE_MIRROR)
		parse_mistake(b->ps, &b->rate_at, "a mirror copies packets whatever their rate");
	else if (b->rule.expire)
		parse_mistake(b->ps, &b->expire_at,
			      "a rule has a rate or an end: libmlx5 keeps one object for a rule "
			      "(ASO)");
	else if (b->changes)
		parse_mistake(b->ps, &b->change_at[__builtin_ctz(b->changes)],
			      "a rule with a rate changes no packets: send them to a table (goto), "
			      "and change them there");
}

/* A rule with a rate counts the packets that it acts on. */
bool build_keep_rate(struct rule_build *b)
{
	if (!b->rate.rate)
		return true;
	if (!b->rule.count)
		b->rule.count_at = b->rule.over_at;
	b->rule.count = true;
	b->rule.over = build_keep(b, &b->rate, 1, sizeof(b->rate));
	return b->rule.over;
}
