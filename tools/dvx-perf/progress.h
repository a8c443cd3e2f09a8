/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_PROGRESS_H
#define DVX_PERF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A line on the terminal (standard error) that shows how far a long run is. A thread writes it
 * during a measurement, four times a second; the measured threads only count.
 */
typedef uint64_t progress_count_fn(const void *of);

void progress_begin(bool quiet);
/* Begins a measurement of `total` messages. count() returns how many are done. */
void progress_watch(uint64_t total, progress_count_fn *count, const void *of, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Ends the measurement. The line stays for the next one. */
void progress_unwatch(void);
/* Clears the line before other output. */
void progress_clear(void);

#endif
