/* SPDX-License-Identifier: BSD-2-Clause */
/* Random packets. */
#include <stdbool.h>
#include <string.h>
#include "tests/steer/flow_slow_change.h"
#include "flow_random_values.h"

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

/* Puts a stack of labels before the part behind the EtherType. */
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

enum { T_VXLAN, T_GPE, T_GENEVE, T_GRE, T_IP, T_GTPU, T_MPLS, T_KINDS };

/* Writes an outer IP header; the length comes later: bytes 2 and 3 of IPv4's, 4 and 5 of IPv6's. */
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
		put(w, PICK(d, vnis) << (chance(d, 50) ? 8 : 0), 4);
	if (bits & 1)
		put(w, dice_roll(d, UINT32_MAX), 4);
}

/* Puts an option that takes n words, now and then the one that rules name. */
static void put_option(struct dice *d, struct pen *w, uint32_t n)
{
	bool named = chance(d, 70);

	put(w, named ? 0x102 : 0x103, 2);
	put(w, named ? 0x80 : 0, 1);
	put(w, n - 1, 1);
	for (uint32_t i = 1; i < n; i++)
		put(w, PICK(d, option_data), 4);
}

static void put_options(struct dice *d, struct pen *w, uint32_t n)
{
	uint32_t first = dice_roll(d, n + 1);

	if (chance(d, 20)) {
		for (uint32_t i = 0; i < n; i++)
			put(w, dice_roll(d, UINT32_MAX), 4);
		return;
	}
	if (first)
		put_option(d, w, first);
	if (first < n)
		put_option(d, w, n - first);
}

static void put_geneve(struct dice *d, struct pen *w, uint16_t type)
{
	uint32_t options = chance(d, 50) ? 1 + dice_roll(d, 4) : 0;

	udp_to(d, w, 6081);
	put(w, (chance(d, 4) ? 0x40 : 0) | options, 1);
	put(w, (uint32_t)chance(d, 20) << 7, 1);
	put(w, type, 2);
	put(w, (uint64_t)PICK(d, vnis) << 8, 4);
	put_options(d, w, options);
}

static void put_vxlan(struct dice *d, struct pen *w, uint16_t type, bool gpe)
{
	uint32_t next = type == 0x0800 ? 1 : type == 0x86dd ? 2 : 3;
	bool policy = !gpe && chance(d, 40);

	udp_to(d, w, gpe ? 4790 : 4789);
	put(w, gpe ? 0x0c : policy ? 0x88 : 0x08, 1);
	put(w, gpe ? next : policy ? PICK(d, policies) : 0, 3);
	put(w, PICK(d, vnis) << 8 | (gpe ? 0 : dice_roll(d, 2)), 4);
}

static void put_gtpu(struct dice *d, struct pen *w)
{
	bool fields = chance(d, 30), more = fields && chance(d, 50);

	udp_to(d, w, 2152);
	put(w, 0x30u | (fields ? 2 : 0) | (more ? 4 : 0), 1);
	put(w, chance(d, 90) ? 255 : 1, 1);
	put(w, 0, 2);
	put(w, PICK(d, vnis), 4);
	if (fields)
		put(w, more ? 0x85 : 0, 4);
	if (more)
		put(w, 0x01100900, 4);
}

/* Writes UDP and labels, up to one more than the device parses. */
static void put_mpls_udp(struct dice *d, struct pen *w)
{
	uint32_t n = 1 + dice_roll(d, chance(d, 20) ? 6 : 2);

	udp_to(d, w, 6635);
	while (n--)
		put(w, PICK(d, mpls_labels) << 12 | (n ? 0 : 0x100) | 64, 4);
}

/* Writes a tunnel's header; type: the EtherType of the next part. */
static void tunnel_header(struct dice *d, struct pen *w, uint32_t kind, uint16_t type)
{
	switch (kind) {
	case T_GRE:
		put_gre(d, w, type);
		break;
	case T_GENEVE:
		put_geneve(d, w, type);
		break;
	case T_GTPU:
		put_gtpu(d, w);
		break;
	case T_MPLS:
		put_mpls_udp(d, w);
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
