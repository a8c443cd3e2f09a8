/* SPDX-License-Identifier: BSD-2-Clause */
/* Destinations of a rule's packets: a queue, several queues by hash, another table. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "parse.h"

void parse_begin_to(struct rule_parser *ps)
{
	ps->has_queue = false;
	ps->rss = (struct rule_rss){0};
	ps->go = (struct parse_goto){0};
}

/* Reports a second destination: a packet has one, or a mirror's copy has. */
static void parse_to_once(struct rule_parser *ps, const struct source_range *at)
{
	if (ps->has_queue || ps->rss.last || ps->go.name)
		parse_mistake(ps, at, "a rule has one destination; this is the second");
}

static bool parse_queue_fits(struct rule_parser *ps, const struct source_range *at, uint64_t queue)
{
	if (queue < QUEUES_MAX)
		return true;
	parse_mistake(ps, at, "a queue is 0 to %u, not %" PRIu64, QUEUES_MAX - 1, queue);
	return false;
}

static void parse_takes_queue(struct rule_parser *ps, const struct source_range *at)
{
	if (ps->rule.verdict != RULE_SEND && ps->rule.verdict != RULE_MIRROR)
		parse_mistake(ps, at, "only a rule that begins with send or mirror has a queue");
	else if (ps->rule.dir == RULE_OUT)
		parse_mistake(ps, at,
			      "a queue takes incoming packets; this rule is for outgoing ones");
	else
		parse_to_once(ps, at);
}

void parse_queue(struct rule_parser *ps, const struct source_range *at, uint64_t queue)
{
	if (parse_queue_fits(ps, at, queue))
		parse_takes_queue(ps, at);
	ps->rule.queue = (uint32_t)queue;
	ps->rule.queue_at = parse_location(ps, at);
	ps->has_queue = true;
}

/* --- rss --------------------------------------------------------------------------------------- */

void parse_rss(struct rule_parser *ps, const struct source_range *at, uint64_t first,
	       const struct source_range *last_at, uint64_t last)
{
	if (!parse_queue_fits(ps, at, first) || !parse_queue_fits(ps, last_at, last))
		return;
	if (last <= first)
		parse_mistake(ps, last_at,
			      "rss spreads over several queues: its last one is above %" PRIu64,
			      first);
	else if (ps->rule.verdict == RULE_MIRROR)
		parse_mistake(ps, at, "mirror copies to one queue: write `to queue %" PRIu64 "'",
			      first);
	else
		parse_takes_queue(ps, at);
	ps->rss.first = (uint32_t)first;
	ps->rss.last = (uint32_t)last;
	ps->rule.queue_at = parse_location(ps, last_at);
}

void parse_rss_on(struct rule_parser *ps, const struct source_range *at, enum rule_hash kind)
{
	if (ps->rss.on & kind)
		parse_mistake(ps, at, "this is in the list already");
	if (kind & (HASH_TCP | HASH_UDP) && !(ps->rss.on & (HASH_IPV4 | HASH_IPV6)))
		parse_mistake(ps, at,
			      "ports are hashed with addresses: write `on ipv4,%s', `on "
			      "ipv6,%s' or `on ipv4,ipv6,%s'",
			      kind == HASH_TCP ? "tcp" : "udp", kind == HASH_TCP ? "tcp" : "udp",
			      kind == HASH_TCP ? "tcp" : "udp");
	ps->rss.on |= (uint8_t)kind;
}

static uint8_t parse_hex(char c)
{
	return (uint8_t)(isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

void parse_rss_key(struct rule_parser *ps, const struct source_range *at, const char *digits)
{
	size_t n = 0;

	digits += digits[1] == 'x' || digits[1] == 'X' ? 2 : 0;
	for (; *digits; digits++) {
		if (*digits == ':')
			continue;
		if (n < 2 * (size_t)HASH_KEY_BYTES)
			ps->rss.key[n / 2] =
				(uint8_t)(ps->rss.key[n / 2] << 4 | parse_hex(*digits));
		n++;
	}
	if (n != 2 * (size_t)HASH_KEY_BYTES)
		parse_mistake(ps, at, "a key of rss has %d bytes (%d hexadecimal digits), not %zu",
			      HASH_KEY_BYTES, 2 * HASH_KEY_BYTES, n);
	ps->rss.has_key = true;
}

/* --- goto -------------------------------------------------------------------------------------- */

void parse_goto(struct rule_parser *ps, const struct source_range *at, const char *table)
{
	if (ps->rule.verdict != RULE_SEND)
		parse_mistake(ps, at, "only a rule that begins with send leads to a table");
	else
		parse_to_once(ps, at);
	ps->rule.queue_at = parse_location(ps, at);
	ps->go = (struct parse_goto){.name = table, .at = *at};
}

/* Checks a rule that passes packets on. Later rules see the packet unchanged and set its tag. */
static void parse_settle_onward(struct rule_parser *ps, const struct source_range *at)
{
	const char *what = ps->go.name ? "leads to a table" : "copies packets";

	if (ps->rule.has_tag)
		parse_mistake(ps, at,
			      "a rule that %s sets no tag: write it in the rule that sends the "
			      "packets to a queue",
			      what);
	for (int k = 0; k < RULE_CHANGE_KINDS; k++)
		if (ps->change[k].kind != RULE_CHANGE_KINDS) {
			parse_mistake(ps, &ps->change_at[k],
				      "a rule that %s does not change them: write this in the "
				      "rule that sends the packets on",
				      what);
			return;
		}
}

static bool parse_same_rss(const struct rule_rss *a, const struct rule_rss *b)
{
	return a->first == b->first && a->last == b->last && a->on == b->on &&
	       a->has_key == b->has_key && !memcmp(a->key, b->key, sizeof(a->key));
}

/* Finds or makes the rule's rss: rules that spread alike share one. */
static void parse_settle_rss(struct rule_parser *ps, const struct source_range *at)
{
	const struct rule_rss *r = ps->set->rss;

	if (!ps->rss.on)
		ps->rss.on = HASH_ALL;
	while (r && !parse_same_rss(r, &ps->rss))
		r = r->before;
	ps->rule.rss = r;
	if (!r && ps->set->rss && ps->set->rss->number + 1 == RSS_MAX)
		parse_mistake(ps, at, "a file has at most %u different spreads (rss)", RSS_MAX);
}

void parse_settle_to(struct rule_parser *ps, const struct source_range *at)
{
	if (ps->go.name || ps->rule.verdict == RULE_MIRROR)
		parse_settle_onward(ps, at);
	if (ps->rss.last)
		parse_settle_rss(ps, at);
	if (ps->rule.verdict == RULE_MIRROR && ps->rule.dir == RULE_OUT)
		parse_mistake(ps, at,
			      "mirror copies incoming packets; this rule is for outgoing ones");
	else if ((ps->rule.verdict == RULE_SEND || ps->rule.verdict == RULE_MIRROR) &&
		 !ps->has_queue && !ps->rss.last && !ps->go.name)
		parse_mistake(ps, at, "%s needs a queue: write `to queue 0' behind the matches",
			      ps->rule.verdict == RULE_MIRROR ? "mirror" : "send");
}

bool parse_keep_to(struct rule_parser *ps)
{
	const struct rule_rss *last = ps->set->rss;
	struct rule_rss *kept;

	if (ps->go.name)
		ps->rule.verdict = RULE_GOTO;
	if (!ps->rss.last || ps->rule.rss)
		return true;
	kept = arena_get(ps->set->memory, sizeof(*kept));
	if (!kept)
		return false;
	*kept = ps->rss;
	kept->before = last;
	kept->number = last ? last->number + 1 : 0;
	ps->set->rss = ps->rule.rss = kept;
	return true;
}
