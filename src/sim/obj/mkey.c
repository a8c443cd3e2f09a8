/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <dvx/prm/qp.h>
#include "icm.h"
#include "memic.h"
#include "mkey.h"
#include "mkey_bytes.h"
#include "queue.h"
#include "sig.h"
#include "table.h"
#include "device.h"
#include "base/log.h"
#include "base/prefetch.h"

#define WRITES (MKEY_LW | MKEY_RW | MKEY_ATOMIC)

/* Reports a refusal to the program whose queue names the key. */
__attribute__((format(printf, 3, 4))) static void mkey_refuse(const struct vhca *v, uint32_t pdn,
							      const char *fmt, ...)
{
	const struct obj *pd = obj_find(v, OBJ_PD, pdn);
	char why[300];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	sim_refuse_to(pd ? pd->uid : 0, "%s", why);
}

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
 * Returns the mkey whose translation serves the access: m itself, or the present target of an
 * alias. The target may be gone, or its index reused; the generation shows it.
 */
static const struct mkey *mkey_resolve(const struct vhca *v, const struct mkey *m, uint32_t key)
{
	const struct vhca *peer;
	const struct mkey *source;

	if (!m->o.alias)
		return m;
	peer = device_vhca_by_id(v->dev, m->target_vhca);
	source = peer ? obj_find(peer, OBJ_MKEY, m->target_index) : NULL;
	if (!source || source->o.generation != m->target_generation || source->free) {
		mkey_refuse(v, m->pdn,
			    "mkey 0x%x is an alias of mkey index 0x%x of vhca %u, which is gone",
			    key, m->target_index, m->target_vhca);
		return NULL;
	}
	return source;
}

/* An access on its way through indirect mkeys, with the number of those passed. */
struct mkey_walk {
	struct vhca *vhca;
	uint32_t pdn, qpn;
	unsigned int rights;
	unsigned int depth;
	bool memory;	     /* ignores signatures */
	struct dma_seg *seg; /* NULL: only checks the access */
	unsigned int max;
	uint64_t done; /* bytes that the segments cover so far */
};

/* --- the null mkey ---------------------------------------------------------------------------- */

#define NULL_BYTES (64u << 10)
#define NULL_READ  0u
#define NULL_WRITE NULL_BYTES

/* Memory of the null mkey: zeros to read, and a sink for writes. */
struct null_memory {
	struct mm *mm;
	uint8_t bytes[2 * NULL_BYTES];
};

static uint8_t *null_at(void *memory, uint64_t addr, size_t len)
{
	struct null_memory *null = memory;

	return addr <= sizeof(null->bytes) && len <= sizeof(null->bytes) - addr ? null->bytes + addr
										: NULL;
}

static struct null_memory *null_memory(struct device *dev)
{
	struct null_memory *null = dev->null;

	if (null)
		return null;
	null = calloc(1, sizeof(*null));
	if (!null)
		return NULL;
	null->mm = mm_open_device(dev->host, null_at, null);
	if (!null->mm) {
		free(null);
		return NULL;
	}
	return dev->null = null;
}

void mkey_null_free(struct device *dev)
{
	if (!dev->null)
		return;
	mm_close(dev->null->mm);
	free(dev->null);
	dev->null = NULL;
}

/*
 * Adds segments of the null mkey, which repeat the same bytes. Local accesses of any PD may use it.
 */
static int mkey_walk_null(struct mkey_walk *w, uint64_t len)
{
	struct null_memory *null = null_memory(w->vhca->dev);
	bus_t at;
	unsigned int n = 0;

	if (w->rights & ~(unsigned int)(MKEY_LR | MKEY_LW | MKEY_PINNED) || !null) {
		mkey_refuse(w->vhca, w->pdn, "mkey 0x%x is the null mkey: for local accesses only",
			    MKEY_NULL);
		return -MKEY_BAD_RIGHTS;
	}
	if (!w->seg) {
		w->done = len;
		return 0;
	}
	at = mm_bus(null->mm, w->rights & MKEY_LW ? NULL_WRITE : NULL_READ);
	for (; len && n < w->max; n++) {
		w->seg[n] = (struct dma_seg){at, len < NULL_BYTES ? (size_t)len : NULL_BYTES};
		w->done += w->seg[n].len;
		len -= w->seg[n].len;
	}
	return (int)n;
}

/* --- the reserved lkey ------------------------------------------------------------------------ */

/* Adds segments of the reserved lkey: local accesses of a queue that the kernel created with it. */
static int mkey_walk_reserved(struct mkey_walk *w, uint64_t va, uint64_t len)
{
	const struct queue *q = obj_find(w->vhca, OBJ_QP, w->qpn);

	if (!q || !prm_qpc_get_rlky(q->ctx)) {
		mkey_refuse(w->vhca, w->pdn,
			    "mkey 0x%x is the reserved lkey: only of queues with qpc.rlky",
			    MKEY_RESERVED);
		return -MKEY_BAD_KEY;
	}
	if (w->rights & ~(unsigned int)(MKEY_LR | MKEY_LW | MKEY_PINNED)) {
		mkey_refuse(w->vhca, w->pdn,
			    "mkey 0x%x is the reserved lkey: for local accesses only",
			    MKEY_RESERVED);
		return -MKEY_BAD_RIGHTS;
	}
	w->done = len;
	if (w->seg)
		w->seg[0] = (struct dma_seg){va, len};
	return !!w->seg;
}

/* --- lookup ------------------------------------------------------------------------------------
 */

static const struct mkey *mkey_lookup(const struct vhca *v, uint32_t key, uint32_t pdn)
{
	const struct mkey *m = obj_find(v, OBJ_MKEY, key >> 8);

	if (!m) {
		mkey_refuse(v, pdn, "mkey 0x%x: vhca %u has no mkey of index 0x%x", key, v->id,
			    key >> 8);
		return NULL;
	}
	/* [I] An alias has no key byte, so any low byte is accepted */
	if (!m->o.alias && m->low != (key & 0xff)) {
		mkey_refuse(v, pdn, "mkey 0x%x: its low byte (mkey_7_0) is 0x%x", key, m->low);
		return NULL;
	}
	if (m->free) {
		mkey_refuse(v, pdn, "mkey 0x%x is in the free state (mkc.free)", key);
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
	if (m->memic) {
		*seg = (struct dma_seg){memic_bus(m->o.vhca, m->icm_addr + from_start), len};
		return 1;
	}
	if (m->physical) {
		*seg = (struct dma_seg){va, len};
		return 1;
	}
	if (m->umem)
		return umem_segs(m->umem, m->umem_offset + from_start, len, seg, max);
	/* Entry 0 is the page of the first byte; start_addr has the offset in that page */
	return pages_segs(m->entries, m->nentries, m->log_entity,
			  (m->start & page_mask) + from_start, len, seg, max);
}

/* Checks state, owner, rights and bounds. Returns 0 or -enum mkey_fault. */
static int mkey_check(const struct mkey *m, const struct mkey *source, uint32_t key, uint32_t pdn,
		      uint32_t qpn, unsigned int rights)
{
	unsigned int missing;

	if (m->pdn != pdn) {
		mkey_refuse(m->o.vhca, pdn, "mkey 0x%x belongs to pd 0x%x, the queue to pd 0x%x",
			    key, m->pdn, pdn);
		return -MKEY_BAD_PD;
	}
	if (m->qpn != MKEY_ANY_QP && m->qpn != qpn) {
		mkey_refuse(m->o.vhca, pdn, "mkey 0x%x may be used by qp 0x%x alone (mkc.qpn)", key,
			    m->qpn);
		return -MKEY_BAD_QP;
	}
	missing = rights & ~(source->rights | (unsigned int)(MKEY_PINNED | MKEY_ANY_ORDER));
	if (missing) {
		mkey_refuse(m->o.vhca, pdn, "mkey 0x%x does not have the right %s", key,
			    right_name(missing));
		return -MKEY_BAD_RIGHTS;
	}
	if (source->on_demand && (rights & MKEY_PINNED)) {
		mkey_refuse(m->o.vhca, pdn,
			    "mkey 0x%x is on demand: odp_cap does not have this transport's access",
			    key);
		return -MKEY_BAD_RIGHTS;
	}
	if (source->umem && source->umem->ro && (rights & WRITES)) {
		mkey_refuse(m->o.vhca, pdn,
			    "mkey 0x%x lies on umem 0x%x, which was registered read-only", key,
			    source->umem->o.id);
		return -MKEY_BAD_RIGHTS;
	}
	return 0;
}

static int mkey_walk_key(struct mkey_walk *, uint32_t key, uint64_t va, uint64_t len);

/*
 * Walks the parts of a list in order. [I] Each part is a local access to its mkey: remote rights
 * are needed on the list's mkey only.
 */
static int mkey_walk_list(struct mkey_walk *w, const struct mkey *m, uint32_t key, uint64_t va,
			  uint64_t len)
{
	struct mkey_walk child = *w;
	uint64_t pos = va - m->start, part, addr;
	unsigned int used = 0;
	uint32_t child_key;
	int n;

	child.vhca = m->o.vhca;
	child.pdn = m->pdn;
	child.rights = (w->rights & WRITES ? MKEY_LW : MKEY_LR) | (w->rights & MKEY_PINNED);
	if (++child.depth > MKEY_DEPTH) {
		mkey_refuse(w->vhca, w->pdn,
			    "mkey 0x%x: more than %u indirect mkeys, one behind the other", key,
			    MKEY_DEPTH);
		return -MKEY_TOO_DEEP;
	}
	while (len) {
		if (!klm_find(m, pos, &child_key, &addr, &part)) {
			mkey_refuse(w->vhca, w->pdn, "mkey 0x%x: its list ends before 0x%" PRIx64,
				    key, va + len);
			return -MKEY_BAD_BOUNDS;
		}
		part = part < len ? part : len;
		child.seg = w->seg + used;
		child.max = w->max - used;
		child.done = 0;
		n = child.max ? mkey_walk_key(&child, child_key, addr, part) : -MKEY_TOO_FRAGMENTED;
		if (n == -MKEY_TOO_FRAGMENTED && w->done)
			return (int)used;
		if (n < 0)
			return n;
		used += (unsigned int)n;
		w->done += child.done;
		if (child.done < part)
			return (int)used;
		pos += part;
		len -= part;
	}
	return (int)used;
}

static int mkey_walk_direct(struct mkey_walk *w, const struct mkey *m, uint32_t key, uint64_t va,
			    uint64_t len)
{
	int n = translate(m, va, len, w->seg, w->max);

	if (n == -E2BIG && w->depth)
		return -MKEY_TOO_FRAGMENTED;
	if (n == -E2BIG) {
		mkey_refuse(w->vhca, w->pdn,
			    "mkey 0x%x: 0x%" PRIx64 "+0x%" PRIx64 " lies in more than %u pieces",
			    key, va, len, w->max);
		return -MKEY_TOO_FRAGMENTED;
	}
	if (n < 0) {
		mkey_refuse(w->vhca, w->pdn,
			    "mkey 0x%x: its pages end before 0x%" PRIx64 "+0x%" PRIx64, key, va,
			    len);
		return -MKEY_BAD_BOUNDS;
	}
	w->done += len;
	return n;
}

/*
 * Checks an access to an mkey with signatures. A range of the wire needs memory up to the data
 * byte, or the signature, that ends it.
 */
static int mkey_walk_signed(struct mkey_walk *w, const struct mkey *m, uint32_t key, uint64_t va,
			    uint64_t len)
{
	const uint64_t from = va - m->start, most = 1ull << 62;
	uint64_t data, end;

	if (w->depth) {
		mkey_refuse(
			w->vhca, w->pdn,
			"mkey 0x%x: its signatures or encryption do not count behind another mkey",
			key);
		return -MKEY_BAD_KEY;
	}
	if (w->rights & MKEY_ATOMIC) {
		mkey_refuse(w->vhca, w->pdn,
			    "mkey 0x%x has signatures or is encrypted: no atomic goes there", key);
		return -MKEY_BAD_RIGHTS;
	}
	if (!sig_ready(m, key))
		return -MKEY_BAD_KEY;
	data = sig_place(&m->sig->wire, va < m->start || from > most ? most : from + len).data;
	end = sig_pos(&m->sig->memory, data);
	if (data > m->sig->data || end > m->len) {
		mkey_refuse(w->vhca, w->pdn,
			    "mkey 0x%x: 0x%" PRIx64 "+0x%" PRIx64 " of the wire needs 0x%" PRIx64
			    " bytes of memory, it has 0x%" PRIx64 " (bsf.raw_data_size 0x%" PRIx64
			    ")",
			    key, va, len, end, m->len, m->sig->data);
		return -MKEY_BAD_BOUNDS;
	}
	w->done = len;
	return w->seg ? -MKEY_SIGNED : 0;
}

static int mkey_walk_key(struct mkey_walk *w, uint32_t key, uint64_t va, uint64_t len)
{
	const struct mkey *m, *source;
	int err;

	if (key == MKEY_NULL)
		return mkey_walk_null(w, len);
	if (key == MKEY_RESERVED)
		return mkey_walk_reserved(w, va, len);
	m = mkey_lookup(w->vhca, key, w->pdn);
	if (!m)
		return -MKEY_BAD_KEY;
	source = mkey_resolve(w->vhca, m, key);
	if (!source)
		return -MKEY_BAD_ALIAS;
	err = mkey_check(m, source, key, w->pdn, w->qpn, w->rights);
	if (err)
		return err;
	if (source->sig && source->sig->on && !w->memory)
		return mkey_walk_signed(w, source, key, va, len);
	if (!in_bounds(source, va, len)) {
		mkey_refuse(w->vhca, w->pdn,
			    "mkey 0x%x covers 0x%" PRIx64 "+0x%" PRIx64 ", not 0x%" PRIx64
			    "+0x%" PRIx64,
			    key, source->start, source->len, va, len);
		return -MKEY_BAD_BOUNDS;
	}
	if (source->on_demand)
		mkey_fault_in(obj_find(source->o.vhca, OBJ_MKEY, source->o.id), va, len);
	if (!w->seg) {
		w->done = len;
		return 0;
	}
	if (source->relaxed && (w->rights & (MKEY_RW | MKEY_ANY_ORDER)) == MKEY_RW)
		return -MKEY_RELAXED;
	if (source->list)
		return mkey_walk_list(w, source, key, va, len);
	return mkey_walk_direct(w, source, key, va, len);
}

/* --- the common access ------------------------------------------------------------------------ */

void mkey_place(struct mkey *m)
{
	struct dma_seg seg;

	m->plain = !m->relaxed && !m->o.alias && !m->list && !m->on_demand &&
		   !(m->umem && m->umem->ro);
	m->flat = m->plain && !m->icm && !m->memic && !m->physical && m->len &&
		  translate(m, m->start, m->len, &seg, 1) == 1;
	m->bus = m->flat ? seg.addr : 0;
	m->place = (struct dma_place){0};
	mkey_changed(m);
}

void mkey_changed(const struct mkey *m)
{
	m->o.vhca->dev->mkey_changes++;
}

void mkey_move(struct mkey *m, struct obj *pd)
{
	obj_get(pd);
	obj_put(m->pd);
	m->pd = pd;
	m->pdn = pd->id;
	mkey_changed(m);
}

/* Checks the state of a plain mkey, which may change, and the parameters of the access. */
static inline bool mkey_allows(const struct mkey *m, uint32_t key, uint32_t pdn, uint32_t qpn,
			       uint64_t va, uint64_t len, unsigned int rights)
{
	return m->low == (key & 0xff) && !m->free && m->pdn == pdn &&
	       (m->qpn == MKEY_ANY_QP || m->qpn == qpn) && !(rights & ~(unsigned int)m->rights) &&
	       len && in_bounds(m, va, len);
}

static inline int mkey_usual(const struct vhca *v, uint32_t key, uint32_t pdn, uint32_t qpn,
			     uint64_t va, uint64_t len, unsigned int rights, struct dma_seg *seg,
			     unsigned int max)
{
	const struct mkey *m = obj_lookup(v, OBJ_MKEY, key >> 8);

	if (!m || !m->plain || !mkey_allows(m, key, pdn, qpn, va, len, rights))
		return -1;
	if (!seg)
		return 0;
	if (!m->flat || !max)
		return translate(m, va, len, seg, max);
	*seg = (struct dma_seg){m->bus + (va - m->start), len};
	return 1;
}

bool mkey_piece(const struct queue *q, uint32_t key, uint64_t va, uint64_t len, unsigned int rights,
		struct dma_seg *seg)
{
	const struct mkey *m = obj_lookup(q->o.vhca, OBJ_MKEY, key >> 8);

	if (!m || !m->plain || !mkey_allows(m, key, q->pdn, q->o.id, va, len, rights))
		return false;
	if (!m->flat)
		return translate(m, va, len, seg, 1) == 1;
	*seg = (struct dma_seg){m->bus + (va - m->start), len};
	return true;
}

/*
 * Finds where the mkey's bytes begin, and keeps that, or NULL. Most mkeys are one piece of shared
 * pages; steering memory stays where it is while the mkey refers to it.
 */
static uint8_t *mkey_find_place(struct mkey *m)
{
	struct host *h = m->o.vhca->dev->host;
	const struct host_changes *now = (const void *)h;

	if (!m->icm)
		return m->flat ? dma_place(h, &m->place, m->bus, m->len) : NULL;
	if (m->place.at && dma_place_is_true(h, &m->place))
		return m->place.at;
	m->place = (struct dma_place){(uint8_t *)(uintptr_t)icm_bytes(m->o.vhca, m->icm_addr, 1),
				      now->changes};
	return m->place.at;
}

static void mkey_note_view(struct queue *q, enum mkey_use use, const struct mkey *m, uint32_t key)
{
	q->view[use] = (struct mkey_view){
		.start = m->start,
		.len = m->len,
		.at = m->place.at,
		.changes = mkey_changes_of(m->o.vhca->dev),
		.key = key,
		.pdn = m->pdn,
		.rights = m->rights,
	};
}

uint8_t *mkey_find_bytes(struct queue *q, enum mkey_use use, uint32_t key, uint64_t va,
			 uint64_t len, unsigned int rights)
{
	struct mkey *m = obj_lookup(q->o.vhca, OBJ_MKEY, key >> 8);
	struct dma_seg seg;
	uint8_t *at;

	if (!m || !m->plain || !mkey_allows(m, key, q->pdn, q->o.id, va, len, rights))
		return NULL;
	at = mkey_find_place(m);
	if (at) {
		if (m->place.at) /* the bytes of a DMA buffer may move, so no queue keeps a view */
			mkey_note_view(q, use, m, key);
		return at + (va - m->start);
	}
	return translate(m, va, len, &seg, 1) == 1 ? dma_bytes(m->o.vhca->dev->host, seg.addr, len)
						   : NULL;
}

void mkey_prefetch_slot(const struct vhca *v, uint32_t key)
{
	const struct obj_leaf *l = obj_leaf_of(v->tables[OBJ_MKEY], key >> 8);

	if (l)
		__builtin_prefetch(&l->slot[(key >> 8) % OBJ_FANOUT]);
}

void mkey_prefetch(const struct vhca *v, uint32_t key)
{
	const struct mkey *m = obj_lookup(v, OBJ_MKEY, key >> 8);

	if (m)
		prefetch(m, offsetof(struct mkey, list));
}

/* --- entry points ----------------------------------------------------------------------------- */

static int mkey_part_walk(struct vhca *v, uint32_t key, uint32_t pdn, uint32_t qpn, uint64_t va,
			  uint64_t *len, unsigned int rights, struct dma_seg *seg, unsigned int max)
{
	struct mkey_walk w = {
		.vhca = v, .pdn = pdn, .qpn = qpn, .rights = rights, .seg = seg, .max = max};
	int n = *len ? mkey_walk_key(&w, key, va, *len) : 0;

	*len = w.done;
	return n;
}

int mkey_part(struct vhca *v, uint32_t key, uint32_t pdn, uint32_t qpn, uint64_t va, uint64_t *len,
	      unsigned int rights, struct dma_seg *seg, unsigned int max)
{
	int n = mkey_usual(v, key, pdn, qpn, va, *len, rights & ~(unsigned int)MKEY_PINNED, seg,
			   max);

	return n >= 0 ? n : mkey_part_walk(v, key, pdn, qpn, va, len, rights, seg, max);
}

int mkey_memory(struct vhca *v, uint32_t key, uint32_t pdn, uint32_t qpn, uint64_t va,
		uint64_t *len, unsigned int rights, struct dma_seg *seg, unsigned int max)
{
	struct mkey_walk w = {.vhca = v,
			      .pdn = pdn,
			      .qpn = qpn,
			      .rights = rights,
			      .memory = true,
			      .seg = seg,
			      .max = max};
	int n = mkey_walk_key(&w, key, va, *len);

	*len = w.done;
	return n;
}

const struct mkey *mkey_described(const struct vhca *v, uint32_t key, uint32_t pdn)
{
	const struct mkey *m = mkey_lookup(v, key, pdn);

	m = m ? mkey_resolve(v, m, key) : NULL;
	return m && m->sig && m->sig->on ? m : NULL;
}

int mkey_segs(struct vhca *v, uint32_t key, uint32_t pdn, uint64_t va, uint64_t len,
	      unsigned int rights, struct dma_seg *seg, unsigned int max)
{
	uint64_t done = len;
	int n = mkey_usual(v, key, pdn, MKEY_ANY_QP, va, len, rights, seg, max);

	if (n >= 0)
		return n;
	n = mkey_part_walk(v, key, pdn, MKEY_ANY_QP, va, &done, rights, seg, max);
	return n >= 0 && done < len ? -MKEY_TOO_FRAGMENTED : n;
}

bool mkey_invalidate(struct vhca *v, uint32_t key, uint32_t pdn, uint32_t qpn)
{
	const struct mkey *found = mkey_lookup(v, key, pdn);
	struct mkey *m = found ? obj_find(v, OBJ_MKEY, key >> 8) : NULL;

	if (!m || m->o.alias || !m->en_rinval) {
		mkey_refuse(v, pdn, "mkey 0x%x can't be invalidated by a peer (mkc.en_rinval)",
			    key);
		return false;
	}
	if (mkey_check(m, m, key, pdn, qpn, 0))
		return false;
	m->free = true;
	mkey_changed(m);
	return true;
}
