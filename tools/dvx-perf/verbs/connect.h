/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_CONNECT_H
#define DVX_PERF_CONNECT_H

/* Queue pairs of libibverbs on their way from RESET to RTS. */
#include <infiniband/verbs.h>
#include "tools/dvx-perf/site.h"

struct ibv_ah_attr verbs_path(const struct perf_site *, const struct perf_ends *far);
/* Connects with the other end's queue `i`, which may do `access`: enum dvx_access. 0, or an errno. */
int verbs_connect_qp(const struct perf_site *, struct ibv_qp *, const struct perf_ends *far,
		     uint32_t i, uint32_t access);

#endif
