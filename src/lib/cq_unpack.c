/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed CQEs (PRM, "CQE compression"). A session is a title, which looks like a CQE and whose
 * byte_cnt says how many packets it stands for, and arrays of eight short entries: the first behind
 * the title, each other one where the CQE of its first packet would be. The device leaves the
 * session's other places alone, so they may hold anything.
 */
#include "priv.h"

#define UNPACK_ARRAY (PRM_MINI_CQE_ARRAY_BYTES / PRM_MINI_CQE8_BYTES)

/* How many packets a title stands for, never more than the ring could hold. */
static uint32_t unpack_count(const struct dvx_cq *cq, const void *title)
{
	uint32_t n = prm_cqe64_get_byte_cnt(title);

	return !n ? 1 : n > cq->entries ? cq->entries : n;
}

/* Place i of the session that begins at `title`. */
static uint8_t *unpack_place(const struct dvx_cq *cq, const uint8_t *title, uint32_t i)
{
	const uint8_t *at = title + i * cq->stride;

	return (uint8_t *)(uintptr_t)(at < cq->end ? at : at - (cq->end - cq->first));
}

static const uint8_t *unpack_array(const struct dvx_cq *cq, const uint8_t *title, uint32_t i)
{
	return unpack_place(cq, title, i ? i : 1);
}

/* Receives, or strides of a striding queue, that a packet took. */
static uint32_t unpack_step(uint32_t byte_cnt)
{
	uint32_t strides = byte_cnt >> DVX_CQE_STRIDES_SHIFT & DVX_CQE_STRIDES_MASK;

	return strides ? strides : 1;
}

/* The title is the session's common part: what an entry says goes in. */
static void unpack_entry(uint32_t format, const void *mini, uint32_t *counter, void *cqe)
{
	uint32_t bytes = prm_mini_cqe8_get_byte_cnt(mini);

	prm_cqe64_set_byte_cnt(cqe, bytes);
	if (format == DVX_CQ_MINI_HASH)
		prm_cqe64_set_rss_hash_result(cqe, prm_mini_cqe8_get_rx_hash_result(mini));
	else
		prm_cqe64_set_check_sum(cqe, prm_mini_cqe8_get_checksum(mini));
	if (format == DVX_CQ_MINI_CSUM_STRIDE)
		*counter = prm_mini_cqe8_get_stridx(mini);
	prm_cqe64_set_wqe_counter(cqe, *counter & 0xffff);
	*counter += unpack_step(bytes);
}

/* What all packets have in common, as a plain CQE. */
static void unpack_common(uint32_t format, const uint8_t *title, uint8_t *common)
{
	memcpy(common, title, DVX_CQE_BYTES);
	common[DVX_CQE_BYTES - 1] &= (uint8_t)~DVX_CQE_FORMAT;
	if (format == DVX_CQ_MINI_HASH) {
		prm_cqe64_set_check_sum(common, 0);
	} else {
		prm_cqe64_set_rss_hash_type(common, 0);
		prm_cqe64_set_rss_hash_result(common, 0);
	}
}

void dvx_cq_unpack(const struct dvx_cq *cq)
{
	const uint8_t *title = cq->next;
	uint32_t n = unpack_count(cq, title), counter = prm_cqe64_get_wqe_counter(title), i;
	uint8_t common[DVX_CQE_BYTES], array[PRM_MINI_CQE_ARRAY_BYTES], *to;

	if (dvx_cqe_format(title) != DVX_CQE_FORMAT)
		return;
	unpack_common(cq->mini, title, common);
	for (i = 0; i < n; i++) {
		to = unpack_place(cq, title, i);
		/* Before its place is written, which the loop comes to now or, for the first one,
		 * next. */
		if (i % UNPACK_ARRAY == 0)
			memcpy(array, unpack_array(cq, title, i), sizeof(array));
		if (i && to == cq->first)
			common[DVX_CQE_BYTES - 1] ^= 1;
		memcpy(to, common, DVX_CQE_BYTES);
		unpack_entry(cq->mini, array + i % UNPACK_ARRAY * PRM_MINI_CQE8_BYTES, &counter,
			     to);
	}
}

/* Consumes n CQEs, perhaps over the ends of turns. */
static void unpack_consume(struct dvx_cq *cq, uint32_t n)
{
	uint32_t here;

	for (; n; n -= here) {
		here = (uint32_t)((size_t)(cq->stop - cq->next) / cq->stride);
		here = here < n ? here : n;
		dvx_cq_consume_to(cq, cq->next + here * cq->stride);
	}
}

/* Where the next packets of a session are, as far as all of it lies in a row. */
struct unpack_row {
	uint8_t minis[PRM_MINI_CQE_ARRAY_BYTES];
	const uint64_t *wr_ids;
	uint8_t *cqe;
	size_t stride;
	uint8_t used; /* last byte of a CQE of this lap that was consumed */
};

/* Its places never got an owner bit of this lap, so they would look new in the next one. */
static inline void unpack_minis(const struct unpack_row *row, uint32_t first, uint32_t n,
				struct dvx_rx *out)
{
	uint8_t *last = row->cqe + DVX_CQE_BYTES - 1;
	uint64_t mini;

	for (uint32_t i = 0; i < n; i++, last += row->stride) {
		mini = prm_load64(row->minis, (first + i) * PRM_MINI_CQE8_BYTES);
		out[i].wr_id = row->wr_ids[i];
		out[i].byte_count = (uint32_t)mini;
		out[i].info = (uint32_t)(mini >> 32);
		*last = row->used;
	}
}

static uint32_t unpack_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * The session's packets without their CQEs, an array at a time. The array is copied: the places
 * that are marked are its own, too.
 */
static void unpack_take(struct dvx_rq *rq, uint32_t n, struct dvx_rx *out)
{
	const struct dvx_cq *cq = rq->cq;
	const uint8_t *title = cq->next;
	uint8_t owner = title[DVX_CQE_BYTES - 1] & 1;
	struct unpack_row row = {.stride = cq->stride};
	uint32_t i, at, first, here;

	for (i = 0; i < n; i += here) {
		at = rq->ci & rq->mask;
		first = i % UNPACK_ARRAY;
		row.cqe = unpack_place(cq, title, i);
		row.wr_ids = rq->wr_ids + at;
		row.used = (uint8_t)(PRM_CQE_OPCODE_INVALID << 4 | (owner ^ (row.cqe < title)));
		if (!first)
			memcpy(row.minis, unpack_array(cq, title, i), sizeof(row.minis));
		here = unpack_least(UNPACK_ARRAY - first, n - i);
		here = unpack_least(here, rq->mask + 1 - at);
		here = unpack_least(here, (uint32_t)((size_t)(cq->end - row.cqe) / cq->stride));
		if (here == UNPACK_ARRAY)
			unpack_minis(&row, 0, UNPACK_ARRAY, out + i); /* unrolled */
		else
			unpack_minis(&row, first, here, out + i);
		rq->ci += here;
	}
	unpack_consume(rq->cq, n);
}

/* The next CQE is a title, or more than a plain one. */
int dvx_rq_poll_many_rest(struct dvx_rq *rq, struct dvx_rx *out, uint32_t n, struct dvx_wc *wc)
{
	struct dvx_cq *cq = rq->cq;
	uint32_t count;
	int got;

	if (cq != &dvx_cq_of_several && dvx_cqe_format(cq->next) == DVX_CQE_FORMAT) {
		dvx_barrier_owner_to_cqe();
		count = unpack_count(cq, cq->next);
		if (count <= n) {
			unpack_take(rq, count, out);
			return (int)count;
		}
		dvx_cq_unpack(cq);
		return dvx_rq_poll_many(rq, out, n, wc);
	}
	got = dvx_rq_poll(rq, wc);
	if (got == 1)
		*out = (struct dvx_rx){.wr_id = wc->wr_id, .byte_count = wc->byte_count};
	return got;
}
