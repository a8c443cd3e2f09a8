/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a tunnel: a rule removes the outer headers. */
#include <dvx/prm/cap.h>
#include "flow_priv.h"

#define ETHERNET_BYTES 14u
#define TAG_BYTES      4u

/* What the root needs; entries need nothing. */
static bool flow_decap_root_has_l2(const void *props)
{
	return prm_flow_table_prop_layout_get_decap(props);
}

static bool flow_decap_root_has_l3(const void *props)
{
	return prm_flow_table_prop_layout_get_reformat_l3_tunnel_to_l2(props);
}

static struct mlx5dv_dr_action *flow_decap_make(const struct dvx_flow_action *action, bool root)
{
	struct dvx_flow_change *c = action->change;

	return mlx5dv_dr_action_create_packet_reformat(
		action->domain->dr, root ? MLX5DV_DR_ACTION_FLAGS_ROOT_LEVEL : 0,
		c->bytes ? MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2
			 : MLX5DV_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2,
		c->bytes, c->bytes ? c->data : NULL);
}

int dvx_flow_action_create_decap_l2(struct dvx_flow_domain *domain, struct dvx_flow_action **out)
{
	struct dvx_flow_change c = {.make = flow_decap_make,
				    .says = "a decapsulation",
				    .root_has = flow_decap_root_has_l2,
				    .root_cap = "decap"};
	int err = dvx_given("dvx_flow_action_create_decap_l2", "domain", domain, "out", out, NULL);

	if (!err)
		err = dvx_flow_rx_only(domain, "dvx_flow_action_create_decap_l2");
	return err ? err : dvx_flow_change_create(domain, ACTION_DECAP, &c, NULL, 0, out);
}

int dvx_flow_action_create_decap_l3(struct dvx_flow_domain *domain, const void *header,
				    uint32_t bytes, struct dvx_flow_action **out)
{
	struct dvx_flow_change c = {.make = flow_decap_make,
				    .says = "a decapsulation",
				    .root_has = flow_decap_root_has_l3,
				    .root_cap = "reformat_l3_tunnel_to_l2"};
	int err = dvx_given("dvx_flow_action_create_decap_l3", "domain", domain, "header", header,
			    "out", out, NULL);

	if (!err)
		err = dvx_flow_rx_only(domain, "dvx_flow_action_create_decap_l3");
	if (err)
		return err;
	if (bytes != ETHERNET_BYTES && bytes != ETHERNET_BYTES + TAG_BYTES)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_decap_l3: bytes is %u: an Ethernet header "
				"has %u, with a VLAN tag %u",
				bytes, ETHERNET_BYTES, ETHERNET_BYTES + TAG_BYTES);
	return dvx_flow_change_create(domain, ACTION_DECAP, &c, header, bytes, out);
}
