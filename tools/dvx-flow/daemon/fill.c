/* SPDX-License-Identifier: BSD-2-Clause */
/* A key's place in the PRM's match parameters. 100,000 rules have a million fields: no names here.
 */
#include <dvx/prm/match.h>

#include "fill.h"

enum part {
	OUTER,
	SRC, /* of the outer headers */
	DST,
	MPLS,
	PER_LEVEL, /* the ones before are there twice */
	INNER_MPLS = PER_LEVEL + MPLS,
	MISC,
	MISC2,
	MISC3,
	GRE_KEY,
};
#define INNER(p) ((enum part)((p) + PER_LEVEL))

static void *headers_part(void *headers, enum part part)
{
	switch (part) {
	case SRC:
		return prm_fte_match_set_lyr_2_4_at_src_ipv4_src_ipv6(headers);
	case DST:
		return prm_fte_match_set_lyr_2_4_at_dst_ipv4_dst_ipv6(headers);
	default:
		return headers;
	}
}

static void *part_of(void *p, enum part part)
{
	void *misc2 = prm_fte_match_param_at_misc_parameters_2(p);

	switch (part) {
	case MISC:
		return prm_fte_match_param_at_misc_parameters(p);
	case MISC2:
		return misc2;
	case MISC3:
		return prm_fte_match_param_at_misc_parameters_3(p);
	case GRE_KEY:
		return prm_fte_match_set_misc_at_gre_key(part_of(p, MISC));
	case MPLS:
		return prm_fte_match_set_misc2_at_outer_first_mpls(misc2);
	case INNER_MPLS:
		return prm_fte_match_set_misc2_at_inner_first_mpls(misc2);
	default:
		return part < PER_LEVEL
			       ? headers_part(prm_fte_match_param_at_outer_headers(p), part)
			       : headers_part(prm_fte_match_param_at_inner_headers(p),
					      (enum part)(part - PER_LEVEL));
	}
}

#define LAYER(field) prm_fte_match_set_lyr_2_4_set_##field
#define WORDS(field) prm_ipv6_simple_layout_set_##field

/* Outer and inner headers. */
#define BOTH(key, inner_key, part, set, set_low) \
	[key] = {part, set, set_low}, [inner_key] = {INNER(part), set, set_low}

static const struct {
	enum part part;
	void (*set)(void *p, uint32_t v);
	void (*set_low)(void *p, uint32_t v); /* 48 bits are two fields: this one has the last 16 */
} places[MATCH_KEYS] = {
	BOTH(KEY_DMAC, KEY_INNER(KEY_DMAC), OUTER, LAYER(dmac_47_16), LAYER(dmac_15_0)),
	BOTH(KEY_SMAC, KEY_INNER(KEY_SMAC), OUTER, LAYER(smac_47_16), LAYER(smac_15_0)),
	BOTH(KEY_ETHERTYPE, KEY_INNER(KEY_ETHERTYPE), OUTER, LAYER(ethertype), NULL),
	BOTH(KEY_CVLAN, KEY_INNER(KEY_CVLAN), OUTER, LAYER(cvlan_tag), NULL),
	BOTH(KEY_SVLAN, KEY_INNER(KEY_SVLAN), OUTER, LAYER(svlan_tag), NULL),
	BOTH(KEY_VLAN_ID, KEY_INNER(KEY_VLAN_ID), OUTER, LAYER(first_vid), NULL),
	BOTH(KEY_VLAN_DEI, KEY_INNER(KEY_VLAN_DEI), OUTER, LAYER(first_cfi), NULL),
	BOTH(KEY_VLAN_PCP, KEY_INNER(KEY_VLAN_PCP), OUTER, LAYER(first_prio), NULL),
	BOTH(KEY_PROTO, KEY_INNER(KEY_PROTO), OUTER, LAYER(ip_protocol), NULL),
	BOTH(KEY_DSCP, KEY_INNER(KEY_DSCP), OUTER, LAYER(ip_dscp), NULL),
	BOTH(KEY_ECN, KEY_INNER(KEY_ECN), OUTER, LAYER(ip_ecn), NULL),
	BOTH(KEY_TTL, KEY_INNER(KEY_TTL), OUTER, LAYER(ttl_hoplimit), NULL),
	BOTH(KEY_FRAGMENT, KEY_INNER(KEY_FRAGMENT), OUTER, LAYER(frag), NULL),
	[KEY_FLOWLABEL] = {MISC, prm_fte_match_set_misc_set_outer_ipv6_flow_label, NULL},
	[KEY_INNER(KEY_FLOWLABEL)] = {MISC, prm_fte_match_set_misc_set_inner_ipv6_flow_label, NULL},
	BOTH(KEY_TCP_FLAGS, KEY_INNER(KEY_TCP_FLAGS), OUTER, LAYER(tcp_flags), NULL),
	[KEY_ICMP_TYPE] = {MISC3, prm_fte_match_set_misc3_set_icmp_type, NULL},
	[KEY_ICMP_CODE] = {MISC3, prm_fte_match_set_misc3_set_icmp_code, NULL},
	[KEY_ICMP6_TYPE] = {MISC3, prm_fte_match_set_misc3_set_icmpv6_type, NULL},
	[KEY_ICMP6_CODE] = {MISC3, prm_fte_match_set_misc3_set_icmpv6_code, NULL},
	[KEY_REG_A] = {MISC2, prm_fte_match_set_misc2_set_metadata_reg_a, NULL},
	[KEY_REG_C0] = {MISC2, prm_fte_match_set_misc2_set_metadata_reg_c_0, NULL},
	[KEY_REG_C1] = {MISC2, prm_fte_match_set_misc2_set_metadata_reg_c_1, NULL},
	[KEY_REG_C2] = {MISC2, prm_fte_match_set_misc2_set_metadata_reg_c_2, NULL},
	[KEY_REG_C3] = {MISC2, prm_fte_match_set_misc2_set_metadata_reg_c_3, NULL},
	[KEY_REG_C4] = {MISC2, prm_fte_match_set_misc2_set_metadata_reg_c_4, NULL},
	[KEY_REG_C5] = {MISC2, prm_fte_match_set_misc2_set_metadata_reg_c_5, NULL},
	[KEY_REG_C6] = {MISC2, prm_fte_match_set_misc2_set_metadata_reg_c_6, NULL},
	[KEY_REG_C7] = {MISC2, prm_fte_match_set_misc2_set_metadata_reg_c_7, NULL},
	[KEY_VPORT] = {MISC, prm_fte_match_set_misc_set_source_port, NULL},
	[KEY_SQN] = {MISC, prm_fte_match_set_misc_set_source_sqn, NULL},
	[KEY_VXLAN_VNI] = {MISC, prm_fte_match_set_misc_set_vxlan_vni, NULL},
	[KEY_GPE_VNI] = {MISC3, prm_fte_match_set_misc3_set_outer_vxlan_gpe_vni, NULL},
	[KEY_GENEVE_VNI] = {MISC, prm_fte_match_set_misc_set_geneve_vni, NULL},
	[KEY_GENEVE_OAM] = {MISC, prm_fte_match_set_misc_set_geneve_oam, NULL},
	[KEY_GRE_HAS_KEY] = {MISC, prm_fte_match_set_misc_set_gre_k_present, NULL},
	[KEY_GRE_KEY] = {GRE_KEY, prm_gre_key_set_key, NULL},
	BOTH(KEY_MPLS_LABEL, KEY_INNER(KEY_MPLS_LABEL), MPLS, prm_fte_match_mpls_set_mpls_label,
	     NULL),
	BOTH(KEY_MPLS_TC, KEY_INNER(KEY_MPLS_TC), MPLS, prm_fte_match_mpls_set_mpls_exp, NULL),
	BOTH(KEY_MPLS_BOTTOM, KEY_INNER(KEY_MPLS_BOTTOM), MPLS, prm_fte_match_mpls_set_mpls_s_bos,
	     NULL),
	BOTH(KEY_MPLS_TTL, KEY_INNER(KEY_MPLS_TTL), MPLS, prm_fte_match_mpls_set_mpls_ttl, NULL),
	BOTH(MATCH_IP_VERSION, MATCH_INNER(MATCH_IP_VERSION), OUTER, LAYER(ip_version), NULL),
	BOTH(MATCH_SRC_127_96, MATCH_INNER(MATCH_SRC_127_96), SRC, WORDS(ipv6_127_96), NULL),
	BOTH(MATCH_SRC_95_64, MATCH_INNER(MATCH_SRC_95_64), SRC, WORDS(ipv6_95_64), NULL),
	BOTH(MATCH_SRC_63_32, MATCH_INNER(MATCH_SRC_63_32), SRC, WORDS(ipv6_63_32), NULL),
	BOTH(MATCH_SRC_31_0, MATCH_INNER(MATCH_SRC_31_0), SRC, WORDS(ipv6_31_0), NULL),
	BOTH(MATCH_DST_127_96, MATCH_INNER(MATCH_DST_127_96), DST, WORDS(ipv6_127_96), NULL),
	BOTH(MATCH_DST_95_64, MATCH_INNER(MATCH_DST_95_64), DST, WORDS(ipv6_95_64), NULL),
	BOTH(MATCH_DST_63_32, MATCH_INNER(MATCH_DST_63_32), DST, WORDS(ipv6_63_32), NULL),
	BOTH(MATCH_DST_31_0, MATCH_INNER(MATCH_DST_31_0), DST, WORDS(ipv6_31_0), NULL),
	BOTH(MATCH_TCP_SPORT, MATCH_INNER(MATCH_TCP_SPORT), OUTER, LAYER(tcp_sport), NULL),
	BOTH(MATCH_TCP_DPORT, MATCH_INNER(MATCH_TCP_DPORT), OUTER, LAYER(tcp_dport), NULL),
	BOTH(MATCH_UDP_SPORT, MATCH_INNER(MATCH_UDP_SPORT), OUTER, LAYER(udp_sport), NULL),
	BOTH(MATCH_UDP_DPORT, MATCH_INNER(MATCH_UDP_DPORT), OUTER, LAYER(udp_dport), NULL),
};

void fill_match(void *fte_match_param, const struct shape *shape, const uint64_t *value)
{
	for (unsigned int i = 0; i < shape->n; i++) {
		unsigned int key = shape->key[i];
		void *part = part_of(fte_match_param, places[key].part);

		if (places[key].set_low) {
			places[key].set(part, (uint32_t)(value[i] >> 16));
			places[key].set_low(part, (uint32_t)(value[i] & 0xffff));
		} else {
			places[key].set(part, (uint32_t)value[i]);
		}
	}
}
