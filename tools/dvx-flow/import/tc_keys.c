/* SPDX-License-Identifier: BSD-2-Clause */
/* The matches of tc-flower(8). */
#include <arpa/inet.h>
#include <inttypes.h>

#include "rules/compile.h"
#include "rules/words.h"
#include "tc.h"

/* --- EtherTypes -------------------------------------------------------------------------------- */

bool tc_type(struct import *im, const char *text, uint64_t *type)
{
	static const char names[] = "ip=800 ipv4=800 ipv6=86dd arp=806 mpls_uc=8847 mpls_mc=8848 "
				    "all=3 802.1q=8100 802.1ad=88a8";
	char value[16];

	if (names_value(names, import_lower(im, text), value))
		text = value;
	return number_parse(text, 16, 0xffff, type) || ethertype_number(text, type);
}

static bool tc_is_tag(uint64_t type)
{
	return type == 0x8100 || type == 0x88a8;
}

/* Adds the conditions of a protocol behind the filter's tags. */
static bool tc_take_type(struct tc_read *r, const struct token *at, uint64_t type)
{
	static const enum draft_slot tags[] = {SLOT_TAG, SLOT_TAG2};
	bool ok = true;

	if (tc_is_tag(type) && r->tags < 2) {
		ok = draft_set(&r->d, tags[r->tags++], type == 0x8100 ? TAG_VLAN : TAG_SVLAN);
	} else {
		/* There is no second tag behind a tag with this type. */
		if (r->tags == 1 && !tc_is_tag(type))
			ok = draft_set(&r->d, SLOT_TAG2, TAG_LAST);
		ok = ok && draft_add_type(&r->d, type);
	}
	if (type == 0x0800 || type == 0x86dd)
		r->d.family = type == 0x0800 ? 4 : 6;
	return ok || draft_leave(&r->d, at, REASON_TWICE);
}

bool tc_protocol(struct tc_read *r)
{
	uint64_t type;

	if (!r->protocol)
		return true;
	if (!tc_type(r->d.im, r->protocol->text, &type))
		return draft_leave(&r->d, r->protocol, REASON_VALUE);
	if (type == TC_ALL)
		return true;
	/* A tagged packet's protocol is its tag's. */
	if (!tc_is_tag(type))
		draft_set(&r->d, SLOT_TAG, TAG_NONE);
	return tc_take_type(r, r->protocol, type);
}

/* --- values ------------------------------------------------------------------------------------ */

/* Converts a number that tc reads as decimal, or else hexadecimal. Masks are hexadecimal. */
static struct value tc_number(struct draft *d, const struct row *row, const char *text)
{
	const char *slash = strchr(text, '/');
	const char *head = slash ? import_format(d->im, "%.*s", (int)(slash - text), text) : text;
	const uint64_t most = (1u << row->bits) - 1;
	uint64_t v, mask = UINT64_MAX;

	if ((!number_parse(head, 10, most, &v) && !number_parse(head, 16, most, &v)) ||
	    (slash && !number_parse(slash + 1, 16, most, &mask)))
		return VALUE_BAD;
	return value_under_mask(d->im, v, mask, row->bits);
}

static struct value tc_ports(struct draft *d, const struct row *row, const char *text)
{
	return strchr(text, '/') ? value_masked_port(d, row, text) : value_ports(d, row, text);
}

static struct value tc_flags(struct draft *d, const struct row *row, const char *text)
{
	uint64_t value, mask;

	if (!number_parse_pair(text, 16, 12, &value, &mask) || (value & mask & ~0x1ffull))
		return VALUE_BAD;
	return value_flags(d->im, value, mask);
}

static bool tc_fragment(struct draft *d, const struct row *row, const struct token *at)
{
	int whole = names_index("frag nofrag", at->text, strlen(at->text));

	if (whole < 0)
		return draft_leave(d, at, REASON_FRAGMENT);
	tc_of(d)->mask[0][SLOT_FRAGMENT] = "";
	return draft_match_number(d, at, row->what, !whole);
}

/* Reads the interface: the filter's own, or no packet matches. */
static bool tc_indev(struct draft *d, const struct row *row, const struct token *at)
{
	int ours = import_netdev(d->im, at->text);

	d->nothing |= ours == 0;
	return ours >= 0 || draft_leave(d, at, REASON_INTERFACE);
}

static bool tc_count(struct draft *d, const struct row *row, const struct token *at)
{
	tc_of(d)->vlans = at;
	tc_of(d)->mask[0][SLOT_VLAN_DEI] = ""; /* a field that tc lacks */
	return true;
}

/* Reads an EtherType behind as many tags as `arg` says. */
static bool tc_ethtype(struct draft *d, const struct row *row, const struct token *at)
{
	struct tc_read *r = tc_of(d);
	uint64_t type;

	if (!tc_type(d->im, at->text, &type))
		return draft_leave(d, at, REASON_VALUE);
	if (row->arg != r->tags && row->arg)
		return r->vlans ? draft_leave(d, r->vlans - 1, REASON_TAGS)
				: draft_leave(d, at, REASON_SYNTAX);
	r->mask[0][row->what] = "";
	return tc_take_type(r, at, type);
}

/* Adds a match of the headers around a tunnel. */
static bool tc_enc(struct draft *d, const struct row *row, const struct token *at)
{
	const struct value v = row->value(d, row, at->text);
	const struct rule_net *net = v.list.item;
	bool ok;

	if (!tc_of(d)->tunnel)
		return draft_leave(d, at - 1, REASON_TUNNEL);
	d->inner = false;
	ok = draft_match(d, at, row->what, v, false);
	if (ok && v.list.n && (row->what == SLOT_SRC || row->what == SLOT_DST))
		ok = draft_match_number(d, at, SLOT_IP, net->family);
	d->inner = true;
	return ok;
}

static bool tc_enc_port(struct draft *d, const struct row *row, const struct token *at)
{
	if (!tc_of(d)->tunnel)
		return draft_leave(d, at - 1, REASON_TUNNEL);
	return number_parse(at->text, 0, 0xffff, &tc_of(d)->enc_port) ||
	       draft_leave(d, at, REASON_VALUE);
}

static bool tc_ct_state(struct draft *d, const struct row *row, const struct token *at)
{
	tc_of(d)->mask[0][SLOT_CT] = "";
	return draft_ct_state(d, at, at->text);
}

static bool tc_ct_zone(struct draft *d, const struct row *row, const struct token *at)
{
	uint64_t zone;

	if (!number_parse(at->text, 0, UINT16_MAX, &zone))
		return draft_leave(d, at, REASON_VALUE);
	return draft_ct_zone(d, at, zone);
}

const struct row tc_keys[] = {
	ROW_MATCH("vlan_id", VLAN_ID, value_number, .base = 10, .bits = 12,
		  ROW_KEY(tc_put_tag, KEY_VLAN_ID)),
	ROW_MATCH("vlan_prio", VLAN_PCP, value_number, .base = 10, .bits = 3,
		  ROW_KEY(tc_put_tag, KEY_VLAN_PCP)),
	ROW_READ("vlan_ethtype", tc_ethtype, .what = SLOT_TAG, .arg = 1, .write = tc_put_ethtype),
	ROW_MATCH("cvlan_id", VLAN2_ID, value_number, .base = 10, .bits = 12,
		  ROW_KEY(tc_put_tag, KEY_VLAN2_ID)),
	ROW_MATCH("cvlan_prio", VLAN2_PCP, value_number, .base = 10, .bits = 3,
		  ROW_KEY(tc_put_tag, KEY_VLAN2_PCP)),
	ROW_READ("cvlan_ethtype", tc_ethtype, .what = SLOT_TAG2, .arg = 2, .write = tc_put_ethtype),
	ROW_READ("eth_type", tc_ethtype, .what = SLOT_ETHERTYPE),
	ROW_READ("num_of_vlans", tc_count),
	ROW_READ("indev", tc_indev),
	ROW_READ("skip_sw skip_hw verbose in_hw not_in_hw", row_skip),
	ROW_MATCH("src_mac", ETH_SRC, value_mac, ROW_KEY(tc_put_mac, KEY_SMAC)),
	ROW_MATCH("dst_mac", ETH_DST, value_mac, ROW_KEY(tc_put_mac, KEY_DMAC)),
	ROW_MATCH("ip_proto", PROTO, value_proto, .base = 16, ROW_KEY(tc_put_proto, KEY_PROTO)),
	ROW_MATCH("ip_tos", TOS, tc_number, .bits = 8, ROW_KEY(tc_put_tos, KEY_DSCP)),
	ROW_READ("ip_flags", tc_fragment, .what = SLOT_FRAGMENT,
		 ROW_KEY(tc_put_fragment, KEY_FRAGMENT)),
	ROW_MATCH("tcp_flags", FLAGS, tc_flags, ROW_KEY(tc_put_flags, KEY_TCP_FLAGS)),
	ROW_MATCH("src_ip", SRC, value_net, ROW_KEY(tc_put_address, MATCH_SRC_127_96)),
	ROW_MATCH("dst_ip", DST, value_net, ROW_KEY(tc_put_address, MATCH_DST_127_96)),
	ROW_MATCH("mpls_label", MPLS_LABEL, value_number, .base = 10, .bits = 20,
		  ROW_KEY(tc_put_number, KEY_MPLS_LABEL)),
	ROW_MATCH("mpls_tc", MPLS_TC, value_number, .base = 10, .bits = 3,
		  ROW_KEY(tc_put_number, KEY_MPLS_TC)),
	ROW_MATCH("mpls_bos", MPLS_BOS, value_number, .base = 10, .bits = 1,
		  ROW_KEY(tc_put_number, KEY_MPLS_BOTTOM)),
	ROW_MATCH("mpls_ttl", MPLS_TTL, value_number, .base = 10, .bits = 8,
		  ROW_KEY(tc_put_number, KEY_MPLS_TTL)),
	ROW_MATCH("ip_ttl", TTL, tc_number, .bits = 8, ROW_KEY(tc_put_masked, KEY_TTL)),
	ROW_MATCH("src_port", SPORT, tc_ports,
		  ROW_KEY(tc_put_masked, MATCH_TCP_SPORT, MATCH_UDP_SPORT)),
	ROW_MATCH("dst_port", DPORT, tc_ports,
		  ROW_KEY(tc_put_masked, MATCH_TCP_DPORT, MATCH_UDP_DPORT)),
	ROW_MATCH("type", TYPE, value_masked, .bits = 8,
		  ROW_KEY(tc_put_masked, KEY_ICMP_TYPE, KEY_ICMP6_TYPE)),
	ROW_MATCH("code", CODE, value_masked, .bits = 8,
		  ROW_KEY(tc_put_masked, KEY_ICMP_CODE, KEY_ICMP6_CODE)),
	ROW_LEAVE("mpls pppoe_sid ppp_proto arp_tip arp_sip arp_op arp_tha arp_sha l2tpv3_sid",
		  FIELD),
	ROW_MATCH("enc_src_ip", SRC, value_address, .read = tc_enc),
	ROW_MATCH("enc_dst_ip", DST, value_address, .read = tc_enc),
	ROW_MATCH("enc_tos", TOS, tc_number, .bits = 8, .read = tc_enc),
	ROW_MATCH("enc_ttl", TTL, tc_number, .bits = 8, .read = tc_enc),
	ROW_MATCH("enc_key_id", VNI, value_number, .bits = 32, .read = tc_enc),
	ROW_READ("enc_dst_port", tc_enc_port),
	ROW_MATCH("vxlan_opts", GBP, value_masked, .bits = 16, .read = tc_enc),
	ROW_MATCH("geneve_opts", OPTION, value_option, .read = tc_enc),
	ROW_LEAVE("erspan_opts gtp_opts enc_flags", TUNNEL),
	ROW_READ("ct_state", tc_ct_state),
	ROW_READ("ct_zone", tc_ct_zone),
	ROW_LEAVE("ct_mark ct_label", CONNTRACK),
	ROW_LEAVE("hw_tc", KERNEL_QUEUE),
	ROW_LEAVE("classid flowid", TARGET),
	{0},
};

/* --- keys -------------------------------------------------------------------------------------- */

/* Returns the bits of a field that are compared. */
static const char *tc_mask(struct draft *d, const struct row *row, const char *text)
{
	const struct value v = row->value(d, row, text);
	const struct rule_net *net = v.list.item;
	const struct rule_value *one = v.list.item;
	char masked[INET6_ADDRSTRLEN];
	uint64_t value, bits;

	if (!v.list.n)
		return NULL;
	if (row->what == SLOT_SRC || row->what == SLOT_DST)
		return import_format(d->im, "%u%s", net->bits,
				     inet_ntop(AF_INET6, net->end, masked, sizeof(masked)));
	/* dvx-flow has some masks of ports as ranges, and fewer flags. */
	if (row->what != SLOT_SPORT && row->what != SLOT_DPORT && row->what != SLOT_FLAGS)
		bits = one->mask;
	else if (!number_parse_pair(text, row->what == SLOT_FLAGS ? 16 : 0, 16, &value, &bits))
		return "-";
	return import_format(d->im, "%" PRIx64, bits);
}

/* Excludes more VLAN tags than the filter counts, once its types are known. */
static bool tc_count_tags(struct tc_read *r)
{
	struct draft *d = &r->d;
	bool type =
		draft_has(d, SLOT_IP) || draft_has(d, SLOT_MPLS) || draft_has(d, SLOT_ETHERTYPE);
	uint64_t n;

	if (!r->vlans)
		return true;
	if (!number_parse(r->vlans->text, 0, 255, &n))
		return draft_leave(d, r->vlans, REASON_VALUE);
	if (n > r->tags || (n == 2 && !type))
		return draft_leave(d, r->vlans - 1, REASON_TAGS);
	d->nothing |= n < r->tags;
	if (n == 0 && !r->tags)
		return draft_set(d, SLOT_TAG, TAG_NONE);
	return n != 1 || draft_set(d, SLOT_TAG2, TAG_LAST);
}

/* Adds the tunnel of the filter's interface. */
static bool tc_tunnel_add(struct tc_read *r)
{
	enum node_tunnel tunnel = iface_tunnel(r->dev ? r->dev : "", r->enc_port);

	if (!r->tunnel)
		return true;
	if (!r->dev || tunnel == TUNNEL_NONE)
		return draft_leave(&r->d, r->d.at, REASON_TUNNEL);
	if (r->enc_port && iface_tunnel("", r->enc_port) != tunnel)
		return draft_leave(&r->d, r->d.at, REASON_TUNNEL_PORT);
	return draft_tunnel(&r->d, tunnel);
}

bool tc_keys_read(struct tc_read *r)
{
	while (tokens_peek(r->d.line)->text && !token_is(tokens_peek(r->d.line), "action")) {
		const struct token *name = tokens_peek(r->d.line);
		const struct row *row = row_find(tc_keys, name->text);

		if (!row_take(&r->d, tc_keys, REASON_UNKNOWN))
			return false;
		if (row->value)
			r->mask[row->read == tc_enc][row->what] = tc_mask(&r->d, row, name[1].text);
	}
	return tc_count_tags(r) && tc_tunnel_add(r);
}
