/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed CQEs, in the basic layout. A run of CQEs that differ little becomes a title, in the
 * slot of its first CQE, and arrays of short entries; entry 0 stands for the title's packet. The
 * first array is in the slot behind the title. Each further array is in the slot of the CQE that
 * its first entry stands for. The run's other slots are not written and keep their contents of a
 * lap ago.
 *
 * [I] Only CQEs of raw packets are compressed, and only three or more that become visible together.
 * A NIC waits for more, by rules that are not public.
 */
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/cq.h>
#include "priv.h"

#define ENTRIES	  (PRM_MINI_CQE_ARRAY_BYTES / PRM_MINI_CQE8_BYTES) /* in an array */
#define LEAST_RUN 3u
#define FORMAT_AT 2u /* bit of cqe_format in op_own */

enum slot { SLOT_LEFT, SLOT_CQE, SLOT_ARRAY };

static uint8_t *slot_of(const struct cq *cq, uint8_t *cqes, unsigned int i)
{
	return cqes + ((size_t)(i + 1) << cq->cqe_log) - PRM_CQE64_BYTES;
}

/* Clears the fields that entries carry or a run leaves out; the rest is the same in a run. */
static void mini_clear_entry(uint8_t shared[PRM_CQE64_BYTES], const void *cqe)
{
	memcpy(shared, cqe, PRM_CQE64_BYTES);
	prm_cqe64_set_byte_cnt(shared, 0);
	prm_cqe64_set_check_sum(shared, 0);
	prm_cqe64_set_rss_hash_result(shared, 0);
	prm_cqe64_set_timestamp(shared, 0);
	prm_cqe64_set_wqe_counter(shared, 0);
}

/* Returns the entries, or strides, from this packet to the next. */
static uint16_t mini_step(const void *cqe)
{
	const uint16_t strides = prm_cqe64_get_byte_cnt(cqe) >> 16 & 0x3fff;

	return strides ? strides : 1;
}

/* Returns whether CQE i continues a run: alike, with the next receive entry or next strides. */
static bool mini_follows(const struct cq *cq, unsigned int i)
{
	const uint8_t *owner = cq->priv->owner + i;
	const void *before = slot_of(cq, cq->priv->cqe, i - 1),
		   *cqe = slot_of(cq, cq->priv->cqe, i);
	uint8_t a[PRM_CQE64_BYTES], b[PRM_CQE64_BYTES];

	mini_clear_entry(a, before);
	mini_clear_entry(b, cqe);
	return owner[0] == owner[-1] && !memcmp(a, b, sizeof(a)) &&
	       (uint16_t)(prm_cqe64_get_wqe_counter(before) + mini_step(before)) ==
		       prm_cqe64_get_wqe_counter(cqe);
}

/* Returns the length of the run from i on. Only raw packets: with l2_ok and, unlike UD's, no g. */
static unsigned int mini_run_at(const struct cq *cq, unsigned int i)
{
	const struct cq_priv *d = cq->priv;
	const void *cqe = slot_of(cq, cq->priv->cqe, i);
	unsigned int n = 1;

	if (d->owner[i] >> 4 != PRM_CQE_OPCODE_RESP_SEND || !prm_cqe64_get_l2_ok(cqe) ||
	    prm_cqe64_get_g(cqe))
		return 1;
	while (i + n < cq->made && mini_follows(cq, i + n))
		n++;
	return n < LEAST_RUN ? 1 : n;
}

static void set_entry(const struct cq *cq, void *entry, const void *cqe)
{
	prm_mini_cqe8_set_byte_cnt(entry, prm_cqe64_get_byte_cnt(cqe));
	if (cq->mini_format == PRM_CQC_MINI_CQE_RES_FORMAT_HASH) {
		prm_mini_cqe8_set_rx_hash_result(entry, prm_cqe64_get_rss_hash_result(cqe));
		return;
	}
	prm_mini_cqe8_set_checksum(entry, prm_cqe64_get_check_sum(cqe));
	/* [I] a queue without strides puts its entry's index there */
	if (cq->mini_format == PRM_CQC_MINI_CQE_RES_FORMAT_CSUM_STRIDX)
		prm_mini_cqe8_set_stridx(entry, prm_cqe64_get_wqe_counter(cqe));
}

/* Turns n CQEs from i on into one run. */
static void compress(struct cq *cq, unsigned int i, unsigned int n, enum slot *slot)
{
	struct cq_priv *d = cq->priv;
	uint8_t entries[CQ_BATCH * PRM_MINI_CQE8_BYTES] = {0};

	for (unsigned int k = 0; k < n; k++) {
		set_entry(cq, entries + k * PRM_MINI_CQE8_BYTES, slot_of(cq, d->cqe, i + k));
		slot[i + k] = k ? SLOT_LEFT : SLOT_CQE;
	}
	prm_cqe64_set_byte_cnt(slot_of(cq, d->cqe, i), n);
	d->owner[i] |= (uint8_t)(PRM_CQE_FORMAT_COMPRESSED << FORMAT_AT);
	for (unsigned int k = 0; k < n; k += ENTRIES) {
		unsigned int at = i + (k ? k : 1);

		memcpy(slot_of(cq, d->cqe, at), entries + k * PRM_MINI_CQE8_BYTES,
		       PRM_MINI_CQE_ARRAY_BYTES);
		slot[at] = SLOT_ARRAY;
		probe(PROBE_MINI_CQES, .cqe = {cq, slot_of(cq, d->cqe, at), k, n});
	}
}

static void compress_runs(struct cq *cq, enum slot *slot)
{
	_Static_assert(CQ_BATCH <= CQ_MAX_MINI_CQES, "a run may have as many CQEs as a batch");
	for (unsigned int i = 0, n; i < cq->made; i += n) {
		n = mini_run_at(cq, i);
		slot[i] = SLOT_CQE;
		if (n > 1)
			compress(cq, i, n, slot);
	}
}

/* Lists the slots to write; slots in between that stay unwritten separate the pieces. */
static unsigned int mini_written_segs(const struct cq *cq, uint64_t first, const enum slot *slot,
				      struct dma_seg *seg)
{
	const size_t size = (size_t)1 << cq->cqe_log;
	unsigned int n = 0;

	for (unsigned int i = 0, end; i < cq->made; i = end + 1) {
		for (end = i; end < cq->made && slot[end] != SLOT_LEFT; end++)
			;
		if (end > i)
			n += (unsigned int)ring_segs(&cq->ring, first + i * size, (end - i) * size,
						     seg + n, BATCH_SEGS - CQ_BATCH - n);
	}
	return n;
}

int cq_write_compressed(struct cq *cq)
{
	const size_t size = (size_t)1 << cq->cqe_log;
	const uint64_t first = ((cq->pi - cq->made) & ((1u << cq->log_size) - 1)) * size;
	struct cq_priv *d = cq->priv;
	uint8_t bytes[sizeof(d->cqe)], owners[CQ_BATCH];
	struct dma_seg seg[BATCH_SEGS];
	enum slot slot[CQ_BATCH];
	unsigned int nowners = 0, n;
	size_t len = 0;

	compress_runs(cq, slot);
	n = mini_written_segs(cq, first, slot, seg);
	for (unsigned int i = 0; i < cq->made; i++) {
		if (slot[i] != SLOT_LEFT) {
			memcpy(bytes + len, d->cqe + i * size, size);
			len += size;
		}
		if (slot[i] == SLOT_CQE) {
			owners[nowners] = d->owner[i];
			(void)ring_segs(&cq->ring, first + (i + 1) * size - 1, 1,
					seg + n + nowners++, 1);
		}
	}
	memcpy(bytes + len, owners, nowners);
	return post_flush_then(queues_of(&cq->o), seg, n + nowners, nowners, bytes, len + nowners);
}
