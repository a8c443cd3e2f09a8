/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "rules/arena.h"
#include "rules/rule.h"

static const char *const draft_words[DRAFT_SLOTS] = {
	[SLOT_ETH_SRC] = "eth src",
	[SLOT_ETH_DST] = "eth dst",
	[SLOT_TAG] = "",
	[SLOT_VLAN_ID] = "id",
	[SLOT_VLAN_PCP] = "pcp",
	[SLOT_VLAN_DEI] = "dei",
	[SLOT_TAG2] = "",
	[SLOT_VLAN2_ID] = "id",
	[SLOT_VLAN2_PCP] = "pcp",
	[SLOT_VLAN2_DEI] = "dei",
	[SLOT_ETHERTYPE] = "ethertype",
	[SLOT_MPLS] = "",
	[SLOT_MPLS_LABEL] = "label",
	[SLOT_MPLS_TC] = "tc",
	[SLOT_MPLS_BOS] = "mpls_bos",
	[SLOT_MPLS_TTL] = "mpls_ttl",
	[SLOT_IP] = "",
	[SLOT_SRC] = "src",
	[SLOT_DST] = "dst",
	[SLOT_HOST] = "host",
	[SLOT_DSCP] = "dscp",
	[SLOT_ECN] = "ecn",
	[SLOT_TOS] = "tos",
	[SLOT_TTL] = "ttl",
	[SLOT_FLOWLABEL] = "flowlabel",
	[SLOT_FRAGMENT] = "",
	[SLOT_PROTO] = "",
	[SLOT_TYPE] = "type",
	[SLOT_CODE] = "code",
	[SLOT_SPORT] = "src port",
	[SLOT_DPORT] = "dst port",
	[SLOT_PORT] = "port",
	[SLOT_FLAGS] = "flags",
	[SLOT_TUNNEL] = "",
	[SLOT_VNI] = "vni",
	[SLOT_OAM] = "oam",
	[SLOT_KEY] = "key",
};

static const char *const draft_edits[DRAFT_CHANGES] = {
	[EDIT_DECAP] = "decap",		[EDIT_POP] = "pop vlan",  [EDIT_ETH_SRC] = "set eth src",
	[EDIT_ETH_DST] = "set eth dst", [EDIT_IP_SRC] = "set",	  [EDIT_IP_DST] = "set",
	[EDIT_SPORT] = "set",		[EDIT_DPORT] = "set",	  [EDIT_TTL] = "set ttl",
	[EDIT_DEC_TTL] = "dec ttl",	[EDIT_VLAN] = "set vlan", [EDIT_PUSH] = "push vlan",
	[EDIT_PUSH_PCP] = "pcp",
};

const char *import_format(struct import *im, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = n < 0 ? NULL : arena_get(im->out->memory, (size_t)n + 1);
	if (!text) {
		im->no_memory = true;
		return "";
	}
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return text;
}

static struct import_item *import_item(struct import *im, const struct draft *d,
				       const struct token *at)
{
	struct import_result *out = im->out;
	struct import_item *item;

	if (!array_grow((void **)&out->item, out->n, &out->room, sizeof(*out->item))) {
		im->no_memory = true;
		return NULL;
	}
	item = &out->item[out->n++];
	*item = (struct import_item){.table = d->table,
				     .order = d->order,
				     .number = (uint32_t)out->n,
				     .line = at->line,
				     .column = at->column};
	return item;
}

static bool import_leave_more(struct import *im, const struct draft *d, const struct token *at,
			      enum import_reason reason, const char *more)
{
	struct import_item *item = import_item(im, d, at);

	if (item) {
		item->reason = reason;
		item->word = at->text && *at->text != '\n' ? at->text : NULL;
		item->more = more;
		im->out->left_out++;
	}
	return false;
}

bool import_leave(struct import *im, const struct draft *d, const struct token *at,
		  enum import_reason reason)
{
	return import_leave_more(im, d, at, reason, NULL);
}

/*
 * Returns whether the draft takes all packets of its interface. The IP version of a chain, which
 * all its rules have, is no condition here.
 */
static bool draft_is_open(const struct draft *d)
{
	for (int level = 0; level < 2; level++)
		for (unsigned int s = 0; s < DRAFT_SLOTS; s++) {
			const char *text = d->part[level][s].text;

			if (text && !(s == SLOT_IP && d->of_version) &&
			    !(s == SLOT_TAG && !strcmp(text, "native")))
				return false;
		}
	return true;
}

bool import_leave_end(struct import *im, const struct draft *d, const struct token *at,
		      enum import_reason reason)
{
	struct import_result *out = im->out;

	import_leave(im, d, at, reason);
	if (out->n && draft_is_open(d))
		out->item[out->n - 1].all = true;
	return false;
}

/* Returns whether the name is a pattern: eth+ of iptables, eth* of nft. */
static bool netdev_is_pattern(const char *netdev)
{
	size_t n = strlen(netdev);

	return n && (netdev[n - 1] == '+' || netdev[n - 1] == '*');
}

int import_netdev(struct import *im, const char *netdev)
{
	const char *ours = im->ask->netdev ? im->ask->netdev : im->netdev;
	bool pattern = netdev_is_pattern(netdev);
	size_t n;

	if (!strcmp(netdev, "lo"))
		return 0;
	if (!ours && pattern)
		return -1;
	if (!ours)
		im->netdev = ours = netdev;
	if (pattern)
		return !strncmp(netdev, ours, strlen(netdev) - 1);
	if (!strcmp(netdev, ours))
		return 1;
	/* A VLAN interface has packets of the device, too; only the kernel knows which. */
	n = strlen(ours);
	return im->ask->netdev && (strncmp(netdev, ours, n) || netdev[n] != '.') ? 0 : -1;
}

int import_interface(struct import *im, struct draft *d, const char *netdev, bool negated)
{
	int ours;

	/* A name that is excluded does not show which interface is meant. */
	if (negated && !im->ask->netdev && !im->netdev && strcmp(netdev, "lo"))
		return -1;
	ours = import_netdev(im, netdev);
	/* Tagged packets belong to VLAN interfaces, whose names a pattern takes, too. */
	if (ours == 1 && !negated && !netdev_is_pattern(netdev)) {
		draft_add(im, d, SLOT_TAG, "native");
		d->no_labels = true;
	}
	return ours < 0 ? -1 : ours != negated;
}

/* --- conditions that meet ---------------------------------------------------------------------- */

/* Returns whether a text of a slot is one value, so that different texts exclude each other. */
static bool draft_exact(enum draft_slot slot, const char *text)
{
	return slot != SLOT_TAG && slot != SLOT_TAG2 && !strpbrk(text, "/,-");
}

/* Parses FIRST-LAST or a port. */
static bool draft_range(const char *text, unsigned long *first, unsigned long *last)
{
	char *end;

	*first = *last = strtoul(text, &end, 10);
	if (end != text && *end == '-')
		*last = strtoul(end + 1, &end, 10);
	return end != text && !*end;
}

static const char *draft_meet_ranges(struct import *im, const char *a, const char *b)
{
	unsigned long first, last, first2, last2;

	if (!draft_range(a, &first, &last) || !draft_range(b, &first2, &last2))
		return NULL;
	first = first > first2 ? first : first2;
	last = last < last2 ? last : last2;
	return first > last ? "" : import_format(im, "%lu-%lu", first, last);
}

/* Parses ADDRESS[/BITS]. */
static bool draft_prefix(const char *text, uint8_t addr[16], unsigned long *bits)
{
	char head[INET6_ADDRSTRLEN], *end;
	size_t n = strcspn(text, "/");
	int family = strchr(text, ':') ? AF_INET6 : AF_INET;

	if (n >= sizeof(head))
		return false;
	memcpy(head, text, n);
	head[n] = 0;
	*bits = family == AF_INET ? 32 : 128;
	if (text[n]) {
		*bits = strtoul(text + n + 1, &end, 10);
		if (*end)
			return false;
	}
	return inet_pton(family, head, addr) == 1;
}

static bool draft_bits_differ(const uint8_t *a, const uint8_t *b, unsigned long bits)
{
	for (unsigned long i = 0; i < bits; i++)
		if ((a[i / 8] ^ b[i / 8]) >> (7 - i % 8) & 1)
			return true;
	return false;
}

/* Intersects two prefixes: one contains the other, or they have nothing in common. */
static const char *draft_meet_prefixes(const char *a, const char *b)
{
	uint8_t one[16] = {0}, two[16] = {0};
	unsigned long bits, bits2;

	if (!draft_prefix(a, one, &bits) || !draft_prefix(b, two, &bits2))
		return NULL;
	if (!strchr(a, ':') != !strchr(b, ':') ||
	    draft_bits_differ(one, two, bits < bits2 ? bits : bits2))
		return "";
	return bits < bits2 ? b : a;
}

/* Returns the intersection of two texts; "": it is empty; NULL: it cannot be expressed. */
static const char *draft_meet(struct import *im, enum draft_slot slot, const char *a, const char *b)
{
	if (!strcmp(a, b))
		return a;
	if (slot == SLOT_SRC || slot == SLOT_DST)
		return draft_meet_prefixes(a, b);
	if (slot == SLOT_SPORT || slot == SLOT_DPORT)
		return draft_meet_ranges(im, a, b);
	if (slot == SLOT_HOST || slot == SLOT_PORT)
		return NULL;
	return draft_exact(slot, a) && draft_exact(slot, b) ? "" : NULL;
}

static bool draft_part_join(struct import *im, struct draft *d, struct draft_part *p,
			    enum draft_slot slot, const struct draft_part *also)
{
	const char *both;

	if (!also->text || !*also->text)
		return true;
	if (!p->text) {
		*p = *also;
		return true;
	}
	if (p->negated || also->negated)
		return p->negated == also->negated && !strcmp(p->text, also->text);
	both = draft_meet(im, slot, p->text, also->text);
	if (both && !*both)
		d->nothing = true;
	else if (both)
		p->text = both;
	return both != NULL;
}

bool draft_add(struct import *im, struct draft *d, enum draft_slot slot, const char *text)
{
	return draft_part_join(im, d, &d->part[d->inner][slot], slot,
			       &(struct draft_part){text, false});
}

bool draft_deny(struct import *im, struct draft *d, enum draft_slot slot, const char *text)
{
	if (!*text)
		d->nothing = true;
	return draft_part_join(im, d, &d->part[d->inner][slot], slot,
			       &(struct draft_part){text, true});
}

bool draft_add_type(struct import *im, struct draft *d, uint64_t type)
{
	if (type == 0x0800 || type == 0x86dd)
		return draft_add(im, d, SLOT_IP, type == 0x0800 ? "ipv4" : "ipv6");
	if (type == 0x8847)
		return draft_add(im, d, SLOT_MPLS, "mpls");
	return draft_add(im, d, SLOT_ETHERTYPE, import_format(im, "0x%x", (unsigned int)type));
}

void draft_one_tag(struct import *im, struct draft *d)
{
	const struct draft_part *p = d->part[0];
	const char *tag = p[SLOT_TAG].text;

	d->no_labels = true;
	if (p[SLOT_TAG2].text || (tag && !strcmp(tag, "untagged")) ||
	    (!p[SLOT_IP].text && !p[SLOT_ETHERTYPE].text && !p[SLOT_MPLS].text))
		return;
	draft_add(im, d, SLOT_TAG2, tag ? "num_of_vlans 1" : "num_of_vlans 0-1");
}

const char *draft_value(const struct draft *d, enum draft_slot slot)
{
	return d->part[d->inner][slot].text;
}

bool draft_join(struct import *im, struct draft *d, const struct draft *also)
{
	bool ok = true;

	d->nothing |= also->nothing;
	d->no_labels |= also->no_labels;
	for (int level = 0; level < 2; level++)
		for (unsigned int s = 0; s < DRAFT_SLOTS; s++)
			ok &= draft_part_join(im, d, &d->part[level][s], (enum draft_slot)s,
					      &also->part[level][s]);
	return ok;
}

/* --- the rule's text --------------------------------------------------------------------------- */

static void draft_print_parts(FILE *f, const struct draft *d, int level, bool negated)
{
	const struct draft_part *part = d->part[level];
	bool type = d->no_labels && !level && !negated && !part[SLOT_MPLS].text;

	for (unsigned int s = 0; s < DRAFT_SLOTS; s++)
		if (part[s].text && part[s].negated == negated)
			fprintf(f, "%s%s%s %s", negated ? " not" : "",
				*draft_words[s]	       ? " "
				: type && s == SLOT_IP ? " ethertype"
						       : "",
				draft_words[s], part[s].text);
}

static bool draft_has(const struct draft *d, int level, bool negated)
{
	for (unsigned int s = 0; s < DRAFT_SLOTS; s++)
		if (d->part[level][s].text && (!negated || d->part[level][s].negated))
			return true;
	return false;
}

static void draft_print_changes(FILE *f, const struct draft *d)
{
	for (unsigned int c = 0; c < DRAFT_CHANGES; c++)
		if (d->change[c])
			fprintf(f, " %s%s%s", draft_edits[c], *d->change[c] ? " " : "",
				d->change[c]);
}

static void draft_print(FILE *f, const struct draft *d)
{
	fprintf(f, "%s %s", d->verdict, d->direction ? d->direction : "in");
	for (int level = 0; level < 2; level++) {
		if (level && draft_has(d, level, false))
			fputs(" inner", f);
		draft_print_parts(f, d, level, false);
		draft_print_parts(f, d, level, true);
	}
	draft_print_changes(f, d);
	if (d->leads)
		fprintf(f, " goto table%u", d->go);
	if (d->queue)
		fprintf(f, " to %s", d->queue);
	if (d->tag)
		fprintf(f, " tag %s", d->tag);
	if (d->count)
		fputs(" count", f);
}

static void draft_mistake(void *arg, const struct mistake *m)
{
	char *why = arg;

	if (!*why)
		strcpy(why, m->text);
}

/* Adds the text if dvx-flow's parser accepts it; else leaves it out with the parser's message. */
static void draft_add_text(struct import *im, const struct draft *d, const char *text, size_t n)
{
	char why[sizeof(((struct mistake *)0)->text)] = "";
	struct ruleset set;
	struct import_item *item;
	int ret = rules_parse_part(text, n, NULL, &set, draft_mistake, why);

	if (ret < 0) {
		im->no_memory = true;
	} else if (ret) {
		bool negated = draft_has(d, 0, true) || draft_has(d, 1, true);

		import_leave_more(im, d, &(struct token){NULL, d->at->line, d->at->column, false},
				  negated ? REASON_NEGATION : REASON_RULE,
				  import_format(im, "%s: %s", text, why));
	} else {
		item = import_item(im, d, d->at);
		if (!item)
			return;
		item->rule = import_format(im, "%s", text);
		item->leads = d->leads;
		item->go = d->go;
		im->out->any_leads |= d->leads;
	}
	ruleset_free(&set);
}

void import_add(struct import *im, const struct draft *d)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f;

	if (d->nothing)
		return;
	f = open_memstream(&text, &n);
	if (!f) {
		im->no_memory = true;
		return;
	}
	draft_print(f, d);
	if (fclose(f))
		im->no_memory = true;
	else
		draft_add_text(im, d, text, n);
	free(text);
}

bool import_add_last(struct import *im, const struct draft *d, size_t first)
{
	bool any = false, kept = false, all = false;

	for (size_t i = first; i < im->out->n; i++) {
		const struct import_item *item = &im->out->item[i];

		if (item->table != d->table)
			continue;
		any = true;
		kept |= item->rule != NULL;
		all |= item->all;
	}
	if (all || (any && !kept))
		return import_leave(im, d, d->at, REASON_LAST);
	import_add(im, d);
	return true;
}
