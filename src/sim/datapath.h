/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_DATAPATH_H
#define SIM_DATAPATH_H

#include <stdbool.h>

struct silicon;

/*
 * Part of the composition root: makes the silicon's net, wire and dp, and connects them. After
 * silicon_init(); chip.c then registers dp_doorbell and calls datapath_run() in each turn.
 */
int datapath_open(struct silicon *); /* 0 or -ENOMEM */
void datapath_close(struct silicon *);
/* One bounded turn: doorbells' records, frames, requests, CQEs. True if something was done. */
bool datapath_run(struct silicon *);

#endif
