/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The actions of tc: gact, vlan, pedit with csum, and the reasons why others cannot be expressed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>

#include "tc.h"

static bool tc_goto(struct draft *d, const struct row *row, const struct token *at);

/* Skips an action's flags and names: [ FLAGS ] [ HWSTATSSPEC ] of tc-actions(8). */
static void tc_action_flags(struct tokens *line)
{
	for (;;) {
		bool value = token_among(tokens_peek(line), "hw_stats index cookie");

		if (!value && !token_among(tokens_peek(line), "no_percpu skip_hw skip_sw"))
			return;
		tokens_next(line);
		if (value)
			tokens_next(line);
	}
}

/* Reads the control behind an action: `pipe` goes on with the next one. No word: `usual`. */
static bool tc_control(struct draft *d, const char *usual)
{
	const struct token *at = tokens_peek(d->line);

	if (token_among(at, "continue reclassify"))
		return draft_leave(d, at, REASON_FINAL);
	if (token_among(at, "jump trap"))
		return draft_leave(d, at, REASON_TARGET);
	if (token_among(at, "pass ok drop shot"))
		d->verdict = token_among(tokens_next(d->line), "pass ok") ? "pass" : "drop";
	else if (tokens_take(d->line, "goto"))
		return tc_goto(d, NULL, at);
	else if (!tokens_take(d->line, "pipe"))
		d->verdict = usual;
	tc_action_flags(d->line);
	return true;
}

/* Adds a change of no value or of one number. */
static bool tc_change(struct draft *d, const struct token *at, enum rule_change_kind kind,
		      const struct token *number, unsigned int bits)
{
	struct rule_change c = {.kind = kind};
	uint64_t n = 0;

	if (number && (!number->text || !number_parse(number->text, 0, (1u << bits) - 1, &n)))
		return draft_leave(d, at, REASON_VALUE);
	c.value = (uint32_t)n;
	return draft_change(d, at, c, true);
}

/* --- vlan -------------------------------------------------------------------------------------- */

/* Reads a tag's protocol: 802.1Q if none is named, as dvx-flow pushes it. */
static bool tc_vlan_protocol(struct draft *d)
{
	const struct token *at;

	if (!tokens_take(d->line, "protocol"))
		return true;
	at = tokens_next(d->line);
	return (at->text && !strcasecmp(at->text, "802.1q")) || draft_leave(d, at, REASON_CHANGE);
}

static bool tc_vlan_push(struct draft *d, const struct token *at)
{
	static const struct token none;
	const struct token *id = &none, *pcp;

	for (;;) {
		if (tokens_take(d->line, "id")) {
			id = tokens_next(d->line);
		} else if (tokens_take(d->line, "priority")) {
			pcp = tokens_next(d->line);
			d->has_pcp = true;
			if (!pcp->text || !number_parse(pcp->text, 0, 7, &d->pcp))
				return draft_leave(d, pcp, pcp->text ? REASON_VALUE : REASON_ENDS);
		} else if (!token_is(tokens_peek(d->line), "protocol")) {
			break;
		} else if (!tc_vlan_protocol(d)) {
			return false;
		}
	}
	return tc_change(d, at, CHANGE_PUSH, id, 12) && tc_control(d, NULL);
}

static bool tc_vlan_modify(struct draft *d, const struct token *at)
{
	if (!tokens_take(d->line, "id") || draft_number(d, SLOT_TAG) != TAG_VLAN)
		return draft_leave(d, tokens_peek(d->line), REASON_CHANGE);
	/* tc makes the tag's protocol 802.1Q if it is another one. */
	if (!tc_change(d, at, CHANGE_VLAN, tokens_next(d->line), 12) || !tc_vlan_protocol(d))
		return false;
	if (token_is(tokens_peek(d->line), "priority"))
		return draft_leave(d, tokens_peek(d->line), REASON_CHANGE);
	return tc_control(d, NULL);
}

static bool tc_vlan(struct draft *d, const struct row *row, const struct token *at)
{
	if (tokens_take(d->line, "pop"))
		return tc_change(d, at, CHANGE_POP, NULL, 0) && tc_control(d, NULL);
	if (tokens_take(d->line, "push"))
		return tc_vlan_push(d, at);
	if (tokens_take(d->line, "modify"))
		return tc_vlan_modify(d, at);
	return draft_leave(d, tokens_peek(d->line), REASON_CHANGE);
}

/* --- pedit ------------------------------------------------------------------------------------- */

#define SUM_NAMES "ip4h=1 ip=1 tcp=2 udp=4 icmp=8 igmp=0 sctp=0 and=0 or=0 udplite=0"

const struct row tc_munges[] = {
	ROW_CHANGE("eth.src", ETH_SRC, 0, value_mac),
	ROW_CHANGE("eth.dst", ETH_DST, 0, value_mac),
	ROW_CHANGE("ip.src", IP_SRC, 4, value_net),
	ROW_CHANGE("ip6.src", IP_SRC, 6, value_net),
	ROW_CHANGE("ip.dst", IP_DST, 4, value_net),
	ROW_CHANGE("ip6.dst", IP_DST, 6, value_net),
	ROW_CHANGE("tcp.sport", SPORT, L4_TCP, value_number, .bits = 16),
	ROW_CHANGE("udp.sport", SPORT, L4_UDP, value_number, .bits = 16),
	ROW_CHANGE("tcp.dport", DPORT, L4_TCP, value_number, .bits = 16),
	ROW_CHANGE("udp.dport", DPORT, L4_UDP, value_number, .bits = 16),
	ROW_CHANGE("ip.dsfield ip.tos", DSCP, 4, value_class),
	ROW_CHANGE("ip.ttl", TTL, 4, value_number, .bits = 8),
	ROW_CHANGE("ip6.hoplimit", TTL, 6, value_number, .bits = 8),
	{0},
};

unsigned int tc_sums_of(const struct row *munge)
{
	switch (munge->what) {
	case CHANGE_IP_SRC:
	case CHANGE_IP_DST:
		return (munge->arg == 4 ? SUM_IP : SUM_ICMP) | SUM_TCP | SUM_UDP;
	case CHANGE_TTL:
	case CHANGE_DSCP:
		return munge->arg == 4 ? SUM_IP : 0;
	case CHANGE_SPORT:
	case CHANGE_DPORT:
		return munge->arg == L4_TCP ? SUM_TCP : SUM_UDP;
	default:
		return 0;
	}
}

unsigned int tc_sums(int64_t proto)
{
	switch (proto) {
	case -1:
		return SUM_IP | SUM_TCP | SUM_UDP | SUM_ICMP;
	case 6:
		return SUM_IP | SUM_TCP;
	case 17:
		return SUM_IP | SUM_UDP;
	case 58:
		return SUM_IP | SUM_ICMP;
	default:
		return SUM_IP;
	}
}

/* Reads the bits that change: those of DSCP, or all. */
static bool tc_retain(struct draft *d, const struct row *row)
{
	if (row->what != CHANGE_DSCP)
		return !token_is(tokens_peek(d->line), "retain");
	return tokens_take(d->line, "retain") && token_among(tokens_next(d->line), "0xfc 252");
}

static bool tc_munge_apply(struct draft *d, const struct row *row, const struct token *at)
{
	const struct token *how = tokens_next(d->line), *value;
	struct rule_change c;

	tc_of(d)->unsummed |= tc_sums_of(row) & tc_sums(draft_number(d, SLOT_PROTO));
	if (token_is(how, "dec") && row->what == CHANGE_TTL)
		return tc_change(d, at, CHANGE_DEC_TTL, NULL, 0);
	value = tokens_next(d->line);
	/* 255 added to an 8-bit field subtracts one. */
	if (token_is(how, "add") && row->what == CHANGE_TTL && token_among(value, "255 0xff"))
		return tc_change(d, at, CHANGE_DEC_TTL, NULL, 0);
	if (!token_is(how, "set"))
		return draft_leave(d, how, REASON_CHANGE);
	if (!tc_retain(d, row))
		return draft_leave(d, tokens_peek(d->line), REASON_CHANGE);
	if (!value->text || strchr(value->text, '/') ||
	    !change_fill(&c, row->what, row->arg, row->value(d, row, value->text)))
		return draft_leave(d, value, REASON_VALUE);
	return draft_change(d, at, c, true);
}

static bool tc_munge(struct draft *d)
{
	const struct token *layer = tokens_next(d->line), *field = tokens_next(d->line);
	const struct row *row =
		field->text ? row_find(tc_munges,
				       import_format(d->im, "%s.%s", layer->text, field->text))
			    : NULL;

	return row ? tc_munge_apply(d, row, field) : draft_leave(d, field, REASON_CHANGE);
}

static bool tc_pedit(struct draft *d, const struct row *row, const struct token *at)
{
	tokens_take(d->line, "pedit");
	if (!tokens_take(d->line, "ex"))
		return draft_leave(d, at, REASON_CHANGE);
	while (tokens_take(d->line, "munge"))
		if (!tc_munge(d))
			return false;
	return tc_control(d, "pass");
}

/* Reads csum. The device corrects checksums by itself, but without these words tc would not. */
static bool tc_csum(struct draft *d, const struct row *row, const struct token *at)
{
	char sums[16];

	while (tokens_peek(d->line)->text &&
	       names_value(SUM_NAMES, tokens_peek(d->line)->text, sums)) {
		tc_of(d)->unsummed &= ~(unsigned int)atoi(sums);
		tokens_next(d->line);
	}
	return tc_control(d, "pass");
}

static bool tc_goto(struct draft *d, const struct row *row, const struct token *at)
{
	const struct token *number;
	uint64_t n;

	if (!tokens_take(d->line, "chain"))
		return draft_leave(d, at, REASON_SYNTAX);
	number = tokens_next(d->line);
	if (!number->text || !number_parse(number->text, 0, UINT32_MAX, &n))
		return draft_leave(d, number, REASON_VALUE);
	d->leads = true;
	d->go = (uint32_t)n;
	d->verdict = "send";
	return tc_control(d, "send");
}

/* --- mirred and tunnel_key ---------------------------------------------------------------------- */

const struct row tc_encaps[] = {
	ROW_ENCAP("id", ID, value_number, .base = 10, .bits = 32),
	ROW_ENCAP("src_ip", SRC, value_address),
	ROW_ENCAP("dst_ip", DST, value_address),
	ROW_ENCAP("dst_port", PORT, value_number, .base = 10, .bits = 16),
	ROW_ENCAP("ttl", TTL, value_number, .bits = 8),
	ROW_ENCAP("vxlan_opts", GBP, value_number, .bits = 16),
	/* mlx5's driver sends no checksum either. */
	ROW_READ("csum nocsum", row_skip),
	ROW_ENCAP("geneve_opts", OPTION, value_number),
	ROW_LEAVE("tos erspan_opts nofrag", ENCAP),
	{0},
};

static bool tc_tunnel_key(struct draft *d, const struct row *row, const struct token *at)
{
	const struct row *word;

	if (!tc_of(d)->eswitch)
		return draft_leave(d, at, REASON_TUNNEL);
	/* The kernel ended the tunnel before its interface got the packet. */
	if (tokens_take(d->line, "unset"))
		return tc_control(d, NULL);
	if (!tokens_take(d->line, "set"))
		return draft_leave(d, tokens_peek(d->line), REASON_SYNTAX);
	while ((word = row_find(tc_encaps, tokens_peek(d->line)->text))) {
		const struct token *name = tokens_next(d->line), *value;

		if (!word->value && !word->read)
			return draft_leave(d, name, word->what);
		if (word->read)
			continue;
		value = tokens_next(d->line);
		if (!value->text || !draft_encap(d, word, value, value->text))
			return value->text ? false : draft_leave(d, value, REASON_ENDS);
	}
	return tc_control(d, NULL);
}

static bool tc_output(struct draft *d, const struct token *dev, bool copy)
{
	struct iface i;
	int ours;

	if (!dev->text)
		return draft_leave(d, dev, REASON_ENDS);
	if (d->encap_given && !copy)
		return draft_into_tunnel(d, dev, &i) && draft_to(d, dev, i.vport);
	ours = draft_vport(d, dev, &i);
	if (ours <= 0)
		return ours < 0 ? false : draft_leave(d, dev, REASON_INTERFACE);
	if (i.has_hop)
		return draft_leave(d, dev, REASON_TARGET);
	/* The copy would have the headers of the tunnel, or lack the changes. */
	if (copy && (tc_of(d)->tunnel || d->encap_given || d->changes))
		return draft_leave(d, dev, REASON_ORDER);
	if (!copy)
		return draft_to(d, dev, i.vport);
	if (!token_is(tokens_peek(d->line), "continue"))
		return draft_copy(d, dev, i.vport, 1);
	/* The next filter judges the packet. */
	tokens_next(d->line);
	if (!draft_to(d, dev, i.vport))
		return false;
	d->verdict = "mirror";
	return true;
}

static bool tc_mirred(struct draft *d, const struct row *row, const struct token *at)
{
	bool copy;

	if (!tc_of(d)->eswitch)
		return draft_leave(d, at, REASON_TARGET);
	if (!tokens_take(d->line, "egress"))
		return draft_leave(d, tokens_peek(d->line), REASON_TARGET);
	copy = tokens_take(d->line, "mirror");
	if (!copy && !tokens_take(d->line, "redirect"))
		return draft_leave(d, tokens_peek(d->line), REASON_SYNTAX);
	tc_action_flags(d->line);
	if (!tokens_take(d->line, "dev"))
		return draft_leave(d, tokens_peek(d->line), REASON_SYNTAX);
	if (!tc_output(d, tokens_next(d->line), copy))
		return false;
	if (copy && !d->queue)
		return tc_control(d, NULL);
	tokens_take(d->line, "stolen");
	tc_action_flags(d->line);
	return true;
}

/* Ends the tunnel of packets that go to a vport. The kernel ends it for those that it gets. */
static bool tc_decap(struct tc_read *r)
{
	return !r->tunnel || r->d.leads || strcmp(r->d.verdict, "send") ||
	       draft_change(&r->d, r->d.at, (struct rule_change){.kind = CHANGE_DECAP}, false);
}

/* --- police ------------------------------------------------------------------------------------ */

#define TC_RATES                                                                                 \
	"bit=1 kbit=1e3 mbit=1e6 gbit=1e9 tbit=1e12 bps=8 kbps=8e3 mbps=8e6 gbps=8e9 tbps=8e12 " \
	"kibit=1024 mibit=1048576 gibit=1073741824 tibit=1099511627776 kibps=8192 "              \
	"mibps=8388608 gibps=8589934592 tibps=8796093022208"
#define TC_SIZES                                                                       \
	"b=1 k=1024 kb=1024 m=1048576 mb=1048576 g=1073741824 gb=1073741824 kbit=128 " \
	"mbit=131072 gbit=134217728"

/* Parses a number with a unit, which may be a fraction. Without units it is a whole number. */
static bool tc_quantity(struct import *im, const char *text, const char *units, uint64_t *v)
{
	size_t n = strspn(text, *units ? "0123456789." : "0123456789");
	char unit[16] = "1", *end;
	double number = strtod(text, &end);

	if (!n || end != text + n ||
	    (text[n] && !names_value(units, import_lower(im, text + n), unit)))
		return false;
	number *= strtod(unit, NULL);
	*v = number < 1e18 ? (uint64_t)number : UINT64_MAX;
	return true;
}

/* No frame of a port is longer, so that an `mtu' from here on limits nothing. */
#define TC_FRAME 9216u

struct tc_police {
	uint64_t rate, burst, packets, packets_burst, mtu, overhead; /* 0: not given */
	const struct token *result;
};

static bool tc_police_word(struct draft *d, struct tc_police *p)
{
	const struct token *name = tokens_next(d->line), *value;
	const struct {
		const char *names, *units;
		uint64_t *to;
	} words[] = {
		{"rate", TC_RATES, &p->rate},	     {"burst buffer maxburst", TC_SIZES, &p->burst},
		{"pkts_rate", "", &p->packets},	     {"pkts_burst", "", &p->packets_burst},
		{"mtu minburst", TC_SIZES, &p->mtu}, {"overhead mpu", "", &p->overhead}};

	if (token_among(name, "drop shot")) {
		p->result = name;
		return true;
	}
	value = tokens_next(d->line);
	if (token_is(name, "conform-exceed")) {
		p->result = value;
		return value->text || draft_leave(d, value, REASON_ENDS);
	}
	if (token_is(name, "linklayer") && token_is(value, "ethernet"))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (token_among(name, words[i].names))
			return (value->text &&
				tc_quantity(d->im, value->text, words[i].units, words[i].to)) ||
			       draft_leave(d, value, value->text ? REASON_VALUE : REASON_ENDS);
	return draft_leave(d, name, REASON_LIMIT);
}

/* Drops what is over the rate, by a rule of its own. The rate is that of packets as they came. */
static bool tc_police(struct draft *d, const struct row *row, const struct token *at)
{
	struct tc_police p = {0};
	const char *tail;

	while (tokens_peek(d->line)->text && !token_among(tokens_peek(d->line), "action pipe"))
		if (!tc_police_word(d, &p))
			return false;
	if (!p.result || !token_among(p.result, "drop/pipe drop/ok drop/pass drop shot") ||
	    !(p.rate || p.packets) || (p.rate && p.packets) || p.overhead ||
	    (p.mtu && p.mtu < TC_FRAME) || tc_of(d)->tunnel)
		return draft_leave(d, at, REASON_LIMIT);
	if (d->changes)
		return draft_leave(d, at, REASON_ORDER);
	tail = p.rate ? import_format(d->im, "over %" PRIu64 " bit/s burst %" PRIu64, p.rate,
				      p.burst)
		      : import_format(d->im, "over %" PRIu64 "/s burst %" PRIu64, p.packets,
				      p.packets_burst);
	if (!token_is(p.result, "drop/pipe"))
		d->verdict = "pass";
	tokens_take(d->line, "pipe");
	return draft_add_before(d, at, "drop", tail);
}

/* --- all --------------------------------------------------------------------------------------- */

static bool tc_gact(struct draft *d, const struct row *row, const struct token *at)
{
	if (token_is(tokens_peek(d->line), "random"))
		return draft_leave(d, tokens_peek(d->line), REASON_LIMIT);
	return tc_control(d, row->what ? "drop" : "pass");
}

/* Reads `ct'. A connection that is not committed is tracked all the same. */
static bool tc_ct(struct draft *d, const struct row *row, const struct token *at)
{
	while (token_among(tokens_peek(d->line), "commit force"))
		tokens_next(d->line);
	if (tokens_take(d->line, "zone")) {
		const struct token *zone = tokens_next(d->line);
		uint64_t n;

		if (!zone->text || !number_parse(zone->text, 0, UINT16_MAX, &n))
			return draft_leave(d, zone, zone->text ? REASON_VALUE : REASON_ENDS);
		if (!draft_ct_zone(d, zone, n))
			return false;
	}
	while (token_among(tokens_peek(d->line), "commit force"))
		tokens_next(d->line);
	if (token_among(tokens_peek(d->line), "nat clear mark label helper"))
		return draft_leave(d, tokens_peek(d->line),
				   token_is(tokens_peek(d->line), "nat") ? REASON_NAT
									 : REASON_CONNTRACK);
	return (d->table || draft_ct(d, at)) && tc_control(d, NULL);
}

static const struct row tc_actions[] = {
	ROW_READ("drop shot", tc_gact, .what = true),
	ROW_READ("pass ok", tc_gact),
	ROW_READ("vlan", tc_vlan),
	ROW_READ("pedit", tc_pedit),
	ROW_READ("csum", tc_csum),
	ROW_READ("goto", tc_goto),
	ROW_LEAVE("continue reclassify", FINAL),
	ROW_READ("pipe", row_skip),
	ROW_LEAVE("jump", UNKNOWN),
	ROW_READ("mirred", tc_mirred),
	ROW_READ("tunnel_key", tc_tunnel_key),
	ROW_LEAVE("trap", TARGET),
	ROW_LEAVE("sample", SAMPLE),
	ROW_LEAVE("skbedit", KERNEL_QUEUE),
	ROW_LEAVE("skbmod mpls bpf", CHANGE),
	ROW_READ("police", tc_police),
	ROW_LEAVE("random", LIMIT),
	ROW_READ("ct", tc_ct),
	ROW_LEAVE("ctinfo connmark", CONNTRACK),
	ROW_LEAVE("nat", NAT),
	{0},
};

static bool tc_action(struct draft *d)
{
	const struct token *name = tokens_next(d->line);
	const struct row *a;

	if (token_is(name, "gact"))
		name = tokens_next(d->line);
	a = row_find(tc_actions, name->text);
	if (!name->text)
		return draft_leave(d, name, REASON_ENDS);
	if (!a)
		return draft_leave(d, name, REASON_UNKNOWN);
	return a->read ? a->read(d, a, name) : draft_leave(d, name, a->what);
}

bool tc_actions_read(struct tc_read *r)
{
	struct draft *d = &r->d;

	while (!d->verdict && tokens_peek(d->line)->text) {
		/* The word may be left out behind `pipe'. */
		tokens_take(d->line, "action");
		if (!tc_action(d))
			return false;
	}
	/* `pipe' leads to the next action. Behind the last one the packet goes on to the kernel. */
	if (!d->verdict)
		d->verdict = "pass";
	if (!draft_settle(d, tokens_peek(d->line), REASON_FINAL) || !tc_decap(r))
		return false;
	/* Further actions are not reached. */
	if (tokens_peek(d->line)->text && !token_is(tokens_peek(d->line), "action"))
		return draft_leave(d, tokens_peek(d->line), REASON_SYNTAX);
	return !r->unsummed || !strcmp(d->verdict, "drop") || draft_leave(d, d->at, REASON_CSUM);
}
