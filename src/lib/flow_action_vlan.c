/* SPDX-License-Identifier: BSD-2-Clause */
/* VLAN tags that a rule adds and removes. The kernel's flow verbs have no such actions. */
#include <endian.h>
#include <dvx/prm/cap.h>
#include "flow_priv.h"

#define CUSTOMER 0x8100u
#define PROVIDER 0x88a8u

/* Entries of format 0 push what is sent, and pop what is received. */
static int flow_vlan_check_format(const struct dvx_flow_domain *domain, const char *who,
				  enum dvx_flow_side always)
{
	const void *cap;
	int err;

	if (domain->side == always)
		return 0;
	err = dvx_dev_cap_page(domain->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);
	if (err || prm_cmd_hca_cap_get_steering_format_version(cap))
		return err;
	return dvx_fail(EOPNOTSUPP,
			"%s: libmlx5 has no entry for it in %s domains in "
			"steering_format_version 0 of %s",
			who, always == DVX_FLOW_TX ? "RX" : "TX", dvx_dev_name(domain->dev));
}

static struct mlx5dv_dr_action *flow_vlan_make_push(const struct dvx_flow_action *action, bool root)
{
	uint32_t tag;

	(void)root;
	memcpy(&tag, action->change->data, sizeof(tag));
	return mlx5dv_dr_action_create_push_vlan(action->domain->dr, htobe32(tag));
}

static struct mlx5dv_dr_action *flow_vlan_make_pop(const struct dvx_flow_action *action, bool root)
{
	(void)action;
	(void)root;
	return mlx5dv_dr_action_create_pop_vlan();
}

int dvx_flow_action_create_push_vlan(struct dvx_flow_domain *domain, uint16_t ethertype,
				     uint16_t tci, struct dvx_flow_action **out)
{
	struct dvx_flow_change c = {
		.make = flow_vlan_make_push, .says = "a VLAN push", .below_only = true};
	uint32_t tag = (uint32_t)ethertype << 16 | tci;
	int err = dvx_given("dvx_flow_action_create_push_vlan", "domain", domain, "out", out, NULL);

	if (err)
		return err;
	if (ethertype != CUSTOMER && ethertype != PROVIDER)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_push_vlan: ethertype 0x%04x is neither "
				"0x8100 nor 0x88a8",
				ethertype);
	err = flow_vlan_check_format(domain, "dvx_flow_action_create_push_vlan", DVX_FLOW_TX);
	return err ? err
		   : dvx_flow_change_create(domain, ACTION_PUSH_VLAN, &c, &tag, sizeof(tag), out);
}

int dvx_flow_action_create_pop_vlan(struct dvx_flow_domain *domain, struct dvx_flow_action **out)
{
	struct dvx_flow_change c = {
		.make = flow_vlan_make_pop, .says = "a VLAN pop", .below_only = true, .tag = true};
	int err = dvx_given("dvx_flow_action_create_pop_vlan", "domain", domain, "out", out, NULL);

	if (!err)
		err = flow_vlan_check_format(domain, "dvx_flow_action_create_pop_vlan",
					     DVX_FLOW_RX);
	return err ? err : dvx_flow_change_create(domain, ACTION_POP_VLAN, &c, NULL, 0, out);
}
