/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_STOP_H
#define DVX_PERF_STOP_H

/* Ctrl-C ends a measurement early: what was measured is printed. A second one ends the program. */
#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t stop_signal;

/* From now on SIGINT is taken; SIGTERM ends the program, as it does by default. */
void stop_catch(void);

static inline bool stop_asked(void)
{
	return stop_signal != 0;
}

/* The exit code of a run that ended without an error: 128 and the signal, after a sentence. */
int stop_code(void);

#endif
