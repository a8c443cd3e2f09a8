/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a draft's rule, which dvx-flow's parser checks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "rules/words.h"
#include "values.h"

static void part_print_number(FILE *f, const void *item)
{
	const struct rule_value *v = item;

	fprintf(f, v->mask == UINT64_MAX ? "%" PRIu64 : "0x%" PRIx64 "/0x%" PRIx64, v->value,
		v->mask);
}

static void part_print_vport(FILE *f, const void *item)
{
	char name[32];

	dvx_flow_vport_name((uint32_t)((const struct rule_value *)item)->value, name, sizeof(name));
	fputs(name, f);
}

static void part_print_hex(FILE *f, const void *item)
{
	const struct rule_value *v = item;

	fprintf(f, v->mask == UINT64_MAX ? "0x%" PRIx64 : "0x%" PRIx64 "/0x%" PRIx64, v->value,
		v->mask);
}

static void part_print_mac(FILE *f, const void *item)
{
	const struct rule_value *v = item;

	mac_print(f, v->value);
	if (v->mask == UINT64_MAX)
		return;
	fputc('/', f);
	mac_print(f, v->mask);
}

static void part_print_net(FILE *f, const void *item)
{
	const struct rule_net *net = item;

	address_print(f, net->family, net->addr);
	if (net->bits == NET_RANGE || net->bits == NET_MASK) {
		fputc(net->bits == NET_MASK ? '/' : '-', f);
		address_print(f, net->family, net->end);
	} else if (!net_is_host(net)) {
		fprintf(f, "/%u", net->bits);
	}
}

static void part_print_range(FILE *f, const void *item)
{
	const struct rule_range *r = item;

	if (r->wild)
		fprintf(f, "0x%x/0x%x", r->first, 0xffffu & ~r->wild);
	else if (r->first == r->last)
		fprintf(f, "%u", r->first);
	else
		fprintf(f, "%u-%u", r->first, r->last);
}

static void part_print_tunnel(FILE *f, const void *item)
{
	fputs(tunnel_rows[((const struct rule_value *)item)->value].name, f);
}

static void part_print_option(FILE *f, const void *item)
{
	const struct rule_value *v = item;

	fprintf(f, "0x%" PRIx64 " type 0x%" PRIx64 " 0x%" PRIx64, v->value >> 40,
		v->value >> 32 & 0xff, v->value & UINT32_MAX);
	if (v->mask != UINT64_MAX)
		fprintf(f, "/0x%" PRIx64, v->mask & UINT32_MAX);
}

static void part_print_proto(FILE *f, const void *item)
{
	uint64_t proto = ((const struct rule_value *)item)->value;

	if (proto == 6 || proto == 17)
		fputs(proto == 6 ? "tcp" : "udp", f);
	else if (proto == 1 || proto == 58)
		fputs(proto == 1 ? "icmp" : "icmp6", f);
	else
		fprintf(f, "proto %" PRIu64, proto);
}

static const struct {
	const char *word;
	void (*print)(FILE *f, const void *item);
	const char *name[6];
} draft_slots[DRAFT_SLOTS] = {
#define part_print_names	     NULL
#define SLOT(slot, word, print, ...) [SLOT_##slot] = {word, part_print_##print, {__VA_ARGS__}},
#include "slots.def"
};

static void draft_print_item(FILE *f, enum draft_slot slot, const void *item)
{
	if (draft_slots[slot].print)
		draft_slots[slot].print(f, item);
	else
		fputs(draft_slots[slot].name[((const struct rule_value *)item)->value], f);
}

static void draft_print_parts(FILE *f, const struct draft *d, int level, bool negated)
{
	const struct draft_part *part = d->part[level];
	bool type = (level ? d->no_inner_labels : d->no_labels) && !negated && !part[SLOT_MPLS].n;

	for (unsigned int s = 0; s < DRAFT_SLOTS; s++) {
		if (!part[s].n || part[s].negated != negated)
			continue;
		fprintf(f, "%s %s%s", negated ? " not" : "",
			type && s == SLOT_IP ? "ethertype " : "", draft_slots[s].word);
		for (size_t i = 0; i < part[s].n; i++) {
			if (i)
				fputc(',', f);
			draft_print_item(f, s, (const char *)part[s].item + i * draft_item_size(s));
		}
	}
}

static bool draft_level_has(const struct draft *d, int level, bool negated)
{
	for (unsigned int s = 0; s < DRAFT_SLOTS; s++)
		if (d->part[level][s].n && (!negated || d->part[level][s].negated))
			return true;
	return false;
}

static const struct {
	enum rule_change_kind kind;
	const char *word, *side;
} draft_changes[] = {
	{CHANGE_DECAP, "decap", NULL},		{CHANGE_POP, "pop vlan", NULL},
	{CHANGE_ETH_SRC, "set eth src ", NULL}, {CHANGE_ETH_DST, "set eth dst ", NULL},
	{CHANGE_IP_SRC, "set ipv", "src"},	{CHANGE_IP_DST, "set ipv", "dst"},
	{CHANGE_SPORT, "set ", "src"},		{CHANGE_DPORT, "set ", "dst"},
	{CHANGE_TTL, "set ttl ", NULL},		{CHANGE_DEC_TTL, "dec ttl", NULL},
	{CHANGE_DSCP, "set dscp ", NULL},	{CHANGE_VLAN, "set vlan ", NULL},
	{CHANGE_PUSH, "push vlan ", NULL},
};

static void draft_print_changes(FILE *f, const struct draft *d)
{
	for (size_t i = 0; i < sizeof(draft_changes) / sizeof(draft_changes[0]); i++) {
		const struct rule_change *c = &d->change[draft_changes[i].kind];
		const char *side = draft_changes[i].side;

		if (!draft_has_change(d, draft_changes[i].kind))
			continue;
		fprintf(f, " %s", draft_changes[i].word);
		if (c->kind == CHANGE_IP_SRC || c->kind == CHANGE_IP_DST) {
			fprintf(f, "%u %s ", c->of, side);
		} else if (side) {
			part_print_proto(f, &(struct rule_value){.value = c->of});
			fprintf(f, " %s port ", side);
		}
		change_print(f, c);
		if (c->kind == CHANGE_PUSH && d->has_pcp)
			fprintf(f, " pcp %" PRIu64, d->pcp);
	}
}

static const char *const draft_encap_words[ENCAP_WORDS] = {
	[ENCAP_SRC] = "src",	 [ENCAP_DST] = "dst",	    [ENCAP_ETH_SRC] = "eth src",
	[ENCAP_ETH_DST] = "dst", [ENCAP_PORT] = "dst port", [ENCAP_TTL] = "ttl",
	[ENCAP_GBP] = "gbp",	 [ENCAP_OPTION] = "option",
};

static void draft_print_encap(FILE *f, const struct draft *d)
{
	const struct tunnel_row *t = &tunnel_rows[d->tunnel];

	if (!draft_has_change(d, CHANGE_ENCAP))
		return;
	fprintf(f, " encap %s", t->name);
	for (unsigned int w = 0; w < ENCAP_WORDS; w++)
		if (d->encap_given >> w & 1) {
			fprintf(f, " %s ",
				w == ENCAP_ID ? tunnel_ids[t->id].word : draft_encap_words[w]);
			if (w == ENCAP_OPTION)
				fprintf(f, "0x%x type 0x%x 0x%x", d->option[0], d->option[1],
					d->option[2]);
			else
				change_print(f, &d->encap[w]);
		}
}

static void draft_print_matches(FILE *f, const struct draft *d, const char *verdict)
{
	fprintf(f, "%s %s", verdict, d->direction ? d->direction : "in");
	for (int level = 0; level < 2; level++) {
		if (level && draft_level_has(d, level, false))
			fputs(" inner", f);
		draft_print_parts(f, d, level, false);
		draft_print_parts(f, d, level, true);
	}
}

/* Prints the rule, on lines of their own behind those before it. */
static void draft_print(FILE *f, const struct draft *d)
{
	for (unsigned int i = 0; i < d->befores; i++) {
		draft_print_matches(f, d, d->before[i].verdict);
		fprintf(f, " %s\n", d->before[i].tail);
	}
	draft_print_matches(f, d, d->verdict);
	draft_print_changes(f, d);
	draft_print_encap(f, d);
	if (d->leads)
		fprintf(f, " goto table%u", d->go);
	if (d->queue)
		fprintf(f, " to %s", d->queue);
	if (d->tag.list.n) {
		fputs(" tag ", f);
		part_print_number(f, d->tag.list.item);
	}
	if (d->count)
		fputs(" count", f);
}

static void draft_mistake(void *arg, const struct mistake *m)
{
	char *why = arg;

	if (!*why)
		strcpy(why, m->text);
}

static void draft_add_line(const struct draft *d, const char *text, size_t n, bool last)
{
	struct import_item *item = import_item(d, d->at);

	if (!item)
		return;
	item->rule = import_format(d->im, "%.*s", (int)n, text);
	item->leads = last && d->leads;
	item->go = d->go;
	d->im->out->any_leads |= item->leads;
}

/* Notes the Geneve option that all further rules must have, too. */
static void draft_note_option(const struct draft *d, const struct ruleset *set)
{
	if (d->im->option || !set->n || !set->rule[0].option)
		return;
	d->im->option = set->rule[0].option;
	d->im->option_line = d->at->line;
}

/* Adds the text if dvx-flow's parser accepts it; else leaves it out with the parser's message. */
static void draft_add_text(const struct draft *d, const char *text, size_t n)
{
	char why[sizeof(((struct mistake *)0)->text)] = "";
	struct ruleset set;
	int ret = rules_parse_part(text, n, NULL, &set, draft_mistake, why);

	if (ret < 0) {
		d->im->no_memory = true;
	} else if (ret) {
		bool negated = draft_level_has(d, 0, true) || draft_level_has(d, 1, true);

		draft_leave_more(d, &(struct token){NULL, d->at->line, d->at->column, false},
				 negated ? REASON_NEGATION : REASON_RULE,
				 import_format(d->im, "%s: %s", text, why));
	} else {
		draft_note_option(d, &set);
		for (size_t line; n; n -= line + (n > line), text += line + (text[line] == '\n')) {
			line = strcspn(text, "\n");
			draft_add_line(d, text, line, line == n);
		}
	}
	ruleset_free(&set);
}

void import_add(const struct draft *d)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f;

	if (d->nothing)
		return;
	f = open_memstream(&text, &n);
	if (f)
		draft_print(f, d);
	if (!f || fclose(f))
		d->im->no_memory = true;
	else
		draft_add_text(d, text, n);
	free(text);
}

static bool import_is_before(const struct import_item *a, const struct import_item *b)
{
	return a->order != b->order ? a->order < b->order : a->number < b->number;
}

void import_leave_unmet(struct import *im, uint32_t table, size_t first)
{
	struct import_result *out = im->out;
	const struct import_item *all = NULL;

	for (size_t i = first; i < out->n; i++)
		if (out->item[i].table == table && out->item[i].all &&
		    (!all || import_is_before(&out->item[i], all)))
			all = &out->item[i];
	for (size_t i = first; all && i < out->n; i++) {
		struct import_item *item = &out->item[i];

		if (item->table != table || !item->rule || !import_is_before(all, item) ||
		    strcmp(item->direction, all->direction))
			continue;
		item->rule = NULL;
		item->leads = false;
		item->reason = REASON_UNMET;
		out->left_out++;
	}
}

bool import_add_last(const struct draft *d, size_t first)
{
	const struct import_result *out = d->im->out;
	bool any = false, kept = false, all = false;

	for (size_t i = first; i < out->n; i++) {
		const struct import_item *item = &out->item[i];

		if (item->table != d->table)
			continue;
		any = true;
		kept |= item->rule != NULL;
		all |= item->all;
	}
	if (all || (any && !kept))
		return draft_leave(d, d->at, REASON_LAST);
	import_add(d);
	return true;
}
