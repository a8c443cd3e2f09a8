/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_ICM_H
#define SIM_OBJ_ICM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "obj.h"
#include "host/mem.h"

struct vhca;

/*
 * The device's memory as steering sees it: 40-bit addresses, 64-byte units. Bits 39:36 name the
 * kind of address, so no registry is needed: addresses in software's regions stand for bytes, the
 * others have an object's number in bits 31:6. Each VHCA has a separate address space.
 */
enum icm_kind {
	ICM_NONE = 0,
	ICM_STE = 1,	 /* of software: STEs */
	ICM_MODIFY = 2,	 /* modify-header lists */
	ICM_PATTERN = 3, /* modify-header patterns */
	ICM_ENCAP = 4,
	ICM_TABLE = 8, /* a flow table: its root in either direction */
	ICM_TIR = 9,
	ICM_END = 10,	/* number: enum icm_end */
	ICM_VPORT = 11, /* end of a walk through the FDB: icm_vport() */
	ICM_SAMPLER = 12,
	ICM_METER = 13,
};
enum icm_end { ICM_DROP = 1, ICM_ALLOW = 2, ICM_MISS = 3 };
#define ICM_KIND_SHIFT 36
#define ICM_UNIT       64u

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

/*
 * Returns the address of a vport in entries of the FDB's TX side, which packets from vports walk,
 * or of its RX side, for those from the wire.
 */
#define ICM_VPORT_BITS 16
static inline uint64_t icm_vport(uint16_t vport, bool tx)
{
	return icm_addr(ICM_VPORT, (uint32_t)tx << ICM_VPORT_BITS | vport);
}

/*
 * Returns the bytes at an address of software's regions; NULL if part of the range is not
 * allocated.
 */
const uint8_t *icm_bytes(const struct vhca *, uint64_t addr, size_t len);

/* log2 of the block size of software's regions (log_sw_icm_alloc_granularity). */
#define ICM_LOG_BLOCK 12u
/* Returns log2 of a region's size, as the device memory page reports it; 0: no such region. */
unsigned int icm_log_size(const struct vhca *, enum icm_kind);

/*
 * A part of a region that CREATE_GENERAL_OBJECT(SW_ICM) gave to software, at an address that the
 * kernel chose. Its bytes are zeros at first [I]; hardware may show old contents.
 */
struct sw_icm {
	struct obj o;
	uint64_t addr, len;
};
/*
 * Returns 0, -ERANGE outside the regions, -EBUSY if a part of the range is allocated, or -ENOMEM.
 */
int icm_alloc(struct vhca *, uint64_t addr, uint64_t len);
/* Frees a range; its pages go back to the system. */
void icm_free(struct vhca *, uint64_t addr, uint64_t len);
/* Returns the allocation that contains [addr, addr + len); NULL if none does. */
struct sw_icm *icm_find(const struct vhca *, uint64_t addr, uint64_t len);
/* Returns the bus address of an ICM address. */
bus_t icm_bus(const struct vhca *, uint64_t addr);
void icm_fini(struct vhca *);

#endif
