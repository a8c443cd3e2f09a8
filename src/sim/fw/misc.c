/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries of the adapter's and its functions' identity. */
#include <string.h>
#include "cmd.h"
#include "obj/device.h"
#include "obj/mkey.h"

#define MELLANOX_OUI   0x0002c9
#define PSID_BYTES     16
#define ROCE_VERSION_1 0
#define ROCE_VERSION_2 2
#define L3_TYPE_GRH    0
#define L3_TYPE_IPV4   0
#define L3_TYPE_IPV6   1

int fw_query_adapter(struct fw_cmd *c)
{
	void *p = prm_query_adapter_out_at_query_adapter_struct(c->out);
	const char *board = c->vhca->dev->profile->board_id;

	prm_query_adapter_param_block_set_ieee_vendor_id(p, MELLANOX_OUI);
	memcpy(prm_query_adapter_param_block_at_vsd_contd_psid(p), board,
	       strnlen(board, PSID_BYTES));
	return 0;
}

int fw_query_issi(struct fw_cmd *c)
{
	prm_query_issi_out_set_current_issi(c->out, 1);
	prm_query_issi_out_set_supported_issi_dw0(c->out, 1 << 1 | 1 << 0);
	return 0;
}

/*
 * Reports no bond: the chip has one port, so lag_state is 0 and the other fields have no meaning. A
 * function with num_lag_ports 2 returns the same while there is no bond.
 */
int fw_query_lag(struct fw_cmd *c)
{
	(void)c;
	return 0;
}

int fw_query_special_contexts(struct fw_cmd *c)
{
	prm_query_special_contexts_out_set_resd_lkey(c->out, MKEY_RESERVED);
	prm_query_special_contexts_out_set_dump_fill_mkey(c->out, MKEY_NULL);
	prm_query_special_contexts_out_set_null_mkey(c->out, MKEY_NULL);
	return 0;
}

int fw_query_roce_address(struct fw_cmd *c)
{
	void *a = prm_query_roce_address_out_at_roce_address(c->out);
	uint32_t index = prm_query_roce_address_in_get_roce_address_index(c->in);
	const struct gid_entry *g;
	bool mapped;

	if (index >= VHCA_GIDS)
		return fw_refuse(c, FW_SYN_INDEX, "roce_address_index %u: the table has %u entries",
				 index, VHCA_GIDS);
	g = &c->vhca->gids[index];
	/* ::ffff:a.b.c.d */
	mapped = !prm_load64(g->gid, 0) && prm_load32(g->gid, 8) == 0xffff;
	memcpy(prm_roce_addr_layout_at_source_l3_address(a), g->gid, sizeof(g->gid));
	prm_roce_addr_layout_set_vlan_valid(a, g->vlan != 0);
	prm_roce_addr_layout_set_vlan_id(a, g->vlan);
	prm_roce_addr_layout_set_source_mac_47_32(a, prm_load16(g->mac, 0));
	prm_roce_addr_layout_set_source_mac_31_0(a, prm_load32(g->mac, 2));
	if (g->type == ROCE_VERSION_2) {
		prm_roce_addr_layout_set_roce_version(a, ROCE_VERSION_2);
		prm_roce_addr_layout_set_roce_l3_type(a, mapped ? L3_TYPE_IPV4 : L3_TYPE_IPV6);
	} else {
		prm_roce_addr_layout_set_roce_version(a, ROCE_VERSION_1);
		prm_roce_addr_layout_set_roce_l3_type(a, L3_TYPE_GRH);
	}
	return 0;
}
