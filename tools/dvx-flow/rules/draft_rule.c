/* SPDX-License-Identifier: BSD-2-Clause */
/* A rule that was read to its end: what its words imply, and what they can't mean together. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"

static bool has_ports(const struct rule_headers *r)
{
	return r->sport.n || r->dport.n || r->port.n;
}

static void settle_l4(struct draft *d, const struct place *at)
{
	struct rule_field *proto = draft_said(d, KEY_PROTO);
	bool flags = draft_said(d, KEY_TCP_FLAGS)->mask != 0;

	if (proto->mask && (proto->value == L4_TCP || proto->value == L4_UDP)) {
		d->h->l4 = (enum rule_l4)proto->value;
		d->h->l4_at = proto->at;
		proto->mask = 0;
	} else if (proto->mask && (has_ports(d->h) || flags)) {
		draft_mistake(d, at, "%s go with tcp%s, not with protocol %" PRIu64,
			      flags ? "flags" : "ports", flags ? "" : " or udp", proto->value);
	} else if (flags) {
		d->h->l4 = L4_TCP;
	} else if (has_ports(d->h)) {
		d->h->l4 = L4_TCP_OR_UDP;
	}
	if (flags && d->h->l4 == L4_UDP)
		draft_mistake(d, at, "UDP has no flags");
}

static void settle_ip(struct draft *d, const struct place *at)
{
	static const enum rule_key of_ip[] = {KEY_PROTO, KEY_DSCP, KEY_ECN, KEY_TTL, KEY_FRAGMENT};
	bool needed = d->h->l4 != L4_ANY;

	for (size_t i = 0; i < sizeof(of_ip) / sizeof(of_ip[0]); i++)
		needed |= draft_said(d, of_ip[i])->mask != 0;
	if (needed && draft_not_ip(d))
		draft_mistake(d, at, "the rule wants something of IP and EtherType 0x%04" PRIx64,
			      draft_said(d, KEY_ETHERTYPE)->value);
	if (needed && !d->h->ip)
		d->h->ip = RULE_IP;
}

static void draft_rule_settle(struct draft *d, const struct place *at)
{
	draft_level(d, false);
	draft_settle_tunnel(d, at);
	settle_l4(d, at);
	settle_ip(d, at);
	draft_level(d, true);
	settle_l4(d, at);
	settle_ip(d, at);
	draft_settle_inner(d, at);
	if (d->rule.verdict == RULE_SEND && !d->has_queue)
		draft_mistake(d, at, "send to which queue? Write `to queue 0' behind the matches");
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

static bool keep_inner(struct draft *d)
{
	struct rule_headers *kept;

	if (!draft_says_inner(d))
		return true;
	kept = arena_get(d->set->memory, sizeof(*kept));
	if (kept)
		*kept = d->inner;
	d->rule.inner = kept;
	return kept;
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
		draft_rule_settle(d, at);
	if (d->bad || d->mistakes)
		return;
	if (keep_fields(d) && keep_inner(d) && keep_text(d, at) && room_for_rule(d))
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
