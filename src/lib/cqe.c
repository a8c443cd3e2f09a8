/* SPDX-License-Identifier: BSD-2-Clause */
#include "prm/reflect.h"
#include "priv.h"

void dvx_cqe_error(const void *cqe, struct dvx_cqe_failure *out)
{
	memset(out, 0, sizeof(*out));
	out->syndrome = (uint8_t)prm_err_cqe_get_syndrome(cqe);
	out->vendor = (uint8_t)prm_err_cqe_get_vendor_err_synd(cqe);
	out->send_opcode = (uint8_t)prm_err_cqe_get_s_wqe_opcode(cqe);
	out->send = dvx_cqe_is_send(cqe);
	out->wqe_index = dvx_cqe_wqe_index(cqe);
	out->qpn = prm_err_cqe_get_qpn(cqe);
	out->user_index = prm_err_cqe_get_srqn(cqe);
}

const char *dvx_cqe_strerror(uint8_t syndrome)
{
	const char *text = prm_syndrome_text(syndrome);

	return *text ? text : "a syndrome that this libdvx does not know";
}

/*
 * Walks a WQE's data segments, and fills their buffers from the CQE. Those of the null mkey have no
 * buffer.
 */
static void cqe_scatter(const uint8_t *seg, uint32_t max, uint64_t null_lkey, const uint8_t *data,
			uint32_t len)
{
	uint32_t piece, lkey;
	uint64_t addr;

	for (; max-- && len; seg += DVX_SEG) {
		lkey = prm_wqe_data_seg_get_lkey(seg);
		if (lkey == DVX_INVALID_LKEY)
			return;
		piece = prm_wqe_data_seg_get_byte_count(seg);
		if (!piece || piece > len)
			piece = len;
		addr = prm_wqe_data_seg_get_addr(seg);
		if (lkey != null_lkey)
			memcpy((void *)(uintptr_t)addr, data, piece);
		data += piece;
		len -= piece;
	}
}

/* Returns the data of a CQE: up to 32 bytes are inside, more are in front of it. */
static const uint8_t *cqe_data(const void *cqe, uint32_t room)
{
	return (const uint8_t *)cqe - (room > DVX_CQE_BYTES / 2 ? DVX_CQE_BYTES : 0);
}

void dvx_cqe_unscatter_srq(const void *cqe, const struct dvx_srq *srq)
{
	uint32_t room = dvx_cqe_scattered(cqe), len = dvx_cqe_byte_count(cqe);
	const uint8_t *wqe = dvx_srq_entry(srq, dvx_cqe_wqe_index(cqe) & srq->mask);

	if (room && len <= room)
		cqe_scatter(wqe + DVX_SEG, srq->max_sge, srq->null_lkey, cqe_data(cqe, room), len);
}

/*
 * Stores an atomic's old value in its only data segment, whose length counts: libmlx5 does not
 * trust the CQE's byte_cnt either. [I]: 8 bytes are big-endian in a CQE, as UCX reads them.
 */
static void cqe_scatter_old(const uint8_t *seg, uint64_t null_lkey, const uint8_t *data)
{
	uint64_t old = prm_load64(data, 0);

	if (prm_wqe_data_seg_get_byte_count(seg) < sizeof(old))
		memcpy(&old, data, sizeof(old)); /* atomic.h promises these as they are */
	cqe_scatter(seg, 1, null_lkey, (const uint8_t *)&old, sizeof(old));
}

/* Fills the buffers of a READ or an atomic; other requests have no response. */
static void cqe_scatter_response(const struct dvx_sq *sq, const uint8_t *wqe, const uint8_t *data,
				 uint32_t len)
{
	uint32_t ds = prm_wqe_ctrl_seg_get_ds(wqe), head = 2 + sq->peer_ds;

	switch (prm_wqe_ctrl_seg_get_opcode(wqe)) {
	case PRM_WQE_OPCODE_RDMA_READ:
		cqe_scatter(wqe + head * DVX_SEG, ds - head, sq->null_lkey, data, len);
		break;
	case PRM_WQE_OPCODE_ATOMIC_CS:
	case PRM_WQE_OPCODE_ATOMIC_FA:
	case PRM_WQE_OPCODE_ATOMIC_MASKED_CS:
	case PRM_WQE_OPCODE_ATOMIC_MASKED_FA:
		cqe_scatter_old(wqe + (ds - 1) * DVX_SEG, sq->null_lkey, data);
		break;
	}
}

void dvx_cqe_unscatter(const void *cqe, const struct dvx_sq *sq, const struct dvx_rq *rq)
{
	uint32_t room = dvx_cqe_scattered(cqe), len = dvx_cqe_byte_count(cqe);
	const uint8_t *data = cqe_data(cqe, room), *wqe;

	if (!room)
		return;
	if (len > room)
		len = 0;
	if (sq) {
		wqe = sq->buf + (size_t)(dvx_cqe_wqe_index(cqe) & sq->mask) * DVX_BLOCK;
		cqe_scatter_response(sq, wqe, data, len);
	} else if (rq) {
		wqe = rq->buf + (size_t)(rq->limit & rq->mask) * rq->stride;
		cqe_scatter(wqe, rq->max_sge, rq->null_lkey, data, len);
	}
}
