/* SPDX-License-Identifier: BSD-2-Clause */
/* Destinations of a rule's packets: a queue, several queues by hash, another table. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "build.h"

/* Reports a second destination: a packet has one, or a mirror's copy has. */
static void to_once(struct rule_build *b, const struct source_range *at)
{
	if (b->has_to || b->rss.last || b->go.name)
		parse_mistake(b->ps, at, "a rule has one destination; this is the second");
}

static bool queue_fits(struct rule_build *b, const struct source_range *at, uint64_t queue)
{
	if (queue < QUEUES_MAX)
		return true;
	parse_mistake(b->ps, at, "a queue is 0 to %u, not %" PRIu64, QUEUES_MAX - 1, queue);
	return false;
}

/* Checks that the rule may have this destination: a queue of the daemon, or a vport. */
static void takes(struct rule_build *b, const struct source_range *at, const char *what,
		  bool possible)
{
	const struct rule_dir_row *dir = &rule_dirs[b->rule.dir];

	if (b->rule.verdict != RULE_SEND && b->rule.verdict != RULE_MIRROR)
		parse_mistake(b->ps, at, "only a rule that begins with send or mirror has a %s",
			      what);
	else if (!possible && dir->to)
		parse_mistake(b->ps, at, "a rule for %s packets has no %s: write `%s'",
			      dir->packets, what, dir->to);
	else if (!possible)
		parse_mistake(b->ps, at, "a %s takes %s packets; this rule is for %s ones", what,
			      !strcmp(what, "queue") ? "incoming" : "switched", dir->packets);
	else
		to_once(b, at);
}

static void takes_queue(struct rule_build *b, const struct source_range *at)
{
	takes(b, at, "queue", rule_dirs[b->rule.dir].to_queue);
}

void build_to_vport(struct rule_build *b, const struct rule_node *n)
{
	takes(b, &n->at, "vport", rule_dirs[b->rule.dir].to_vport);
	b->rule.vport = (uint32_t)n->number;
	b->rule.queue_at = build_location(b, &n->at);
	b->has_to = true;
}

void build_queue(struct rule_build *b, const struct rule_node *n)
{
	if (queue_fits(b, &n->at, n->number))
		takes_queue(b, &n->at);
	b->rule.queue = (uint32_t)n->number;
	b->rule.queue_at = build_location(b, &n->at);
	b->has_to = true;
}

void build_sample(struct rule_build *b, const struct rule_node *n)
{
	if (b->rule.sample)
		node_mistake(b, n, "a second sample in one rule");
	else if (n->number < 2 || n->number > UINT32_MAX)
		node_mistake(
			b, n,
			"sample copies one packet in 2 to %u; without it each packet is copied",
			UINT32_MAX);
	b->rule.sample = n->number ? (uint32_t)n->number : 1;
	b->sample_at = n->at;
	b->rule.sample_at = build_location(b, &n->at);
}

/* --- rss --------------------------------------------------------------------------------------- */

void build_rss(struct rule_build *b, const struct rule_node *n)
{
	const struct source_range *last_at = &n->second_at;

	if (!queue_fits(b, &n->at, n->number) || !queue_fits(b, last_at, n->second))
		return;
	if (n->second <= n->number)
		parse_mistake(b->ps, last_at,
			      "rss spreads over several queues: its last one is above %" PRIu64,
			      n->number);
	else if (b->rule.verdict == RULE_MIRROR)
		node_mistake(b, n, "mirror copies to one queue: write `to queue %" PRIu64 "'",
			     n->number);
	else
		takes_queue(b, &n->at);
	b->rss.first = (uint32_t)n->number;
	b->rss.last = (uint32_t)n->second;
	b->rule.queue_at = build_location(b, last_at);
}

void build_rss_on(struct rule_build *b, const struct rule_node *n)
{
	const char *ports = n->of == HASH_TCP ? "tcp" : "udp";

	if (b->rss.on & n->of)
		node_mistake(b, n, "this is in the list already");
	if (n->of & (HASH_TCP | HASH_UDP) && !(b->rss.on & (HASH_IPV4 | HASH_IPV6)))
		node_mistake(b, n,
			     "ports are hashed with addresses: write `on ipv4,%s', `on "
			     "ipv6,%s' or `on ipv4,ipv6,%s'",
			     ports, ports, ports);
	b->rss.on |= (uint8_t)n->of;
}

static uint8_t hex_digit(char c)
{
	return (uint8_t)(isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10);
}

void build_rss_key(struct rule_build *b, const struct rule_node *n)
{
	const char *digit = n->name + (n->name[1] == 'x' || n->name[1] == 'X' ? 2 : 0);
	size_t have = 0;

	for (; *digit; digit++) {
		uint8_t *byte = &b->rss.key[have / 2 % HASH_KEY_BYTES];

		if (*digit == ':')
			continue;
		*byte = (uint8_t)(*byte << 4 | hex_digit(*digit));
		have++;
	}
	if (have != 2 * (size_t)HASH_KEY_BYTES)
		node_mistake(b, n, "a key of rss has %d bytes (%d hexadecimal digits), not %zu",
			     HASH_KEY_BYTES, 2 * HASH_KEY_BYTES, have);
	b->rss.has_key = true;
}

/* --- goto -------------------------------------------------------------------------------------- */

void build_goto(struct rule_build *b, const struct rule_node *n)
{
	if (b->rule.verdict != RULE_SEND)
		node_mistake(b, n, "only a rule that begins with send leads to a table");
	else
		to_once(b, &n->at);
	b->rule.queue_at = build_location(b, &n->at);
	b->go = (struct build_goto){.name = n->name, .at = n->at};
}

/* Checks a rule that passes packets on. Later rules see the packet unchanged and set its tag. */
static void settle_onward(struct rule_build *b, const struct source_range *at)
{
	const char *what = b->go.name ? "leads to a table" : "copies packets";

	if (b->rule.has_tag)
		parse_mistake(b->ps, at,
			      "a rule that %s sets no tag: write it in the rule that sends the "
			      "packets to a queue",
			      what);
	if (b->changes)
		parse_mistake(b->ps, &b->change_at[__builtin_ctz(b->changes)],
			      "a rule that %s does not change them: write this in the rule that "
			      "sends the packets on",
			      what);
}

static bool same_rss(const struct rule_rss *a, const struct rule_rss *b)
{
	return a->first == b->first && a->last == b->last && a->on == b->on &&
	       a->has_key == b->has_key && !memcmp(a->key, b->key, sizeof(a->key));
}

/* Finds or makes the rule's rss: rules that spread alike share one. */
static void settle_rss(struct rule_build *b, const struct source_range *at)
{
	const struct rule_rss *r = b->ps->set->rss;

	if (!b->rss.on)
		b->rss.on = HASH_ALL;
	while (r && !same_rss(r, &b->rss))
		r = r->before;
	b->rule.rss = r;
	if (!r && b->ps->set->rss && b->ps->set->rss->number + 1 == RSS_MAX)
		parse_mistake(b->ps, at, "a file has at most %u different spreads (rss)", RSS_MAX);
}

void build_settle_to(struct rule_build *b, const struct source_range *at)
{
	const struct rule_dir_row *dir = &rule_dirs[b->rule.dir];

	if (b->go.name || b->rule.verdict == RULE_MIRROR)
		settle_onward(b, at);
	if (b->rss.last)
		settle_rss(b, at);
	if (b->rule.sample && b->rule.verdict != RULE_MIRROR)
		parse_mistake(b->ps, &b->sample_at,
			      "sample belongs to mirror, which copies one packet in so many");
	if (b->rule.verdict == RULE_MIRROR && !dir->to)
		parse_mistake(b->ps, at, "mirror copies incoming packets; this rule is for %s ones",
			      dir->packets);
	else if ((b->rule.verdict == RULE_SEND || b->rule.verdict == RULE_MIRROR) && !b->has_to &&
		 !b->rss.last && !b->go.name)
		parse_mistake(b->ps, at, "%s needs a %s: write `%s' behind the matches",
			      b->rule.verdict == RULE_MIRROR ? "mirror" : "send",
			      dir->to_vport ? "vport" : "queue",
			      dir->to ? dir->to : rule_dirs[RULE_IN].to);
}

bool build_keep_to(struct rule_build *b)
{
	const struct rule_rss *last = b->ps->set->rss;

	if (b->go.name)
		b->rule.verdict = RULE_GOTO;
	if (!b->rss.last || b->rule.rss)
		return true;
	b->rss.before = last;
	b->rss.number = last ? last->number + 1 : 0;
	b->rule.rss = build_keep(b, &b->rss, 1, sizeof(b->rss));
	b->ps->set->rss = b->rule.rss ? b->rule.rss : last;
	return b->rule.rss;
}

#define TAG_MAX 0xffffffull

void build_mark(struct rule_build *b, const struct rule_node *n)
{
	if (n->number > TAG_MAX)
		node_mistake(b, n, "a tag is 0 to %llu, not %" PRIu64, TAG_MAX, n->number);
	else if (b->rule.verdict != RULE_SEND && b->rule.verdict != RULE_GOTO)
		node_mistake(b, n, "only a rule that begins with send has a tag");
	else if (b->rule.dir == RULE_SWITCH)
		node_mistake(b, n,
			     "a tag is in a receive queue's completions; this rule is for "
			     "switched packets");
	else if (b->rule.has_tag)
		node_mistake(b, n, "a second tag in one rule");
	b->rule.tag = (uint32_t)n->number;
	b->rule.tag_at = build_location(b, &n->at);
	b->rule.has_tag = true;
}
