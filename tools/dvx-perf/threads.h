/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_THREADS_H
#define DVX_PERF_THREADS_H

#include <stddef.h>
#include "hub.h"
#include "options.h"

/* One way to share queues, with so many threads. */
struct threads_result {
	enum hub_mode mode;
	uint32_t threads;
	uint64_t messages;
	double rate; /* messages a second */
	struct hub_waits queue_lock, register_lock;
	double queue_share, register_share; /* of the threads' time that they waited for it */
	double ns_per_tick;
	double doorbell; /* ns of each */
};

struct threads_of {
	const struct perf_args *args; /* without zeros */
	const struct perf_site *site;
};

/* Exit codes. */
int threads_begin(const struct threads_of *);
int threads_print(const struct threads_of *, const struct threads_result *);
int threads_end(const struct threads_of *, const struct threads_result *, size_t n);
int threads_plot(const struct threads_of *, const struct threads_result *, size_t n);

#endif
