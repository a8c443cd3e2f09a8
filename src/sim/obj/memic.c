/* SPDX-License-Identifier: BSD-2-Clause */
#include "memic.h"

#include <errno.h>
#include <stdlib.h>
#include "device.h"

#define PAGE		 (1u << MEMIC_LOG_PAGE)
#define MEMIC_VHCA_SHIFT 32 /* above the addresses of a BAR */

struct memic {
	bool taken[MEMIC_PAGES];
	uint8_t ops[MEMIC_PAGES]; /* a bit for each operation, at the first page of its memory */
	uint8_t *bytes[MEMIC_PAGES];
};

/* Sets the page numbers of a range; false if part of it is outside the window. */
static bool memic_pages(uint64_t addr, uint64_t len, uint32_t *first, uint32_t *end)
{
	uint64_t at = addr - MEMIC_BAR_START;

	if (addr < MEMIC_BAR_START || at > MEMIC_BYTES || !len || len > MEMIC_BYTES - at)
		return false;
	*first = (uint32_t)(at >> MEMIC_LOG_PAGE);
	*end = (uint32_t)((at + len + PAGE - 1) >> MEMIC_LOG_PAGE);
	return true;
}

/* Returns the bytes of a BAR address. Pages of one allocation are adjacent in memory. */
static uint8_t *memic_at(void *device, uint64_t addr, size_t len)
{
	const struct device *dev = device;
	uint64_t index = addr >> MEMIC_VHCA_SHIFT;
	const struct memic *m = index < dev->nfunctions ? dev->vhca[index].memic : NULL;
	uint32_t first, end;

	addr &= (1ull << MEMIC_VHCA_SHIFT) - 1;
	if (!m || !memic_pages(addr, len, &first, &end) || !m->bytes[first])
		return NULL;
	for (uint32_t i = first + 1; i < end; i++)
		if (m->bytes[i] != m->bytes[i - 1] + PAGE)
			return NULL;
	return m->bytes[first] + (addr & (PAGE - 1));
}

static int memic_open(struct vhca *v)
{
	struct device *dev = v->dev;

	if (!dev->memic_mm)
		dev->memic_mm = mm_open_device(dev->host, memic_at, dev);
	if (!v->memic)
		v->memic = calloc(1, sizeof(*v->memic));
	return dev->memic_mm && v->memic ? 0 : -ENOMEM;
}

int memic_alloc(struct vhca *v, uint64_t addr, uint32_t len)
{
	uint32_t first, end;

	if (!memic_pages(addr, len, &first, &end))
		return -ERANGE;
	if (memic_open(v))
		return -ENOMEM;
	for (uint32_t i = first; i < end; i++)
		if (v->memic->taken[i])
			return -EBUSY;
	for (uint32_t i = first; i < end; i++)
		v->memic->taken[i] = true;
	return 0;
}

bool memic_holds(const struct vhca *v, uint64_t addr, uint64_t len)
{
	uint32_t first, end;

	if (!v->memic || !memic_pages(addr, len, &first, &end))
		return false;
	for (uint32_t i = first; i < end; i++)
		if (!v->memic->taken[i])
			return false;
	return true;
}

int memic_free(struct vhca *v, uint64_t addr, uint32_t len)
{
	uint32_t first, end;

	if (!memic_holds(v, addr, len) || !memic_pages(addr, len, &first, &end))
		return -ERANGE;
	for (uint32_t i = first; i < end; i++)
		if (v->memic->ops[i])
			return -EBUSY;
	memic_back(v, addr, len, NULL);
	for (uint32_t i = first; i < end; i++)
		v->memic->taken[i] = false;
	return 0;
}

void memic_back(struct vhca *v, uint64_t addr, uint32_t len, uint8_t *bytes)
{
	uint32_t first, end;

	if (!memic_holds(v, addr, len) || !memic_pages(addr, len, &first, &end))
		return;
	for (uint32_t i = first; i < end; i++)
		v->memic->bytes[i] = bytes ? bytes + (size_t)(i - first) * PAGE : NULL;
}

/* Returns the operations of the memory that begins at addr; NULL if none begins there. */
static uint8_t *memic_ops(const struct vhca *v, uint64_t addr)
{
	if (addr & (PAGE - 1) || !memic_holds(v, addr, 1))
		return NULL;
	return &v->memic->ops[(addr - MEMIC_BAR_START) >> MEMIC_LOG_PAGE];
}

int memic_op_alloc(struct vhca *v, uint64_t addr, enum memic_op op, uint64_t *op_addr)
{
	uint8_t *ops = memic_ops(v, addr);

	if (!ops)
		return -ERANGE;
	if (*ops & 1u << op)
		return -EEXIST;
	*ops |= (uint8_t)(1u << op);
	*op_addr = MEMIC_OP_BAR_START + op * MEMIC_BYTES + (addr - MEMIC_BAR_START);
	return 0;
}

int memic_op_free(struct vhca *v, uint64_t addr, enum memic_op op)
{
	uint8_t *ops = memic_ops(v, addr);

	if (!ops)
		return -ERANGE;
	if (!(*ops & 1u << op))
		return -ENOENT;
	*ops &= (uint8_t) ~(1u << op);
	return 0;
}

bus_t memic_bus(const struct vhca *v, uint64_t addr)
{
	return mm_bus(v->dev->memic_mm, (uint64_t)v->index << MEMIC_VHCA_SHIFT | addr);
}

void memic_fini(struct vhca *v)
{
	free(v->memic);
	v->memic = NULL;
}
