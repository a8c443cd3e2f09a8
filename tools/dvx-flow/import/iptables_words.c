/* SPDX-License-Identifier: BSD-2-Clause */
/* The matches of iptables(8) and iptables-extensions(8). */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "iptables.h"
#include "rules/words.h"
#include "values.h"

enum ipt_kind {
	IPT_NETS,
	IPT_RANGE,
	IPT_PROTO,
	IPT_PORTS,
	IPT_MAC,
	IPT_NUMBER,
	IPT_MASKED,
	IPT_BELOW,
	IPT_ABOVE,
	IPT_NAME,
	IPT_ICMP,
	IPT_FLAGS,
	IPT_SYN,
	IPT_IN,
	IPT_MODULE,
	IPT_TARGET,
	IPT_GOTO,
	IPT_SKIP,
	IPT_FAMILY,
	IPT_SKIP1,
	IPT_SKIP2,
	IPT_REFUSE,
};

static const struct ipt_word {
	const char *name, *other;
	enum ipt_kind kind;
	unsigned int slot; /* IPT_REFUSE: the reason; IPT_FAMILY: 4 or 6 */
} ipt_words[] = {
	{"-s", "--source", IPT_NETS, SLOT_SRC},
	{"--src", "--src", IPT_NETS, SLOT_SRC},
	{"-d", "--destination", IPT_NETS, SLOT_DST},
	{"--dst", "--dst", IPT_NETS, SLOT_DST},
	{"-p", "--protocol", IPT_PROTO, SLOT_PROTO},
	{"--proto", "--proto", IPT_PROTO, SLOT_PROTO},
	{"-i", "--in-interface", IPT_IN, 0},
	{"-o", "--out-interface", IPT_REFUSE, REASON_DIRECTION},
	{"-m", "--match", IPT_MODULE, 0},
	{"-j", "--jump", IPT_TARGET, 0},
	{"-g", "--goto", IPT_GOTO, 0},
	{"-f", "--fragment", IPT_REFUSE, REASON_FRAGMENT},
	{"-c", "--set-counters", IPT_SKIP2, 0},
	{"-w", "--wait", IPT_SKIP, 0},
	{"-4", "--ipv4", IPT_FAMILY, 4},
	{"-6", "--ipv6", IPT_FAMILY, 6},
	{"-t", "--table", IPT_SKIP1, 0},
	{"--comment", "--comment", IPT_SKIP1, 0},
	{"--sport", "--source-port", IPT_PORTS, SLOT_SPORT},
	{"--dport", "--destination-port", IPT_PORTS, SLOT_DPORT},
	{"--sports", "--source-ports", IPT_PORTS, SLOT_SPORT},
	{"--dports", "--destination-ports", IPT_PORTS, SLOT_DPORT},
	{"--ports", "--port", IPT_PORTS, SLOT_PORT},
	{"--src-range", "--src-range", IPT_RANGE, SLOT_SRC},
	{"--dst-range", "--dst-range", IPT_RANGE, SLOT_DST},
	{"--mac-source", "--mac-source", IPT_MAC, SLOT_ETH_SRC},
	{"--ttl-eq", "--ttl", IPT_NUMBER, SLOT_TTL},
	{"--hl-eq", "--hl", IPT_NUMBER, SLOT_TTL},
	{"--ttl-lt", "--hl-lt", IPT_BELOW, SLOT_TTL},
	{"--ttl-gt", "--hl-gt", IPT_ABOVE, SLOT_TTL},
	{"--dscp", "--dscp", IPT_NUMBER, SLOT_DSCP},
	{"--dscp-class", "--dscp-class", IPT_NAME, SLOT_DSCP},
	{"--tos", "--tos", IPT_MASKED, SLOT_TOS},
	{"--ecn-ip-ect", "--ecn-ip-ect", IPT_NUMBER, SLOT_ECN},
	{"--icmp-type", "--icmpv6-type", IPT_ICMP, SLOT_TYPE},
	{"--tcp-flags", "--tcp-flags", IPT_FLAGS, SLOT_FLAGS},
	{"--syn", "--syn", IPT_SYN, SLOT_FLAGS},
	{"--tcp-option", "--tcp-option", IPT_REFUSE, REASON_FIELD},
};

/* Modules of -m: those with words above, and the reasons why others cannot be expressed. */
static const struct {
	const char *name;
	bool known;
	enum import_reason reason;
} ipt_modules[] = {
	{"tcp", true, 0},
	{"udp", true, 0},
	{"icmp", true, 0},
	{"icmp6", true, 0},
	{"icmpv6", true, 0},
	{"multiport", true, 0},
	{"iprange", true, 0},
	{"mac", true, 0},
	{"ttl", true, 0},
	{"hl", true, 0},
	{"dscp", true, 0},
	{"tos", true, 0},
	{"ecn", true, 0},
	{"comment", true, 0},
	{"state", false, REASON_CONNTRACK},
	{"conntrack", false, REASON_CONNTRACK},
	{"connlimit", false, REASON_CONNTRACK},
	{"connbytes", false, REASON_CONNTRACK},
	{"connmark", false, REASON_CONNTRACK},
	{"connlabel", false, REASON_CONNTRACK},
	{"helper", false, REASON_CONNTRACK},
	{"recent", false, REASON_MEMORY},
	{"limit", false, REASON_LIMIT},
	{"hashlimit", false, REASON_LIMIT},
	{"quota", false, REASON_LIMIT},
	{"statistic", false, REASON_LIMIT},
	{"rateest", false, REASON_LIMIT},
	{"nfacct", false, REASON_HOST},
	{"set", false, REASON_SETS},
	{"owner", false, REASON_HOST},
	{"cgroup", false, REASON_HOST},
	{"mark", false, REASON_MARK},
	{"addrtype", false, REASON_HOST},
	{"pkttype", false, REASON_HOST},
	{"physdev", false, REASON_HOST},
	{"policy", false, REASON_HOST},
	{"rpfilter", false, REASON_HOST},
	{"socket", false, REASON_HOST},
	{"time", false, REASON_HOST},
	{"cpu", false, REASON_HOST},
	{"devgroup", false, REASON_HOST},
};

struct ipt_icmp {
	const char *name;
	int type, code; /* -1: any */
};

static const struct ipt_icmp ipt_icmp[] = {
	{"any", -1, -1},
	{"echo-reply", 0, -1},
	{"pong", 0, -1},
	{"destination-unreachable", 3, -1},
	{"network-unreachable", 3, 0},
	{"host-unreachable", 3, 1},
	{"protocol-unreachable", 3, 2},
	{"port-unreachable", 3, 3},
	{"fragmentation-needed", 3, 4},
	{"source-route-failed", 3, 5},
	{"network-prohibited", 3, 9},
	{"host-prohibited", 3, 10},
	{"communication-prohibited", 3, 13},
	{"source-quench", 4, -1},
	{"redirect", 5, -1},
	{"echo-request", 8, -1},
	{"ping", 8, -1},
	{"router-advertisement", 9, -1},
	{"router-solicitation", 10, -1},
	{"time-exceeded", 11, -1},
	{"ttl-exceeded", 11, -1},
	{"ttl-zero-during-transit", 11, 0},
	{"ttl-zero-during-reassembly", 11, 1},
	{"parameter-problem", 12, -1},
	{"timestamp-request", 13, -1},
	{"timestamp-reply", 14, -1},
	{"address-mask-request", 17, -1},
	{"address-mask-reply", 18, -1},
	{NULL, 0, 0},
};

static const struct ipt_icmp ipt_icmp6[] = {
	{"destination-unreachable", 1, -1},
	{"no-route", 1, 0},
	{"communication-prohibited", 1, 1},
	{"beyond-scope", 1, 2},
	{"address-unreachable", 1, 3},
	{"port-unreachable", 1, 4},
	{"packet-too-big", 2, -1},
	{"time-exceeded", 3, -1},
	{"ttl-exceeded", 3, -1},
	{"ttl-zero-during-transit", 3, 0},
	{"ttl-zero-during-reassembly", 3, 1},
	{"parameter-problem", 4, -1},
	{"bad-header", 4, 0},
	{"unknown-header-type", 4, 1},
	{"unknown-option", 4, 2},
	{"echo-request", 128, -1},
	{"ping", 128, -1},
	{"echo-reply", 129, -1},
	{"pong", 129, -1},
	{"router-solicitation", 133, -1},
	{"router-advertisement", 134, -1},
	{"neighbour-solicitation", 135, -1},
	{"neighbor-solicitation", 135, -1},
	{"neighbour-advertisement", 136, -1},
	{"neighbor-advertisement", 136, -1},
	{"redirect", 137, -1},
	{NULL, 0, 0},
};

static const struct {
	const char *name;
	uint64_t bits;
} ipt_flags[] = {
	{"FIN", 1},  {"SYN", 2},  {"RST", 4},	 {"PSH", 8},
	{"ACK", 16}, {"URG", 32}, {"ALL", 0x3f}, {"NONE", 0},
};

/* --- values of a rule -------------------------------------------------------------------------- */

static bool ipt_leave(struct ipt_read *r, const struct token *at, enum import_reason reason)
{
	return import_leave(r->im, r->d, at, reason);
}

static bool ipt_match_add(struct ipt_read *r, const struct token *at, enum draft_slot slot,
		    const char *text)
{
	if (!text)
		return ipt_leave(r, at, REASON_VALUE);
	if (r->negated ? draft_deny(r->im, r->d, slot, text) : draft_add(r->im, r->d, slot, text))
		return true;
	return ipt_leave(r, at, REASON_TWICE);
}

static const char *ipt_net(struct ipt_read *r, const char *text, char unused)
{
	(void)unused;
	return value_net(r->im, text, r->family == 4 ? AF_INET : AF_INET6);
}

static const char *ipt_port(struct ipt_read *r, const char *text, char separator)
{
	return value_ports(r->im, text, separator);
}

/* Converts a list of values with commas between them. Returns "" if one of them is every value. */
static const char *ipt_list(struct ipt_read *r, const char *text,
			    const char *(*one)(struct ipt_read *r, const char *text, char arg),
			    char arg)
{
	struct import *im = r->im;
	struct value_list list = {0};

	while (*text) {
		size_t n = strcspn(text, ",");
		const char *item = one(r, import_format(im, "%.*s", (int)n, text), arg);

		if (!item || !*item) {
			value_list_end(im, &list);
			return item;
		}
		value_list_add(im, &list, item);
		text += n + (text[n] == ',');
	}
	return value_list_end(im, &list);
}

static bool ipt_icmp_type(struct ipt_read *r, const struct token *at)
{
	const struct ipt_icmp *row = r->family == 4 ? ipt_icmp : ipt_icmp6;
	struct import *im = r->im;
	size_t n = strcspn(at->text, "/");
	uint64_t type, code = 0;
	bool any_code = !at->text[n];

	while (row->name && strcmp(row->name, at->text))
		row++;
	if (row->name) {
		type = (uint64_t)row->type;
		code = (uint64_t)row->code;
		any_code = row->code < 0;
	} else if (!value_number(import_format(im, "%.*s", (int)n, at->text), 10, 255, &type) ||
		   (!any_code && !value_number(at->text + n + 1, 10, 255, &code))) {
		return ipt_leave(r, at, REASON_VALUE);
	}
	/* The kernel takes 255 as any type. */
	if (r->family == 4 && (uint8_t)type == 255) {
		r->d->nothing |= r->negated;
		return true;
	}
	if (r->negated && !any_code)
		return ipt_leave(r, at, REASON_NEGATION);
	if (!ipt_match_add(r, at, SLOT_TYPE, import_format(im, "%u", (unsigned int)type)))
		return false;
	return any_code || ipt_match_add(r, at, SLOT_CODE, import_format(im, "%u", (unsigned int)code));
}

static bool ipt_flag_bits(const char *text, uint64_t *bits)
{
	*bits = 0;
	while (*text) {
		size_t n = strcspn(text, ","), i = 0;

		while (i < sizeof(ipt_flags) / sizeof(ipt_flags[0]) &&
		       (strlen(ipt_flags[i].name) != n || strncmp(ipt_flags[i].name, text, n)))
			i++;
		if (i == sizeof(ipt_flags) / sizeof(ipt_flags[0]))
			return false;
		*bits |= ipt_flags[i].bits;
		text += n + (text[n] == ',');
	}
	return true;
}

static bool ipt_tcp_flags(struct ipt_read *r, const struct token *at)
{
	const struct token *which = tokens_next(r->line);
	uint64_t mask, value;

	if (!which->text)
		return ipt_leave(r, which, REASON_ENDS);
	if (!ipt_flag_bits(at->text, &mask) || !ipt_flag_bits(which->text, &value))
		return ipt_leave(r, at, REASON_VALUE);
	/* A flag outside the mask is never set under it. */
	if (value & ~mask) {
		r->d->nothing |= !r->negated;
		return true;
	}
	return ipt_match_add(r, at, SLOT_FLAGS, value_flags(r->im, value & mask, mask));
}

static bool ipt_interface(struct ipt_read *r, const struct token *at)
{
	int ours = import_interface(r->im, r->d, at->text, r->negated);

	r->elsewhere |= ours == 0;
	return ours >= 0 || ipt_leave(r, at, REASON_INTERFACE);
}

static bool ipt_module(struct ipt_read *r, const struct token *at)
{
	for (size_t i = 0; i < sizeof(ipt_modules) / sizeof(ipt_modules[0]); i++)
		if (token_is(at, ipt_modules[i].name))
			return ipt_modules[i].known || ipt_leave(r, at, ipt_modules[i].reason);
	return ipt_leave(r, at, REASON_FIELD);
}

/* Converts a comparison with a number of 8 bits to a range: nothing is below 0 or above 255. */
static const char *ipt_side(struct ipt_read *r, const char *text, bool below)
{
	uint64_t n;

	if (!value_number(text, 10, 255, &n))
		return NULL;
	r->d->nothing |= n == (below ? 0u : 255u);
	if (r->d->nothing)
		return "";
	return below ? value_range(r->im, 0, n - 1, 8) : value_range(r->im, n + 1, 255, 8);
}

static bool ipt_protocol(struct ipt_read *r, const struct token *at)
{
	const char *text = at->text;

	if (!strcmp(text, "all") || !strcmp(text, "0"))
		return ipt_match_add(r, at, SLOT_PROTO, "");
	return ipt_match_add(r, at, SLOT_PROTO, value_proto(r->im, text, 10));
}

/* Reads a word with one value. */
static bool ipt_value(struct ipt_read *r, const struct ipt_word *w, const struct token *at)
{
	struct import *im = r->im;
	uint64_t dscp;

	switch (w->kind) {
	case IPT_NETS:
		return ipt_match_add(r, at, w->slot, ipt_list(r, at->text, ipt_net, 0));
	case IPT_RANGE:
		return ipt_match_add(r, at, w->slot,
			       value_nets(im, at->text, r->family == 4 ? AF_INET : AF_INET6));
	case IPT_PROTO:
		return ipt_protocol(r, at);
	case IPT_PORTS:
		return ipt_match_add(r, at, w->slot, ipt_list(r, at->text, ipt_port, ':'));
	case IPT_MAC:
		return ipt_match_add(r, at, w->slot, value_mac(im, at->text));
	case IPT_NUMBER:
		return ipt_match_add(r, at, w->slot,
			       strchr(at->text, '/') ? NULL : value_masked(im, at->text, 0, 8));
	case IPT_MASKED:
		return ipt_match_add(r, at, w->slot, value_masked(im, at->text, 0, 8));
	case IPT_BELOW:
	case IPT_ABOVE:
		return ipt_match_add(r, at, w->slot, ipt_side(r, at->text, w->kind == IPT_BELOW));
	case IPT_NAME:
		return ipt_match_add(r, at, w->slot,
			       dscp_number(at->text, &dscp) ? import_format(im, "%" PRIu64, dscp)
							    : NULL);
	case IPT_ICMP:
		return ipt_icmp_type(r, at);
	case IPT_FLAGS:
		return ipt_tcp_flags(r, at);
	case IPT_IN:
		return ipt_interface(r, at);
	case IPT_MODULE:
		return ipt_module(r, at);
	default:
		if (r->target)
			return ipt_leave(r, at, REASON_SYNTAX);
		r->target = at;
		r->is_goto = w->kind == IPT_GOTO;
		return true;
	}
}

static bool ipt_word(struct ipt_read *r, const struct ipt_word *w, const struct token *name)
{
	const struct token *value;

	if (w->kind == IPT_REFUSE)
		return ipt_leave(r, name, (enum import_reason)w->slot);
	/* A file for both IP versions has rules of one of them. */
	if (w->kind == IPT_FAMILY)
		r->elsewhere |= w->slot != r->family;
	if (w->kind == IPT_SKIP || w->kind == IPT_FAMILY)
		return true;
	if (w->kind == IPT_SYN)
		return ipt_match_add(r, name, w->slot, value_flags(r->im, 2, 0x17));
	if (tokens_take(r->line, "!"))
		r->negated = !r->negated;
	value = tokens_next(r->line);
	if (w->kind == IPT_SKIP2)
		value = tokens_next(r->line);
	if (!value->text)
		return ipt_leave(r, value, REASON_ENDS);
	return w->kind == IPT_SKIP1 || w->kind == IPT_SKIP2 || ipt_value(r, w, value);
}

bool ipt_words_read(struct ipt_read *r)
{
	const struct token *before = r->target;

	while (r->target == before && tokens_peek(r->line)->text) {
		const struct token *name;
		size_t i = 0;

		r->negated = tokens_take(r->line, "!");
		name = tokens_next(r->line);
		if (!name->text)
			return ipt_leave(r, name, REASON_ENDS);
		while (i < sizeof(ipt_words) / sizeof(ipt_words[0]) &&
		       !token_is(name, ipt_words[i].name) && !token_is(name, ipt_words[i].other))
			i++;
		if (i == sizeof(ipt_words) / sizeof(ipt_words[0]))
			return ipt_leave(r, name, REASON_FIELD);
		if (!ipt_word(r, &ipt_words[i], name))
			return false;
	}
	return true;
}
