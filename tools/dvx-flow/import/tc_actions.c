/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions of tc: gact, vlan, pedit with csum, and the reasons why others cannot be expressed.
 */
#include <arpa/inet.h>
#include <string.h>

#include "tc.h"
#include "values.h"

static bool tc_goto(struct tc_read *r, const struct token *at);

/* Skips an action's flags and names: [ FLAGS ] [ HWSTATSSPEC ] of tc-actions(8). */
static void tc_action_flags(struct tc_read *r)
{
	static const char *const flags[] = {"no_percpu", "skip_hw", "skip_sw", NULL};
	static const char *const values[] = {"hw_stats", "index", "cookie", NULL};

	for (;;) {
		bool value = dialect_among(tokens_peek(r->line), values);

		if (!value && !dialect_among(tokens_peek(r->line), flags))
			return;
		tokens_next(r->line);
		if (value)
			tokens_next(r->line);
	}
}

/* Reads the control behind an action: `pipe` goes on with the next one. No word: `usual`. */
static bool tc_control(struct tc_read *r, const char *usual)
{
	static const char *const passes[] = {"pass", "ok", NULL}, *const drops[] = {"drop", "shot",
										    NULL};
	static const char *const others[] = {"continue", "reclassify", NULL};
	const struct token *at = tokens_peek(r->line);

	if (dialect_among(at, others))
		return tc_leave(r, at, REASON_FINAL);
	if (token_is(at, "jump") || token_is(at, "trap"))
		return tc_leave(r, at, REASON_TARGET);
	if (dialect_among(at, passes) || dialect_among(at, drops)) {
		r->d->verdict = dialect_among(tokens_next(r->line), passes) ? "pass" : "drop";
	} else if (tokens_take(r->line, "goto")) {
		return tc_goto(r, at);
	} else if (!tokens_take(r->line, "pipe")) {
		r->d->verdict = usual;
	}
	tc_action_flags(r);
	return true;
}

/* Adds a change, unless a later change in the device's order stands before it. */
static bool tc_change(struct tc_read *r, const struct token *at, enum draft_change change,
		      const char *text)
{
	if (!text)
		return tc_leave(r, at, REASON_VALUE);
	for (unsigned int c = EDIT_PUSH; c < DRAFT_CHANGES; c++)
		if (r->d->change[c])
			return tc_leave(r, at, REASON_ORDER);
	for (unsigned int c = EDIT_POP + 1; change <= EDIT_POP && c < DRAFT_CHANGES; c++)
		if (r->d->change[c])
			return tc_leave(r, at, REASON_ORDER);
	if (r->d->change[change])
		return tc_leave(r, at, REASON_CHANGE);
	r->d->change[change] = text;
	return true;
}

/* --- vlan -------------------------------------------------------------------------------------- */

/* Reads a tag's protocol: 802.1Q if none is named, as dvx-flow pushes it. */
static bool tc_vlan_protocol(struct tc_read *r)
{
	const struct token *at;

	if (!tokens_take(r->line, "protocol"))
		return true;
	at = tokens_next(r->line);
	return (at->text && !strcasecmp(at->text, "802.1q")) || tc_leave(r, at, REASON_CHANGE);
}

static bool tc_vlan_push(struct tc_read *r, const struct token *at)
{
	const char *id = NULL, *pcp = NULL;

	for (;;) {
		const struct token *word = tokens_peek(r->line);

		if (tokens_take(r->line, "id")) {
			id = tokens_next(r->line)->text;
		} else if (tokens_take(r->line, "priority")) {
			word = tokens_next(r->line);
			pcp = word->text ? value_masked(r->im, word->text, 0, 3) : NULL;
			if (!pcp)
				return tc_leave(r, word, word->text ? REASON_VALUE : REASON_ENDS);
		} else if (!token_is(word, "protocol")) {
			break;
		} else if (!tc_vlan_protocol(r)) {
			return false;
		}
	}
	if (!tc_change(r, at, EDIT_PUSH, id ? value_masked(r->im, id, 0, 12) : NULL))
		return false;
	r->d->change[EDIT_PUSH_PCP] = pcp;
	return tc_control(r, NULL);
}

static bool tc_vlan_modify(struct tc_read *r, const struct token *at)
{
	const struct token *id;

	const char *tag = draft_value(r->d, SLOT_TAG);

	if (!tokens_take(r->line, "id") || !tag || strcmp(tag, "vlan"))
		return tc_leave(r, tokens_peek(r->line), REASON_CHANGE);
	id = tokens_next(r->line);
	/* tc makes the tag's protocol 802.1Q if it is another one. */
	if (!tc_change(r, at, EDIT_VLAN, id->text ? value_masked(r->im, id->text, 0, 12) : NULL))
		return false;
	if (!tc_vlan_protocol(r))
		return false;
	if (token_is(tokens_peek(r->line), "priority"))
		return tc_leave(r, tokens_peek(r->line), REASON_CHANGE);
	return tc_control(r, NULL);
}

static bool tc_vlan(struct tc_read *r, const struct token *at)
{
	if (tokens_take(r->line, "pop"))
		return tc_change(r, at, EDIT_POP, "") && tc_control(r, NULL);
	if (tokens_take(r->line, "push"))
		return tc_vlan_push(r, at);
	if (tokens_take(r->line, "modify"))
		return tc_vlan_modify(r, at);
	return tc_leave(r, tokens_peek(r->line), REASON_CHANGE);
}

/* --- pedit ------------------------------------------------------------------------------------- */

enum { SUM_IP = 1, SUM_TCP = 2, SUM_UDP = 4, SUM_ICMP = 8 };

enum tc_munge_kind { MUNGE_MAC, MUNGE_IP4, MUNGE_IP6, MUNGE_PORT, MUNGE_NUMBER };

static const struct tc_munge {
	const char *layer, *field;
	enum draft_change change;
	enum tc_munge_kind kind;
	const char *prefix; /* of the value in a rule */
	unsigned int sums;  /* checksums that are wrong then */
} tc_munges[] = {
	{"eth", "src", EDIT_ETH_SRC, MUNGE_MAC, "", 0},
	{"eth", "dst", EDIT_ETH_DST, MUNGE_MAC, "", 0},
	{"ip", "src", EDIT_IP_SRC, MUNGE_IP4, "ipv4 src ", SUM_IP | SUM_TCP | SUM_UDP},
	{"ip", "dst", EDIT_IP_DST, MUNGE_IP4, "ipv4 dst ", SUM_IP | SUM_TCP | SUM_UDP},
	{"ip", "ttl", EDIT_TTL, MUNGE_NUMBER, "", SUM_IP},
	{"ip6", "src", EDIT_IP_SRC, MUNGE_IP6, "ipv6 src ", SUM_TCP | SUM_UDP | SUM_ICMP},
	{"ip6", "dst", EDIT_IP_DST, MUNGE_IP6, "ipv6 dst ", SUM_TCP | SUM_UDP | SUM_ICMP},
	{"ip6", "hoplimit", EDIT_TTL, MUNGE_NUMBER, "", 0},
	{"tcp", "sport", EDIT_SPORT, MUNGE_PORT, "tcp src port ", SUM_TCP},
	{"tcp", "dport", EDIT_DPORT, MUNGE_PORT, "tcp dst port ", SUM_TCP},
	{"udp", "sport", EDIT_SPORT, MUNGE_PORT, "udp src port ", SUM_UDP},
	{"udp", "dport", EDIT_DPORT, MUNGE_PORT, "udp dst port ", SUM_UDP},
};

static const char *tc_munge_value(struct tc_read *r, enum tc_munge_kind kind, const char *text)
{
	if (strchr(text, '/'))
		return NULL;
	switch (kind) {
	case MUNGE_MAC:
		return value_mac(r->im, text);
	case MUNGE_IP4:
		return value_net(r->im, text, AF_INET);
	case MUNGE_IP6:
		return value_net(r->im, text, AF_INET6);
	case MUNGE_PORT:
		return value_masked(r->im, text, 0, 16);
	default:
		return value_masked(r->im, text, 0, 8);
	}
}

/* Returns the checksums that the filter's packets have. */
static unsigned int tc_sums(const struct tc_read *r)
{
	const char *proto = draft_value(r->d, SLOT_PROTO);

	if (!proto)
		return SUM_IP | SUM_TCP | SUM_UDP | SUM_ICMP;
	if (!strcmp(proto, "tcp"))
		return SUM_IP | SUM_TCP;
	if (!strcmp(proto, "udp"))
		return SUM_IP | SUM_UDP;
	return SUM_IP | (!strcmp(proto, "icmp6") ? SUM_ICMP : 0u);
}

static bool tc_munge_apply(struct tc_read *r, const struct tc_munge *m, const struct token *at)
{
	const struct token *how = tokens_next(r->line), *value;
	const char *text;

	r->unsummed |= m->sums & tc_sums(r);
	if (token_is(how, "dec") && m->change == EDIT_TTL)
		return tc_change(r, at, EDIT_DEC_TTL, "");
	value = tokens_next(r->line);
	/* 255 added to an 8-bit field subtracts one. */
	if (token_is(how, "add") && m->change == EDIT_TTL &&
	    (token_is(value, "255") || token_is(value, "0xff")))
		return tc_change(r, at, EDIT_DEC_TTL, "");
	if (!token_is(how, "set"))
		return tc_leave(r, how, REASON_CHANGE);
	text = value->text ? tc_munge_value(r, m->kind, value->text) : NULL;
	if (!text || !*text)
		return tc_leave(r, value, REASON_VALUE);
	if (token_is(tokens_peek(r->line), "retain"))
		return tc_leave(r, tokens_peek(r->line), REASON_CHANGE);
	return tc_change(r, at, m->change, import_format(r->im, "%s%s", m->prefix, text));
}

static bool tc_munge(struct tc_read *r)
{
	const struct token *layer = tokens_next(r->line), *field = tokens_next(r->line);

	for (size_t i = 0; i < sizeof(tc_munges) / sizeof(tc_munges[0]); i++)
		if (token_is(layer, tc_munges[i].layer) && token_is(field, tc_munges[i].field))
			return tc_munge_apply(r, &tc_munges[i], field);
	return tc_leave(r, field, REASON_CHANGE);
}

static bool tc_pedit(struct tc_read *r, const struct token *at)
{
	tokens_take(r->line, "pedit");
	if (!tokens_take(r->line, "ex"))
		return tc_leave(r, at, REASON_CHANGE);
	while (tokens_take(r->line, "munge"))
		if (!tc_munge(r))
			return false;
	return tc_control(r, "pass");
}

/* Reads csum. The device corrects checksums by itself, but without these words tc would not. */
static bool tc_csum(struct tc_read *r, const struct token *at)
{
	static const struct {
		const char *name;
		unsigned int sums;
	} words[] = {
		{"ip4h", SUM_IP},   {"ip", SUM_IP}, {"tcp", SUM_TCP}, {"udp", SUM_UDP},
		{"icmp", SUM_ICMP}, {"igmp", 0},    {"sctp", 0},      {"and", 0},
		{"or", 0},	    {"udplite", 0},
	};
	size_t i = 0;

	(void)at;
	while (i < sizeof(words) / sizeof(words[0])) {
		bool is = tokens_take(r->line, words[i].name);

		if (is)
			r->unsummed &= ~words[i].sums;
		i = is ? 0 : i + 1;
	}
	return tc_control(r, "pass");
}

static bool tc_goto(struct tc_read *r, const struct token *at)
{
	const struct token *number;
	uint64_t n;

	if (!tokens_take(r->line, "chain"))
		return tc_leave(r, at, REASON_SYNTAX);
	number = tokens_next(r->line);
	if (!value_number(number->text ? number->text : "", 0, UINT32_MAX, &n))
		return tc_leave(r, number, REASON_VALUE);
	r->d->leads = true;
	r->d->go = (uint32_t)n;
	r->d->verdict = "send";
	return tc_control(r, "send");
}

/* --- all --------------------------------------------------------------------------------------- */

static const struct tc_action {
	const char *name;
	const char *verdict; /* NULL: none */
	bool (*read)(struct tc_read *r, const struct token *at);
	enum import_reason reason;
} tc_actions[] = {
	{"drop", "drop", NULL, 0},
	{"shot", "drop", NULL, 0},
	{"pass", "pass", NULL, 0},
	{"ok", "pass", NULL, 0},
	{"vlan", NULL, tc_vlan, 0},
	{"pedit", NULL, tc_pedit, 0},
	{"csum", NULL, tc_csum, 0},
	{"continue", NULL, NULL, REASON_FINAL},
	{"pipe", NULL, NULL, REASON_FINAL},
	{"reclassify", NULL, NULL, REASON_FINAL},
	{"goto", NULL, tc_goto, 0},
	{"jump", NULL, NULL, REASON_UNKNOWN},
	{"trap", NULL, NULL, REASON_TARGET},
	{"mirred", NULL, NULL, REASON_TARGET},
	{"skbedit", NULL, NULL, REASON_KERNEL_QUEUE},
	{"skbmod", NULL, NULL, REASON_CHANGE},
	{"tunnel_key", NULL, NULL, REASON_TUNNEL},
	{"police", NULL, NULL, REASON_LIMIT},
	{"ct", NULL, NULL, REASON_CONNTRACK},
	{"ctinfo", NULL, NULL, REASON_CONNTRACK},
	{"connmark", NULL, NULL, REASON_CONNTRACK},
	{"nat", NULL, NULL, REASON_NAT},
	{"mpls", NULL, NULL, REASON_CHANGE},
	{"sample", NULL, NULL, REASON_TARGET},
	{"bpf", NULL, NULL, REASON_CHANGE},
	{"random", NULL, NULL, REASON_LIMIT},
};

static const struct tc_action *tc_action_find(const struct token *t)
{
	for (size_t i = 0; i < sizeof(tc_actions) / sizeof(tc_actions[0]); i++)
		if (token_is(t, tc_actions[i].name))
			return &tc_actions[i];
	return NULL;
}

static bool tc_action(struct tc_read *r)
{
	const struct token *name = tokens_next(r->line);
	const struct tc_action *a = tc_action_find(name);

	if (token_is(name, "gact"))
		a = tc_action_find(name = tokens_next(r->line));
	if (!name->text)
		return tc_leave(r, name, REASON_ENDS);
	if (!a)
		return tc_leave(r, name, REASON_UNKNOWN);
	if (a->read)
		return a->read(r, name);
	if (!a->verdict)
		return tc_leave(r, name, a->reason);
	if (token_is(tokens_peek(r->line), "random"))
		return tc_leave(r, tokens_peek(r->line), REASON_LIMIT);
	return tc_control(r, a->verdict);
}

/* Removes changes of a dropped packet, which do not matter. */
static void tc_forget_changes(struct draft *d)
{
	if (!strcmp(d->verdict, "drop"))
		memset(d->change, 0, sizeof(d->change));
}

bool tc_actions_read(struct tc_read *r)
{
	while (!r->d->verdict && tokens_peek(r->line)->text) {
		/* The word may be left out behind `pipe'. */
		tokens_take(r->line, "action");
		if (!tc_action(r))
			return false;
	}
	if (!r->d->verdict)
		return tc_leave(r, tokens_peek(r->line), REASON_FINAL);
	/* Further actions are not reached. */
	if (tokens_peek(r->line)->text && !token_is(tokens_peek(r->line), "action"))
		return tc_leave(r, tokens_peek(r->line), REASON_SYNTAX);
	tc_forget_changes(r->d);
	if (r->unsummed && strcmp(r->d->verdict, "drop"))
		return tc_leave(r, r->d->at, REASON_CSUM);
	return true;
}
