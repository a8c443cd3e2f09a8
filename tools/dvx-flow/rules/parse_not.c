/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `not MATCH` and `FIELD != VALUE`: a group of matches that must not hold together. While a group
 * is open, functions that keep matches put them there.
 *
 * A group is one match. Behind a protocol, a tunnel, vlan or mpls it goes on with the matches of
 * that header: `not tcp dst port 22 ttl 5` is not (tcp dst port 22), and ttl 5.
 */
#include <string.h>

#include "parse.h"

void parse_not(struct rule_parser *ps, const struct source_range *at)
{
	struct parse_group *g = &ps->group;

	parse_group_end(ps);
	memset(g, 0, sizeof(*g));
	g->active = g->empty = true;
	g->at = *at;
	g->tunnel = ps->tunnel;
	g->context = ps->context;
	ps->h = &g->headers;
}

void parse_not_value(struct rule_parser *ps, const struct source_range *at)
{
	ps->not_value = true;
	ps->not_at = *at;
}

bool parse_begin_value(struct rule_parser *ps)
{
	if (!ps->not_value)
		return false;
	ps->not_value = false;
	if (ps->group.active) {
		parse_mistake(ps, &ps->not_at, "one match is negated twice");
		return false;
	}
	parse_not(ps, &ps->not_at);
	ps->group.empty = false;
	return true;
}

bool parse_is_negated(const struct rule_parser *ps)
{
	return ps->group.active || ps->not_value;
}

void parse_target(struct rule_parser *ps, enum parse_scope scope, bool word)
{
	struct parse_group *g = &ps->group;

	if (!g->active)
		return;
	if (g->empty) {
		g->empty = false;
		g->scope = scope;
		g->chain = word;
	} else if (word || !g->chain || scope == SCOPE_ONE || scope != g->scope) {
		parse_group_end(ps);
	}
}

void parse_any(struct rule_parser *ps, const struct source_range *at)
{
	if (ps->group.active && ps->group.empty)
		parse_mistake(ps, at, "no packet matches not any");
	parse_target(ps, SCOPE_ONE, false);
}

void parse_eth_word(struct rule_parser *ps)
{
	if (!ps->group.empty)
		parse_group_end(ps);
	ps->context = CONTEXT_ETH;
}

/* --- the end of a group ------------------------------------------------------------------------ */

static bool has_addresses(const struct rule_headers *h)
{
	return h->src.n || h->dst.n || h->host.n;
}

static size_t group_fields(const struct parse_group *g)
{
	size_t n = 0;

	for (int k = 0; k < RULE_KEYS; k++)
		n += g->field[k].mask != 0;
	return n;
}

/* Reports a negation that no device compares. */
static void group_refuse(struct rule_parser *ps, const struct parse_group *g)
{
	uint8_t ip = g->headers.ip;

	if (ip && !has_addresses(&g->headers) && !group_fields(g) && !g->chain)
		parse_mistake(ps, &g->at,
			      "no device compares that a packet is not %s: write `%s', `arp' or "
			      "`ethertype != 0x%04x'",
			      parse_ip_name(ip), ip == 4 ? "ipv6" : "ipv4",
			      ip == 4 ? 0x0800 : 0x86dd);
	else if (g->field[KEY_VPORT].mask || g->field[KEY_SQN].mask)
		parse_mistake(ps, &g->at,
			      "devices compare a vport or a send queue as a whole: it "
			      "cannot be negated");
}

/* Requires the header of a match: a negated field is for packets that have its header. */
static void group_base(struct rule_parser *ps, const struct parse_group *g)
{
	struct parse_needs *needs = &ps->needs[parse_is_inner(ps)];

	if (g->scope == SCOPE_ONE && g->headers.ip)
		parse_ip(ps, &g->at, g->headers.ip);
	needs->ip |= parse_has_ip_field(ps, g->field) || g->headers.l4 != L4_ANY;
	if (g->chain || g->headers.l4 == L4_ANY)
		return;
	needs->ports |= g->headers.l4 == L4_TCP_OR_UDP;
	needs->flags |= g->headers.l4 == L4_TCP;
}

static const struct rule_field *group_keep_fields(struct rule_parser *ps,
						  const struct parse_group *g, size_t n)
{
	struct rule_field *kept = arena_get(ps->set->memory, n * sizeof(*kept)), *at = kept;

	for (int k = 0; kept && k < RULE_KEYS; k++)
		if (g->field[k].mask)
			*at++ = g->field[k];
	return kept;
}

static void group_keep(struct rule_parser *ps, const struct parse_group *g)
{
	struct parse_excepts *l = &ps->excepts;
	struct rule_except *grown = parse_one_more(ps, l->except, l->n, &l->room, sizeof(*grown));
	size_t n = group_fields(g);
	const struct rule_field *field = group_keep_fields(ps, g, n);

	if (!grown || !field) {
		ps->no_memory = true;
		return;
	}
	l->except = grown;
	l->except[l->n++] = (struct rule_except){
		parse_is_inner(ps), !g->chain, g->headers, field, n, parse_location(ps, &g->at)};
}

/* Returns whether the group is `not fragment`, which is a bit that is 0. */
static bool group_is_nofrag(const struct rule_parser *ps, const struct parse_group *g)
{
	return g->field[parse_key(ps, KEY_FRAGMENT)].mask && group_fields(g) == 1;
}

static void group_close(struct rule_parser *ps)
{
	ps->group.active = ps->group.empty = false;
	ps->tunnel = ps->group.tunnel;
	ps->context = ps->group.context;
	ps->h = ps->is_inner ? &ps->inner : &ps->rule.outer;
}

void parse_group_end(struct rule_parser *ps)
{
	struct parse_group *g = &ps->group;

	if (!g->active)
		return;
	if (g->empty)
		parse_mistake(ps, &g->at,
			      "not needs a match behind it: not tcp, not src 10.0.0.0/8");
	group_refuse(ps, g);
	if (g->names_tunnel)
		parse_settle_tunnel(ps, &g->at);
	parse_settle_l4(ps, &g->at);
	group_close(ps);
	if (ps->bad)
		return;
	if (group_is_nofrag(ps, g)) {
		parse_field(ps, &g->at, KEY_FRAGMENT, 0, 1);
		return;
	}
	if (ps->excepts.n == RULE_EXCEPTS_MAX) {
		parse_mistake(ps, &g->at,
			      "a rule has not at most %u times; one takes a list: not src "
			      "10.0.0.0/8,192.168.0.0/16",
			      RULE_EXCEPTS_MAX);
		return;
	}
	group_base(ps, g);
	group_keep(ps, g);
}
