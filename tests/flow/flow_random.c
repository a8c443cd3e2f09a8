/* SPDX-License-Identifier: BSD-2-Clause */
/* Random rules, and the dice for rules and packets. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "flow_random_values.h"

/* xorshift64*: the same seed gives the same numbers on all machines. */
uint32_t dice_roll(struct dice *d, uint32_t below)
{
	d->state ^= d->state >> 12;
	d->state ^= d->state << 25;
	d->state ^= d->state >> 27;
	return (uint32_t)((d->state * 0x2545f4914f6cdd1dull >> 32) * below >> 32);
}

struct line {
	char *text;
	size_t size, at;
	bool negated;
};

/* Allows one negation in a rule, since their entries multiply. */
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
	if (chance(d, 50)) {
		add(l, "%s",
		    PICK(d, ((const char *const[]){" untagged", " native", " num_of_vlans 0-1"})));
		return;
	}
	rule_tag(d, l);
	if (chance(d, 40))
		rule_tag(d, l);
	else if (chance(d, 25))
		add(l, " num_of_vlans 1");
}

/* Makes a prefix, which may have bits behind it: then it is refused, and another one is made. */
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

/* Makes a mask that is no prefix, or a range. */
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
	static const char *const kinds[] = {"vxlan", "vxlan-gpe", "geneve", "gre",
					    "mpls",  "gtpu",	  "nvgre",  "gretap"};
	uint32_t kind = dice_roll(d, 8);

	add(l, !negates(d, l, 8) ? " %s" : " not %s", kinds[kind]);
	if (chance(d, 20))
		return;
	if (kind < 3 || kind == 6)
		add(l, " vni %u", PICK(d, vnis));
	else if (kind == 3 || kind == 7)
		add(l, " key %u", PICK(d, vnis));
	else if (kind == 5)
		add(l, " teid %u", PICK(d, vnis));
	else
		add(l, " label %u", PICK(d, mpls_labels));
	if (kind == 0 && chance(d, 20))
		add(l, " gbp %u", PICK(d, policies));
	if (kind == 2 && chance(d, 20))
		add(l, " oam %u", dice_roll(d, 2));
	if (kind == 2 && chance(d, 30))
		add(l, " option 0x102 type 0x80 %u", option_data[1 + dice_roll(d, 2)]);
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
	if (chance(d, 10))
		add(&l, chance(d, 75) ? " ethertype ip" : " not ethertype ip");
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
