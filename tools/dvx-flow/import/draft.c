/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "draft.h"
#include "rules/arena.h"
#include "values.h"

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

const char *import_lower(struct import *im, const char *text)
{
	char *lower = arena_text(im->out->memory, text, strlen(text));

	if (!lower)
		im->no_memory = true;
	for (char *p = lower; p && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return lower ? lower : "";
}

struct import_item *import_item(const struct draft *d, const struct token *at)
{
	struct import_result *out = d->im->out;
	struct import_item *item;

	if (!array_grow((void **)&out->item, out->n, &out->room, sizeof(*out->item))) {
		d->im->no_memory = true;
		return NULL;
	}
	item = &out->item[out->n++];
	*item = (struct import_item){.table = d->table,
				     .order = d->order,
				     .direction = d->direction,
				     .number = (uint32_t)out->n,
				     .line = at->line,
				     .column = at->column};
	return item;
}

bool draft_leave_more(const struct draft *d, const struct token *at, enum import_reason reason,
		      const char *more)
{
	struct import_item *item = import_item(d, at);

	if (item) {
		item->reason = reason;
		item->word = at->text && *at->text != '\n' ? at->text : NULL;
		item->more = more;
		d->im->out->left_out++;
	}
	return false;
}

bool draft_leave(const struct draft *d, const struct token *at, enum import_reason reason)
{
	if (!d->im->once || at != d->im->left)
		draft_leave_more(d, at, reason, NULL);
	d->im->left = at;
	return false;
}

bool import_leave(struct import *im, const struct token *from, const struct token *at,
		  enum import_reason reason)
{
	return draft_leave(&(struct draft){.im = im, .at = from}, at, reason);
}

/*
 * Returns whether the draft takes all packets of its interface. The IP version of a chain, which
 * all its rules have, is no condition here.
 */
static bool draft_is_open(const struct draft *d)
{
	for (int level = 0; level < 2; level++)
		for (unsigned int s = 0; s < DRAFT_SLOTS; s++)
			if (d->part[level][s].n && !(s == SLOT_IP && d->of_version) &&
			    !(s == SLOT_TAG && part_number(&d->part[level][s]) == TAG_NATIVE))
				return false;
	return true;
}

void draft_ends(const struct draft *d, size_t before)
{
	struct import_result *out = d->im->out;

	if (out->n > before && out->item[before].reason != REASON_FINAL && draft_is_open(d))
		out->item[before].all = true;
}

bool draft_leave_end(const struct draft *d, const struct token *at, enum import_reason reason)
{
	size_t before = d->im->out->n;

	draft_leave(d, at, reason);
	draft_ends(d, before);
	return false;
}

/* --- interfaces -------------------------------------------------------------------------------- */

/* Returns whether the name is a pattern: eth+ of iptables, eth* of nft. */
static bool netdev_is_pattern(const char *netdev)
{
	size_t n = strlen(netdev);

	return n && (netdev[n - 1] == '+' || netdev[n - 1] == '*');
}

/*
 * Returns whether the name can't be the device's: of a VLAN (eth0.7, vlan7), of several interfaces,
 * a script's variable.
 */
static bool netdev_is_other(const char *netdev)
{
	const char *id = strrchr(netdev, '.');

	return *netdev == '$' || netdev_is_pattern(netdev) || !strncasecmp(netdev, "vlan", 4) ||
	       (id && id[1] && !id[1 + strspn(id + 1, "0123456789")]);
}

/*
 * Returns whether the name may be of our interface, or of a VLAN of it, which has packets of the
 * device, too; only the kernel knows which.
 */
static bool netdev_may_share(const char *netdev, const char *ours)
{
	size_t n = strlen(ours);

	return *netdev == '$' || !strncasecmp(netdev, "vlan", 4) ||
	       (!strncmp(netdev, ours, n) && netdev[n] == '.');
}

int import_netdev(struct import *im, const char *netdev)
{
	const char *ours = im->ask->netdev ? im->ask->netdev : im->netdev;

	if (!strcmp(netdev, "lo"))
		return 0;
	if (!ours && netdev_is_other(netdev))
		return -1;
	if (!ours)
		im->netdev = ours = netdev;
	if (!strcmp(netdev, ours))
		return 1;
	if (netdev_is_pattern(netdev) && !strncmp(netdev, ours, strlen(netdev) - 1))
		return 1;
	if (netdev_may_share(netdev, ours))
		return -1;
	return im->ask->netdev || netdev_is_pattern(netdev) ? 0 : -1;
}

int draft_interface(struct draft *d, const char *netdev, bool negated)
{
	int ours;

	/* A name that is excluded does not show which interface is meant. */
	if (negated && !d->im->ask->netdev && !d->im->netdev && strcmp(netdev, "lo"))
		return -1;
	ours = import_netdev(d->im, netdev);
	/* Tagged packets belong to VLAN interfaces, whose names a pattern takes, too. */
	if (ours == 1 && !negated && !netdev_is_pattern(netdev)) {
		draft_set(d, SLOT_TAG, TAG_NATIVE);
		d->no_labels = true;
	}
	return ours < 0 ? -1 : ours != negated;
}

/* --- conditions that meet ---------------------------------------------------------------------- */

size_t draft_item_size(enum draft_slot slot)
{
	if (slot == SLOT_SRC || slot == SLOT_DST)
		return sizeof(struct rule_net);
	return slot == SLOT_SPORT || slot == SLOT_DPORT || slot == SLOT_PORT
		       ? sizeof(struct rule_range)
		       : sizeof(struct rule_value);
}

static bool draft_same(enum draft_slot slot, const struct draft_part *p, const struct node_list *l)
{
	return p->n == l->n && !memcmp(p->item, l->item, l->n * draft_item_size(slot));
}

/* Results of an intersection. */
enum meet { MEET_NOTHING, MEET_FIRST, MEET_SECOND, MEET_UNKNOWN };

/* Intersects two prefixes: one contains the other, or they have nothing in common. */
static enum meet nets_meet(const struct rule_net *a, const struct rule_net *b)
{
	unsigned int bits = a->bits < b->bits ? a->bits : b->bits;

	if (a->bits >= NET_RANGE || b->bits >= NET_RANGE)
		return MEET_UNKNOWN;
	if (a->family != b->family)
		return MEET_NOTHING;
	for (unsigned int i = 0; i < bits; i++)
		if ((a->addr[i / 8] ^ b->addr[i / 8]) >> (7 - i % 8) & 1)
			return MEET_NOTHING;
	return a->bits < b->bits ? MEET_SECOND : MEET_FIRST;
}

/* Intersects two ranges; the second one becomes the result. */
static enum meet ranges_meet(const struct rule_range *a, struct rule_range *b)
{
	if (a->wild || b->wild)
		return MEET_UNKNOWN;
	b->first = a->first > b->first ? a->first : b->first;
	b->last = a->last < b->last ? a->last : b->last;
	return b->first > b->last ? MEET_NOTHING : MEET_SECOND;
}

static enum meet draft_meet(enum draft_slot slot, const struct draft_part *p, struct node_list *l)
{
	if (draft_same(slot, p, l))
		return MEET_FIRST;
	if (p->n > 1 || l->n > 1 || slot == SLOT_PORT || slot == SLOT_TAG || slot == SLOT_TAG2)
		return MEET_UNKNOWN;
	if (slot == SLOT_SRC || slot == SLOT_DST)
		return nets_meet(p->item, l->item);
	if (slot == SLOT_SPORT || slot == SLOT_DPORT)
		return ranges_meet(p->item, l->item);
	return part_number(p) >= 0 && ((struct rule_value *)l->item)->mask == UINT64_MAX
		       ? MEET_NOTHING
		       : MEET_UNKNOWN;
}

static bool draft_part_join(struct draft *d, enum draft_slot slot, struct node_list l, bool negated)
{
	struct draft_part *p = &d->part[d->inner][slot], also = {l.item, (uint32_t)l.n, negated};
	enum meet both;

	if (!l.n)
		return true;
	if (!p->n) {
		*p = also;
		return true;
	}
	if (p->negated || negated)
		return p->negated == negated && draft_same(slot, p, &l);
	both = draft_meet(slot, p, &l);
	d->nothing |= both == MEET_NOTHING;
	if (both == MEET_SECOND)
		*p = also;
	return both != MEET_UNKNOWN;
}

bool draft_add(struct draft *d, enum draft_slot slot, struct value v)
{
	return draft_part_join(d, slot, v.list, false);
}

bool draft_deny(struct draft *d, enum draft_slot slot, struct value v)
{
	d->nothing |= !v.list.n;
	return draft_part_join(d, slot, v.list, true);
}

/* Leaves out a rule of another Geneve option than rules before it: the device has one parser. */
static bool draft_option_fits(const struct draft *d, const struct token *at,
			      const struct rule_value *option)
{
	const uint32_t kept = d->im->option;

	return !kept || kept >> 8 == option->value >> 32 ||
	       draft_leave_more(d, at, REASON_OPTION,
				import_format(d->im, "line %u has class 0x%x, type 0x%x",
					      d->im->option_line, kept >> 16, kept >> 8 & 0xff));
}

bool draft_match(struct draft *d, const struct token *at, enum draft_slot slot, struct value v,
		 bool negated)
{
	if (v.bad)
		return draft_leave(d, at, REASON_VALUE);
	if (slot == SLOT_OPTION && v.list.n && !draft_option_fits(d, at, v.list.item))
		return false;
	return (negated ? draft_deny : draft_add)(d, slot, v) || draft_leave(d, at, REASON_TWICE);
}

bool draft_set(struct draft *d, enum draft_slot slot, uint64_t number)
{
	return draft_add(d, slot, value_of(d->im, number));
}

bool draft_match_number(struct draft *d, const struct token *at, enum draft_slot slot,
			uint64_t number)
{
	return draft_match(d, at, slot, value_of(d->im, number), false);
}

bool draft_has(const struct draft *d, enum draft_slot slot)
{
	return d->part[d->inner][slot].n;
}

int64_t part_number(const struct draft_part *p)
{
	const struct rule_value *v = p->item;

	return p->n == 1 && v->mask == UINT64_MAX ? (int64_t)v->value : -1;
}

int64_t draft_number(const struct draft *d, enum draft_slot slot)
{
	return part_number(&d->part[d->inner][slot]);
}

void draft_replace(struct draft *d, enum draft_slot slot, uint64_t number)
{
	struct draft_part *p = &d->part[d->inner][slot];

	*p = (struct draft_part){value_of(d->im, number).list.item, 1, false};
	if (d->im->no_memory)
		p->n = 0;
}

bool draft_add_type(struct draft *d, uint64_t type)
{
	if (type == 0x0800 || type == 0x86dd)
		return draft_set(d, SLOT_IP, type == 0x0800 ? 4 : 6);
	return type == 0x8847 ? draft_set(d, SLOT_MPLS, 0) : draft_set(d, SLOT_ETHERTYPE, type);
}

void draft_one_tag(struct draft *d)
{
	const struct draft_part *p = d->part[d->inner];

	*(d->inner ? &d->no_inner_labels : &d->no_labels) = true;
	if (p[SLOT_TAG2].n || part_number(&p[SLOT_TAG]) == TAG_NONE ||
	    !(p[SLOT_IP].n || p[SLOT_ETHERTYPE].n || p[SLOT_MPLS].n))
		return;
	draft_set(d, SLOT_TAG2, p[SLOT_TAG].n ? TAG_LAST : TAG_AT_MOST_ONE);
}

/* --- changes ----------------------------------------------------------------------------------- */

bool draft_has_change(const struct draft *d, enum rule_change_kind kind)
{
	return d->changes >> kind & 1;
}

/* Returns whether a change that the device makes later stands before this one. */
static bool change_is_late(const struct draft *d, enum rule_change_kind kind)
{
	bool first = kind == CHANGE_POP || kind == CHANGE_DECAP;

	return d->changes & (first ? (1u << CHANGE_POP) - 1 : 1u << CHANGE_PUSH);
}

/*
 * Returns whether the rule's packets have the IP version of the change, which its words do not
 * name.
 */
static bool draft_has_version(const struct draft *d, const struct rule_change *c)
{
	return !c->of || (c->kind != CHANGE_TTL && c->kind != CHANGE_DSCP) ||
	       draft_number(d, SLOT_IP) == c->of;
}

bool draft_change(struct draft *d, const struct token *at, struct rule_change c, bool ordered)
{
	if (ordered && change_is_late(d, c.kind))
		return draft_leave(d, at, REASON_ORDER);
	if (draft_has_change(d, c.kind) || !draft_has_version(d, &c))
		return draft_leave(d, at, REASON_CHANGE);
	d->change[c.kind] = c;
	d->changes |= 1u << c.kind;
	return true;
}

bool draft_settle(struct draft *d, const struct token *end, enum import_reason reason)
{
	if (!d->verdict)
		return draft_leave(d, end, reason);
	if (!strcmp(d->verdict, "drop"))
		d->changes = 0;
	return draft_ct_settle(d);
}
