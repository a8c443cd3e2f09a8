/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods that the DevX room handles. */
#include <rdma/mlx5_user_ioctl_cmds.h>
#include "priv.h"

static const struct method_handler devx_methods[] = {
	{MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, devx_other, false},
	{MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_UAR, devx_query_uar, false},
	{MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN, devx_query_eqn, false},
	{MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT, devx_subscribe, false},
	{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, devx_obj_create, false},
	{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, uobj_destroy_named, false},
	{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, devx_obj_modify, false},
	{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY, devx_obj_query, false},
	{MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY, devx_obj_async_query, false},
	{MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, devx_umem_reg, false},
	{MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, uobj_destroy_named, false},
	{MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC,
	 devx_cmd_fd_alloc, false},
	{MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC,
	 devx_event_fd_alloc, false},
	{MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_ALLOC, mlx5_pp_alloc, false},
	{MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_DESTROY, uobj_destroy_named, false},
	{MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, mlx5_uar_alloc, false},
	{MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, uobj_destroy_named, false},
};

static const struct uobj_class *const devx_classes[] = {&devx_obj_class, &umem_class, &uar_class,
							&pp_class, NULL};

const struct kernel_room devx_room = {
	.classes = devx_classes,
	.methods = devx_methods,
	.nmethods = sizeof(devx_methods) / sizeof(devx_methods[0]),
	.event = devx_event,
	.channel_freed = devx_forget_channel,
};
