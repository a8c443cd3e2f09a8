/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include "flow_slow_change.h"

#define LABELS 5 /* of an MPLS stack that is followed */

/* Offsets in a packet; 0: it does not have the part. */
struct slow_view {
	uint32_t tags;	  /* VLAN tags, two at most */
	uint32_t ip, end; /* the IP packet */
	uint32_t version, proto, l4;
	uint32_t gre; /* GRE's header */
	bool later; /* a fragment that is not the first */
};

static uint32_t get(const uint8_t *p, uint32_t n)
{
	uint32_t v = 0;

	for (uint32_t i = 0; i < n; i++)
		v = v << 8 | p[i];
	return v;
}

static void set(uint8_t *p, uint32_t n, uint32_t v)
{
	for (uint32_t i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * (n - 1 - i));
}

/* --- where --- */

static void see_l4(struct slow_view *v, uint32_t at)
{
	uint32_t need = v->proto == 6 ? 20 : 8;

	if (!v->later && v->proto == 47 && at + 4 <= v->end)
		v->gre = at;
	if (!v->later && (v->proto == 6 || v->proto == 17) && at + need <= v->end)
		v->l4 = at;
}

static void see_ipv4(struct slow_view *v, const uint8_t *p, uint32_t at, uint32_t len)
{
	uint32_t header, total;

	if (at + 20 > len || (p[at] & 15) < 5)
		return;
	header = (p[at] & 15) * 4u;
	total = get(p + at + 2, 2);
	*v = (struct slow_view){.tags = v->tags, .ip = at, .version = 4, .proto = p[at + 9]};
	v->end = at + total < len ? at + total : len;
	v->later = get(p + at + 6, 2) & 0x1fff;
	if (at + header <= v->end)
		see_l4(v, at + header);
}

static bool see_extension(struct slow_view *v, const uint8_t *p, uint32_t *at)
{
	uint32_t size = v->proto == 44	 ? 8
			: v->proto == 51 ? (p[*at + 1] + 2u) * 4
					 : (p[*at + 1] + 1u) * 8;

	if (*at + 8 > v->end || *at + size > v->end)
		return false;
	v->later = v->proto == 44 && get(p + *at + 2, 2) >> 3;
	v->proto = p[*at];
	*at += size;
	return !v->later;
}

static void see_ipv6(struct slow_view *v, const uint8_t *p, uint32_t at, uint32_t len)
{
	uint32_t total;

	if (at + 40 > len)
		return;
	total = 40 + get(p + at + 4, 2);
	*v = (struct slow_view){.tags = v->tags, .ip = at, .version = 6, .proto = p[at + 6]};
	v->end = at + total < len ? at + total : len;
	at += 40;
	while (v->proto == 0 || v->proto == 43 || v->proto == 44 || v->proto == 51 ||
	       v->proto == 60)
		if (!see_extension(v, p, &at))
			return;
	see_l4(v, at);
}

static uint32_t see_labels(const uint8_t *p, uint32_t at, uint32_t len)
{
	for (uint32_t i = 0; i < LABELS && at + 4 <= len; i++, at += 4)
		if (p[at + 2] & 1)
			return at + 4;
	return len;
}

static struct slow_view see(const uint8_t *p, uint32_t len)
{
	struct slow_view v = {0};
	uint32_t at = 12, type;

	while (v.tags < 2 && at + 6 <= len &&
	       (get(p + at, 2) == 0x8100 || get(p + at, 2) == 0x88a8)) {
		v.tags++;
		at += 4;
	}
	type = get(p + at, 2);
	at += 2;
	if (type == 0x8847 || type == 0x8848) {
		at = see_labels(p, at, len);
		type = at < len && p[at] >> 4 == 4   ? 0x800
		       : at < len && p[at] >> 4 == 6 ? 0x86dd
						     : 0;
	}
	if (type == 0x0800 && at < len && p[at] >> 4 == 4)
		see_ipv4(&v, p, at, len);
	else if (type == 0x86dd && at < len && p[at] >> 4 == 6)
		see_ipv6(&v, p, at, len);
	return v;
}

/* --- checksums --- */

static uint64_t words(const uint8_t *p, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (uint64_t)p[i] << (i % 2 ? 0 : 8);
	return sum;
}

struct slow_sum {
	uint8_t *at; /* NULL: none */
	uint64_t of; /* the sum of all bytes that it covers, without itself */
};

static struct slow_sum ip_sum(const struct slow_view *v, uint8_t *p)
{
	uint8_t *ip = p + v->ip;

	return v->version == 4 ? (struct slow_sum){ip + 10,
						   words(ip, (ip[0] & 15) * 4u) - words(ip + 10, 2)}
			       : (struct slow_sum){NULL, 0};
}

static struct slow_sum l4_sum(const struct slow_view *v, uint8_t *p)
{
	uint8_t *at = p + v->l4 + (v->proto == 6 ? 16 : 6);

	if (!v->l4 || (v->proto == 17 && !get(at, 2)))
		return (struct slow_sum){NULL, 0};
	return (struct slow_sum){
		at, words(p + v->ip + (v->version == 4 ? 12 : 8), v->version == 4 ? 8 : 32) +
			    v->proto + (v->end - v->l4) + words(p + v->l4, v->end - v->l4) -
			    words(at, 2)};
}

/*
 * Stores a checksum. Ones' complement has two zeros; the sum of bytes that are not all 0 is 0xffff.
 */
static void slow_store(uint8_t *at, uint64_t sum, bool udp)
{
	uint32_t v = 0xffff - (uint32_t)(sum % 0xffff ? sum % 0xffff : 0xffff);

	set(at, 2, udp && !v ? 0xffff : v);
}

void slow_sums(uint8_t *p, uint32_t len)
{
	struct slow_view v = see(p, len);
	struct slow_sum s = ip_sum(&v, p);

	if (s.at && s.at + 10 <= p + v.end)
		slow_store(s.at, s.of, false);
	s = l4_sum(&v, p);
	if (s.at)
		slow_store(s.at, s.of, v.proto == 17);
}

static void slow_correct(const struct slow_sum *before, const struct slow_sum *after, bool udp)
{
	uint64_t old;

	if (!before->at || before->of == after->of)
		return;
	old = 0xffff - get(before->at, 2);
	slow_store(before->at, old + 0xffff - before->of % 0xffff + after->of, udp);
}

/* --- changes --- */

static void set_ttl(const struct slow_view *v, uint8_t *p, uint8_t ttl, bool add)
{
	uint8_t *at = p + v->ip + (v->version == 4 ? 8 : 7);

	if (v->version)
		*at = (uint8_t)(add ? *at + ttl : ttl);
}

/* DSCP is the upper 6 bits of the traffic class, which is bits 4 to 11 of IPv6's header. */
static void set_dscp(const struct slow_view *v, uint8_t *p, uint32_t dscp)
{
	if (v->version == 4)
		p[v->ip + 1] = (uint8_t)((p[v->ip + 1] & 3) | dscp << 2);
	else if (v->version == 6)
		set(p + v->ip, 2, (get(p + v->ip, 2) & 0xf03f) | dscp << 6);
}

static void set_ip(const struct slow_view *v, uint8_t *p, const struct rule_change *c, bool dst)
{
	uint32_t n = c->of == 4 ? 4 : 16;

	if (v->version == c->of)
		memcpy(p + v->ip + (c->of == 4 ? 12 : 8) + dst * n, c->addr, n);
}

static void rewrite(const struct slow_view *v, uint8_t *p, const struct rule_change *c)
{
	switch (c->kind) {
	case CHANGE_ETH_SRC:
	case CHANGE_ETH_DST:
		memcpy(p + (c->kind == CHANGE_ETH_SRC ? 6 : 0), c->addr, 6);
		break;
	case CHANGE_IP_SRC:
	case CHANGE_IP_DST:
		set_ip(v, p, c, c->kind == CHANGE_IP_DST);
		break;
	case CHANGE_SPORT:
	case CHANGE_DPORT:
		if (v->l4)
			set(p + v->l4 + (c->kind == CHANGE_DPORT ? 2 : 0), 2, c->value);
		break;
	case CHANGE_TTL:
	case CHANGE_DEC_TTL:
		set_ttl(v, p, (uint8_t)(c->kind == CHANGE_TTL ? c->value : 255),
			c->kind == CHANGE_DEC_TTL);
		break;
	case CHANGE_DSCP:
		set_dscp(v, p, c->value);
		break;
	case CHANGE_VLAN:
		if (v->tags)
			set(p + 14, 2, (get(p + 14, 2) & 0xf000) | c->value);
		break;
	default:
		break;
	}
}

static void rewrites(const struct rule *r, uint8_t *p, uint32_t len)
{
	struct slow_view v = see(p, len);
	struct slow_sum ip = ip_sum(&v, p), l4 = l4_sum(&v, p), after;

	for (size_t i = 0; i < r->nchanges; i++)
		rewrite(&v, p, &r->change[i]);
	after = ip_sum(&v, p);
	slow_correct(&ip, &after, false);
	after = l4_sum(&v, p);
	slow_correct(&l4, &after, v.proto == 17);
}

static void cut(uint8_t *p, uint32_t *len, uint32_t from, uint32_t n)
{
	memmove(p + from, p + from + n, *len - from - n);
	*len -= n;
}

/* --- tunnels that end --- */

/* Returns the bytes of GRE's header; 0: nothing behind it is parsed. */
static uint32_t slow_gre(const uint8_t *p)
{
	uint32_t flags = get(p, 2), n = 4;

	for (uint32_t bit = 0x8000; bit >= 0x1000; bit >>= 1)
		n += flags & bit ? 4 : 0;
	return flags & 0x4006 ? 0 : n;
}

static uint32_t slow_gtpu(const uint8_t *p, uint32_t room)
{
	uint32_t n = p[0] & 7 ? 12 : 8;

	while (p[0] & 4 && n < room && p[n - 1])
		n += 4u * p[n];
	return n;
}

/* Returns the bytes of the tunnel's own header, behind UDP's; the rule matches what it carries. */
static uint32_t slow_tunnel(const struct slow_view *v, const uint8_t *p)
{
	uint32_t at = v->l4 + 8;

	if (v->gre)
		return slow_gre(p + v->gre);
	switch (get(p + v->l4 + 2, 2)) {
	case 6081:
		return p[at] >> 6 ? 0 : 8 + (p[at] & 0x3fu) * 4;
	case 2152:
		return slow_gtpu(p + at, v->end - at);
	case 6635:
		return see_labels(p, at, v->end) - at;
	default:
		return 8;
	}
}

/* Removes a tunnel, and puts the Ethernet header of a rule before a packet of IP. */
static bool decap(const struct rule_change *c, uint8_t *p, uint32_t *len)
{
	struct slow_view v = see(p, *len);
	uint32_t at = v.gre ? v.gre : v.l4 + 8, own;

	if (!v.gre && (!v.l4 || v.proto != 17 || at + 8 > v.end))
		return false;
	own = slow_tunnel(&v, p);
	at += own;
	if (!own || at + (c->value ? 20 : 14) > v.end)
		return false;
	cut(p, len, 0, at - c->value);
	memcpy(p, c->addr, c->value);
	return true;
}

uint32_t slow_ip(const uint8_t *p, uint32_t len)
{
	return see(p, len).ip;
}

static const struct rule_change *change_of(const struct rule *r, enum rule_change_kind kind)
{
	for (size_t i = 0; i < r->nchanges; i++)
		if (r->change[i].kind == kind)
			return &r->change[i];
	return NULL;
}

bool slow_change(const struct rule *r, uint8_t *p, uint32_t *len)
{
	const struct rule_change *push = change_of(r, CHANGE_PUSH);
	const struct rule_change *end = change_of(r, CHANGE_DECAP);

	if (end && !decap(end, p, len))
		return false;
	if (change_of(r, CHANGE_POP))
		cut(p, len, 12, 4);
	rewrites(r, p, *len);
	if (push) {
		memmove(p + 16, p + 12, *len - 12);
		set(p + 12, 2, 0x8100);
		set(p + 14, 2, push->value);
		*len += 4;
	}
	return true;
}
