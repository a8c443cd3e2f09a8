/* SPDX-License-Identifier: BSD-2-Clause */
#include "nft.h"

#include "rules/words.h"

/* --- values ------------------------------------------------------------------------------------ */

/* Converts a type or a code (bit 1) of ICMP; bit 0 of arg: of ICMPv6. */
static struct value nft_icmp(struct draft *d, const struct row *row, const char *text)
{
	static const char *const names[] = {
		"echo-reply=0 destination-unreachable=3 source-quench=4 redirect=5 echo-request=8 "
		"router-advertisement=9 router-solicitation=10 time-exceeded=11 "
		"parameter-problem=12 timestamp-request=13 timestamp-reply=14 info-request=15 "
		"info-reply=16 address-mask-request=17 address-mask-reply=18",
		"destination-unreachable=1 packet-too-big=2 time-exceeded=3 parameter-problem=4 "
		"echo-request=128 echo-reply=129 mld-listener-query=130 mld-listener-report=131 "
		"mld-listener-done=132 mld-listener-reduction=132 nd-router-solicit=133 "
		"nd-router-advert=134 nd-neighbor-solicit=135 nd-neighbor-advert=136 "
		"nd-redirect=137 router-renumbering=138 ind-neighbor-solicit=141 "
		"ind-neighbor-advert=142 mld2-listener-report=143",
		"net-unreachable=0 host-unreachable=1 prot-unreachable=2 port-unreachable=3 "
		"frag-needed=4 net-prohibited=9 host-prohibited=10 admin-prohibited=13",
		"no-route=0 admin-prohibited=1 addr-unreachable=3 port-unreachable=4 "
		"policy-fail=5 reject-route=6"};
	char named[16];

	if (names_value(names[row->arg], text, named))
		text = named;
	return value_number(d, row, text);
}

static struct value nft_ecn(struct draft *d, const struct row *row, const char *text)
{
	int i = names_index("not-ect ect1 ect0 ce", text, strlen(text));

	return i < 0 ? value_number(d, row, text) : value_of(d->im, (uint64_t)i);
}

static struct value nft_nfproto(struct draft *d, const struct row *row, const char *text)
{
	int i = names_index("ipv4 ipv6", text, strlen(text));

	return i < 0 ? VALUE_BAD : value_of(d->im, i ? 6 : 4);
}

static struct value nft_mac(struct draft *d, const struct row *row, const char *text)
{
	return strchr(text, '/') ? VALUE_BAD : value_mac(d, row, text);
}

/* Converts FIRST-LAST of a TTL, or a number. */
static struct value nft_ttl(struct draft *d, const struct row *row, const char *text)
{
	const char *between = strchr(text, '-');
	uint64_t first, last;

	if (between &&
	    number_parse(import_format(d->im, "%.*s", (int)(between - text), text), 10, 255,
			 &first) &&
	    number_parse(between + 1, 10, 255, &last))
		return value_range(d->im, first, last, 8);
	return value_number(d, row, text);
}

static bool nft_ethertype(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t type;

	if (!ethertype_number(at->text, &type) && !number_parse(at->text, 0, 0xffff, &type))
		return draft_leave(d, at, REASON_VALUE);
	return draft_add_type(d, type) || draft_leave(d, at, REASON_TWICE);
}

/* Adds an interface. Other devices' interfaces have none of this device's packets. */
static bool nft_netdev(struct draft *d, const struct token *at, bool negated)
{
	struct draft none = {.im = d->im};
	int ours;

	/* An index is no name: whose it is only the kernel knows. */
	if (!at->quoted && at->text[0] && !at->text[strspn(at->text, "0123456789")])
		return draft_leave(d, at, REASON_INTERFACE);
	/* At the hook ingress, tagged packets still belong to the device's interface. */
	ours = draft_interface(nft_at_ingress(nft_of(d)->c) ? &none : d, at->text, negated);

	d->nothing |= ours == 0;
	return ours >= 0 || draft_leave(d, at, REASON_INTERFACE);
}

static bool nft_netdev_read(struct draft *d, const struct row *row, const struct token *at)
{
	return nft_netdev(d, at, false);
}

/* --- TCP flags --------------------------------------------------------------------------------- */

/* Reads one flag, or several with one of the words `joins` between, in parentheses if need be. */
static bool nft_flag_bits(const struct nft *t, size_t *at, size_t end, const char *joins,
			  uint64_t *bits)
{
	bool open = nft_is(t, *at, "(");

	*bits = 0;
	*at += open;
	for (;; ++*at) {
		const char *text = *at < end ? nft_word(t, *at)->text : "";
		int i = names_index("fin syn rst psh ack urg ecn cwr", text, strlen(text));
		uint64_t n = i < 0 ? 0 : 1ull << i;

		if ((i < 0 || *bits & n) && !number_parse(text, 0, 0xff, &n))
			return false;
		*bits |= n;
		if (!nft_is(t, ++*at, joins))
			break;
	}
	if (open && !nft_is(t, *at, ")"))
		return false;
	*at += open;
	return true;
}

/* Stands for a key whose values nft_flags_element() and nft_flags_match() read. */
static bool nft_flags(struct draft *d, const struct row *row, const struct token *at)
{
	return draft_leave(d, at, REASON_VALUE);
}

/* Reads an element of a set: flags with | between, all others are not set under the mask. */
static bool nft_flags_element(struct nft_read *r, const struct row *key, size_t *at)
{
	const struct token *from = nft_word(r->t, *at);
	uint64_t bits, mask = r->flags_mask ? r->flags_mask : 0xff;

	if (!nft_flag_bits(r->t, at, r->t->words.n, "|", &bits))
		return nft_leave(r, *at, REASON_VALUE);
	r->d.nothing |= (bits & ~mask) != 0;
	return draft_match(&r->d, from, key->what, value_flags(r->d.im, bits & mask, mask), false);
}

void nft_flags_mask(struct nft_read *r, const struct row *key, size_t *at)
{
	const struct nft *t = r->t;
	size_t next = *at + 1, set;
	uint64_t mask;

	if (key->read != nft_flags || !nft_is(t, *at, "&") ||
	    !nft_flag_bits(t, &next, r->end, "| ,", &mask))
		return;
	set = next + nft_is(t, next, "== != eq ne vmap");
	if (set >= r->end || (!nft_is(t, set, "{") && *nft_word(t, set)->text != '@'))
		return;
	r->flags_mask = mask;
	*at = next;
}

/*
 * Reads FLAGS, ! FLAGS, == FLAGS, & MASK == FLAGS, FLAGS / MASK. Of bare flags one that is set is
 * enough, whatever the others are. With !, none is set.
 */
static bool nft_flags_match(struct nft_read *r, const struct row *key, size_t *at)
{
	const struct nft *t = r->t;
	uint64_t value, mask = 0xff;
	bool masked = nft_is(t, *at, "&"), none = nft_is(t, *at, "!"), exact, negated;
	const struct token *from = nft_word(t, *at);

	*at += masked || none;
	if (masked && !nft_flag_bits(t, at, r->end, "| ,", &mask))
		return nft_leave(r, *at, REASON_VALUE);
	exact = nft_is(t, *at, "==");
	negated = nft_is(t, *at, "!=");
	*at += exact || negated;
	if (!nft_flag_bits(t, at, r->end, "| ,", &value))
		return nft_leave(r, *at, REASON_VALUE);
	if (nft_is(t, *at, "/")) {
		++*at;
		if (!nft_flag_bits(t, at, r->end, "| ,", &mask))
			return nft_leave(r, *at, REASON_VALUE);
	} else if (!masked && !exact && !negated) {
		mask = value;
		negated = !none && value & (value - 1);
		value = none || negated ? 0 : value;
	}
	/* A flag outside the mask is never set under it. */
	if (value & ~mask) {
		r->d.nothing = !negated;
		return true;
	}
	return draft_match(&r->d, from, key->what, value_flags(r->d.im, value, mask), negated);
}

/* --- keys -------------------------------------------------------------------------------------- */

/* Reads nothing: the key behind this word is of the packet in the tunnel. */
static bool nft_inside(struct draft *d, const struct row *row, const struct token *at)
{
	return row_skip(d, row, at);
}

/* Keys of two words have a point between them. */
static const struct row nft_keys[] = {
	ROW_MATCH("ip.saddr", SRC, value_nets, .arg = 4),
	ROW_MATCH("ip.daddr", DST, value_nets, .arg = 4),
	ROW_MATCH("ip6.saddr", SRC, value_nets, .arg = 6),
	ROW_MATCH("ip6.daddr", DST, value_nets, .arg = 6),
	ROW_MATCH("ip.protocol meta.l4proto l4proto", PROTO, value_proto),
	ROW_MATCH("ip.dscp ip6.dscp", DSCP, value_dscp, .bits = 6),
	ROW_MATCH("ip.ecn ip6.ecn", ECN, nft_ecn, .bits = 2),
	ROW_MATCH("ip.ttl ip6.hoplimit", TTL, nft_ttl, .bits = 8),
	ROW_MATCH("ip6.flowlabel", FLOWLABEL, value_number, .bits = 20),
	ROW_MATCH("tcp.sport udp.sport th.sport", SPORT, value_ports),
	ROW_MATCH("tcp.dport udp.dport th.dport", DPORT, value_ports),
	ROW_READ("tcp.flags", nft_flags, .what = SLOT_FLAGS),
	ROW_MATCH("icmp.type", TYPE, nft_icmp, .bits = 8),
	ROW_MATCH("icmpv6.type", TYPE, nft_icmp, .bits = 8, .arg = 1),
	ROW_MATCH("icmp.code", CODE, nft_icmp, .bits = 8, .arg = 2),
	ROW_MATCH("icmpv6.code", CODE, nft_icmp, .bits = 8, .arg = 3),
	ROW_MATCH("ether.saddr", ETH_SRC, nft_mac),
	ROW_MATCH("ether.daddr", ETH_DST, nft_mac),
	ROW_READ("ether.type meta.protocol", nft_ethertype),
	ROW_MATCH("vlan.id", VLAN_ID, value_number, .bits = 12),
	ROW_MATCH("vlan.pcp", VLAN_PCP, value_number, .bits = 3),
	ROW_MATCH("vlan.dei", VLAN_DEI, value_number, .bits = 1),
	ROW_MATCH("vxlan.vni geneve.vni", VNI, value_number, .bits = 24),
	ROW_MATCH("meta.nfproto nfproto", IP, nft_nfproto),
	ROW_READ("meta.iif meta.iifname iif iifname", nft_netdev_read),
	ROW_READ("vxlan", nft_inside),
	ROW_LEAVE("ip.frag-off", FRAGMENT),
	ROW_LEAVE("ip6.nexthdr", NEXTHDR),
	ROW_LEAVE("vxlan.flags geneve.flags gre.flags gre.version", FIELD),
	ROW_LEAVE("geneve gre gretap", TUNNEL_PROTOCOL),
	ROW_LEAVE("meta.mark", MARK),
	ROW_LEAVE("meta.oif meta.oifname", DIRECTION),
	ROW_LEAVE("meta.pkttype meta.skuid meta.ipsec", HOST),
	{0},
};

static const struct row *nft_key_find(const struct nft_read *r, size_t at, size_t *words)
{
	const char *first = at < r->end ? nft_word(r->t, at)->text : NULL;
	const struct row *row = NULL;

	*words = 2;
	if (at + 2 <= r->end)
		row = row_find(nft_keys, import_format(r->d.im, "%s.%s", first,
						       nft_word(r->t, at + 1)->text));
	if (row)
		return row;
	*words = 1;
	return first && !strchr(first, '.') ? row_find(nft_keys, first) : NULL;
}

/* Adds a tag's implied conditions. Behind ingress the kernel has taken the tag off. */
static bool nft_implies_tag(struct nft_read *r, size_t at, bool vlan)
{
	if (nft_at_ingress(r->c) || r->d.inner)
		return draft_match_number(&r->d, nft_word(r->t, at), SLOT_TAG,
					  vlan ? TAG_VLAN : TAG_NONE);
	return !vlan || nft_leave(r, at, REASON_HOST);
}

/* Adds a tunnel's implied conditions. To nft each UDP packet is one of the tunnel. */
static bool nft_implies_tunnel(struct nft_read *r, size_t at, bool vxlan)
{
	const struct draft_part *port = &r->d.part[0][SLOT_DPORT];
	const struct rule_range *range = port->item;
	const struct token *word = nft_word(r->t, at);
	uint16_t wanted = vxlan ? 4789 : 6081;

	if (port->n != 1 || port->negated || range->first != wanted || range->last != wanted ||
	    range->wild)
		return nft_leave(r, at, REASON_TUNNEL_PORT);
	return draft_match_number(&r->d, word, SLOT_PROTO, 17) &&
	       draft_match_number(&r->d, word, SLOT_TUNNEL, vxlan ? TUNNEL_VXLAN : TUNNEL_GENEVE);
}

/* The headers that a key's first word names. */
static const struct {
	const char *name;
	uint8_t ip, proto; /* 0: any */
} nft_headers[] = {
	{"ip", 4, 0},	{"ip6", 6, 0},	{"tcp", 0, 6},
	{"udp", 0, 17}, {"icmp", 4, 1}, {"icmpv6", 6, 58},
};

bool nft_has_ports(const struct nft_read *r, size_t at)
{
	int64_t proto = draft_number(&r->d, SLOT_PROTO);

	return proto == 6 || proto == 17 || nft_leave(r, at, REASON_PORTS);
}

/* Adds the conditions that the key implies without its value. False: the rule is left out. */
static bool nft_key_implies(struct nft_read *r, const struct row *key, size_t at, bool joined)
{
	const struct token *word = nft_word(r->t, at);
	bool ok = true;

	if (!key->read && !key->value)
		return nft_leave(r, at, key->what);
	if (nft_is(r->t, at, "vlan") || (nft_is(r->t, at, "ether") && nft_is(r->t, at + 1, "type")))
		return nft_implies_tag(r, at, nft_is(r->t, at, "vlan"));
	if (nft_is(r->t, at, "vxlan geneve"))
		return nft_implies_tunnel(r, at, nft_is(r->t, at, "vxlan"));
	if (nft_is(r->t, at, "th"))
		return joined || nft_has_ports(r, at);
	for (size_t i = 0; i < sizeof(nft_headers) / sizeof(nft_headers[0]); i++) {
		if (!token_is(word, nft_headers[i].name))
			continue;
		if (nft_headers[i].ip)
			ok = draft_match_number(&r->d, word, SLOT_IP, nft_headers[i].ip);
		if (ok && nft_headers[i].proto)
			ok = draft_match_number(&r->d, word, SLOT_PROTO, nft_headers[i].proto);
	}
	return ok;
}

const struct row *nft_key_read(struct nft_read *r, size_t *at, bool joined)
{
	bool inner = r->d.inner;
	const struct row *key;
	size_t words;

	r->d.inner = false;
	do {
		key = nft_key_find(r, *at, &words);
		if (!key)
			nft_leave(r, *at, REASON_FIELD);
		if (!key || !nft_key_implies(r, key, *at, joined))
			return NULL;
		*at += words;
		r->d.inner |= key->read == nft_inside;
	} while (key->read == nft_inside);
	if (!joined || inner == r->d.inner)
		return key;
	/* The values of a concatenation are all of one level. */
	nft_leave(r, *at - words, REASON_RULE);
	return NULL;
}

/* --- one value, or a list ---------------------------------------------------------------------- */

bool nft_match_one(struct nft_read *r, const struct row *key, size_t *at)
{
	if (key->read == nft_flags)
		return nft_flags_element(r, key, at);
	return row_apply(&r->d, key, nft_word(r->t, (*at)++));
}

/* Moves span->from behind what `nft list` prints after an element: counters, a comment. */
bool nft_element_rest(const struct nft_read *r, struct nft_span *span)
{
	const struct nft *t = r->t;

	for (span->from++; span->from < span->end && !nft_is(t, span->from, ",");) {
		if (nft_is(t, span->from, "counter \n"))
			span->from++;
		else if (nft_is(t, span->from, "packets bytes comment"))
			span->from += 2;
		else
			return nft_leave(r, span->from,
					 nft_is(t, span->from, "timeout expires") ? REASON_SETS
										  : REASON_VALUE);
	}
	return true;
}

bool nft_set_span(const struct nft_read *r, size_t *at, struct nft_span *span)
{
	const struct nft *t = r->t;
	const struct nft_set *s;

	if (nft_is(t, *at, "{")) {
		span->from = *at + 1;
		*at = nft_skip(t, *at, r->end);
		span->end = *at - 1;
		return true;
	}
	if (*at >= r->end || *t->words.token[*at].text != '@')
		return nft_leave(r, *at, REASON_VALUE);
	s = nft_set_find(t, r->c, t->words.token[*at].text + 1);
	if (!s || s->changes)
		return nft_leave(r, *at, REASON_SETS);
	*span = s->elements;
	++*at;
	return true;
}

/* Returns whether dvx-flow has lists of this field. */
static bool nft_lists(const struct row *key)
{
	return key->value == value_nets || key->value == value_ports;
}

/* Joins elements to a list. Returns false if the rule is left out. */
static bool nft_join(struct nft_read *r, const struct row *key, struct nft_span span,
		     struct value *list)
{
	size_t size = key->value == value_nets	  ? sizeof(struct rule_net)
		      : key->value == value_ports ? sizeof(struct rule_range)
						  : sizeof(struct rule_value);
	const struct nft *t = r->t;

	*list = VALUE_EVERY;
	while (span.from < span.end) {
		if (nft_is(t, span.from, ", \n")) {
			span.from++;
			continue;
		}
		if (!value_append(r->d.im, list,
				  key->value(&r->d, key, t->words.token[span.from].text), size))
			return !list->bad || nft_leave(r, span.from, REASON_VALUE);
		if (!nft_element_rest(r, &span))
			return false;
	}
	return list->list.n || nft_leave(r, span.from, REASON_SETS);
}

/* Adds < <= > >= of a port or a TTL as a range. */
static bool nft_compared(struct nft_read *r, const struct row *key, size_t *at)
{
	const struct token *word = nft_word(r->t, *at + 1);
	int how = names_index("< lt <= le > gt >= ge", nft_word(r->t, *at)->text,
			      strlen(nft_word(r->t, *at)->text));
	bool below = how < 4, equal = how & 2, ttl = key->what == SLOT_TTL;
	uint64_t most = ttl ? 255 : 65535, n, first, last;

	if (*at + 1 >= r->end || (!ttl && key->value != value_ports) ||
	    (!number_parse(word->text, 10, most, &n) && (ttl || !service_number(word->text, &n))) ||
	    (!equal && n == (below ? 0u : most)))
		return nft_leave(r, *at, REASON_RANGE);
	n = equal ? n : below ? n - 1 : n + 1;
	first = below ? 0 : n;
	last = below ? n : most;
	*at += 2;
	return draft_match(&r->d, word, key->what,
			   ttl ? value_range(r->d.im, first, last, 8)
			       : value_ports_from(r->d.im, first, last),
			   false);
}

/* Reads & MASK == VALUE of an address. */
static bool nft_under_mask(struct nft_read *r, const struct row *key, size_t *at)
{
	const struct nft *t = r->t;

	if (key->value != value_nets || *at + 3 >= r->end || !nft_is(t, *at + 2, "=="))
		return nft_leave(r, *at, REASON_MASK);
	*at += 4;
	return draft_match(&r->d, nft_word(t, *at - 1), key->what,
			   value_net(&r->d, key,
				     import_format(r->d.im, "%s/%s", nft_word(t, *at - 1)->text,
						   nft_word(t, *at - 3)->text)),
			   false);
}

static bool nft_value_or_list(struct nft_read *r, const struct row *key, size_t *at, bool negated)
{
	struct nft_span span = {*at, *at + 1};
	struct value list;

	if (!nft_is(r->t, *at, "{") && *nft_word(r->t, *at)->text != '@')
		++*at;
	else if (!nft_set_span(r, at, &span))
		return false;
	return nft_join(r, key, span, &list) &&
	       draft_match(&r->d, nft_word(r->t, span.from), key->what, list, negated);
}

/* Adds what stands at `place`, behind the operator at *at, which it moves. */
static bool nft_list_add(struct nft_read *r, const struct row *key, size_t *at, size_t place,
			 bool negated, bool set)
{
	const struct nft *t = r->t;

	if (set && !nft_lists(key))
		return nft_leave(r, place, REASON_NEGATION);
	if (key->read == nft_flags)
		return nft_flags_match(r, key, at);
	if (place >= r->end)
		return nft_leave(r, place, REASON_ENDS);
	if (nft_is(t, place, "< <= > >= lt le gt ge"))
		return nft_compared(r, key, at);
	if (nft_is(t, place, "&"))
		return nft_under_mask(r, key, at);
	*at = place;
	if (key->read == nft_netdev_read)
		return nft_netdev(&r->d, nft_word(t, (*at)++), negated);
	if (key->read)
		return negated ? nft_leave(r, place, REASON_NEGATION) : nft_match_one(r, key, at);
	return nft_value_or_list(r, key, at, negated);
}

bool nft_match_list(struct nft_read *r, const struct row *key, size_t *at)
{
	const struct nft *t = r->t;
	size_t place = *at;
	bool set, negated, ok;

	negated = nft_is(t, place, "!= ne");
	place += place < r->end && nft_is(t, place, "!= ne == eq");
	set = place < r->end && (nft_is(t, place, "{") || *nft_word(t, place)->text == '@');
	if (set && !nft_lists(key) && !negated)
		return false;
	ok = *at < r->end ? nft_list_add(r, key, at, place, negated, set)
			  : nft_leave(r, place, REASON_ENDS);
	if (!ok)
		*at = r->end + 1;
	return ok;
}
