/* SPDX-License-Identifier: BSD-2-Clause */
#include "vhca.h"

/*
 * The BlueField-2 generation: a ConnectX-6 Dx with Arm cores behind a second function. Limits are
 * rounded from what public ibv_devinfo and devlink listings of such cards show.
 */
const struct personality personality_bluefield2 = {
	.name = "bluefield-2",
	.pci_device = 0xa2d6,
	.board_id = "dvx-sim",
	.fw_ver = "24.35.1012",
	.log_max_qp = 18,
	.log_max_cq = 22,
	.log_max_mkey = 22,
	.log_max_pd = 22,
	.log_max_qp_sz = 15,
	.log_max_cq_sz = 22,
	.log_max_msg = 30,
	.log_ste_icm = 31,
	.log_max_flow_counter = VHCA_LOG_MAX_FLOW_COUNTER,
	.log_dma_mmo_max_size = 21,
	.dma_mmo = true,
	.cross_vhca = true,
	.allow_mkey = true,
	.min_mkey_log_entity_size = 0,
	.sw_owner_rx = true,
	.sw_owner_tx = true,
	.fl_rc_qp = true,
};
