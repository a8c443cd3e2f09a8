/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_HOSTILE_H
#define SIM_BASE_HOSTILE_H

#include <stdbool.h>
#include <stdint.h>
#include "probe.h"

/*
 * A hostile device does everything as late, and in any order, as the specifications allow
 * (doc/design/0101). Rooms ask behind PROBE_HOSTILE, in loads that probes need anyway. It is the
 * process's, as the probe is.
 */
static inline bool hostile(void)
{
	return probe_active(PROBE_HOSTILE);
}

/* Makes the device hostile from now on. Its choices follow from the seed. */
void hostile_start(uint64_t seed);
/* Chooses how late the next thing happens, in ns; 0: not at all. */
uint64_t hostile_delay(void);
/* Waits a moment between two accesses to memory, so that a program sees the state in between. */
void hostile_pause(void);

#endif
