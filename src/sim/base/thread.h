/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_THREAD_H
#define SIM_BASE_THREAD_H

/* The calling thread runs a chip's loop: it sleeps for microseconds and has to wake on time. */
void thread_runs_loop(void);

/* This process is only a device: raises its CPU share, where permitted. */
void process_is_device(void);

#endif
