/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/eqe.h>
#include "base/hostile.h"
#include "priv.h"
#include "obj/mkey.h"

#define CI_RECORD 0u
#define ARM_RECORD 4u
#define INDEX_MASK 0xffffffu
#define INLINE_IN_CQE	   32u
#define OWNER_AT	   (PRM_CQE64_BYTES - 1u) /* cqe64.op_own */

/*
 * Parks a value that no arm can be in the arm record. The first arm may legally write 0 over a 0,
 * and parking makes it visible as a change. A NIC writes no record, so a record in a read-only umem
 * stays as it is: there, an arm must change it.
 */
static int cq_park_arm(struct cq *cq)
{
	const uint32_t parked = CQ_PARKED;

	if (cq->dbr_umem && cq->dbr_umem->ro)
		return dma_read(host_of(&cq->o), cq->dbrec + ARM_RECORD, &cq->arm_seen,
				sizeof(cq->arm_seen));
	cq->arm_seen = CQ_PARKED;
	return dma_write(host_of(&cq->o), cq->dbrec + ARM_RECORD, &parked, sizeof(parked));
}

int cq_start(struct cq *cq)
{
	int err;

	cq->priv = calloc(1, sizeof(*cq->priv));
	if (!cq->priv)
		return -ENOMEM;
	cq->priv->cq = cq;
	err = cq_park_arm(cq);
	if (!err)
		err = uar_add_cq(cq);
	if (err) {
		free(cq->priv);
		cq->priv = NULL;
	}
	return err;
}

void cq_stop(struct cq *cq)
{
	struct queues *qs = queues_of(&cq->o);

	if (!cq->priv)
		return;
	uar_del_cq(cq);
	hostile_cq_show(cq);
	hostile_restore(cq);
	cq_event_stop(cq);
	cross_cq_stop(cq);
	if (cq->priv->dirty)
		TAILQ_REMOVE(&qs->dirty, cq->priv, dirty_link);
	free(cq->priv);
	cq->priv = NULL;
}

static void cq_failed(struct cq *cq, uint8_t status, uint8_t syndrome)
{
	cq->status = status;
	if (status == CQ_OVERFLOW || !dma_is_orphan(host_of(&cq->o), cq->dbrec))
		obj_refuse(&cq->o, "%s",
			   status == CQ_OVERFLOW
				   ? "a CQE came when the ring was full (cqc.oi is clear)"
				   : "its ring is not mapped any more");
	eq_cq_error(cq, syndrome);
}

/* --- entries ------------------------------------------------------------------------------- */

static size_t cqe_size(const struct cq *cq)
{
	return (size_t)1 << cq->cqe_log;
}


static bool cq_is_full(const struct cq *cq)
{
	return ((cq->pi - cq->ci) & INDEX_MASK) >= 1u << cq->log_size;
}

static bool cq_read_ci(struct cq *cq)
{
	uint32_t ci;

	if (dbrec_load(host_of(&cq->o), &cq->dbrec_place, cq->dbrec, CI_RECORD, &ci)) {
		cq_failed(cq, CQ_ERROR, PRM_CQ_ERROR_ACCESS_VIOLATION);
		return false;
	}
	cq->ci = ci & INDEX_MASK;
	return true;
}

/* Reads the consumer's record only when the ring seems full. */
static bool cq_has_room(struct cq *cq)
{
	if (cq->overrun_ignore || !cq_is_full(cq))
		return true;
	if (!cq_read_ci(cq))
		return false;
	if (!cq_is_full(cq))
		return true;
	cq_failed(cq, CQ_OVERFLOW, PRM_CQ_ERROR_OVERRUN);
	return false;
}

static uint64_t batch_at(const struct cq *cq, size_t size)
{
	if (cq->collapsed)
		return 0;
	return (uint64_t)((cq->pi - cq->made) & ((1u << cq->log_size) - 1)) * size;
}

/*
 * Marks the entry invalid by its last byte, then stores the rest. A NIC writes an entry at once; a
 * program that polls a collapsed CQ's only entry sees by the last byte that it is being written.
 */
static void collapsed_store(uint8_t *at, const uint8_t *cqe, size_t size)
{
	uint64_t word;

	__atomic_store_n(at + size - 1, cqe[size - 1], __ATOMIC_RELAXED);
	for (size_t i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, cqe + i, sizeof(word));
		__atomic_store_n((uint64_t *)(void *)(at + i), word, __ATOMIC_RELEASE);
	}
}

/*
 * Writes the batch into pages that are shared with the device, as write_batch() does by a call.
 * Returns false if they are not shared.
 *
 * A release store becomes visible after all earlier stores of its thread: the message's data, the
 * CQEs, which are not valid yet, and the older CQEs' owner bytes. This holds on aarch64 (stlrb) as
 * on x86-64: a program that sees an owner byte, and loads the rest behind its barrier, finds the
 * CQE and the data. The owner byte is also in the copy before; stores to one byte keep their order.
 */
static bool batch_store(struct cq *cq, size_t size)
{
	struct cq_priv *d = cq->priv;
	uint8_t *at = ring_bytes(host_of(&cq->o), &cq->ring);

	if (!at || cq->special)
		return false;
	post_flush(queues_of(&cq->o));
	at += batch_at(cq, size);
	if (cq->collapsed)
		collapsed_store(at, d->cqe, size);
	else
		memcpy(at, d->cqe, cq->made * size);
	for (unsigned int i = 0; i < cq->made; i++)
		__atomic_store_n(at + (i + 1) * size - 1, d->owner[i], __ATOMIC_RELEASE);
	return true;
}

/*
 * Lists the batch's bytes as they lie in the ring, then each CQE's owner byte again, oldest CQE
 * first. Returns how many segments the bytes take, or a negative error.
 */
static int batch_segs(const struct cq *cq, size_t size, struct dma_seg *seg)
{
	int n = ring_segs(&cq->ring, batch_at(cq, size), cq->made * size, seg,
			  BATCH_SEGS - CQ_BATCH);
	const struct dma_seg *at = seg;
	size_t end = size; /* of a CQE, counted from *at */

	if (n < 0)
		return n;
	for (unsigned int i = 0; i < cq->made; i++, end += size) {
		while (end > at->len)
			end -= at++->len;
		seg[(unsigned int)n + i] = (struct dma_seg){at->addr + end - 1, 1};
	}
	return n;
}

/* Puts data in place that is kept until now. Returns whether the batch is written compressed. */
static __attribute__((noinline, cold)) bool batch_is_compressed(struct cq *cq)
{
	if (cq->special & CQ_HOLDS)
		hostile_restore(cq);
	return cq->special & CQ_COMPRESSES;
}

/*
 * Makes CQEs visible in order, as a NIC does: first writes all of them, not yet valid, then their
 * owner bytes one by one. Posted writes go before them in the same call.
 */
static int write_batch(struct cq *cq)
{
	struct cq_priv *d = cq->priv;
	size_t len = cq->made * cqe_size(cq);
	struct dma_seg seg[BATCH_SEGS];
	int n;

	if (batch_store(cq, cqe_size(cq)))
		return 0;
	n = batch_segs(cq, cqe_size(cq), seg);
	if (n < 0) {
		post_flush(queues_of(&cq->o));
		return -EFAULT;
	}
	if (cq->special && batch_is_compressed(cq))
		return cq_write_compressed(cq);
	memcpy(d->cqe + len, d->owner, cq->made);
	return post_flush_then(queues_of(&cq->o), seg, (unsigned int)n + cq->made, cq->made, d->cqe,
			       len + cq->made);
}

static void cq_flush(struct cq *cq)
{
	struct cq_priv *d = cq->priv;
	int err = 0;

	if (cq->made)
		err = write_batch(cq);
	else
		post_flush(queues_of(&cq->o));
	cq->made = 0;
	if (err && cq->status == CQ_OK)
		cq_failed(cq, CQ_ERROR, PRM_CQ_ERROR_ACCESS_VIOLATION);
	else if (cq->armed)
		cq_notify(cq);
	if (!LIST_EMPTY(&d->waiters))
		cross_wake(cq);
}

void cq_show(struct cq *cq)
{
	if (cq->priv && cq->made)
		cq_flush(cq);
}

static inline void *cqe_begin(const struct cq *cq, struct cq_priv *d)
{
	size_t size = cqe_size(cq);
	uint8_t *cqe = d->cqe + cq->made * size;

	if (size > PRM_CQE64_BYTES) {
		memset(cqe, 0, PRM_CQE64_BYTES);
		cqe += PRM_CQE64_BYTES;
	}
	memset(cqe, 0, PRM_CQE64_BYTES);
	return d->next = cqe;
}

/* Returns whether the batch is full, or at the ring's end: a batch is one piece of the ring. */
static inline bool batch_ends(const struct cq *cq)
{
	return cq->made &&
	       (cq->made == CQ_BATCH || cq->collapsed || !(cq->pi & ((1u << cq->log_size) - 1)));
}

static __attribute__((noinline)) void *cq_next_looked_for(struct cq *cq)
{
	struct cq_priv *d = cq->priv;

	if (!d || cq->status != CQ_OK || !cq_has_room(cq))
		return NULL;
	/*
	 * A collapsed CQ needs only the newest CQE: a program cannot see how long the others were
	 * there. [I] The owner bit turns as if each entry was used.
	 */
	if (cq->collapsed)
		cq->made = 0;
	if (batch_ends(cq))
		cq_flush(cq);
	return cqe_begin(cq, d);
}

void *cq_next(struct cq *cq)
{
	struct cq_priv *d = cq->priv;

	if (!d || cq->status != CQ_OK || (!cq->overrun_ignore && cq_is_full(cq)) || batch_ends(cq))
		return cq_next_looked_for(cq);
	return cqe_begin(cq, d);
}

void cqe_inline(void *cqe, const void *data, size_t len, unsigned int most)
{
	const bool before = most > INLINE_IN_CQE;

	memcpy(before ? (uint8_t *)cqe - PRM_CQE64_BYTES : cqe, data, len);
	prm_cqe64_set_cqe_format(cqe, before ? PRM_CQE_FORMAT_INLINE_DATA64
					     : PRM_CQE_FORMAT_INLINE_DATA32);
}

/*
 * Passes the batch's last CQE to the probe as it becomes visible; a fault may change it before. The
 * event is set field by field: a whole one would cost more than the rest.
 */
static __attribute__((noinline)) void cq_probe(struct cq *cq)
{
	struct cq_priv *d = cq->priv;
	uint8_t *cqe = d->next, *owner = &d->owner[cq->made - 1], hidden = cqe[OWNER_AT];
	struct probe_event e;

	if (probe_active(PROBE_INJECT_CQE))
		cq_inject(cq, cqe, owner);
	cqe[OWNER_AT] = *owner;
	if (probe_active(PROBE_CQE)) {
		e.kind = PROBE_CQE;
		e.cqe.cq = cq;
		e.cqe.bytes = cqe;
		probe_emit(&e);
	}
	if (hostile())
		hostile_cq(cq, cq_queue(cq, prm_cqe64_get_qpn(cqe)), cqe[OWNER_AT] >> 4,
			   prm_cqe64_get_byte_cnt(cqe));
	cqe[OWNER_AT] = hidden;
}

void cq_filled(struct cq *cq, bool solicited)
{
	struct queues *qs = queues_of(&cq->o);
	struct cq_priv *d = cq->priv;
	uint8_t *cqe = d->next;
	uint8_t opcode = (uint8_t)prm_cqe64_get_opcode(cqe);
	bool error = opcode == PRM_CQE_OPCODE_REQ_ERR || opcode == PRM_CQE_OPCODE_RESP_ERR;
	uint8_t owner = cq->pi >> cq->log_size & 1;

	prm_cqe64_set_owner(cqe, owner);
	d->owner[cq->made] = cqe[OWNER_AT];
	cqe[OWNER_AT] = (uint8_t)(PRM_CQE_OPCODE_INVALID << 4 | !owner);
	cq->pi++;
	cq->made++;
	if (solicited || error)
		cq->solicited_pi = cq->pi;
	if (!d->dirty) {
		d->dirty = true;
		TAILQ_INSERT_TAIL(&qs->dirty, d, dirty_link);
	}
	if (probe_active(PROBE_CQE | PROBE_INJECT_CQE | PROBE_HOSTILE))
		cq_probe(cq);
}

bool cq_flush_all(struct queues *qs)
{
	struct cq_priv *d;
	bool did = false;

	while ((d = TAILQ_FIRST(&qs->dirty))) {
		TAILQ_REMOVE(&qs->dirty, d, dirty_link);
		d->dirty = false;
		cq_flush(d->cq);
		did = true;
	}
	return did;
}

/*
 * Returns whether a resize has room: RESIZE_CQ takes an index and a free entry of the old ring; the
 * new ring must hold the CQEs not polled yet. [I] A NIC's behaviour is not public.
 */
static bool cq_fits(struct cq *cq, uint8_t log_size)
{
	uint32_t most = 1u << (log_size < cq->log_size ? log_size : cq->log_size);

	return cq->overrun_ignore || ((cq->pi - cq->ci) & INDEX_MASK) < most;
}

int cq_resize(struct cq *cq, const struct ring *ring, uint8_t log_size)
{
	uint8_t *cqe;

	if (cq->status != CQ_OK || !cq_read_ci(cq))
		return -EIO;
	if (!cq_fits(cq, log_size))
		return -ENOSPC;
	cqe = cq_next(cq);
	prm_cqe64_set_opcode(cqe, PRM_CQE_OPCODE_RESIZE_CQ);
	cq_filled(cq, false);
	cq_flush(cq);
	if (cq->status != CQ_OK)
		return -EIO;
	ring_release(&cq->ring);
	cq->ring = *ring;
	cq->log_size = log_size;
	return 0;
}
