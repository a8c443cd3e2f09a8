/* SPDX-License-Identifier: BSD-2-Clause */
/* ASO objects, and the requests that read and change them. On a NIC they need CAP_NET_RAW. */
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/object.h>
#include <dvx/prm/wqe.h>
#include "verify.h"

#define ASO_CONTEXT 64u /* bytes; in an object they begin there, too */

/* Kinds of objects, whose layouts have the PD and the context in the same places. */
static const struct aso_kind {
	uint16_t type;
	uint8_t opmod, log_range;
	const char *what;
} aso_hits = {PRM_OBJ_TYPE_ASO_FIRST_HIT, PRM_ASO_OPMOD_FIRST_HIT, 2, "a first hit object"},
  aso_kinds[] = {
	  {PRM_OBJ_TYPE_ASO_FIRST_HIT, PRM_ASO_OPMOD_FIRST_HIT, 2, "a first hit object"},
	  {PRM_OBJ_TYPE_FLOW_METER_ASO, PRM_ASO_OPMOD_FLOW_METER, 2, "a meter object"},
	  {PRM_OBJ_TYPE_ASO_CT, PRM_ASO_OPMOD_CONNECTION_TRACKING, 6, "a connection object"}};

/* Makes a range of objects whose contexts begin with this byte; returns the first number. */
static uint32_t aso_objects(struct bench *b, const struct aso_kind *k, struct dvx_pd *pd,
			    uint8_t byte)
{
	uint64_t in[PRM_CREATE_FLOW_HIT_ASO_IN_BYTES / 8] = {0}, out[2];
	uint8_t *object = prm_create_flow_hit_aso_in_at_flow_hit_aso(in);
	struct dvx_obj *obj;

	prm_general_obj_in_cmd_hdr_set_opcode(in, PRM_OPCODE_CREATE_GENERAL_OBJECT);
	prm_general_obj_in_cmd_hdr_set_obj_type(in, k->type);
	prm_general_obj_in_cmd_hdr_set_log_obj_range(in, k->log_range);
	prm_flow_hit_aso_set_access_pd(object, dvx_pd_number(pd));
	object[ASO_CONTEXT] = byte;
	NEED(dvx_obj_create(b->dev, in, sizeof(in), out, sizeof(out), &obj));
	return prm_general_obj_out_cmd_hdr_get_obj_id(out);
}

/* A raw queue, and the next request's operation. */
struct aso_queue {
	struct bench *b;
	struct dvx_cq *cq;
	struct dvx_sq *sq;
	uint8_t opmod, aso[PRM_WQE_ASO_CTRL_SEG_BYTES];
};

static struct aso_queue aso_open(struct bench *b, const struct aso_kind *k)
{
	struct aso_queue q = {.b = b, .opmod = k->opmod};
	struct dvx_txq *txq;

	bench_txq_make(b, &q.cq, &txq);
	q.sq = dvx_txq_ring(txq);
	return q;
}

/* Posts the operation, which also reads the old context, and clears it. */
static void aso_post(struct aso_queue *q, uint32_t id)
{
	struct dvx_sq_place p;

	prm_wqe_aso_ctrl_seg_set_va_h(q->aso, (uint32_t)(q->b->addr >> 32));
	prm_wqe_aso_ctrl_seg_set_va_l(q->aso, (uint32_t)q->b->addr >> 1);
	prm_wqe_aso_ctrl_seg_set_read_en(q->aso, 1);
	prm_wqe_aso_ctrl_seg_set_l_key(q->aso, q->b->key);
	NEED(dvx_post_claim(q->sq, 4, 0, &p));
	dvx_sq_ctrl(q->sq, &p, PRM_WQE_OPCODE_ACCESS_ASO, q->opmod, 4, DVX_SIGNALED, id);
	memcpy(p.wqe + DVX_SEG, q->aso, sizeof(q->aso));
	dvx_sq_commit(q->sq, &p, 1);
	dvx_sq_ring(q->sq);
	memset(q->aso, 0, sizeof(q->aso));
}

static void aso_access(struct aso_queue *q, uint32_t id, const char *what)
{
	aso_post(q, id);
	bench_need_done(q->cq, what);
	dvx_sq_retire(q->sq, q->sq->pi - 1);
}

void probe_aso(struct bench *b)
{
	for (size_t i = 0; i < sizeof(aso_kinds) / sizeof(aso_kinds[0]); i++) {
		const struct aso_kind *k = &aso_kinds[i];
		struct aso_queue q = aso_open(b, k);
		uint32_t first = aso_objects(b, k, b->pd, 0x80);

		EXPECT(!(first & ((1u << k->log_range) - 1)),
		       "the first number of %u is not a multiple of that", 1u << k->log_range);
		memset(b->buf, 0xff, ASO_CONTEXT);
		aso_access(&q, first, k->what);
		for (uint32_t at = 0; at < ASO_CONTEXT; at++)
			EXPECT(!b->buf[at], "byte %u of %s is 0x%x at its creation", at, k->what,
			       b->buf[at]);
	}
}

/* Lets the next operation change 8 bytes if 2 bytes of word 6 are these. */
static void aso_change(struct aso_queue *q, uint32_t word, uint64_t value, uint32_t when)
{
	uint8_t *aso = q->aso;

	prm_wqe_aso_ctrl_seg_set_condition_0_operand(aso, when ? PRM_ASO_OPERAND_EQUAL
							       : PRM_ASO_OPERAND_ALWAYS_TRUE);
	prm_wqe_aso_ctrl_seg_set_condition_1_operand(aso, PRM_ASO_OPERAND_ALWAYS_TRUE);
	prm_wqe_aso_ctrl_seg_set_condition_0_offset(aso, 6);
	prm_wqe_aso_ctrl_seg_set_condition_0_data(aso, when);
	prm_wqe_aso_ctrl_seg_set_condition_0_mask(aso, 0xffff0000);
	prm_wqe_aso_ctrl_seg_set_data_offset(aso, word);
	prm_wqe_aso_ctrl_seg_set_bitwise_data(aso, value);
	prm_wqe_aso_ctrl_seg_set_data_mask(aso, UINT64_MAX);
}

void probe_aso_conditions(struct bench *b)
{
	static const uint8_t written[] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
	struct aso_queue q = aso_open(b, &aso_hits);
	uint32_t id = aso_objects(b, &aso_hits, b->pd, 0);

	aso_change(&q, 3, 0x1122334455667788, 0);
	aso_access(&q, id, "a change of word 3");
	aso_change(&q, 0, 1, 0x11990000);
	aso_access(&q, id, "a change that is not allowed");
	EXPECT(!memcmp(b->buf + 24, written, 8), "a change at data_offset 3 is not at byte 24");
	aso_change(&q, 0, 2, 0x1122ffff);
	aso_access(&q, id, "a change that is allowed");
	EXPECT(!b->buf[7], "a change was made although the first condition does not hold");
	aso_access(&q, id, "a read");
	EXPECT(b->buf[7] == 2, "a change was not made although both conditions hold");
}

static void aso_fails(struct bench *b, uint32_t id, uint8_t opmod, uint32_t mode, const char *what)
{
	struct aso_queue q = aso_open(b, &aso_hits);

	q.opmod = opmod;
	prm_wqe_aso_ctrl_seg_set_data_mask_mode(q.aso, mode);
	aso_post(&q, id);
	bench_expect_error(q.cq, PRM_SYNDROME_LOCAL_QP_OP_ERR, what);
}

void probe_aso_of_other_pd(struct bench *b)
{
	uint32_t own = aso_objects(b, &aso_hits, b->pd, 0);
	struct dvx_pd *other;

	NEED(dvx_pd_alloc(b->dev, &other));
	aso_fails(b, aso_objects(b, &aso_hits, other, 0), aso_hits.opmod, 0,
		  "ACCESS_ASO of another PD's object");
	aso_fails(b, own, 9, 0, "ACCESS_ASO with opmod 9");
	aso_fails(b, own, aso_hits.opmod, 3, "ACCESS_ASO with data_mask_mode 3");
}
