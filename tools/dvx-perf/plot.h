/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_PLOT_H
#define DVX_PERF_PLOT_H

/*
 * Drawings by gnuplot. It is started before anything is measured, so that a missing gnuplot or a
 * file that cannot be written does not end a long run.
 */
#include "report.h"

/* All return 0, or an exit code after a sentence; without a file they do nothing. */
int plot_begin(const char *file);
/* Draws: latency and rate against size, or one size's percentiles. */
int plot_results(const struct report_of *, const struct perf_results *);

/* For other drawings: where gnuplot reads its commands, NULL if there is nothing to draw. */
FILE *plot_commands(void);
int plot_end(void);
/* After a failure: leaves the file as it was. */
void plot_drop(void);
/* A title's end, with what is to be known of the device. */
void plot_title(FILE *, const char *what, const struct perf_site *);

#endif
