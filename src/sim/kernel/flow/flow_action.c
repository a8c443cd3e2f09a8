/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow actions: header rewrites, and packet reformats, which begin or end a tunnel. */
#include <errno.h>
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "kernel/core/cmd.h"
#include "obj/rep.h"
#include "objects.h"

#define ACTION_BYTES 8u
#define MAX_ACTIONS  255u
#define REFORMAT_AT  34u /* of reformat_data in the mailbox */

static int flow_action_destroy(struct uobj *u)
{
	switch (((struct flow_action *)u)->action) {
	case PRM_FLOW_ACTION_MOD_HDR:
		return mbox_destroy(u->file->vhca, PRM_OPCODE_DEALLOC_MODIFY_HEADER_CONTEXT, u->uid,
				    u->number);
	case PRM_FLOW_ACTION_PACKET_REFORMAT:
		return mbox_destroy(u->file->vhca, PRM_OPCODE_DEALLOC_PACKET_REFORMAT_CONTEXT,
				    u->uid, u->number);
	default:
		return 0;
	}
}

const struct uobj_class flow_action_class = {"flow action", UVERBS_OBJECT_FLOW_ACTION, 0,
					     flow_action_destroy, NULL};

int flow_action_add(const struct flow_action *action, struct fs_act *a)
{
	if (a->action & action->action)
		return refuse(-EINVAL, "CREATE_FLOW: flow action %u is the second of its kind",
			      action->u.id);
	a->action |= action->action;
	if (action->action == PRM_FLOW_ACTION_MOD_HDR)
		a->modify_id = action->u.number;
	else if (action->action == PRM_FLOW_ACTION_PACKET_REFORMAT)
		a->reformat_id = action->u.number;
	return 0;
}

/* --- header rewrites ------------------------------------------------------------------------- */

static int alloc_modify(struct flow_action *a, const struct uverbs_attr *list)
{
	uint8_t in[PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + MAX_ACTIONS * ACTION_BYTES] = {0};

	a->u.uid = 0;
	mbox_begin(in, PRM_OPCODE_ALLOC_MODIFY_HEADER_CONTEXT, a->u.uid);
	prm_alloc_modify_header_context_in_set_table_type(in, fs_table_type(a->dir));
	prm_alloc_modify_header_context_in_set_num_of_actions(in, list->len / ACTION_BYTES);
	memcpy(in + PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES, list->in, list->len);
	return mbox_create(a->u.file->vhca, in,
			   PRM_ALLOC_MODIFY_HEADER_CONTEXT_IN_BYTES + list->len, &a->u.number);
}

int mlx5_flow_action_modify(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct uverbs_attr *list =
		attr_find(req, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM);
	uint64_t type = attr_value(req, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE);
	struct flow_action *a;
	int err;

	if (list->len % ACTION_BYTES || list->len > MAX_ACTIONS * ACTION_BYTES)
		return refuse(-EINVAL, "CREATE_MODIFY_HEADER: %u bytes are no 1 to %u actions",
			      list->len, MAX_ACTIONS);
	if (type > MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB ||
	    (type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB && !vhca_has_reps(f->vhca)))
		return refuse(-EOPNOTSUPP, "CREATE_MODIFY_HEADER: FT_TYPE %llu has no ft_support",
			      (unsigned long long)type);
	a = uobj_new(f, &flow_action_class, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->dir = (uint8_t)type; /* numbered alike */
	a->action = PRM_FLOW_ACTION_MOD_HDR;
	err = alloc_modify(a, list);
	if (err)
		return err;
	attr_new_handle(req, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, &a->u);
	return 0;
}

/* --- packet reformats ------------------------------------------------------------------------ */

/*
 * Types of the ioctl, and their directions: mlx5_ib takes others as little as a device without
 * their capabilities.
 */
static const struct reformat_row {
	uint8_t type, dir;
	uint8_t prm; /* PRM reformat_type; L2_TUNNEL_TO_L2 needs no context */
} reformats[] = {
	{MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2, FS_RX, 0},
	{MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL, FS_TX,
	 PRM_REFORMAT_TYPE_L2_TO_L2_TUNNEL},
	{MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2, FS_RX,
	 PRM_REFORMAT_TYPE_L3_TUNNEL_TO_L2},
	{MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL, FS_TX,
	 PRM_REFORMAT_TYPE_L2_TO_L3_TUNNEL},
};

static const struct reformat_row *reformat_row_find(uint64_t type, uint64_t ft_type)
{
	for (size_t i = 0; i < sizeof(reformats) / sizeof(reformats[0]); i++)
		if (reformats[i].type == type && reformats[i].dir == ft_type)
			return &reformats[i];
	return NULL;
}

static int alloc_reformat(struct flow_action *a, const struct uverbs_attr *header, uint8_t type)
{
	uint8_t in[(REFORMAT_AT + VHCA_MAX_REFORMAT_BYTES + 3) / 4 * 4] = {0};
	void *ctx = prm_alloc_packet_reformat_context_in_at_packet_reformat_context(in);

	a->u.uid = 0;
	mbox_begin(in, PRM_OPCODE_ALLOC_PACKET_REFORMAT_CONTEXT, a->u.uid);
	prm_packet_reformat_context_in_set_reformat_type(ctx, type);
	prm_packet_reformat_context_in_set_reformat_data_size(ctx, header->len);
	memcpy(in + REFORMAT_AT, header->in, header->len);
	return mbox_create(a->u.file->vhca, in, sizeof(in), &a->u.number);
}

int mlx5_flow_action_reformat(struct uverbs_file *f, struct uverbs_request *req)
{
	uint64_t type = attr_value(req, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE);
	uint64_t ft_type = attr_value(req, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE);
	const struct uverbs_attr *header =
		attr_find(req, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF);
	const struct reformat_row *row = reformat_row_find(type, ft_type);
	struct flow_action *a;
	int err;

	if (!row)
		return refuse(
			-EOPNOTSUPP,
			"CREATE_PACKET_REFORMAT: type %llu with FT_TYPE %llu: tunnels begin "
			"where packets are sent (NIC_TX 1), and end where they arrive (NIC_RX 0)",
			(unsigned long long)type, (unsigned long long)ft_type);
	if (row->prm && !header)
		return refuse(-ENOENT, "CREATE_PACKET_REFORMAT: type %llu needs DATA_BUF",
			      (unsigned long long)type);
	if (row->prm && header->len > VHCA_MAX_REFORMAT_BYTES)
		return refuse(
			-EINVAL,
			"CREATE_PACKET_REFORMAT: DATA_BUF has %u bytes, max_encap_header_size "
			"is %u",
			header->len, VHCA_MAX_REFORMAT_BYTES);
	a = uobj_new(f, &flow_action_class, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->dir = row->dir;
	a->action = row->prm ? PRM_FLOW_ACTION_PACKET_REFORMAT : PRM_FLOW_ACTION_DECAP;
	err = row->prm ? alloc_reformat(a, header, row->prm) : 0;
	if (err)
		return err;
	attr_new_handle(req, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_HANDLE, &a->u);
	return 0;
}
