/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The default way in the e-switch: no action leads back to the kernel's FDB tables, so a table does
 * what the kernel's slow path does. The manager's own packets go to the wire, all others to the
 * manager.
 */
#include <string.h>
#include <dvx/dev.h>
#include <dvx/prm/cap.h>

#include "base_tables.h"

/* The level of this table, behind all those of rules. */
#define REST_LEVEL (TABLES_DEEP + 1)

/* Returns the vport of this function, which manages the e-switch. */
static uint32_t switch_manager(struct dvx_dev *dev)
{
	const void *cap;

	if (dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_ESWITCH, &cap) ||
	    !prm_e_switch_cap_get_esw_manager_vport_number_valid(cap))
		return DVX_FLOW_PF;
	return prm_e_switch_cap_get_esw_manager_vport_number(cap);
}

static int switch_base_rule(struct switch_base *b, unsigned int i, const struct dvx_flow_match *m)
{
	struct dvx_flow_matcher_attr matcher = {.size = sizeof(matcher), .priority = i, .match = m};
	struct dvx_flow_rule_attr rule = {
		.size = sizeof(rule), .match = m, .actions = &b->to[i], .action_count = 1};
	int ret = dvx_flow_matcher_create(b->table, &matcher, &b->matcher[i]);

	rule.matcher = b->matcher[i];
	return ret ? ret : dvx_flow_rule_create(&rule, &b->rule[i]);
}

int switch_base_make(struct dvx_dev *dev, struct dvx_flow_domain *domain, struct switch_base *b,
		     struct dvx_flow_action **back)
{
	struct dvx_flow_match own = {0}, all = {0};
	int ret = dvx_flow_table_create(domain, REST_LEVEL, &b->table);

	b->manager = switch_manager(dev);
	if (!ret)
		ret = dvx_flow_match_vport(&own, b->manager);
	if (!ret)
		ret = dvx_flow_action_create_vport(domain, DVX_FLOW_UPLINK, &b->to[0]);
	if (!ret)
		ret = dvx_flow_action_create_default(domain, &b->to[1]);
	if (!ret)
		ret = switch_base_rule(b, 0, &own);
	if (!ret)
		ret = switch_base_rule(b, 1, &all);
	return ret ? ret : dvx_flow_action_create_table(domain, b->table, back);
}

void switch_base_free(struct switch_base *b)
{
	for (unsigned int i = 0; i < 2; i++) {
		dvx_flow_rule_destroy(b->rule[i]);
		dvx_flow_matcher_destroy(b->matcher[i]);
		dvx_flow_action_destroy(b->to[i]);
	}
	dvx_flow_table_destroy(b->table);
	*b = (struct switch_base){0};
}
