/* SPDX-License-Identifier: BSD-2-Clause */
/* The matches of tc-flower(8). */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "rules/words.h"
#include "tc.h"
#include "values.h"

enum tc_kind {
	KEY_MACS,
	KEY_TYPE,
	KEY_DECIMAL,
	KEY_DECIMAL_MASK,
	KEY_NUMBER_MASK,
	KEY_HEX_FLAGS,
	KEY_IP_PROTO,
	KEY_NET,
	KEY_PORTS,
	KEY_IP_FLAGS,
	KEY_COUNT, /* of VLAN tags */
	KEY_INDEV,
	KEY_NOTHING,
	KEY_REFUSE,
};

static const struct tc_key {
	const char *name;
	enum tc_kind kind;
	unsigned int slot; /* KEY_REFUSE: the reason */
	unsigned int bits; /* KEY_TYPE: how many tags it needs */
} tc_keys[] = {
	{"skip_sw", KEY_NOTHING, 0, 0},
	{"skip_hw", KEY_NOTHING, 0, 0},
	{"verbose", KEY_NOTHING, 0, 0},
	{"in_hw", KEY_NOTHING, 0, 0},
	{"not_in_hw", KEY_NOTHING, 0, 0},
	{"dst_mac", KEY_MACS, SLOT_ETH_DST, 0},
	{"src_mac", KEY_MACS, SLOT_ETH_SRC, 0},
	{"vlan_id", KEY_DECIMAL, SLOT_VLAN_ID, 12},
	{"vlan_prio", KEY_DECIMAL, SLOT_VLAN_PCP, 3},
	{"vlan_ethtype", KEY_TYPE, 0, 1},
	{"cvlan_id", KEY_DECIMAL, SLOT_VLAN2_ID, 12},
	{"cvlan_prio", KEY_DECIMAL, SLOT_VLAN2_PCP, 3},
	{"cvlan_ethtype", KEY_TYPE, 0, 2},
	{"eth_type", KEY_TYPE, 0, 0},
	{"mpls_label", KEY_DECIMAL, SLOT_MPLS_LABEL, 20},
	{"mpls_tc", KEY_DECIMAL, SLOT_MPLS_TC, 3},
	{"mpls_bos", KEY_DECIMAL, SLOT_MPLS_BOS, 1},
	{"mpls_ttl", KEY_DECIMAL, SLOT_MPLS_TTL, 8},
	{"ip_proto", KEY_IP_PROTO, SLOT_PROTO, 0},
	{"ip_tos", KEY_NUMBER_MASK, SLOT_TOS, 8},
	{"ip_ttl", KEY_NUMBER_MASK, SLOT_TTL, 8},
	{"dst_ip", KEY_NET, SLOT_DST, 0},
	{"src_ip", KEY_NET, SLOT_SRC, 0},
	{"dst_port", KEY_PORTS, SLOT_DPORT, 0},
	{"src_port", KEY_PORTS, SLOT_SPORT, 0},
	{"tcp_flags", KEY_HEX_FLAGS, SLOT_FLAGS, 0},
	{"type", KEY_DECIMAL_MASK, SLOT_TYPE, 8},
	{"code", KEY_DECIMAL_MASK, SLOT_CODE, 8},
	{"ip_flags", KEY_IP_FLAGS, SLOT_FRAGMENT, 0},
	{"indev", KEY_INDEV, 0, 0},
	{"mpls", KEY_REFUSE, REASON_FIELD, 0},
	{"num_of_vlans", KEY_COUNT, 0, 0},
	{"pppoe_sid", KEY_REFUSE, REASON_FIELD, 0},
	{"ppp_proto", KEY_REFUSE, REASON_FIELD, 0},
	{"arp_tip", KEY_REFUSE, REASON_FIELD, 0},
	{"arp_sip", KEY_REFUSE, REASON_FIELD, 0},
	{"arp_op", KEY_REFUSE, REASON_FIELD, 0},
	{"arp_tha", KEY_REFUSE, REASON_FIELD, 0},
	{"arp_sha", KEY_REFUSE, REASON_FIELD, 0},
	{"enc_key_id", KEY_REFUSE, REASON_TUNNEL, 0},
	{"enc_dst_ip", KEY_REFUSE, REASON_TUNNEL, 0},
	{"enc_src_ip", KEY_REFUSE, REASON_TUNNEL, 0},
	{"enc_dst_port", KEY_REFUSE, REASON_TUNNEL, 0},
	{"enc_tos", KEY_REFUSE, REASON_TUNNEL, 0},
	{"enc_ttl", KEY_REFUSE, REASON_TUNNEL, 0},
	{"geneve_opts", KEY_REFUSE, REASON_TUNNEL, 0},
	{"vxlan_opts", KEY_REFUSE, REASON_TUNNEL, 0},
	{"erspan_opts", KEY_REFUSE, REASON_TUNNEL, 0},
	{"gtp_opts", KEY_REFUSE, REASON_TUNNEL, 0},
	{"l2tpv3_sid", KEY_REFUSE, REASON_FIELD, 0},
	{"ct_state", KEY_REFUSE, REASON_CONNTRACK, 0},
	{"ct_zone", KEY_REFUSE, REASON_CONNTRACK, 0},
	{"ct_mark", KEY_REFUSE, REASON_CONNTRACK, 0},
	{"ct_label", KEY_REFUSE, REASON_CONNTRACK, 0},
	{"hw_tc", KEY_REFUSE, REASON_KERNEL_QUEUE, 0},
	{"classid", KEY_REFUSE, REASON_TARGET, 0},
	{"flowid", KEY_REFUSE, REASON_TARGET, 0},
};

/* --- EtherTypes -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t type;
} tc_types[] = {
	{"802.1q", 0x8100},  {"802.1ad", 0x88a8}, {"ip", 0x0800},
	{"ipv4", 0x0800},    {"ipv6", 0x86dd},	  {"arp", 0x0806},
	{"mpls_uc", 0x8847}, {"mpls_mc", 0x8848}, {"all", TC_ALL},
};

bool tc_type(const char *text, uint64_t *type)
{
	for (size_t i = 0; i < sizeof(tc_types) / sizeof(tc_types[0]); i++)
		if (!strcasecmp(text, tc_types[i].name)) {
			*type = tc_types[i].type;
			return true;
		}
	return value_number(text, 16, 0xffff, type) || ethertype_number(text, type);
}

/* Excludes a second tag behind a tag with this type. */
static bool tc_one_tag(struct tc_read *r, uint64_t type)
{
	return r->tags != 1 || type == 0x8100 || type == 0x88a8 ||
	       draft_add(r->im, r->d, SLOT_TAG2, "num_of_vlans 1");
}

/* Adds the conditions of a protocol behind the filter's tags. */
static bool tc_take_type(struct tc_read *r, const struct token *at, uint64_t type)
{
	static const enum draft_slot tags[] = {SLOT_TAG, SLOT_TAG2};
	struct import *im = r->im;
	bool ok;

	if ((type == 0x8100 || type == 0x88a8) && r->tags < 2)
		ok = draft_add(im, r->d, tags[r->tags++], type == 0x8100 ? "vlan" : "svlan");
	else
		ok = tc_one_tag(r, type) && draft_add_type(im, r->d, type);
	if (type == 0x0800 || type == 0x86dd)
		r->ip = type == 0x0800 ? 4 : 6;
	return ok || tc_leave(r, at, REASON_TWICE);
}

bool tc_protocol(struct tc_read *r)
{
	uint64_t type;

	if (!r->protocol)
		return true;
	if (!tc_type(r->protocol->text, &type))
		return tc_leave(r, r->protocol, REASON_VALUE);
	if (type == TC_ALL)
		return true;
	/* A tagged packet's protocol is its tag's. */
	if (type != 0x8100 && type != 0x88a8)
		draft_add(r->im, r->d, SLOT_TAG, "untagged");
	return tc_take_type(r, r->protocol, type);
}

/* --- values ------------------------------------------------------------------------------------ */

/* Converts a number that tc reads as decimal, or else hexadecimal. Masks are hexadecimal. */
static const char *tc_number(struct tc_read *r, const char *text, unsigned int bits)
{
	const char *slash = strchr(text, '/');
	const char *head = slash ? import_format(r->im, "%.*s", (int)(slash - text), text) : text;
	uint64_t v, mask = UINT64_MAX;

	if ((!value_number(head, 10, (1u << bits) - 1, &v) &&
	     !value_number(head, 16, (1u << bits) - 1, &v)) ||
	    (slash && !value_number(slash + 1, 16, (1u << bits) - 1, &mask)))
		return NULL;
	return value_under_mask(r->im, v, mask, bits);
}

static const char *tc_ports(struct tc_read *r, const char *text)
{
	uint64_t port, mask;

	if (!strchr(text, '/'))
		return value_ports(r->im, text, '-');
	return value_pair(text, 0, 16, &port, &mask) ? value_port_mask(r->im, port, mask) : NULL;
}

static const char *tc_flags(struct tc_read *r, const char *text)
{
	uint64_t value, mask;

	if (!value_pair(text, 16, 12, &value, &mask) || (value & mask & ~0x1ffull))
		return NULL;
	return value_flags(r->im, value, mask);
}

static const char *tc_fragment(const char *text)
{
	if (!strcmp(text, "frag"))
		return "fragment";
	return !strcmp(text, "nofrag") ? "nofrag" : NULL;
}

static const char *tc_value(struct tc_read *r, const struct tc_key *k, const char *text)
{
	switch (k->kind) {
	case KEY_MACS:
		return value_mac(r->im, text);
	case KEY_DECIMAL:
		return strchr(text, '/') ? NULL : value_masked(r->im, text, 10, k->bits);
	case KEY_DECIMAL_MASK:
		return value_masked(r->im, text, 0, k->bits);
	case KEY_NUMBER_MASK:
		return tc_number(r, text, k->bits);
	case KEY_HEX_FLAGS:
		return tc_flags(r, text);
	case KEY_IP_PROTO:
		return value_proto(r->im, text, 16);
	case KEY_NET:
		return r->ip ? value_net(r->im, text, r->ip == 4 ? AF_INET : AF_INET6) : NULL;
	case KEY_PORTS:
		return tc_ports(r, text);
	default:
		return tc_fragment(text);
	}
}

/* Returns the bits of a field that are compared. `value` is the converted `text`. */
static const char *tc_mask(struct tc_read *r, const struct tc_key *k, const char *text,
			   const char *value)
{
	const char *mask = strchr(value, '/');
	uint64_t v, bits;

	if (!*value)
		return NULL;
	/* dvx-flow writes some masks of ports as ranges, and has fewer flags. */
	if (k->kind == KEY_PORTS || k->kind == KEY_HEX_FLAGS)
		return value_pair(text, k->kind == KEY_PORTS ? 0 : 16, 16, &v, &bits)
			       ? import_format(r->im, "/%x", (unsigned int)bits)
			       : "-";
	return mask ? mask : "";
}

/* Reads the interface: the filter's own, or no packet matches. */
static bool tc_indev(struct tc_read *r, const struct token *at)
{
	int ours = import_netdev(r->im, at->text);

	r->d->nothing |= ours == 0;
	return ours >= 0 || tc_leave(r, at, REASON_INTERFACE);
}

/* Excludes more VLAN tags than the filter counts, once its types are known. */
static bool tc_count_tags(struct tc_read *r)
{
	bool type = draft_value(r->d, SLOT_IP) || draft_value(r->d, SLOT_MPLS) ||
		    draft_value(r->d, SLOT_ETHERTYPE);
	uint64_t n;

	if (!r->vlans)
		return true;
	if (!value_number(r->vlans->text, 0, 255, &n))
		return tc_leave(r, r->vlans, REASON_VALUE);
	if (n > r->tags || (n == 2 && !type))
		return tc_leave(r, r->vlans - 1, REASON_TAGS);
	r->d->nothing |= n < r->tags;
	if (n == 0 && !r->tags)
		return draft_add(r->im, r->d, SLOT_TAG, "untagged");
	return n != 1 || draft_add(r->im, r->d, SLOT_TAG2, "num_of_vlans 1");
}

static bool tc_key_value(struct tc_read *r, const struct tc_key *k, const struct token *at)
{
	uint64_t type;
	const char *text;

	if (k->kind == KEY_INDEV)
		return tc_indev(r, at);
	if (k->kind == KEY_COUNT) {
		r->vlans = at;
		r->mask[SLOT_VLAN_DEI] = ""; /* a field that tc lacks */
		return true;
	}
	if (k->kind == KEY_TYPE) {
		if (!tc_type(at->text, &type))
			return tc_leave(r, at, REASON_VALUE);
		if (k->bits != r->tags && k->bits != 0)
			return r->vlans ? tc_leave(r, r->vlans - 1, REASON_TAGS)
					: tc_leave(r, at, REASON_SYNTAX);
		r->mask[k->bits == 2 ? SLOT_TAG2 : k->bits ? SLOT_TAG : SLOT_ETHERTYPE] = "";
		return tc_take_type(r, at, type);
	}
	text = tc_value(r, k, at->text);
	if (!text && k->kind == KEY_IP_FLAGS)
		return tc_leave(r, at, REASON_FRAGMENT);
	if (!text)
		return tc_leave(r, at, REASON_VALUE);
	r->mask[k->slot] = tc_mask(r, k, at->text, text);
	return draft_add(r->im, r->d, (enum draft_slot)k->slot, text) ||
	       tc_leave(r, at, REASON_TWICE);
}

static bool tc_key(struct tc_read *r, const struct token *name)
{
	const struct token *value;
	size_t i = 0;

	while (i < sizeof(tc_keys) / sizeof(tc_keys[0]) && !token_is(name, tc_keys[i].name))
		i++;
	if (i == sizeof(tc_keys) / sizeof(tc_keys[0]))
		return tc_leave(r, name, REASON_UNKNOWN);
	if (tc_keys[i].kind == KEY_NOTHING)
		return true;
	if (tc_keys[i].kind == KEY_REFUSE)
		return tc_leave(r, name, (enum import_reason)tc_keys[i].slot);
	value = tokens_next(r->line);
	return value->text ? tc_key_value(r, &tc_keys[i], value) : tc_leave(r, value, REASON_ENDS);
}

bool tc_keys_read(struct tc_read *r)
{
	while (tokens_peek(r->line)->text && !token_is(tokens_peek(r->line), "action"))
		if (!tc_key(r, tokens_next(r->line)))
			return false;
	return tc_count_tags(r);
}
