/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compile.h"
#include "parse.h"
#include "words.h"

#define TAG_MAX 0xffffffull

void parse_level(struct rule_parser *ps, bool inner)
{
	parse_group_end(ps);
	ps->is_inner = inner;
	ps->h = inner ? &ps->inner : &ps->rule.outer;
	ps->context = CONTEXT_NONE;
}

bool parse_is_inner(const struct rule_parser *ps)
{
	return ps->is_inner;
}

enum rule_key parse_key(const struct rule_parser *ps, enum rule_key key)
{
	return parse_is_inner(ps) && key < KEY_PER_LEVEL ? KEY_INNER(key) : key;
}

struct rule_field *rule_field_of(struct rule_parser *ps, enum rule_key key)
{
	return &(ps->group.active ? ps->group.field : ps->field)[parse_key(ps, key)];
}

struct parse_aside parse_aside(struct rule_parser *ps)
{
	struct parse_aside a = {ps->values, ps->not_value};

	ps->values = (struct parse_values){0};
	ps->not_value = false;
	return a;
}

void parse_resume(struct rule_parser *ps, const struct parse_aside *a)
{
	ps->values = a->values;
	ps->not_value = a->not_value;
}

static void find_line(const struct rule_parser *ps, size_t byte, struct mistake *m)
{
	size_t from = byte, to = byte;

	while (from && ps->text[from - 1] != '\n')
		from--;
	while (to < ps->len && ps->text[to] != '\n')
		to++;
	m->source = ps->text + from;
	m->source_len = to - from;
}

void parse_mistake(struct rule_parser *ps, const struct source_range *at, const char *fmt, ...)
{
	struct mistake m = {.line = at->first_line, .column = at->first_column, .width = 1};
	va_list ap;

	ps->bad = true;
	if (ps->mistakes == MISTAKES_MAX)
		return;
	ps->mistakes++;
	if (at->last_line == at->first_line && at->last_column > at->first_column)
		m.width = at->last_column - at->first_column;
	va_start(ap, fmt);
	vsnprintf(m.text, sizeof(m.text), fmt, ap);
	va_end(ap);
	find_line(ps, at->first_byte, &m);
	if (ps->report)
		ps->report(ps->report_arg, &m);
}

static uint16_t clip(uint32_t v)
{
	return (uint16_t)(v > UINT16_MAX ? UINT16_MAX : v);
}

struct source_location parse_location(const struct rule_parser *ps, const struct source_range *at)
{
	return (struct source_location){clip(at->first_line - ps->rule.line),
					clip(at->first_column)};
}

/* Clears the last rule's fields, of which it names few. */
static void parse_forget(struct rule_parser *ps)
{
	for (unsigned int word = 0; word < KEY_SET_WORDS; word++) {
		for (uint64_t left = ps->used_keys[word]; left; left &= left - 1)
			ps->field[parse_set_key(word, left)] = (struct rule_field){0};
		ps->used_keys[word] = 0;
	}
}

void parse_begin(struct rule_parser *ps, const struct source_range *at, enum rule_verdict verdict,
		 bool count)
{
	ps->rule = (struct rule){.verdict = verdict, .line = at->first_line, .table = ps->in_table};
	ps->rule.at = parse_location(ps, at);
	if (count)
		parse_count(ps, at);
	ps->inner = (struct rule_headers){0};
	ps->group.active = ps->group.empty = ps->not_value = false;
	ps->excepts = (struct parse_excepts){0};
	memset(ps->needs, 0, sizeof(ps->needs));
	parse_level(ps, false);
	parse_forget(ps);
	ps->context = CONTEXT_NONE;
	ps->bad = ps->has_inner = false;
	ps->ports = (struct parse_ports){0};
	ps->nets = (struct parse_nets){0};
	ps->values = (struct parse_values){0};
	ps->flags = ps->flags_mask = 0;
	ps->tunnel = TUNNEL_NONE;
	parse_begin_changes(ps);
	parse_begin_to(ps);
}

void parse_direction(struct rule_parser *ps, const struct source_range *at, enum rule_dir dir)
{
	ps->rule.dir_at = parse_location(ps, at);
	ps->rule.dir = dir;
}

/* --- numbers --------------------------------------------------------------------------------- */

void parse_value(struct rule_parser *ps, uint64_t value, uint64_t mask)
{
	struct parse_values *l = &ps->values;
	struct rule_value *grown = parse_one_more(ps, l->value, l->n, &l->room, sizeof(*grown));

	if (!grown)
		return;
	l->value = grown;
	l->value[l->n++] = (struct rule_value){value, mask};
}

static const char *an(const char *noun)
{
	return strchr("AEIOUaeiou", noun[0]) ? "an" : "a";
}

static bool parse_fits(struct rule_parser *ps, const struct source_range *at, enum rule_key key,
		       uint64_t v)
{
	if (v <= match_key_max(key))
		return true;
	parse_mistake(ps, at, "%s %s is 0 to %" PRIu64 ", not %" PRIu64, an(match_keys[key].noun),
		      match_keys[key].noun, match_key_max(key), v);
	return false;
}

static bool parse_mask_fits(struct rule_parser *ps, const struct source_range *at,
			    enum rule_key key, uint64_t mask)
{
	if (!mask)
		parse_mistake(ps, at, "a mask of 0 compares nothing");
	else if (mask > match_key_max(key))
		parse_mistake(ps, at, "the mask of %s %s has no bit above 0x%" PRIx64,
			      an(match_keys[key].noun), match_keys[key].noun, match_key_max(key));
	return mask && mask <= match_key_max(key);
}

static bool same_values(const struct rule_field *a, const struct rule_field *b)
{
	return a->value == b->value && a->mask == b->mask && a->nmore == b->nmore &&
	       (!a->nmore || !memcmp(a->more, b->more, a->nmore * sizeof(*a->more)));
}

/* Completes the masks of a list's values. Returns whether they fit the field. */
static bool list_fits(struct rule_parser *ps, const struct source_range *at, enum rule_key key,
		      const struct parse_values *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->value[i].mask == UINT64_MAX)
			l->value[i].mask = match_key_max(key);
		if (!parse_fits(ps, at, key, l->value[i].value) ||
		    !parse_mask_fits(ps, at, key, l->value[i].mask))
			return false;
	}
	return l->n; /* 0: no memory */
}

static void field_keep(struct rule_parser *ps, const struct source_range *at, enum rule_key key,
		       const struct parse_values *l)
{
	struct rule_field *f = rule_field_of(ps, key), given = {.key = parse_key(ps, key)};

	given.at = f->mask ? f->at : parse_location(ps, at);
	given.value = l->value[0].value;
	given.mask = l->value[0].mask;
	given.more = l->value + 1;
	given.nmore = l->n - 1;
	if (f->mask && !same_values(f, &given))
		parse_mistake(ps, at, "a second %s in one rule", match_keys[key].noun);
	else
		*f = given;
	if (!ps->group.active)
		ps->used_keys[given.key / 64] |= 1ull << given.key % 64;
}

void parse_field_list(struct rule_parser *ps, const struct source_range *at, enum rule_key key)
{
	struct parse_values l = ps->values;
	bool negated = parse_begin_value(ps);

	ps->values = (struct parse_values){0};
	if (list_fits(ps, at, key, &l))
		field_keep(ps, at, key, &l);
	if (negated)
		parse_group_end(ps);
}

void parse_field(struct rule_parser *ps, const struct source_range *at, enum rule_key key,
		 uint64_t value, uint64_t mask)
{
	parse_value(ps, value, mask);
	parse_field_list(ps, at, key);
}

void parse_vport(struct rule_parser *ps, const struct source_range *at, uint64_t vport)
{
	if (ps->rule.dir == RULE_OUT)
		parse_mistake(
			ps, at,
			"vport is the origin of incoming packets; this rule is for outgoing ones");
	else
		parse_field(ps, at, KEY_VPORT, vport, UINT64_MAX);
}

void parse_sqn(struct rule_parser *ps, const struct source_range *at, uint64_t sqn)
{
	if (ps->rule.dir == RULE_IN)
		parse_mistake(ps, at,
			      "sqn is the send queue of outgoing packets; this rule is for "
			      "incoming ones");
	else
		parse_field(ps, at, KEY_SQN, sqn, UINT64_MAX);
}

void parse_tos(struct rule_parser *ps, const struct source_range *at, uint64_t value, uint64_t mask)
{
	if (mask == UINT64_MAX)
		mask = 0xff;
	if (value > 0xff || mask > 0xff || !mask) {
		parse_mistake(ps, at, "a TOS is 0 to 255, its mask 1 to 255");
		return;
	}
	if (mask >> 2)
		parse_field(ps, at, KEY_DSCP, value >> 2, mask >> 2);
	if (mask & 3)
		parse_field(ps, at, KEY_ECN, value & 3, mask & 3);
}

void parse_flag(struct rule_parser *ps, const struct source_range *at, const char *name, bool set)
{
	uint64_t bit;

	if (!flag_number(name, &bit)) {
		parse_mistake(ps, at,
			      "no TCP flag is called \"%s\"; there are fin, syn, rst, psh, ack, "
			      "urg, ece, cwr and ns",
			      name);
		return;
	}
	if (ps->flags_mask & bit && !(ps->flags & bit) == set)
		parse_mistake(ps, at, "the flag %s cannot be both set and clear", name);
	ps->flags_mask |= bit;
	if (set)
		ps->flags |= bit;
}

void parse_flags(struct rule_parser *ps, const struct source_range *at)
{
	if (ps->flags_mask)
		parse_field(ps, at, KEY_TCP_FLAGS, ps->flags, ps->flags_mask);
	ps->flags = ps->flags_mask = 0;
}

/* --- layers ---------------------------------------------------------------------------------- */

const char *parse_ip_name(uint8_t ip)
{
	return ip == 4 ? "IPv4" : "IPv6";
}

void parse_ip(struct rule_parser *ps, const struct source_range *at, uint8_t version)
{
	if (ps->h->ip && ps->h->ip != version)
		parse_mistake(ps, at, "this is %s, but the rule said %s before",
			      parse_ip_name(version), parse_ip_name(ps->h->ip));
	else if (parse_not_ip(ps, version))
		parse_mistake(ps, at,
			      "this is %s, but the rule said EtherType 0x%04" PRIx64 " before",
			      parse_ip_name(version), rule_field_of(ps, KEY_ETHERTYPE)->value);
	else if (!ps->h->ip) {
		ps->h->ip = version;
		ps->h->ip_at = parse_location(ps, at);
	}
}

static void set_ethertype(struct rule_parser *ps, const struct source_range *at, uint64_t type)
{
	if (ps->h->ip && type != TYPE_MPLS && parse_type_version(type) != ps->h->ip)
		parse_mistake(ps, at, "EtherType 0x%04" PRIx64 " in a rule that said %s before",
			      type, parse_ip_name(ps->h->ip));
	else
		parse_field(ps, at, KEY_ETHERTYPE, type, 0xffff);
}

void parse_ethertype(struct rule_parser *ps, const struct source_range *at, uint64_t type)
{
	if (type == 0x8100 || type == 0x88a8)
		parse_mistake(ps, at, "the EtherType behind all VLAN tags is compared; write %s",
			      type == 0x8100 ? "vlan" : "svlan");
	else if (type < 0x600 || type > 0xffff)
		parse_mistake(ps, at, "an EtherType is 0x600 to 0xffff, not 0x%" PRIx64, type);
	else
		set_ethertype(ps, at, type);
}

/* Sets the protocol. A rule may name the same one twice (`tcp ... proto 6`). */
void parse_proto(struct rule_parser *ps, const struct source_range *at, uint64_t proto)
{
	bool negated = parse_begin_value(ps);

	parse_field(ps, at, KEY_PROTO, proto, 0xff);
	if (proto == 1) {
		ps->context = CONTEXT_ICMP;
		parse_ip(ps, at, 4);
	} else if (proto == 58) {
		ps->context = CONTEXT_ICMP6;
		parse_ip(ps, at, 6);
	}
	if (negated) {
		ps->group.chain = true;
		ps->group.scope = SCOPE_L4;
		parse_group_end(ps);
	}
}

/* Returns the second tag's key for one of the first tag. */
static enum rule_key second_tag(enum rule_key key)
{
	_Static_assert(KEY_VLAN_PCP - KEY_CVLAN == KEY_VLAN2_PCP - KEY_CVLAN2, "the same order");
	return (enum rule_key)(key + KEY_CVLAN2 - KEY_CVLAN);
}

static bool parse_has_tag(struct rule_parser *ps, enum rule_key cvlan, enum rule_key svlan)
{
	return ps->field[parse_key(ps, cvlan)].value || ps->field[parse_key(ps, svlan)].value ||
	       rule_field_of(ps, cvlan)->value || rule_field_of(ps, svlan)->value;
}

/* Returns how many VLAN tags the rule names so far at this level, negated or not. */
static unsigned int vlan_tags(struct rule_parser *ps)
{
	return parse_has_tag(ps, KEY_CVLAN2, KEY_SVLAN2) ? 2
							 : parse_has_tag(ps, KEY_CVLAN, KEY_SVLAN);
}

/* Takes vlan or svlan. Neither customer nor provider: there is no first tag. */
void parse_vlan(struct rule_parser *ps, const struct source_range *at, bool customer, bool provider)
{
	enum rule_key kind = customer ? KEY_CVLAN : KEY_SVLAN;
	unsigned int tags = vlan_tags(ps);

	if (tags > 1) {
		parse_mistake(ps, at, "a rule names at most two VLAN tags");
	} else if (customer || provider) {
		parse_field(ps, at, tags ? second_tag(kind) : kind, 1, 1);
	} else {
		parse_field(ps, at, KEY_CVLAN, 0, 1);
		parse_field(ps, at, KEY_SVLAN, 0, 1);
	}
}

static void parse_no_second_tag(struct rule_parser *ps, const struct source_range *at)
{
	parse_field(ps, at, KEY_CVLAN2, 0, 1);
	parse_field(ps, at, KEY_SVLAN2, 0, 1);
}

void parse_vlan_count(struct rule_parser *ps, const struct source_range *at, uint64_t tags)
{
	if (tags > 2)
		parse_mistake(ps, at, "the device sees two VLAN tags");
	else if (!tags)
		parse_vlan(ps, at, false, false);
	else if (vlan_tags(ps) != tags)
		parse_mistake(ps, at,
			      "num_of_vlans %u belongs behind %s, which say the tags' types",
			      (unsigned int)tags,
			      tags == 1 ? "vlan or svlan" : "two words vlan or svlan");
	else if (tags == 1 && parse_is_negated(ps))
		parse_mistake(ps, at, "num_of_vlans cannot be negated");
	else if (tags == 1)
		parse_no_second_tag(ps, at);
}

/* Takes a range of the number of tags: 0-1, the only possible one, means no second tag. */
void parse_vlan_counts(struct rule_parser *ps, const struct source_range *at, uint64_t least,
		       uint64_t most)
{
	if (least != 0 || most != 1)
		parse_mistake(ps, at, "num_of_vlans is 0, 1, 2 or 0-1");
	else if (parse_is_negated(ps))
		parse_mistake(ps, at, "num_of_vlans cannot be negated");
	else
		parse_no_second_tag(ps, at);
}

void parse_native(struct rule_parser *ps, const struct source_range *at)
{
	if (parse_is_negated(ps))
		parse_mistake(ps, at, "native cannot be negated: write `vlan != 0'");
	else if (parse_only_outer(ps, at, "native"))
		ps->rule.native = true;
}

void parse_vlan_word(struct rule_parser *ps, const struct source_range *at, bool names_vlan)
{
	struct parse_aside given = parse_aside(ps);

	parse_target(ps, SCOPE_VLAN, false);
	if (names_vlan && !vlan_tags(ps) && !rule_field_of(ps, KEY_CVLAN)->mask)
		parse_vlan(ps, at, true, false);
	parse_resume(ps, &given);
}

void parse_vlan_list(struct rule_parser *ps, const struct source_range *at, enum rule_key key)
{
	unsigned int tags = vlan_tags(ps);

	if (!tags)
		parse_mistake(ps, at, "%s belongs behind vlan or svlan", match_keys[key].noun);
	else
		parse_field_list(ps, at, tags > 1 ? second_tag(key) : key);
}

void parse_tag_list(struct rule_parser *ps, const struct source_range *word,
		    const struct source_range *ids, bool customer)
{
	struct parse_aside outer = parse_aside(ps);

	parse_vlan(ps, word, customer, !customer);
	parse_resume(ps, &outer);
	parse_vlan_list(ps, ids, KEY_VLAN_ID);
}

static void icmp_field(struct rule_parser *ps, const struct source_range *at, enum rule_key v4,
		       enum rule_key v6, uint64_t value)
{
	enum rule_key key = ps->context == CONTEXT_ICMP6 ? v6 : v4;

	if (parse_only_outer(ps, at, match_keys[key].noun))
		parse_field(ps, at, key, value, match_key_max(key));
}

void parse_protocol(struct rule_parser *ps, const struct source_range *at, const char *name,
		    uint64_t value)
{
	bool type = name ? ethertype_number(name, &value) : value >= 0x600;

	parse_target(ps, type ? SCOPE_ONE : SCOPE_L4, !type);
	if (type)
		parse_ethertype(ps, at, value);
	else if (name && !proto_number(name, &value))
		parse_mistake(ps, at, "no protocol is called \"%s\"; give its number", name);
	else
		parse_proto(ps, at, value);
}

void parse_type(struct rule_parser *ps, const struct source_range *at, const char *name,
		uint64_t value)
{
	bool v6 = ps->context == CONTEXT_ICMP6;

	parse_target(ps, ps->context == CONTEXT_ETH ? SCOPE_ONE : SCOPE_L4, false);
	if (ps->context == CONTEXT_NONE) {
		parse_mistake(ps, at,
			      "type needs a protocol before it: eth type, icmp type or icmp6 type");
	} else if (ps->context == CONTEXT_ETH) {
		if (name && !ethertype_number(name, &value))
			parse_mistake(ps, at, "no EtherType is called \"%s\"; give its number",
				      name);
		else
			parse_ethertype(ps, at, value);
	} else if (name && !icmp_number(name, v6, &value)) {
		parse_mistake(ps, at, "no %s type is called \"%s\"; give its number",
			      v6 ? "ICMPv6" : "ICMP", name);
	} else {
		icmp_field(ps, at, KEY_ICMP_TYPE, KEY_ICMP6_TYPE, value);
	}
}

void parse_code(struct rule_parser *ps, const struct source_range *at, uint64_t value)
{
	parse_target(ps, SCOPE_L4, false);
	if (ps->context == CONTEXT_ICMP || ps->context == CONTEXT_ICMP6)
		icmp_field(ps, at, KEY_ICMP_CODE, KEY_ICMP6_CODE, value);
	else
		parse_mistake(ps, at, "code belongs behind icmp or icmp6");
}

/* --- modifiers ------------------------------------------------------------------------------ */

void parse_tag(struct rule_parser *ps, const struct source_range *at, uint64_t tag)
{
	if (tag > TAG_MAX)
		parse_mistake(ps, at, "a tag is 0 to %llu, not %" PRIu64, TAG_MAX, tag);
	else if (ps->rule.verdict != RULE_SEND && ps->rule.verdict != RULE_GOTO)
		parse_mistake(ps, at, "only a rule that begins with send has a tag");
	else if (ps->rule.has_tag)
		parse_mistake(ps, at, "a second tag in one rule");
	ps->rule.tag = (uint32_t)tag;
	ps->rule.tag_at = parse_location(ps, at);
	ps->rule.has_tag = true;
}

void parse_count(struct rule_parser *ps, const struct source_range *at)
{
	if (!ps->rule.count)
		ps->rule.count_at = parse_location(ps, at);
	ps->rule.count = true;
}
