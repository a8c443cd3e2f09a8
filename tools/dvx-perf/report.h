/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_REPORT_H
#define DVX_PERF_REPORT_H

#include <stddef.h>
#include "loop.h"

/* One engine's figures, in ns; rate in messages a second. */
struct figures {
	const char *name;
	double p50, p90, p99, p999, max; /* latency */
	double post_p50, post_p99;
	double rate;
};

/* Sorts the samples. */
struct figures figures_of(const char *name, struct samples *, double ns_per_tick);
void report_table(const struct perf_params *, const struct figures *, size_t n);
/* An exit code. */
int report_json(const struct perf_params *, const struct figures *, size_t n);

#endif
