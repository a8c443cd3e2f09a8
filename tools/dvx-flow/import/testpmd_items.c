/* SPDX-License-Identifier: BSD-2-Clause */
/* The items of a testpmd pattern. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "testpmd.h"
#include "values.h"

enum pmd_kind {
	PMD_MAC,
	PMD_NET4,
	PMD_NET6,
	PMD_PORT,
	PMD_NUMBER,
	PMD_TYPE,
	PMD_TCI,
	PMD_PROTO,
	PMD_FLAGS,
	PMD_HAS_VLAN,
	PMD_FRAG4,
	PMD_FRAG6,
	PMD_REFUSE
};

struct pmd_field {
	const char *name;
	enum pmd_kind kind;
	unsigned int slot; /* PMD_REFUSE: the reason */
	unsigned int bits;
	bool whole; /* compared if the item has a spec and no mask at all */
};

static const struct pmd_field pmd_eth[] = {
	{"dst", PMD_MAC, SLOT_ETH_DST, 48, true},
	{"src", PMD_MAC, SLOT_ETH_SRC, 48, true},
	{"type", PMD_TYPE, 0, 16, true},
	{"has_vlan", PMD_HAS_VLAN, SLOT_TAG, 1, false},
	{0},
};

/* The slots of the second tag follow those of the first. */
static const struct pmd_field pmd_vlan[] = {
	{"vid", PMD_NUMBER, SLOT_VLAN_ID, 12, true},  {"pcp", PMD_NUMBER, SLOT_VLAN_PCP, 3, false},
	{"dei", PMD_NUMBER, SLOT_VLAN_DEI, 1, false}, {"tci", PMD_TCI, 0, 16, false},
	{"inner_type", PMD_TYPE, 0, 16, false},	      {"has_more_vlan", PMD_HAS_VLAN, SLOT_TAG2, 1, false},
	{0},
};

static const struct pmd_field pmd_ipv4[] = {
	{"src", PMD_NET4, SLOT_SRC, 32, true},
	{"dst", PMD_NET4, SLOT_DST, 32, true},
	{"tos", PMD_NUMBER, SLOT_TOS, 8, false},
	{"ttl", PMD_NUMBER, SLOT_TTL, 8, false},
	{"proto", PMD_PROTO, SLOT_PROTO, 8, false},
	{"fragment_offset", PMD_FRAG4, SLOT_FRAGMENT, 16, false},
	{0},
};

static const struct pmd_field pmd_ipv6[] = {
	{"src", PMD_NET6, SLOT_SRC, 128, true},
	{"dst", PMD_NET6, SLOT_DST, 128, true},
	{"tc", PMD_NUMBER, SLOT_TOS, 8, false},
	{"hop", PMD_NUMBER, SLOT_TTL, 8, false},
	{"flow", PMD_NUMBER, SLOT_FLOWLABEL, 20, false},
	{"proto", PMD_REFUSE, REASON_NEXTHDR, 0, false},
	{"has_frag_ext", PMD_FRAG6, SLOT_FRAGMENT, 1, false},
	{0},
};

static const struct pmd_field pmd_tcp[] = {
	{"src", PMD_PORT, SLOT_SPORT, 16, true},
	{"dst", PMD_PORT, SLOT_DPORT, 16, true},
	{"flags", PMD_FLAGS, SLOT_FLAGS, 8, false},
	{0},
};

static const struct pmd_field pmd_udp[] = {
	{"src", PMD_PORT, SLOT_SPORT, 16, true},
	{"dst", PMD_PORT, SLOT_DPORT, 16, true},
	{0},
};

static const struct pmd_field pmd_icmp[] = {
	{"type", PMD_NUMBER, SLOT_TYPE, 8, true},
	{"code", PMD_NUMBER, SLOT_CODE, 8, true},
	{0},
};

static const struct pmd_field pmd_vni[] = {
	{"vni", PMD_NUMBER, SLOT_VNI, 24, true},
	{0},
};

static const struct pmd_field pmd_gre_key[] = {
	{"value", PMD_NUMBER, SLOT_KEY, 32, true},
	{0},
};

static const struct pmd_field pmd_mpls[] = {
	{"label", PMD_NUMBER, SLOT_MPLS_LABEL, 20, true},
	{"tc", PMD_NUMBER, SLOT_MPLS_TC, 3, false},
	{"s", PMD_NUMBER, SLOT_MPLS_BOS, 1, false},
	{"ttl", PMD_NUMBER, SLOT_MPLS_TTL, 8, false},
	{0},
};

static const struct pmd_field pmd_none[] = {{0}};

/* Items that add nothing by themselves have no slot. */
#define PMD_BARE DRAFT_SLOTS

/* Depths that differ from others: VLAN tags and GRE's key may repeat theirs. */
enum { PMD_TAGS = 2, PMD_TUNNEL = 6 };

static const struct pmd_item {
	const char *name;
	int depth; /* 0: any place; PMD_TUNNEL begins the headers inside */
	unsigned int slot;
	const char *text;
	const struct pmd_field *field;
} pmd_items[] = {
	{"void", 0, PMD_BARE, NULL, pmd_none},
	{"eth", 1, PMD_BARE, NULL, pmd_eth},
	{"vlan", PMD_TAGS, SLOT_TAG, "vlan", pmd_vlan},
	{"mpls", 3, SLOT_MPLS, "mpls", pmd_mpls},
	{"ipv4", 4, SLOT_IP, "ipv4", pmd_ipv4},
	{"ipv6", 4, SLOT_IP, "ipv6", pmd_ipv6},
	{"tcp", 5, SLOT_PROTO, "tcp", pmd_tcp},
	{"udp", 5, SLOT_PROTO, "udp", pmd_udp},
	{"sctp", 5, SLOT_PROTO, "proto 132", pmd_none},
	{"icmp", 5, SLOT_PROTO, "icmp", pmd_icmp},
	{"icmp6", 5, SLOT_PROTO, "icmp6", pmd_icmp},
	{"esp", 5, SLOT_PROTO, "proto 50", pmd_none},
	{"ah", 5, SLOT_PROTO, "proto 51", pmd_none},
	{"vxlan", PMD_TUNNEL, SLOT_TUNNEL, "vxlan", pmd_vni},
	{"vxlan-gpe", PMD_TUNNEL, SLOT_TUNNEL, "vxlan-gpe", pmd_vni},
	{"geneve", PMD_TUNNEL, SLOT_TUNNEL, "geneve", pmd_vni},
	{"gre", PMD_TUNNEL, SLOT_PROTO, "proto 47", pmd_none},
	{"gre_key", PMD_TUNNEL, PMD_BARE, NULL, pmd_gre_key},
};

static const struct {
	const char *name;
	enum import_reason reason;
} pmd_refused[] = {
	{"raw", REASON_FIELD},
	{"flex", REASON_FIELD},
	{"integrity", REASON_FIELD},
	{"conntrack", REASON_CONNTRACK},
	{"meta", REASON_MARK},
	{"mark", REASON_MARK},
	{"tag", REASON_MARK},
	{"port_id", REASON_TRANSFER},
	{"pf", REASON_TRANSFER},
	{"vf", REASON_TRANSFER},
	{"phy_port", REASON_TRANSFER},
	{"represented_port", REASON_TRANSFER},
	{"invert", REASON_NEGATION},
	{"any", REASON_FIELD},
	{"fuzzy", REASON_FIELD},
	{"arp_eth_ipv4", REASON_FIELD},
	{"gtpu", REASON_FIELD},
	{"gtpc", REASON_FIELD},
	{"gtp", REASON_FIELD},
	{"pppoes", REASON_FIELD},
	{"pfcp", REASON_FIELD},
	{"l2tpv2", REASON_FIELD},
	{"l2tpv3oip", REASON_FIELD},
	{"ecpri", REASON_FIELD},
	{"port_representor", REASON_TRANSFER},
	/* The item compares GRE's payload, too. */
	{"nvgre", REASON_TUNNEL_PROTOCOL},
};

/* The tokens that were given for a field. */
struct pmd_given {
	const struct token *spec, *last, *mask, *prefix, *is, *at;
};

#define PMD_FIELDS_MAX 8

/* --- values ------------------------------------------------------------------------------------ */

static bool pmd_match_add(struct pmd_read *r, const struct token *at, unsigned int slot, const char *text)
{
	if (!text)
		return pmd_leave(r, at, REASON_VALUE);
	return draft_add(r->im, r->d, (enum draft_slot)slot, text) ||
	       pmd_leave(r, at, REASON_TWICE);
}

/* Returns the mask of a number: as written, or as so many leading bits, or all. */
static bool pmd_mask(const struct pmd_given *s, unsigned int bits, uint64_t *mask)
{
	uint64_t most = bits == 64 ? UINT64_MAX : (1ull << bits) - 1, n;

	*mask = most;
	if (s->mask)
		return value_number(s->mask->text, 0, UINT64_MAX, mask);
	if (!s->prefix)
		return true;
	if (!value_number(s->prefix->text, 0, bits, &n))
		return false;
	*mask = n ? most & ~(most >> n) : 0;
	return true;
}

static bool pmd_range(struct pmd_read *r, const struct pmd_field *f, const struct pmd_given *s,
		      uint64_t first)
{
	uint64_t last, mask;

	if (f->slot == SLOT_TTL && value_number(s->last->text, 0, 0xff, &last) &&
	    pmd_mask(s, f->bits, &mask) && (mask & 0xff) == 0xff)
		return pmd_match_add(r, s->last, f->slot, value_range(r->im, first, last, 8));
	if (f->kind != PMD_PORT || !pmd_mask(s, f->bits, &mask) || (mask & 0xffff) != 0xffff)
		return pmd_leave(r, s->last, REASON_RANGE);
	if (!value_number(s->last->text, 0, 0xffff, &last) || last < first)
		return pmd_leave(r, s->last, REASON_VALUE);
	return pmd_match_add(r, s->last, f->slot,
		       import_format(r->im, "%" PRIu64 "-%" PRIu64, first, last));
}

/*
 * Adds offset and "more fragments", as DPDK's mlx5 driver takes them: all of these bits 0, or any
 * of them set.
 */
static bool pmd_frag4(struct pmd_read *r, const struct pmd_given *s, const struct token *spec,
		      uint64_t v, uint64_t mask)
{
	const uint64_t bits = 0x3fff;
	uint64_t last = v;

	if (s->last && !value_number(s->last->text, 0, 0xffff, &last))
		return pmd_leave(r, s->last, REASON_VALUE);
	v &= bits;
	last &= bits;
	if ((mask & bits) != bits || v > 1 || last != (v ? bits : 0))
		return pmd_leave(r, spec, REASON_FRAGMENT);
	return pmd_match_add(r, spec, SLOT_FRAGMENT, v ? "fragment" : "nofrag");
}

/* Adds a VLAN tag's 16 bits as its three fields. */
static bool pmd_tci(struct pmd_read *r, const struct token *at, unsigned int shift, uint64_t v,
		    uint64_t mask)
{
	static const struct {
		unsigned int slot, low;
		uint64_t most;
	} parts[] = {{SLOT_VLAN_ID, 0, 0xfff}, {SLOT_VLAN_PCP, 13, 7}, {SLOT_VLAN_DEI, 12, 1}};

	for (size_t i = 0; i < 3; i++) {
		uint64_t part = mask >> parts[i].low & parts[i].most;

		if (part && part != parts[i].most)
			return pmd_leave(r, at, REASON_MASK);
		if (part &&
		    !pmd_match_add(r, at, parts[i].slot + shift,
			     import_format(r->im, "%" PRIu64, v >> parts[i].low & parts[i].most)))
			return false;
	}
	return true;
}

/* Adds a type behind a tag. It belongs to the tag that follows. */
static bool pmd_type(struct pmd_read *r, const struct token *at, uint64_t type)
{
	unsigned int slot = r->tags ? SLOT_TAG2 : SLOT_TAG;

	if (type == 0x8100 || type == 0x88a8)
		return r->tags > 1 ? pmd_leave(r, at, REASON_FIELD)
				   : pmd_match_add(r, at, slot, type == 0x8100 ? "vlan" : "svlan");
	return draft_add_type(r->im, r->d, type) || pmd_leave(r, at, REASON_TWICE);
}

/* Adds whether there is a tag, or one behind the item's. The driver compares type 0x8100. */
static bool pmd_has_vlan(struct pmd_read *r, const struct token *at, unsigned int slot, bool has)
{
	const char *given = draft_value(r->d, (enum draft_slot)slot);

	if (r->tags > 1)
		return pmd_leave(r, at, REASON_FIELD);
	/* An earlier type, if it is a tag's, implies the tag already. */
	if (has)
		return given || pmd_match_add(r, at, slot, "vlan");
	return pmd_match_add(r, at, slot, slot == SLOT_TAG ? "untagged" : "num_of_vlans 1");
}

static bool pmd_number_field(struct pmd_read *r, const struct pmd_field *f,
			     const struct pmd_given *s, const struct token *spec)
{
	unsigned int shift = r->tags > 1 && f->slot >= SLOT_VLAN_ID && f->slot <= SLOT_VLAN_DEI
				     ? SLOT_VLAN2_ID - SLOT_VLAN_ID
				     : 0;
	uint64_t most = (1ull << f->bits) - 1, v, mask;

	if (!value_number(spec->text, 0, most, &v) || !pmd_mask(s, f->bits, &mask))
		return pmd_leave(r, spec, REASON_VALUE);
	mask &= most;
	if (f->kind == PMD_FRAG4)
		return pmd_frag4(r, s, spec, v, mask);
	if (s->last)
		return pmd_range(r, f, s, v);
	if (f->kind == PMD_TCI)
		return pmd_tci(r, spec, r->tags > 1 ? SLOT_VLAN2_ID - SLOT_VLAN_ID : 0, v, mask);
	if (f->kind == PMD_TYPE || f->kind == PMD_HAS_VLAN) {
		if (mask != most)
			return !mask || pmd_leave(r, s->at, REASON_MASK);
		return f->kind == PMD_TYPE ? pmd_type(r, spec, v)
					   : pmd_has_vlan(r, spec, f->slot, v);
	}
	if (f->kind == PMD_FRAG6)
		return !mask || pmd_match_add(r, spec, f->slot, v ? "fragment" : "nofrag");
	if (f->kind == PMD_FLAGS)
		return pmd_match_add(r, spec, f->slot, value_flags(r->im, v, mask));
	if (f->kind == PMD_PORT)
		return pmd_match_add(r, spec, f->slot, value_port_mask(r->im, v, mask));
	return pmd_match_add(r, spec, f->slot + shift, value_under_mask(r->im, v, mask, f->bits));
}

/* Adds a range of addresses, if all of their bits are compared. */
static bool pmd_nets(struct pmd_read *r, const struct pmd_field *f, const struct pmd_given *s,
		     const struct token *spec, const char *masked)
{
	int family = f->kind == PMD_NET4 ? AF_INET : AF_INET6;
	const char *one = f->kind == PMD_MAC ? NULL : value_net(r->im, masked, family);

	if (!one || strchr(one, '/') || !*one)
		return pmd_leave(r, s->last, REASON_RANGE);
	return pmd_match_add(
		r, spec, f->slot,
		value_nets(r->im, import_format(r->im, "%s-%s", one, s->last->text), family));
}

static bool pmd_address_field(struct pmd_read *r, const struct pmd_field *f,
			      const struct pmd_given *s, const struct token *spec)
{
	const struct token *mask = s->mask ? s->mask : s->prefix;
	const char *text =
		mask ? import_format(r->im, "%s/%s", spec->text, mask->text) : spec->text;

	if (s->last)
		return pmd_nets(r, f, s, spec, text);
	if (f->kind == PMD_MAC)
		return pmd_match_add(r, spec, f->slot, value_mac(r->im, text));
	return pmd_match_add(r, spec, f->slot,
		       value_net(r->im, text, f->kind == PMD_NET4 ? AF_INET : AF_INET6));
}

static bool pmd_field_add(struct pmd_read *r, const struct pmd_field *f, const struct pmd_given *s,
			  bool masked)
{
	const struct token *spec = s->is ? s->is : s->spec;
	uint64_t mask;

	if (f->kind == PMD_REFUSE)
		return pmd_leave(r, s->at, (enum import_reason)f->slot);
	/* Without a spec the field may have any value. */
	if (!spec)
		return true;
	/* Another field's mask leaves this one uncompared; without any, the item's default does. */
	if (!s->is && !s->mask && !s->prefix && (masked || !f->whole))
		return masked || pmd_leave(r, s->at, REASON_MASK);
	if (f->kind == PMD_PROTO) {
		if (!pmd_mask(s, 8, &mask) || (mask & 0xff) != 0xff)
			return pmd_leave(r, s->at, REASON_MASK);
		return pmd_match_add(r, spec, f->slot, value_proto(r->im, spec->text, 0));
	}
	if (f->kind == PMD_MAC || f->kind == PMD_NET4 || f->kind == PMD_NET6)
		return pmd_address_field(r, f, s, spec);
	return pmd_number_field(r, f, s, spec);
}

/* --- items ------------------------------------------------------------------------------------- */

/* Reads FIELD OPERATOR VALUE. */
static bool pmd_field_read(struct pmd_read *r, const struct pmd_item *item, struct pmd_given *given)
{
	const struct token *name = tokens_next(r->line), *how = tokens_next(r->line), *value;
	size_t i = 0;

	while (item->field[i].name && !token_is(name, item->field[i].name))
		i++;
	if (!item->field[i].name)
		return pmd_leave(r, name, REASON_FIELD);
	value = tokens_next(r->line);
	if (!value->text)
		return pmd_leave(r, value, REASON_ENDS);
	given[i].at = name;
	if (token_is(how, "is"))
		given[i].is = value;
	else if (token_is(how, "spec"))
		given[i].spec = value;
	else if (token_is(how, "last"))
		given[i].last = value;
	else if (token_is(how, "mask"))
		given[i].mask = value;
	else if (token_is(how, "prefix"))
		given[i].prefix = value;
	else
		return pmd_leave(r, how, REASON_SYNTAX);
	return true;
}

static bool pmd_fields(struct pmd_read *r, const struct pmd_item *item)
{
	struct pmd_given given[PMD_FIELDS_MAX] = {0};
	bool masked = false;

	while (tokens_peek(r->line)->text && !token_is(tokens_peek(r->line), "/") &&
	       !token_is(tokens_peek(r->line), "end"))
		if (!pmd_field_read(r, item, given))
			return false;
	for (size_t i = 0; item->field[i].name; i++)
		masked |= given[i].is || given[i].mask || given[i].prefix;
	for (size_t i = 0; item->field[i].name; i++)
		if (given[i].at && !pmd_field_add(r, &item->field[i], &given[i], masked))
			return false;
	return true;
}

/* Checks an item's place. Headers have the packet's order; behind a tunnel they begin anew. */
static bool pmd_place(struct pmd_read *r, const struct pmd_item *item, const struct token *at)
{
	if (!item->depth)
		return true;
	if (r->depth == PMD_TUNNEL && item->depth < PMD_TUNNEL) {
		if (r->d->inner)
			return pmd_leave(r, at, REASON_FIELD);
		r->d->inner = true;
		r->tags = 0;
	} else if (item->depth < r->depth || (item->depth == r->depth && item->depth != PMD_TAGS &&
					      strcmp(item->name, "gre_key"))) {
		return pmd_leave(r, at, REASON_SYNTAX);
	}
	r->depth = item->depth;
	return true;
}

static bool pmd_vlan_item(struct pmd_read *r, const struct token *at)
{
	unsigned int slot = r->tags ? SLOT_TAG2 : SLOT_TAG;
	const char *given;

	if (r->tags == 2)
		return pmd_leave(r, at, REASON_FIELD);
	r->tags++;
	given = draft_value(r->d, (enum draft_slot)slot);
	/* A type may have set svlan, or a flag that there is no such tag. */
	if (given && (!strcmp(given, "untagged") || !strcmp(given, "num_of_vlans 1")))
		r->d->nothing = true;
	return given || pmd_match_add(r, at, slot, "vlan");
}

static bool pmd_item(struct pmd_read *r, const struct token *at)
{
	const struct pmd_item *item = NULL;

	for (size_t i = 0; i < sizeof(pmd_items) / sizeof(pmd_items[0]); i++)
		if (token_is(at, pmd_items[i].name))
			item = &pmd_items[i];
	for (size_t i = 0; i < sizeof(pmd_refused) / sizeof(pmd_refused[0]); i++)
		if (token_is(at, pmd_refused[i].name))
			return pmd_leave(r, at, pmd_refused[i].reason);
	if (!item)
		return pmd_leave(r, at, at->text ? REASON_UNKNOWN : REASON_ENDS);
	if (!pmd_place(r, item, at))
		return false;
	if (item->slot == SLOT_TAG ? !pmd_vlan_item(r, at)
				   : item->text && !pmd_match_add(r, at, item->slot, item->text))
		return false;
	return pmd_fields(r, item);
}

/*
 * Returns whether the protocol inside the tunnel is known. DPDK's mlx5 driver compares it:
 * Ethernet, or the IP version of the item behind it. VXLAN carries only Ethernet, and only Ethernet
 * has an address.
 */
static bool pmd_inside_known(const struct draft *d)
{
	const struct draft_part *in = d->part[1];
	const char *tunnel = d->part[0][SLOT_TUNNEL].text;

	return (tunnel && !strcmp(tunnel, "vxlan")) || in[SLOT_ETH_SRC].text ||
	       in[SLOT_ETH_DST].text;
}

bool pmd_pattern(struct pmd_read *r)
{
	const struct token *item = NULL;

	while (!tokens_take(r->line, "end")) {
		bool inner = r->d->inner;

		item = inner ? item : tokens_peek(r->line);
		if (!pmd_item(r, tokens_next(r->line)))
			return false;
		if (!token_is(tokens_peek(r->line), "end") && !tokens_take(r->line, "/"))
			return pmd_leave(r, tokens_peek(r->line), REASON_SYNTAX);
	}
	if (r->d->inner && !pmd_inside_known(r->d))
		return pmd_leave(r, item, REASON_TUNNEL_PROTOCOL);
	r->d->inner = false;
	return tokens_take(r->line, "actions") || pmd_leave(r, tokens_peek(r->line), REASON_SYNTAX);
}
