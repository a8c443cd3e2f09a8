/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compile.h"
#include "draft.h"
#include "words.h"

#define TAG_MAX 0xffffffull

void draft_level(struct draft *d, bool inner)
{
	d->h = inner ? &d->inner : &d->rule.outer;
	d->context = CONTEXT_NONE;
}

bool draft_inner(const struct draft *d)
{
	return d->h == &d->inner;
}

struct rule_field *draft_said(struct draft *d, enum rule_key key)
{
	return &d->field[draft_inner(d) && key < KEY_PER_LEVEL ? KEY_INNER(key) : key];
}

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

static uint16_t clip(uint32_t v)
{
	return (uint16_t)(v > UINT16_MAX ? UINT16_MAX : v);
}

struct spot draft_spot(const struct draft *d, const struct place *at)
{
	return (struct spot){clip(at->first_line - d->rule.line), clip(at->first_column)};
}

void draft_begin(struct draft *d, const struct place *at, enum rule_verdict verdict, bool count)
{
	d->rule = (struct rule){.verdict = verdict, .line = at->first_line};
	d->rule.at = draft_spot(d, at);
	if (count)
		draft_count(d, at);
	d->inner = (struct rule_headers){0};
	draft_level(d, false);
	memset(d->field, 0, sizeof(d->field));
	d->context = CONTEXT_NONE;
	d->bad = d->has_queue = d->asks_inner = false;
	d->ports = (struct draft_ports){0};
	d->nets = (struct draft_nets){0};
	d->flags = d->flags_mask = 0;
	d->tunnel = TUNNEL_NONE;
}

void draft_direction(struct draft *d, const struct place *at, enum rule_dir dir)
{
	d->rule.dir_at = draft_spot(d, at);
	d->rule.dir = dir;
}

/* --- numbers ----------------------------------------------------------------------------------- */

static const char *an(const char *noun)
{
	return strchr("AEIOUaeiou", noun[0]) ? "an" : "a";
}

static bool draft_fits(struct draft *d, const struct place *at, enum rule_key key, uint64_t v)
{
	if (v <= match_key_max(key))
		return true;
	draft_mistake(d, at, "%s %s is 0 to %" PRIu64 ", not %" PRIu64, an(match_keys[key].noun),
		      match_keys[key].noun, match_key_max(key), v);
	return false;
}

void draft_field(struct draft *d, const struct place *at, enum rule_key key, uint64_t value,
		 uint64_t mask)
{
	struct rule_field *f = draft_said(d, key);

	if (!draft_fits(d, at, key, value))
		return;
	if (mask == UINT64_MAX)
		mask = match_key_max(key);
	if (mask > match_key_max(key))
		draft_mistake(d, at, "the mask of %s %s has no bit above 0x%" PRIx64,
			      an(match_keys[key].noun), match_keys[key].noun, match_key_max(key));
	else if (!mask)
		draft_mistake(d, at, "a mask of 0 compares nothing");
	else if (f->mask && (f->value != value || f->mask != mask))
		draft_mistake(d, at, "a second %s in one rule", match_keys[key].noun);
	else
		*f = (struct rule_field){(enum rule_key)(f - d->field),
					 f->mask ? f->at : draft_spot(d, at), value, mask};
}

void draft_vport(struct draft *d, const struct place *at, uint64_t vport)
{
	if (d->rule.dir == RULE_OUT)
		draft_mistake(
			d, at,
			"vport is where a packet came from; this rule is about those that go out");
	else
		draft_field(d, at, KEY_VPORT, vport, UINT64_MAX);
}

void draft_sqn(struct draft *d, const struct place *at, uint64_t sqn)
{
	if (d->rule.dir == RULE_IN)
		draft_mistake(d, at,
			      "sqn is the queue that sent the packet; this rule is about those "
			      "that come in");
	else
		draft_field(d, at, KEY_SQN, sqn, UINT64_MAX);
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
		draft_mistake(d, at,
			      "no TCP flag is called \"%s\"; there are fin, syn, rst, psh, ack, "
			      "urg, ece, cwr and ns",
			      name);
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

/* --- layers ------------------------------------------------------------------------------------ */

const char *draft_ip_name(uint8_t ip)
{
	return ip == 4 ? "IPv4" : "IPv6";
}

void draft_ip(struct draft *d, const struct place *at, uint8_t version)
{
	if (d->h->ip && d->h->ip != version)
		draft_mistake(d, at, "this is %s, but the rule said %s before",
			      draft_ip_name(version), draft_ip_name(d->h->ip));
	else if (draft_not_ip(d))
		draft_mistake(d, at,
			      "this is %s, but the rule said EtherType 0x%04" PRIx64 " before",
			      draft_ip_name(version), draft_said(d, KEY_ETHERTYPE)->value);
	else if (!d->h->ip) {
		d->h->ip = version;
		d->h->ip_at = draft_spot(d, at);
	}
}

static void set_ethertype(struct draft *d, const struct place *at, uint64_t type)
{
	if (d->h->ip && type != TYPE_MPLS)
		draft_mistake(d, at, "EtherType 0x%04" PRIx64 " in a rule that said %s before",
			      type, draft_ip_name(d->h->ip));
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
		draft_mistake(
			d, at,
			"the EtherType that is compared stands behind all VLAN tags; write %s",
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
	if (draft_said(d, KEY_CVLAN)->value && draft_said(d, KEY_SVLAN)->value)
		draft_mistake(
			d, at,
			"the first tag is either a customer's (vlan) or a provider's (svlan)");
}

void draft_vlan_word(struct draft *d, const struct place *at, bool says_vlan)
{
	if (says_vlan && !draft_said(d, KEY_CVLAN)->mask && !draft_said(d, KEY_SVLAN)->mask)
		draft_vlan(d, at, true, false);
}

void draft_vlan_part(struct draft *d, const struct place *at, enum rule_key key, uint64_t value)
{
	if (!draft_said(d, KEY_CVLAN)->value && !draft_said(d, KEY_SVLAN)->value)
		draft_mistake(d, at, "%s belongs behind vlan or svlan", match_keys[key].noun);
	else
		draft_field(d, at, key, value, match_key_max(key));
}

static void icmp_field(struct draft *d, const struct place *at, enum rule_key v4, enum rule_key v6,
		       uint64_t value)
{
	enum rule_key key = d->context == CONTEXT_ICMP6 ? v6 : v4;

	if (draft_only_outer(d, at, match_keys[key].noun))
		draft_field(d, at, key, value, match_key_max(key));
}

void draft_protocol(struct draft *d, const struct place *at, const char *name, uint64_t value)
{
	if (name ? ethertype_number(name, &value) : value >= 0x600)
		draft_ethertype(d, at, value);
	else if (name && !proto_number(name, &value))
		draft_mistake(d, at, "no protocol is called \"%s\"; give its number", name);
	else
		draft_proto(d, at, value);
}

void draft_type(struct draft *d, const struct place *at, const char *name, uint64_t value)
{
	bool v6 = d->context == CONTEXT_ICMP6;

	if (d->context == CONTEXT_NONE) {
		draft_mistake(d, at, "the type of what? Write eth type, icmp type or icmp6 type");
	} else if (d->context == CONTEXT_ETH) {
		if (name && !ethertype_number(name, &value))
			draft_mistake(d, at, "no EtherType is called \"%s\"; give its number",
				      name);
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

/* --- what becomes of the packet ---------------------------------------------------------------- */

void draft_queue(struct draft *d, const struct place *at, uint64_t queue)
{
	if (queue >= QUEUES_MAX)
		draft_mistake(d, at, "a queue is 0 to %u, not %" PRIu64, QUEUES_MAX - 1, queue);
	else if (d->rule.verdict != RULE_SEND)
		draft_mistake(d, at, "only a rule that begins with send has a queue");
	else if (d->rule.dir == RULE_OUT)
		draft_mistake(
			d, at,
			"a queue takes packets that come in; this rule is about those that go out");
	else if (d->has_queue)
		draft_mistake(d, at, "a second queue in one rule");
	d->rule.queue = (uint32_t)queue;
	d->rule.queue_at = draft_spot(d, at);
	d->has_queue = true;
}

void draft_tag(struct draft *d, const struct place *at, uint64_t tag)
{
	if (tag > TAG_MAX)
		draft_mistake(d, at, "a tag is 0 to %llu, not %" PRIu64, TAG_MAX, tag);
	else if (d->rule.verdict != RULE_SEND)
		draft_mistake(d, at,
			      "a tag goes with a packet to a queue; this rule sends to none");
	else if (d->rule.has_tag)
		draft_mistake(d, at, "a second tag in one rule");
	d->rule.tag = (uint32_t)tag;
	d->rule.tag_at = draft_spot(d, at);
	d->rule.has_tag = true;
}

void draft_count(struct draft *d, const struct place *at)
{
	if (!d->rule.count)
		d->rule.count_at = draft_spot(d, at);
	d->rule.count = true;
}
