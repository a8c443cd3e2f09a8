/* SPDX-License-Identifier: BSD-2-Clause */
/* The actions of ovs-actions(7), which act in the order in which they stand. */
#include "ovs.h"

/* --- changes ----------------------------------------------------------------------------------- */

static bool ovs_pop(struct draft *d, const struct row *row, const struct token *at)
{
	return draft_change(d, at, (struct rule_change){.kind = CHANGE_POP}, true);
}

static bool ovs_push(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t type;

	if (!number_parse(ovs_of(d)->text, 0, 0xffff, &type) || type != 0x8100)
		return draft_leave(d, at, REASON_CHANGE);
	return draft_change(d, at, (struct rule_change){.kind = CHANGE_PUSH}, false);
}

/* Sets the VLAN of the tag that was pushed before, if one was. Bit 12 means that the tag exists. */
static bool ovs_set_vlan(struct draft *d, const struct row *row, const struct token *at)
{
	bool pushed = draft_has_change(d, CHANGE_PUSH);
	struct rule_change c = {.kind = CHANGE_VLAN};
	uint64_t id;

	if (!number_parse(ovs_of(d)->text, 0, 0x1fff, &id))
		return draft_leave(d, at, REASON_VALUE);
	/* It is not known whether there is another tag. */
	if (draft_has_change(d, CHANGE_POP) && !pushed)
		return draft_leave(d, at, REASON_CHANGE);
	c.value = id & 0xfff;
	if (pushed) {
		d->change[CHANGE_PUSH].value = c.value;
		return true;
	}
	/* A packet without a tag gets one. */
	if (draft_number(d, SLOT_TAG) == TAG_NONE)
		c.kind = CHANGE_PUSH;
	return draft_change(d, at, c, true);
}

/* Adds a change. A port is of the flow's protocol. */
static bool ovs_change(struct draft *d, const struct row *row, const struct token *at)
{
	bool port = row->what == CHANGE_SPORT || row->what == CHANGE_DPORT;
	int64_t of = port ? draft_number(d, SLOT_PROTO) : (int64_t)row->arg;
	struct rule_change c;

	if (of < 0)
		return draft_leave(d, at, REASON_CHANGE);
	if (!change_fill(&c, row->what, (unsigned int)of, row->value(d, row, ovs_of(d)->text)))
		return draft_leave(d, at, REASON_VALUE);
	return draft_change(d, at, c, true);
}

#define OVS_CHANGE(name, change, of, how, ...) \
	ROW_CHANGE(name, change, of, how, .read = ovs_change, __VA_ARGS__)

/* Actions that change the packet; with an arrow, fields of set_field. */
static const struct row ovs_changes[] = {
	ROW_READ("strip_vlan pop_vlan", ovs_pop),
	ROW_READ("push_vlan", ovs_push),
	ROW_READ("mod_vlan_vid set_vlan_vid ->vlan_vid ->dl_vlan", ovs_set_vlan),
	OVS_CHANGE("mod_dl_src ->eth_src ->dl_src", ETH_SRC, 0, value_mac),
	OVS_CHANGE("mod_dl_dst ->eth_dst ->dl_dst", ETH_DST, 0, value_mac),
	OVS_CHANGE("mod_nw_src ->ip_src ->nw_src", IP_SRC, 4, value_net),
	OVS_CHANGE("mod_nw_dst ->ip_dst ->nw_dst", IP_DST, 4, value_net),
	OVS_CHANGE("->ipv6_src", IP_SRC, 6, value_net),
	OVS_CHANGE("->ipv6_dst", IP_DST, 6, value_net),
	OVS_CHANGE("mod_tp_src ->tcp_src ->udp_src", SPORT, 0, value_number, .bits = 16),
	OVS_CHANGE("mod_tp_dst ->tcp_dst ->udp_dst", DPORT, 0, value_number, .bits = 16),
	OVS_CHANGE("mod_nw_tos ->nw_tos", DSCP, 0, value_class),
	OVS_CHANGE("->ip_dscp", DSCP, 0, value_number, .bits = 6),
	OVS_CHANGE("mod_nw_ttl ->nw_ttl", TTL, 0, value_number, .bits = 8),
	{0},
};

/* Reads a change to this value. One with a mask is about a part of a field. */
static bool ovs_change_read(struct draft *d, const char *name, const struct token *at,
			    const char *value)
{
	const struct row *row = row_find(ovs_changes, name);

	if (!row || strchr(value, '/'))
		return draft_leave(d, at, REASON_CHANGE);
	ovs_of(d)->text = value;
	return row->read(d, row, at);
}

/* Reads VALUE->FIELD. */
static bool ovs_set_field(struct draft *d, const struct token *at, const char *text)
{
	const char *arrow = strstr(text, "->");

	if (!arrow)
		return draft_leave(d, at, REASON_VALUE);
	return ovs_change_read(d, arrow, at,
			       import_format(d->im, "%.*s", (int)(arrow - text), text));
}

/* --- all --------------------------------------------------------------------------------------- */

/* Names up to a colon or a parenthesis. */
static const struct row ovs_others[] = {
	/* A packet whose TTL runs out goes to the controller. */
	ROW_LEAVE("set_vlan_pcp mod_vlan_pcp mod_nw_ecn dec_ttl load move push pop "
		  "push_mpls "
		  "pop_mpls",
		  CHANGE),
	ROW_LEAVE("set_tunnel", ENCAP),
	ROW_LEAVE("set_queue enqueue", KERNEL_QUEUE),
	ROW_LEAVE("conjunction", FIELD),
	ROW_LEAVE("ct ct_clear", CONNTRACK),
	ROW_LEAVE("learn", MEMORY),
	ROW_LEAVE("meter", LIMIT),
	ROW_LEAVE("output group bundle multipath controller flood all in_port clone sample",
		  TARGET),
	ROW_LEAVE("note", LOG),
	{0},
};

/* Reads goto_table:5, or resubmit(,5) at the end; resubmit:5 is about a port. */
static bool ovs_goto(struct draft *d, const struct token *at, const char *text)
{
	size_t from = names_begin("goto_table:", text) ? 11 : 10;
	uint64_t n;

	if (!names_begin("goto_table: resubmit(,", text) ||
	    !number_parse(import_format(d->im, "%.*s", (int)strcspn(text + from, ")"), text + from),
			  10, 254, &n))
		return draft_leave(d, at, REASON_TABLES);
	d->leads = true;
	d->go = (uint32_t)n;
	d->verdict = "send";
	return true;
}

static bool ovs_action(struct draft *d, const struct token *at, const char *text)
{
	const char *lower = import_lower(d->im, text);
	const char *name = import_format(d->im, "%.*s", (int)strcspn(lower, ":("), lower);
	const char *value = strchr(text, ':');
	const struct row *refused = row_find(ovs_others, name);
	uint64_t port;

	value = value ? value + 1 : "";
	if (d->verdict)
		return draft_leave(d, at, REASON_TARGET);
	if (!strcmp(name, "goto_table") || !strcmp(name, "resubmit"))
		return ovs_goto(d, at, lower);
	if (!strcmp(name, "set_field"))
		return ovs_set_field(d, at, value);
	if (*name != '-' && row_find(ovs_changes, name))
		return ovs_change_read(d, name, at, value);
	if (!strcmp(name, "drop"))
		d->verdict = "drop";
	else if (names_index("normal local", name, strlen(name)) >= 0 ||
		 !strcmp(lower, "output:local"))
		d->verdict = "pass";
	else if (refused)
		return draft_leave(d, at, refused->what);
	else
		return draft_leave(d, at,
				   number_parse(text, 10, 0xffff, &port) ? REASON_TARGET
									 : REASON_UNKNOWN);
	return true;
}

bool ovs_actions_read(struct draft *d)
{
	const struct token *at = tokens_next(d->line);
	const char *text;

	if (!at->text)
		return draft_leave(d, at, REASON_ENDS);
	text = strchr(at->text, '=') + 1;
	/* An empty list drops. */
	if (!*text && !tokens_peek(d->line)->text)
		d->verdict = "drop";
	while (at->text) {
		if (*text && !ovs_action(d, at, text))
			return false;
		at = tokens_next(d->line);
		text = at->text;
	}
	return draft_settle(d, at, REASON_FATE);
}
