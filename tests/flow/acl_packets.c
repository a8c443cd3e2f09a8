/* SPDX-License-Identifier: BSD-2-Clause */
#include "acl_packets.h"

#include <string.h>

__extension__ typedef unsigned __int128 u128;

#define FRAME_BYTES 96

static u128 address_bits(const struct rule_net *p)
{
	u128 a = 0;

	for (unsigned int i = 0; i < (p->family == 4 ? 4u : 16u); i++)
		a = a << 8 | p->addr[i];
	return a;
}

/* The first, the last, or any address of a prefix; or the one before it. */
static u128 corner_address(struct dice *d, const struct rule_nets *nets, unsigned int family)
{
	unsigned int width = family == 4 ? 32 : 128, open;
	u128 all = ~(u128)0 >> (128 - width), any = dice_roll(d, UINT32_MAX), a;

	any = any << 64 | dice_roll(d, UINT32_MAX);
	if (!nets->n)
		return any & all;
	open = width - nets->net[0].bits;
	a = address_bits(&nets->net[0]);
	switch (dice_roll(d, 8)) {
	case 0:
		return a;
	case 1:
		return open ? a | (all >> (width - open)) : a;
	case 2:
		return (a - 1) & all;
	default:
		return open ? a | (any & (all >> (width - open))) : a;
	}
}

static uint16_t corner_port(struct dice *d, const struct rule_ports *ports)
{
	struct rule_range r;

	if (!ports->n)
		return (uint16_t)dice_roll(d, 65536);
	r = ports->range[dice_roll(d, (uint32_t)ports->n)];
	switch (dice_roll(d, 6)) {
	case 0:
		return r.first;
	case 1:
		return r.last;
	case 2:
		return (uint16_t)(r.first - 1);
	case 3:
		return (uint16_t)(r.last + 1);
	default:
		return (uint16_t)(r.first + dice_roll(d, r.last - r.first + 1u));
	}
}

static uint64_t corner_proto(struct dice *d, const struct rule *r)
{
	static const uint64_t protos[] = {6, 17, 1, 47};

	if (r->outer.l4 == L4_TCP || r->outer.l4 == L4_UDP)
		return r->outer.l4;
	return r->nfields && dice_roll(d, 4) ? r->field[0].value : protos[dice_roll(d, 4)];
}

/* --- frames --------------------------------------------------------------------------------------- */

static void put(uint8_t *at, unsigned int bytes, u128 value)
{
	while (bytes--) {
		at[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static uint16_t ip_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < 20; i += 2)
		sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

/* Returns where the next header begins. */
static uint8_t *put_ip(struct made_packet *p, unsigned int family, u128 src, u128 dst,
		       uint64_t proto)
{
	uint8_t *ip = p->bytes + 14;

	put(p->bytes + 12, 2, family == 4 ? 0x0800 : 0x86dd);
	if (family == 6) {
		ip[0] = 0x60;
		put(ip + 4, 2, FRAME_BYTES - 14 - 40);
		ip[6] = (uint8_t)proto;
		ip[7] = 64;
		put(ip + 8, 16, src);
		put(ip + 24, 16, dst);
		return ip + 40;
	}
	ip[0] = 0x45;
	put(ip + 2, 2, FRAME_BYTES - 14);
	ip[8] = 64;
	ip[9] = (uint8_t)proto;
	put(ip + 12, 4, src);
	put(ip + 16, 4, dst);
	put(ip + 10, 2, ip_sum(ip));
	return ip + 20;
}

void corner_packet(struct dice *d, const struct ruleset *set, struct made_packet *p)
{
	const struct rule *r = &set->rule[dice_roll(d, (uint32_t)set->n)],
			  *s = dice_roll(d, 2) ? r : &set->rule[dice_roll(d, (uint32_t)set->n)],
			  *t = dice_roll(d, 3) ? r : s;
	unsigned int family = r->outer.ip == 6 ? 6 : 4;
	uint64_t proto = corner_proto(d, t);
	u128 src, dst;
	uint8_t *l4;

	memset(p, 0, sizeof(*p));
	p->len = FRAME_BYTES;
	put(p->bytes, 6, 0x020000000007);
	put(p->bytes + 6, 6, 0x020000000008);
	src = corner_address(d, &r->outer.src, family);
	dst = corner_address(d, s->outer.ip == r->outer.ip ? &s->outer.dst : &r->outer.dst, family);
	l4 = put_ip(p, family, src, dst, proto);
	if (proto != L4_TCP && proto != L4_UDP)
		return;
	put(l4, 2, corner_port(d, &t->outer.sport));
	put(l4 + 2, 2, corner_port(d, &t->outer.dport));
	if (proto == L4_TCP)
		l4[12] = 0x50;
	else
		put(l4 + 4, 2, FRAME_BYTES - (unsigned int)(l4 - p->bytes));
}
