/* SPDX-License-Identifier: BSD-2-Clause */
#include "transport/transport.h"
#include "why_priv.h"

#define RCV_RECORD 0u

static bool why_refused(const struct queue *q)
{
	struct transport_wait t = {0};

	if (q->transport->waits)
		q->transport->waits(q, &t);
	return t.refuses;
}

void why_rq(const struct why_sink *s, const struct queue *q)
{
	const struct rq *rq = q->rq;
	uint32_t word;
	uint16_t posted;

	if (rq->srq || !why_record(&q->o, q->dbrec, RCV_RECORD, &word))
		return;
	posted = (uint16_t)(word - rq->ci);
	if (posted)
		why_found(s, &q->o, FINDING_RECEIVES, rq->ci, {posted, q->state});
	else if (q->o.type == OBJ_QP && why_refused(q))
		why_found(s, &q->o, FINDING_REFUSED, rq->ci, {qp_of(q)->remote_qpn});
}

void why_srq(const struct why_sink *s, const struct srq *srq)
{
	uint32_t word;
	uint16_t posted;

	if (srq->failed)
		why_found(s, &srq->o, FINDING_SRQ_FAILED, srq->ci, {0});
	if (srq->failed || !why_record(&srq->o, srq->dbrec, RCV_RECORD, &word))
		return;
	posted = (uint16_t)(word - srq->ci);
	if (srq->limits && !srq->lwm)
		why_found(s, &srq->o, FINDING_SRQ_LIMIT, srq->ci, {srq->limits, posted});
	else if (posted)
		why_found(s, &srq->o, FINDING_SRQ_RECEIVES, srq->ci, {posted});
}
