/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Refuses masks and values that do not mean the same in the root (firmware) and below it (libmlx5's
 * steering entries). The two accept different matches and treat incomplete ones differently: below
 * the root, a UDP port without ip_protocol also matches TCP, and a port without ip_version matches
 * IPv4 only. The header words of VXLAN-GPE, Geneve and GTP-U are one lookup there, which does not
 * ask for the tunnel's kind: without the port they match every tunnel's words.
 */
#include "priv.h"

enum { PORT_GTPU = 2152, PORT_GPE = 4790, PORT_GENEVE = 6081 };

struct need {
	const char *field;
	uint8_t depth, version, protocol;
	uint16_t port; /* outer udp_dport */
};

#define IN_HEADERS(name, version, protocol)                    \
	{"outer_headers." name, 0, version, protocol, 0},      \
	{                                                      \
		"inner_headers." name, 1, version, protocol, 0 \
	}

static const struct need rows[] = {
	IN_HEADERS("ip_protocol", NEEDS_VERSION, 0),
	IN_HEADERS("ip_dscp", NEEDS_VERSION, 0),
	IN_HEADERS("ip_ecn", NEEDS_VERSION, 0),
	IN_HEADERS("frag", NEEDS_VERSION, 0),
	IN_HEADERS("l4_type", NEEDS_VERSION, 0),
	IN_HEADERS("ttl_hoplimit", NEEDS_VERSION, 0),
	IN_HEADERS("src_ipv4_src_ipv6", NEEDS_VERSION, 0),
	IN_HEADERS("dst_ipv4_dst_ipv6", NEEDS_VERSION, 0),
	IN_HEADERS("ipv4_ihl", 4, 0),
	IN_HEADERS("tcp_flags", NEEDS_VERSION, DVX_FLOW_TCP),
	IN_HEADERS("tcp_sport", NEEDS_VERSION, DVX_FLOW_TCP),
	IN_HEADERS("tcp_dport", NEEDS_VERSION, DVX_FLOW_TCP),
	IN_HEADERS("udp_sport", NEEDS_VERSION, DVX_FLOW_UDP),
	IN_HEADERS("udp_dport", NEEDS_VERSION, DVX_FLOW_UDP),
	{"misc_parameters.outer_ipv6_flow_label", 0, 6, 0, 0},
	{"misc_parameters.inner_ipv6_flow_label", 1, 6, 0, 0},
	{"misc_parameters_3.outer_tcp_seq_num", 0, NEEDS_VERSION, DVX_FLOW_TCP, 0},
	{"misc_parameters_3.outer_tcp_ack_num", 0, NEEDS_VERSION, DVX_FLOW_TCP, 0},
	{"misc_parameters_3.icmp_header_data", 0, 4, DVX_FLOW_ICMP, 0},
	{"misc_parameters_3.icmp_type", 0, 4, DVX_FLOW_ICMP, 0},
	{"misc_parameters_3.icmp_code", 0, 4, DVX_FLOW_ICMP, 0},
	{"misc_parameters_3.icmpv6_header_data", 0, 6, DVX_FLOW_ICMPV6, 0},
	{"misc_parameters_3.icmpv6_type", 0, 6, DVX_FLOW_ICMPV6, 0},
	{"misc_parameters_3.icmpv6_code", 0, 6, DVX_FLOW_ICMPV6, 0},
	{"misc_parameters.geneve_vni", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GENEVE},
	{"misc_parameters.geneve_oam", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GENEVE},
	{"misc_parameters.geneve_opt_len", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GENEVE},
	{"misc_parameters.geneve_protocol_type", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GENEVE},
	{"misc_parameters_3.geneve_tlv_option_0_data", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GENEVE},
	{"misc_parameters_3.outer_vxlan_gpe_vni", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GPE},
	{"misc_parameters_3.outer_vxlan_gpe_next_protocol", 0, NEEDS_VERSION, DVX_FLOW_UDP,
	 PORT_GPE},
	{"misc_parameters_3.outer_vxlan_gpe_flags", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GPE},
	{"misc_parameters_3.gtpu_msg_flags", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GTPU},
	{"misc_parameters_3.gtpu_msg_type", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GTPU},
	{"misc_parameters_3.gtpu_teid", 0, NEEDS_VERSION, DVX_FLOW_UDP, PORT_GTPU},
};

static const char *const depths[] = {"outer_headers", "inner_headers"};

static const uint8_t *flow_check_headers(const uint8_t *match, unsigned int depth)
{
	return match + (depth ? 2 * GROUP_BYTES : 0);
}

static int add_version(uint8_t *have, const struct need *need, const char *who)
{
	if (*have > NEEDS_VERSION && need->version > NEEDS_VERSION && *have != need->version)
		return dvx_fail(EINVAL, "%s: match.%s is IPv%u's, another field IPv%u's", who,
				need->field, need->version, *have);
	if (need->version > *have)
		*have = need->version;
	return 0;
}

static int add_protocol(uint8_t *have, const struct need *need, const char *who)
{
	if (*have && need->protocol && *have != need->protocol)
		return dvx_fail(EINVAL,
				"%s: match.%s is of ip_protocol %u, another field of %u: no packet "
				"is both",
				who, need->field, need->protocol, *have);
	if (need->protocol)
		*have = need->protocol;
	return 0;
}

static int add_port(uint16_t *have, const struct need *need, const char *who)
{
	if (*have && need->port && *have != need->port)
		return dvx_fail(EINVAL,
				"%s: match.%s is of a tunnel of UDP port %u, another field of port "
				"%u: no packet is both",
				who, need->field, need->port, *have);
	if (need->port)
		*have = need->port;
	return 0;
}

static int add_needs(struct dvx_flow_needs *needs, const char *path, const char *who)
{
	size_t i;
	int err;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].field, path) != 0)
			continue;
		err = add_version(&needs->version[rows[i].depth], &rows[i], who);
		if (!err)
			err = add_protocol(&needs->protocol[rows[i].depth], &rows[i], who);
		return err ? err : add_port(&needs->port, &rows[i], who);
	}
	return 0;
}

/* libmlx5's entries use the outer header's lookup for these. */
static int check_inner_tcp(const char *path, const char *who)
{
	static const char inner[] = "misc_parameters_3.inner_tcp_";

	if (strncmp(path, inner, sizeof(inner) - 1) != 0)
		return 0;
	return dvx_fail(EOPNOTSUPP,
			"%s: match.%s: below the root libmlx5 compares the outer header's number",
			who, path);
}

/* Bits of an address that an IPv4 one does not have. */
static bool has_ipv6_bits(const uint8_t *mask, unsigned int depth)
{
	const uint8_t *src =
		prm_fte_match_set_lyr_2_4_cat_src_ipv4_src_ipv6(flow_check_headers(mask, depth));
	const uint8_t *dst =
		prm_fte_match_set_lyr_2_4_cat_dst_ipv4_dst_ipv6(flow_check_headers(mask, depth));
	uint8_t any = 0;
	int i;

	for (i = 0; i < 12; i++)
		any |= src[i] | dst[i];
	return any;
}

/* Only an IPv6 address is this long. */
static int add_address(struct dvx_flow_needs *needs, const uint8_t *mask, unsigned int depth,
		       const char *who)
{
	static const struct need address[] = {IN_HEADERS("src_ipv4_src_ipv6", 6, 0)};

	if (!has_ipv6_bits(mask, depth))
		return 0;
	return add_version(&needs->version[depth], &address[depth], who);
}

static int check_depth(const uint8_t *mask, unsigned int depth, const struct dvx_flow_needs *needs,
		       const char *who)
{
	const uint8_t *h = flow_check_headers(mask, depth);
	uint32_t version = prm_fte_match_set_lyr_2_4_get_ip_version(h);

	if (version && version != 0xf)
		return dvx_fail(EINVAL, "%s: match.%s.ip_version: mask 0x%x must be 0xf", who,
				depths[depth], version);
	if (needs->version[depth] && !version)
		return dvx_fail(EINVAL,
				"%s: match.%s.ip_version: mask 0 must be 0xf, other fields are "
				"matched that depend on it",
				who, depths[depth]);
	if (needs->protocol[depth] && prm_fte_match_set_lyr_2_4_get_ip_protocol(h) != 0xff)
		return dvx_fail(EINVAL,
				"%s: match.%s.ip_protocol: mask 0x%x must be 0xff, fields of "
				"protocol %u are matched",
				who, depths[depth], prm_fte_match_set_lyr_2_4_get_ip_protocol(h),
				needs->protocol[depth]);
	return 0;
}

static int check_port_mask(const uint8_t *mask, const struct dvx_flow_needs *needs, const char *who)
{
	uint32_t port = prm_fte_match_set_lyr_2_4_get_udp_dport(flow_check_headers(mask, 0));

	if (!needs->port || port == 0xffff)
		return 0;
	return dvx_fail(
		EINVAL,
		"%s: match.outer_headers.udp_dport: mask 0x%x must be 0xffff, fields of the "
		"tunnel of port %u are matched",
		who, port, needs->port);
}

/* The two bits that tell a VLAN tag's kind. */
static const struct {
	const char *nth, *path, *c_name, *s_name;
	uint32_t c, s; /* bits of fte_match_param */
} vlans[] = {
	{"first", "outer_headers", "cvlan_tag", "svlan_tag", 0x090, 0x091},
	{"first", "inner_headers", "cvlan_tag", "svlan_tag", 0x490, 0x491},
	{"second", "misc_parameters", "outer_second_cvlan_tag", "outer_second_svlan_tag", 0x260,
	 0x262},
	{"second", "misc_parameters", "inner_second_cvlan_tag", "inner_second_svlan_tag", 0x261,
	 0x263},
};

static bool bit(const uint8_t *match, uint32_t at)
{
	return match[at / 8] >> (7 - at % 8) & 1;
}

static uint8_t vlans_matched(const uint8_t *mask)
{
	uint8_t matched = 0;

	for (size_t i = 0; i < sizeof(vlans) / sizeof(vlans[0]); i++)
		if (bit(mask, vlans[i].c) || bit(mask, vlans[i].s))
			matched |= (uint8_t)(1u << i);
	return matched;
}

int dvx_flow_check_mask(const uint8_t *mask, const char *who, struct dvx_flow_needs *needs)
{
	const void *misc = prm_fte_match_param_cat_misc_parameters(mask);
	uint32_t port = prm_fte_match_set_misc_get_source_port(misc);
	struct dvx_flow_field f = {.bit = 0};
	uint32_t bit;
	int err = 0;

	memset(needs, 0, sizeof(*needs));
	needs->vlans = vlans_matched(mask);
	for (bit = 0; !err && dvx_flow_field_next(mask, bit, &f); bit = f.bit + f.width) {
		if (!f.path[0])
			return dvx_fail(EINVAL, "%s: match: reserved bit 0x%x is set in the mask",
					who, f.bit);
		err = check_inner_tcp(f.path, who);
		if (!err)
			err = add_needs(needs, f.path, who);
	}
	if (!err && port && port != 0xffff)
		err = dvx_fail(EINVAL,
			       "%s: match.misc_parameters.source_port: mask 0x%x must be 0xffff",
			       who, port);
	if (!err)
		err = add_address(needs, mask, 0, who);
	if (!err)
		err = add_address(needs, mask, 1, who);
	if (!err)
		err = check_depth(mask, 0, needs, who);
	if (!err)
		err = check_depth(mask, 1, needs, who);
	return err ? err : check_port_mask(mask, needs, who);
}

/* ---- values ---- */

static int outside(const struct dvx_flow_matcher *matcher, const uint8_t *value, const char *who)
{
	struct dvx_flow_field f;
	uint8_t bad[MATCH_BYTES];
	char v[64], m[64];
	size_t i;

	for (i = 0; i < MATCH_BYTES; i++)
		bad[i] = value[i] & (uint8_t)~matcher->mask[i];
	if (!dvx_flow_field_next(bad, 0, &f) || !f.path[0])
		return dvx_fail(EINVAL, "%s: match: a reserved bit is set in the value", who);
	dvx_flow_field_text(&f, value, v, sizeof(v));
	dvx_flow_field_text(&f, matcher->mask, m, sizeof(m));
	return dvx_fail(EINVAL, "%s: match.%s: value %s has bits outside mask %s", who, f.path, v,
			m);
}

static int other_mask(const struct dvx_flow_matcher *matcher, const uint8_t *mask, const char *who)
{
	struct dvx_flow_field f;
	uint8_t bad[MATCH_BYTES];
	char a[64], b[64];
	size_t i;

	for (i = 0; i < MATCH_BYTES; i++)
		bad[i] = mask[i] ^ matcher->mask[i];
	if (!dvx_flow_field_next(bad, 0, &f) || !f.path[0])
		return dvx_fail(EINVAL, "%s: match: a reserved bit is set in the mask", who);
	dvx_flow_field_text(&f, mask, a, sizeof(a));
	dvx_flow_field_text(&f, matcher->mask, b, sizeof(b));
	return dvx_fail(EINVAL, "%s: match.%s: mask %s, but the matcher's is %s", who, f.path, a,
			b);
}

/* Sixteen bytes at a time: each rule's match is checked. */
typedef uint64_t lanes __attribute__((vector_size(16)));

static bool has_bits_outside(const uint8_t *value, const uint8_t *mask)
{
	lanes v, m, over = {0, 0};

	for (size_t i = 0; i < MATCH_BYTES; i += sizeof(lanes)) {
		memcpy(&v, value + i, sizeof(v));
		memcpy(&m, mask + i, sizeof(m));
		over |= v & ~m;
	}
	return over[0] | over[1];
}

/* A mask of zeros stands for the matcher's. */
static int flow_check_bits(const struct dvx_flow_matcher *matcher, const struct dvx_flow_match *m,
			   const char *who)
{
	static const uint8_t none[MATCH_BYTES];

	if (has_bits_outside(m->value, matcher->mask))
		return outside(matcher, m->value, who);
	if (!memcmp(m->mask, matcher->mask, MATCH_BYTES) || !memcmp(m->mask, none, MATCH_BYTES))
		return 0;
	return other_mask(matcher, m->mask, who);
}

static int check_version(const struct dvx_flow_matcher *matcher, const uint8_t *value,
			 unsigned int depth, const char *who)
{
	uint32_t version =
		prm_fte_match_set_lyr_2_4_get_ip_version(flow_check_headers(value, depth));
	uint8_t want = matcher->needs.version[depth];

	if (!prm_fte_match_set_lyr_2_4_get_ip_version(flow_check_headers(matcher->mask, depth)))
		return 0;
	if (version != 4 && version != 6)
		return dvx_fail(EINVAL, "%s: match.%s.ip_version: value %u is neither 4 nor 6", who,
				depths[depth], version);
	if (version == 4 && has_ipv6_bits(matcher->mask, depth))
		return dvx_fail(EINVAL,
				"%s: match.%s.ip_version: value 4, but more than 32 bits of an "
				"address are matched",
				who, depths[depth]);
	if (want > NEEDS_VERSION && want != version)
		return dvx_fail(EINVAL,
				"%s: match.%s.ip_version: value %u, but fields of IPv%u are "
				"matched",
				who, depths[depth], version, want);
	return 0;
}

static int check_protocol(const struct dvx_flow_matcher *matcher, const uint8_t *value,
			  unsigned int depth, const char *who)
{
	uint32_t protocol =
		prm_fte_match_set_lyr_2_4_get_ip_protocol(flow_check_headers(value, depth));
	uint8_t want = matcher->needs.protocol[depth];

	if (want && protocol != want)
		return dvx_fail(EINVAL,
				"%s: match.%s.ip_protocol: value %u, but fields of protocol %u are "
				"matched",
				who, depths[depth], protocol, want);
	return 0;
}

static int check_port(const struct dvx_flow_matcher *matcher, const uint8_t *value, const char *who)
{
	uint32_t port = prm_fte_match_set_lyr_2_4_get_udp_dport(flow_check_headers(value, 0));

	if (!matcher->needs.port || port == matcher->needs.port)
		return 0;
	return dvx_fail(EINVAL,
			"%s: match.outer_headers.udp_dport: value %u, but fields of the tunnel of "
			"port %u are matched",
			who, port, matcher->needs.port);
}

/*
 * An entry has one field for the kind of tag. A match of "no customer tag" alone would mean "no
 * tag" below the root and "no customer tag" in the root. If both kinds are matched, the two agree.
 */
static int check_vlan(const struct dvx_flow_matcher *matcher, const uint8_t *value, size_t i,
		      const char *who)
{
	bool c = bit(value, vlans[i].c), s = bit(value, vlans[i].s);
	bool c_mask = bit(matcher->mask, vlans[i].c), s_mask = bit(matcher->mask, vlans[i].s);

	if (c && s)
		return dvx_fail(EINVAL, "%s: match.%s: no %s tag is both: %s 1 and %s 1", who,
				vlans[i].path, vlans[i].nth, vlans[i].c_name, vlans[i].s_name);
	if (c_mask != s_mask && !c && !s)
		return dvx_fail(EINVAL,
				"%s: match.%s.%s: value 0 needs %s matched too (0: a packet "
				"without a %s tag)",
				who, vlans[i].path, c_mask ? vlans[i].c_name : vlans[i].s_name,
				c_mask ? vlans[i].s_name : vlans[i].c_name, vlans[i].nth);
	return 0;
}

int dvx_flow_check_value(const struct dvx_flow_matcher *matcher, const struct dvx_flow_match *m,
			 const char *who)
{
	unsigned int depth;
	int err = flow_check_bits(matcher, m, who);
	size_t i;

	for (depth = 0; !err && depth < 2; depth++) {
		err = check_version(matcher, m->value, depth, who);
		if (!err)
			err = check_protocol(matcher, m->value, depth, who);
	}
	if (!err)
		err = check_port(matcher, m->value, who);
	for (i = 0; !err && matcher->needs.vlans >> i; i++)
		if (matcher->needs.vlans >> i & 1)
			err = check_vlan(matcher, m->value, i, who);
	return err;
}
