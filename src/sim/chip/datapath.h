/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_DATAPATH_H
#define SIM_DATAPATH_H

#include <stdbool.h>
#include <stddef.h>

struct device;

/*
 * Part of the composition root: makes the device's net, wire and dp, and connects them. After
 * device_init(); chip.c then registers queue_doorbell and calls datapath_run() in each turn.
 */
int datapath_open(struct device *); /* 0 or -ENOMEM */
void datapath_close(struct device *);
/* One bounded turn: doorbells' records, frames, requests, CQEs. True if something was done. */
bool datapath_run(struct device *);

/*
 * An Ethernet packet without FCS enters by the port, from outside. 0; -EAGAIN: the wire is full,
 * try after a turn; -EMSGSIZE: outside VHCA_FRAME_MIN..MAX; -ENOMEM. What became of it is counted
 * in device.injected, beside the usual counters.
 */
int datapath_inject(struct device *, const void *bytes, size_t len);

#endif
