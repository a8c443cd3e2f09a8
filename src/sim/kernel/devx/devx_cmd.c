/* SPDX-License-Identifier: BSD-2-Clause */
/* DevX commands that belong to no object, and queries of numbers for use in mailboxes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cmd.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "kernel/core/cmd.h"
#include "priv.h"
#include "fw/fw.h"
#include "obj/device.h"

#define GENERAL_START 0xb00 /* first opcode that mlx5_ib always passes on */
#define GENERAL_END   0xd00

/* Other opcodes that mlx5_ib passes on. */
static const uint16_t general_opcodes[] = {
	PRM_OPCODE_QUERY_HCA_CAP,
	PRM_OPCODE_QUERY_HCA_VPORT_CONTEXT,
	PRM_OPCODE_QUERY_ESW_VPORT_CONTEXT,
	PRM_OPCODE_QUERY_ESW_FUNCTIONS,
	PRM_OPCODE_QUERY_VPORT_STATE,
	PRM_OPCODE_QUERY_ADAPTER,
	PRM_OPCODE_QUERY_ISSI,
	PRM_OPCODE_QUERY_NIC_VPORT_CONTEXT,
	PRM_OPCODE_QUERY_ROCE_ADDRESS,
	PRM_OPCODE_QUERY_VNIC_ENV,
	PRM_OPCODE_QUERY_VPORT_COUNTER,
	PRM_OPCODE_GET_DROPPED_PACKET_LOG,
	PRM_OPCODE_NOP,
	PRM_OPCODE_QUERY_CONG_STATUS,
	PRM_OPCODE_QUERY_CONG_PARAMS,
	PRM_OPCODE_QUERY_CONG_STATISTICS,
	PRM_OPCODE_QUERY_LAG,
};

/* Commands that contexts without DevX may run, with the uid that mlx5_ib keeps for them. */
static const uint16_t without_devx[] = {
	PRM_OPCODE_QUERY_HCA_CAP,
	PRM_OPCODE_QUERY_HCA_VPORT_CONTEXT,
	PRM_OPCODE_QUERY_ESW_VPORT_CONTEXT,
	PRM_OPCODE_QUERY_ESW_FUNCTIONS,
};

static bool devx_opcode_is_in(uint16_t opcode, const uint16_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i] == opcode)
			return true;
	}
	return false;
}

static bool devx_cmd_is_general(uint16_t opcode)
{
	return (opcode >= GENERAL_START && opcode < GENERAL_END) ||
	       devx_opcode_is_in(opcode, general_opcodes,
				 sizeof(general_opcodes) / sizeof(general_opcodes[0]));
}

int devx_uid(const struct uverbs_file *f, uint16_t opcode)
{
	if (f->uid)
		return f->uid;
	if (devx_opcode_is_in(opcode, without_devx, sizeof(without_devx) / sizeof(without_devx[0])))
		return f->k->whitelist_uid;
	return refuse(-EINVAL, "DevX opcode 0x%x: the context was opened without DevX", opcode);
}

int devx_mailbox(struct uverbs_request *req, uint16_t id, struct devx_cmd *c)
{
	const struct uverbs_attr *a = attr_find(req, id);

	c->in = malloc(a->len);
	if (!c->in)
		return -ENOMEM;
	memcpy(c->in, a->in, a->len);
	c->in_len = a->len;
	c->opcode = (uint16_t)prm_mbox_in_get_opcode(c->in);
	return 0;
}

/* Returns EREMOTEIO if the firmware refuses the command; out has its status and syndrome. */
int devx_exec(struct uverbs_file *f, const struct devx_cmd *c, void *out, size_t out_len)
{
	fw_exec(f->vhca, c->in, c->in_len, out, out_len);
	return prm_mbox_out_get_status(out) == PRM_STATUS_OK ? 0 : -EREMOTEIO;
}

int devx_run(struct uverbs_file *f, struct uverbs_request *req, const struct devx_cmd *c,
	     uint16_t out_id)
{
	struct uverbs_attr *a = attr_find(req, out_id);
	uint8_t *out = malloc(a->len);
	int err;

	if (!out)
		return -ENOMEM;
	err = devx_exec(f, c, out, a->len);
	/* Kernels before 5.19 converted the status to an errno, and copied nothing back. */
	if (err && f->vhca->dev->profile->old_kernel)
		err = mbox_errno(out);
	else
		attr_out(req, out_id, out, a->len);
	free(out);
	return err;
}

int devx_other(struct uverbs_file *f, struct uverbs_request *req)
{
	struct devx_cmd c;
	int err = devx_mailbox(req, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, &c);
	int uid;

	if (err)
		return err;
	uid = devx_uid(f, c.opcode);
	if (uid < 0) {
		err = uid;
	} else if (!devx_cmd_is_general(c.opcode)) {
		err = refuse(-EINVAL, "DEVX_OTHER: opcode 0x%x is no general command", c.opcode);
	} else {
		prm_mbox_in_set_uid(c.in, (uint32_t)uid);
		err = devx_run(f, req, &c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
	}
	free(c.in);
	return err;
}

int devx_query_eqn(struct uverbs_file *f, struct uverbs_request *req)
{
	uint64_t vector = attr_value(req, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC);
	const uint32_t eqn = file_function(f)->eqn;

	if (vector)
		return refuse(-ENOENT, "DEVX_QUERY_EQN: vector %llu: the device has one, number 0",
			      (unsigned long long)vector);
	attr_out(req, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, &eqn, sizeof(eqn));
	return 0;
}

/*
 * Refuses the method: it translates static UARs of libraries before 28, which contexts here lack.
 */
int devx_query_uar(struct uverbs_file *f, struct uverbs_request *req)
{
	(void)f;
	return refuse(-EINVAL, "DEVX_QUERY_UAR: index %llu: this context has UAR objects only",
		      (unsigned long long)attr_value(req, MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX));
}
