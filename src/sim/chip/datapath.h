/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_DATAPATH_H
#define SIM_DATAPATH_H

#include <stdbool.h>
#include <stddef.h>

struct silicon;

/*
 * Part of the composition root: makes the silicon's net, wire and dp, and connects them. After
 * silicon_init(); chip.c then registers dp_doorbell and calls datapath_run() in each turn.
 */
int datapath_open(struct silicon *); /* 0 or -ENOMEM */
void datapath_close(struct silicon *);
/* One bounded turn: doorbells' records, frames, requests, CQEs. True if something was done. */
bool datapath_run(struct silicon *);

/*
 * An Ethernet packet without FCS enters by the port, from outside. 0; -EAGAIN: the wire is full,
 * try after a turn; -EMSGSIZE: outside VHCA_FRAME_MIN..MAX; -ENOMEM. What became of it is counted
 * in silicon.injected, beside the usual counters.
 */
int datapath_inject(struct silicon *, const void *bytes, size_t len);

#endif
