/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_PARAMS_H
#define DVX_PERF_PARAMS_H

#include "ops.h"
#include "site.h"

#define PERF_SGES 16 /* most pieces of a message */

/* What is measured now. The queues are made for it. */
struct perf_params {
	const struct perf_site *site;
	const struct perf_transport *transport;
	enum perf_op op;
	uint32_t size;	     /* bytes a message, of those that the queues were made for ... */
	uint32_t max_size;   /* ... the largest */
	uint32_t count;	     /* messages of a thread for each measurement */
	uint32_t window;     /* outstanding ones of a queue while the rate is measured */
	uint32_t batch;	     /* posted before the doorbell rings */
	uint32_t signal;     /* one of so many is signaled */
	uint32_t inline_max; /* messages up to here lie in the WQE */
	uint32_t sges;	     /* pieces of a longer one */
	uint32_t qps;	     /* queues of a thread */
	uint32_t threads;
	bool blueflame;
	bool srq;	 /* the far end's receives are shared */
	uint8_t *memory; /* perf_stride() bytes a thread: what is sent, then where DMA copies it */
};

static inline size_t perf_stride(const struct perf_params *p)
{
	return 2 * (size_t)p->max_size;
}

static inline uint32_t perf_lanes(const struct perf_params *p)
{
	return p->threads * p->qps;
}

static inline bool perf_inlines(const struct perf_params *p)
{
	return perf_ops[p->op].inlines && p->size <= p->inline_max;
}

/* Bytes of piece `i` of a message: equal ones, the rest in the last. */
static inline uint32_t perf_piece(const struct perf_params *p, uint32_t i)
{
	uint32_t each = p->size / p->sges;

	return i + 1 < p->sges ? each : p->size - each * i;
}

#endif
