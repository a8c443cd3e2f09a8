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
