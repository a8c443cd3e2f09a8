/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flows that "ovs-appctl dpctl/dump-flows" and "ovs-dpctl dump-flows" print. No packet matches two of
 * them, and one that matches none goes to Open vSwitch itself: the default way.
 */
#include <stdlib.h>
#include <string.h>

#include "dpctl.h"
#include "ovs.h"
#include "rules/arena.h"

/* --- parts ------------------------------------------------------------------------------------- */

/* Returns the length of a part: up to a comma outside of parentheses. */
static size_t dpctl_part_length(const char *text)
{
	int depth = 0;
	size_t n = 0;

	for (; text[n] && (text[n] != ',' || depth > 0); n++)
		depth += (text[n] == '(' || text[n] == '{') - (text[n] == ')' || text[n] == '}');
	return n;
}

static bool dpctl_part(struct draft *d, const struct token *part, const struct row *rows,
		       dpctl_other_fn other)
{
	size_t n = strcspn(part->text, "(=:"), end = strlen(part->text);
	const struct row *row = row_find(rows, import_format(d->im, "%.*s", (int)n, part->text));
	struct token value = *part;

	if (!row)
		return other ? other(d, part) : draft_leave(d, part, REASON_UNKNOWN);
	if (!row->read && !row->value)
		return draft_leave(d, part, row->what);
	end -= part->text[n] == '(' && part->text[end - 1] == ')';
	value.text = part->text[n]
			     ? import_format(d->im, "%.*s", (int)(end - n - 1), part->text + n + 1)
			     : "";
	value.column += (uint32_t)n + 1;
	return row_apply(d, row, &value);
}

bool dpctl_parts(struct draft *d, struct token at, const struct row *rows, dpctl_other_fn other)
{
	while (at.text && *at.text) {
		size_t n = dpctl_part_length(at.text);
		struct token part = at;

		part.text = import_format(d->im, "%.*s", (int)n, at.text);
		if (n && !dpctl_part(d, &part, rows, other))
			return false;
		at.column += (uint32_t)n + 1;
		at.text = at.text[n] ? at.text + n + 1 : NULL;
	}
	return true;
}

/* --- values ------------------------------------------------------------------------------------ */

/* Leaves out a field that dvx-flow does not compare, unless its mask is 0. */
static bool dpctl_ignored(struct draft *d, const struct row *row, const struct token *at)
{
	const char *mask = strchr(at->text, '/');

	return (mask && !mask[1 + strspn(mask + 1, "0x.:")]) || draft_leave(d, at, row->arg);
}

bool dpctl_zero(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v;

	return (number_parse(at->text, 0, UINT32_MAX, &v) && !v) || draft_leave(d, at, row->what);
}

static bool dpctl_ct_state(struct draft *d, const struct row *row, const struct token *at)
{
	struct token *kept = arena_get(d->im->out->memory, sizeof(*kept));

	if (!kept)
		return false;
	*kept = *at;
	return draft_ct_state(d, kept, at->text);
}

/* A packet that is not tracked is in zone 0. */
static bool dpctl_ct_zone(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t zone, mask;

	if (!number_parse_pair(at->text, 0, 16, &zone, &mask))
		return draft_leave(d, at, REASON_VALUE);
	return !mask || !zone || draft_ct_zone(d, at, zone);
}

static bool dpctl_recirc(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t n;

	if (!number_parse(at->text, 0, UINT32_MAX, &n))
		return draft_leave(d, at, REASON_VALUE);
	d->table = (uint32_t)n;
	return true;
}

/* Adds the port that packets come from. Those of a tunnel came from the wire. */
static bool dpctl_in_port(struct draft *d, const struct row *row, const struct token *at)
{
	struct iface i = {.vport = DVX_FLOW_UPLINK};
	int ours = dpctl_of(d)->tunnel ? 1 : draft_vport(d, at, &i);

	dpctl_of(d)->in_port = at->text;
	d->nothing |= ours == 0;
	return ours >= 0 && draft_from(d, at, i.vport);
}

/* Parses a number that is compared as a whole, or not at all: *mask 0. */
static bool dpctl_whole(struct draft *d, const struct token *at, unsigned int bits, uint64_t *v,
			uint64_t *mask)
{
	if (!number_parse_pair(at->text, 0, bits, v, mask))
		return draft_leave(d, at, REASON_VALUE);
	return !*mask || *mask == (1ull << bits) - 1 || draft_leave(d, at, REASON_MASK);
}

/* Adds the EtherType behind the tags so far; the first tag's may be that of a tag. */
static bool dpctl_type(struct draft *d, const struct row *row, const struct token *at)
{
	struct dpctl_read *r = dpctl_of(d);
	uint64_t type, mask;

	if (!dpctl_whole(d, at, 16, &type, &mask))
		return false;
	if (!mask)
		return true;
	if ((type == 0x8100 || type == 0x88a8) && r->tags < 2)
		return draft_match_number(d, at, r->tags++ ? SLOT_TAG2 : SLOT_TAG,
					  type == 0x8100 ? TAG_VLAN : TAG_SVLAN);
	if (r->tags < 2 && !draft_match_number(d, at, r->tags ? SLOT_TAG2 : SLOT_TAG,
					       r->tags ? TAG_LAST : TAG_NONE))
		return false;
	return draft_add_type(d, type) || draft_leave(d, at, REASON_TWICE);
}

/* Adds a field of the last tag. */
static bool dpctl_tag(struct draft *d, const struct row *row, const struct token *at)
{
	unsigned int second = dpctl_of(d)->tags == 2 ? SLOT_VLAN2_ID - SLOT_VLAN_ID : 0;

	return draft_match(d, at, row->what + second, value_masked(d, row, at->text), false);
}

static bool dpctl_proto(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t proto, mask;

	return dpctl_whole(d, at, 8, &proto, &mask) &&
	       (!mask || draft_match_number(d, at, row->what, proto));
}

static bool dpctl_frag(struct draft *d, const struct row *row, const struct token *at)
{
	return strncmp(at->text, "no", 2) ? draft_leave(d, at, REASON_FRAGMENT)
					  : draft_match_number(d, at, row->what, 0);
}

/* --- tunnels ----------------------------------------------------------------------------------- */

/* Adds a match of the headers around a tunnel. */
static bool dpctl_outer(struct draft *d, const struct row *row, const struct token *at)
{
	bool address = row->what == SLOT_SRC || row->what == SLOT_DST;

	return draft_match(d, at, row->what, row->value(d, row, at->text), false) &&
	       (!address || draft_match_number(d, at, SLOT_IP, row->arg));
}

static bool dpctl_tunnel_port(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t mask;

	return dpctl_whole(d, at, 16, &dpctl_of(d)->tunnel_port, &mask);
}

/* Reads "vxlan(gbp(id=5,flags=0))"; its flags are the kernel's own. */
static bool dpctl_gbp(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct row parts[] = {
		ROW_MATCH("id", GBP, value_masked, .bits = 16),
		ROW_READ("flags", dpctl_zero, .what = REASON_FIELD),
		{0},
	};

	return dpctl_parts(d, *at, parts, NULL);
}

static bool dpctl_vxlan(struct draft *d, const struct row *row, const struct token *at)
{
	static const struct row parts[] = {ROW_READ("gbp", dpctl_gbp), {0}};

	return dpctl_parts(d, *at, parts, NULL);
}

static const struct row dpctl_tunnels[] = {
	ROW_MATCH("tun_id", VNI, value_masked, .bits = 32),
	ROW_MATCH("src", SRC, value_net, .arg = 4, .read = dpctl_outer),
	ROW_MATCH("dst", DST, value_net, .arg = 4, .read = dpctl_outer),
	ROW_MATCH("ipv6_src", SRC, value_net, .arg = 6, .read = dpctl_outer),
	ROW_MATCH("ipv6_dst", DST, value_net, .arg = 6, .read = dpctl_outer),
	ROW_MATCH("tos", TOS, value_masked, .bits = 8),
	ROW_MATCH("ttl", TTL, value_masked, .bits = 8),
	ROW_MATCH("tp_src", SPORT, value_masked_port),
	ROW_READ("tp_dst", dpctl_tunnel_port),
	/* mlx5's driver does not compare these either. */
	ROW_READ("flags", row_skip),
	ROW_READ("vxlan", dpctl_vxlan),
	ROW_MATCH("geneve", OPTION, value_option),
	ROW_LEAVE("erspan gtpu", FIELD),
	{0},
};

/* Finds the tunnel by the port's name or UDP's. */
static bool dpctl_tunnel(struct draft *d, const struct row *row, const struct token *at)
{
	bool ok;

	d->inner = false;
	ok = dpctl_parts(d, *at, dpctl_tunnels, NULL);
	d->inner = true;
	return ok;
}

static bool dpctl_tunnel_add(struct dpctl_read *r)
{
	enum node_tunnel tunnel = iface_tunnel(r->in_port ? r->in_port : "", r->tunnel_port);

	if (!r->tunnel)
		return true;
	if (tunnel == TUNNEL_NONE)
		return draft_leave(&r->d, r->d.at, REASON_TUNNEL);
	if (r->tunnel_port && iface_tunnel("", r->tunnel_port) != tunnel)
		return draft_leave(&r->d, r->d.at, REASON_TUNNEL_PORT);
	return draft_tunnel(&r->d, tunnel);
}

/* --- tables ------------------------------------------------------------------------------------ */

static const struct row dpctl_eth[] = {
	ROW_MATCH("src", ETH_SRC, value_mac),
	ROW_MATCH("dst", ETH_DST, value_mac),
	{0},
};
static const struct row dpctl_vlan[] = {
	ROW_READ("vid", dpctl_tag, .what = SLOT_VLAN_ID, .bits = 12),
	ROW_READ("pcp", dpctl_tag, .what = SLOT_VLAN_PCP, .bits = 3),
	ROW_READ("cfi", row_skip), /* that there is a tag */
	{0},
};
static const struct row dpctl_ipv4[] = {
	ROW_MATCH("src", SRC, value_net, .arg = 4),
	ROW_MATCH("dst", DST, value_net, .arg = 4),
	ROW_READ("proto", dpctl_proto, .what = SLOT_PROTO),
	ROW_MATCH("tos", TOS, value_masked, .bits = 8),
	ROW_MATCH("ttl", TTL, value_masked, .bits = 8),
	ROW_READ("frag", dpctl_frag, .what = SLOT_FRAGMENT),
	{0},
};
static const struct row dpctl_ipv6[] = {
	ROW_MATCH("src", SRC, value_net, .arg = 6),
	ROW_MATCH("dst", DST, value_net, .arg = 6),
	ROW_MATCH("label", FLOWLABEL, value_masked, .bits = 20),
	ROW_READ("proto", dpctl_proto, .what = SLOT_PROTO),
	ROW_MATCH("tclass", TOS, value_masked, .bits = 8),
	ROW_MATCH("hlimit", TTL, value_masked, .bits = 8),
	ROW_READ("frag", dpctl_frag, .what = SLOT_FRAGMENT),
	{0},
};
static const struct row dpctl_ports[] = {
	ROW_MATCH("src", SPORT, value_masked_port),
	ROW_MATCH("dst", DPORT, value_masked_port),
	{0},
};
static const struct row dpctl_sctp[] = {
	ROW_READ("src dst", dpctl_ignored, .arg = REASON_PORTS),
	{0},
};
static const struct row dpctl_icmp[] = {
	ROW_MATCH("type", TYPE, value_masked, .bits = 8),
	ROW_MATCH("code", CODE, value_masked, .bits = 8),
	{0},
};
static const struct row dpctl_others[] = {
	ROW_READ("sip tip op sha tha target sll tll", dpctl_ignored, .arg = REASON_FIELD),
	{0},
};
static const struct row dpctl_mpls[] = {
	ROW_MATCH("label", MPLS_LABEL, value_masked, .bits = 20),
	ROW_MATCH("tc", MPLS_TC, value_masked, .bits = 3),
	ROW_MATCH("bos", MPLS_BOS, value_masked, .bits = 1),
	ROW_MATCH("ttl", MPLS_TTL, value_masked, .bits = 8),
	{0},
};

static const struct dpctl_group {
	const char *name;
	const struct row *rows;
} dpctl_groups[] = {
	{"eth", dpctl_eth},	     {"vlan", dpctl_vlan},     {"ipv4", dpctl_ipv4},
	{"ipv6", dpctl_ipv6},	     {"tcp udp", dpctl_ports}, {"sctp", dpctl_sctp},
	{"icmp icmpv6", dpctl_icmp}, {"arp nd", dpctl_others}, {"mpls", dpctl_mpls},
};

static bool dpctl_group(struct draft *d, const struct row *row, const struct token *at)
{
	const struct dpctl_group *g = dpctl_groups;

	while (strcmp(g->name, row->names))
		g++;
	return dpctl_parts(d, *at, g->rows, NULL);
}

static bool dpctl_encap(struct draft *d, const struct row *row, const struct token *at);

static const struct row dpctl_fields[] = {
	ROW_READ("ufid mega_ufid packets bytes used flags offloaded dp dp-extra-info "
		 "offload_packets offload_bytes packet_type",
		 row_skip),
	ROW_READ("skb_priority skb_mark dp_hash", dpctl_ignored, .arg = REASON_MARK),
	ROW_READ("ct_state", dpctl_ct_state),
	ROW_READ("ct_zone", dpctl_ct_zone),
	ROW_READ("ct_mark ct_label ct_tuple4 ct_tuple6", dpctl_ignored, .arg = REASON_CONNTRACK),
	ROW_READ("recirc_id", dpctl_recirc),
	ROW_READ("in_port", dpctl_in_port),
	ROW_READ("tunnel", dpctl_tunnel),
	ROW_READ("eth_type", dpctl_type),
	ROW_READ("eth", dpctl_group),
	ROW_READ("vlan", dpctl_group),
	ROW_READ("encap", dpctl_encap),
	ROW_READ("ipv4", dpctl_group),
	ROW_READ("ipv6", dpctl_group),
	ROW_READ("tcp udp", dpctl_group),
	ROW_MATCH("tcp_flags", FLAGS, ovs_flags),
	ROW_READ("sctp", dpctl_group),
	ROW_READ("icmp icmpv6", dpctl_group),
	ROW_READ("arp nd", dpctl_group),
	ROW_READ("mpls", dpctl_group),
	ROW_LEAVE("nsh ct_nd_ext", FIELD),
	{0},
};

/* Reads what a tag has behind it. */
static bool dpctl_encap(struct draft *d, const struct row *row, const struct token *at)
{
	return dpctl_parts(d, *at, dpctl_fields, NULL);
}

/* --- lines ------------------------------------------------------------------------------------- */

static bool dpctl_at_actions(const struct token *t)
{
	return t->text && names_begin("actions:", t->text);
}

/* Returns whether the flow's match has headers around a tunnel. */
static bool dpctl_has_tunnel(const struct tokens *line)
{
	for (size_t i = 0; i < line->n && !dpctl_at_actions(&line->token[i]); i++)
		if (strstr(line->token[i].text, "tunnel("))
			return true;
	return false;
}

static void dpctl_flow(struct import *im, struct tokens *line)
{
	bool tunnel = dpctl_has_tunnel(line);
	struct dpctl_read r = {.d = {.im = im,
				     .line = line,
				     .at = &line->token[0],
				     .direction = "switch",
				     .order = 1, /* behind the rule that tracks */
				     .inner = tunnel,
				     .no_labels = true,
				     .no_inner_labels = true},
			       .tunnel = tunnel};
	struct token actions;

	while (!dpctl_at_actions(tokens_peek(line))) {
		if (!tokens_peek(line)->text) {
			draft_leave(&r.d, tokens_peek(line), REASON_ENDS);
			return;
		}
		if (!dpctl_parts(&r.d, *tokens_next(line), dpctl_fields, NULL))
			return;
	}
	actions = *tokens_next(line);
	actions.text += strlen("actions:");
	actions.column += (uint32_t)strlen("actions:");
	if (dpctl_tunnel_add(&r) && dpctl_actions_read(&r.d, actions))
		import_add(&r.d);
}

void dpctl_read(struct import *im, struct token_reader *r)
{
	struct tokens line = {0};

	while (tokens_line(r, &line)) {
		/* Commands, and the headings of threads. */
		if (token_among(&line.token[0], "ovs-appctl ovs-dpctl flow-dump"))
			continue;
		if (dpctl_looks(&line))
			dpctl_flow(im, &line);
		else
			dialect_leave_line(im, &line);
	}
	free(line.token);
}

bool dpctl_looks(const struct tokens *line)
{
	for (size_t i = 0; i < line->n; i++)
		if (strstr(line->token[i].text, "in_port("))
			return true;
	return false;
}
