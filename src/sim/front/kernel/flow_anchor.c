/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steering anchors: the table of one priority, by number, so that a program's own tables can lead packets
 * back to it. The table stays as long as an anchor names it, with or without rules.
 */
#include <errno.h>
#include <string.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "flow.h"

struct anchor {
	struct uobj u;
	struct fs_table *table;
};

static int destroy(struct uobj *u)
{
	fs_unanchor(((struct anchor *)u)->table);
	return 0;
}

static const struct uobj_class anchor_class = {"steering anchor", MLX5_IB_OBJECT_STEERING_ANCHOR,
					       destroy};

static int find_dir(uint64_t type, enum fs_dir *dir)
{
	switch (type) {
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX:
		*dir = FS_RX;
		return 0;
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX:
		*dir = FS_TX;
		return 0;
	default:
		return refuse(-EOPNOTSUPP,
			      "STEERING_ANCHOR_CREATE: FT_TYPE %llu: only NIC_RX (0) and NIC_TX (1)",
			      (unsigned long long)type);
	}
}

int mlx5_anchor_create(struct kfile *f, struct kreq *req)
{
	const struct kattr *priority = kattr_find(req, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY);
	struct anchor *a;
	uint16_t prio;
	uint32_t id;
	enum fs_dir dir;
	int err = find_dir(kattr_value(req, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE), &dir);

	if (err)
		return err;
	memcpy(&prio, priority->in, sizeof(prio));
	if (prio >= FS_USER_PRIOS)
		return refuse(-EINVAL, "STEERING_ANCHOR_CREATE: PRIORITY %u is not below %u", prio,
			      FS_USER_PRIOS);
	a = uobj_new(f, &anchor_class, sizeof(*a));
	if (!a)
		return -ENOMEM;
	err = fs_anchor(f->k, f->vhca, dir, fs_prio(prio, false), &a->table, &id);
	if (err) {
		uobj_drop(&a->u);
		return err;
	}
	kattr_new_handle(req, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, &a->u);
	kattr_out(req, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, &id, sizeof(id));
	return 0;
}

int mlx5_anchor_destroy(struct kfile *f, struct kreq *req)
{
	struct uobj *u;
	int err = kattr_uobj(f, req, MLX5_IB_ATTR_STEERING_ANCHOR_DESTROY_HANDLE, &anchor_class, &u);

	return err ? err : uobj_destroy(u);
}
