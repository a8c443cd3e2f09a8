/* SPDX-License-Identifier: BSD-2-Clause */
/* Completions that a requested fault turns into errors (base/inject.h). */
#include <string.h>
#include <dvx/prm/cqe.h>
#include "base/inject.h"
#include "obj/table.h"
#include "priv.h"

#define OWNER_BIT    1u
#define OPCODE_SHIFT 4u
#define IMM_AT	     0x24u /* from here to wqe_counter's dword, an error CQE has its reasons only */
#define OPCODE_AT    0x38u

struct queue *cq_queue(const struct cq *cq, uint32_t number)
{
	static const enum obj_type types[] = {OBJ_QP, OBJ_SQ, OBJ_RQ};
	struct queue *q = NULL;

	for (unsigned int i = 0; !q && i < sizeof(types) / sizeof(types[0]); i++)
		q = obj_find(cq->o.vhca, types[i], number);
	return q;
}

/* The queue fails at the turn's end, when no transport is inside it. */
static void cq_inject_fail(struct queue *q)
{
	if (!q || !q->priv)
		return;
	q->priv->injected = true;
	queue_flush_later(q);
}

static bool cq_inject_is_good(uint8_t opcode)
{
	return opcode != PRM_CQE_OPCODE_REQ_ERR && opcode != PRM_CQE_OPCODE_RESP_ERR &&
	       opcode != PRM_CQE_OPCODE_RESIZE_CQ;
}

static unsigned int cq_inject_error(uint8_t opcode)
{
	return opcode == PRM_CQE_OPCODE_REQ ? PRM_CQE_OPCODE_REQ_ERR : PRM_CQE_OPCODE_RESP_ERR;
}

void cq_inject(struct cq *cq, uint8_t *cqe, uint8_t *op_own)
{
	const uint8_t opcode = *op_own >> OPCODE_SHIFT;
	const uint32_t number = prm_cqe64_get_qpn(cqe);
	const struct inject_fault *f = cq->special & CQ_COMPRESSES || !cq_inject_is_good(opcode)
					       ? NULL
					       : inject_count(INJECT_COMPLETION, number);

	if (!f)
		return;
	memset(cqe, 0, PRM_CQE64_BYTES / 2);
	memset(cqe + IMM_AT, 0, OPCODE_AT - IMM_AT);
	prm_err_cqe_set_syndrome(cqe, f->syndrome);
	*op_own = (uint8_t)(cq_inject_error(opcode) << OPCODE_SHIFT | (*op_own & OWNER_BIT));
	cq->solicited_pi = cq->pi;
	cq_inject_fail(cq_queue(cq, number));
}
