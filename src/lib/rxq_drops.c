/* SPDX-License-Identifier: BSD-2-Clause */
/* Drops of a receive queue: out_of_buffer of a set of Q counters that only this queue uses. */
#include <dvx/prm/admin.h>
#include <dvx/prm/cmd.h>
#include "priv.h"

int dvx_q_counter_alloc(struct dvx_dev *dev, struct dvx_obj **out, uint32_t *set)
{
	uint8_t in[PRM_ALLOC_Q_COUNTER_IN_BYTES] = {0}, reply[PRM_ALLOC_Q_COUNTER_OUT_BYTES];
	int err;

	prm_alloc_q_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_Q_COUNTER);
	err = dvx_obj_create(dev, in, sizeof(in), reply, sizeof(reply), out);
	if (!err)
		*set = prm_alloc_q_counter_out_get_counter_set_id(reply);
	return err;
}

int dvx_rxq_drops(struct dvx_rxq *rxq, uint64_t *out)
{
	uint8_t in[PRM_QUERY_Q_COUNTER_IN_BYTES] = {0}, reply[PRM_QUERY_Q_COUNTER_OUT_BYTES];
	int err = dvx_check_not_null("dvx_rxq_drops", "rxq", rxq, "out", out, NULL);

	if (err)
		return err;
	if (!rxq->q_counter)
		return dvx_fail(EINVAL,
				"dvx_rxq_drops: receive queue 0x%x has no DVX_RXQ_COUNT_DROPS",
				rxq->rqn);
	prm_query_q_counter_in_set_opcode(in, PRM_OPCODE_QUERY_Q_COUNTER);
	prm_query_q_counter_in_set_counter_set_id(in, rxq->q_counter_set);
	err = dvx_obj_query(rxq->q_counter, in, sizeof(in), reply, sizeof(reply));
	if (err)
		return err;
	/* Adds the difference to the last reading, which is right across a wrap. */
	rxq->drops +=
		(uint32_t)(prm_query_q_counter_out_get_out_of_buffer(reply) - (uint32_t)rxq->drops);
	*out = rxq->drops;
	return 0;
}
