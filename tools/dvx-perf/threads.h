/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_THREADS_H
#define DVX_PERF_THREADS_H

#include <stddef.h>
#include "hub.h"
#include "options.h"

/* The result of one way to share queues with one number of threads. */
struct threads_result {
	enum hub_mode mode;
	uint32_t threads;
	uint64_t messages;
	double rate; /* messages a second */
	struct hub_waits queue_lock, register_lock;
	double queue_share, register_share; /* shares of time spent waiting */
	double ns_per_tick;
	double doorbell; /* ns per doorbell */
};

struct threads_of {
	const struct perf_args *args; /* with defaults filled in */
	const struct perf_site *site;
};

/* These return exit codes. */
int threads_begin(const struct threads_of *);
int threads_print(const struct threads_of *, const struct threads_result *);
int threads_end(const struct threads_of *, const struct threads_result *, size_t n);
int threads_plot(const struct threads_of *, const struct threads_result *, size_t n);

#endif
