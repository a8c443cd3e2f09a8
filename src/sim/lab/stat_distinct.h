/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LAB_STAT_DISTINCT_H
#define SIM_LAB_STAT_DISTINCT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/stat.h"

/* Counts how many queues, keys and pages are distinct in runs of sends: one run in 32 is taken. */
#define STAT_WINDOW	  1000u
#define STAT_WINDOWS_EACH 32u

extern uint32_t stat_distinct_left __attribute__((
	visibility("hidden"))); /* sends until the next run that is taken; 0: in one */

void stat_distinct_start(void);
/* Begins a send. Returns whether it is in a run that is taken, or the first one. */
static inline bool stat_distinct_next(void)
{
	return !stat_distinct_left || !--stat_distinct_left;
}
/* Begins such a send. After a run's last one, adds its numbers and returns false. */
bool stat_distinct_turn(struct stat_row *device);
/* Adds the first run's numbers so far, if it is not over. */
void stat_distinct_add(struct stat_row *device);
void stat_distinct(enum stat_device what, uint64_t value);
void stat_distinct_pages(uint64_t addr, uint64_t len);

#endif
