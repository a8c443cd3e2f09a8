/* SPDX-License-Identifier: BSD-2-Clause */
/* Begins and ends a rule: adds what its words imply, refuses contradictions, keeps the rule. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "compile.h"

void build_begin(struct rule_build *b, const struct source_range *at, enum rule_verdict verdict,
		 const struct source_range *dir_at, enum rule_dir dir)
{
	b->rule = (struct rule){
		.verdict = verdict, .dir = dir, .line = at->line, .table = b->in_table};
	b->rule.at = build_location(b, at);
	b->rule.dir_at = build_location(b, dir_at);
	b->inner = (struct rule_headers){0};
	b->fields.n = 0;
	b->f = &b->fields;
	b->group.active = b->group.empty = false;
	build_level(b, false);
	b->has_inner = false;
	b->tunnel = TUNNEL_NONE;
	b->excepts = (struct node_list){0};
	memset(b->needs, 0, sizeof(b->needs));
	b->changes = 0;
	b->decap_given = 0;
	b->has_to = false;
	b->rate = (struct rule_rate){0};
	b->most = 0;
	b->rss = (struct rule_rss){0};
	b->go = (struct build_goto){0};
	b->ps->list = (struct node_list){0};
	b->ps->flags = (struct rule_value){0};
	b->ps->bad = false;
}

/* --- implied matches -------------------------------------------------------------------------- */

static void settle_ip(struct rule_build *b, const struct source_range *at)
{
	uint64_t type = build_field_here(b, KEY_ETHERTYPE)->value;

	if (b->h->l4 == L4_ANY && !b->needs[b->is_inner].ip && !build_has_ip_field(b, &b->fields))
		return;
	if (build_not_ip(b, 0))
		parse_mistake(b->ps, at, "the rule matches an IP field and EtherType 0x%04" PRIx64,
			      type);
	if (!b->h->ip)
		b->h->ip = build_type_version(type);
	if (!b->h->ip)
		b->h->ip = RULE_IP;
}

static void settle_native(struct rule_build *b, const struct source_range *at)
{
	for (size_t i = 0; i < b->fields.n && b->rule.native; i++) {
		enum rule_key key = b->fields.field[i].key;

		if ((key >= KEY_CVLAN && key <= KEY_VLAN_PCP) ||
		    (key >= KEY_CVLAN2 && key <= KEY_VLAN2_PCP)) {
			parse_mistake(b->ps, at,
				      "native says which VLAN tags there are; another word of the "
				      "rule does, too");
			return;
		}
	}
}

/*
 * Checks the inner matches. The hardware compares 0 for headers that the packet lacks, so a packet
 * without a tunnel has an inner value of 0.
 */
static void settle_inner(struct rule_build *b, const struct source_range *at)
{
	const struct rule_except *except = b->excepts.item;
	bool proved = b->inner.ip, found = proved;

	for (size_t i = 0; i < b->fields.n; i++)
		if (b->fields.field[i].key >= KEY_PER_LEVEL &&
		    b->fields.field[i].key < KEY_INNER(KEY_PER_LEVEL)) {
			found = true;
			proved |= b->fields.field[i].value != 0;
		}
	for (size_t i = 0; i < b->excepts.n; i++)
		found |= except[i].inner;
	if (!found)
		parse_mistake(b->ps, at, "inner needs a match behind it: inner ipv4, ...");
	else if (!proved)
		parse_mistake(
			b->ps, at,
			"a packet without a tunnel matches this, too; name the IP version of the "
			"inner packet: inner ipv4, inner ipv6, ...");
}

static void settle(struct rule_build *b, const struct source_range *at)
{
	build_level(b, false);
	settle_native(b, at);
	build_settle_tunnel(b, at);
	build_settle_l4(b, at);
	settle_ip(b, at);
	if (b->has_inner) {
		build_level(b, true);
		build_settle_l4(b, at);
		settle_ip(b, at);
		settle_inner(b, at);
	}
	build_settle_changes(b);
	build_settle_to(b, at);
	build_settle_rate(b);
	build_settle_track(b, at);
}

/* --- the rule that is kept -------------------------------------------------------------------- */

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
static bool keep_text(struct rule_build *b, const struct source_range *at)
{
	const struct rule_parser *ps = b->ps;
	size_t from = at->first_byte;
	char *out = arena_get(ps->set->memory, text_room(ps, at));
	bool blank = false;

	if (!out)
		return false;
	b->rule.text = out;
	b->rule.first_byte = at->first_byte;
	b->rule.end_byte = at->end_byte;
	if (!ps->vars.nuses && ps->blanks <= ps->text + from) {
		memcpy(out, ps->text + from, at->end_byte - from);
		return true;
	}
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

static bool keep(struct rule_build *b, const struct source_range *at)
{
	struct rule *r = &b->rule;

	r->field = build_keep(b, b->fields.field, b->fields.n, sizeof(*r->field));
	r->nfields = b->fields.n;
	r->except = b->excepts.item;
	r->nexcepts = b->excepts.n;
	if (b->has_inner)
		r->inner = build_keep(b, &b->inner, 1, sizeof(b->inner));
	return r->field && (r->inner || !b->has_inner) && build_keep_changes(b) &&
	       build_keep_to(b) && build_keep_rate(b) && build_keep_track(b) &&
	       build_tables_keep(b) && keep_text(b, at) &&
	       array_grow((void **)&b->ps->set->rule, b->ps->set->n, &b->room, sizeof(*r));
}

static bool has_fragment(const struct rule_build *b)
{
	return build_field(&b->fields, KEY_FRAGMENT)->value ||
	       build_field(&b->fields, KEY_INNER(KEY_FRAGMENT))->value;
}

void build_end(struct rule_build *b, const struct source_range *at)
{
	struct rule_parser *ps = b->ps;

	build_group_end(b);
	if (!ps->bad)
		settle(b, at);
	if (ps->bad || ps->mistakes)
		return;
	if (!keep(b, at))
		ps->no_memory = true;
	else if ((b->rule.nexcepts || has_fragment(b)) && !rule_is_possible(&b->rule))
		parse_mistake(ps, at,
			      b->rule.nexcepts
				      ? "no packet matches this rule: its negated matches leave "
					"none"
				      : "no packet matches this rule: in fragments, 0 stands for a "
					"field that is not there");
	else
		ps->set->rule[ps->set->n++] = b->rule;
}

void build_free(struct rule_build *b)
{
	build_names_free(b);
	build_tables_free(b);
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
