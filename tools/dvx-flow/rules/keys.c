/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile.h"

static const char *const names[MATCH_KEYS] = {
	[KEY_DMAC] = "outer_headers.dmac_47_16",
	[KEY_SMAC] = "outer_headers.smac_47_16",
	[KEY_ETHERTYPE] = "outer_headers.ethertype",
	[KEY_CVLAN] = "outer_headers.cvlan_tag",
	[KEY_SVLAN] = "outer_headers.svlan_tag",
	[KEY_VLAN_ID] = "outer_headers.first_vid",
	[KEY_VLAN_DEI] = "outer_headers.first_cfi",
	[KEY_VLAN_PCP] = "outer_headers.first_prio",
	[KEY_PROTO] = "outer_headers.ip_protocol",
	[KEY_DSCP] = "outer_headers.ip_dscp",
	[KEY_ECN] = "outer_headers.ip_ecn",
	[KEY_TTL] = "outer_headers.ttl_hoplimit",
	[KEY_FRAGMENT] = "outer_headers.frag",
	[KEY_FLOWLABEL] = "misc_parameters.outer_ipv6_flow_label",
	[KEY_TCP_FLAGS] = "outer_headers.tcp_flags",
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
	[MATCH_IP_VERSION] = "outer_headers.ip_version",
	[MATCH_SRC_127_96] = "outer_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_127_96",
	[MATCH_SRC_95_64] = "outer_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_95_64",
	[MATCH_SRC_63_32] = "outer_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_63_32",
	[MATCH_SRC_31_0] = "outer_headers.src_ipv4_src_ipv6.ipv6_simple_layout.ipv6_31_0",
	[MATCH_DST_127_96] = "outer_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_127_96",
	[MATCH_DST_95_64] = "outer_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_95_64",
	[MATCH_DST_63_32] = "outer_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_63_32",
	[MATCH_DST_31_0] = "outer_headers.dst_ipv4_dst_ipv6.ipv6_simple_layout.ipv6_31_0",
	[MATCH_TCP_SPORT] = "outer_headers.tcp_sport",
	[MATCH_TCP_DPORT] = "outer_headers.tcp_dport",
	[MATCH_UDP_SPORT] = "outer_headers.udp_sport",
	[MATCH_UDP_DPORT] = "outer_headers.udp_dport",
};

const char *match_key_name(unsigned int key)
{
	return names[key];
}
