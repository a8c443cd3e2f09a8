/* SPDX-License-Identifier: BSD-2-Clause */
/* Q counters of error completions: a counter of all, and one per kind. */
#include <stddef.h>
#include <dvx/prm/cqe.h>
#include "priv.h"
#include "base/port_stats.h"

#define AT(field) offsetof(struct queue_stats, field)

struct error_kind {
	uint8_t syndrome;
	size_t at; /* in struct queue_stats */
};

static const struct error_kind requester[] = {
	{PRM_SYNDROME_LOCAL_LENGTH_ERR, AT(req_local_length_error)},
	{PRM_SYNDROME_LOCAL_QP_OP_ERR, AT(local_operation_error)},
	{PRM_SYNDROME_LOCAL_PROT_ERR, AT(req_local_protection)},
	{PRM_SYNDROME_WR_FLUSH_ERR, AT(req_cqe_flush_error)},
	{PRM_SYNDROME_MW_BIND_ERR, AT(req_mw_binding)},
	{PRM_SYNDROME_BAD_RESP_ERR, AT(req_bad_response)},
	{PRM_SYNDROME_REMOTE_INVAL_REQ_ERR, AT(req_remote_invalid_request)},
	{PRM_SYNDROME_REMOTE_ACCESS_ERR, AT(req_remote_access_errors)},
	{PRM_SYNDROME_REMOTE_OP_ERR, AT(req_remote_operation_errors)},
	{PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR, AT(req_transport_retries_exceeded)},
	{PRM_SYNDROME_RNR_RETRY_EXC_ERR, AT(req_rnr_retries_exceeded)},
};

static const struct error_kind responder[] = {
	{PRM_SYNDROME_LOCAL_LENGTH_ERR, AT(resp_local_length_error)},
	{PRM_SYNDROME_LOCAL_QP_OP_ERR, AT(resp_local_qp_error)},
	{PRM_SYNDROME_LOCAL_PROT_ERR, AT(resp_local_protection)},
	{PRM_SYNDROME_WR_FLUSH_ERR, AT(resp_cqe_flush_error)},
};

static void error_count(struct queue_stats *s, const struct error_kind *kind, size_t n,
			uint8_t syndrome)
{
	for (size_t i = 0; i < n; i++)
		if (kind[i].syndrome == syndrome)
			++*(uint64_t *)(void *)((char *)s + kind[i].at);
}

/* Counts a request's error. [I] Flushed requests are errors, too. */
void error_count_request(struct queue *q, uint8_t syndrome)
{
	q->stats->req_cqe_error++;
	error_count(q->stats, requester, sizeof(requester) / sizeof(requester[0]), syndrome);
}

void error_count_receive(struct queue *q, uint8_t syndrome)
{
	q->stats->resp_cqe_error++;
	error_count(q->stats, responder, sizeof(responder) / sizeof(responder[0]), syndrome);
}

void error_count_no_cqe(struct queue *q, const struct cq *cq)
{
	q->stats->cq_overflow += cq && cq->status == CQ_OVERFLOW;
}
