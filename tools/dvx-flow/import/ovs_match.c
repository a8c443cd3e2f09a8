/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of ovs-fields(7). */
#include "ovs.h"

/* --- values ------------------------------------------------------------------------------------ */

static bool ovs_type(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t type;

	if (!number_parse(ovs_of(d)->text, 0, 0xffff, &type))
		return draft_leave(d, at, REASON_VALUE);
	return draft_add_type(d, type) || draft_leave(d, at, REASON_TWICE);
}

/* Adds a tag's 16 bits. Bit 0x1000 means that the tag exists. */
static bool ovs_tag(struct draft *d, const struct token *at, uint64_t v, uint64_t mask)
{
	uint64_t vid = mask & 0xfff, pcp = mask >> 13;

	if (!(v & 0x1000 & mask)) {
		if (!(mask & 0x1000) || v & mask)
			return draft_leave(d, at, REASON_MASK);
		return draft_match_number(d, at, SLOT_TAG, TAG_NONE);
	}
	if ((vid && vid != 0xfff) || (pcp && pcp != 7))
		return draft_leave(d, at, REASON_MASK);
	ovs_of(d)->any_tag = true;
	if (vid && !draft_match_number(d, at, SLOT_VLAN_ID, v & 0xfff))
		return false;
	return !pcp || draft_match_number(d, at, SLOT_VLAN_PCP, v >> 13);
}

static bool ovs_vlan(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v;

	if (!number_parse(ovs_of(d)->text, 0, 0xffff, &v) || (v > 0xfff && v != 0xffff))
		return draft_leave(d, at, REASON_VALUE);
	return v == 0xffff ? ovs_tag(d, at, 0, 0x1000) : ovs_tag(d, at, v | 0x1000, 0x1fff);
}

static bool ovs_tci(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v, mask;

	return number_parse_pair(ovs_of(d)->text, 0, row->bits, &v, &mask)
		       ? !mask || ovs_tag(d, at, v, mask)
		       : draft_leave(d, at, REASON_VALUE);
}

struct value ovs_flags(struct draft *d, const struct row *row, const char *text)
{
	bool some = *text == '+' || *text == '-';
	uint64_t v = 0, mask = some ? 0 : 0x1ff;

	if (!some && number_parse_pair(text, 0, 12, &v, &mask))
		return v & mask & ~0x1ffull ? VALUE_BAD : value_flags(d->im, v, mask);
	while (*text) {
		bool set = *text != '-';
		size_t n;
		int i;

		text += strspn(text, "+-|") != 0;
		n = strcspn(text, "+-|");
		i = names_index("fin syn rst psh ack urg ece cwr ns", text, n);
		if (i < 0)
			return VALUE_BAD;
		mask |= 1ull << i;
		v |= (uint64_t)set << i;
		text += n;
	}
	return value_flags(d->im, v, mask);
}

static bool ovs_frag(struct draft *d, const struct row *row, const struct token *at)
{
	int is = names_index("no yes", ovs_of(d)->text, strlen(ovs_of(d)->text));

	return is < 0 ? draft_leave(d, at, REASON_FRAGMENT)
		      : draft_match_number(d, at, row->what, (uint64_t)is);
}

static bool ovs_in_port(struct draft *d, const struct row *row, const struct token *at)
{
	int ours;

	if (!strcasecmp(ovs_of(d)->text, "LOCAL"))
		return draft_leave(d, at, REASON_DIRECTION);
	if (ovs_of(d)->tunnel) {
		ovs_of(d)->in_port = ovs_of(d)->text;
		return true;
	}
	ours = import_netdev(d->im, ovs_of(d)->text);
	ovs_of(d)->elsewhere |= ours == 0;
	return ours >= 0 || draft_leave(d, at, REASON_INTERFACE);
}

/* Adds a match of the headers around a tunnel. */
static bool ovs_outer(struct draft *d, const struct row *row, const struct token *at)
{
	bool address = row->what == SLOT_SRC || row->what == SLOT_DST, ok;

	d->inner = false;
	ok = draft_match(d, at, row->what, row->value(d, row, ovs_of(d)->text), false) &&
	     (!address || draft_match_number(d, at, SLOT_IP, row->arg));
	d->inner = true;
	return ok;
}

/* Returns whether the flow is for packets that a tunnel's port got. */
static bool ovs_is_tunnel(const struct token *part)
{
	const char *port = names_begin("in_port=", part->text) ? part->text + 8 : "";

	return names_begin("tun_ tunnel_id", part->text) || iface_tunnel(port, 0) != TUNNEL_NONE;
}

/* --- parts about the flow ---------------------------------------------------------------------- */

static bool ovs_priority(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v;

	if (!number_parse(ovs_of(d)->text, 0, 65535, &v))
		return draft_leave(d, at, REASON_VALUE);
	ovs_of(d)->priority = v;
	return true;
}

static bool ovs_table_read(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v;

	if (!number_parse(ovs_of(d)->text, 0, UINT32_MAX, &v))
		return draft_leave(d, at, REASON_VALUE);
	d->table = (uint32_t)v;
	return true;
}

static bool ovs_timeout(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t v;

	if (!number_parse(ovs_of(d)->text, 0, UINT32_MAX, &v))
		return draft_leave(d, at, REASON_VALUE);
	return !v || draft_leave(d, at, REASON_MEMORY);
}

/* --- tables ------------------------------------------------------------------------------------ */

static const struct row ovs_fields[] = {
	ROW_READ("priority", ovs_priority),
	ROW_READ("table", ovs_table_read),
	ROW_READ("in_port", ovs_in_port),
	ROW_READ("cookie duration n_packets n_bytes idle_age hard_age importance send_flow_rem "
		 "check_overlap reset_counts",
		 row_skip),
	ROW_READ("idle_timeout hard_timeout", ovs_timeout),
	ROW_MATCH("dl_src eth_src", ETH_SRC, value_mac),
	ROW_MATCH("dl_dst eth_dst", ETH_DST, value_mac),
	ROW_READ("dl_type eth_type", ovs_type),
	ROW_READ("dl_vlan", ovs_vlan),
	ROW_MATCH("dl_vlan_pcp vlan_pcp", VLAN_PCP, value_masked, .bits = 3),
	ROW_READ("vlan_tci", ovs_tci, .bits = 16),
	ROW_READ("vlan_vid", ovs_tci, .bits = 13),
	ROW_MATCH("nw_src ip_src", SRC, value_net, .arg = 4),
	ROW_MATCH("nw_dst ip_dst", DST, value_net, .arg = 4),
	ROW_MATCH("ipv6_src", SRC, value_net, .arg = 6),
	ROW_MATCH("ipv6_dst", DST, value_net, .arg = 6),
	ROW_MATCH("nw_proto ip_proto", PROTO, value_proto),
	ROW_MATCH("nw_tos", DSCP, value_class),
	ROW_MATCH("ip_dscp", DSCP, value_masked, .bits = 6),
	ROW_MATCH("nw_ecn ip_ecn", ECN, value_masked, .bits = 2),
	ROW_MATCH("nw_ttl", TTL, value_masked, .bits = 8),
	ROW_MATCH("ipv6_label", FLOWLABEL, value_masked, .bits = 20),
	ROW_READ("nw_frag ip_frag", ovs_frag, .what = SLOT_FRAGMENT),
	ROW_MATCH("tp_src tcp_src udp_src", SPORT, value_masked_port),
	ROW_MATCH("tp_dst tcp_dst udp_dst", DPORT, value_masked_port),
	ROW_MATCH("tcp_flags", FLAGS, ovs_flags),
	ROW_MATCH("icmp_type icmpv6_type", TYPE, value_masked, .bits = 8),
	ROW_MATCH("icmp_code icmpv6_code", CODE, value_masked, .bits = 8),
	ROW_MATCH("mpls_label", MPLS_LABEL, value_masked, .bits = 20),
	ROW_MATCH("mpls_tc", MPLS_TC, value_masked, .bits = 3),
	ROW_MATCH("mpls_bos", MPLS_BOS, value_masked, .bits = 1),
	ROW_MATCH("mpls_ttl", MPLS_TTL, value_masked, .bits = 8),
	ROW_MATCH("tun_id tunnel_id", VNI, value_masked, .bits = 32, .read = ovs_outer),
	ROW_MATCH("tun_src", SRC, value_net, .arg = 4, .read = ovs_outer),
	ROW_MATCH("tun_dst", DST, value_net, .arg = 4, .read = ovs_outer),
	ROW_MATCH("tun_ipv6_src", SRC, value_net, .arg = 6, .read = ovs_outer),
	ROW_MATCH("tun_ipv6_dst", DST, value_net, .arg = 6, .read = ovs_outer),
	ROW_MATCH("tun_tos", TOS, value_masked, .bits = 8, .read = ovs_outer),
	ROW_MATCH("tun_ttl", TTL, value_masked, .bits = 8, .read = ovs_outer),
	ROW_MATCH("tun_gbp_id", GBP, value_masked, .bits = 16, .read = ovs_outer),
	{0},
};

/* Beginnings of fields that cannot be expressed. */
static const struct row ovs_refused[] = {
	ROW_LEAVE("ct_", CONNTRACK),
	ROW_LEAVE("reg xreg xxreg metadata pkt_mark", MARK),
	ROW_LEAVE("arp_ nd_ conj_id tun_flags tun_gbp_flags tun_metadata tun_erspan tun_gtpu",
		  FIELD),
	{0},
};

/* Words that stand for an EtherType (what) and a protocol (arg). */
#define OVS_SHORT(name, type, proto)                      \
	{                                                 \
		.names = name, .what = type, .arg = proto \
	}
static const struct row ovs_shorts[] = {
	OVS_SHORT("ip", 0x0800, 0),
	OVS_SHORT("ipv6", 0x86dd, 0),
	OVS_SHORT("icmp", 0x0800, 1),
	OVS_SHORT("icmp6", 0x86dd, 58),
	OVS_SHORT("tcp", 0x0800, 6),
	OVS_SHORT("tcp6", 0x86dd, 6),
	OVS_SHORT("udp", 0x0800, 17),
	OVS_SHORT("udp6", 0x86dd, 17),
	OVS_SHORT("sctp", 0x0800, 132),
	OVS_SHORT("sctp6", 0x86dd, 132),
	OVS_SHORT("arp", 0x0806, 0),
	OVS_SHORT("rarp", 0x8035, 0),
	OVS_SHORT("mpls", 0x8847, 0),
	OVS_SHORT("mplsm", 0x8848, 0),
	{0},
};

/* --- parts ------------------------------------------------------------------------------------- */

static bool ovs_word(struct draft *d, const struct token *at)
{
	const struct row *s = row_find(ovs_shorts, at->text), *row = row_find(ovs_fields, at->text);

	if (!s)
		return (row && row->read == row_skip) || draft_leave(d, at, REASON_UNKNOWN);
	if (!draft_add_type(d, s->what))
		return draft_leave(d, at, REASON_TWICE);
	return !s->arg || draft_match_number(d, at, SLOT_PROTO, s->arg);
}

static bool ovs_part(struct draft *d, const struct token *at)
{
	size_t n = strcspn(at->text, "=");
	const struct row *row;

	if (!at->text[n])
		return ovs_word(d, at);
	for (row = ovs_refused; row->names; row++)
		if (names_begin(row->names, at->text))
			return draft_leave(d, at, row->what);
	row = row_find(ovs_fields, import_format(d->im, "%.*s", (int)n, at->text));
	if (!row)
		return draft_leave(d, at, REASON_UNKNOWN);
	ovs_of(d)->text = at->text + n + 1;
	ovs_of(d)->any_tag |= row->value && row->what == SLOT_VLAN_PCP;
	return row->read
		       ? row->read(d, row, at)
		       : draft_match(d, at, row->what, row->value(d, row, ovs_of(d)->text), false);
}

static bool ovs_at_actions(const struct token *t)
{
	return t->text && names_begin("actions= action=", t->text);
}

/*
 * Returns whether the flow names the protocols of its fields. Open vSwitch ignores fields of other
 * protocols.
 */
static bool ovs_has_protocols(const struct draft *d)
{
	bool ip = draft_has(d, SLOT_IP), l4 = draft_has(d, SLOT_PROTO), ok = true;

	for (unsigned int s = SLOT_SRC; s < SLOT_TUNNEL; s++)
		if (draft_has(d, s))
			ok &= ip && (l4 || s <= SLOT_PROTO);
	return ok;
}

/* Finds out whether the packets were in a tunnel, before any word of their headers is read. */
static void ovs_find_tunnel(struct draft *d)
{
	for (const struct token *t = tokens_peek(d->line); t->text && !ovs_at_actions(t); t++)
		ovs_of(d)->tunnel |= ovs_is_tunnel(t);
	d->inner = ovs_of(d)->tunnel;
}

/* Adds the tunnel of the flow's port. */
static bool ovs_tunnel_add(struct draft *d)
{
	const char *port = ovs_of(d)->in_port;
	enum node_tunnel tunnel = port ? iface_tunnel(port, 0) : TUNNEL_NONE;

	if (tunnel == TUNNEL_NONE)
		return draft_leave(d, d->at, REASON_TUNNEL);
	return draft_tunnel(d, tunnel);
}

bool ovs_match_read(struct draft *d)
{
	bool ok = true;

	ovs_find_tunnel(d);

	/* The priority may stand behind a part that is left out. */
	while (tokens_peek(d->line)->text && !ovs_at_actions(tokens_peek(d->line))) {
		const struct token *at = tokens_next(d->line);

		if (ok || names_begin("priority=", at->text))
			ok &= ovs_part(d, at);
	}
	if (ok && !ovs_has_protocols(d))
		return draft_leave(d, d->at, REASON_FIELD);
	return ok && (!ovs_of(d)->tunnel || ovs_tunnel_add(d));
}
