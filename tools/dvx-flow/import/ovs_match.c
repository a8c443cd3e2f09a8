/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of ovs-fields(7). */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "ovs.h"
#include "values.h"

enum ovs_kind {
	OVS_MAC,
	OVS_TYPE,
	OVS_VLAN,
	OVS_TCI,
	OVS_NET4,
	OVS_NET6,
	OVS_PROTO,
	OVS_NUMBER,
	OVS_TOS,
	OVS_PORT,
	OVS_FLAGS,
	OVS_FRAG,
	OVS_PRIORITY,
	OVS_TABLE,
	OVS_IN_PORT,
	OVS_TIMEOUT,
	OVS_NOTHING,
	OVS_REFUSE,
};

static const struct ovs_field {
	const char *name;
	enum ovs_kind kind;
	unsigned int slot; /* OVS_REFUSE: the reason; the name is a beginning then */
	unsigned int bits;
} ovs_fields[] = {
	{"priority", OVS_PRIORITY, 0, 0},
	{"table", OVS_TABLE, 0, 0},
	{"in_port", OVS_IN_PORT, 0, 0},
	{"cookie", OVS_NOTHING, 0, 0},
	{"duration", OVS_NOTHING, 0, 0},
	{"n_packets", OVS_NOTHING, 0, 0},
	{"n_bytes", OVS_NOTHING, 0, 0},
	{"idle_age", OVS_NOTHING, 0, 0},
	{"hard_age", OVS_NOTHING, 0, 0},
	{"importance", OVS_NOTHING, 0, 0},
	{"send_flow_rem", OVS_NOTHING, 0, 0},
	{"check_overlap", OVS_NOTHING, 0, 0},
	{"reset_counts", OVS_NOTHING, 0, 0},
	{"idle_timeout", OVS_TIMEOUT, 0, 0},
	{"hard_timeout", OVS_TIMEOUT, 0, 0},
	{"dl_src", OVS_MAC, SLOT_ETH_SRC, 0},
	{"eth_src", OVS_MAC, SLOT_ETH_SRC, 0},
	{"dl_dst", OVS_MAC, SLOT_ETH_DST, 0},
	{"eth_dst", OVS_MAC, SLOT_ETH_DST, 0},
	{"dl_type", OVS_TYPE, 0, 0},
	{"eth_type", OVS_TYPE, 0, 0},
	{"dl_vlan", OVS_VLAN, 0, 0},
	{"dl_vlan_pcp", OVS_NUMBER, SLOT_VLAN_PCP, 3},
	{"vlan_pcp", OVS_NUMBER, SLOT_VLAN_PCP, 3},
	{"vlan_tci", OVS_TCI, 0, 16},
	{"vlan_vid", OVS_TCI, 0, 13},
	{"nw_src", OVS_NET4, SLOT_SRC, 0},
	{"ip_src", OVS_NET4, SLOT_SRC, 0},
	{"nw_dst", OVS_NET4, SLOT_DST, 0},
	{"ip_dst", OVS_NET4, SLOT_DST, 0},
	{"ipv6_src", OVS_NET6, SLOT_SRC, 0},
	{"ipv6_dst", OVS_NET6, SLOT_DST, 0},
	{"nw_proto", OVS_PROTO, SLOT_PROTO, 0},
	{"ip_proto", OVS_PROTO, SLOT_PROTO, 0},
	{"nw_tos", OVS_TOS, SLOT_DSCP, 0},
	{"ip_dscp", OVS_NUMBER, SLOT_DSCP, 6},
	{"nw_ecn", OVS_NUMBER, SLOT_ECN, 2},
	{"ip_ecn", OVS_NUMBER, SLOT_ECN, 2},
	{"nw_ttl", OVS_NUMBER, SLOT_TTL, 8},
	{"ipv6_label", OVS_NUMBER, SLOT_FLOWLABEL, 20},
	{"nw_frag", OVS_FRAG, SLOT_FRAGMENT, 0},
	{"ip_frag", OVS_FRAG, SLOT_FRAGMENT, 0},
	{"tp_src", OVS_PORT, SLOT_SPORT, 0},
	{"tcp_src", OVS_PORT, SLOT_SPORT, 0},
	{"udp_src", OVS_PORT, SLOT_SPORT, 0},
	{"tp_dst", OVS_PORT, SLOT_DPORT, 0},
	{"tcp_dst", OVS_PORT, SLOT_DPORT, 0},
	{"udp_dst", OVS_PORT, SLOT_DPORT, 0},
	{"tcp_flags", OVS_FLAGS, SLOT_FLAGS, 0},
	{"icmp_type", OVS_NUMBER, SLOT_TYPE, 8},
	{"icmp_code", OVS_NUMBER, SLOT_CODE, 8},
	{"icmpv6_type", OVS_NUMBER, SLOT_TYPE, 8},
	{"icmpv6_code", OVS_NUMBER, SLOT_CODE, 8},
	{"mpls_label", OVS_NUMBER, SLOT_MPLS_LABEL, 20},
	{"mpls_tc", OVS_NUMBER, SLOT_MPLS_TC, 3},
	{"mpls_bos", OVS_NUMBER, SLOT_MPLS_BOS, 1},
	{"mpls_ttl", OVS_NUMBER, SLOT_MPLS_TTL, 8},
	{"ct_", OVS_REFUSE, REASON_CONNTRACK, 0},
	{"reg", OVS_REFUSE, REASON_MARK, 0},
	{"xreg", OVS_REFUSE, REASON_MARK, 0},
	{"xxreg", OVS_REFUSE, REASON_MARK, 0},
	{"metadata", OVS_REFUSE, REASON_MARK, 0},
	{"pkt_mark", OVS_REFUSE, REASON_MARK, 0},
	{"tun_", OVS_REFUSE, REASON_TUNNEL, 0},
	{"arp_", OVS_REFUSE, REASON_FIELD, 0},
	{"nd_", OVS_REFUSE, REASON_FIELD, 0},
	{"conj_id", OVS_REFUSE, REASON_FIELD, 0},
};

/* Words that stand for an EtherType and a protocol. */
static const struct ovs_short {
	const char *name;
	unsigned int slot; /* of `type` */
	const char *type, *proto;
} ovs_shorts[] = {
	{"ip", SLOT_IP, "ipv4", NULL},		{"ipv6", SLOT_IP, "ipv6", NULL},
	{"icmp", SLOT_IP, "ipv4", "icmp"},	{"icmp6", SLOT_IP, "ipv6", "icmp6"},
	{"tcp", SLOT_IP, "ipv4", "tcp"},	{"tcp6", SLOT_IP, "ipv6", "tcp"},
	{"udp", SLOT_IP, "ipv4", "udp"},	{"udp6", SLOT_IP, "ipv6", "udp"},
	{"sctp", SLOT_IP, "ipv4", "proto 132"}, {"sctp6", SLOT_IP, "ipv6", "proto 132"},
	{"arp", SLOT_ETHERTYPE, "0x806", NULL}, {"rarp", SLOT_ETHERTYPE, "0x8035", NULL},
	{"mpls", SLOT_MPLS, "mpls", NULL},	{"mplsm", SLOT_ETHERTYPE, "0x8848", NULL},
};

static const char *const ovs_flag_names[] = {"fin", "syn", "rst", "psh", "ack",
					     "urg", "ece", "cwr", "ns"};

/* --- values ------------------------------------------------------------------------------------ */

static bool ovs_match_add(struct ovs_read *r, const struct token *at, unsigned int slot, const char *text)
{
	if (!text)
		return ovs_leave(r, at, REASON_VALUE);
	return draft_add(r->im, r->d, (enum draft_slot)slot, text) ||
	       ovs_leave(r, at, REASON_TWICE);
}

static bool ovs_type(struct ovs_read *r, const struct token *at, const char *text)
{
	uint64_t type;

	if (!value_number(text, 0, 0xffff, &type))
		return ovs_leave(r, at, REASON_VALUE);
	return draft_add_type(r->im, r->d, type) || ovs_leave(r, at, REASON_TWICE);
}

/* Adds a tag's 16 bits. Bit 0x1000 means that the tag exists. */
static bool ovs_tag(struct ovs_read *r, const struct token *at, uint64_t v, uint64_t mask)
{
	uint64_t vid = mask & 0xfff, pcp = mask >> 13;

	if (!(v & 0x1000 & mask)) {
		if (!(mask & 0x1000) || v & mask)
			return ovs_leave(r, at, REASON_MASK);
		return ovs_match_add(r, at, SLOT_TAG, "untagged");
	}
	if ((vid && vid != 0xfff) || (pcp && pcp != 7))
		return ovs_leave(r, at, REASON_MASK);
	r->any_tag = true;
	if (vid && !ovs_match_add(r, at, SLOT_VLAN_ID, import_format(r->im, "%" PRIu64, v & 0xfff)))
		return false;
	return !pcp || ovs_match_add(r, at, SLOT_VLAN_PCP, import_format(r->im, "%" PRIu64, v >> 13));
}

static bool ovs_vlan(struct ovs_read *r, const struct token *at, const char *text)
{
	uint64_t v;

	if (!value_number(text, 0, 0xffff, &v) || (v > 0xfff && v != 0xffff))
		return ovs_leave(r, at, REASON_VALUE);
	return v == 0xffff ? ovs_tag(r, at, 0, 0x1000) : ovs_tag(r, at, v | 0x1000, 0x1fff);
}

/* Adds +syn-ack, or VALUE[/MASK]. */
static bool ovs_flags(struct ovs_read *r, const struct token *at, const char *text)
{
	uint64_t v = 0, mask = 0;

	if (*text != '+' && *text != '-') {
		if (!value_pair(text, 0, 12, &v, &mask))
			return ovs_leave(r, at, REASON_VALUE);
		return v & mask & ~0x1ffull
			       ? ovs_leave(r, at, REASON_FIELD)
			       : ovs_match_add(r, at, SLOT_FLAGS, value_flags(r->im, v, mask));
	}
	while (*text) {
		bool set = *text++ == '+';
		size_t n = strcspn(text, "+-"), i = 0;

		while (i < 9 &&
		       (strlen(ovs_flag_names[i]) != n || strncmp(ovs_flag_names[i], text, n)))
			i++;
		if (i == 9)
			return ovs_leave(r, at, REASON_VALUE);
		mask |= 1ull << i;
		v |= (uint64_t)set << i;
		text += n;
	}
	return ovs_match_add(r, at, SLOT_FLAGS, value_flags(r->im, v, mask));
}

static bool ovs_frag(struct ovs_read *r, const struct token *at, const char *text)
{
	if (!strcmp(text, "no"))
		return ovs_match_add(r, at, SLOT_FRAGMENT, "nofrag");
	if (!strcmp(text, "yes"))
		return ovs_match_add(r, at, SLOT_FRAGMENT, "fragment");
	return ovs_leave(r, at, REASON_FRAGMENT);
}

static bool ovs_port(struct ovs_read *r, const struct token *at, unsigned int slot,
		     const char *text)
{
	uint64_t v, mask;

	if (!value_pair(text, 0, 16, &v, &mask))
		return ovs_leave(r, at, REASON_VALUE);
	return ovs_match_add(r, at, slot, value_port_mask(r->im, v, mask));
}

static bool ovs_tos(struct ovs_read *r, const struct token *at, const char *text)
{
	uint64_t v;

	if (!value_number(text, 0, 0xff, &v) || v & 3)
		return ovs_leave(r, at, REASON_VALUE);
	return ovs_match_add(r, at, SLOT_DSCP, import_format(r->im, "%" PRIu64, v >> 2));
}

static bool ovs_in_port(struct ovs_read *r, const struct token *at, const char *text)
{
	int ours;

	if (!strcasecmp(text, "LOCAL"))
		return ovs_leave(r, at, REASON_DIRECTION);
	ours = import_netdev(r->im, import_format(r->im, "%s", text));
	r->elsewhere |= ours == 0;
	return ours >= 0 || ovs_leave(r, at, REASON_INTERFACE);
}

/* Reads a part that is about the flow, not about packets. */
static bool ovs_flow_part(struct ovs_read *r, const struct ovs_field *f, const struct token *at,
			  const char *text)
{
	uint64_t v;

	if (f->kind == OVS_NOTHING)
		return true;
	if (f->kind == OVS_IN_PORT)
		return ovs_in_port(r, at, text);
	if (!value_number(text, 0, f->kind == OVS_PRIORITY ? 65535 : UINT32_MAX, &v))
		return ovs_leave(r, at, REASON_VALUE);
	if (f->kind == OVS_PRIORITY)
		r->priority = v;
	else if (f->kind == OVS_TABLE)
		r->d->table = (uint32_t)v;
	else if (v)
		return ovs_leave(r, at, REASON_MEMORY);
	return true;
}

static bool ovs_field(struct ovs_read *r, const struct ovs_field *f, const struct token *at,
		      const char *text)
{
	struct import *im = r->im;
	uint64_t v, mask;

	switch (f->kind) {
	case OVS_MAC:
		return ovs_match_add(r, at, f->slot, value_mac(im, text));
	case OVS_TYPE:
		return ovs_type(r, at, text);
	case OVS_VLAN:
		return ovs_vlan(r, at, text);
	case OVS_TCI:
		return value_pair(text, 0, f->bits, &v, &mask) ? ovs_tag(r, at, v, mask)
							       : ovs_leave(r, at, REASON_VALUE);
	case OVS_NET4:
		return ovs_match_add(r, at, f->slot, value_net(im, text, AF_INET));
	case OVS_NET6:
		return ovs_match_add(r, at, f->slot, value_net(im, text, AF_INET6));
	case OVS_PROTO:
		return ovs_match_add(r, at, f->slot, value_proto(im, text, 0));
	case OVS_NUMBER:
		r->any_tag |= f->slot == SLOT_VLAN_PCP;
		return ovs_match_add(r, at, f->slot, value_masked(im, text, 0, f->bits));
	case OVS_TOS:
		return ovs_tos(r, at, text);
	case OVS_PORT:
		return ovs_port(r, at, f->slot, text);
	case OVS_FLAGS:
		return ovs_flags(r, at, text);
	case OVS_FRAG:
		return ovs_frag(r, at, text);
	default:
		return ovs_flow_part(r, f, at, text);
	}
}

/* --- parts ------------------------------------------------------------------------------------- */

static bool ovs_word(struct ovs_read *r, const struct token *at)
{
	for (size_t i = 0; i < sizeof(ovs_shorts) / sizeof(ovs_shorts[0]); i++) {
		const struct ovs_short *s = &ovs_shorts[i];

		if (token_is(at, s->name))
			return ovs_match_add(r, at, s->slot, s->type) &&
			       (!s->proto || ovs_match_add(r, at, SLOT_PROTO, s->proto));
	}
	for (size_t i = 0; i < sizeof(ovs_fields) / sizeof(ovs_fields[0]); i++)
		if (ovs_fields[i].kind == OVS_NOTHING && token_is(at, ovs_fields[i].name))
			return true;
	return ovs_leave(r, at, REASON_UNKNOWN);
}

static bool ovs_part(struct ovs_read *r, const struct token *at)
{
	size_t n = strcspn(at->text, "=");

	if (!at->text[n])
		return ovs_word(r, at);
	for (size_t i = 0; i < sizeof(ovs_fields) / sizeof(ovs_fields[0]); i++) {
		const struct ovs_field *f = &ovs_fields[i];

		if (f->kind == OVS_REFUSE && !strncmp(at->text, f->name, strlen(f->name)))
			return ovs_leave(r, at, (enum import_reason)f->slot);
		if (f->kind != OVS_REFUSE && strlen(f->name) == n && !strncmp(at->text, f->name, n))
			return ovs_field(r, f, at, at->text + n + 1);
	}
	return ovs_leave(r, at, REASON_UNKNOWN);
}

static bool ovs_at_actions(const struct token *t)
{
	return t->text && (!strncmp(t->text, "actions=", 8) || !strncmp(t->text, "action=", 7));
}

/*
 * Returns whether the flow names the protocols of its fields. Open vSwitch ignores fields of other
 * protocols.
 */
static bool ovs_has_protocols(const struct ovs_read *r)
{
	bool ip = draft_value(r->d, SLOT_IP), l4 = draft_value(r->d, SLOT_PROTO), ok = true;

	for (unsigned int s = SLOT_SRC; s < SLOT_TUNNEL; s++)
		if (draft_value(r->d, (enum draft_slot)s))
			ok &= ip && (l4 || s <= SLOT_PROTO);
	return ok;
}

bool ovs_match_read(struct ovs_read *r)
{
	bool ok = true;

	/* The priority may stand behind a part that is left out. */
	while (tokens_peek(r->parts)->text && !ovs_at_actions(tokens_peek(r->parts))) {
		const struct token *at = tokens_next(r->parts);

		if (ok || !strncmp(at->text, "priority=", 9))
			ok &= ovs_part(r, at);
	}
	if (ok && !ovs_has_protocols(r))
		return ovs_leave(r, r->d->at, REASON_FIELD);
	return ok;
}
