/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_DATAPATH_H
#define SIM_DATAPATH_H

#include <stdbool.h>

struct device;

/*
 * Part of the composition root: makes the device's port, transports, steering and queues, and
 * connects them. Called after device_init(). chip.c then registers queue_doorbell and calls
 * datapath_run() in each turn.
 */
int datapath_open(struct device *); /* 0 or -ENOMEM */
void datapath_close(struct device *);
/* Runs one bounded turn: doorbell records, frames, requests, CQEs. True if something was done. */
bool datapath_run(struct device *);

#endif
