/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_WATCHDOG_H
#define SIM_CHIP_WATCHDOG_H

/*
 * A process that outlives the server. When a NIC dies, its driver sends DEVICE_FATAL to programs.
 * Here NIC and driver are one process, which may be killed. So the watchdog holds the writing ends
 * of the asynchronous event FDs, and writes the event when the server ends without watchdog_stop().
 */
struct watchdog {
	int sock; /* -1: no watchdog */
};

/* Starts it, early, so that it inherits little. Without one, programs see an end of file. */
void watchdog_start(struct watchdog *);
/* Adds the writing end of an asynchronous event FD; arg: struct watchdog. */
void watchdog_add(void *arg, int fd);
/* Stops it: the server has sent the event itself, or no program needs it. */
void watchdog_stop(struct watchdog *);

#endif
