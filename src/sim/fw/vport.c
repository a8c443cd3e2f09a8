/* SPDX-License-Identifier: BSD-2-Clause */
/* A function's vport, and queries of the e-switch's manager. */
#include "cmd.h"
#include "obj/device.h"
#include "obj/icm.h"

#define PORT_MTU	1500
#define SELECT_REG_C	(1u << 4) /* field_select: fdb_to_vport_reg_c_id */
#define PORT_STATE_DOWN 1
#define PORT_STATE_UP	4
#define PHYS_STATE_OFF	3 /* [I] disabled, as mlx5_ib shows a port without carrier */
#define PHYS_STATE_UP	5

int fw_vport_own(struct fw_cmd *c, uint32_t other, uint32_t number)
{
	if (!other && !number)
		return 0;
	return fw_refuse(c, FW_SYN_FUNCTION,
			 "other_vport %u, vport_number %u: this function manages only itself",
			 other, number);
}

struct vhca *fw_vport_find(struct fw_cmd *c, uint32_t other, uint32_t number)
{
	struct vhca *v = device_vhca_by_vport(c->vhca->dev, number);

	if (!other || c->vhca != c->vhca->dev->manager)
		return fw_vport_own(c, other, number) ? NULL : c->vhca;
	if (!v)
		fw_refuse(c, FW_SYN_FUNCTION, "vport_number 0x%x: no function has this vport",
			  number);
	return v;
}

static int fw_vport_manager(struct fw_cmd *c)
{
	if (c->vhca == c->vhca->dev->manager)
		return 0;
	return fw_refuse_as(c, PRM_STATUS_BAD_OP, FW_SYN_CAP_CLEAR,
			    "vhca %u manages no eswitch (cap.eswitch_manager is 0)", c->vhca->id);
}

int fw_query_nic_vport_context(struct fw_cmd *c)
{
	const struct vhca *v =
		fw_vport_find(c, prm_query_nic_vport_context_in_get_other_vport(c->in),
			      prm_query_nic_vport_context_in_get_vport_number(c->in));
	void *ctx = prm_query_nic_vport_context_out_at_nic_vport_context(c->out);
	void *mac = prm_nic_vport_context_at_permanent_address(ctx);

	if (!v)
		return -1;
	prm_nic_vport_context_set_roce_en(ctx, 1);
	prm_nic_vport_context_set_mtu(ctx, PORT_MTU);
	prm_nic_vport_context_set_system_image_guid(ctx, v->dev->vhca[0].guid);
	prm_nic_vport_context_set_port_guid(ctx, v->guid);
	prm_nic_vport_context_set_node_guid(ctx, v->guid);
	prm_nic_vport_context_set_qkey_violation_counter(ctx, v->qkey_violations & 0xffff);
	prm_mac_address_layout_set_mac_addr_47_32(mac, prm_load16(v->mac, 0));
	prm_mac_address_layout_set_mac_addr_31_0(mac, prm_load32(v->mac, 2));
	return 0;
}

int fw_query_hca_vport_context(struct fw_cmd *c)
{
	const struct vhca *v = c->vhca;
	const bool down = v->dev->link_down;
	void *ctx = prm_query_hca_vport_context_out_at_hca_vport_context(c->out);

	if (fw_vport_own(c, prm_query_hca_vport_context_in_get_other_vport(c->in),
			 prm_query_hca_vport_context_in_get_vport_number(c->in)))
		return -1;
	prm_hca_vport_context_set_grh_required(ctx, 1);
	prm_hca_vport_context_set_port_physical_state(ctx, down ? PHYS_STATE_OFF : PHYS_STATE_UP);
	prm_hca_vport_context_set_port_state(ctx, down ? PORT_STATE_DOWN : PORT_STATE_UP);
	prm_hca_vport_context_set_vport_state(ctx, down ? PORT_STATE_DOWN : PORT_STATE_UP);
	prm_hca_vport_context_set_system_image_guid(ctx, v->dev->vhca[0].guid);
	prm_hca_vport_context_set_port_guid(ctx, v->guid);
	prm_hca_vport_context_set_node_guid(ctx, v->guid);
	return 0;
}

static uint32_t fw_vport_vfs(const struct device *dev)
{
	uint32_t n = 0;

	while (device_vhca_by_vport(dev, VPORT_PF + 1 + n))
		n++;
	return n;
}

/*
 * Fills in a bit for each SF, as far as the reply has room. [I] The first is bit 0 of the first
 * quadword; a manager's own SFs are in it, too.
 */
static void fw_esw_functions_put_sfs(const struct fw_cmd *c)
{
	for (uint32_t i = 0; device_vhca_by_vport(c->vhca->dev, VPORT_SF + i); i++) {
		const size_t at = PRM_QUERY_ESW_FUNCTIONS_OUT_BYTES + i / 64 * 8u;
		uint8_t *quadword = (uint8_t *)c->out + at;

		if (at + 8 > c->out_len)
			return;
		quadword[7 - i % 64 / 8] |= (uint8_t)(1u << i % 8);
	}
}

/*
 * Returns the host's functions. [I] Only the e-switch's manager may ask. Where there are no SFs,
 * libmlx5 44 has no room for their list, nor for 8 bytes before it.
 */
int fw_query_esw_functions(struct fw_cmd *c)
{
	void *host = prm_query_esw_functions_out_at_host_params_context(c->out);
	const struct vhca *pf = device_vhca_by_vport(c->vhca->dev, VPORT_PF);

	if (fw_vport_manager(c) ||
	    fw_reply_fits(c, PRM_MBOX_OUT_BYTES + PRM_HOST_PARAMS_CONTEXT_BYTES))
		return -1;
	prm_host_params_context_set_host_num_of_vfs(host, fw_vport_vfs(c->vhca->dev));
	prm_host_params_context_set_host_total_vfs(host, fw_vport_vfs(c->vhca->dev));
	if (pf) {
		prm_host_params_context_set_host_pf_vhca_id_valid(host, 1);
		prm_host_params_context_set_host_pf_vhca_id(host, pf->id);
	}
	fw_esw_functions_put_sfs(c);
	return 0;
}

/* Returns the function of the vport that a command on e-switch contexts names. */
static struct vhca *fw_vport_of_context(struct fw_cmd *c)
{
	return fw_vport_manager(c)
		       ? NULL
		       : fw_vport_find(c, prm_query_esw_vport_context_in_get_other_vport(c->in),
				       prm_query_esw_vport_context_in_get_vport_number(c->in));
}

/* Returns the addresses of a vport for entries of the FDB, and the registers that reach it. */
int fw_query_esw_vport_context(struct fw_cmd *c)
{
	void *ctx = prm_query_esw_vport_context_out_at_esw_vport_context(c->out);
	const struct vhca *v = fw_vport_of_context(c);

	if (!v)
		return -1;
	prm_esw_vport_context_set_fdb_to_vport_reg_c_id(ctx, v->fdb_to_vport_reg_c_id);
	prm_esw_vport_context_set_sw_steering_vport_icm_address_rx(ctx, icm_vport(v->vport, false));
	prm_esw_vport_context_set_sw_steering_vport_icm_address_tx(ctx, icm_vport(v->vport, true));
	return 0;
}

/* Changes which registers reach a vport. Other fields are refused (SELECT_REG_C). */
int fw_modify_esw_vport_context(struct fw_cmd *c)
{
	const void *select = prm_modify_esw_vport_context_in_cat_field_select(c->in);
	const void *ctx = prm_modify_esw_vport_context_in_cat_esw_vport_context(c->in);
	uint32_t bits = prm_esw_vport_context_get_fdb_to_vport_reg_c_id(ctx);
	const struct fw_absent fields[] = {
		{prm_load32(select, 0) & ~SELECT_REG_C, "field_select",
		 "only fdb_to_vport_reg_c_id (0x10) can be changed"},
		{bits & ~(uint32_t)VHCA_FDB_TO_VPORT_REGS, "fdb_to_vport_reg_c_id",
		 "its capability has registers c_0 and c_1"},
	};
	struct vhca *v = fw_vport_of_context(c);

	if (!v || FW_CHECK_ABSENT(c, fields))
		return -1;
	if (prm_esw_vport_context_fields_select_get_fdb_to_vport_reg_c_id(select))
		v->fdb_to_vport_reg_c_id = (uint8_t)bits;
	return 0;
}
