/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow actions: header rewrites. Packet reformats are refused, as the device lacks the capability.
 */
#include <errno.h>
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "kernel/core/cmd.h"
#include "objects.h"

#define ACTION_BYTES 8u
#define MAX_ACTIONS  255u

const struct uobj_class flow_action_class = {"flow action", UVERBS_OBJECT_FLOW_ACTION,
					     PRM_OPCODE_DEALLOC_MODIFY_HEADER_CONTEXT, NULL, NULL};

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
	    (type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB && !fs_has_fdb(f->vhca)))
		return refuse(-EOPNOTSUPP, "CREATE_MODIFY_HEADER: FT_TYPE %llu has no ft_support",
			      (unsigned long long)type);
	a = uobj_new(f, &flow_action_class, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->dir = (uint8_t)type; /* numbered alike */
	err = alloc_modify(a, list);
	if (err)
		return err;
	attr_new_handle(req, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, &a->u);
	return 0;
}

int mlx5_flow_action_reformat(struct uverbs_file *f, struct uverbs_request *req)
{
	(void)f;
	return refuse(
		-EOPNOTSUPP, "CREATE_PACKET_REFORMAT: type %llu has no capability here",
		(unsigned long long)attr_value(req, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE));
}
