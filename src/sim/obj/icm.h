/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_ICM_H
#define SIM_OBJ_ICM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vhca;

/*
 * The device's own memory as steering sees it: 40-bit addresses, 64-byte units. Bits 39:36 tell
 * what lies there, so an address needs no registry: software's regions hold bytes, the others name
 * an object by its number in bits 31:6. Addresses are a VHCA's own.
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

/* Bytes of software's regions; NULL: nothing was allocated there, or it ends inside. */
const uint8_t *icm_bytes(const struct vhca *, uint64_t addr, size_t len);

#endif
