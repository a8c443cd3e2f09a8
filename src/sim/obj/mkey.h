/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_MKEY_H
#define SIM_OBJ_MKEY_H

#include "obj.h"
#include "host/mm.h"

struct device;
struct sw_icm;

/* A pinned region of a client, as CREATE_UMEM describes it: one page list, its offset and length.
 */
struct umem {
	struct obj o;
	uint8_t log_page;
	uint64_t offset; /* of the first byte in the first page */
	uint64_t len;
	uint32_t npages;
	bus_t *pages;
	bool ro; /* some page has no wr_en: the device never writes here */
};

/* [offset, offset+len) of a umem as bus segments: how many, or -ERANGE past its end, -E2BIG > max.
 */
int umem_segs(const struct umem *, uint64_t offset, uint64_t len, struct dma_seg *,
	      unsigned int max);

/*
 * [pos, pos+len) of a list of equal pages as bus segments; neighbours on the bus become one.
 * How many, -ERANGE past the list's end, -E2BIG if more than max would be needed.
 */
int pages_segs(const bus_t *pages, uint32_t npages, unsigned int log_page, uint64_t pos,
	       uint64_t len, struct dma_seg *, unsigned int max);

/* Access rights, PRM mkc bits. */
enum {
	MKEY_LR = 1 << 0,
	MKEY_LW = 1 << 1,
	MKEY_RR = 1 << 2,
	MKEY_RW = 1 << 3,
	MKEY_ATOMIC = 1 << 4,
	MKEY_UMR = 1 << 5,
};

struct mkey {
	struct obj o; /* id is the index (24 bits); the key is id << 8 | low */
	uint8_t low;  /* mkey_7_0 */
	uint8_t mode; /* PRM access mode */
	uint8_t rights;
	bool free; /* mkc.free: made, but may not be used yet */
	bool alias;
	uint32_t pdn;
	struct obj *pd; /* referenced */
	uint64_t start, len;
	/* translation: a umem and an offset in it, or a list of its own */
	struct umem *umem;
	uint64_t umem_offset;
	uint8_t log_entity;
	uint32_t nentries;
	bus_t *entries; /* MTT */
	struct sw_icm *icm; /* or steering memory: start is 0, this is where it lies */
	uint64_t icm_addr;
	/* alias: looked up at every access, not only at creation */
	uint16_t target_vhca;
	uint32_t target_index;
	uint64_t target_generation; /* 0: never resolves */
	uint8_t mkc[64];	    /* as CREATE_MKEY gave it, for QUERY_MKEY */
};

/*
 * Checks one access as the hardware does (state, key byte, PD, rights, bounds, alias and its grant)
 * and fills in the segments of memory, in order. Returns how many, or a negative enum mkey_fault
 * with one logged sentence. max must allow for fragmentation: MKEY_SEGS is enough for a packet.
 * Segments NULL: only checks (a long message is checked at its start).
 */
enum mkey_fault {
	MKEY_BAD_KEY = 1,
	MKEY_BAD_PD,
	MKEY_BAD_RIGHTS,
	MKEY_BAD_BOUNDS,
	MKEY_BAD_ALIAS,
	MKEY_TOO_FRAGMENTED,
};
#define MKEY_SEGS 64
int mkey_segs(struct vhca *, uint32_t key, uint32_t pdn, uint64_t va, uint64_t len,
	      unsigned int rights, struct dma_seg *, unsigned int max);

/* ALLOW_OTHER_VHCA_ACCESS: functions that know access_key may alias this mkey. */
int grant_set(struct vhca *, uint32_t mkey_index, uint64_t generation, const uint8_t key[32]);
/* In constant time. True: the object may be aliased; its generation is filled in. */
bool grant_check(struct vhca *target, uint32_t mkey_index, const uint8_t key[32],
		 uint64_t *generation);
void grant_drop(struct vhca *, uint32_t mkey_index);
void grants_free(struct device *);

#endif
