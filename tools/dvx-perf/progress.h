/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_PROGRESS_H
#define DVX_PERF_PROGRESS_H

#include <stdbool.h>

/* One line on a terminal (standard error) that says how far a long run is. */
void progress_begin(bool quiet);
void progress_show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Before something else is printed. */
void progress_clear(void);

#endif
