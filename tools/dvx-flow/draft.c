/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "words.h"

#define TAG_MAX	  0xffffffull
#define QUEUE_MAX 4095

/* What a number may be, and how a message calls it. */
static const struct {
	const char *name;
	uint64_t max;
} keys[RULE_KEYS] = {
	[KEY_DMAC] = {"destination MAC", (1ull << 48) - 1},
	[KEY_SMAC] = {"source MAC", (1ull << 48) - 1},
	[KEY_ETHERTYPE] = {"EtherType", 0xffff},
	[KEY_CVLAN] = {"VLAN tag", 1},
	[KEY_SVLAN] = {"VLAN tag", 1},
	[KEY_VLAN_ID] = {"VLAN id", 4095},
	[KEY_VLAN_DEI] = {"VLAN dei", 1},
	[KEY_VLAN_PCP] = {"VLAN pcp", 7},
	[KEY_PROTO] = {"protocol", 255},
	[KEY_DSCP] = {"DSCP", 63},
	[KEY_ECN] = {"ECN", 3},
	[KEY_TTL] = {"TTL", 255},
	[KEY_FRAGMENT] = {"fragment", 1},
	[KEY_FLOWLABEL] = {"flow label", 0xfffff},
	[KEY_TCP_FLAGS] = {"TCP flags word", 0x1ff},
	[KEY_ICMP_TYPE] = {"ICMP type", 255},
	[KEY_ICMP_CODE] = {"ICMP code", 255},
	[KEY_ICMP6_TYPE] = {"ICMPv6 type", 255},
	[KEY_ICMP6_CODE] = {"ICMPv6 code", 255},
	[KEY_REG_A] = {"register's value", UINT32_MAX},
	[KEY_REG_C0] = {"register's value", UINT32_MAX},
	[KEY_REG_C1] = {"register's value", UINT32_MAX},
	[KEY_REG_C2] = {"register's value", UINT32_MAX},
	[KEY_REG_C3] = {"register's value", UINT32_MAX},
	[KEY_REG_C4] = {"register's value", UINT32_MAX},
	[KEY_REG_C5] = {"register's value", UINT32_MAX},
	[KEY_REG_C6] = {"register's value", UINT32_MAX},
	[KEY_REG_C7] = {"register's value", UINT32_MAX},
	[KEY_VPORT] = {"vport", 0xffff},
	[KEY_SQN] = {"send queue number", 0xffffff},
};

static void find_line(const struct draft *d, size_t byte, struct mistake *m)
{
	size_t from = byte, to = byte;

	while (from && d->text[from - 1] != '\n')
		from--;
	while (to < d->len && d->text[to] != '\n')
		to++;
	m->source = d->text + from;
	m->source_len = to - from;
}

void draft_mistake(struct draft *d, const struct place *at, const char *fmt, ...)
{
	struct mistake m = {.line = at->first_line, .column = at->first_column, .width = 1};
	va_list ap;

	d->bad = true;
	if (d->mistakes == MISTAKES_MAX)
		return;
	d->mistakes++;
	if (at->last_line == at->first_line && at->last_column > at->first_column)
		m.width = at->last_column - at->first_column;
	va_start(ap, fmt);
	vsnprintf(m.text, sizeof(m.text), fmt, ap);
	va_end(ap);
	find_line(d, at->first_byte, &m);
	if (d->tell)
		d->tell(d->tell_arg, &m);
}

void draft_begin(struct draft *d, enum rule_verdict verdict, bool count)
{
	d->rule = (struct rule){.verdict = verdict, .count = count};
	memset(d->field, 0, sizeof(d->field));
	d->context = CONTEXT_NONE;
	d->bad = d->has_queue = false;
	d->ports = (struct draft_ports){0};
	d->flags = d->flags_mask = 0;
}

void draft_direction(struct draft *d, enum rule_dir dir)
{
	d->rule.dir = dir;
}

/* --- numbers ------------------------------------------------------------------------------------- */

static const char *an(const char *noun)
{
	return strchr("AEIOUaeiou", noun[0]) ? "an" : "a";
}

static bool fits(struct draft *d, const struct place *at, enum rule_key key, uint64_t v)
{
	if (v <= keys[key].max)
		return true;
	draft_mistake(d, at, "%s %s is 0 to %" PRIu64 ", not %" PRIu64, an(keys[key].name),
		      keys[key].name, keys[key].max, v);
	return false;
}

void draft_field(struct draft *d, const struct place *at, enum rule_key key, uint64_t value,
		 uint64_t mask)
{
	struct rule_field *f = &d->field[key];

	if (!fits(d, at, key, value))
		return;
	if (mask == UINT64_MAX)
		mask = keys[key].max;
	if (mask > keys[key].max)
		draft_mistake(d, at, "the mask of %s %s has no bit above 0x%" PRIx64, an(keys[key].name),
			      keys[key].name, keys[key].max);
	else if (!mask)
		draft_mistake(d, at, "a mask of 0 compares nothing");
	else if (f->mask && (f->value != value || f->mask != mask))
		draft_mistake(d, at, "a second %s in one rule", keys[key].name);
	else
		*f = (struct rule_field){key, value, mask};
}

void draft_tos(struct draft *d, const struct place *at, uint64_t value, uint64_t mask)
{
	if (mask == UINT64_MAX)
		mask = 0xff;
	if (value > 0xff || mask > 0xff || !mask) {
		draft_mistake(d, at, "a TOS is 0 to 255, its mask 1 to 255");
		return;
	}
	if (mask >> 2)
		draft_field(d, at, KEY_DSCP, value >> 2, mask >> 2);
	if (mask & 3)
		draft_field(d, at, KEY_ECN, value & 3, mask & 3);
}

void draft_flag(struct draft *d, const struct place *at, const char *name, bool set)
{
	uint64_t bit;

	if (!flag_number(name, &bit)) {
		draft_mistake(d, at, "no TCP flag is called \"%s\"; there are fin, syn, rst, psh, ack, "
				     "urg, ece, cwr and ns", name);
		return;
	}
	if (d->flags_mask & bit && !(d->flags & bit) == set)
		draft_mistake(d, at, "the flag %s is wanted both ways", name);
	d->flags_mask |= bit;
	if (set)
		d->flags |= bit;
}

void draft_flags(struct draft *d, const struct place *at)
{
	if (d->flags_mask)
		draft_field(d, at, KEY_TCP_FLAGS, d->flags, d->flags_mask);
	d->flags = d->flags_mask = 0;
}

/* --- layers -------------------------------------------------------------------------------------- */

static const char *ip_name(uint8_t ip)
{
	return ip == 4 ? "IPv4" : "IPv6";
}

void draft_ip(struct draft *d, const struct place *at, uint8_t version)
{
	if (d->rule.ip && d->rule.ip != version)
		draft_mistake(d, at, "this is %s, but the rule said %s before", ip_name(version),
			      ip_name(d->rule.ip));
	else if (d->field[KEY_ETHERTYPE].mask)
		draft_mistake(d, at, "this is %s, but the rule said EtherType 0x%04" PRIx64 " before",
			      ip_name(version), d->field[KEY_ETHERTYPE].value);
	else
		d->rule.ip = version;
}

static void set_ethertype(struct draft *d, const struct place *at, uint64_t type)
{
	if (d->rule.ip)
		draft_mistake(d, at, "EtherType 0x%04" PRIx64 " in a rule that said %s before", type,
			      ip_name(d->rule.ip));
	else
		draft_field(d, at, KEY_ETHERTYPE, type, 0xffff);
}

void draft_ethertype(struct draft *d, const struct place *at, uint64_t type)
{
	if (type == 0x0800)
		draft_ip(d, at, 4);
	else if (type == 0x86dd)
		draft_ip(d, at, 6);
	else if (type == 0x8100 || type == 0x88a8)
		draft_mistake(d, at, "the EtherType that is compared stands behind all VLAN tags; write %s",
			      type == 0x8100 ? "vlan" : "svlan");
	else if (type < 0x600 || type > 0xffff)
		draft_mistake(d, at, "an EtherType is 0x600 to 0xffff, not 0x%" PRIx64, type);
	else
		set_ethertype(d, at, type);
}

/* A rule that names a protocol twice (`tcp ... proto 6`) says the same thing again. */
void draft_proto(struct draft *d, const struct place *at, uint64_t proto)
{
	draft_field(d, at, KEY_PROTO, proto, 0xff);
	if (proto == 1) {
		d->context = CONTEXT_ICMP;
		draft_ip(d, at, 4);
	} else if (proto == 58) {
		d->context = CONTEXT_ICMP6;
		draft_ip(d, at, 6);
	}
}

void draft_vlan(struct draft *d, const struct place *at, bool customer, bool provider)
{
	if (customer || !provider)
		draft_field(d, at, KEY_CVLAN, customer, 1);
	if (provider || !customer)
		draft_field(d, at, KEY_SVLAN, provider, 1);
	if (d->field[KEY_CVLAN].value && d->field[KEY_SVLAN].value)
		draft_mistake(d, at, "the first tag is either a customer's (vlan) or a provider's (svlan)");
}

void draft_vlan_part(struct draft *d, const struct place *at, enum rule_key key, uint64_t value)
{
	if (!d->field[KEY_CVLAN].value && !d->field[KEY_SVLAN].value)
		draft_mistake(d, at, "%s belongs behind vlan or svlan", keys[key].name);
	else
		draft_field(d, at, key, value, keys[key].max);
}

static void icmp_field(struct draft *d, const struct place *at, enum rule_key v4, enum rule_key v6,
		       uint64_t value)
{
	enum rule_key key = d->context == CONTEXT_ICMP6 ? v6 : v4;

	draft_field(d, at, key, value, keys[key].max);
}

void draft_type(struct draft *d, const struct place *at, const char *name, uint64_t value)
{
	bool v6 = d->context == CONTEXT_ICMP6;

	if (d->context == CONTEXT_NONE) {
		draft_mistake(d, at, "the type of what? Write eth type, icmp type or icmp6 type");
	} else if (d->context == CONTEXT_ETH) {
		if (name && !ethertype_number(name, &value))
			draft_mistake(d, at, "no EtherType is called \"%s\"; give its number", name);
		else
			draft_ethertype(d, at, value);
	} else if (name && !icmp_number(name, v6, &value)) {
		draft_mistake(d, at, "no %s type is called \"%s\"; give its number",
			      v6 ? "ICMPv6" : "ICMP", name);
	} else {
		icmp_field(d, at, KEY_ICMP_TYPE, KEY_ICMP6_TYPE, value);
	}
}

void draft_code(struct draft *d, const struct place *at, uint64_t value)
{
	if (d->context == CONTEXT_ICMP || d->context == CONTEXT_ICMP6)
		icmp_field(d, at, KEY_ICMP_CODE, KEY_ICMP6_CODE, value);
	else
		draft_mistake(d, at, "the code of what? It belongs behind icmp or icmp6");
}

/* --- addresses ----------------------------------------------------------------------------------- */

static unsigned int address_bits(const struct rule_prefix *p)
{
	return p->family == 4 ? 32 : 128;
}

/* Clears what is behind the prefix; true if something was there. */
static bool cut(struct rule_prefix *p)
{
	uint8_t before[16];

	memcpy(before, p->addr, sizeof(before));
	for (unsigned int i = 0; i < address_bits(p) / 8; i++) {
		int keep = p->bits - (int)i * 8;

		if (keep < 8)
			p->addr[i] &= (uint8_t)(keep <= 0 ? 0 : 0xff00 >> keep);
	}
	return memcmp(before, p->addr, sizeof(before)) != 0;
}

void draft_prefix(struct draft *d, const struct place *at, struct address *a, uint64_t bits)
{
	char meant[INET6_ADDRSTRLEN];

	if (bits > address_bits(&a->ip)) {
		draft_mistake(d, at, "an %s prefix has 0 to %u bits, not %" PRIu64,
			      ip_name(a->ip.family), address_bits(&a->ip), bits);
		return;
	}
	a->ip.bits = (uint8_t)bits;
	if (!cut(&a->ip))
		return;
	inet_ntop(a->ip.family == 4 ? AF_INET : AF_INET6, a->ip.addr, meant, sizeof(meant));
	draft_mistake(d, at, "the address has bits behind its prefix; write %s/%" PRIu64
			     " if the network is meant", meant, bits);
}

void draft_mac_mask(struct draft *d, const struct place *at, struct address *a, uint64_t mask)
{
	if (!mask)
		draft_mistake(d, at, "a mask of 0 compares nothing");
	else if (a->mac & ~mask)
		draft_mistake(d, at, "the MAC has bits that the mask leaves out");
	a->mac_mask = mask;
}

static struct rule_prefix *side_prefix(struct draft *d, enum draft_side side)
{
	return side == SIDE_SRC ? &d->rule.src : side == SIDE_DST ? &d->rule.dst : &d->rule.host;
}

void draft_address(struct draft *d, const struct place *at, enum draft_side side,
		   const struct address *a)
{
	static const char *const names[] = {"source", "destination", "host"};
	struct rule_prefix *p = side_prefix(d, side);

	if (!a->ip.family) {
		draft_field(d, at, side == SIDE_SRC ? KEY_SMAC : KEY_DMAC, a->mac, a->mac_mask);
		return;
	}
	draft_ip(d, at, a->ip.family);
	if (p->family)
		draft_mistake(d, at, "a second %s address in one rule", names[side]);
	*p = a->ip;
}

/* --- ports --------------------------------------------------------------------------------------- */

uint64_t draft_service(struct draft *d, const struct place *at, const char *name)
{
	uint64_t port = 0;

	if (!service_number(name, &port))
		draft_mistake(d, at, "no service is called \"%s\"; give its port's number", name);
	return port;
}

static bool room_for_range(struct draft *d)
{
	struct draft_ports *l = &d->ports;
	size_t room = l->room ? l->room * 2 : 4;
	struct rule_range *grown;

	if (l->n < l->room)
		return true;
	grown = arena_get(d->set->memory, room * sizeof(*grown));
	if (!grown) {
		d->no_memory = true;
		return false;
	}
	if (l->n)
		memcpy(grown, l->range, l->n * sizeof(*grown));
	l->range = grown;
	l->room = room;
	return true;
}

void draft_range(struct draft *d, const struct place *at, uint64_t first, uint64_t last)
{
	uint64_t worse = first > 65535 ? first : last;

	if (worse > 65535)
		draft_mistake(d, at, "a port is 0 to 65535, not %" PRIu64, worse);
	else if (first > last)
		draft_mistake(d, at, "a range goes upwards: %" PRIu64 "-%" PRIu64, last, first);
	else if (room_for_range(d))
		d->ports.range[d->ports.n++] = (struct rule_range){(uint16_t)first, (uint16_t)last};
}

static int by_first(const void *a, const void *b)
{
	const struct rule_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* Sorted, and what touches becomes one: 80,81 is 80-81. */
static size_t merge(struct rule_range *r, size_t n)
{
	size_t kept = 0;

	if (!n)
		return 0;
	qsort(r, n, sizeof(*r), by_first);
	for (size_t i = 1; i < n; i++)
		if (r[i].first > r[kept].last + 1)
			r[++kept] = r[i];
		else if (r[i].last > r[kept].last)
			r[kept].last = r[i].last;
	return kept + 1;
}

void draft_port_list(struct draft *d, const struct place *at, enum draft_side side)
{
	struct rule_ports *p = side == SIDE_SRC ? &d->rule.sport :
			       side == SIDE_DST ? &d->rule.dport :
						  &d->rule.port;

	if (p->n)
		draft_mistake(d, at, "a second list of these ports in one rule; write them as one: 80,443");
	p->n = merge(d->ports.range, d->ports.n);
	p->range = d->ports.range;
	d->ports = (struct draft_ports){0};
}

/* --- what becomes of the packet ------------------------------------------------------------------ */

void draft_queue(struct draft *d, const struct place *at, uint64_t queue)
{
	if (queue > QUEUE_MAX)
		draft_mistake(d, at, "a queue is 0 to %d, not %" PRIu64, QUEUE_MAX, queue);
	else if (d->rule.verdict != RULE_SEND)
		draft_mistake(d, at, "only a rule that begins with send has a queue");
	else if (d->rule.dir == RULE_OUT)
		draft_mistake(d, at, "a queue takes packets that come in; this rule is about those that go out");
	else if (d->has_queue)
		draft_mistake(d, at, "a second queue in one rule");
	d->rule.queue = (uint32_t)queue;
	d->has_queue = true;
}

void draft_tag(struct draft *d, const struct place *at, uint64_t tag)
{
	if (tag > TAG_MAX)
		draft_mistake(d, at, "a tag is 0 to %llu, not %" PRIu64, TAG_MAX, tag);
	else if (d->rule.verdict != RULE_SEND)
		draft_mistake(d, at, "a tag goes with a packet to a queue; this rule sends to none");
	else if (d->rule.has_tag)
		draft_mistake(d, at, "a second tag in one rule");
	d->rule.tag = (uint32_t)tag;
	d->rule.has_tag = true;
}

void draft_count(struct draft *d, const struct place *at)
{
	(void)at;
	d->rule.count = true;
}

/* --- the whole rule ------------------------------------------------------------------------------ */

static bool has_ports(const struct rule *r)
{
	return r->sport.n || r->dport.n || r->port.n;
}

static void settle_l4(struct draft *d, const struct place *at)
{
	struct rule_field *proto = &d->field[KEY_PROTO];
	bool flags = d->field[KEY_TCP_FLAGS].mask != 0;

	if (proto->mask && (proto->value == L4_TCP || proto->value == L4_UDP)) {
		d->rule.l4 = (enum rule_l4)proto->value;
		proto->mask = 0;
	} else if (proto->mask && (has_ports(&d->rule) || flags)) {
		draft_mistake(d, at, "%s go with tcp%s, not with protocol %" PRIu64,
			      flags ? "flags" : "ports", flags ? "" : " or udp", proto->value);
	} else if (flags) {
		d->rule.l4 = L4_TCP;
	} else if (has_ports(&d->rule)) {
		d->rule.l4 = L4_TCP_OR_UDP;
	}
	if (flags && d->rule.l4 == L4_UDP)
		draft_mistake(d, at, "UDP has no flags");
}

static void settle_ip(struct draft *d, const struct place *at)
{
	static const enum rule_key of_ip[] = {KEY_PROTO, KEY_DSCP, KEY_ECN, KEY_TTL, KEY_FRAGMENT};
	bool needed = d->rule.l4 != L4_ANY;

	if (d->field[KEY_FLOWLABEL].mask)
		draft_ip(d, at, 6);
	for (size_t i = 0; i < sizeof(of_ip) / sizeof(of_ip[0]); i++)
		needed |= d->field[of_ip[i]].mask != 0;
	if (needed && d->field[KEY_ETHERTYPE].mask)
		draft_mistake(d, at, "the rule wants something of IP and EtherType 0x%04" PRIx64,
			      d->field[KEY_ETHERTYPE].value);
	if (needed && !d->rule.ip)
		d->rule.ip = RULE_IP;
}

static void settle(struct draft *d, const struct place *at)
{
	settle_l4(d, at);
	settle_ip(d, at);
	if (d->rule.verdict == RULE_SEND && !d->has_queue)
		draft_mistake(d, at, "send to which queue? Write `to queue 0' behind the matches");
	if (d->field[KEY_VPORT].mask && d->rule.dir == RULE_OUT)
		draft_mistake(d, at, "vport is where a packet came from; this rule is about those that go out");
	if (d->field[KEY_SQN].mask && d->rule.dir == RULE_IN)
		draft_mistake(d, at, "sqn is the queue that sent the packet; this rule is about those that come in");
}

static bool keep_fields(struct draft *d)
{
	struct rule_field *kept;
	size_t n = 0;

	for (int k = 0; k < RULE_KEYS; k++)
		n += d->field[k].mask != 0;
	kept = arena_get(d->set->memory, n * sizeof(*kept));
	if (!kept)
		return false;
	d->rule.field = kept;
	d->rule.nfields = n;
	for (int k = 0; k < RULE_KEYS; k++)
		if (d->field[k].mask)
			*kept++ = d->field[k];
	return true;
}

/* The rule's own words, with one blank between them. */
static bool keep_text(struct draft *d, const struct place *at)
{
	const char *p = d->text + at->first_byte, *end = d->text + at->end_byte;
	char *out = arena_get(d->set->memory, at->end_byte - at->first_byte + 1);
	bool blank = false;

	if (!out)
		return false;
	d->rule.text = out;
	for (; p < end; p++) {
		if (strchr(" \t\r\f\n\\", *p)) {
			blank = true;
			continue;
		}
		if (blank)
			*out++ = ' ';
		blank = false;
		*out++ = *p;
	}
	return true;
}

static bool room_for_rule(struct draft *d)
{
	size_t room = d->room ? d->room * 2 : 16;
	struct rule *grown;

	if (d->set->n < d->room)
		return true;
	grown = reallocarray(d->set->rule, room, sizeof(*grown));
	if (!grown)
		return false;
	d->set->rule = grown;
	d->room = room;
	return true;
}

void draft_end(struct draft *d, const struct place *at)
{
	if (!d->bad)
		settle(d, at);
	if (d->bad || d->mistakes)
		return;
	d->rule.line = at->first_line;
	if (keep_fields(d) && keep_text(d, at) && room_for_rule(d))
		d->set->rule[d->set->n++] = d->rule;
	else
		d->no_memory = true;
}

void ruleset_free(struct ruleset *set)
{
	free(set->rule);
	arena_free(set->memory);
	*set = (struct ruleset){0};
}
