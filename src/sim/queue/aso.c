/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ACCESS_ASO: reads the context of an ASO object (obj/aso.h), and changes it if two comparisons
 * allow that. [I] All checks here, and units and order of the comparisons' fields: public sources
 * show good WQEs only.
 */
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "obj/aso.h"
#include "obj/counter.h"
#include "obj/device.h"
#include "obj/mkey.h"

#define ASO_CTRL     16u
#define ASO_DATA     64u
#define ASO_DS	     (ASO_DATA / 16)		   /* a WQE without data */
#define ASO_DATA_DS  ((ASO_DATA + ASO_BYTES) / 16) /* with data */
#define ASO_COUNTERS (ASO_BYTES / PRM_TRAFFIC_COUNTER_BYTES)
#define ASO_WORD     8u
#define ASO_WORDS    (ASO_BYTES / ASO_WORD)

static uint8_t aso_refuse(const struct queue *q, struct send_wr *wr, uint8_t syndrome,
			  const char *why)
{
	obj_refuse(&q->o, "ASO WQE %u: %s", wr->index, why);
	wr->error = syndrome;
	wr->vendor = syndrome == PRM_SYNDROME_LOCAL_QP_OP_ERR ? VENDOR_ASO : 0;
	return syndrome;
}

/* Returns the kind of object that an opmod names; OBJ_NTYPES for none. */
static enum obj_type aso_type(uint8_t opmod)
{
	switch (opmod) {
	case PRM_ASO_OPMOD_CONNECTION_TRACKING:
		return OBJ_ASO_CT;
	case PRM_ASO_OPMOD_FLOW_METER:
		return OBJ_ASO_METER;
	case PRM_ASO_OPMOD_FIRST_HIT:
		return OBJ_ASO_HIT;
	default:
		return OBJ_NTYPES;
	}
}

/* Returns whether the WQE reads flow counters, COUNTERS of them: they are no ASO objects. */
static bool aso_is_of_counters(const struct queue *q, const struct send_wr *wr)
{
	return q->o.vhca->dev->profile->rules_by_wqe && wr->opmod == VHCA_COUNTERS_OPMOD;
}

/* Returns the reason why the WQE is refused, or NULL. */
static const char *aso_check(const struct queue *q, const struct send_wr *wr)
{
	const uint8_t *ctrl = wr->wqe + ASO_CTRL;
	uint32_t mode = prm_wqe_aso_ctrl_seg_get_data_mask_mode(ctrl);

	if (aso_type(wr->opmod) == OBJ_NTYPES && !aso_is_of_counters(q, wr))
		return "its opmod is none of 1 (connection tracking), 2 (meter) and 4 (first hit)";
	if (wr->ds != ASO_DS && wr->ds != ASO_DATA_DS)
		return "ds is neither 4 nor 8";
	if (mode > PRM_ASO_MASK_MODE_BYTEWISE_64BYTE)
		return "aso_ctrl.data_mask_mode is neither 0 (8 bytes) nor 1 (64 bytes)";
	if (mode == PRM_ASO_MASK_MODE_BYTEWISE_64BYTE && wr->ds != ASO_DATA_DS &&
	    prm_wqe_aso_ctrl_seg_get_data_mask(ctrl))
		return "aso_ctrl.data_mask has bytes to change, and ds is 4: there is no data";
	if (prm_wqe_aso_ctrl_seg_get_data_offset(ctrl) >= ASO_WORDS)
		return "aso_ctrl.data_offset is over 7";
	if (prm_wqe_aso_ctrl_seg_get_condition_0_operand(ctrl) > PRM_ASO_OPERAND_CYCLIC_LESSER ||
	    prm_wqe_aso_ctrl_seg_get_condition_1_operand(ctrl) > PRM_ASO_OPERAND_CYCLIC_LESSER)
		return "aso_ctrl.condition_1_0_operand has a comparison over 9";
	if (prm_wqe_aso_ctrl_seg_get_condition_operand(ctrl) > PRM_ASO_LOGICAL_OR)
		return "aso_ctrl.condition_operand is neither 0 (and) nor 1 (or)";
	return NULL;
}

void aso_parse(struct queue *q, struct send_wr *wr)
{
	const char *why = aso_check(q, wr);

	wqe_probe(q, wr, "wqe_aso_ctrl_seg", wr->wqe + ASO_CTRL);
	if (why)
		aso_refuse(q, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR, why);
}

static struct pd_object *aso_find(const struct queue *q, struct send_wr *wr)
{
	struct pd_object *a =
		obj_find(q->o.vhca, aso_type(wr->opmod), prm_wqe_ctrl_seg_get_general_id(wr->wqe));

	if (a && a->pd->id == q->pdn)
		return a;
	aso_refuse(q, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR,
		   a ? "the object's access_pd is not the queue's PD"
		     : "its object (general_id) does not exist");
	return NULL;
}

/* --- what it does ---------------------------------------------------------------------------- */

static bool aso_compares(uint32_t operand, uint32_t is, uint32_t with)
{
	switch (operand) {
	case PRM_ASO_OPERAND_ALWAYS_TRUE:
		return true;
	case PRM_ASO_OPERAND_EQUAL:
		return is == with;
	case PRM_ASO_OPERAND_NOT_EQUAL:
		return is != with;
	case PRM_ASO_OPERAND_GREATER_OR_EQUAL:
		return is >= with;
	case PRM_ASO_OPERAND_LESSER_OR_EQUAL:
		return is <= with;
	case PRM_ASO_OPERAND_LESSER:
		return is < with;
	case PRM_ASO_OPERAND_GREATER:
		return is > with;
	case PRM_ASO_OPERAND_CYCLIC_GREATER:
		return (int32_t)(is - with) > 0;
	case PRM_ASO_OPERAND_CYCLIC_LESSER:
		return (int32_t)(is - with) < 0;
	default:
		return false;
	}
}

static bool aso_allows(const uint8_t *ctrl, const uint8_t *context)
{
	uint32_t mask[2] = {prm_wqe_aso_ctrl_seg_get_condition_0_mask(ctrl),
			    prm_wqe_aso_ctrl_seg_get_condition_1_mask(ctrl)};
	bool first = aso_compares(
		prm_wqe_aso_ctrl_seg_get_condition_0_operand(ctrl),
		prm_load32(context, 4 * prm_wqe_aso_ctrl_seg_get_condition_0_offset(ctrl)) &
			mask[0],
		prm_wqe_aso_ctrl_seg_get_condition_0_data(ctrl) & mask[0]);
	bool second = aso_compares(
		prm_wqe_aso_ctrl_seg_get_condition_1_operand(ctrl),
		prm_load32(context, 4 * prm_wqe_aso_ctrl_seg_get_condition_1_offset(ctrl)) &
			mask[1],
		prm_wqe_aso_ctrl_seg_get_condition_1_data(ctrl) & mask[1]);

	return prm_wqe_aso_ctrl_seg_get_condition_operand(ctrl) == PRM_ASO_LOGICAL_OR
		       ? first || second
		       : first && second;
}

static void aso_write_bits(const uint8_t *ctrl, uint8_t *context)
{
	uint64_t mask = prm_wqe_aso_ctrl_seg_get_data_mask(ctrl);
	size_t at = ASO_WORD * prm_wqe_aso_ctrl_seg_get_data_offset(ctrl);

	prm_store64(context, at,
		    (prm_load64(context, at) & ~mask) |
			    (prm_wqe_aso_ctrl_seg_get_bitwise_data(ctrl) & mask));
}

/* The mask's highest bit is the first byte. */
static void aso_write_bytes(const uint8_t *ctrl, uint8_t *context)
{
	uint64_t mask = prm_wqe_aso_ctrl_seg_get_data_mask(ctrl);
	const uint8_t *data = ctrl - ASO_CTRL + ASO_DATA;

	for (unsigned int i = 0; i < ASO_BYTES; i++)
		if (mask >> (ASO_BYTES - 1 - i) & 1)
			context[i] = data[i];
}

/* Writes a context to memory. Returns 0 or a syndrome. */
static uint8_t aso_read(struct queue *q, const uint8_t *ctrl, const uint8_t context[ASO_BYTES])
{
	uint64_t addr = (uint64_t)prm_wqe_aso_ctrl_seg_get_va_h(ctrl) << 32 |
			(uint64_t)prm_wqe_aso_ctrl_seg_get_va_l(ctrl) << 1;
	struct dma_seg seg[MKEY_SEGS];
	int n;

	if (!prm_wqe_aso_ctrl_seg_get_read_en(ctrl))
		return 0;
	n = mkey_segs(q->o.vhca, prm_wqe_aso_ctrl_seg_get_l_key(ctrl), q->pdn, addr, ASO_BYTES,
		      MKEY_LW, seg, MKEY_SEGS);
	if (n >= 0 && !post_scatter(q, seg, (unsigned int)n, context, ASO_BYTES))
		return 0;
	return PRM_SYNDROME_LOCAL_PROT_ERR;
}

/* Reads four counters; general_id is the first one's number, without its two low bits. */
static int aso_read_counters(struct queue *q, struct send_wr *wr)
{
	const uint32_t first = prm_wqe_ctrl_seg_get_general_id(wr->wqe) * ASO_COUNTERS;
	uint8_t counters[ASO_BYTES] = {0};

	for (uint32_t i = 0; i < ASO_COUNTERS; i++) {
		const struct counter *c = counter_find(q->o.vhca, first + i);

		if (!c || c->uid != q->o.uid || (c->pd && c->pd != q->pdn))
			return aso_refuse(q, wr, PRM_SYNDROME_LOCAL_QP_OP_ERR,
					  "its flow counters (general_id) do not exist, or "
					  "their pd is not the queue's");
		prm_traffic_counter_set_packets(counters + i * PRM_TRAFFIC_COUNTER_BYTES,
						c->packets);
		prm_traffic_counter_set_octets(counters + i * PRM_TRAFFIC_COUNTER_BYTES, c->octets);
	}
	return aso_read(q, wr->wqe + ASO_CTRL, counters);
}

int aso_step(struct queue *q, struct send_wr *wr)
{
	const uint8_t *ctrl = wr->wqe + ASO_CTRL;
	struct pd_object *a;
	uint8_t err;

	if (aso_is_of_counters(q, wr))
		return aso_read_counters(q, wr);
	a = aso_find(q, wr);
	/* before the change */
	err = a ? aso_read(q, ctrl, a->context) : wr->error;
	if (err || !aso_allows(ctrl, a->context))
		return err;
	if (prm_wqe_aso_ctrl_seg_get_data_mask_mode(ctrl) == PRM_ASO_MASK_MODE_BITWISE_64BIT)
		aso_write_bits(ctrl, a->context);
	else
		aso_write_bytes(ctrl, a->context);
	return 0;
}
