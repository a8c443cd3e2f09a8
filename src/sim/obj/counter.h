/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_COUNTER_H
#define SIM_OBJ_COUNTER_H

#include <stdint.h>

struct vhca;

/* Flow counters of a VHCA, found by number in O(1): a walk counts at each hit. Number 0 is none. */
void counter_hit(struct vhca *, uint32_t id, uint32_t bytes);

#endif
