/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_LAB_STAT_H
#define SIM_LAB_STAT_H

#include "base/stat.h"

/* Counts what messages take, from now on; a subscriber of the probe. Forgets what it had. */
void stat_start(const struct stat_pcie *);

#define STAT_ROWS 4096u /* messages of further queues are in rows of their own, without an object */
/* Writes the rows; room for STAT_ROWS + STAT_CLASSES + 1. Returns how many. */
unsigned int stat_read(struct stat_row *);

#endif
