/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/qp.h>
#include "priv.h"

int dvx_clock_read(struct dvx_dev *dev, struct dvx_clock *out)
{
	struct mlx5dv_clock_info info;
	int err = dvx_check_not_null("dvx_clock_read", "dev", dev, "out", out, NULL);

	if (err)
		return err;
	if (mlx5dv_get_clock_info(dev->ctx, &info))
		return dvx_fail(EOPNOTSUPP, "dvx_clock_read: the kernel has no clock page of %s",
				dvx_dev_name(dev));
	*out = (struct dvx_clock){.ns = info.nsec,
				  .ticks = info.last_cycles,
				  .frac = info.frac,
				  .mask = info.mask,
				  .mult = info.mult,
				  .shift = info.shift};
	return 0;
}

int dvx_ts_check(const struct dvx_dev *dev, const char *call, uint32_t cap, bool real_time)
{
	return !real_time || cap ? 0
				 : dvx_fail(EOPNOTSUPP,
					    "%s: attr.flags asks for real time, but %s has "
					    "free-running timestamps only (ts_format)",
					    call, dvx_dev_name(dev));
}

/* A device with timestamp formats needs DEFAULT; older devices have only 0. */
uint32_t dvx_ts_format(uint32_t cap, bool real_time)
{
	if (real_time)
		return PRM_QPC_TS_FORMAT_REAL_TIME;
	return cap ? PRM_QPC_TS_FORMAT_DEFAULT : PRM_QPC_TS_FORMAT_FREE_RUNNING;
}
