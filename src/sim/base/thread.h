/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_THREAD_H
#define SIM_BASE_THREAD_H

/* The calling thread runs a chip's loop: it naps for microseconds and wants to be on time. */
void thread_runs_loop(void);

/* This process does nothing but be a device: it takes more than its fair share, where it may. */
void process_is_device(void);

#endif
