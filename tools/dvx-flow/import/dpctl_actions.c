/* SPDX-License-Identifier: BSD-2-Clause */
/* The actions of Open vSwitch's data path, which act in the order in which they stand. */
#include <inttypes.h>
#include <string.h>

#include "dpctl.h"

/* --- changes ----------------------------------------------------------------------------------- */

/* Adds a change of a whole field. */
static bool dpctl_change(struct draft *d, const struct row *row, const struct token *at)
{
	struct rule_change c;

	if (!change_fill(&c, row->what, row->arg, row->value(d, row, at->text)))
		return draft_leave(d, at, REASON_CHANGE);
	return draft_change(d, at, c, true);
}

/* Converts a traffic class of which ECN stays. */
static struct value dpctl_class(struct draft *d, const struct row *row, const char *text)
{
	uint64_t v, mask;

	return number_parse_pair(text, 0, 8, &v, &mask) && mask == 0xfc
		       ? value_of(d->im, (v & 0xfc) >> 2)
		       : VALUE_BAD;
}

#define DPCTL_CHANGE(name, change, of, how, ...) \
	ROW_CHANGE(name, change, of, how, .read = dpctl_change, __VA_ARGS__)

static const struct row set_eth[] = {
	DPCTL_CHANGE("src", ETH_SRC, 0, value_mac),
	DPCTL_CHANGE("dst", ETH_DST, 0, value_mac),
	{0},
};
static const struct row set_ipv4[] = {
	DPCTL_CHANGE("src", IP_SRC, 4, value_net),
	DPCTL_CHANGE("dst", IP_DST, 4, value_net),
	DPCTL_CHANGE("tos", DSCP, 4, dpctl_class),
	DPCTL_CHANGE("ttl", TTL, 4, value_number, .bits = 8),
	{0},
};
static const struct row set_ipv6[] = {
	DPCTL_CHANGE("src", IP_SRC, 6, value_net),
	DPCTL_CHANGE("dst", IP_DST, 6, value_net),
	DPCTL_CHANGE("tclass", DSCP, 6, dpctl_class),
	DPCTL_CHANGE("hlimit", TTL, 6, value_number, .bits = 8),
	{0},
};
static const struct row set_tcp[] = {
	DPCTL_CHANGE("src", SPORT, L4_TCP, value_number, .bits = 16),
	DPCTL_CHANGE("dst", DPORT, L4_TCP, value_number, .bits = 16),
	{0},
};
static const struct row set_udp[] = {
	DPCTL_CHANGE("src", SPORT, L4_UDP, value_number, .bits = 16),
	DPCTL_CHANGE("dst", DPORT, L4_UDP, value_number, .bits = 16),
	{0},
};

/* --- tunnels ----------------------------------------------------------------------------------- */

static bool dpctl_word(struct draft *d, const struct row *row, const struct token *at)
{
	return draft_encap(d, row, at, at->text);
}

#define DPCTL_ENCAP(name, word, how, ...) \
	ROW_ENCAP(name, word, how, .read = dpctl_word, __VA_ARGS__)

static bool dpctl_set_gbp(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct row parts[] = {
		DPCTL_ENCAP("id", GBP, value_number, .bits = 16),
		ROW_READ("flags", dpctl_zero, .what = REASON_ENCAP),
		{0},
	};

	return dpctl_parts(d, *at, parts, NULL);
}

static bool dpctl_set_vxlan(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct row parts[] = {ROW_READ("gbp", dpctl_set_gbp), {0}};

	return dpctl_parts(d, *at, parts, NULL);
}

static const struct row set_tunnel[] = {
	DPCTL_ENCAP("tun_id", ID, value_number, .bits = 32),
	DPCTL_ENCAP("src ipv6_src", SRC, value_address),
	DPCTL_ENCAP("dst ipv6_dst", DST, value_address),
	DPCTL_ENCAP("ttl", TTL, value_number, .bits = 8),
	DPCTL_ENCAP("tp_dst", PORT, value_number, .bits = 16),
	ROW_READ("tos", dpctl_zero, .what = REASON_ENCAP),
	ROW_READ("flags", row_skip),
	ROW_READ("vxlan", dpctl_set_vxlan),
	DPCTL_ENCAP("geneve", OPTION, value_number),
	ROW_LEAVE("erspan gtpu tp_src", ENCAP),
	{0},
};

/* The header of a tunnel, each layer by its own row. */
static const struct row push_eth[] = {
	DPCTL_ENCAP("src", ETH_SRC, value_mac),
	DPCTL_ENCAP("dst", ETH_DST, value_mac),
	ROW_READ("dl_type", row_skip),
	{0},
};
static const struct row push_ip[] = {
	DPCTL_ENCAP("src", SRC, value_address),
	DPCTL_ENCAP("dst", DST, value_address),
	DPCTL_ENCAP("ttl hlimit", TTL, value_number, .bits = 8),
	ROW_READ("tos tclass label", dpctl_zero, .what = REASON_ENCAP),
	ROW_READ("proto frag", row_skip),
	{0},
};
static const struct row push_udp[] = {
	DPCTL_ENCAP("dst", PORT, value_number, .bits = 16),
	ROW_READ("src csum", row_skip),
	{0},
};
/* Reads VXLAN's first word, which has a group policy if its first bit is set. */
static bool dpctl_push_flags(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct row gbp = DPCTL_ENCAP("gbp", GBP, value_number, .bits = 16);
	uint64_t word;

	if (!number_parse(at->text, 0, UINT32_MAX, &word))
		return draft_leave(d, at, REASON_VALUE);
	return !(word & VXLAN_HAS_GBP) ||
	       draft_encap(d, &gbp, at, import_format(d->im, "%" PRIu64, word & VXLAN_GBP_MAX));
}

static const struct row push_tunnel[] = {
	DPCTL_ENCAP("vni", ID, value_number, .bits = 24),
	ROW_READ("flags", dpctl_push_flags),
	DPCTL_ENCAP("options", OPTION, value_number),
	ROW_READ("crit", row_skip),
	ROW_LEAVE("oam", ENCAP),
	{0},
};

static const struct dpctl_layer {
	const char *name;
	const struct row *set, *push; /* NULL: not possible */
} dpctl_layers[] = {
	{"eth", set_eth, push_eth},   {"ipv4", set_ipv4, push_ip},   {"ipv6", set_ipv6, push_ip},
	{"tcp", set_tcp, NULL},	      {"udp", set_udp, push_udp},    {"tunnel", set_tunnel, NULL},
	{"vxlan", NULL, push_tunnel}, {"geneve", NULL, push_tunnel},
};

static const struct dpctl_layer *dpctl_layer(const struct row *row)
{
	const struct dpctl_layer *l = dpctl_layers;

	while (strcmp(l->name, row->names))
		l++;
	return l;
}

static bool dpctl_set_layer(struct draft *d, const struct row *row, const struct token *at)
{
	return dpctl_parts(d, *at, dpctl_layer(row)->set, NULL);
}

static bool dpctl_push_layer(struct draft *d, const struct row *row, const struct token *at)
{
	if (dpctl_layer(row)->push == push_tunnel)
		d->tunnel = iface_tunnel(row->names, 0);
	return dpctl_parts(d, *at, dpctl_layer(row)->push, NULL);
}

static const struct row dpctl_sets[] = {
	ROW_READ("eth", dpctl_set_layer),
	ROW_READ("ipv4", dpctl_set_layer),
	ROW_READ("ipv6", dpctl_set_layer),
	ROW_READ("tcp", dpctl_set_layer),
	ROW_READ("udp", dpctl_set_layer),
	ROW_READ("tunnel", dpctl_set_layer),
	ROW_LEAVE("sctp icmp icmpv6 arp nd mpls nsh skb_priority", CHANGE),
	ROW_LEAVE("skb_mark", MARK),
	{0},
};

static const struct row dpctl_header[] = {
	ROW_READ("size type", row_skip),
	ROW_READ("eth", dpctl_push_layer),
	ROW_READ("ipv4", dpctl_push_layer),
	ROW_READ("ipv6", dpctl_push_layer),
	ROW_READ("udp", dpctl_push_layer),
	ROW_READ("vxlan", dpctl_push_layer),
	ROW_READ("geneve", dpctl_push_layer),
	ROW_LEAVE("gre erspan gtpu srv6", ENCAP),
	{0},
};

static bool dpctl_set(struct draft *d, const struct row *row, const struct token *at)
{
	return dpctl_parts(d, *at, dpctl_sets, NULL);
}

static bool dpctl_header_read(struct draft *d, const struct row *row, const struct token *at)
{
	return dpctl_parts(d, *at, dpctl_header, NULL);
}

/* Begins a tunnel. The packet's way goes on with the actions behind. */
static bool dpctl_tnl_push(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct row parts[] = {
		ROW_READ("header", dpctl_header_read),
		ROW_READ("tnl_port out_port", row_skip),
		{0},
	};

	return dpctl_parts(d, *at, parts, NULL) &&
	       (d->tunnel != TUNNEL_NONE || draft_leave(d, at, REASON_ENCAP)) &&
	       draft_encap_to(d, at, &(struct iface){0});
}

/* --- VLAN tags --------------------------------------------------------------------------------- */

static bool dpctl_pop(struct draft *d, const struct row *row, const struct token *at)
{
	return draft_change(d, at, (struct rule_change){.kind = CHANGE_POP}, true);
}

static bool dpctl_pcp(struct draft *d, const struct row *row, const struct token *at)
{
	d->has_pcp = true;
	return number_parse(at->text, 0, 7, &d->pcp) || draft_leave(d, at, REASON_VALUE);
}

static bool dpctl_tpid(struct draft *d, const struct row *row, const struct token *at)
{
	return !strcmp(at->text, "0x8100") || draft_leave(d, at, REASON_CHANGE);
}

static bool dpctl_push(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct row parts[] = {
		DPCTL_CHANGE("vid", PUSH, 0, value_number, .bits = 12),
		ROW_READ("pcp", dpctl_pcp),
		ROW_READ("tpid", dpctl_tpid),
		ROW_READ("cfi", row_skip),
		{0},
	};

	return dpctl_parts(d, *at, parts, NULL);
}

/* --- where packets go -------------------------------------------------------------------------- */

/* Makes the last output a copy. */
static bool dpctl_go_on(struct draft *d)
{
	struct dpctl_read *r = dpctl_of(d);

	if (!r->has_output)
		return true;
	r->has_output = false;
	if (r->tunnel || r->output_changes)
		return draft_leave(d, &r->output, REASON_ORDER);
	return draft_copy(d, &r->output, r->output_vport, 1);
}

/* Sends packets to a port, into the tunnel that was set if there is one. */
static bool dpctl_output(struct draft *d, const struct token *part)
{
	struct dpctl_read *r = dpctl_of(d);
	struct iface i = {0};
	int ours = 1;

	if (strpbrk(part->text, "(=:"))
		return draft_leave(d, part, REASON_UNKNOWN);
	if (r->cloned)
		return draft_leave(d, part, REASON_ORDER);
	if (!dpctl_go_on(d))
		return false;
	if (!d->encap_given || draft_has_change(d, CHANGE_ENCAP))
		ours = draft_vport(d, part, &i);
	else if (!draft_into_tunnel(d, part, &i))
		return false;
	if (ours <= 0)
		return ours < 0 ? false : draft_leave(d, part, REASON_INTERFACE);
	r->has_output = true;
	r->output = *part;
	r->output_vport = i.vport;
	r->output_changes = d->changes;
	return true;
}

static bool dpctl_drop(struct draft *d, const struct row *row, const struct token *at)
{
	d->verdict = "drop";
	return true;
}

static bool dpctl_recirculate(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t n;

	if (dpctl_of(d)->cloned)
		return draft_leave(d, at, REASON_ORDER);
	if (!number_parse(at->text, 0, UINT32_MAX, &n))
		return draft_leave(d, at, REASON_VALUE);
	d->verdict = "send";
	d->leads = true;
	d->go = (uint32_t)n;
	return true;
}

static bool dpctl_zone(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t zone;

	if (!number_parse(at->text, 0, UINT16_MAX, &zone))
		return draft_leave(d, at, REASON_VALUE);
	return draft_ct_zone(d, at, zone);
}

/* Reads what ct() does. A connection that is not committed is tracked all the same. */
static bool dpctl_ct(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct row parts[] = {
		ROW_READ("commit force_commit", row_skip),
		ROW_READ("zone", dpctl_zone),
		ROW_LEAVE("nat", NAT),
		ROW_LEAVE("mark label helper timeout", CONNTRACK),
		{0},
	};

	return dpctl_parts(d, *at, parts, NULL) && (d->table || draft_ct(d, at));
}

static bool dpctl_clone(struct draft *d, const struct row *row, const struct token *at);

static const struct row dpctl_actions[] = {
	ROW_READ("set", dpctl_set),
	ROW_READ("tnl_push", dpctl_tnl_push),
	ROW_READ("pop_vlan", dpctl_pop),
	ROW_READ("push_vlan", dpctl_push),
	ROW_READ("drop", dpctl_drop),
	ROW_READ("recirc", dpctl_recirculate),
	ROW_READ("clone", dpctl_clone),
	ROW_READ("ct", dpctl_ct),
	ROW_LEAVE("ct_clear", CONNTRACK),
	ROW_LEAVE("meter", LIMIT),
	ROW_LEAVE("tnl_pop", TUNNEL),
	ROW_LEAVE("hash lb_output sample psample userspace emit_sample", TARGET),
	ROW_LEAVE("trunc push_mpls pop_mpls add_mpls push_nsh pop_nsh push_eth pop_eth dec_ttl "
		  "check_pkt_len",
		  CHANGE),
	{0},
};

/* The actions of a clone act on a copy, so others must not follow. */
static bool dpctl_clone(struct draft *d, const struct row *row, const struct token *at)
{
	bool ok = dpctl_parts(d, *at, dpctl_actions, dpctl_output);

	dpctl_of(d)->cloned = true;
	return ok;
}

/* Sends packets to the last output, unless they also go on to a table. */
static bool dpctl_settle(struct draft *d, const struct token *at)
{
	struct dpctl_read *r = dpctl_of(d);

	if (r->has_output && d->verdict)
		return dpctl_go_on(d);
	if (r->has_output && r->output_changes != d->changes)
		return draft_leave(d, &r->output, REASON_ORDER);
	if (r->has_output && !draft_to(d, &r->output, r->output_vport))
		return false;
	return draft_settle(d, at, REASON_FATE);
}

bool dpctl_actions_read(struct draft *d, struct token at)
{
	if (!dpctl_parts(d, at, dpctl_actions, dpctl_output) || !dpctl_settle(d, &at))
		return false;
	return !dpctl_of(d)->tunnel || d->leads || strcmp(d->verdict, "send") ||
	       draft_change(d, d->at, (struct rule_change){.kind = CHANGE_DECAP}, false);
}
