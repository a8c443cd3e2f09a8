/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `not MATCH` and `FIELD != VALUE`: a group of matches that must not hold together. While a group
 * is open, matches are put there.
 *
 * A group is one match. Behind a protocol, a tunnel, vlan or mpls it goes on with the matches of
 * that header: `not tcp dst port 22 ttl 5` is not (tcp dst port 22), and ttl 5.
 */
#include "build.h"

static void build_group_open(struct rule_build *b, const struct source_range *at)
{
	struct build_group *g = &b->group;

	build_group_end(b);
	g->active = g->empty = true;
	g->chain = g->names_tunnel = false;
	g->scope = SCOPE_ONE;
	g->at = *at;
	g->headers = (struct rule_headers){0};
	g->fields.n = 0;
	g->tunnel = b->tunnel;
	g->context = b->context;
	b->h = &g->headers;
	b->f = &g->fields;
}

void build_not(struct rule_build *b, const struct rule_node *n)
{
	build_group_open(b, &n->at);
}

bool build_group_of_value(struct rule_build *b, const struct rule_node *n)
{
	if (n->ne.end_byte == n->ne.first_byte)
		return false;
	if (b->group.active) {
		parse_mistake(b->ps, &n->ne, "one match is negated twice");
		return false;
	}
	build_group_open(b, &n->ne);
	b->group.empty = false;
	return true;
}

void build_group_target(struct rule_build *b, enum build_scope scope, bool word)
{
	struct build_group *g = &b->group;

	if (!g->active || scope == SCOPE_NONE)
		return;
	if (g->empty) {
		g->empty = false;
		g->scope = scope;
		g->chain = word;
	} else if (word || !g->chain || scope == SCOPE_ONE || scope != g->scope) {
		build_group_end(b);
	}
}

/* --- the end of a group ------------------------------------------------------------------------ */

static bool has_addresses(const struct rule_headers *h)
{
	return h->src.n || h->dst.n || h->host.n;
}

/* Reports a negation that no device compares. */
static void group_refuse(struct rule_build *b, const struct build_group *g)
{
	uint8_t ip = g->headers.ip;

	if (g->empty)
		parse_mistake(b->ps, &g->at,
			      "not needs a match behind it: not tcp, not src 10.0.0.0/8");
	if (ip && !has_addresses(&g->headers) && !g->fields.n && !g->chain)
		parse_mistake(b->ps, &g->at,
			      "no device compares that a packet is not %s: write `%s', `arp' or "
			      "`ethertype != 0x%04x'",
			      build_ip_name(ip), ip == 4 ? "ipv6" : "ipv4",
			      ip == 4 ? 0x0800 : 0x86dd);
	else if (build_field(&g->fields, KEY_VPORT)->mask || build_field(&g->fields, KEY_SQN)->mask)
		parse_mistake(b->ps, &g->at,
			      "devices compare a vport or a send queue as a whole: it "
			      "cannot be negated");
}

/* Requires the header of a match: a negated field is for packets that have its header. */
static void group_base(struct rule_build *b, const struct build_group *g)
{
	struct build_needs *needs = &b->needs[b->is_inner];

	if (g->scope == SCOPE_ONE && g->headers.ip)
		build_set_ip(b, &g->at, g->headers.ip);
	needs->ip |= build_has_ip_field(b, &g->fields) || g->headers.l4 != L4_ANY;
	if (g->chain || g->headers.l4 == L4_ANY)
		return;
	needs->ports |= g->headers.l4 == L4_TCP_OR_UDP;
	needs->flags |= g->headers.l4 == L4_TCP;
}

static void group_keep(struct rule_build *b, const struct build_group *g)
{
	const struct rule_field *field =
		build_keep(b, g->fields.field, g->fields.n, sizeof(*field));
	struct rule_except except = {b->is_inner, !g->chain,   g->headers,
				     field,	  g->fields.n, build_location(b, &g->at)};

	b->excepts = list_add(b->ps, b->excepts, &except, sizeof(except));
}

/* Returns whether the group is `not fragment`, which is a bit that is 0. */
static bool group_is_nofrag(const struct rule_build *b, const struct build_group *g)
{
	return g->fields.n == 1 && g->fields.field[0].key == build_key(b, KEY_FRAGMENT);
}

void build_group_end(struct rule_build *b)
{
	struct build_group *g = &b->group;

	if (!g->active)
		return;
	group_refuse(b, g);
	if (g->names_tunnel)
		build_settle_tunnel(b, &g->at);
	build_settle_l4(b, &g->at);
	g->active = g->empty = false;
	b->tunnel = g->tunnel;
	b->context = g->context;
	b->h = b->is_inner ? &b->inner : &b->rule.outer;
	b->f = &b->fields;
	if (b->ps->bad)
		return;
	if (group_is_nofrag(b, g)) {
		build_set_field(b, &g->at, KEY_FRAGMENT, 0, 1);
	} else if (b->excepts.n == RULE_EXCEPTS_MAX) {
		parse_mistake(b->ps, &g->at,
			      "a rule has not at most %u times; one takes a list: not src "
			      "10.0.0.0/8,192.168.0.0/16",
			      RULE_EXCEPTS_MAX);
	} else {
		group_base(b, g);
		group_keep(b, g);
	}
}
