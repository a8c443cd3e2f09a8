/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_PROGRESS_H
#define DVX_PERF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * One line on a terminal (standard error) that says how far a long run is. A thread writes it
 * during a measurement, four times a second; what is measured only counts.
 */
typedef uint64_t progress_count_fn(const void *of);

void progress_begin(bool quiet);
/* A measurement begins, which is so many messages long; count() says how many were done. */
void progress_watch(uint64_t total, progress_count_fn *count, const void *of, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* It has ended. The line stays for the next one. */
void progress_unwatch(void);
/* Before something else is printed. */
void progress_clear(void);

#endif
