/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds why libmlx5 refused a table, matcher or rule below the root. libmlx5 returns only an errno.
 * These are the capabilities that it checks, in rdma-core 44 and 65 (dr_domain.c, dr_matcher.c,
 * dr_ste_v1.c).
 */
#include <dvx/prm/cap.h>
#include "flow_priv.h"

/*
 * flex_parser_protocols has a bit for each. Entries of steering_format_version 1 and later have
 * lookups of their own for some; libmlx5 does not check the bits of these.
 */
static const struct protocol {
	const char *field; /* first part of its path */
	unsigned int bit;
	const char *name;
	bool own_lookup;
} protocols[] = {
	{"misc_parameters.geneve_tlv_option_0", 10, "Geneve option", false},
	{"misc_parameters_3.geneve_tlv_option_0", 10, "Geneve option", false},
	{"misc_parameters.geneve_", 3, "Geneve", true},
	{"misc_parameters_3.outer_vxlan_gpe_", 7, "VXLAN-GPE", true},
	{"misc_parameters_3.icmp_", 8, "ICMP", true},
	{"misc_parameters_3.icmpv6_", 9, "ICMPv6", true},
	{"misc_parameters_2.outer_first_mpls_over_gre", 4, "MPLS over GRE", false},
	{"misc_parameters_2.outer_first_mpls_over_udp", 5, "MPLS over UDP", false},
	{"misc_parameters_3.gtpu_dw_0", 16, "GTP-U word 0", false},
	{"misc_parameters_3.gtpu_dw_2", 18, "GTP-U word 2", false},
	{"misc_parameters_3.gtpu_first_ext_dw_0", 19, "GTP-U extension", false},
	{"misc_parameters_3.gtpu_", 11, "GTP-U", false},
};

static const struct protocol *flow_lack_find(const char *path)
{
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		if (!strncmp(path, protocols[i].field, strlen(protocols[i].field)))
			return &protocols[i];
	return NULL;
}

static int lacks_protocol(const struct dvx_dev *dev, const char *path, const struct protocol *p,
			  uint32_t format)
{
	return dvx_fail(EOPNOTSUPP, "match.%s: %s lacks flex_parser_protocols bit %u (%s)%s", path,
			dvx_dev_name(dev), p->bit, p->name,
			p->own_lookup && !format ? ", steering_format_version 0" : "");
}

int dvx_flow_lacks_field(const struct dvx_flow_domain *domain, const char *path)
{
	const struct protocol *p = flow_lack_find(path);
	uint32_t protocols_has = 0, format = 0;
	const void *cap;

	if (domain->side == DVX_FLOW_TX && (!strcmp(path, "misc_parameters.source_sqn") ||
					    !strcmp(path, "misc_parameters.source_port")))
		return dvx_fail(EOPNOTSUPP,
				"match.%s: libmlx5 compares it in RX domains only; no capability "
				"of %s changes that",
				path, dvx_dev_name(domain->dev));
	if (!dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap)) {
		protocols_has = prm_cmd_hca_cap_get_flex_parser_protocols(cap);
		format = prm_cmd_hca_cap_get_steering_format_version(cap);
	}
	if (p && !(protocols_has & 1u << p->bit))
		return lacks_protocol(domain->dev, path, p, format);
	return dvx_fail(EOPNOTSUPP,
			"match.%s: libmlx5 has no entry for it in steering_format_version %u of %s",
			path, format, dvx_dev_name(domain->dev));
}

/* steering_format_version 0 needs sw_owner, later ones need sw_owner_v2. */
bool dvx_flow_software_owned(const struct dvx_flow_domain *domain)
{
	const void *props = dvx_flow_props(domain);

	return props && (prm_flow_table_prop_layout_get_sw_owner(props) ||
			 prm_flow_table_prop_layout_get_sw_owner_v2(props));
}

const char *dvx_flow_lacks_levels(const struct dvx_flow_domain *domain)
{
	const void *roce;
	bool on, off;

	if (!dvx_flow_software_owned(domain))
		return domain->side == DVX_FLOW_TX
			       ? "flow_table_properties_nic_transmit.sw_owner_v2"
			       : "flow_table_properties_nic_receive.sw_owner_v2";
	if (dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_ROCE, &roce))
		return "";
	on = prm_roce_cap_get_fl_rc_qp_when_roce_enabled(roce);
	off = prm_roce_cap_get_fl_rc_qp_when_roce_disabled(roce);
	return !on    ? "roce_cap.fl_rc_qp_when_roce_enabled"
	       : !off ? "roce_cap.fl_rc_qp_when_roce_disabled"
		      : "";
}

/* Vport 0xffff is the wire. libmlx5 queries all others from the e-switch. */
#define WIRE 0xffffu

int dvx_flow_lacks_vport(const struct dvx_flow_rule *rule, const uint8_t *value, int err)
{
	const struct dvx_dev *dev = rule->matcher->table->domain->dev;
	const void *mask = prm_fte_match_param_cat_misc_parameters(rule->matcher->mask);
	uint32_t vport = prm_fte_match_set_misc_get_source_port(
		prm_fte_match_param_cat_misc_parameters(value));
	const void *cap;

	if (!prm_fte_match_set_misc_get_source_port(mask) || vport == WIRE || err == ENOMEM)
		return 0;
	if (!dvx_dev_cap_page(rule->matcher->table->domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap) &&
	    !prm_cmd_hca_cap_get_eswitch_manager(cap))
		return dvx_fail(EOPNOTSUPP,
				"match.misc_parameters.source_port: %s lacks eswitch_manager, it "
				"cannot tell where vport %u is",
				dvx_dev_name(dev), vport);
	return dvx_fail(err, "match.misc_parameters.source_port: %s knows no vport %u",
			dvx_dev_name(dev), vport);
}
