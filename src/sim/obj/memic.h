/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_MEMIC_H
#define SIM_OBJ_MEMIC_H

#include <stdbool.h>
#include <stdint.h>
#include "host/mem.h"

struct device;
struct vhca;

/*
 * Memory on the device that programs map (MEMIC): a window of each function's BAR. Firmware
 * allocates pages of it. The bytes are those that the program maps; the kernel creates that
 * mapping, and passes its address by memic_back().
 */
#define MEMIC_LOG_PAGE	12u
#define MEMIC_PAGES	32u
#define MEMIC_BYTES	(MEMIC_PAGES << MEMIC_LOG_PAGE)
#define MEMIC_BAR_START (2048ull << MEMIC_LOG_PAGE) /* host/uar.h: BAR_MEMIC_PAGE */
#define MEMIC_UNIT	64u

/*
 * Operations by address: a load or store at the address that MODIFY_MEMIC returns is performed on
 * the memory. The preload has to trap each of them (preload/dm_op.c), which is possible on x86-64
 * only.
 */
enum memic_op { MEMIC_INCREMENT, MEMIC_TEST_AND_SET, MEMIC_OPS };
#ifdef __x86_64__
#define MEMIC_OPERATIONS ((1u << MEMIC_OPS) - 1)
#else
#define MEMIC_OPERATIONS 0u
#endif
#define MEMIC_OP_SIZES	   1u /* of one byte; the bit order of further sizes is not public */
#define MEMIC_OP_BAR_START (MEMIC_BAR_START + 64 * (1ull << MEMIC_LOG_PAGE)) /* uverbs/dm_op.h */

struct memic;

/*
 * Allocates whole pages. Returns 0, -ERANGE outside the window, -EBUSY if a page is taken, or
 * -ENOMEM.
 */
int memic_alloc(struct vhca *, uint64_t addr, uint32_t len);
/* Returns 0, -ERANGE, or -EBUSY while the memory has an operation's address. */
int memic_free(struct vhca *, uint64_t addr, uint32_t len);
/* Returns true if all of the range is allocated. */
bool memic_holds(const struct vhca *, uint64_t addr, uint64_t len);
/*
 * Give the memory at addr an address for an operation, and remove it. Return 0, -ERANGE, -EEXIST or
 * -ENOENT.
 */
int memic_op_alloc(struct vhca *, uint64_t addr, enum memic_op, uint64_t *op_addr);
int memic_op_free(struct vhca *, uint64_t addr, enum memic_op);
/* Sets the bytes behind a range. Before that, and with NULL, accesses fail. */
void memic_back(struct vhca *, uint64_t addr, uint32_t len, uint8_t *bytes);
bus_t memic_bus(const struct vhca *, uint64_t addr);
void memic_fini(struct vhca *);

#endif
