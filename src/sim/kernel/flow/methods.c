/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods of the flow room, and its commands that INVOKE_WRITE carries. */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "objects.h"

static const struct method_handler flow_methods[] = {
	{UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW, mlx5_flow_create, false},
	{UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_DESTROY_FLOW, uobj_destroy_named, false},
	{UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER,
	 mlx5_flow_action_modify, false},
	{UVERBS_OBJECT_FLOW_ACTION, MLX5_IB_METHOD_FLOW_ACTION_CREATE_PACKET_REFORMAT,
	 mlx5_flow_action_reformat, false},
	{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE, uverbs_counters_create, false},
	{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY, uobj_destroy_named, false},
	{UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ, uverbs_counters_read, false},
	{MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE, mlx5_matcher_create,
	 false},
	{MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY, uobj_destroy_named,
	 false},
	{MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE, mlx5_anchor_create,
	 false},
	{MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY, uobj_destroy_named,
	 false},
};

static const struct write_command flow_commands[] = {
	{WCMD_EX(IB_USER_VERBS_EX_CMD_CREATE_FLOW), "EX_CREATE_FLOW", wcmd_create_flow,
	 sizeof(struct ib_uverbs_create_flow), sizeof(struct ib_uverbs_create_flow_resp), WCMD_TAIL,
	 0},
	{WCMD_EX(IB_USER_VERBS_EX_CMD_DESTROY_FLOW), "EX_DESTROY_FLOW", wcmd_destroy_flow,
	 sizeof(struct ib_uverbs_destroy_flow), 0, 0, 0},
};

static const struct uobj_class *const flow_classes[] = {
	&matcher_class, &counters_class, &flow_action_class, &flow_class, &anchor_class, NULL};

const struct kernel_room flow_room = {
	.classes = flow_classes,
	.methods = flow_methods,
	.nmethods = sizeof(flow_methods) / sizeof(flow_methods[0]),
	.commands = flow_commands,
	.ncommands = sizeof(flow_commands) / sizeof(flow_commands[0]),
	.start = fs_start,
	.stop = fs_stop,
};
