/* SPDX-License-Identifier: BSD-2-Clause */
#include "why_priv.h"

#define CI_RECORD  0u
#define ARM_RECORD 4u
#define INDEX_MASK 0xffffffu

/* Returns whether an armed CQ has a CQE that makes an event, which moderation then delays. */
static bool why_is_due(const struct cq *cq)
{
	uint64_t newest = cq->pi;

	if (cq->armed_solicited && cq->solicited_pi < newest)
		newest = cq->solicited_pi;
	return (int64_t)newest > cq->armed_ci && newest > cq->notified_pi;
}

static enum finding_kind why_cqes(const struct cq *cq, int unread)
{
	if (unread > 0)
		return FINDING_CQES_UNREAD;
	if (cq->armed && why_is_due(cq))
		return FINDING_CQES_MODERATED;
	if (cq->armed)
		return cq->armed_solicited ? FINDING_CQES_UNSOLICITED : FINDING_CQES_BEFORE_ARM;
	return cq->notified_pi ? FINDING_CQES_READ : FINDING_CQES;
}

/* An empty CQ: returns FINDINGS if nothing is to be said about it. */
static enum finding_kind why_no_cqes(const struct cq *cq, int unread)
{
	if (unread > 0)
		return FINDING_UNREAD;
	if (cq->armed)
		return FINDING_ARMED;
	return cq->notified_pi ? FINDING_UNARMED : FINDINGS;
}

void why_cq(const struct why_sink *s, const struct cq *cq)
{
	const int unread = s->unread(s->ctx, cq);
	enum finding_kind kind;
	uint32_t ci, arm, cqes;

	if (cq->status != CQ_OK)
		why_found(s, &cq->o, FINDING_CQ_FAILED, cq->pi, {cq->status});
	if (cq->status != CQ_OK || !why_record(&cq->o, cq->dbrec, CI_RECORD, &ci) ||
	    !why_record(&cq->o, cq->dbrec, ARM_RECORD, &arm))
		return;
	cqes = ((uint32_t)cq->pi - ci) & INDEX_MASK;
	kind = cqes && !cq->overrun_ignore ? why_cqes(cq, unread) : why_no_cqes(cq, unread);
	if (kind != FINDINGS)
		why_found(s, &cq->o, kind, cq->pi << 24 | (ci & INDEX_MASK),
			  {cqes, cq->max_count, cq->period});
	if (arm != cq->arm_seen)
		why_found(s, &cq->o, FINDING_ARM, arm, {0});
}
