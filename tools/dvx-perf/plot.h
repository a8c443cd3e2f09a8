/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_PLOT_H
#define DVX_PERF_PLOT_H

/*
 * Drawings by gnuplot. It is started before the measurement, so that a missing gnuplot or a file
 * that cannot be written does not spoil a long run.
 */
#include "report.h"

/* These return 0, or an exit code after an error message. Without a file they do nothing. */
int plot_begin(const char *file);
/* Draws latency and rate over size, or the percentiles of a single size. */
int plot_results(const struct report_of *, const struct perf_results *);

/*
 * For other drawings: returns the stream of gnuplot's commands, NULL if there is nothing to draw.
 */
FILE *plot_commands(void);
int plot_end(void);
/*
 * Ends the drawing after a failure, or without results: leaves the file as it was. After
 * plot_end() it does nothing.
 */
void plot_drop(void);
/* Writes the end of a title, with a note on the device. */
void plot_title(FILE *, const char *what, const struct perf_site *);

#endif
