/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_CONNECT_H
#define DVX_PERF_CONNECT_H

/* Brings queue pairs of libibverbs from RESET to RTS. */
#include <infiniband/verbs.h>
#include "tools/dvx-perf/site.h"

struct ibv_ah_attr verbs_path(const struct perf_site *, const struct perf_ends *responder);
/*
 * Connects with the other end's queue `i`, and grants it `access` (enum dvx_access). Returns 0, or
 * an errno.
 */
int verbs_connect_qp(const struct perf_site *, struct ibv_qp *, const struct perf_ends *responder,
		     uint32_t i, uint32_t access);

#endif
