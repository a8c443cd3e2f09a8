/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_THREAD_H
#define SIM_BASE_THREAD_H

/* Prepares the calling thread for a chip's loop, which sleeps for microseconds. */
void thread_runs_loop(void);

/* Raises the CPU share of a process that is only a device, where permitted. */
void process_is_device(void);

#endif
