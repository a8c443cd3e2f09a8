/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields and headers of the rule, or of the group behind `not`, and what they imply. */
#include <inttypes.h>
#include <string.h>

#include "build.h"
#include "compile.h"

static uint16_t clip(uint32_t v)
{
	return (uint16_t)(v > UINT16_MAX ? UINT16_MAX : v);
}

struct source_location build_location(const struct rule_build *b, const struct source_range *at)
{
	return (struct source_location){clip(at->line - b->rule.line),
					clip(at->column)};
}

void *build_keep(struct rule_build *b, const void *items, size_t n, size_t size)
{
	void *kept = arena_get(b->ps->set->memory, n * size);

	b->ps->no_memory |= !kept;
	return kept && n ? memcpy(kept, items, n * size) : kept;
}

enum rule_key build_key(const struct rule_build *b, enum rule_key key)
{
	return b->is_inner && key < KEY_PER_LEVEL ? KEY_INNER(key) : key;
}

const struct rule_field *build_field(const struct build_fields *fields, enum rule_key key)
{
	static const struct rule_field none;

	for (size_t i = 0; i < fields->n; i++)
		if (fields->field[i].key == key)
			return &fields->field[i];
	return &none;
}

const struct rule_field *build_field_here(const struct rule_build *b, enum rule_key key)
{
	return build_field(b->f, build_key(b, key));
}

static const char *an(const char *noun)
{
	return strchr("AEIOUaeiou", noun[0]) ? "an" : "a";
}

static bool value_fits(struct rule_build *b, const struct source_range *at, enum rule_key key,
		       const struct rule_value *v)
{
	const char *noun = match_keys[key].noun;
	uint64_t max = match_key_max(key);

	if (v->value > max)
		parse_mistake(b->ps, at, "%s %s is 0 to %" PRIu64 ", not %" PRIu64, an(noun), noun,
			      max, v->value);
	else if (!v->mask)
		parse_mistake(b->ps, at, "a mask of 0 compares nothing");
	else if (v->mask > max)
		parse_mistake(b->ps, at, "the mask of %s %s has no bit above 0x%" PRIx64, an(noun),
			      noun, max);
	else
		return true;
	return false;
}

/* Completes the masks of a list's values. Returns whether they fit the field. */
static bool values_fit(struct rule_build *b, const struct source_range *at, enum rule_key key,
		       const struct node_list *l)
{
	struct rule_value *v = l->item;

	for (size_t i = 0; i < l->n; i++) {
		if (v[i].mask == UINT64_MAX)
			v[i].mask = match_key_max(key);
		if (!value_fits(b, at, key, &v[i]))
			return false;
	}
	return l->n; /* 0: no memory */
}

static bool same_values(const struct rule_field *a, const struct rule_field *b)
{
	return a->value == b->value && a->mask == b->mask && a->nmore == b->nmore &&
	       (!a->nmore || !memcmp(a->more, b->more, a->nmore * sizeof(*a->more)));
}

static void build_fields_add(struct build_fields *fields, const struct rule_field *f)
{
	size_t i = fields->n++;

	for (; i && fields->field[i - 1].key > f->key; i--)
		fields->field[i] = fields->field[i - 1];
	fields->field[i] = *f;
}

static void add_values(struct rule_build *b, const struct source_range *at, enum rule_key key,
		       const struct node_list *l)
{
	const struct rule_field *other = build_field_here(b, key);
	const struct rule_value *v = l->item;
	struct rule_field f = {.key = build_key(b, key), .at = build_location(b, at)};

	if (!values_fit(b, at, key, l))
		return;
	f.value = v->value;
	f.mask = v->mask;
	f.nmore = l->n - 1;
	f.more = f.nmore ? v + 1 : NULL;
	if (!other->mask)
		build_fields_add(b->f, &f);
	else if (!same_values(other, &f))
		parse_mistake(b->ps, at, "a second %s in one rule", match_keys[key].noun);
}

void build_set_field(struct rule_build *b, const struct source_range *at, enum rule_key key,
		     uint64_t value, uint64_t mask)
{
	struct rule_value v = {value, mask};

	add_values(b, at, key, &(struct node_list){.item = &v, .n = 1});
}

/* --- headers --------------------------------------------------------------------------------- */

const char *build_ip_name(uint8_t ip)
{
	return ip == 4 ? "IPv4" : "IPv6";
}

uint8_t build_type_version(uint64_t type)
{
	return type == 0x0800 ? 4 : type == 0x86dd ? 6 : 0;
}

bool build_not_ip(const struct rule_build *b, uint8_t version)
{
	const struct rule_field *type = build_field_here(b, KEY_ETHERTYPE);
	uint8_t other = build_type_version(type->value);

	return type->mask && type->value != TYPE_MPLS && (version ? other != version : !other);
}

void build_set_ip(struct rule_build *b, const struct source_range *at, uint8_t version)
{
	if (b->h->ip && b->h->ip != version)
		parse_mistake(b->ps, at, "this is %s, but the rule said %s before",
			      build_ip_name(version), build_ip_name(b->h->ip));
	else if (build_not_ip(b, version))
		parse_mistake(b->ps, at,
			      "this is %s, but the rule said EtherType 0x%04" PRIx64 " before",
			      build_ip_name(version), build_field_here(b, KEY_ETHERTYPE)->value);
	else if (!b->h->ip) {
		b->h->ip = version;
		b->h->ip_at = build_location(b, at);
	}
}

void build_settle_tunnel(struct rule_build *b, const struct source_range *at)
{
	uint16_t port = tunnel_rows[b->tunnel].port;
	struct rule_ports *p = &b->h->dport;
	struct node_list l;

	if (!port)
		return;
	if (!p->n) {
		l = list_range(b->ps, (struct node_list){0}, (struct rule_range){port, port, 0});
		*p = (struct rule_ports){l.item, l.n, build_location(b, at)};
	} else if (p->n > 1 || p->range[0].first != port || p->range[0].last != port) {
		parse_mistake(
			b->ps, at,
			"%s is UDP to port %u, which is a setting of the device; at another port "
			"it parses no tunnel",
			tunnel_rows[b->tunnel].name, port);
	}
}

static bool has_ports(const struct rule_headers *r)
{
	return r->sport.n || r->dport.n || r->port.n;
}

static void fields_remove(struct build_fields *fields, const struct rule_field *f)
{
	size_t i = (size_t)(f - fields->field);

	memmove(&fields->field[i], &fields->field[i + 1], (--fields->n - i) * sizeof(*f));
}

void build_fields_remove(struct build_fields *fields, enum rule_key key)
{
	fields_remove(fields, build_field(fields, key));
}

void build_settle_l4(struct rule_build *b, const struct source_range *at)
{
	const struct rule_field *proto = build_field_here(b, KEY_PROTO);
	struct build_needs needs =
		b->group.active ? (struct build_needs){0} : b->needs[b->is_inner];
	bool flags = build_field_here(b, KEY_TCP_FLAGS)->mask || needs.flags;
	bool ports = has_ports(b->h) || needs.ports;

	if (proto->mask && (proto->value == L4_TCP || proto->value == L4_UDP)) {
		b->h->l4 = (enum rule_l4)proto->value;
		b->h->l4_at = proto->at;
		fields_remove(b->f, proto);
	} else if (proto->mask && (ports || flags)) {
		parse_mistake(b->ps, at, "%s go with tcp%s, not with protocol %" PRIu64,
			      flags ? "flags" : "ports", flags ? "" : " or udp", proto->value);
	} else if (flags) {
		b->h->l4 = L4_TCP;
	} else if (ports) {
		b->h->l4 = L4_TCP_OR_UDP;
	}
	if (flags && b->h->l4 == L4_UDP)
		parse_mistake(b->ps, at, "UDP has no flags");
}

bool build_has_ip_field(const struct rule_build *b, const struct build_fields *fields)
{
	static const enum rule_key of_ip[] = {KEY_PROTO, KEY_DSCP, KEY_ECN, KEY_TTL, KEY_FRAGMENT};
	bool has = false;

	for (size_t i = 0; i < sizeof(of_ip) / sizeof(of_ip[0]); i++)
		has |= build_field(fields, build_key(b, of_ip[i]))->mask != 0;
	return has;
}

/* --- groups ---------------------------------------------------------------------------------- */

/*
 * `not MATCH` and `FIELD != VALUE`: a group of matches that must not hold together. While a group
 * is open, matches are put there.
 *
 * A group is one match. Behind a protocol, a tunnel, vlan or mpls it goes on with the matches of
 * that header: `not tcp dst port 22 ttl 5` is not (tcp dst port 22), and ttl 5.
 */

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

/* --- the end of a group ---------------------------------------------------------------------- */

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

/* --- values that may be negated -------------------------------------------------------------- */

void build_set_values(struct rule_build *b, const struct rule_node *n, enum rule_key key,
		      const struct node_list *l)
{
	bool negated = build_group_of_value(b, n);

	add_values(b, &n->at, key, l);
	if (negated)
		build_group_end(b);
}

void build_set_value(struct rule_build *b, const struct rule_node *n, enum rule_key key,
		     uint64_t value)
{
	struct rule_value v = {value, match_key_max(key)};

	build_set_values(b, n, key, &(struct node_list){.item = &v, .n = 1});
}
