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

/*
 * Operations by address: a load or store at the address that MODIFY_MEMIC gives is performed on the
 * memory. The program's half has to trap each of them (preload/dm_op.c), which it can on x86-64.
 */
enum memic_op { MEMIC_INCREMENT, MEMIC_TEST_AND_SET, MEMIC_OPS };
#ifdef __x86_64__
#define MEMIC_OPERATIONS ((1u << MEMIC_OPS) - 1)
#else
#define MEMIC_OPERATIONS 0u
#endif
#define MEMIC_OP_SIZES	   1u /* of one byte: in which order more would be added is not public */
#define MEMIC_OP_BAR_START (MEMIC_BAR_START + 64 * (1ull << MEMIC_LOG_PAGE)) /* uverbs/dm_op.h */

struct memic;

/* Whole pages: 0, or -ERANGE outside the window, -EBUSY if one is taken, -ENOMEM. */
int memic_alloc(struct vhca *, uint64_t addr, uint32_t len);
/* 0, -ERANGE, or -EBUSY while it has an operation's address. */
int memic_free(struct vhca *, uint64_t addr, uint32_t len);
/* All of the range is allocated. */
bool memic_holds(const struct vhca *, uint64_t addr, uint64_t len);
/* The memory at addr gets an address for an operation, or loses it: 0, -ERANGE, -EEXIST, -ENOENT.
 */
int memic_op_alloc(struct vhca *, uint64_t addr, enum memic_op, uint64_t *op_addr);
int memic_op_free(struct vhca *, uint64_t addr, enum memic_op);
/* Where its bytes are from here on; until then, and with NULL, nothing is there. */
void memic_back(struct vhca *, uint64_t addr, uint32_t len, uint8_t *bytes);
bus_t memic_bus(const struct vhca *, uint64_t addr);
void memic_fini(struct vhca *);

#endif
