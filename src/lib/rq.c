/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

_Static_assert(sizeof(struct dvx_rq) == 64, "ABI");
_Static_assert(offsetof(struct dvx_rq, pi) == 24, "ABI");

void dvx_rq_empty(struct dvx_rq *rq)
{
	rq->pi = 0;
	rq->limit = rq->mask + 1;
	*rq->dbrec = 0;
}

int dvx_rq_init(struct dvx_rq *rq, const struct dvx_rq_memory *user)
{
	struct dvx_rq_memory init;
	int err = dvx_struct_copy(&init, user, "dvx_rq_init", "init");

	if (!err)
		err = dvx_check_not_null("dvx_rq_init", "rq", rq, NULL);
	if (err)
		return err;
	if (!dvx_is_pow2(init.entries) || init.entries > 32768)
		return dvx_fail(EINVAL,
				"dvx_rq_init: entries is %u, not a power of two up to 32768",
				init.entries);
	if (!dvx_is_pow2(init.stride) || init.stride < DVX_SEG || init.stride > 2048)
		return dvx_fail(EINVAL,
				"dvx_rq_init: stride is %u, not a power of two from 16 to 2048",
				init.stride);
	if (!init.buf || !init.wr_ids || !init.dbrec)
		return dvx_fail(EINVAL, "dvx_rq_init: buf, wr_ids and dbrec must all be set");
	memset(rq, 0, sizeof(*rq));
	rq->buf = init.buf;
	rq->wr_ids = init.wr_ids;
	rq->dbrec = init.dbrec;
	rq->mask = init.entries - 1;
	rq->limit = init.entries;
	rq->stride = init.stride;
	rq->max_sge = init.stride / DVX_SEG;
	rq->cq = init.cq ? init.cq : (struct dvx_cq *)&dvx_cq_of_several;
	return 0;
}
