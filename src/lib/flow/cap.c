/* SPDX-License-Identifier: BSD-2-Clause */
/* Which capability of QUERY_HCA_CAP's flow table page tells that the root tables match a field. */
#include <stdio.h>
#include <dvx/prm/cap.h>
#include "priv.h"

const void *dvx_flow_props(const struct dvx_flow_domain *domain)
{
	const bool fdb = domain->side == DVX_FLOW_FDB;
	const void *cap;

	if (dvx_dev_cap_page(
		    domain->dev,
		    fdb ? PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE : PRM_HCA_CAP_TYPE_FLOW_TABLE, &cap))
		return NULL;
	if (fdb)
		return prm_flow_table_eswitch_cap_cat_flow_table_properties_nic_esw_fdb(cap);
	return domain->side == DVX_FLOW_TX
		       ? prm_flow_table_nic_cap_cat_flow_table_properties_nic_transmit(cap)
		       : prm_flow_table_nic_cap_cat_flow_table_properties_nic_receive(cap);
}

static bool flow_cap_all_zero(const uint8_t *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return !n;
}

int dvx_flow_check_caps(const struct dvx_flow_domain *domain, const uint8_t *mask, const char *who)
{
	const void *props = dvx_flow_props(domain), *support;
	struct dvx_flow_field f = {.bit = 0};

	if (!props)
		return -dvx_last_error()->err;
	support = prm_flow_table_prop_layout_cat_ft_field_support(props);
	/* If the device lists nothing, the firmware decides. */
	if (flow_cap_all_zero(support, PRM_FLOW_TABLE_FIELDS_SUPPORTED_BYTES))
		return 0;
	for (uint32_t bit = 0; dvx_flow_field_next(mask, bit, &f); bit = f.bit + f.width) {
		const struct prm_field *cap = prm_match_cap(f.path);

		if (cap && !prm_bits_get(support, cap->offset, cap->width))
			return dvx_fail(EOPNOTSUPP, "%s: match.%s: %s lacks %s.ft_field_support.%s",
					who, f.path, dvx_dev_name(domain->dev),
					dvx_flow_props_name(domain), cap->name);
	}
	return 0;
}

bool dvx_flow_field_without_cap(const uint8_t *mask, struct dvx_flow_field *f)
{
	for (uint32_t bit = 0; dvx_flow_field_next(mask, bit, f); bit = f->bit + f->width)
		if (!prm_match_cap(f->path))
			return true;
	return false;
}
