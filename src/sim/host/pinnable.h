/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_HOST_PINNABLE_H
#define SIM_HOST_PINNABLE_H

#include "base/maps.h"
#include "client.h"

/*
 * Returns why the part of a mapping before `end` can't be pinned for reading, or for writing if
 * need (enum mappings_need) asks for that; err 0: it can.
 */
struct unpinnable mapping_unpinnable(struct mm *, const struct mapping *, uint64_t end,
				     unsigned int need);

#endif
