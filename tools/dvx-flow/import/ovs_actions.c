/* SPDX-License-Identifier: BSD-2-Clause */
/* The actions of ovs-actions(7), which act in the order in which they stand. */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "ovs.h"
#include "values.h"

enum ovs_do {
	OVS_FATE,
	OVS_GOTO,
	OVS_POP,
	OVS_PUSH,
	OVS_SET_VLAN,
	OVS_SET_MAC,
	OVS_SET_NET4,
	OVS_SET_NET6,
	OVS_SET_PORT,
	OVS_SET_TTL,
	OVS_SET_FIELD,
	OVS_LEAVE,
};

static const struct ovs_action {
	const char *name; /* up to a colon or a parenthesis */
	enum ovs_do how;
	unsigned int what; /* the change, or the reason */
	const char *text;
} ovs_actions[] = {
	{"drop", OVS_FATE, 0, "drop"},
	{"normal", OVS_FATE, 0, "pass"},
	{"local", OVS_FATE, 0, "pass"},
	{"output:local", OVS_FATE, 0, "pass"},
	{"strip_vlan", OVS_POP, EDIT_POP, NULL},
	{"pop_vlan", OVS_POP, EDIT_POP, NULL},
	{"push_vlan", OVS_PUSH, EDIT_PUSH, NULL},
	{"mod_vlan_vid", OVS_SET_VLAN, EDIT_VLAN, NULL},
	{"set_vlan_vid", OVS_SET_VLAN, EDIT_VLAN, NULL},
	{"mod_dl_src", OVS_SET_MAC, EDIT_ETH_SRC, ""},
	{"mod_dl_dst", OVS_SET_MAC, EDIT_ETH_DST, ""},
	{"mod_nw_src", OVS_SET_NET4, EDIT_IP_SRC, "ipv4 src "},
	{"mod_nw_dst", OVS_SET_NET4, EDIT_IP_DST, "ipv4 dst "},
	{"mod_tp_src", OVS_SET_PORT, EDIT_SPORT, "src port "},
	{"mod_tp_dst", OVS_SET_PORT, EDIT_DPORT, "dst port "},
	{"mod_nw_ttl", OVS_SET_TTL, EDIT_TTL, NULL},
	{"set_field", OVS_SET_FIELD, 0, NULL},
	{"set_vlan_pcp", OVS_LEAVE, REASON_CHANGE, NULL},
	{"mod_vlan_pcp", OVS_LEAVE, REASON_CHANGE, NULL},
	{"mod_nw_tos", OVS_LEAVE, REASON_CHANGE, NULL},
	{"mod_nw_ecn", OVS_LEAVE, REASON_CHANGE, NULL},
	/* A packet whose TTL runs out goes to the controller. */
	{"dec_ttl", OVS_LEAVE, REASON_CHANGE, NULL},
	{"load", OVS_LEAVE, REASON_CHANGE, NULL},
	{"move", OVS_LEAVE, REASON_CHANGE, NULL},
	{"push", OVS_LEAVE, REASON_CHANGE, NULL},
	{"pop", OVS_LEAVE, REASON_CHANGE, NULL},
	{"push_mpls", OVS_LEAVE, REASON_CHANGE, NULL},
	{"pop_mpls", OVS_LEAVE, REASON_CHANGE, NULL},
	{"set_tunnel", OVS_LEAVE, REASON_ENCAP, NULL},
	{"set_queue", OVS_LEAVE, REASON_KERNEL_QUEUE, NULL},
	{"enqueue", OVS_LEAVE, REASON_KERNEL_QUEUE, NULL},
	{"resubmit", OVS_GOTO, 0, NULL},
	{"goto_table", OVS_GOTO, 0, NULL},
	{"conjunction", OVS_LEAVE, REASON_FIELD, NULL},
	{"ct", OVS_LEAVE, REASON_CONNTRACK, NULL},
	{"ct_clear", OVS_LEAVE, REASON_CONNTRACK, NULL},
	{"learn", OVS_LEAVE, REASON_MEMORY, NULL},
	{"meter", OVS_LEAVE, REASON_LIMIT, NULL},
	{"output", OVS_LEAVE, REASON_TARGET, NULL},
	{"group", OVS_LEAVE, REASON_TARGET, NULL},
	{"bundle", OVS_LEAVE, REASON_TARGET, NULL},
	{"multipath", OVS_LEAVE, REASON_TARGET, NULL},
	{"controller", OVS_LEAVE, REASON_TARGET, NULL},
	{"flood", OVS_LEAVE, REASON_TARGET, NULL},
	{"all", OVS_LEAVE, REASON_TARGET, NULL},
	{"in_port", OVS_LEAVE, REASON_TARGET, NULL},
	{"clone", OVS_LEAVE, REASON_TARGET, NULL},
	{"sample", OVS_LEAVE, REASON_TARGET, NULL},
	{"note", OVS_LEAVE, REASON_LOG, NULL},
};

/* set_field:VALUE->FIELD. */
static const struct {
	const char *field;
	enum ovs_do how;
	unsigned int change;
	const char *text;
} ovs_set_fields[] = {
	{"vlan_vid", OVS_SET_VLAN, EDIT_VLAN, NULL},
	{"dl_vlan", OVS_SET_VLAN, EDIT_VLAN, NULL},
	{"eth_src", OVS_SET_MAC, EDIT_ETH_SRC, ""},
	{"dl_src", OVS_SET_MAC, EDIT_ETH_SRC, ""},
	{"eth_dst", OVS_SET_MAC, EDIT_ETH_DST, ""},
	{"dl_dst", OVS_SET_MAC, EDIT_ETH_DST, ""},
	{"ip_src", OVS_SET_NET4, EDIT_IP_SRC, "ipv4 src "},
	{"nw_src", OVS_SET_NET4, EDIT_IP_SRC, "ipv4 src "},
	{"ip_dst", OVS_SET_NET4, EDIT_IP_DST, "ipv4 dst "},
	{"nw_dst", OVS_SET_NET4, EDIT_IP_DST, "ipv4 dst "},
	{"ipv6_src", OVS_SET_NET6, EDIT_IP_SRC, "ipv6 src "},
	{"ipv6_dst", OVS_SET_NET6, EDIT_IP_DST, "ipv6 dst "},
	{"nw_ttl", OVS_SET_TTL, EDIT_TTL, NULL},
	{"tcp_src", OVS_SET_PORT, EDIT_SPORT, "src port "},
	{"udp_src", OVS_SET_PORT, EDIT_SPORT, "src port "},
	{"tcp_dst", OVS_SET_PORT, EDIT_DPORT, "dst port "},
	{"udp_dst", OVS_SET_PORT, EDIT_DPORT, "dst port "},
};

/* --- changes ----------------------------------------------------------------------------------- */

/* Returns whether a change that the device makes later stands before this one. */
static bool ovs_late(const struct draft *d, unsigned int change)
{
	unsigned int from = change <= EDIT_POP ? EDIT_POP + 1 : EDIT_PUSH;

	while (from < DRAFT_CHANGES && !d->change[from])
		from++;
	return from < DRAFT_CHANGES;
}

static bool ovs_edit(struct ovs_read *r, const struct token *at, unsigned int change,
		     const char *prefix, const char *text)
{
	if (!text || (!*text && change != EDIT_POP))
		return ovs_leave(r, at, REASON_VALUE);
	if (ovs_late(r->d, change))
		return ovs_leave(r, at, REASON_ORDER);
	if (r->d->change[change])
		return ovs_leave(r, at, REASON_CHANGE);
	r->d->change[change] = import_format(r->im, "%s%s", prefix ? prefix : "", text);
	return true;
}

static bool ovs_push(struct ovs_read *r, const struct token *at, const char *value)
{
	uint64_t type;

	if (!value_number(value, 0, 0xffff, &type) || type != 0x8100 || r->d->change[EDIT_PUSH])
		return ovs_leave(r, at, REASON_CHANGE);
	r->d->change[EDIT_PUSH] = "0";
	return true;
}

/* Sets the VLAN of the tag that was pushed before, if one was. Bit 12 means that the tag exists. */
static bool ovs_set_vlan(struct ovs_read *r, const struct token *at, const char *value)
{
	const char *tag = draft_value(r->d, SLOT_TAG), *text;
	uint64_t id;

	if (!value_number(value, 0, 0x1fff, &id))
		return ovs_leave(r, at, REASON_VALUE);
	/* It is not known whether there is another tag. */
	if (r->d->change[EDIT_POP] && !r->d->change[EDIT_PUSH])
		return ovs_leave(r, at, REASON_CHANGE);
	text = import_format(r->im, "%u", (unsigned int)id & 0xfff);
	/* A packet without a tag gets one. */
	if (tag && !strcmp(tag, "untagged") && !r->d->change[EDIT_PUSH])
		return ovs_edit(r, at, EDIT_PUSH, "", text);
	if (!r->d->change[EDIT_PUSH])
		return ovs_edit(r, at, EDIT_VLAN, "", text);
	r->d->change[EDIT_PUSH] = text;
	return true;
}

static bool ovs_set_port(struct ovs_read *r, const struct token *at, unsigned int change,
			 const char *side, const char *value)
{
	const char *l4 = draft_value(r->d, SLOT_PROTO);

	if (!l4)
		return ovs_leave(r, at, REASON_CHANGE);
	return ovs_edit(r, at, change, import_format(r->im, "%s %s", l4, side),
			value_masked(r->im, value, 0, 16));
}

static bool ovs_apply(struct ovs_read *r, const struct token *at, enum ovs_do how,
		      unsigned int change, const char *text, const char *value);

static bool ovs_set_field(struct ovs_read *r, const struct token *at, const char *value)
{
	const char *arrow = strstr(value, "->");

	if (!arrow)
		return ovs_leave(r, at, REASON_VALUE);
	for (size_t i = 0; i < sizeof(ovs_set_fields) / sizeof(ovs_set_fields[0]); i++)
		if (!strcmp(arrow + 2, ovs_set_fields[i].field))
			return ovs_apply(r, at, ovs_set_fields[i].how, ovs_set_fields[i].change,
					 ovs_set_fields[i].text,
					 import_format(r->im, "%.*s", (int)(arrow - value), value));
	return ovs_leave(r, at, REASON_CHANGE);
}

static bool ovs_apply(struct ovs_read *r, const struct token *at, enum ovs_do how,
		      unsigned int change, const char *text, const char *value)
{
	/* Part of a field. */
	if (strchr(value, '/') && how != OVS_SET_FIELD)
		return ovs_leave(r, at, REASON_CHANGE);
	switch (how) {
	case OVS_POP:
		return ovs_edit(r, at, change, NULL, "");
	case OVS_PUSH:
		return ovs_push(r, at, value);
	case OVS_SET_VLAN:
		return ovs_set_vlan(r, at, value);
	case OVS_SET_MAC:
		return ovs_edit(r, at, change, text, value_mac(r->im, value));
	case OVS_SET_NET4:
		return ovs_edit(r, at, change, text, value_net(r->im, value, AF_INET));
	case OVS_SET_NET6:
		return ovs_edit(r, at, change, text, value_net(r->im, value, AF_INET6));
	case OVS_SET_PORT:
		return ovs_set_port(r, at, change, text, value);
	case OVS_SET_TTL:
		return ovs_edit(r, at, change, NULL, value_masked(r->im, value, 0, 8));
	default:
		return ovs_set_field(r, at, value);
	}
}

/* --- all --------------------------------------------------------------------------------------- */

static const struct ovs_action *ovs_action_find(const char *text)
{
	size_t n = strcspn(text, ":(");

	for (size_t i = 0; i < sizeof(ovs_actions) / sizeof(ovs_actions[0]); i++)
		if (!strcasecmp(text, ovs_actions[i].name) ||
		    (strlen(ovs_actions[i].name) == n &&
		     !strncasecmp(text, ovs_actions[i].name, n)))
			return &ovs_actions[i];
	return NULL;
}

/* Reads goto_table:5, or resubmit(,5) at the end; resubmit:5 is about a port. */
static bool ovs_goto(struct ovs_read *r, const struct token *at, const char *text)
{
	static const char *const words[] = {"goto_table:", "resubmit(,"};
	const char *from = NULL;
	uint64_t n;
	size_t len;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncasecmp(text, words[i], strlen(words[i])))
			from = text + strlen(words[i]);
	if (!from)
		return ovs_leave(r, at, REASON_TABLES);
	len = strcspn(from, ")");
	if (!value_number(import_format(r->im, "%.*s", (int)len, from), 10, 254, &n))
		return ovs_leave(r, at, REASON_TABLES);
	r->d->leads = true;
	r->d->go = (uint32_t)n;
	r->d->verdict = "send";
	return true;
}

static bool ovs_action(struct ovs_read *r, const struct token *at, const char *text)
{
	const struct ovs_action *a = ovs_action_find(text);
	const char *value = strchr(text, ':');
	uint64_t port;

	if (r->d->verdict)
		return ovs_leave(r, at, REASON_TARGET);
	if (!a)
		return ovs_leave(r, at,
				 value_number(text, 10, 0xffff, &port) ? REASON_TARGET
								       : REASON_UNKNOWN);
	if (a->how == OVS_LEAVE)
		return ovs_leave(r, at, (enum import_reason)a->what);
	if (a->how == OVS_GOTO)
		return ovs_goto(r, at, text);
	if (a->how != OVS_FATE)
		return ovs_apply(r, at, a->how, a->what, a->text, value ? value + 1 : "");
	r->d->verdict = a->text;
	return true;
}

bool ovs_actions_read(struct ovs_read *r)
{
	const struct token *at = tokens_next(r->parts);
	const char *text;

	if (!at->text)
		return ovs_leave(r, at, REASON_ENDS);
	text = strchr(at->text, '=') + 1;
	/* An empty list drops. */
	if (!*text && !tokens_peek(r->parts)->text)
		r->d->verdict = "drop";
	while (at->text) {
		if (*text && !ovs_action(r, at, text))
			return false;
		at = tokens_next(r->parts);
		text = at->text;
	}
	if (!r->d->verdict)
		return ovs_leave(r, at, REASON_FATE);
	if (!strcmp(r->d->verdict, "drop"))
		memset(r->d->change, 0, sizeof(r->d->change));
	return true;
}
