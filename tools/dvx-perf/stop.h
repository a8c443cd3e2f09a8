/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_STOP_H
#define DVX_PERF_STOP_H

/*
 * Ctrl-C ends a measurement early, and the results so far are printed. A second Ctrl-C ends the
 * program.
 */
#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t stop_signal;

/* Catches SIGINT from now on; SIGTERM still ends the program. */
void stop_catch(void);

static inline bool stop_asked(void)
{
	return stop_signal != 0;
}

/*
 * Returns the exit code of a run without errors; 128 and the signal, after an error message, if it
 * was interrupted.
 */
int stop_code(void);

#endif
