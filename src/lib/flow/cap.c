/* SPDX-License-Identifier: BSD-2-Clause */
/* Which capability of QUERY_HCA_CAP's flow table page tells that the root tables match a field. */
#include <stdio.h>
#include <dvx/prm/cap.h>
#include "priv.h"

/*
 * PRM names on both sides; of header_caps "outer_headers." and "outer" are left out. Fields without
 * a bit of their own are not listed.
 */
struct cap {
	const char *field, *cap;
};

static const struct cap header_caps[] = {
	{"smac_47_16", "_smac"},
	{"smac_15_0", "_smac"},
	{"ethertype", "_ether_type"},
	{"dmac_47_16", "_dmac"},
	{"dmac_15_0", "_dmac"},
	{"first_prio", "_first_prio"},
	{"first_cfi", "_first_cfi"},
	{"first_vid", "_first_vid"},
	{"ip_protocol", "_ip_protocol"},
	{"ip_dscp", "_ip_dscp"},
	{"ip_ecn", "_ip_ecn"},
	{"svlan_tag", "_first_svlan"},
	{"frag", "_frag"},
	{"ip_version", "_ip_version"},
	{"tcp_flags", "_tcp_flags"},
	{"tcp_sport", "_tcp_sport"},
	{"tcp_dport", "_tcp_dport"},
	{"ttl_hoplimit", "_ipv4_ttl"},
	{"udp_sport", "_udp_sport"},
	{"udp_dport", "_udp_dport"},
	{"src_ipv4_src_ipv6", "_sip"},
	{"dst_ipv4_dst_ipv6", "_dip"},
};

static const struct cap other_caps[] = {
	{"misc_parameters.source_sqn", "source_sqn"},
	{"misc_parameters.source_port", "source_eswitch_port"},
	{"misc_parameters.outer_second_prio", "outer_second_prio"},
	{"misc_parameters.outer_second_cfi", "outer_second_cfi"},
	{"misc_parameters.outer_second_vid", "outer_second_vid"},
	{"misc_parameters.inner_second_prio", "inner_second_prio"},
	{"misc_parameters.inner_second_cfi", "inner_second_cfi"},
	{"misc_parameters.inner_second_vid", "inner_second_vid"},
	{"misc_parameters.outer_second_svlan_tag", "outer_second_svlan"},
	{"misc_parameters.inner_second_svlan_tag", "inner_second_svlan"},
	{"misc_parameters.gre_protocol", "outer_gre_protocol"},
	{"misc_parameters.gre_key", "outer_gre_key"},
	{"misc_parameters.vxlan_vni", "outer_vxlan_vni"},
	{"misc_parameters.geneve_vni", "outer_geneve_vni"},
	{"misc_parameters.geneve_oam", "outer_geneve_oam"},
	{"misc_parameters.geneve_protocol_type", "outer_geneve_protocol_type"},
	{"misc_parameters.geneve_opt_len", "outer_geneve_opt_len"},
	{"misc_parameters.geneve_tlv_option_0_exist", "geneve_tlv_option_0_exist"},
	{"misc_parameters.outer_ipv6_flow_label", "outer_ipv6_flow_label"},
	{"misc_parameters.inner_ipv6_flow_label", "inner_ipv6_flow_label"},
	{"misc_parameters.bth_dst_qp", "bth_dst_qp"},
	{"misc_parameters.outer_esp_spi", "outer_esp_spi"},
	{"misc_parameters.inner_esp_spi", "inner_esp_spi"},
	{"misc_parameters_2.outer_first_mpls.", "outer_first_mpls"},
	{"misc_parameters_2.inner_first_mpls.", "inner_first_mpls"},
	{"misc_parameters_2.outer_first_mpls_over_gre.", "outer_first_mpls_over_gre"},
	{"misc_parameters_2.outer_first_mpls_over_udp.", "outer_first_mpls_over_udp"},
	{"misc_parameters_2.metadata_reg_c_7", "metadata_reg_c_7"},
	{"misc_parameters_2.metadata_reg_c_6", "metadata_reg_c_6"},
	{"misc_parameters_2.metadata_reg_c_5", "metadata_reg_c_5"},
	{"misc_parameters_2.metadata_reg_c_4", "metadata_reg_c_4"},
	{"misc_parameters_2.metadata_reg_c_3", "metadata_reg_c_3"},
	{"misc_parameters_2.metadata_reg_c_2", "metadata_reg_c_2"},
	{"misc_parameters_2.metadata_reg_c_1", "metadata_reg_c_1"},
	{"misc_parameters_2.metadata_reg_c_0", "metadata_reg_c_0"},
	{"misc_parameters_2.metadata_reg_a", "metadata_reg_a"},
	{"misc_parameters_3.geneve_tlv_option_0_data", "geneve_tlv_option_0_data"},
};

const char *dvx_flow_props_name(const struct dvx_flow_domain *domain)
{
	return domain->side == DVX_FLOW_TX ? "flow_table_properties_nic_transmit"
					   : "flow_table_properties_nic_receive";
}

const void *dvx_flow_props(const struct dvx_flow_domain *domain)
{
	const void *cap;

	if (dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_FLOW_TABLE, &cap))
		return NULL;
	return domain->side == DVX_FLOW_TX
		       ? prm_flow_table_nic_cap_cat_flow_table_properties_nic_transmit(cap)
		       : prm_flow_table_nic_cap_cat_flow_table_properties_nic_receive(cap);
}

/* A name that ends in a dot is a structure: all that is in it. */
static bool flow_cap_is_named(const char *path, const char *name)
{
	size_t n = strlen(name);

	return name[n - 1] == '.' ? !strncmp(path, name, n) : !strcmp(path, name);
}

static bool cap_of(const char *path, char *cap, size_t size)
{
	size_t i, n = strlen("outer_headers.");
	bool outer = !strncmp(path, "outer_headers.", n);

	if (!outer && strncmp(path, "inner_headers.", n) != 0) {
		for (i = 0; i < sizeof(other_caps) / sizeof(other_caps[0]); i++)
			if (flow_cap_is_named(path, other_caps[i].field))
				return snprintf(cap, size, "%s", other_caps[i].cap) > 0;
		return false;
	}
	for (i = 0; i < sizeof(header_caps) / sizeof(header_caps[0]); i++)
		if (!strcmp(path + n, header_caps[i].field))
			return snprintf(cap, size, "%s%s", outer ? "outer" : "inner",
					header_caps[i].cap) > 0;
	return false;
}

static bool flow_cap_all_zero(const uint8_t *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return !n;
}

int dvx_flow_check_caps(const struct dvx_flow_domain *domain, const uint8_t *mask, const char *who)
{
	const struct prm_struct *s = prm_find_struct("flow_table_fields_supported");
	const void *props = dvx_flow_props(domain), *support;
	struct dvx_flow_field f = {.bit = 0};
	uint64_t has;
	char cap[64];

	if (!props)
		return -dvx_last_error()->err;
	support = prm_flow_table_prop_layout_cat_ft_field_support(props);
	/* If the device lists nothing, the firmware decides. */
	if (flow_cap_all_zero(support, PRM_FLOW_TABLE_FIELDS_SUPPORTED_BYTES))
		return 0;
	for (uint32_t bit = 0; dvx_flow_field_next(mask, bit, &f); bit = f.bit + f.width)
		if (cap_of(f.path, cap, sizeof(cap)) &&
		    !prm_field_get(s, support, s->bytes, cap, &has) && !has)
			return dvx_fail(EOPNOTSUPP, "%s: match.%s: %s lacks %s.ft_field_support.%s",
					who, f.path, dvx_dev_name(domain->dev),
					dvx_flow_props_name(domain), cap);
	return 0;
}

bool dvx_flow_field_without_cap(const uint8_t *mask, struct dvx_flow_field *f)
{
	char cap[64];

	for (uint32_t bit = 0; dvx_flow_field_next(mask, bit, f); bit = f->bit + f->width)
		if (!cap_of(f->path, cap, sizeof(cap)))
			return true;
	return false;
}
