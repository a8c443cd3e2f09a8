/* SPDX-License-Identifier: BSD-2-Clause */
/* Which capability of QUERY_HCA_CAP's flow table page tells that the root tables match a field. */
#include <stdio.h>
#include <dvx/prm/cap.h>
#include "priv.h"

/* Capability bits with another name than their field. */
static const struct {
	const char *field, *cap;
} renamed[] = {
	{"smac_47_16", "smac"},
	{"smac_15_0", "smac"},
	{"dmac_47_16", "dmac"},
	{"dmac_15_0", "dmac"},
	{"ethertype", "ether_type"},
	{"svlan_tag", "first_svlan"},
	{"outer_second_svlan_tag", "outer_second_svlan"},
	{"inner_second_svlan_tag", "inner_second_svlan"},
	{"ttl_hoplimit", "ipv4_ttl"},
	{"src_ipv4_src_ipv6", "sip"},
	{"dst_ipv4_dst_ipv6", "dip"},
	{"source_port", "source_eswitch_port"},
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

/*
 * Names a field's capability bit: as the field without its group, with or without "outer_" or
 * "inner_" before it. false: it has none.
 */
static bool flow_cap_of(const char *path, char *cap, size_t size)
{
	const struct prm_struct *s = prm_find_struct("flow_table_fields_supported");
	const char *depth = strncmp(path, "inner_", 6) != 0 ? "outer_" : "inner_";
	char name[48];
	uint64_t bit;

	snprintf(name, sizeof(name), "%s", path + strcspn(path, ".") + 1);
	name[strcspn(name, ".")] = '\0';
	for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
		if (!strcmp(name, renamed[i].field))
			snprintf(name, sizeof(name), "%s", renamed[i].cap);
	snprintf(cap, size, "%s", name);
	if (prm_find_field(s, cap, &bit))
		return true;
	snprintf(cap, size, "%s%s", depth, name);
	return prm_find_field(s, cap, &bit);
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
		if (flow_cap_of(f.path, cap, sizeof(cap)) &&
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
		if (!flow_cap_of(f->path, cap, sizeof(cap)))
			return true;
	return false;
}
