/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_WATCHDOG_H
#define SIM_CHIP_WATCHDOG_H

/*
 * A process that outlives the server. A NIC that dies leaves a driver behind which tells programs;
 * here driver and NIC die together when the server is killed. So the watchdog holds the writing
 * ends of the asynchronous event FDs, and writes DEVICE_FATAL into them when the server has ended
 * without watchdog_stop().
 */
struct watchdog {
	int sock; /* -1: there is none */
};

/* Early: the process inherits as little as can be. Without one, programs see an end of file. */
void watchdog_start(struct watchdog *);
/* The writing end of an asynchronous event FD; arg: struct watchdog. */
void watchdog_add(void *arg, int fd);
/* The server has told the programs itself. */
void watchdog_stop(struct watchdog *);

#endif
