/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compressed CQEs (PRM, "CQE compression"). A session is a title, which looks like a CQE and whose
 * byte_cnt is the number of packets, and arrays of eight short entries: the first is behind the
 * title, each other one in the place where the CQE of its first packet would be. The device does
 * not write the session's other places, so they may hold anything.
 */
#include "priv.h"

/* Offset of byte_count, before info: a byte-swapped entry is stored to both at once. */
#define UNPACK_COUNT offsetof(struct dvx_rx, byte_count)
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
		       offsetof(struct dvx_rx, info) == UNPACK_COUNT + sizeof(uint32_t),
	       "unpack_minis() stores both at once");

#define UNPACK_ARRAY (PRM_MINI_CQE_ARRAY_BYTES / PRM_MINI_CQE8_BYTES)

/* Returns how many packets a title stands for, limited by the size of the ring. */
static uint32_t unpack_count(const struct dvx_cq *cq, const void *title)
{
	uint32_t n = prm_cqe64_get_byte_cnt(title);

	return !n ? 1 : n > cq->entries ? cq->entries : n;
}

/* Returns place i of the session that begins at `title`. */
static uint8_t *unpack_place(const struct dvx_cq *cq, const uint8_t *title, uint32_t i)
{
	const uint8_t *at = title + i * cq->stride;

	return (uint8_t *)(uintptr_t)(at < cq->end ? at : at - (cq->end - cq->first));
}

static const uint8_t *unpack_array(const struct dvx_cq *cq, const uint8_t *title, uint32_t i)
{
	return unpack_place(cq, title, i ? i : 1);
}

/* Returns how many receives, or strides of a striding queue, a packet took. */
static uint32_t unpack_step(uint32_t byte_cnt)
{
	uint32_t strides = byte_cnt >> DVX_CQE_STRIDES_SHIFT & DVX_CQE_STRIDES_MASK;

	return strides ? strides : 1;
}

/* Fills a packet's CQE, which has the session's common fields, with the fields of its entry. */
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

/* Makes a plain CQE of the fields that all packets of the session share. */
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
		/* Reads the array before its place is overwritten: now or, for the first array, in
		 * the next round. */
		if (i % UNPACK_ARRAY == 0)
			memcpy(array, unpack_array(cq, title, i), sizeof(array));
		if (i && to == cq->first)
			common[DVX_CQE_BYTES - 1] ^= 1;
		memcpy(to, common, DVX_CQE_BYTES);
		unpack_entry(cq->mini, array + i % UNPACK_ARRAY * PRM_MINI_CQE8_BYTES, &counter,
			     to);
	}
	/* The CQEs are in memory before an index lets the device overwrite them. */
	DVX_ORDER_STORES();
}

/* The next packets of a session, those of one array; places and cookies are contiguous. */
struct unpack_row {
	const uint8_t *array;
	const uint64_t *wr_ids;
	uint8_t *last; /* last byte of the first place */
	size_t stride;
	uint8_t used; /* the value of that byte in a consumed CQE of this lap */
};

/*
 * Takes n packets. Sets the owner bits in their places, which would look new in the next lap; reads
 * the array before, since it is in one of these places. A whole array's loops are unrolled.
 */
static inline void unpack_minis(struct unpack_row row, uint32_t n, struct dvx_rx *out)
{
	uint32_t i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++) {
		uint64_t mini = prm_load64(row.array, i * PRM_MINI_CQE8_BYTES);

		out[i].wr_id = row.wr_ids[i];
		memcpy((uint8_t *)&out[i] + UNPACK_COUNT, &mini, sizeof(mini));
	}
#pragma GCC unroll 8
	for (i = 0; i < n; i++, row.last += row.stride)
		*row.last = row.used;
}

/* Consumes n CQEs, with all turns that end meanwhile. */
static void unpack_consume(struct dvx_cq *cq, uint32_t n)
{
	size_t here, left = n * cq->stride;

	for (; left; left -= here) {
		here = (size_t)(cq->stop - cq->next);
		here = here < left ? here : left;
		dvx_cq_consume_to(cq, cq->next + here);
	}
}

/* Tells whether neither a session's places nor its cookies wrap at their ring's end. */
static bool unpack_in_a_row(const struct dvx_rq *rq, uint32_t n)
{
	const struct dvx_cq *cq = rq->cq;

	return n * cq->stride <= (size_t)(cq->end - cq->next) &&
	       (rq->limit & rq->mask) + n <= rq->mask + 1;
}

/* Takes the packets of such a session directly, without making their CQEs. */
static void unpack_take(struct dvx_rq *rq, uint32_t n, struct dvx_rx *out)
{
	const struct dvx_cq *cq = rq->cq;
	uint8_t *last = (uint8_t *)(uintptr_t)cq->next + DVX_CQE_BYTES - 1;
	struct unpack_row row = {.array = unpack_array(cq, cq->next, 0),
				 .wr_ids = rq->wr_ids + (rq->limit & rq->mask),
				 .last = last,
				 .stride = cq->stride,
				 .used = (uint8_t)(PRM_CQE_OPCODE_INVALID << 4 | (*last & 1))};
	uint32_t left;

	for (left = n; left >= UNPACK_ARRAY; left -= UNPACK_ARRAY, out += UNPACK_ARRAY) {
		unpack_minis(row, UNPACK_ARRAY, out);
		row.wr_ids += UNPACK_ARRAY;
		row.last += UNPACK_ARRAY * row.stride;
		row.array = row.last + 1 - DVX_CQE_BYTES; /* in its first packet's place */
	}
	unpack_minis(row, left, out);
	rq->limit += n;
	DVX_ORDER_STORES(); /* the owner bits, before the index, as in dvx_cq_unpack() */
	unpack_consume(rq->cq, n);
}

int dvx_rq_poll_rest(struct dvx_rq *rq, struct dvx_rx *out, uint32_t n, struct dvx_wc *wc)
{
	struct dvx_cq *cq = rq->cq;
	uint32_t count;
	int got;

	if (n && cq != &dvx_cq_of_several && dvx_cqe_format(cq->next) == DVX_CQE_FORMAT) {
		dvx_barrier_owner_to_cqe();
		count = unpack_count(cq, cq->next);
		if (count <= n && unpack_in_a_row(rq, count)) {
			unpack_take(rq, count, out);
			return (int)count;
		}
		dvx_cq_unpack(cq);
		return dvx_rq_poll_many(rq, out, n, wc);
	}
	got = dvx_rq_poll_one(rq, wc);
	if (n && got == 1)
		*out = (struct dvx_rx){.wr_id = wc->wr_id, .byte_count = wc->byte_count};
	return got;
}
