/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_XRC_H
#define DVX_PERF_XRC_H

/*
 * The part of XRC queues that libibverbs makes, because domains, targets and SRQs are shared
 * between programs. libdvx adopts their rings (dvx/xrc.h). An end has initiators, or targets and an
 * SRQ for each set of them.
 */
#include "tools/dvx-perf/site.h"

struct perf_xrc;

/*
 * These return 0, or a negative number; perf_xrc_why() has the error. The caller owns the dvx_*
 * objects.
 */
int perf_xrc_open(const struct perf_site *, uint32_t lanes, uint32_t sets, struct perf_xrc **,
		  struct dvx_pd **);
int perf_xrc_cq(struct perf_xrc *, uint32_t set, uint32_t entries, struct dvx_cq **);
/* Makes an initiator, which completes in the set's CQ. */
int perf_xrc_initiator(struct perf_xrc *, uint32_t lane, uint32_t set, uint32_t blocks,
		       struct dvx_qp **);
int perf_xrc_srq(struct perf_xrc *, uint32_t set, uint32_t entries, struct dvx_cq *,
		 struct dvx_srq **);
int perf_xrc_target(struct perf_xrc *, uint32_t lane, uint32_t *qpn);
int perf_xrc_connect(struct perf_xrc *, uint32_t lane, const struct perf_ends *peer,
		     uint32_t access);
const char *perf_xrc_why(const struct perf_xrc *);
/* Call it after the libdvx objects that were made with it are destroyed. */
void perf_xrc_close(struct perf_xrc *);

#endif
