/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile.h"

#include <string.h>
#include "vhca.h"

static const struct function_row bluefield2_functions[] = {
	[BLUEFIELD2_HOST] = {"host", FUNCTION_PF},
	[BLUEFIELD2_DPU] = {"dpu", FUNCTION_ECPF},
};

/*
 * The BlueField-2 generation: a ConnectX-6 Dx with Arm cores behind a second function. Limits are
 * rounded from what public ibv_devinfo and devlink listings of such cards show.
 */
const struct profile profile_bluefield2 = {
	.name = "bluefield-2",
	.functions = bluefield2_functions,
	.nfunctions = sizeof(bluefield2_functions) / sizeof(bluefield2_functions[0]),
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
	.steering_format_version = 1,
	.sw_owner_rx = true,
	.sw_owner_tx = true,
	.fl_rc_qp = true,
	.crypto = true,
	.sq_ts_format = TS_FORMATS_BOTH,
	.rq_ts_format = TS_FORMATS_BOTH,
	.qp_ts_format = TS_FORMATS_BOTH,
	.memlock = true,
};

int profile_function(const struct profile *p, const char *name, char names[FUNCTION_NAMES])
{
	int n = 0;

	for (unsigned int i = 0; i < p->nfunctions; i++) {
		if (!name || !strcmp(name, p->functions[i].name))
			return (int)i;
		if (n < FUNCTION_NAMES)
			n += snprintf(names + n, FUNCTION_NAMES - (size_t)n, "%s%s",
				      i ? " or " : "", p->functions[i].name);
	}
	return -1;
}
