/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "../unit/flow_slow_change.h"
#include "flow_random.h"

/* xorshift64*: the same numbers everywhere from the same seed. */
uint32_t dice_roll(struct dice *d, uint32_t below)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return (uint32_t)((d->state * 0x2545f4914f6cdd1dull >> 32) * below >> 32);
}

#define PICK(d, list) ((list)[dice_roll(d, sizeof(list) / sizeof((list)[0]))])

static bool chance(struct dice *d, uint32_t percent)
{
	return dice_roll(d, 100) < percent;
}

/* --- values, few enough to meet again --- */

static const uint16_t ports[] = {1, 53, 80, 81, 443, 1023, 1024, 4096, 5000, 40000, 65535};
static const uint8_t ttls[] = {1, 63, 64, 255};
static const uint8_t dscps[] = {0, 10, 46};
static const uint32_t labels[] = {0, 0x12345, 0xfffff};
static const uint32_t mpls_labels[] = {16, 100, 0xfffff};
static const uint32_t vnis[] = {0, 7, 9, 0xabcdef};
static const uint16_t vids[] = {1, 5, 100, 4094};
static const uint8_t protos[] = {1, 2, 6, 17, 47, 50, 58, 132};
static const uint16_t types[] = {0x0806, 0x88f7, 0x8847, 0x88cc};
static const uint8_t icmp_types[] = {0, 3, 8, 11, 128, 135};

static uint32_t address4(struct dice *d)
{
	return 10u << 24 | dice_roll(d, 2) << 16 | dice_roll(d, 2) << 8 | dice_roll(d, 4);
}

static void address6(struct dice *d, uint8_t a[16])
{
	static const uint8_t start[] = {0x20, 0x01, 0x0d, 0xb8};

	memset(a, 0, 16);
	memcpy(a, start, sizeof(start));
	a[7] = (uint8_t)dice_roll(d, 2);
	a[15] = (uint8_t)dice_roll(d, 4);
}

static uint8_t mac_end(struct dice *d)
{
	return (uint8_t)dice_roll(d, 4);
}

/* --- rules --- */

struct line {
	char *text;
	size_t size, at;
	bool negated;
};

/* One negation in a rule, since their entries multiply. */
static bool negates(struct dice *d, struct line *l, uint32_t percent)
{
	bool now = !l->negated && chance(d, percent);

	l->negated |= now;
	return now;
}

static void __attribute__((format(printf, 2, 3))) add(struct line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (l->at < l->size)
		l->at += (size_t)vsnprintf(l->text + l->at, l->size - l->at, fmt, ap);
	va_end(ap);
}

static void rule_mac(struct dice *d, struct line *l)
{
	const char *side = chance(d, 50) ? "src" : "dst";

	add(l, " eth %s%s 02:00:00:00:00:%02x", side, negates(d, l, 2) ? " !=" : "", mac_end(d));
	if (chance(d, 25))
		add(l, "/ff:ff:ff:ff:ff:%02x",
		    PICK(d, ((const uint8_t[]){0xff, 0xfe, 0xfc, 0x01})));
	if (chance(d, 20))
		add(l, ",02:00:00:00:00:%02x", mac_end(d));
}

static void rule_tag(struct dice *d, struct line *l)
{
	if (negates(d, l, 10)) {
		add(l, " not vlan %u", PICK(d, vids));
		return;
	}
	add(l, chance(d, 60) ? " vlan" : " svlan");
	if (chance(d, 60))
		add(l, chance(d, 75) ? " id %u" : " id 5,%u", PICK(d, vids));
	if (chance(d, 20))
		add(l, " pcp %u", dice_roll(d, 8));
	if (chance(d, 10))
		add(l, " dei %u", dice_roll(d, 2));
}

static void rule_vlan(struct dice *d, struct line *l)
{
	if (chance(d, 30)) {
		add(l, " untagged");
		return;
	}
	rule_tag(d, l);
	if (chance(d, 40))
		rule_tag(d, l);
}

/* A prefix may have bits behind it. Such a rule is refused, and another one is generated. */
static void rule_address(struct dice *d, struct line *l, bool six)
{
	static const char *const sides[] = {"src", "dst", "host"};
	static const uint8_t bits4[] = {32, 32, 31, 30, 24, 23, 16, 8, 1, 0};
	static const uint8_t bits6[] = {128, 128, 127, 64, 63, 32, 3};
	uint32_t a = address4(d);
	uint8_t b[16];

	address6(d, b);
	if (six)
		add(l, " %s 2001:db8:0:%x::%x/%u", PICK(d, sides), b[7], b[15], PICK(d, bits6));
	else
		add(l, " %s %u.%u.%u.%u/%u", PICK(d, sides), a >> 24, a >> 16 & 255, a >> 8 & 255,
		    a & 255, PICK(d, bits4));
	for (uint32_t more = chance(d, 25) ? 1 + dice_roll(d, 3) : 0; more; more--) {
		uint32_t left_out = dice_roll(d, 25);

		add(l, chance(d, 50) ? "," : " or ");
		a = address4(d) & ~((1u << left_out) - 1);
		address6(d, b);
		if (six)
			add(l, "2001:db8:0:%x::%x", b[7], b[15]);
		else
			add(l, "%u.%u.%u.%u/%u", a >> 24, a >> 16 & 255, a >> 8 & 255, a & 255,
			    32 - left_out);
	}
}

/* A mask that is no prefix, or a range. */
static void rule_odd_address(struct dice *d, struct line *l, bool six)
{
	static const char *const sides[] = {"src", "dst", "host"};
	uint32_t low = dice_roll(d, 4), high = low + dice_roll(d, 200);

	add(l, " %s%s ", PICK(d, sides), !six && negates(d, l, 15) ? " !=" : "");
	if (six && chance(d, 50))
		add(l, "::%u/::3", low);
	else if (six)
		add(l, "2001:db8::%x-2001:db8:0:%u::%x", low, dice_roll(d, 2), high);
	else if (chance(d, 50))
		add(l, "10.0.0.%u/255.0.1.3", low);
	else
		add(l, "10.0.0.%u-10.%u.0.%u", low, dice_roll(d, 2), high);
}

static void rule_ports(struct dice *d, struct line *l)
{
	static const char *const sides[] = {"src port", "dst port", "port"};
	uint32_t n = 1 + dice_roll(d, 2);

	add(l, " %s%s ", PICK(d, sides), negates(d, l, 5) ? " !=" : "");
	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = PICK(d, ports), last = chance(d, 30) ? PICK(d, ports) : first;

		add(l, i ? ",%u" : "%u", first < last ? first : last);
		if (first != last)
			add(l, "-%u", first < last ? last : first);
	}
	if (chance(d, 10))
		add(l, ",1/0x%x", 1 + 2 * dice_roll(d, 32));
}

static void rule_l4(struct dice *d, struct line *l, bool six)
{
	if (negates(d, l, 5))
		add(l, " not");
	switch (dice_roll(d, 7)) {
	case 0:
		add(l, " tcp");
		if (chance(d, 60))
			add(l, " flags %s%s", chance(d, 30) ? "!" : "",
			    PICK(d, ((const char *const[]){"syn", "ack", "fin", "rst"})));
		if (chance(d, 50))
			rule_ports(d, l);
		break;
	case 1:
	case 2:
		add(l, chance(d, 50) ? " tcp" : " udp");
		rule_ports(d, l);
		break;
	case 3:
		rule_ports(d, l);
		break;
	case 4:
		add(l, six ? " icmp6" : " icmp");
		if (chance(d, 60))
			add(l, " type %u", PICK(d, icmp_types));
		if (chance(d, 20))
			add(l, " code %u", dice_roll(d, 2));
		break;
	case 5:
		add(l, " proto %u", PICK(d, protos));
		break;
	default:
		break;
	}
}

static void rule_ip(struct dice *d, struct line *l)
{
	bool six = chance(d, 35);

	if (chance(d, 85))
		add(l, six ? " ipv6" : " ipv4");
	for (uint32_t n = dice_roll(d, 3); n; n--)
		(chance(d, 25) ? rule_odd_address : rule_address)(d, l, six);
	rule_l4(d, l, six);
	if (chance(d, 12))
		add(l,
		    negates(d, l, 30) ? " ttl != %u"
		    : chance(d, 75)   ? " ttl %u"
				      : " ttl %u,1/0x3",
		    PICK(d, ttls));
	if (chance(d, 12))
		add(l, " dscp %u", PICK(d, dscps));
	if (chance(d, 8))
		add(l, " ecn %u", dice_roll(d, 4));
	if (chance(d, 12))
		add(l, chance(d, 50) ? " fragment" : " nofrag");
	if (six && chance(d, 12))
		add(l, " flowlabel %u", PICK(d, labels));
}

static void rule_tunnel(struct dice *d, struct line *l)
{
	static const char *const kinds[] = {"vxlan", "vxlan-gpe", "geneve", "gre", "mpls"};
	uint32_t kind = dice_roll(d, 5);

	add(l, !negates(d, l, 8) ? " %s" : " not %s", kinds[kind]);
	if (chance(d, 20))
		return;
	if (kind < 3)
		add(l, " vni %u", PICK(d, vnis));
	else if (kind == 3)
		add(l, " key %u", PICK(d, vnis));
	else
		add(l, " label %u", PICK(d, mpls_labels));
	if (kind == 2 && chance(d, 20))
		add(l, " oam %u", dice_roll(d, 2));
	if (kind == 4 && chance(d, 20))
		add(l, " tc %u", dice_roll(d, 8));
	if (kind == 4 && chance(d, 20))
		add(l, " mpls_bos %u", dice_roll(d, 2));
	if (kind == 4 && chance(d, 20))
		add(l, " mpls_ttl %u", PICK(d, ttls));
	if (chance(d, 15))
		add(l, "/0x%x", 1 + dice_roll(d, 255));
}

static void rule_inner(struct dice *d, struct line *l)
{
	add(l, " inner");
	if (chance(d, 20))
		rule_mac(d, l);
	if (chance(d, 15))
		rule_vlan(d, l);
	if (chance(d, 85))
		rule_ip(d, l);
	else
		add(l, " mpls label %u", PICK(d, mpls_labels));
}

void random_rule(struct dice *d, char *text, size_t size, const char *dir, uint32_t number)
{
	static const char *const verdicts[] = {"send", "send", "drop", "pass"};
	const char *verdict = dir[0] == 'o' ? verdicts[2 + dice_roll(d, 2)] : PICK(d, verdicts);
	struct line l = {text, size, 0, !chance(d, 25)};

	add(&l, "%s %s", verdict, dir);
	if (chance(d, 20))
		rule_mac(d, &l);
	if (chance(d, 20))
		rule_vlan(d, &l);
	if (chance(d, 12))
		rule_tunnel(d, &l);
	if (chance(d, 85))
		rule_ip(d, &l);
	else if (chance(d, 50))
		add(&l, " ethertype 0x%04x", PICK(d, types));
	if (chance(d, 15))
		rule_inner(d, &l);
	if (verdict[0] == 's')
		add(&l, " to queue %u tag %u%s", dice_roll(d, 2), number,
		    chance(d, 30) ? " count" : "");
	else
		add(&l, " count");
}

/* --- packets --- */

struct pen {
	struct made_packet *p;
	uint8_t *at;
};

static void put(struct pen *w, uint64_t v, unsigned int bytes)
{
	while (bytes--)
		*w->at++ = (uint8_t)(bytes < 8 ? v >> (8 * bytes) : 0);
}

static void packet_l4(struct dice *d, struct pen *w, uint8_t proto)
{
	switch (proto) {
	case 6:
		put(w, PICK(d, ports), 2);
		put(w, PICK(d, ports), 2);
		put(w, dice_roll(d, UINT32_MAX), 4);
		put(w, 0, 4);
		put(w, 0x5000 | dice_roll(d, 512), 2);
		put(w, 0xffff, 2);
		put(w, 0, 4);
		break;
	case 17:
		put(w, PICK(d, ports), 2);
		put(w, PICK(d, ports), 2);
		put(w, 8 + 16, 2);
		put(w, chance(d, 80), 2); /* 0: no checksum */
		break;
	default:
		put(w, PICK(d, icmp_types), 1);
		put(w, dice_roll(d, 2), 1);
		put(w, dice_roll(d, UINT32_MAX), 4);
		put(w, 0, 2);
		break;
	}
	put(w, dice_roll(d, UINT32_MAX), 4);
	put(w, 0, 12);
}

static uint8_t protocol(struct dice *d)
{
	return chance(d, 75) ? (chance(d, 55) ? 6 : 17) : PICK(d, protos);
}

static void packet_ipv4(struct dice *d, struct pen *w)
{
	uint8_t proto = protocol(d), *start = w->at;
	uint32_t options = chance(d, 10) ? 1 + dice_roll(d, 3) : 0, frag = 0;

	if (chance(d, 15))
		frag = chance(d, 50) ? 0x2000 : dice_roll(d, 2) << 13 | (1 + dice_roll(d, 100));
	else if (chance(d, 50))
		frag = 0x4000;
	put(w, 0x45 + options, 1);
	put(w, (uint32_t)PICK(d, dscps) << 2 | dice_roll(d, 4), 1);
	put(w, 0, 2);
	put(w, dice_roll(d, 65536), 2);
	put(w, frag, 2);
	put(w, PICK(d, ttls), 1);
	put(w, proto, 1);
	put(w, 0, 2);
	put(w, address4(d), 4);
	put(w, address4(d), 4);
	put(w, 0x01010101, 4);
	w->at -= 4 * (options ? 0 : 1);
	for (uint32_t i = 1; i < options; i++)
		put(w, 0x01010101, 4);
	packet_l4(d, w, proto);
	start[2] = 0;
	start[3] = (uint8_t)(w->at - start);
}

static void packet_ipv6(struct dice *d, struct pen *w)
{
	uint8_t proto = protocol(d), a[16], *start = w->at, next = proto;
	bool frag = chance(d, 12), hop = chance(d, 10);

	if (proto == 1 && chance(d, 80))
		next = proto = 58;
	if (frag)
		next = 44;
	if (hop)
		next = 0;
	put(w, 6u << 28 | (uint32_t)PICK(d, dscps) << 22 | dice_roll(d, 4) << 20 | PICK(d, labels),
	    4);
	put(w, 0, 2);
	put(w, next, 1);
	put(w, PICK(d, ttls), 1);
	for (int i = 0; i < 2; i++) {
		address6(d, a);
		memcpy(w->at, a, 16);
		w->at += 16;
	}
	if (hop) {
		put(w, frag ? 44 : proto, 1);
		put(w, 0, 1);
		put(w, 0x010400000000, 6);
	}
	if (frag) {
		put(w, proto, 1);
		put(w, 0, 1);
		put(w, (chance(d, 50) ? 0u : (1 + dice_roll(d, 50)) << 3) | 1, 2);
		put(w, 7, 4);
	}
	packet_l4(d, w, proto);
	start[5] = (uint8_t)(w->at - start - 40);
}

static void packet_spoil(struct dice *d, struct made_packet *p)
{
	slow_sums(p->bytes, p->len);
	if (chance(d, 4))
		p->bytes[12 + dice_roll(d, p->len - 12)] ^= (uint8_t)(1u << dice_roll(d, 8));
	if (chance(d, 4))
		p->len = PACKET_MIN + dice_roll(d, p->len - PACKET_MIN);
	memset(p->bytes + p->len, 0, sizeof(p->bytes) - p->len);
}

/* A stack of labels before what follows the EtherType. */
static void packet_labels(struct dice *d, struct pen *w)
{
	uint32_t n = chance(d, 8) ? 5 + dice_roll(d, 2) : 1 + dice_roll(d, 3);

	for (uint32_t i = 0; i < n; i++) {
		put(w, PICK(d, mpls_labels) << 4 | dice_roll(d, 8) << 1 | (i + 1 == n), 3);
		put(w, PICK(d, ttls), 1);
	}
}

void random_packet(struct dice *d, struct made_packet *p)
{
	struct pen w = {p, p->bytes};
	uint32_t tags = chance(d, 25) ? 1 + dice_roll(d, 2) : 0, kind = dice_roll(d, 100);

	memset(p->bytes, 0, sizeof(p->bytes));
	put(&w, 0x020000000000 | mac_end(d), 6);
	put(&w, 0x020000000000 | mac_end(d), 6);
	for (uint32_t i = 0; i < tags; i++) {
		put(&w, chance(d, 70) ? 0x8100 : 0x88a8, 2);
		put(&w, dice_roll(d, 16) << 12 | PICK(d, vids), 2);
	}
	if (kind < 92 && chance(d, 8)) {
		put(&w, chance(d, 80) ? 0x8847 : 0x8848, 2);
		packet_labels(d, &w);
	} else {
		put(&w, kind < 58 ? 0x0800 : kind < 92 ? 0x86dd : PICK(d, types), 2);
	}
	if (kind < 58)
		packet_ipv4(d, &w);
	else if (kind < 92)
		packet_ipv6(d, &w);
	else
		put(&w, dice_roll(d, UINT32_MAX), 4);
	p->len = (uint32_t)(w.at - p->bytes);
	packet_spoil(d, p);
}

/* --- tunnels --- */

enum { T_VXLAN, T_GPE, T_GENEVE, T_GRE, T_IP, T_KINDS };

/* The length is filled in later: bytes 2 and 3 of IPv4's header, 4 and 5 of IPv6's. */
static void outer_ip(struct dice *d, struct pen *w, bool six, uint8_t proto)
{
	uint8_t a[16];

	put(w, six ? 0x86dd : 0x0800, 2);
	if (!six) {
		put(w, 0x4500, 2);
		put(w, 0, 6);
		put(w, 64u << 8 | proto, 2);
		put(w, 0, 2);
		put(w, address4(d), 4);
		put(w, address4(d), 4);
		return;
	}
	put(w, 6u << 28, 4);
	put(w, 0, 2);
	put(w, (uint32_t)proto << 8 | 64, 2);
	for (int i = 0; i < 2; i++) {
		address6(d, a);
		memcpy(w->at, a, 16);
		w->at += 16;
	}
}

static void udp_to(struct dice *d, struct pen *w, uint16_t port)
{
	put(w, PICK(d, ports), 2);
	put(w, port, 2);
	put(w, 0, 4);
}

static void put_gre(struct dice *d, struct pen *w, uint16_t type)
{
	uint32_t bits = dice_roll(d, 8);

	put(w, (bits & 4) << 13 | (bits & 3) << 12 | (chance(d, 4) ? 0x4000 : 0) | chance(d, 4), 2);
	put(w, chance(d, 5) ? 0x8847 : type, 2);
	if (bits & 4)
		put(w, dice_roll(d, UINT32_MAX), 4);
	if (bits & 2)
		put(w, PICK(d, vnis), 4);
	if (bits & 1)
		put(w, dice_roll(d, UINT32_MAX), 4);
}

static void put_geneve(struct dice *d, struct pen *w, uint16_t type)
{
	uint32_t options = chance(d, 30) ? 1 + dice_roll(d, 4) : 0;

	udp_to(d, w, 6081);
	put(w, (chance(d, 4) ? 0x40 : 0) | options, 1);
	put(w, (uint32_t)chance(d, 20) << 7, 1);
	put(w, type, 2);
	put(w, (uint64_t)PICK(d, vnis) << 8, 4);
	for (uint32_t i = 0; i < options; i++)
		put(w, dice_roll(d, UINT32_MAX), 4);
}

static void put_vxlan(struct dice *d, struct pen *w, uint16_t type, bool gpe)
{
	uint32_t next = type == 0x0800 ? 1 : type == 0x86dd ? 2 : 3;

	udp_to(d, w, gpe ? 4790 : 4789);
	put(w, gpe ? 0x0c : 0x08, 1);
	put(w, gpe ? next : 0, 3);
	put(w, PICK(d, vnis) << 8 | (gpe ? 0 : dice_roll(d, 2)), 4);
}

/* type: the EtherType of what follows. */
static void tunnel_header(struct dice *d, struct pen *w, uint32_t kind, uint16_t type)
{
	switch (kind) {
	case T_GRE:
		put_gre(d, w, type);
		break;
	case T_GENEVE:
		put_geneve(d, w, type);
		break;
	case T_VXLAN:
	case T_GPE:
		put_vxlan(d, w, type, kind == T_GPE);
		break;
	default:
		break;
	}
}

static uint8_t tunnel_proto(uint32_t kind, uint16_t type)
{
	return kind == T_GRE ? 47 : kind == T_IP ? (type == 0x0800 ? 4 : 41) : 17;
}

void random_tunnel(struct dice *d, struct made_packet *p)
{
	struct made_packet in = *p;
	struct pen w = {p, p->bytes};
	uint16_t type = (uint16_t)(in.bytes[12] << 8 | in.bytes[13]);
	bool ip = (type == 0x0800 || type == 0x86dd) && chance(d, 50), six = chance(d, 30);
	uint32_t kind = dice_roll(d, ip ? T_KINDS : T_IP), skip, n, len;

	if (kind == T_VXLAN)
		ip = false;
	type = ip ? type : 0x6558;
	memset(p->bytes, 0, sizeof(p->bytes));
	put(&w, 0x020000000000 | mac_end(d), 6);
	put(&w, 0x020000000000 | mac_end(d), 6);
	outer_ip(d, &w, six, tunnel_proto(kind, type));
	tunnel_header(d, &w, kind, type);
	skip = ip ? 14 : 0;
	n = PACKET_MAX - (uint32_t)(w.at - p->bytes);
	n = in.len - skip < n ? in.len - skip : n;
	memcpy(w.at, in.bytes + skip, n);
	p->len = (uint32_t)(w.at - p->bytes) + n;
	len = p->len - (six ? 54 : 14);
	p->bytes[six ? 18 : 16] = (uint8_t)(len >> 8);
	p->bytes[six ? 19 : 17] = (uint8_t)len;
	packet_spoil(d, p);
}

void any_packet(struct dice *d, struct made_packet *p)
{
	random_packet(d, p);
	if (chance(d, 20))
		random_tunnel(d, p);
}
