/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_PINNABLE_H
#define SIM_HOST_PINNABLE_H

#include "base/maps.h"
#include "mm.h"

/*
 * Why the part of a mapping before `end` is not pinned, which may be read, or written where need
 * (enum mappings_need) asks for that; err 0: it is.
 */
struct unpinnable mapping_unpinnable(struct mm *, const struct mapping *, uint64_t end,
				     unsigned int need);

#endif
