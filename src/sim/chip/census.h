/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_CHIP_CENSUS_H
#define SIM_CHIP_CENSUS_H

#include "link/link.h"

struct chip;

/* What a status answer says of the chip: fills rows, at most max; returns how many. */
unsigned int census_functions(struct chip *, struct link_function_row *, unsigned int max);
unsigned int census_objects(struct chip *, struct link_object_row *, unsigned int max);

#endif
