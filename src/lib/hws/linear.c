/* SPDX-License-Identifier: BSD-2-Clause */
/* Matchers by index: a packet's register C3 is the number of its rule, so there is no tag. */
#include <dvx/prm/cap.h>
#include "hws.h"

#define HWS_LINEAR_RULES (1u << 16)

static int hws_linear_supported(const struct dvx_flow_table *table)
{
	struct dvx_dev *dev = table->domain->dev;
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_WQE_BASED_FLOW_TABLE, &cap);

	if (err ||
	    (prm_wqe_based_flow_table_cap_get_rtc_linear_lookup_table(cap) &&
	     prm_wqe_based_flow_table_cap_get_rtc_index_mode(cap) >> PRM_RTC_MODE_BY_OFFSET & 1))
		return err;
	return dvx_fail(EOPNOTSUPP,
			"dvx_hws_matcher_create_linear: %s lacks rtc_linear_lookup_table or places "
			"by offset (rtc_index_mode)",
			dvx_dev_name(dev));
}

static int hws_linear_check(const struct dvx_flow_table *table, uint32_t priority, uint32_t rules)
{
	if (table->domain->backend != &dvx_flow_hws || !table->level)
		return dvx_fail(EINVAL,
				"dvx_hws_matcher_create_linear: table is not of level 1 or more of "
				"a domain with DVX_FLOW_HARDWARE");
	if (priority > UINT16_MAX)
		return dvx_fail(ERANGE,
				"dvx_hws_matcher_create_linear: priority %u is not below %u",
				priority, UINT16_MAX + 1u);
	if (!rules || rules > HWS_LINEAR_RULES)
		return dvx_fail(ERANGE, "dvx_hws_matcher_create_linear: rules is %u, not 1 to %u",
				rules, HWS_LINEAR_RULES);
	return hws_linear_supported(table);
}

int dvx_hws_matcher_create_linear(struct dvx_flow_table *table, uint32_t priority, uint32_t rules,
				  struct dvx_flow_matcher **out)
{
	int err = dvx_check_not_null("dvx_hws_matcher_create_linear", "table", table, "out", out,
				     NULL);
	struct dvx_flow_matcher want = {.table = table,
					.priority = (uint16_t)priority,
					.expected_rules = rules,
					.linear = true};

	if (!err)
		err = hws_linear_check(table, priority, rules);
	return err ? err : dvx_flow_matcher_new(&want, want.mask, out);
}
