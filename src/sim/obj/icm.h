/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_ICM_H
#define SIM_OBJ_ICM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "obj.h"
#include "host/mm.h"

struct vhca;

/*
 * The device's own memory as steering sees it: 40-bit addresses, 64-byte units. Bits 39:36 tell
 * what an address names, so there is no registry: software's regions hold bytes, the others have an
 * object's number in bits 31:6. Each VHCA has its own addresses.
 */
enum icm_kind {
	ICM_NONE = 0,
	ICM_STE = 1,     /* software's: STEs */
	ICM_MODIFY = 2,  /* modify-header lists */
	ICM_PATTERN = 3, /* modify-header patterns */
	ICM_ENCAP = 4,
	ICM_TABLE = 8,   /* a flow table: its root in either direction */
	ICM_TIR = 9,
	ICM_END = 10,    /* number: enum icm_end */
	ICM_VPORT = 11,
};
enum icm_end { ICM_DROP = 1, ICM_ALLOW = 2, ICM_UPLINK = 3 };
#define ICM_KIND_SHIFT 36
#define ICM_UNIT 64u

static inline uint64_t icm_addr(enum icm_kind kind, uint32_t number)
{
	return (uint64_t)kind << ICM_KIND_SHIFT | (uint64_t)number << 6;
}

static inline enum icm_kind icm_kind(uint64_t addr)
{
	return (enum icm_kind)(addr >> ICM_KIND_SHIFT & 0xf);
}

static inline uint32_t icm_number(uint64_t addr)
{
	return (uint32_t)(addr >> 6 & 0x3ffffff);
}

/* Bytes of software's regions; NULL: not all of the range is allocated. */
const uint8_t *icm_bytes(const struct vhca *, uint64_t addr, size_t len);

/* Software's regions come in blocks of this many bytes (log_sw_icm_alloc_granularity). */
#define ICM_LOG_BLOCK 12u
/* A region's first address and size, as the device memory page tells them; 0: there is none. */
unsigned int icm_log_size(const struct vhca *, enum icm_kind);

/*
 * A part of a region that CREATE_GENERAL_OBJECT(SW_ICM) gave to software. The kernel chose where.
 * Its bytes read as zero [I]; hardware may show old contents.
 */
struct sw_icm {
	struct obj o;
	uint64_t addr, len;
};
/* 0, or -ERANGE outside the regions, -EBUSY if a part of it is taken, -ENOMEM. */
int icm_alloc(struct vhca *, uint64_t addr, uint64_t len);
/* Its pages go back to the system. */
void icm_free(struct vhca *, uint64_t addr, uint64_t len);
/* The allocation that [addr, addr + len) lies in; NULL: not within one. */
struct sw_icm *icm_find(const struct vhca *, uint64_t addr, uint64_t len);
/* Where it lies on the bus. */
bus_t icm_bus(const struct vhca *, uint64_t addr);
void icm_fini(struct vhca *);

#endif
