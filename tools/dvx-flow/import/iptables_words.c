/* SPDX-License-Identifier: BSD-2-Clause */
/* The matches of iptables(8) and iptables-extensions(8). */
#include "iptables.h"
#include "rules/words.h"

static struct ipt_read *ipt_of(struct draft *d)
{
	return (struct ipt_read *)d;
}

/* --- values of a rule -------------------------------------------------------------------------- */

/* Converts a list with commas between its elements. The result is every value if one of them is. */
static struct value
ipt_list(struct draft *d, const struct row *row, const char *text,
	 struct value (*one)(struct draft *d, const struct row *row, const char *text), size_t size)
{
	struct value list = {.bad = !*text};

	while (*text) {
		size_t n = strcspn(text, ",");
		const char *item = import_format(d->im, "%.*s", (int)n, text);

		if (!value_append(d->im, &list, one(d, row, item), size))
			break;
		text += n + (text[n] == ',');
	}
	return list;
}

/* Converts an address. Behind fewer than three dots of IPv4's the kernel's tool adds zeros: 10/8. */
static struct value ipt_net(struct draft *d, const struct row *row, const char *text)
{
	static const char *const zeros[] = {".0.0.0", ".0.0", ".0", ""};
	size_t n = strcspn(text, "/"), dots = 0;

	for (size_t i = 0; i < n && dots < 3; i++)
		dots += text[i] == '.';
	if (d->family == 4 && n && strspn(text, "0123456789.") >= n)
		text = import_format(d->im, "%.*s%s%s", (int)n, text, zeros[dots], text + n);
	return value_net(d, row, text);
}

static struct value ipt_nets(struct draft *d, const struct row *row, const char *text)
{
	return ipt_list(d, row, text, ipt_net, sizeof(struct rule_net));
}

static struct value ipt_ports(struct draft *d, const struct row *row, const char *text)
{
	return ipt_list(d, row, text, value_ports, sizeof(struct rule_range));
}

static struct value ipt_proto(struct draft *d, const struct row *row, const char *text)
{
	return strcmp(text, "all") && strcmp(text, "0") ? value_proto(d, row, text) : VALUE_EVERY;
}

static struct value ipt_dscp_class(struct draft *d, const struct row *row, const char *text)
{
	uint64_t dscp;

	return dscp_number(text, &dscp) ? value_of(d->im, dscp) : VALUE_BAD;
}

/* Converts a comparison with a number of 8 bits to a range: nothing is below 0 or above 255. */
static struct value ipt_side(struct draft *d, const char *text, bool below)
{
	uint64_t n;

	if (!number_parse(text, 10, 255, &n))
		return VALUE_BAD;
	d->nothing |= n == (below ? 0u : 255u);
	if (d->nothing)
		return VALUE_EVERY;
	return below ? value_range(d->im, 0, n - 1, 8) : value_range(d->im, n + 1, 255, 8);
}

static struct value ipt_below(struct draft *d, const struct row *row, const char *text)
{
	return ipt_side(d, text, true);
}

static struct value ipt_above(struct draft *d, const struct row *row, const char *text)
{
	return ipt_side(d, text, false);
}

/* Names of a type, or of a type and a code. */
static const char ipt_icmp_names[] =
	"any=255 echo-reply=0 pong=0 destination-unreachable=3 network-unreachable=3/0 "
	"host-unreachable=3/1 protocol-unreachable=3/2 port-unreachable=3/3 "
	"fragmentation-needed=3/4 "
	"source-route-failed=3/5 network-prohibited=3/9 host-prohibited=3/10 "
	"communication-prohibited=3/13 source-quench=4 redirect=5 echo-request=8 ping=8 "
	"router-advertisement=9 router-solicitation=10 time-exceeded=11 ttl-exceeded=11 "
	"ttl-zero-during-transit=11/0 ttl-zero-during-reassembly=11/1 parameter-problem=12 "
	"timestamp-request=13 timestamp-reply=14 address-mask-request=17 address-mask-reply=18";
static const char ipt_icmp6_names[] =
	"destination-unreachable=1 no-route=1/0 communication-prohibited=1/1 beyond-scope=1/2 "
	"address-unreachable=1/3 port-unreachable=1/4 packet-too-big=2 time-exceeded=3 "
	"ttl-exceeded=3 "
	"ttl-zero-during-transit=3/0 ttl-zero-during-reassembly=3/1 parameter-problem=4 "
	"bad-header=4/0 "
	"unknown-header-type=4/1 unknown-option=4/2 echo-request=128 ping=128 echo-reply=129 "
	"pong=129 "
	"router-solicitation=133 router-advertisement=134 neighbour-solicitation=135 "
	"neighbor-solicitation=135 neighbour-advertisement=136 neighbor-advertisement=136 "
	"redirect=137";

static bool ipt_icmp_type(struct draft *d, const struct row *row, const struct token *at)
{
	bool negated = ipt_of(d)->negated, any_code;
	const char *text = at->text;
	char named[16];
	uint64_t type, code = 0;
	size_t n;

	if (names_value(d->family == 4 ? ipt_icmp_names : ipt_icmp6_names, text, named))
		text = named;
	n = strcspn(text, "/");
	any_code = !text[n];
	if (!number_parse(import_format(d->im, "%.*s", (int)n, text), 10, 255, &type) ||
	    (!any_code && !number_parse(text + n + 1, 10, 255, &code)))
		return draft_leave(d, at, REASON_VALUE);
	/* The kernel takes 255 as any type. */
	if (d->family == 4 && type == 255) {
		d->nothing |= negated;
		return true;
	}
	if (negated && !any_code)
		return draft_leave(d, at, REASON_NEGATION);
	return draft_match(d, at, row->what, value_of(d->im, type), negated) &&
	       (any_code || draft_match_number(d, at, SLOT_CODE, code));
}

static bool ipt_flag_bits(const char *text, uint64_t *bits)
{
	*bits = 0;
	while (*text) {
		size_t n = strcspn(text, ",");
		int i = names_index("FIN SYN RST PSH ACK URG ALL NONE", text, n);

		if (i < 0)
			return false;
		*bits |= i < 6 ? 1u << i : i == 6 ? 0x3f : 0;
		text += n + (text[n] == ',');
	}
	return true;
}

static bool ipt_tcp_flags(struct draft *d, const struct row *row, const struct token *at)
{
	const struct token *which = tokens_next(d->line);
	bool negated = ipt_of(d)->negated;
	uint64_t mask, value;

	if (!which->text)
		return draft_leave(d, which, REASON_ENDS);
	if (!ipt_flag_bits(at->text, &mask) || !ipt_flag_bits(which->text, &value))
		return draft_leave(d, at, REASON_VALUE);
	/* A flag outside the mask is never set under it. */
	if (value & ~mask) {
		d->nothing |= !negated;
		return true;
	}
	return draft_match(d, at, row->what, value_flags(d->im, value, mask), negated);
}

static bool ipt_interface(struct draft *d, const struct row *row, const struct token *at)
{
	int ours = draft_interface(d, at->text, ipt_of(d)->negated);

	ipt_of(d)->elsewhere |= ours == 0;
	return ours >= 0 || draft_leave(d, at, REASON_INTERFACE);
}

/* --- words ------------------------------------------------------------------------------------- */

/* Modules of -m whose words are below, and the reasons why others cannot be expressed. */
static const struct row ipt_modules[] = {
	ROW_READ("tcp udp icmp icmp6 icmpv6 multiport iprange mac ttl hl dscp tos ecn comment",
		 row_skip),
	ROW_LEAVE("state conntrack connlimit connbytes connmark connlabel helper", CONNTRACK),
	ROW_LEAVE("recent", MEMORY),
	ROW_LEAVE("limit hashlimit quota statistic rateest", LIMIT),
	ROW_LEAVE("nfacct owner cgroup addrtype pkttype physdev policy rpfilter socket time cpu "
		  "devgroup",
		  HOST),
	ROW_LEAVE("set", SETS),
	ROW_LEAVE("mark", MARK),
	{0},
};

static bool ipt_module(struct draft *d, const struct row *row, const struct token *at)
{
	row = row_find(ipt_modules, at->text);
	return (row && row->read) || draft_leave(d, at, row ? row->what : REASON_FIELD);
}

static bool ipt_target_read(struct draft *d, const struct row *row, const struct token *at)
{
	struct ipt_read *r = ipt_of(d);

	if (r->target)
		return draft_leave(d, at, REASON_SYNTAX);
	r->target = at;
	r->is_goto = row->arg;
	return true;
}

/* Reads the IP version: a file for both has rules of one of them. */
static bool ipt_version(struct draft *d, const struct row *row, const struct token *at)
{
	ipt_of(d)->elsewhere |= row->arg != d->family;
	return true;
}

static bool ipt_syn(struct draft *d, const struct row *row, const struct token *at)
{
	return draft_match(d, at, row->what, value_flags(d->im, 2, 0x17), ipt_of(d)->negated);
}

static bool ipt_counters(struct draft *d, const struct row *row, const struct token *at)
{
	const struct token *bytes = tokens_next(d->line);

	return bytes->text || draft_leave(d, bytes, REASON_ENDS);
}

/* Skips the seconds, if there are any. */
static bool ipt_wait(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t seconds;

	if (tokens_peek(d->line)->text &&
	    number_parse(tokens_peek(d->line)->text, 10, UINT32_MAX, &seconds))
		tokens_next(d->line);
	return true;
}

/* Words without a value. */
static const struct row ipt_bare[] = {
	ROW_READ("-w --wait", ipt_wait),
	ROW_READ("-v --verbose -n --numeric", row_skip),
	ROW_READ("-4 --ipv4", ipt_version, .arg = 4),
	ROW_READ("-6 --ipv6", ipt_version, .arg = 6),
	ROW_READ("--syn", ipt_syn, .what = SLOT_FLAGS),
	ROW_LEAVE("-o --out-interface", DIRECTION),
	ROW_LEAVE("-f --fragment", FRAGMENT),
	ROW_LEAVE("--tcp-option", FIELD),
	{0},
};

static const struct row ipt_words[] = {
	ROW_MATCH("-s --source --src", SRC, ipt_nets),
	ROW_MATCH("-d --destination --dst", DST, ipt_nets),
	ROW_MATCH("-p --protocol --proto", PROTO, ipt_proto, .base = 10),
	ROW_READ("-i --in-interface", ipt_interface),
	ROW_READ("-m --match", ipt_module),
	ROW_READ("-j --jump", ipt_target_read),
	ROW_READ("-g --goto", ipt_target_read, .arg = true),
	ROW_READ("-c --set-counters", ipt_counters),
	ROW_READ("-t --table --comment", row_skip_value),
	ROW_MATCH("--sport --source-port --sports --source-ports", SPORT, ipt_ports, .arg = ':'),
	ROW_MATCH("--dport --destination-port --dports --destination-ports", DPORT, ipt_ports,
		  .arg = ':'),
	ROW_MATCH("--ports --port", PORT, ipt_ports, .arg = ':'),
	ROW_MATCH("--src-range", SRC, value_nets),
	ROW_MATCH("--dst-range", DST, value_nets),
	ROW_MATCH("--mac-source", ETH_SRC, value_mac),
	ROW_MATCH("--ttl-eq --ttl --hl-eq --hl", TTL, value_number, .bits = 8),
	ROW_MATCH("--ttl-lt --hl-lt", TTL, ipt_below),
	ROW_MATCH("--ttl-gt --hl-gt", TTL, ipt_above),
	ROW_MATCH("--dscp", DSCP, value_number, .bits = 8),
	ROW_MATCH("--dscp-class", DSCP, ipt_dscp_class),
	ROW_MATCH("--tos", TOS, value_masked, .bits = 8),
	ROW_MATCH("--ecn-ip-ect", ECN, value_number, .bits = 8),
	ROW_READ("--icmp-type --icmpv6-type", ipt_icmp_type, .what = SLOT_TYPE),
	ROW_READ("--tcp-flags", ipt_tcp_flags, .what = SLOT_FLAGS),
	{0},
};

static bool ipt_word(struct draft *d, const struct token *name)
{
	const struct row *bare = row_find(ipt_bare, name->text);
	const struct row *row = row_find(ipt_words, name->text);
	const struct token *value;

	if (bare)
		return bare->read ? bare->read(d, bare, name) : draft_leave(d, name, bare->what);
	if (!row)
		return draft_leave(d, name, REASON_FIELD);
	ipt_of(d)->negated ^= tokens_take(d->line, "!");
	value = tokens_next(d->line);
	if (!value->text)
		return draft_leave(d, value, REASON_ENDS);
	if (row->read)
		return row->read(d, row, value);
	return draft_match(d, value, row->what, row->value(d, row, value->text),
			   ipt_of(d)->negated);
}

bool ipt_words_read(struct ipt_read *r)
{
	const struct token *before = r->target;

	while (r->target == before && tokens_peek(r->d.line)->text) {
		const struct token *name;

		r->negated = tokens_take(r->d.line, "!");
		name = tokens_next(r->d.line);
		if (!name->text)
			return draft_leave(&r->d, name, REASON_ENDS);
		if (!ipt_word(&r->d, name))
			return false;
	}
	return true;
}
