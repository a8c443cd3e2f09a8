/* SPDX-License-Identifier: BSD-2-Clause */
/* Moderation: a CQ raises an event after a number of completions, or after a time. */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include "priv.h"

#define MODERATE_MAX_PERIOD 4095u /* 12 bits of cqc */
#define MODERATE_MAX_COUNT  65535u
#define MODERATE_FIELDS	    3u /* modify_field_select: cq_period and cq_max_count */

static int cq_moderate_check(const struct dvx_cq *ring, uint32_t period_us, uint32_t count)
{
	int err = dvx_check_not_null("dvx_cq_moderate", "cq", ring, NULL);
	const void *cap;

	if (err)
		return err;
	if (!ring->priv)
		return dvx_fail(EINVAL, "dvx_cq_moderate: the CQ is a plain ring");
	if (period_us > MODERATE_MAX_PERIOD)
		return dvx_fail(EINVAL, "dvx_cq_moderate: period_us is %u, more than %u", period_us,
				MODERATE_MAX_PERIOD);
	if (count > MODERATE_MAX_COUNT)
		return dvx_fail(EINVAL, "dvx_cq_moderate: count is %u, more than %u", count,
				MODERATE_MAX_COUNT);
	err = dvx_dev_cap_page(ring->priv->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);
	if (err)
		return err;
	return prm_cmd_hca_cap_get_cq_moderation(cap)
		       ? 0
		       : dvx_fail(EOPNOTSUPP, "dvx_cq_moderate: %s has no cq_moderation",
				  dvx_dev_name(ring->priv->dev));
}

static int cq_moderate_adopted(const struct dvx_cq_priv *cq, uint32_t period_us, uint32_t count)
{
	struct ibv_modify_cq_attr attr = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = {.cq_count = (uint16_t)count, .cq_period = (uint16_t)period_us}};
	int err = ibv_modify_cq(cq->ibcq, &attr);

	return err ? dvx_fail(err, "dvx_cq_moderate: the kernel refuses it for CQ %u", cq->ring.cqn)
		   : 0;
}

int dvx_cq_moderate(struct dvx_cq *ring, uint32_t period_us, uint32_t count)
{
	uint8_t in[PRM_MODIFY_CQ_IN_BYTES] = {0}, reply[PRM_MODIFY_CQ_OUT_BYTES];
	void *cqc = prm_modify_cq_in_at_cq_context(in);
	int err = cq_moderate_check(ring, period_us, count);

	if (err)
		return err;
	if (ring->priv->ibcq)
		return cq_moderate_adopted(ring->priv, period_us, count);
	prm_modify_cq_in_set_opcode(in, PRM_OPCODE_MODIFY_CQ);
	prm_modify_cq_in_set_cqn(in, ring->cqn);
	prm_modify_field_select_set_modify_field_select(prm_modify_cq_in_at_modify_field_select(in),
							MODERATE_FIELDS);
	prm_cqc_set_cq_period(cqc, period_us);
	prm_cqc_set_cq_max_count(cqc, count);
	return dvx_obj_modify(ring->priv->obj, in, sizeof(in), reply, sizeof(reply));
}
