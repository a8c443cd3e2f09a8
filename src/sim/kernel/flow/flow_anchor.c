/* SPDX-License-Identifier: BSD-2-Clause */
/* Steering anchors: flow tables through which packets return to the kernel's tables. */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "objects.h"

struct anchor {
	struct uobj u;
	enum fs_dir dir;
	unsigned int prio;
};

static int flow_anchor_destroy(struct uobj *u)
{
	const struct anchor *a = (struct anchor *)u;

	fs_anchor_put(u->file->k, u->file->vhca, a->dir, a->prio);
	return 0;
}

const struct uobj_class anchor_class = {"steering anchor", MLX5_IB_OBJECT_STEERING_ANCHOR, 0,
					flow_anchor_destroy, NULL};

static int flow_anchor_check(uint64_t type, uint16_t priority)
{
	if (type > MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX)
		return refuse(-EOPNOTSUPP, "STEERING_ANCHOR_CREATE: FT_TYPE %llu has no ft_support",
			      (unsigned long long)type);
	if (priority >= FS_USER_PRIOS)
		return refuse(-EINVAL, "STEERING_ANCHOR_CREATE: priority %u, there are %u",
			      priority, FS_USER_PRIOS);
	return 0;
}

int mlx5_anchor_create(struct uverbs_file *f, struct uverbs_request *req)
{
	uint64_t type = attr_value(req, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE);
	uint16_t priority = (uint16_t)attr_value(req, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY);
	struct anchor *a;
	uint32_t id;
	int err = flow_anchor_check(type, priority);

	if (err)
		return err;
	a = uobj_new(f, &anchor_class, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->dir = type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX ? FS_TX : FS_RX;
	a->prio = fs_prio(priority, false);
	err = fs_anchor_get(f->k, f->vhca, a->dir, a->prio, &id);
	if (err)
		return err;
	attr_out(req, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, &id, sizeof(id));
	attr_new_handle(req, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, &a->u);
	return 0;
}
