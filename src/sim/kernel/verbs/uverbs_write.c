/* SPDX-License-Identifier: BSD-2-Clause */
/* INVOKE_WRITE: the commands that older programs wrote to the file, carried by ioctl. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "kernel/core/uverbs.h"

#define EX(cmd) ((cmd) | IB_USER_VERBS_CMD_FLAG_EXTENDED)
#define TAIL	0xffff

/* run NULL: known to ib_uverbs, but not offered by this device. */
static const struct {
	uint32_t cmd;
	const char *name;
	int (*run)(struct wcmd *);
	uint16_t in, out; /* what must be there */
	/* Of what came in; the rest must be zero. 0: as `in`; TAIL: the command looks itself. */
	uint16_t known;
} commands[] = {
	{IB_USER_VERBS_CMD_GET_CONTEXT, "GET_CONTEXT", NULL, sizeof(struct ib_uverbs_get_context),
	 sizeof(struct ib_uverbs_get_context_resp), 0},
	{IB_USER_VERBS_CMD_QUERY_DEVICE, "QUERY_DEVICE", wcmd_query_device,
	 sizeof(struct ib_uverbs_query_device), sizeof(struct ib_uverbs_query_device_resp), 0},
	{EX(IB_USER_VERBS_EX_CMD_QUERY_DEVICE), "EX_QUERY_DEVICE", wcmd_query_device_ex,
	 sizeof(struct ib_uverbs_ex_query_device),
	 UPTO(ib_uverbs_ex_query_device_resp, response_length), 0},
	{IB_USER_VERBS_CMD_QUERY_PORT, "QUERY_PORT", wcmd_query_port,
	 sizeof(struct ib_uverbs_query_port), sizeof(struct ib_uverbs_query_port_resp), 0},
	{IB_USER_VERBS_CMD_ALLOC_PD, "ALLOC_PD", wcmd_alloc_pd, sizeof(struct ib_uverbs_alloc_pd),
	 sizeof(struct ib_uverbs_alloc_pd_resp), 0},
	{IB_USER_VERBS_CMD_DEALLOC_PD, "DEALLOC_PD", wcmd_dealloc_pd,
	 sizeof(struct ib_uverbs_dealloc_pd), 0, 0},
	{IB_USER_VERBS_CMD_REG_MR, "REG_MR", wcmd_reg_mr, sizeof(struct ib_uverbs_reg_mr),
	 sizeof(struct ib_uverbs_reg_mr_resp), 0},
	{IB_USER_VERBS_CMD_DEREG_MR, "DEREG_MR", wcmd_dereg_mr, sizeof(struct ib_uverbs_dereg_mr),
	 0, 0},
	{IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, "CREATE_COMP_CHANNEL", wcmd_create_comp_channel,
	 sizeof(struct ib_uverbs_create_comp_channel),
	 sizeof(struct ib_uverbs_create_comp_channel_resp), 0},
	{IB_USER_VERBS_CMD_DESTROY_CQ, "DESTROY_CQ", wcmd_destroy_cq,
	 sizeof(struct ib_uverbs_destroy_cq), sizeof(struct ib_uverbs_destroy_cq_resp), 0},
	{IB_USER_VERBS_CMD_DESTROY_QP, "DESTROY_QP", wcmd_destroy_qp,
	 sizeof(struct ib_uverbs_destroy_qp), sizeof(struct ib_uverbs_destroy_qp_resp), 0},
	{IB_USER_VERBS_CMD_QUERY_QP, "QUERY_QP", wcmd_query_qp, sizeof(struct ib_uverbs_query_qp),
	 sizeof(struct ib_uverbs_query_qp_resp), 0},
	{IB_USER_VERBS_CMD_MODIFY_QP, "MODIFY_QP", wcmd_modify_qp,
	 sizeof(struct ib_uverbs_modify_qp), 0, 0},
	{EX(IB_USER_VERBS_EX_CMD_MODIFY_QP), "EX_MODIFY_QP", wcmd_modify_qp_ex,
	 sizeof(struct ib_uverbs_modify_qp), UPTO(ib_uverbs_ex_modify_qp_resp, response_length),
	 sizeof(struct ib_uverbs_ex_modify_qp)},
	{IB_USER_VERBS_CMD_CREATE_AH, "CREATE_AH", wcmd_create_ah,
	 sizeof(struct ib_uverbs_create_ah), sizeof(struct ib_uverbs_create_ah_resp), 0},
	{IB_USER_VERBS_CMD_DESTROY_AH, "DESTROY_AH", wcmd_destroy_ah,
	 sizeof(struct ib_uverbs_destroy_ah), 0, 0},
	{IB_USER_VERBS_CMD_REREG_MR, "REREG_MR", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_ALLOC_MW, "ALLOC_MW", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_DEALLOC_MW, "DEALLOC_MW", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_CREATE_CQ, "CREATE_CQ", NULL, 0, 0, 0},
	{EX(IB_USER_VERBS_EX_CMD_CREATE_CQ), "EX_CREATE_CQ", NULL, 0, 0, 0},
	{EX(IB_USER_VERBS_EX_CMD_MODIFY_CQ), "EX_MODIFY_CQ", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_RESIZE_CQ, "RESIZE_CQ", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_CREATE_QP, "CREATE_QP", NULL, 0, 0, 0},
	{EX(IB_USER_VERBS_EX_CMD_CREATE_QP), "EX_CREATE_QP", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_OPEN_QP, "OPEN_QP", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_ATTACH_MCAST, "ATTACH_MCAST", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_DETACH_MCAST, "DETACH_MCAST", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_CREATE_SRQ, "CREATE_SRQ", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_CREATE_XSRQ, "CREATE_XSRQ", NULL, 0, 0, 0},
	{IB_USER_VERBS_CMD_OPEN_XRCD, "OPEN_XRCD", NULL, 0, 0, 0},
	{EX(IB_USER_VERBS_EX_CMD_CREATE_FLOW), "EX_CREATE_FLOW", wcmd_create_flow,
	 sizeof(struct ib_uverbs_create_flow), sizeof(struct ib_uverbs_create_flow_resp), TAIL},
	{EX(IB_USER_VERBS_EX_CMD_DESTROY_FLOW), "EX_DESTROY_FLOW", wcmd_destroy_flow,
	 sizeof(struct ib_uverbs_destroy_flow), 0, 0},
	{EX(IB_USER_VERBS_EX_CMD_CREATE_WQ), "EX_CREATE_WQ", NULL, 0, 0, 0},
	{EX(IB_USER_VERBS_EX_CMD_MODIFY_WQ), "EX_MODIFY_WQ", wcmd_modify_wq,
	 UPTO(ib_uverbs_ex_modify_wq, curr_wq_state), 0, sizeof(struct ib_uverbs_ex_modify_wq)},
	{EX(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL), "EX_CREATE_RWQ_IND_TBL",
	 wcmd_create_rwq_ind_table, sizeof(struct ib_uverbs_ex_create_rwq_ind_table),
	 UPTO(ib_uverbs_ex_create_rwq_ind_table_resp, ind_tbl_num), TAIL},
};

int wcmd_end(const struct wcmd *c, const char *name, size_t known)
{
	const struct kattr *a = kattr_find(c->req, UVERBS_ATTR_CORE_IN);

	for (size_t i = known; i < c->in_len; i++)
		if (a->in[i])
			return refuse(-EOPNOTSUPP,
				      "%s: CORE_IN has bytes beyond %zu that are not zero", name,
				      known);
	return 0;
}

static int uverbs_write_run(unsigned int i, struct wcmd *c)
{
	uint16_t known = commands[i].known ? commands[i].known : commands[i].in;
	int err;

	/* How libibverbs finds out that this ioctl exists: every open asks so. */
	if (!c->in_len && !c->out_len && commands[i].in)
		return -ENOSPC;
	if (c->in_len < commands[i].in || c->out_len < commands[i].out)
		return refuse(
			-ENOSPC,
			"%s: CORE_IN %zu and CORE_OUT %zu bytes, at least %u and %u are needed",
			commands[i].name, c->in_len, c->out_len, commands[i].in, commands[i].out);
	if (!commands[i].run)
		return refuse(-EOPNOTSUPP, "%s: this device does not offer it", commands[i].name);
	if (!c->f->context)
		return refuse(-EINVAL, "%s: the file has no context yet", commands[i].name);
	err = known == TAIL ? 0 : wcmd_end(c, commands[i].name, known);
	return err ? err : commands[i].run(c);
}

int uverbs_invoke_write(struct kfile *f, struct kreq *req)
{
	uint64_t cmd = kattr_value(req, UVERBS_ATTR_WRITE_CMD);
	const struct kattr *in = kattr_find(req, UVERBS_ATTR_CORE_IN);
	const struct kattr *out = kattr_find(req, UVERBS_ATTR_CORE_OUT);
	uint64_t core[WCMD_IN_BYTES / 8] = {0}; /* aligned */
	struct wcmd c = {.f = f, .req = req, .in = core};

	if (cmd & ~(uint64_t)(IB_USER_VERBS_CMD_COMMAND_MASK | IB_USER_VERBS_CMD_FLAG_EXTENDED))
		return refuse(-EINVAL, "INVOKE_WRITE: command 0x%llx has unknown bits",
			      (unsigned long long)cmd);
	if (in) {
		c.in_len = in->len;
		memcpy(core, in->in, in->len < sizeof(core) ? in->len : sizeof(core));
	}
	if (out)
		c.out_len = out->len;
	for (unsigned int i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i].cmd == cmd)
			return uverbs_write_run(i, &c);
	}
	return refuse(-EOPNOTSUPP, "INVOKE_WRITE: command 0x%llx is not known",
		      (unsigned long long)cmd);
}

void wcmd_out(struct wcmd *c, const void *from, size_t len)
{
	kattr_out(c->req, UVERBS_ATTR_CORE_OUT, from, len);
}
