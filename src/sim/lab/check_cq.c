/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about a CQ's consumer index, in its record and in its arms. */
#include <dvx/prm/db.h>
#include "check_priv.h"

#define CI_RECORD 0u

/* Returns how far index a is ahead of b, of 24 bits each. */
static int32_t check_index_ahead(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
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
	const uint32_t there = (uint32_t)(cq->pi - 1);
	uint32_t ci;

	if (check_cq_counts(cq) && why_record(&cq->o, cq->dbrec, CI_RECORD, &ci) &&
	    check_index_ahead(ci, there) > 0)
		why_found(check.sink, &cq->o, FINDING_CI_AHEAD, 0, {ci & 0xffffffu, there});
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
		why_found(check.sink, &cq->o, FINDING_ARM_AHEAD, 0, {index, cq->pi});
	else if (check_index_ahead(index, s->consumed[1]) < 0)
		why_found(check.sink, &cq->o, FINDING_ARM_OLD, 0, {index, s->consumed[1]});
	s->consumed[1] = s->consumed[0];
	s->consumed[0] = ci;
}
