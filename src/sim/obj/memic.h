/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_MEMIC_H
#define SIM_OBJ_MEMIC_H

#include <stdbool.h>
#include <stdint.h>
#include "host/mm.h"

struct device;
struct vhca;

/*
 * Memory on the device that programs may have (MEMIC): a window of each function's BAR. Which pages
 * are in use is the firmware's; their bytes are those that the program maps, so the kernel, which
 * makes the mapping, says where they are.
 */
#define MEMIC_LOG_PAGE	12u
#define MEMIC_PAGES	32u
#define MEMIC_BYTES	(MEMIC_PAGES << MEMIC_LOG_PAGE)
#define MEMIC_BAR_START (2048ull << MEMIC_LOG_PAGE) /* host/uar.h: BAR_MEMIC_PAGE */
#define MEMIC_UNIT	64u

struct memic;

/* Whole pages: 0, or -ERANGE outside the window, -EBUSY if one is taken, -ENOMEM. */
int memic_alloc(struct vhca *, uint64_t addr, uint32_t len);
int memic_free(struct vhca *, uint64_t addr, uint32_t len);
/* All of the range is allocated. */
bool memic_holds(const struct vhca *, uint64_t addr, uint64_t len);
/* Where its bytes are from here on; until then, and with NULL, nothing is there. */
void memic_back(struct vhca *, uint64_t addr, uint32_t len, uint8_t *bytes);
bus_t memic_bus(const struct vhca *, uint64_t addr);
void memic_fini(struct vhca *);

#endif
