/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives that take several packets (PRM, "Striding RQ"): finds the packet of a CQE. */
#include "priv.h"

static int strides_failed(struct dvx_rxq *rxq, const void *cqe, struct dvx_strided *out)
{
	struct dvx_cqe_failure why;

	dvx_cqe_error(cqe, &why);
	out->last = true;
	out->wr_id = dvx_rq_retire(&rxq->ring);
	return dvx_fail(EIO, "receive queue 0x%x: %s", rxq->rqn, dvx_cqe_strerror(why.syndrome));
}

int dvx_rxq_take(struct dvx_rxq *rxq, const void *cqe, struct dvx_strided *out)
{
	int err = dvx_check_not_null("dvx_rxq_take", "rxq", rxq, "cqe", cqe, "out", out, NULL);
	uint32_t count, first;

	if (err)
		return err;
	count = dvx_cqe_byte_count(cqe);
	first = dvx_cqe_wqe_index(cqe);
	if (!rxq->strides)
		return dvx_fail(EINVAL, "dvx_rxq_take: receive queue 0x%x has no strides",
				rxq->rqn);
	memset(out, 0, sizeof(*out));
	if (dvx_cqe_is_error(cqe))
		return strides_failed(rxq, cqe, out);
	out->wr_id = rxq->ring.wr_ids[rxq->ring.limit & rxq->ring.mask];
	out->offset = first * rxq->stride_bytes;
	out->bytes = count & 0xffff;
	out->last = first + (count >> DVX_CQE_STRIDES_SHIFT & DVX_CQE_STRIDES_MASK) >= rxq->strides;
	if (out->last)
		dvx_rq_retire(&rxq->ring);
	return !(count & DVX_CQE_FILLER);
}
