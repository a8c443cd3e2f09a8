/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile.h"

/* Outer and inner: the same name but for that word. */
#define BOTH(key, inner_key, before, after) \
	[key] = before "outer" after, [inner_key] = before "inner" after

static const char *const names[MATCH_KEYS] = {
	BOTH(KEY_DMAC, KEY_INNER(KEY_DMAC), "", "_headers.dmac_47_16"),
	BOTH(KEY_SMAC, KEY_INNER(KEY_SMAC), "", "_headers.smac_47_16"),
	BOTH(KEY_ETHERTYPE, KEY_INNER(KEY_ETHERTYPE), "", "_headers.ethertype"),
	BOTH(KEY_CVLAN, KEY_INNER(KEY_CVLAN), "", "_headers.cvlan_tag"),
	BOTH(KEY_SVLAN, KEY_INNER(KEY_SVLAN), "", "_headers.svlan_tag"),
	BOTH(KEY_VLAN_ID, KEY_INNER(KEY_VLAN_ID), "", "_headers.first_vid"),
	BOTH(KEY_VLAN_DEI, KEY_INNER(KEY_VLAN_DEI), "", "_headers.first_cfi"),
	BOTH(KEY_VLAN_PCP, KEY_INNER(KEY_VLAN_PCP), "", "_headers.first_prio"),
	BOTH(KEY_PROTO, KEY_INNER(KEY_PROTO), "", "_headers.ip_protocol"),
	BOTH(KEY_DSCP, KEY_INNER(KEY_DSCP), "", "_headers.ip_dscp"),
	BOTH(KEY_ECN, KEY_INNER(KEY_ECN), "", "_headers.ip_ecn"),
	BOTH(KEY_TTL, KEY_INNER(KEY_TTL), "", "_headers.ttl_hoplimit"),
	BOTH(KEY_FRAGMENT, KEY_INNER(KEY_FRAGMENT), "", "_headers.frag"),
	BOTH(KEY_FLOWLABEL, KEY_INNER(KEY_FLOWLABEL), "misc_parameters.", "_ipv6_flow_label"),
	BOTH(KEY_TCP_FLAGS, KEY_INNER(KEY_TCP_FLAGS), "", "_headers.tcp_flags"),
	[KEY_ICMP_TYPE] = "misc_parameters_3.icmp_type",
	[KEY_ICMP_CODE] = "misc_parameters_3.icmp_code",
	[KEY_ICMP6_TYPE] = "misc_parameters_3.icmpv6_type",
	[KEY_ICMP6_CODE] = "misc_parameters_3.icmpv6_code",
	[KEY_REG_A] = "misc_parameters_2.metadata_reg_a",
	[KEY_REG_C0] = "misc_parameters_2.metadata_reg_c_0",
	[KEY_REG_C1] = "misc_parameters_2.metadata_reg_c_1",
	[KEY_REG_C2] = "misc_parameters_2.metadata_reg_c_2",
	[KEY_REG_C3] = "misc_parameters_2.metadata_reg_c_3",
	[KEY_REG_C4] = "misc_parameters_2.metadata_reg_c_4",
	[KEY_REG_C5] = "misc_parameters_2.metadata_reg_c_5",
	[KEY_REG_C6] = "misc_parameters_2.metadata_reg_c_6",
	[KEY_REG_C7] = "misc_parameters_2.metadata_reg_c_7",
	[KEY_VPORT] = "misc_parameters.source_port",
	[KEY_SQN] = "misc_parameters.source_sqn",
	[KEY_VXLAN_VNI] = "misc_parameters.vxlan_vni",
	[KEY_GPE_VNI] = "misc_parameters_3.outer_vxlan_gpe_vni",
	[KEY_GENEVE_VNI] = "misc_parameters.geneve_vni",
	[KEY_GRE_HAS_KEY] = "misc_parameters.gre_k_present",
	[KEY_GRE_KEY] = "misc_parameters.gre_key.key",
	BOTH(KEY_MPLS_LABEL, KEY_INNER(KEY_MPLS_LABEL), "misc_parameters_2.",
	     "_first_mpls.mpls_label"),
	BOTH(KEY_MPLS_TC, KEY_INNER(KEY_MPLS_TC), "misc_parameters_2.", "_first_mpls.mpls_exp"),
	BOTH(MATCH_IP_VERSION, MATCH_INNER(MATCH_IP_VERSION), "", "_headers.ip_version"),
	BOTH(MATCH_SRC_127_96, MATCH_INNER(MATCH_SRC_127_96), "",
	     "_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_127_96"),
	BOTH(MATCH_SRC_95_64, MATCH_INNER(MATCH_SRC_95_64), "",
	     "_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_95_64"),
	BOTH(MATCH_SRC_63_32, MATCH_INNER(MATCH_SRC_63_32), "",
	     "_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_63_32"),
	BOTH(MATCH_SRC_31_0, MATCH_INNER(MATCH_SRC_31_0), "",
	     "_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_31_0"),
	BOTH(MATCH_DST_127_96, MATCH_INNER(MATCH_DST_127_96), "",
	     "_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_127_96"),
	BOTH(MATCH_DST_95_64, MATCH_INNER(MATCH_DST_95_64), "",
	     "_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_95_64"),
	BOTH(MATCH_DST_63_32, MATCH_INNER(MATCH_DST_63_32), "",
	     "_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_63_32"),
	BOTH(MATCH_DST_31_0, MATCH_INNER(MATCH_DST_31_0), "",
	     "_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_31_0"),
	BOTH(MATCH_TCP_SPORT, MATCH_INNER(MATCH_TCP_SPORT), "", "_headers.tcp_sport"),
	BOTH(MATCH_TCP_DPORT, MATCH_INNER(MATCH_TCP_DPORT), "", "_headers.tcp_dport"),
	BOTH(MATCH_UDP_SPORT, MATCH_INNER(MATCH_UDP_SPORT), "", "_headers.udp_sport"),
	BOTH(MATCH_UDP_DPORT, MATCH_INNER(MATCH_UDP_DPORT), "", "_headers.udp_dport"),
};

const char *match_key_name(unsigned int key)
{
	return names[key];
}
