/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include "features.h"

int clock_try(struct ibv_context *ctx)
{
	struct mlx5dv_clock_info info;
	int err = mlx5dv_get_clock_info(ctx, &info);

	return err < 0 ? errno : err;
}

bool odp_offered(struct ibv_context *ctx)
{
	struct ibv_device_attr_ex attr;

	return !ibv_query_device_ex(ctx, NULL, &attr) &&
	       attr.odp_caps.general_caps & IBV_ODP_SUPPORT;
}

int dmabuf_try(struct ibv_context *ctx)
{
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_mr *mr;
	int err = errno;

	if (!pd)
		return err;
	mr = ibv_reg_dmabuf_mr(pd, 0, 4096, 0, -1, 0);
	err = mr ? 0 : errno;
	if (mr)
		ibv_dereg_mr(mr);
	ibv_dealloc_pd(pd);
	return err;
}

bool fork_unneeded(void)
{
	return ibv_is_fork_initialized() == IBV_FORK_UNNEEDED;
}
