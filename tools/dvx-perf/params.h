/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_PARAMS_H
#define DVX_PERF_PARAMS_H

#include "ops.h"
#include "site.h"

#define PERF_SGES 16 /* most pieces per message */

/* The parameters of the current measurement. Queues are made for them. */
struct perf_params {
	const struct perf_site *site;
	const struct perf_transport *transport;
	enum perf_op op;
	uint32_t size;	     /* bytes per message, at most ... */
	uint32_t max_size;   /* ... the largest size that the queues were made for */
	uint32_t count;	     /* messages per thread and measurement */
	uint32_t window;     /* outstanding messages per queue while the rate is measured */
	uint32_t batch;	     /* messages per doorbell */
	uint32_t signal;     /* one of this many messages is signaled */
	uint32_t inline_max; /* messages up to this size lie in the WQE */
	uint32_t sges;	     /* pieces of a longer message */
	uint32_t qps;	     /* queues per thread */
	uint32_t threads;
	bool blueflame;
	bool srq;	 /* the peer's receives are shared */
	uint8_t *memory; /* perf_stride() bytes per thread: data, then the target of DMA copies */
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

/* Returns the bytes of piece `i` of a message: all are equal, the last one takes the rest. */
static inline uint32_t perf_piece(const struct perf_params *p, uint32_t i)
{
	uint32_t each = p->size / p->sges;

	return i + 1 < p->sges ? each : p->size - each * i;
}

#endif
