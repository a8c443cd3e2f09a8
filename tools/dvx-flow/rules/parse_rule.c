/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a rule: adds matches that its words imply, and refuses contradictions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "parse.h"

static bool has_ports(const struct rule_headers *r)
{
	return r->sport.n || r->dport.n || r->port.n;
}

void parse_settle_l4(struct rule_parser *ps, const struct source_range *at)
{
	struct rule_field *proto = rule_field_of(ps, KEY_PROTO);
	const struct parse_needs *needs = &ps->needs[parse_is_inner(ps)];
	bool flags = rule_field_of(ps, KEY_TCP_FLAGS)->mask || (needs->flags && !ps->group.active);
	bool ports = has_ports(ps->h) || (needs->ports && !ps->group.active);

	if (proto->mask && (proto->value == L4_TCP || proto->value == L4_UDP)) {
		ps->h->l4 = (enum rule_l4)proto->value;
		ps->h->l4_at = proto->at;
		proto->mask = 0;
	} else if (proto->mask && (ports || flags)) {
		parse_mistake(ps, at, "%s go with tcp%s, not with protocol %" PRIu64,
			      flags ? "flags" : "ports", flags ? "" : " or udp", proto->value);
	} else if (flags) {
		ps->h->l4 = L4_TCP;
	} else if (ports) {
		ps->h->l4 = L4_TCP_OR_UDP;
	}
	if (flags && ps->h->l4 == L4_UDP)
		parse_mistake(ps, at, "UDP has no flags");
}

bool parse_has_ip_field(const struct rule_parser *ps, const struct rule_field field[RULE_KEYS])
{
	static const enum rule_key of_ip[] = {KEY_PROTO, KEY_DSCP, KEY_ECN, KEY_TTL, KEY_FRAGMENT};
	bool has = false;

	for (size_t i = 0; i < sizeof(of_ip) / sizeof(of_ip[0]); i++)
		has |= field[parse_key(ps, of_ip[i])].mask != 0;
	return has;
}

static void settle_ip(struct rule_parser *ps, const struct source_range *at)
{
	bool needed = ps->h->l4 != L4_ANY || ps->needs[parse_is_inner(ps)].ip ||
		      parse_has_ip_field(ps, ps->field);

	if (needed && parse_not_ip(ps, 0))
		parse_mistake(ps, at, "the rule matches an IP field and EtherType 0x%04" PRIx64,
			      rule_field_of(ps, KEY_ETHERTYPE)->value);
	if (needed && !ps->h->ip)
		ps->h->ip = parse_type_version(rule_field_of(ps, KEY_ETHERTYPE)->value);
	if (needed && !ps->h->ip)
		ps->h->ip = RULE_IP;
}

static void settle_native(struct rule_parser *ps, const struct source_range *at)
{
	uint64_t compared = 0;

	for (int k = KEY_CVLAN; k <= KEY_VLAN_PCP; k++)
		compared |= ps->field[k].mask;
	for (int k = KEY_CVLAN2; k <= KEY_VLAN2_PCP; k++)
		compared |= ps->field[k].mask;
	if (ps->rule.native && compared)
		parse_mistake(ps, at,
			      "native says which VLAN tags there are; another word of the rule "
			      "does, too");
}

static void parse_settle(struct rule_parser *ps, const struct source_range *at)
{
	parse_level(ps, false);
	settle_native(ps, at);
	parse_settle_tunnel(ps, at);
	parse_settle_l4(ps, at);
	settle_ip(ps, at);
	if (ps->has_inner) {
		parse_level(ps, true);
		parse_settle_l4(ps, at);
		settle_ip(ps, at);
		parse_settle_inner(ps, at);
	}
	parse_settle_changes(ps);
	parse_settle_to(ps, at);
}

/* Copies the rule's fields, in the order of their keys. out may be NULL. */
static size_t parse_set_fields(const struct rule_parser *ps, struct rule_field *out)
{
	size_t n = 0;

	for (unsigned int word = 0; word < KEY_SET_WORDS; word++)
		for (uint64_t left = ps->used_keys[word]; left; left &= left - 1) {
			const struct rule_field *f = &ps->field[parse_set_key(word, left)];

			if (f->mask && out)
				out[n] = *f;
			n += f->mask != 0;
		}
	return n;
}

static bool keep_fields(struct rule_parser *ps)
{
	size_t n = parse_set_fields(ps, NULL);
	struct rule_field *kept = arena_get(ps->set->memory, n * sizeof(*kept));

	if (!kept)
		return false;
	ps->rule.field = kept;
	ps->rule.nfields = parse_set_fields(ps, kept);
	return true;
}

static bool keep_inner(struct rule_parser *ps)
{
	struct rule_headers *kept;

	if (!ps->has_inner)
		return true;
	kept = arena_get(ps->set->memory, sizeof(*kept));
	if (kept)
		*kept = ps->inner;
	ps->rule.inner = kept;
	return kept;
}

/* Returns the greatest length of the rule's text, with values in the place of variables. */
static size_t text_room(const struct rule_parser *ps, const struct source_range *at)
{
	size_t n = at->end_byte - at->first_byte + 1;

	for (size_t i = 0; i < ps->vars.nuses; i++)
		n += ps->vars.use[i].len + 1;
	return n;
}

/*
 * Returns whether c is a blank, or the \ of a line that goes on. The scanner refuses other control
 * characters.
 */
static bool text_is_blank(char c)
{
	return (unsigned char)c <= ' ' || c == '\\';
}

/* Copies words with one blank between them. */
static char *text_words(char *out, const char *p, const char *end, bool *blank)
{
	while (p < end) {
		const char *word = p;

		while (p < end && !text_is_blank(*p))
			p++;
		if (p > word && *blank)
			*out++ = ' ';
		*blank = *blank && p == word;
		memcpy(out, word, (size_t)(p - word));
		out += p - word;
		for (; p < end && text_is_blank(*p); p++)
			*blank = true;
	}
	return out;
}

/* Keeps the rule's text, with values in the place of variables. */
static bool keep_text(struct rule_parser *ps, const struct source_range *at)
{
	size_t from = at->first_byte;
	char *out = arena_get(ps->set->memory, text_room(ps, at));
	bool blank = false;

	if (!out)
		return false;
	ps->rule.text = out;
	ps->rule.first_byte = (uint32_t)at->first_byte;
	ps->rule.end_byte = (uint32_t)at->end_byte;
	for (size_t i = 0; i < ps->vars.nuses; i++) {
		const struct parse_use *use = &ps->vars.use[i];

		out = text_words(out, ps->text + from, ps->text + use->first_byte, &blank);
		out = text_words(out, use->text, use->text + use->len, &blank);
		from = use->end_byte;
		blank = use->ends_with_name && from < at->end_byte && ps->text[from] == '-';
	}
	text_words(out, ps->text + from, ps->text + at->end_byte, &blank);
	return true;
}

static bool parse_has_fragment(const struct rule_parser *ps)
{
	return ps->field[KEY_FRAGMENT].value || ps->field[KEY_INNER(KEY_FRAGMENT)].value;
}

void parse_end(struct rule_parser *ps, const struct source_range *at)
{
	parse_group_end(ps);
	if (!ps->bad)
		parse_settle(ps, at);
	ps->rule.except = ps->excepts.except;
	ps->rule.nexcepts = ps->excepts.n;
	if (ps->bad || ps->mistakes)
		return;
	if (!keep_fields(ps) || !keep_inner(ps) || !parse_keep_changes(ps) || !parse_keep_to(ps) ||
	    !parse_tables_keep(ps) || !keep_text(ps, at) ||
	    !array_grow((void **)&ps->set->rule, ps->set->n, &ps->room, sizeof(struct rule)))
		ps->no_memory = true;
	else if ((ps->rule.nexcepts || parse_has_fragment(ps)) && !rule_is_possible(&ps->rule))
		parse_mistake(
			ps, at,
			ps->rule.nexcepts
				? "no packet matches this rule: its negated matches leave none"
				: "no packet matches this rule: in fragments, 0 stands for a "
				  "field that is not there");
	else
		ps->set->rule[ps->set->n++] = ps->rule;
}

void ruleset_free(struct ruleset *set)
{
	for (size_t i = 0; i < set->n; i++)
		arena_free(set->rule[i].own);
	free(set->rule);
	free(set->table);
	arena_free(set->memory);
	*set = (struct ruleset){0};
}
