/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_QUEUE_DATA_SEG_H
#define SIM_QUEUE_DATA_SEG_H

/* Readers of data segments in WQEs and receive entries. Each message reads a few, in place. */
#include <dvx/prm/wqe.h>
#include "transport/transport.h"

#define DATA_SEG_DS    16u
#define LKEY_TERMINATE 0x100u

/*
 * Reads the pointer segment at p; a byte_count of 0 means 2 GiB. Returns the next segment, or NULL
 * if p is at the end. Receive entries have only this kind: bit 31 of their byte_count asks for
 * padding (Linux mlx5e, MLX5_HW_START_PADDING), which has no effect here.
 */
static inline const uint8_t *data_seg_pointer(const uint8_t *p, const uint8_t *end,
					      struct data_seg *s)
{
	if (end - p < (ptrdiff_t)DATA_SEG_DS)
		return NULL;
	s->inl = NULL;
	s->len = prm_wqe_data_seg_get_byte_count(p) & ~(1u << 31);
	s->lkey = prm_wqe_data_seg_get_lkey(p);
	s->addr = prm_wqe_data_seg_get_addr(p);
	if (!s->len)
		s->len = 1ull << 31;
	return p + DATA_SEG_DS;
}

/* Reads a send's segment; NULL at the end or if malformed. Inline data is padded to 16 bytes. */
static inline const uint8_t *data_seg_next(const uint8_t *p, const uint8_t *end, struct data_seg *s)
{
	size_t room = (size_t)(end - p), size;

	if (room < DATA_SEG_DS || !prm_wqe_inline_seg_get_is_inline(p))
		return data_seg_pointer(p, end, s);
	*s = (struct data_seg){.inl = p + PRM_WQE_INLINE_SEG_BYTES,
			       .len = prm_wqe_inline_seg_get_byte_count(p)};
	size = (PRM_WQE_INLINE_SEG_BYTES + s->len + DATA_SEG_DS - 1) & ~(size_t)(DATA_SEG_DS - 1);
	return size <= room ? p + size : NULL;
}

static inline const char *data_seg_layout(const struct data_seg *s)
{
	return s->inl ? "wqe_inline_seg" : "wqe_data_seg";
}

/* Returns a request's first data segment; *end: behind its last. */
static inline const uint8_t *wr_segs(const struct send_wr *wr, const uint8_t **end)
{
	*end = wr->wqe + wr->ds * DATA_SEG_DS;
	return wr->wqe + wr->data_at * DATA_SEG_DS;
}

#endif
