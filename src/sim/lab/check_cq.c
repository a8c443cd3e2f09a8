/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about a CQ's consumer index, in its record and in its arms. */
#include <dvx/prm/db.h>
#include "check_priv.h"

#define CI_RECORD  0u

#define INDEX_MASK 0xffffffu

/* Returns how far an index of 24 bits is ahead of a count of CQEs; at most 0: it is not. */
static int32_t check_index_ahead(uint32_t index, uint64_t cqes)
{
	return (int32_t)((index - (uint32_t)cqes) << 8) >> 8;
}

/* Returns the count of CQEs whose low bits are an index that is not ahead of those there. */
static uint64_t check_cqes(uint32_t index, uint64_t there)
{
	const uint64_t behind = ((uint32_t)there - index) & INDEX_MASK;

	return there > behind ? there - behind : 0;
}

static const struct cq *check_cq_of(uint32_t uar, uint32_t cqn)
{
	for (unsigned int i = 0; i < check.dev->nfunctions; i++) {
		const struct cq *cq = obj_find(&check.dev->vhca[i], OBJ_CQ, cqn);

		if (cq && cq->uar == uar)
			return cq;
	}
	return NULL;
}

/* Whether its program keeps an index: others need none. */
static bool check_cq_counts(const struct cq *cq)
{
	return cq && !cq->overrun_ignore && !cq->collapsed && cq->status == CQ_OK;
}

/* The newest CQE is not visible yet. */
void check_cq_filled(const struct cq *cq)
{
	const uint64_t there = cq->pi - 1;
	uint32_t ci;

	if (check_cq_counts(cq) && why_record(&cq->o, cq->dbrec, CI_RECORD, &ci) &&
	    check_index_ahead(ci, there) > 0)
		why_found(check.sink, &cq->o, FINDING_CI_AHEAD, 0,
			  {ci & INDEX_MASK, there & INDEX_MASK});
}

/*
 * An arm is compared with the record as it was two arms before: the program may have polled since it
 * wrote the last one, and its index may be older than the record is now.
 */
void check_cq_rung(uint32_t uar, uint64_t be_value)
{
	const struct cq *cq = check_cq_of(uar, prm_uar_cq_db_get_cqn(&be_value));
	const uint32_t index = prm_uar_cq_db_get_arm_ci(&be_value);
	struct check_state *s = check_cq_counts(cq) ? check_state_of(&cq->o) : NULL;
	uint32_t ci;

	if (!s || !why_record(&cq->o, cq->dbrec, CI_RECORD, &ci))
		return;
	if (check_index_ahead(index, (uint32_t)cq->pi) > 0)
		why_found(check.sink, &cq->o, FINDING_ARM_AHEAD, 0, {index, cq->pi & INDEX_MASK});
	else if (check_cqes(index, cq->pi) < s->consumed[1])
		why_found(check.sink, &cq->o, FINDING_ARM_OLD, 0,
			  {index, s->consumed[1] & INDEX_MASK});
	s->consumed[1] = s->consumed[0];
	s->consumed[0] = check_cqes(ci, cq->pi);
}
