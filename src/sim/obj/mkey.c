/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include "icm.h"
#include "mkey.h"
#include "vhca.h"
#include "base/log.h"

#define WRITES (MKEY_LW | MKEY_RW | MKEY_ATOMIC)

static const char *right_name(unsigned int missing)
{
	static const char *const name[] = {"lr (local read)",	"lw (local write)",
					   "rr (remote read)",	"rw (remote write)",
					   "a (remote atomic)", "umr_en"};

	for (unsigned int i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (missing & 1u << i)
			return name[i];
	return "no";
}

/*
 * The mkey whose translation serves the access: itself, or what an alias points to *now*. The
 * source may be gone, or its index reused (the generation tells).
 */
static const struct mkey *mkey_resolve(const struct vhca *v, const struct mkey *m, uint32_t key)
{
	const struct vhca *peer;
	const struct mkey *source;

	if (!m->alias)
		return m;
	peer = device_vhca_by_id(v->dev, m->target_vhca);
	source = peer ? obj_find(peer, OBJ_MKEY, m->target_index) : NULL;
	if (!source || source->o.generation != m->target_generation || source->free) {
		sim_refuse("mkey 0x%x is an alias of mkey index 0x%x of vhca %u, which is gone",
			   key, m->target_index, m->target_vhca);
		return NULL;
	}
	return source;
}

static const struct mkey *mkey_lookup(const struct vhca *v, uint32_t key)
{
	const struct mkey *m = obj_find(v, OBJ_MKEY, key >> 8);

	if (!m) {
		sim_refuse("mkey 0x%x: vhca %u has no mkey of index 0x%x", key, v->id, key >> 8);
		return NULL;
	}
	/* [I] an alias has no key byte of its own: any low byte is accepted */
	if (!m->alias && m->low != (key & 0xff)) {
		sim_refuse("mkey 0x%x: its low byte (mkey_7_0) is 0x%x", key, m->low);
		return NULL;
	}
	if (m->free) {
		sim_refuse("mkey 0x%x is in the free state (mkc.free)", key);
		return NULL;
	}
	return m;
}

static bool in_bounds(const struct mkey *m, uint64_t va, uint64_t len)
{
	return va >= m->start && va - m->start <= m->len && len <= m->len - (va - m->start);
}

static int translate(const struct mkey *m, uint64_t va, uint64_t len, struct dma_seg *seg,
		     unsigned int max)
{
	const uint64_t page_mask = (1ull << m->log_entity) - 1;
	uint64_t from_start = va - m->start;

	if (m->icm) {
		*seg = (struct dma_seg){icm_bus(m->o.vhca, m->icm_addr + from_start), len};
		return 1;
	}
	if (m->umem)
		return umem_segs(m->umem, m->umem_offset + from_start, len, seg, max);
	/* Entry 0 is the page of the first byte; start_addr has the offset in it. */
	return pages_segs(m->entries, m->nentries, m->log_entity,
			  (m->start & page_mask) + from_start, len, seg, max);
}

int mkey_segs(struct vhca *v, uint32_t key, uint32_t pdn, uint64_t va, uint64_t len,
	      unsigned int rights, struct dma_seg *seg, unsigned int max)
{
	const struct mkey *m, *source;
	unsigned int missing;
	int n;

	if (!len)
		return 0;
	m = mkey_lookup(v, key);
	if (!m)
		return -MKEY_BAD_KEY;
	if (m->pdn != pdn) {
		sim_refuse("mkey 0x%x belongs to pd 0x%x, the queue to pd 0x%x", key, m->pdn, pdn);
		return -MKEY_BAD_PD;
	}
	source = mkey_resolve(v, m, key);
	if (!source)
		return -MKEY_BAD_ALIAS;
	missing = rights & ~(unsigned int)source->rights;
	if (missing) {
		sim_refuse("mkey 0x%x does not have the right %s", key, right_name(missing));
		return -MKEY_BAD_RIGHTS;
	}
	if (source->umem && source->umem->ro && (rights & WRITES)) {
		sim_refuse("mkey 0x%x lies on umem 0x%x, which was registered read-only", key,
			   source->umem->o.id);
		return -MKEY_BAD_RIGHTS;
	}
	if (!in_bounds(source, va, len)) {
		sim_refuse("mkey 0x%x covers 0x%" PRIx64 "+0x%" PRIx64 ", not 0x%" PRIx64
			   "+0x%" PRIx64,
			   key, source->start, source->len, va, len);
		return -MKEY_BAD_BOUNDS;
	}
	if (!seg)
		return 0;
	n = translate(source, va, len, seg, max);
	if (n == -E2BIG) {
		sim_refuse("mkey 0x%x: 0x%" PRIx64 "+0x%" PRIx64 " lies in more than %u pieces",
			   key, va, len, max);
		return -MKEY_TOO_FRAGMENTED;
	}
	if (n < 0) {
		sim_refuse("mkey 0x%x: its pages end before 0x%" PRIx64 "+0x%" PRIx64, key, va,
			   len);
		return -MKEY_BAD_BOUNDS;
	}
	return n;
}
