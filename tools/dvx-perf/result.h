/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_RESULT_H
#define DVX_PERF_RESULT_H

#include "engine.h"

/* The figures that are reported of a distribution of times. */
enum perf_figure { FIG_MIN, FIG_P50, FIG_P90, FIG_P99, FIG_P999, FIG_P9999, FIG_MAX, FIGURES };
extern const char *const perf_figure_names[FIGURES];

/* One engine's results for one operation and size. */
struct perf_result {
	enum perf_op op;
	uint32_t size;
	const struct perf_engine *engine;
	uint64_t messages; /* latency samples; the rate's number is the same, unless interrupted */
	uint32_t warmup;   /* messages before these that are not counted, per thread */
	double latency[FIGURES], post[FIGURES]; /* ns */
	double rate; /* messages per second; 0: interrupted before it was measured */
	double ns_per_tick;
	struct histogram histogram; /* of latencies */
};

/* Whether there are so few messages that the percentile is the slowest of them. */
bool result_too_few(const struct perf_result *, enum perf_figure);
void result_times(const struct histogram *, double ns_per_tick, double to[FIGURES]);

/* Returns the rate in bytes per second. */
static inline double result_bytes(const struct perf_result *r)
{
	return perf_ops[r->op].bytes ? r->rate * r->size : 0;
}

/* The results of a run. */
struct perf_results {
	struct perf_result **list;
	size_t n;
};
/* Adds a zeroed result. NULL after an error message. */
struct perf_result *results_add(struct perf_results *);
void results_free(struct perf_results *);

#endif
