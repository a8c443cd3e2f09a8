/* SPDX-License-Identifier: BSD-2-Clause */
#include "icm.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "device.h"

#define ICM_BLOCK      (1ull << ICM_LOG_BLOCK)
#define KINDS	       (ICM_PATTERN + 1)
#define ICM_VHCA_SHIFT 40 /* above the 40 bits of an address */
#define ADDR_MASK      ((1ull << ICM_VHCA_SHIFT) - 1)

/*
 * A region of ICM. It is mapped as a whole, so that an addition translates an address, and so that
 * scattered allocations do not use up the process's mappings. Only blocks that are written get
 * memory. A bit per block marks allocated ones, for walks that follow an address in an STE.
 */
struct region {
	uint8_t *bytes;
	uint64_t size;
	uint64_t *used;
};

struct icm {
	struct region region[KINDS];
};

unsigned int icm_log_size(const struct vhca *v, enum icm_kind kind)
{
	switch (kind) {
	case ICM_STE:
		return v->dev->profile->log_ste_icm;
	case ICM_MODIFY:
		return VHCA_LOG_MODIFY_ICM;
	case ICM_PATTERN:
		return v->dev->profile->steering_format_version ? VHCA_LOG_PATTERN_ICM : 0;
	default:
		return 0;
	}
}

static inline bool block_used(const struct region *r, uint64_t block)
{
	return r->used[block / 64] >> block % 64 & 1;
}

static void mark(struct region *r, uint64_t at, uint64_t len, bool used)
{
	for (uint64_t b = at / ICM_BLOCK; b < (at + len) / ICM_BLOCK; b++) {
		if (used)
			r->used[b / 64] |= 1ull << b % 64;
		else
			r->used[b / 64] &= ~(1ull << b % 64);
	}
}

static inline uint64_t offset_of(uint64_t addr)
{
	return addr & ((1ull << ICM_KIND_SHIFT) - 1);
}

static inline uint8_t *icm_bytes_at(const struct icm *icm, uint64_t addr, size_t len)
{
	const struct region *r = icm ? &icm->region[icm_kind(addr) % KINDS] : NULL;
	uint64_t at = offset_of(addr);

	if (!r || addr > ADDR_MASK || icm_kind(addr) >= KINDS || at >= r->size ||
	    len > r->size - at)
		return NULL;
	for (uint64_t b = at / ICM_BLOCK; b <= (at + len - !!len) / ICM_BLOCK; b++)
		if (!block_used(r, b))
			return NULL;
	return r->bytes + at;
}

const uint8_t *icm_bytes(const struct vhca *v, uint64_t addr, size_t len)
{
	return icm_bytes_at(v->icm, addr, len);
}

static uint8_t *bus_bytes(void *device, uint64_t addr, size_t len)
{
	const struct device *dev = device;
	uint64_t index = addr >> ICM_VHCA_SHIFT;

	return index < dev->nfunctions ? icm_bytes_at(dev->vhca[index].icm, addr & ADDR_MASK, len)
				       : NULL;
}

bus_t icm_bus(const struct vhca *v, uint64_t addr)
{
	return mm_bus(v->dev->icm_mm, (uint64_t)v->index << ICM_VHCA_SHIFT | addr);
}

static int open_region(struct region *r, unsigned int log_size)
{
	uint64_t size = 1ull << log_size;
	void *bytes;

	if (r->size)
		return 0;
	r->used = calloc(size / ICM_BLOCK / 64 + 1, sizeof(*r->used));
	if (!r->used)
		return -ENOMEM;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED) {
		free(r->used);
		r->used = NULL;
		return -ENOMEM;
	}
	/* Walks read entries all over their tables: most reads miss the TLB with small pages */
	madvise(bytes, size, MADV_HUGEPAGE);
	r->bytes = bytes;
	r->size = size;
	return 0;
}

static int open_icm(struct vhca *v, enum icm_kind kind)
{
	struct device *dev = v->dev;

	if (!dev->icm_mm)
		dev->icm_mm = mm_open_device(dev->host, bus_bytes, dev);
	if (!v->icm)
		v->icm = calloc(1, sizeof(*v->icm));
	if (!dev->icm_mm || !v->icm)
		return -ENOMEM;
	return open_region(&v->icm->region[kind], icm_log_size(v, kind));
}

static bool in_region(const struct vhca *v, uint64_t addr, uint64_t len)
{
	unsigned int log_size = icm_log_size(v, icm_kind(addr));
	uint64_t at = offset_of(addr);

	return log_size && addr <= ADDR_MASK && at < 1ull << log_size &&
	       len <= (1ull << log_size) - at;
}

int icm_alloc(struct vhca *v, uint64_t addr, uint64_t len)
{
	struct region *r;
	uint64_t at = offset_of(addr);

	if (!in_region(v, addr, len))
		return -ERANGE;
	if (open_icm(v, icm_kind(addr)))
		return -ENOMEM;
	r = &v->icm->region[icm_kind(addr)];
	for (uint64_t b = at / ICM_BLOCK; b < (at + len) / ICM_BLOCK; b++)
		if (block_used(r, b))
			return -EBUSY;
	mark(r, at, len, true);
	return 0;
}

/*
 * Frees blocks. Their pages go back to the system, and read as zeros when they are allocated again.
 */
void icm_free(struct vhca *v, uint64_t addr, uint64_t len)
{
	struct region *r = &v->icm->region[icm_kind(addr)];
	uint64_t at = offset_of(addr);

	mark(r, at, len, false);
	madvise(r->bytes + at, len, MADV_DONTNEED);
}

struct sw_icm *icm_find(const struct vhca *v, uint64_t addr, uint64_t len)
{
	struct sw_icm *s;

	for (uint32_t id = 0; (s = obj_next(v, OBJ_SW_ICM, id)); id = s->o.id + 1)
		if (addr >= s->addr && addr - s->addr <= s->len && len <= s->len - (addr - s->addr))
			return s;
	return NULL;
}

void icm_fini(struct vhca *v)
{
	if (!v->icm)
		return;
	for (unsigned int i = 0; i < KINDS; i++) {
		struct region *r = &v->icm->region[i];

		if (r->size)
			munmap(r->bytes, r->size);
		free(r->used);
	}
	free(v->icm);
	v->icm = NULL;
}
