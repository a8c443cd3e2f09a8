/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet pacing: rows of the rate table for send queues that programs make by DevX. */
#include <errno.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "kernel/verbs/verbs.h"
#include "priv.h"

struct devx_pp {
	struct uobj u;
	uint16_t index;
};

static int mlx5_pp_release(struct uobj *u)
{
	rate_put(u->file, ((struct devx_pp *)u)->index);
	return 0;
}

const struct uobj_class pp_class = {"PP", MLX5_IB_OBJECT_PP, 0, mlx5_pp_release, NULL};

int mlx5_pp_alloc(struct uverbs_file *f, struct uverbs_request *req)
{
	struct rate_request w = {0};
	struct devx_pp *pp;
	uint64_t flags;
	int err;

	if (!f->uid)
		return refuse(-EINVAL, "PP_OBJ_ALLOC: the context was opened without DevX");
	err = attr_in(req, MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX, "PP_OBJ_ALLOC_CTX", w.ctx, sizeof(w.ctx));
	if (!err)
		err = attr_flags(req, MLX5_IB_ATTR_PP_OBJ_ALLOC_FLAGS, "PP_OBJ_ALLOC_FLAGS",
				 MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX, &flags);
	if (err)
		return err;
	w.dedicated = flags;
	pp = uobj_new(f, &pp_class, sizeof(*pp));
	if (!pp)
		return -ENOMEM;
	err = rate_get(f, &w, &pp->index);
	if (err)
		return err;
	attr_new_handle(req, MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE, &pp->u);
	attr_out(req, MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX, &pp->index, sizeof(pp->index));
	return 0;
}
