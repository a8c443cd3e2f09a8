/* SPDX-License-Identifier: BSD-2-Clause */
#include "nft_match.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "rules/words.h"
#include "values.h"

enum nft_kind {
	NFT_NET4,
	NFT_NET6,
	NFT_PORT,
	NFT_PROTO,
	NFT_NUMBER,
	NFT_DSCP,
	NFT_TYPE4,
	NFT_TYPE6,
	NFT_FLAGS,
	NFT_MAC,
	NFT_NFPROTO,
	NFT_ETHERTYPE,
	NFT_NETDEV_NAME,
	NFT_VLAN,
	NFT_ECN,
	NFT_INSIDE, /* the key behind it is of the packet in the tunnel */
	NFT_REFUSE,
};

struct nft_key {
	const char *first, *second; /* its words; NULL: one word */
	enum nft_kind kind;
	unsigned int slot;	/* NFT_REFUSE: the reason */
	const char *ip,
		*proto; /* headers that the packet must have; "l4": TCP or UDP, as given before */
	unsigned int bits;
};

static const struct nft_key nft_keys[] = {
	{"ip", "saddr", NFT_NET4, SLOT_SRC, "ipv4", NULL, 0},
	{"ip", "daddr", NFT_NET4, SLOT_DST, "ipv4", NULL, 0},
	{"ip", "protocol", NFT_PROTO, SLOT_PROTO, "ipv4", NULL, 0},
	{"ip", "dscp", NFT_DSCP, SLOT_DSCP, "ipv4", NULL, 6},
	{"ip", "ecn", NFT_ECN, SLOT_ECN, "ipv4", NULL, 2},
	{"ip", "ttl", NFT_NUMBER, SLOT_TTL, "ipv4", NULL, 8},
	{"ip", "frag-off", NFT_REFUSE, REASON_FRAGMENT, NULL, NULL, 0},
	{"ip6", "saddr", NFT_NET6, SLOT_SRC, "ipv6", NULL, 0},
	{"ip6", "daddr", NFT_NET6, SLOT_DST, "ipv6", NULL, 0},
	{"ip6", "dscp", NFT_DSCP, SLOT_DSCP, "ipv6", NULL, 6},
	{"ip6", "ecn", NFT_ECN, SLOT_ECN, "ipv6", NULL, 2},
	{"ip6", "hoplimit", NFT_NUMBER, SLOT_TTL, "ipv6", NULL, 8},
	{"ip6", "flowlabel", NFT_NUMBER, SLOT_FLOWLABEL, "ipv6", NULL, 20},
	{"ip6", "nexthdr", NFT_REFUSE, REASON_NEXTHDR, NULL, NULL, 0},
	{"tcp", "sport", NFT_PORT, SLOT_SPORT, NULL, "tcp", 16},
	{"tcp", "dport", NFT_PORT, SLOT_DPORT, NULL, "tcp", 16},
	{"tcp", "flags", NFT_FLAGS, SLOT_FLAGS, NULL, "tcp", 8},
	{"udp", "sport", NFT_PORT, SLOT_SPORT, NULL, "udp", 16},
	{"udp", "dport", NFT_PORT, SLOT_DPORT, NULL, "udp", 16},
	{"th", "sport", NFT_PORT, SLOT_SPORT, NULL, "l4", 16},
	{"th", "dport", NFT_PORT, SLOT_DPORT, NULL, "l4", 16},
	{"icmp", "type", NFT_TYPE4, SLOT_TYPE, "ipv4", "icmp", 8},
	{"icmp", "code", NFT_NUMBER, SLOT_CODE, "ipv4", "icmp", 8},
	{"icmpv6", "type", NFT_TYPE6, SLOT_TYPE, "ipv6", "icmp6", 8},
	{"icmpv6", "code", NFT_NUMBER, SLOT_CODE, "ipv6", "icmp6", 8},
	{"ether", "saddr", NFT_MAC, SLOT_ETH_SRC, NULL, NULL, 0},
	{"ether", "daddr", NFT_MAC, SLOT_ETH_DST, NULL, NULL, 0},
	{"ether", "type", NFT_ETHERTYPE, SLOT_TAG, NULL, NULL, 0},
	{"vlan", "id", NFT_VLAN, SLOT_VLAN_ID, NULL, NULL, 12},
	{"vlan", "pcp", NFT_VLAN, SLOT_VLAN_PCP, NULL, NULL, 3},
	{"vlan", "dei", NFT_VLAN, SLOT_VLAN_DEI, NULL, NULL, 1},
	{"vxlan", "vni", NFT_NUMBER, SLOT_VNI, NULL, "vxlan", 24},
	{"vxlan", "flags", NFT_REFUSE, REASON_FIELD, NULL, NULL, 0},
	{"vxlan", NULL, NFT_INSIDE, 0, NULL, "vxlan", 0},
	{"geneve", "vni", NFT_NUMBER, SLOT_VNI, NULL, "geneve", 24},
	{"geneve", "flags", NFT_REFUSE, REASON_FIELD, NULL, NULL, 0},
	{"geneve", NULL, NFT_REFUSE, REASON_TUNNEL_PROTOCOL, NULL, NULL, 0},
	{"gre", "flags", NFT_REFUSE, REASON_FIELD, NULL, NULL, 0},
	{"gre", "version", NFT_REFUSE, REASON_FIELD, NULL, NULL, 0},
	{"gre", NULL, NFT_REFUSE, REASON_TUNNEL_PROTOCOL, NULL, NULL, 0},
	{"gretap", NULL, NFT_REFUSE, REASON_TUNNEL_PROTOCOL, NULL, NULL, 0},
	{"meta", "l4proto", NFT_PROTO, SLOT_PROTO, NULL, NULL, 0},
	{"meta", "nfproto", NFT_NFPROTO, SLOT_IP, NULL, NULL, 0},
	{"meta", "protocol", NFT_ETHERTYPE, 0, NULL, NULL, 0},
	{"meta", "iif", NFT_NETDEV_NAME, 0, NULL, NULL, 0},
	{"meta", "iifname", NFT_NETDEV_NAME, 0, NULL, NULL, 0},
	{"meta", "mark", NFT_REFUSE, REASON_MARK, NULL, NULL, 0},
	{"meta", "oif", NFT_REFUSE, REASON_DIRECTION, NULL, NULL, 0},
	{"meta", "oifname", NFT_REFUSE, REASON_DIRECTION, NULL, NULL, 0},
	{"meta", "pkttype", NFT_REFUSE, REASON_HOST, NULL, NULL, 0},
	{"meta", "skuid", NFT_REFUSE, REASON_HOST, NULL, NULL, 0},
	{"meta", "ipsec", NFT_REFUSE, REASON_HOST, NULL, NULL, 0},
	{"iif", NULL, NFT_NETDEV_NAME, 0, NULL, NULL, 0},
	{"iifname", NULL, NFT_NETDEV_NAME, 0, NULL, NULL, 0},
	{"l4proto", NULL, NFT_PROTO, SLOT_PROTO, NULL, NULL, 0},
	{"nfproto", NULL, NFT_NFPROTO, SLOT_IP, NULL, NULL, 0},
};

static const struct {
	const char *name;
	unsigned int type4, type6; /* 256: there is none */
} nft_types[] = {
	{"echo-reply", 0, 129},
	{"destination-unreachable", 3, 1},
	{"packet-too-big", 256, 2},
	{"source-quench", 4, 256},
	{"redirect", 5, 256},
	{"echo-request", 8, 128},
	{"router-advertisement", 9, 256},
	{"router-solicitation", 10, 256},
	{"time-exceeded", 11, 3},
	{"parameter-problem", 12, 4},
	{"timestamp-request", 13, 256},
	{"timestamp-reply", 14, 256},
	{"info-request", 15, 256},
	{"info-reply", 16, 256},
	{"address-mask-request", 17, 256},
	{"address-mask-reply", 18, 256},
	{"mld-listener-query", 256, 130},
	{"mld-listener-report", 256, 131},
	{"mld-listener-done", 256, 132},
	{"mld-listener-reduction", 256, 132},
	{"nd-router-solicit", 256, 133},
	{"nd-router-advert", 256, 134},
	{"nd-neighbor-solicit", 256, 135},
	{"nd-neighbor-advert", 256, 136},
	{"nd-redirect", 256, 137},
	{"mld2-listener-report", 256, 143},
};

static const char *const nft_flags[] = {"fin", "syn", "rst", "psh", "ack", "urg", "ecn", "cwr"};

/* --- keys -------------------------------------------------------------------------------------- */

static const struct nft_key *nft_key_find(const struct nft *t, size_t at, size_t end, size_t *words)
{
	for (size_t i = 0; i < sizeof(nft_keys) / sizeof(nft_keys[0]); i++) {
		const struct nft_key *k = &nft_keys[i];

		*words = k->second ? 2 : 1;
		if (at + *words <= end && nft_is(t, at, k->first) &&
		    (!k->second || nft_is(t, at + 1, k->second)))
			return k;
	}
	return NULL;
}

static bool nft_match_add(struct nft *t, struct draft *d, size_t at, unsigned int slot, const char *text)
{
	if (!text)
		return nft_leave(t, d, at, REASON_VALUE);
	return draft_add(t->im, d, (enum draft_slot)slot, text) ||
	       nft_leave(t, d, at, REASON_TWICE);
}

/* Adds a tag's implied conditions. Behind ingress the kernel has taken the tag off. */
static bool nft_implies_tag(struct nft *t, const struct nft_chain *c, const struct nft_key *key,
			    size_t at, struct draft *d)
{
	if (c->family == NFT_NETDEV || d->inner)
		return nft_match_add(t, d, at, SLOT_TAG, key->kind == NFT_VLAN ? "vlan" : "untagged");
	return key->kind != NFT_VLAN || nft_leave(t, d, at, REASON_HOST);
}

/* Adds a tunnel's implied conditions. To nft each UDP packet is one of the tunnel. */
static bool nft_implies_tunnel(struct nft *t, const struct nft_key *key, size_t at, struct draft *d)
{
	const struct draft_part *port = &d->part[0][SLOT_DPORT];

	if (!port->text || port->negated ||
	    strcmp(port->text, strcmp(key->proto, "vxlan") ? "6081" : "4789"))
		return nft_leave(t, d, at, REASON_TUNNEL_PORT);
	return nft_match_add(t, d, at, SLOT_PROTO, "udp") && nft_match_add(t, d, at, SLOT_TUNNEL, key->proto);
}

/* Adds the conditions that the key implies without its value. False: the rule is left out. */
static bool nft_key_implies(struct nft *t, const struct nft_chain *c, const struct nft_key *key,
			    size_t at, struct draft *d)
{
	const char *proto = draft_value(d, SLOT_PROTO);

	if (key->kind == NFT_REFUSE)
		return nft_leave(t, d, at, (enum import_reason)key->slot);
	if (key->slot == SLOT_TAG || key->kind == NFT_VLAN)
		return nft_implies_tag(t, c, key, at, d);
	if (key->ip && !nft_match_add(t, d, at, SLOT_IP, key->ip))
		return false;
	if (!key->proto)
		return true;
	if (key->kind == NFT_INSIDE || key->slot == SLOT_VNI)
		return nft_implies_tunnel(t, key, at, d);
	if (strcmp(key->proto, "l4"))
		return nft_match_add(t, d, at, SLOT_PROTO, key->proto);
	return (proto && (!strcmp(proto, "tcp") || !strcmp(proto, "udp"))) ||
	       nft_leave(t, d, at, REASON_PORTS);
}

const struct nft_key *nft_key_read(struct nft *t, const struct nft_chain *c, size_t *at, size_t end,
				   bool joined, struct draft *d)
{
	bool inner = d->inner;
	const struct nft_key *k;
	size_t words;

	d->inner = false;
	do {
		k = nft_key_find(t, *at, end, &words);
		if (!k) {
			nft_leave(t, d, *at, REASON_FIELD);
			return NULL;
		}
		if (!nft_key_implies(t, c, k, *at, d))
			return NULL;
		*at += words;
		d->inner |= k->kind == NFT_INSIDE;
	} while (k->kind == NFT_INSIDE);
	/* The values of a concatenation are all of one level. */
	if (joined && inner != d->inner)
		nft_leave(t, d, *at - words, REASON_RULE);
	return joined && inner != d->inner ? NULL : k;
}

/* --- values ------------------------------------------------------------------------------------ */

static const char *nft_type(struct nft *t, const char *text, bool v6)
{
	uint64_t n;

	for (size_t i = 0; i < sizeof(nft_types) / sizeof(nft_types[0]); i++)
		if (!strcmp(nft_types[i].name, text)) {
			unsigned int type = v6 ? nft_types[i].type6 : nft_types[i].type4;

			return type < 256 ? import_format(t->im, "%u", type) : NULL;
		}
	return value_number(text, 0, 255, &n) ? import_format(t->im, "%" PRIu64, n) : NULL;
}

static bool nft_ethertype(struct nft *t, struct draft *d, size_t at, const char *text)
{
	uint64_t type;

	if (!ethertype_number(text, &type) && !value_number(text, 0, 0xffff, &type))
		return nft_leave(t, d, at, REASON_VALUE);
	return draft_add_type(t->im, d, type) || nft_leave(t, d, at, REASON_TWICE);
}

static const char *nft_ecn(struct nft *t, const char *text)
{
	static const char *const names[] = {"not-ect", "ect1", "ect0", "ce"};

	for (unsigned int i = 0; i < 4; i++)
		if (!strcmp(text, names[i]))
			return import_format(t->im, "%u", i);
	return strchr(text, '/') ? NULL : value_masked(t->im, text, 0, 2);
}

static const char *nft_nfproto(const char *text)
{
	return !strcmp(text, "ipv4") ? "ipv4" : !strcmp(text, "ipv6") ? "ipv6" : NULL;
}

/* Converts FIRST-LAST of a TTL, or a number. */
static const char *nft_number(struct nft *t, const struct nft_key *key, const char *text)
{
	const char *between = strchr(text, '-');
	uint64_t first, last;

	if (key->slot == SLOT_TTL && between &&
	    value_number(import_format(t->im, "%.*s", (int)(between - text), text), 10, 255,
			 &first) &&
	    value_number(between + 1, 10, 255, &last))
		return value_range(t->im, first, last, 8);
	return strchr(text, '/') ? NULL : value_masked(t->im, text, 0, key->bits);
}

/* Converts the word's value into dvx-flow's notation. Returns NULL if it is none. */
static const char *nft_value(struct nft *t, const struct nft_key *key, const char *text)
{
	uint64_t n;

	switch (key->kind) {
	case NFT_NET4:
		return value_nets(t->im, text, AF_INET);
	case NFT_NET6:
		return value_nets(t->im, text, AF_INET6);
	case NFT_PORT:
		return value_ports(t->im, text, '-');
	case NFT_PROTO:
		return value_proto(t->im, text, 0);
	case NFT_DSCP:
		if (dscp_number(text, &n))
			return import_format(t->im, "%" PRIu64, n);
		return strchr(text, '/') ? NULL : value_masked(t->im, text, 0, key->bits);
	case NFT_ECN:
		return nft_ecn(t, text);
	case NFT_TYPE4:
	case NFT_TYPE6:
		return nft_type(t, text, key->kind == NFT_TYPE6);
	case NFT_MAC:
		return strchr(text, '/') ? NULL : value_mac(t->im, text);
	case NFT_NFPROTO:
		return nft_nfproto(text);
	default:
		return nft_number(t, key, text);
	}
}

/* Adds an interface. Other devices' interfaces have none of this device's packets. */
static bool nft_netdev(struct nft *t, const struct nft_chain *c, size_t at, bool negated,
		       struct draft *d)
{
	struct draft none = {0};
	/* At the hook ingress, tagged packets still belong to the device's interface. */
	int ours = import_interface(t->im, c->family == NFT_NETDEV ? &none : d,
				    t->words.token[at].text, negated);

	d->nothing |= ours == 0;
	return ours >= 0 || nft_leave(t, d, at, REASON_INTERFACE);
}

/* --- TCP flags --------------------------------------------------------------------------------- */

/* Reads one flag, or several with | or commas between, in parentheses if need be. */
static bool nft_flag_bits(const struct nft *t, size_t *at, size_t end, uint64_t *bits, bool *many)
{
	bool open = nft_is(t, *at, "(");

	*bits = 0;
	*at += open;
	for (;;) {
		uint64_t n = 0, before = *bits;

		for (size_t i = 0; *at < end && i < 8; i++)
			if (nft_is(t, *at, nft_flags[i]))
				*bits |= 1ull << i;
		if (*bits == before &&
		    (*at >= end || !value_number(t->words.token[*at].text, 0, 0xff, &n)))
			return false;
		*bits |= n;
		++*at;
		if (!nft_is(t, *at, "|") && !nft_is(t, *at, ","))
			break;
		*many |= nft_is(t, *at, ",");
		++*at;
	}
	if (open && !nft_is(t, *at, ")"))
		return false;
	*at += open;
	return true;
}

/* Adds bare flags: one that is set is enough, whatever the others are. With !, none is set. */
static bool nft_any_flag(struct nft *t, const struct nft_key *key, size_t at, uint64_t flags,
			 bool none, struct draft *d)
{
	bool one = !(flags & (flags - 1));

	if (one || none)
		return nft_match_add(t, d, at, key->slot, value_flags(t->im, none ? 0 : flags, flags));
	return draft_deny(t->im, d, (enum draft_slot)key->slot, value_flags(t->im, 0, flags)) ||
	       nft_leave(t, d, at, REASON_TWICE);
}

/* Reads FLAGS, ! FLAGS, == FLAGS, & MASK == FLAGS, FLAGS / MASK. */
static bool nft_flags_match(struct nft *t, const struct nft_key *key, size_t *at, size_t end,
			    struct draft *d)
{
	uint64_t value, mask = 0xff;
	bool many = false, exact = false, masked = nft_is(t, *at, "&"), negated;
	bool none = nft_is(t, *at, "!");
	size_t from = *at;

	*at += masked || none;
	if (masked && !nft_flag_bits(t, at, end, &mask, &many))
		return nft_leave(t, d, *at, REASON_VALUE);
	exact = nft_is(t, *at, "==");
	negated = nft_is(t, *at, "!=");
	*at += exact || negated;
	many = false;
	if (!nft_flag_bits(t, at, end, &value, &many))
		return nft_leave(t, d, *at, REASON_VALUE);
	if (nft_is(t, *at, "/")) {
		++*at;
		exact = true;
		if (!nft_flag_bits(t, at, end, &mask, &many))
			return nft_leave(t, d, *at, REASON_VALUE);
	} else if (!masked && !exact && !negated) {
		return nft_any_flag(t, key, from, value, none, d);
	}
	/* A flag outside the mask is never set under it. */
	if (value & ~mask) {
		d->nothing = !negated;
		return true;
	}
	if (negated)
		return draft_deny(t->im, d, (enum draft_slot)key->slot,
				  value_flags(t->im, value & mask, mask)) ||
		       nft_leave(t, d, from, REASON_TWICE);
	return nft_match_add(t, d, from, key->slot, value_flags(t->im, value & mask, mask));
}

/* --- one value, or a list ---------------------------------------------------------------------- */

bool nft_match_one(struct nft *t, const struct nft_chain *c, const struct nft_key *key, size_t at,
		   struct draft *d)
{
	const char *text = t->words.token[at].text;
	uint64_t bits;
	bool many = false;

	if (key->kind == NFT_NETDEV_NAME)
		return nft_netdev(t, c, at, false, d);
	if (key->kind == NFT_ETHERTYPE)
		return nft_ethertype(t, d, at, text);
	if (key->kind == NFT_FLAGS) {
		if (!nft_flag_bits(t, &at, at + 1, &bits, &many))
			return nft_leave(t, d, at, REASON_VALUE);
		return nft_match_add(t, d, at, key->slot, value_flags(t->im, bits, 0xff));
	}
	return nft_match_add(t, d, at, key->slot, nft_value(t, key, text));
}

/* Moves span->from behind what `nft list` prints after an element: counters, a comment. */
bool nft_element_rest(struct nft *t, struct nft_span *span, const struct draft *d)
{
	static const char *const timed[] = {"timeout", "expires", NULL};

	for (span->from++; span->from < span->end && !nft_is(t, span->from, ",");) {
		if (nft_is(t, span->from, "counter") || nft_is(t, span->from, "\n"))
			span->from++;
		else if (nft_is(t, span->from, "packets") || nft_is(t, span->from, "bytes") ||
			 nft_is(t, span->from, "comment"))
			span->from += 2;
		else
			return nft_leave(t, d, span->from,
					 dialect_among(&t->words.token[span->from], timed)
						 ? REASON_SETS
						 : REASON_VALUE);
	}
	return true;
}

/* Returns whether dvx-flow has lists of this field. */
static bool nft_lists(const struct nft_key *key)
{
	return key->kind == NFT_NET4 || key->kind == NFT_NET6 || key->kind == NFT_PORT;
}

/* Joins the elements of a set to a list of dvx-flow. Returns NULL if the rule is left out. */
static const char *nft_join(struct nft *t, const struct nft_key *key, struct nft_span span,
			    const struct draft *d)
{
	struct value_list list = {0};
	const char *text;

	while (span.from < span.end) {
		const char *value;

		if (nft_is(t, span.from, ",") || nft_is(t, span.from, "\n")) {
			span.from++;
			continue;
		}
		value = nft_value(t, key, t->words.token[span.from].text);
		if (!value || !*value || !nft_element_rest(t, &span, d)) {
			if (!value)
				nft_leave(t, d, span.from, REASON_VALUE);
			value_list_end(t->im, &list);
			return value && !*value ? value : NULL;
		}
		value_list_add(t->im, &list, value);
	}
	text = value_list_end(t->im, &list);
	if (!text)
		nft_leave(t, d, span.from, REASON_SETS);
	return text;
}

/* Converts < <= > >= of a port or a TTL to a range. */
static const char *nft_compare(struct nft *t, const struct nft_key *key, const char *how,
			       const char *text)
{
	bool below = *how == '<' || *how == 'l', equal = how[1] == '=' || how[1] == 'e';
	bool ttl = key->slot == SLOT_TTL;
	uint64_t most = ttl ? 255 : 65535, n;

	if ((!ttl && key->kind != NFT_PORT) ||
	    (!value_number(text, 10, most, &n) && (ttl || !service_number(text, &n))))
		return NULL;
	if (!equal && n == (below ? 0u : most))
		return NULL;
	n = equal ? n : below ? n - 1 : n + 1;
	if (ttl)
		return value_range(t->im, below ? 0 : n, below ? n : most, 8);
	return below ? import_format(t->im, "0-%" PRIu64, n)
		     : import_format(t->im, "%" PRIu64 "-65535", n);
}

static bool nft_compared(struct nft *t, const struct nft_key *key, size_t *at, size_t end,
			 struct draft *d)
{
	const char *text = *at + 1 < end ? nft_compare(t, key, t->words.token[*at].text,
						       t->words.token[*at + 1].text)
					 : NULL;

	if (!text)
		return nft_leave(t, d, *at, REASON_RANGE);
	*at += 2;
	return nft_match_add(t, d, *at - 1, key->slot, text);
}

/* Reads & MASK == VALUE of an address. */
static bool nft_under_mask(struct nft *t, const struct nft_key *key, size_t *at, size_t end,
			   struct draft *d)
{
	if ((key->kind != NFT_NET4 && key->kind != NFT_NET6) || *at + 3 >= end ||
	    !nft_is(t, *at + 2, "=="))
		return nft_leave(t, d, *at, REASON_MASK);
	*at += 4;
	return nft_match_add(t, d, *at - 1, key->slot,
		       value_net(t->im,
				 import_format(t->im, "%s/%s", t->words.token[*at - 1].text,
					       t->words.token[*at - 3].text),
				 key->kind == NFT_NET4 ? AF_INET : AF_INET6));
}

static bool nft_value_or_list(struct nft *t, const struct nft_chain *c, const struct nft_key *key,
			      size_t *at, size_t end, bool negated, struct draft *d)
{
	struct nft_span span = {*at, *at + 1};
	const char *text = t->words.token[*at].text;
	const struct nft_set *s;

	if (*text == '@') {
		s = nft_set_find(t, c, text + 1);
		if (!s || s->changes)
			return nft_leave(t, d, *at, REASON_SETS);
		span = s->elements;
		++*at;
	} else if (nft_is(t, *at, "{")) {
		*at = nft_skip(t, *at, end);
		span = (struct nft_span){span.from + 1, *at - 1};
	} else {
		++*at;
	}
	text = nft_join(t, key, span, d);
	if (!text)
		return false;
	if (!negated)
		return nft_match_add(t, d, span.from, key->slot, text);
	return draft_deny(t->im, d, (enum draft_slot)key->slot, text) ||
	       nft_leave(t, d, span.from, REASON_TWICE);
}

bool nft_match_list(struct nft *t, const struct nft_chain *c, const struct nft_key *key, size_t *at,
		    size_t end, struct draft *d)
{
	static const char *const compares[] = {"<", "<=", ">", ">=", "lt", "le", "gt", "ge", NULL};
	size_t place = *at;
	bool set, negated, ok;

	if (place >= end) {
		nft_leave(t, d, place, REASON_ENDS);
		*at = end + 1;
		return false;
	}
	negated = nft_is(t, place, "!=") || nft_is(t, place, "ne");
	if (negated || nft_is(t, place, "==") || nft_is(t, place, "eq"))
		place++;
	set = nft_is(t, place, "{") || (place < end && *t->words.token[place].text == '@');
	if (set && !nft_lists(key) && !negated)
		return false;
	if (key->kind == NFT_FLAGS)
		ok = nft_flags_match(t, key, at, end, d);
	else if (place >= end)
		ok = nft_leave(t, d, place, REASON_ENDS);
	else if (dialect_among(&t->words.token[place], compares))
		ok = nft_compared(t, key, at, end, d);
	else if (nft_is(t, place, "&"))
		ok = nft_under_mask(t, key, at, end, d);
	else if (set && !nft_lists(key))
		ok = nft_leave(t, d, place, REASON_NEGATION);
	else if (key->kind == NFT_NETDEV_NAME)
		*at = place + 1, ok = nft_netdev(t, c, place, negated, d);
	else if (key->kind == NFT_ETHERTYPE)
		*at = place + 1, ok = negated ? nft_leave(t, d, place, REASON_NEGATION)
					      : nft_match_one(t, c, key, place, d);
	else
		*at = place, ok = nft_value_or_list(t, c, key, at, end, negated, d);
	if (!ok)
		*at = end + 1;
	return ok;
}
