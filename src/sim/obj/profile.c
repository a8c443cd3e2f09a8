/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile.h"

#include <string.h>
#include "vhca.h"

/* Arm cores run behind the second function of a BlueField, which manages the e-switch. */
static const struct function_row bluefield_functions[] = {
	[BLUEFIELD2_HOST] = {"host", FUNCTION_PF},
	[BLUEFIELD2_DPU] = {"dpu", FUNCTION_ECPF},
};

static const struct function_row nic_functions[] = {{"host", FUNCTION_PF}};

#define PROFILE_FUNCTIONS(rows) .functions = (rows), .nfunctions = sizeof(rows) / sizeof((rows)[0])

/* Limits that all chips share, rounded from what public listings (ibv_devinfo, devlink) show. */
#define PROFILE_COMMON                                                                          \
	.board_id = "dvx-sim", .log_max_qp = 18, .log_max_cq = 22, .log_max_mkey = 22,          \
	.log_max_pd = 22, .log_max_qp_sz = 15, .log_max_cq_sz = 22, .log_max_msg = 30,          \
	.log_ste_icm = 31, .log_max_flow_counter = VHCA_LOG_MAX_FLOW_COUNTER,                   \
	.log_dma_mmo_max_size = 21, .sw_owner_rx = true, .sw_owner_tx = true, .fl_rc_qp = true, \
	.memlock = true

/*
 * A BlueField: DMA copies and the use of another function's mkeys are known from these chips alone.
 * [I] A ConnectX has neither.
 */
#define PROFILE_BLUEFIELD                                       \
	PROFILE_COMMON, PROFILE_FUNCTIONS(bluefield_functions), \
		.dma_mmo = true, .cross_vhca = true, .allow_mkey = true

#define PROFILE_CONNECTX PROFILE_COMMON, PROFILE_FUNCTIONS(nic_functions)

/*
 * ConnectX-6 Dx and later: cards that encrypt are sold, the clock may count time of day, and all
 * VFs have one device id, "ConnectX Family mlx5Gen Virtual Function".
 */
#define PROFILE_6DX                                                        \
	.pci_vf = 0x101e, .crypto = true, .sq_ts_format = TS_FORMATS_BOTH, \
	.rq_ts_format = TS_FORMATS_BOTH, .qp_ts_format = TS_FORMATS_BOTH

/* Queues of a ConnectX-5 count ticks: TS_FORMATS_FREE_RUNNING. [I] */
static const struct profile connectx5 = {
	.name = "cx5",
	.pci_device = 0x1017,
	.pci_vf = 0x1018,
	.fw_ver = "16.35.1012",
	.steering_format_version = 0,
	PROFILE_CONNECTX,
};

static const struct profile connectx6dx = {
	.name = "cx6dx",
	.pci_device = 0x101d,
	.fw_ver = "22.35.1012",
	.steering_format_version = 1,
	PROFILE_CONNECTX,
	PROFILE_6DX,
};

/* Without format_select_dw_8_6_ext, as users report it of standalone cards (doca-samples #12). */
static const struct profile connectx7 = {
	.name = "cx7",
	.pci_device = 0x1021,
	.fw_ver = "28.35.1012",
	.steering_format_version = 2,
	.rules_by_wqe = true,
	PROFILE_CONNECTX,
	PROFILE_6DX,
};

/* [I] Apart from its entries it is as a ConnectX-7. */
static const struct profile connectx8 = {
	.name = "cx8",
	.pci_device = 0x1023,
	.fw_ver = "40.43.1014",
	.steering_format_version = 3,
	.rules_by_wqe = true,
	.far_selectors = true,
	PROFILE_CONNECTX,
	PROFILE_6DX,
};

const struct profile profile_bluefield2 = {
	.name = "bf2",
	.pci_device = 0xa2d6,
	.fw_ver = "24.35.1012",
	.steering_format_version = 1,
	PROFILE_BLUEFIELD,
	PROFILE_6DX,
};

static const struct profile bluefield3 = {
	.name = "bf3",
	.pci_device = 0xa2dc,
	.fw_ver = "32.37.1306",
	.steering_format_version = 2,
	.rules_by_wqe = true,
	.far_selectors = true,
	PROFILE_BLUEFIELD,
	PROFILE_6DX,
};

static const struct profile *const profiles[] = {&connectx5, &connectx6dx,	  &connectx7,
						 &connectx8, &profile_bluefield2, &bluefield3};

const struct profile *profile_chip(size_t i)
{
	return i < sizeof(profiles) / sizeof(profiles[0]) ? profiles[i] : NULL;
}

struct function_row profile_row(const struct profile *p, unsigned int index)
{
	const unsigned int sfs = p->nfunctions + p->vfs;
	const bool sf = index >= sfs;
	struct function_row row = {.kind = sf ? FUNCTION_SF : FUNCTION_VF};

	if (index < p->nfunctions)
		return p->functions[index];
	snprintf(row.name, sizeof(row.name), "%s%u", sf ? "sf" : "vf",
		 (index - (sf ? sfs : p->nfunctions)) % 1000);
	return row;
}

/* Appends "first to last" of n numbered functions, if there are any. */
static int profile_list_numbered(char *to, size_t room, const char *kind, unsigned int n)
{
	if (n > 1)
		return snprintf(to, room, " or %s0 to %s%u", kind, kind, n - 1);
	return n ? snprintf(to, room, " or %s0", kind) : 0;
}

/* Writes the names of a chip's functions, which are few but for VFs and SFs. */
static void profile_list(const struct profile *p, char names[FUNCTION_NAMES])
{
	const size_t room = FUNCTION_NAMES;
	size_t n = 0;

	for (unsigned int i = 0; i < p->nfunctions && n < room; i++)
		n += (size_t)snprintf(names + n, room - n, "%s%s", i ? " or " : "",
				      profile_row(p, i).name);
	if (n < room)
		n += (size_t)profile_list_numbered(names + n, room - n, "vf", p->vfs);
	if (n < room)
		profile_list_numbered(names + n, room - n, "sf", p->sfs);
}

int profile_function(const struct profile *p, const char *name, char names[FUNCTION_NAMES])
{
	for (unsigned int i = 0; i < profile_functions(p); i++)
		if (!strcmp(name, profile_row(p, i).name))
			return (int)i;
	profile_list(p, names);
	return -1;
}
