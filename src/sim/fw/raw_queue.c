/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send and receive queues of raw packets. Both contexts end in the same wq structure. Features that
 * the chip lacks are refused by the field that asks for them.
 */
#include <inttypes.h>
#include <string.h>
#include "cmd.h"
#include "obj/device.h"
#include "queue/queue.h"
#include "obj/cq.h"
#include "obj/mkey.h"
#include "obj/raw_queue.h"
#include "transport/transport.h"

#define LOG_WQEBB 6
#define LOG_SEG	  4u

/* --- common to SQ and RQ ---------------------------------------------------------------------- */

static int take_wq(struct fw_cmd *c, const void *wq, struct queue *q)
{
	uint64_t dbrec;

	q->transport = &transport_raw;
	q->pdn = prm_wq_get_pd(wq);
	q->stats = &c->vhca->uncounted;
	/* mlx5_core's receive queue that drops all has no PD, and so no memory. */
	if (c->uid || q->pdn)
		q->pd = fw_take(c, OBJ_PD, q->pdn, "wq.pd");
	/* CREATE_SQ and CREATE_RQ have the same layout. */
	if (((c->uid || q->pdn) && !q->pd) ||
	    fw_wq_take(c, wq, PRM_CREATE_SQ_IN_BYTES, &q->ring, &dbrec, &q->dbr_umem))
		return -1;
	q->dbrec = dbrec;
	return 0;
}

/* Puts the queue into RST, ready for MODIFY. */
static int raw_queue_start(struct fw_cmd *c, struct queue *q)
{
	if (!queue_start(q))
		return 0;
	return fw_refuse(c, FW_SYN_MEMORY, "no memory for one more queue");
}

/* --- states ----------------------------------------------------------------------------------- */

static const char *raw_state_name(unsigned int state)
{
	static const char *const name[] = {"RST", "RDY", "2", "ERR"};

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "?";
}

static unsigned int fw_raw_queue_state_of(const struct queue *q)
{
	if (q->state == QP_ERR)
		return PRM_SQC_STATE_ERR;
	return q->state == QP_RST ? PRM_SQC_STATE_RST : PRM_SQC_STATE_RDY;
}

/*
 * Refuses prohibited state changes: from ERR to any state but RST. [I] Kernel drivers also change
 * from RST to ERR and from RDY to RST, and repeat states.
 */
static int check_move(struct fw_cmd *c, const struct queue *q, unsigned int from, unsigned int to)
{
	if (from != fw_raw_queue_state_of(q))
		return fw_refuse(c, FW_SYN_QP_STATE,
				 "the command says that the queue is in %s, it is in %s",
				 raw_state_name(from), raw_state_name(fw_raw_queue_state_of(q)));
	if (to > PRM_SQC_STATE_ERR || to == 2)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "state %u is none of 0 (RST), 1 (RDY) and 3 (ERR)", to);
	if (from == PRM_SQC_STATE_ERR && to == PRM_SQC_STATE_RDY)
		return fw_refuse(c, FW_SYN_QP_STATE, "from ERR a queue must go through RST to RDY");
	return 0;
}

static void raw_queue_move(struct queue *q, unsigned int to)
{
	static const uint8_t state[] = {QP_RST, QP_RTS, QP_RTS, QP_ERR};

	if (to != fw_raw_queue_state_of(q) || to == PRM_SQC_STATE_RST)
		queue_set_state(q, state[to]);
}

#define SQ_MODIFY_RATE (1u << 0)
#define SQ_MODIFY_LEAF (1u << 2)

/* --- SQ --------------------------------------------------------------------------------------- */

static int check_sqc(struct fw_cmd *c, const void *sqc)
{
	const struct fw_absent features[] = {
		FW_ABSENT(sqc, rlky, "the reserved lkey is the kernel's"),
		FW_ABSENT(sqc, fre, "fast registration is not implemented"),
		{prm_sqc_get_allow_multi_pkt_send_wqe(sqc) && c->vhca->dev->profile->wqe_inline_l2,
		 "sqc.allow_multi_pkt_send_wqe", "cap.enhanced_multi_pkt_send_wqe is 0"},
		FW_ABSENT(sqc, reg_umr, "cap.reg_umr_sq is 0"),
		FW_ABSENT(sqc, ts_cqe_to_dest_cqn, "cap.ts_cqe_to_dest_cqn is 0"),
		FW_ABSENT(sqc, allow_swp, "cap.swp is 0"),
		FW_ABSENT(sqc, hairpin, "cap.hairpin is 0"),
		{prm_sqc_get_non_wire(sqc) && !c->vhca->dev->profile->rules_by_wqe, "sqc.non_wire",
		 "cap.wqe_based_flow_table_update_cap is 0"},
	};
	const struct fw_wq_rules rules = {
		.types = 1u << PRM_WQ_TYPE_CYCLIC,
		.log_most = c->vhca->dev->profile->log_max_qp_sz,
		.log_stride_least = LOG_WQEBB,
		.log_stride_most = LOG_WQEBB,
		.managed = true,
	};

	if (FW_CHECK_ABSENT(c, features))
		return -1;
	if (prm_sqc_get_state(sqc) != PRM_SQC_STATE_RST)
		return fw_refuse(c, FW_SYN_RESERVED, "sqc.state is %u, a queue begins in 0 (RST)",
				 prm_sqc_get_state(sqc));
	if (fw_ts_check(c, prm_sqc_get_ts_format(sqc), c->vhca->dev->profile->sq_ts_format,
			"sqc.ts_format"))
		return -1;
	if (prm_sqc_get_min_wqe_inline_mode(sqc) > PRM_INLINE_MODE_TCP_UDP)
		return fw_refuse(c, FW_SYN_RESERVED, "sqc.min_wqe_inline_mode %u is reserved",
				 prm_sqc_get_min_wqe_inline_mode(sqc));
	/* DPDK's queues for ACCESS_ASO have no TIS, like mlx5_core's internal ones (NOP, UMR). */
	if (prm_sqc_get_tis_lst_sz(sqc) > 1)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "sqc.tis_lst_sz is %u: a queue sends through one TIS, or none",
				 prm_sqc_get_tis_lst_sz(sqc));
	if (fw_pp_rate_usable(c, prm_sqc_get_packet_pacing_rate_limit_index(sqc)) ||
	    fw_sched_leaf_usable(c, prm_sqc_get_qos_queue_group_id(sqc), "sqc.qos_queue_group_id"))
		return -1;
	return fw_wq_check(c, prm_sqc_cat_wq(sqc), &rules);
}

static int take_sq(struct fw_cmd *c, const void *sqc, struct raw_sq *sq)
{
	const void *wq = prm_sqc_cat_wq(sqc);

	sq->sq.q = &sq->q;
	sq->q.sq = &sq->sq;
	sq->sq.log_size = (uint8_t)prm_wq_get_log_wq_sz(wq);
	sq->sq.master = prm_sqc_get_cd_master(sqc);
	sq->sq.managed = prm_wq_get_cd_slave(wq);
	sq->q.user_index = prm_sqc_get_user_index(sqc);
	sq->q.utc = fw_ts_is_utc(prm_sqc_get_ts_format(sqc), c->vhca->dev->profile->sq_ts_format);
	sq->q.flush_silent = !prm_sqc_get_flush_in_error_en(sqc);
	sq->min_inline = (uint8_t)prm_sqc_get_min_wqe_inline_mode(sqc);
	if (c->vhca->dev->profile->wqe_inline_l2 && sq->min_inline < PRM_INLINE_MODE_L2)
		sq->min_inline = PRM_INLINE_MODE_L2;
	sq->q.uar = prm_wq_get_uar_page(wq);
	memcpy(sq->q.ctx, sqc, PRM_SQC_BYTES);
	if (prm_sqc_get_tis_lst_sz(sqc))
		sq->q.tis = fw_take(c, OBJ_TIS, prm_sqc_get_tis_num_0(sqc), "sqc.tis_num_0");
	if (prm_sqc_get_tis_lst_sz(sqc) && !sq->q.tis)
		return -1;
	sq->q.uar_obj = fw_take_shared(c, OBJ_UAR, sq->q.uar, "wq.uar_page");
	if (!sq->q.uar_obj)
		return -1;
	sq->sq.cq = fw_take(c, OBJ_CQ, prm_sqc_get_cqn(sqc), "sqc.cqn");
	return sq->sq.cq ? take_wq(c, wq, &sq->q) : -1;
}

int fw_create_sq(struct fw_cmd *c)
{
	const void *sqc = prm_create_sq_in_cat_ctx(c->in);
	struct raw_sq *sq = check_sqc(c, sqc) ? NULL : fw_new(c, OBJ_SQ, sizeof(*sq));

	if (!sq ||
	    fw_made(c, &sq->q.o,
		    take_sq(c, sqc, sq) || raw_queue_start(c, &sq->q) ||
			    fw_sched_attach(c, &sq->q, prm_sqc_get_qos_queue_group_id(sqc), 0)))
		return -1;
	fw_pp_rate_use(sq, prm_sqc_get_packet_pacing_rate_limit_index(sqc));
	return 0;
}

static int fw_sq_set_leaf(struct fw_cmd *c, struct raw_sq *sq, const void *sqc)
{
	uint32_t leaf = prm_sqc_get_qos_queue_group_id(sqc);

	if (fw_sched_leaf_usable(c, leaf, "sqc.qos_queue_group_id") ||
	    fw_sched_attach(c, &sq->q, leaf, 0))
		return -1;
	prm_sqc_set_qos_queue_group_id(sq->q.ctx, leaf);
	if (sq->held.queued) /* it continues under the new limits */
		(void)timer_set(&c->vhca->dev->timers, &sq->held, 0);
	return 0;
}

int fw_modify_sq(struct fw_cmd *c)
{
	struct raw_sq *sq = c->obj;
	const void *sqc = prm_modify_sq_in_cat_ctx(c->in);
	uint32_t rate = prm_sqc_get_packet_pacing_rate_limit_index(sqc);
	uint64_t mask = prm_modify_sq_in_get_modify_bitmask(c->in);
	unsigned int to = prm_sqc_get_state(sqc);

	if (check_move(c, &sq->q, prm_modify_sq_in_get_sq_state(c->in), to))
		return -1;
	if (mask & ~(uint64_t)(SQ_MODIFY_RATE | SQ_MODIFY_LEAF))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "modify_bitmask 0x%" PRIx64
				 ": only bits 0 (rate) and 2 (queue group) are implemented",
				 mask);
	if ((mask & SQ_MODIFY_RATE && fw_pp_rate_usable(c, rate)) ||
	    (mask & SQ_MODIFY_LEAF && fw_sq_set_leaf(c, sq, sqc)))
		return -1;
	if (mask & SQ_MODIFY_RATE) {
		fw_pp_rate_use(sq, rate);
		prm_sqc_set_packet_pacing_rate_limit_index(sq->q.ctx, rate);
	}
	raw_queue_move(&sq->q, to);
	return 0;
}

int fw_query_sq(struct fw_cmd *c)
{
	const struct raw_sq *sq = c->obj;
	void *sqc = prm_query_sq_out_at_sq_context(c->out);

	memcpy(sqc, sq->q.ctx, PRM_SQC_BYTES);
	prm_sqc_set_state(sqc, fw_raw_queue_state_of(&sq->q));
	prm_wq_set_hw_counter(prm_sqc_at_wq(sqc), sq->sq.ci);
	prm_wq_set_sw_counter(prm_sqc_at_wq(sqc), sq->sq.pi);
	return 0;
}

/* --- RQ --------------------------------------------------------------------------------------- */

#define RQ_MODIFY_VSD	  (1u << 1)
#define RQ_MODIFY_COUNTER (1u << 3)
#define RQ_COUNTER	  "rqc.counter_set_id"

static int check_rqc(struct fw_cmd *c, const void *rqc)
{
	const struct fw_absent features[] = {
		FW_ABSENT(rqc, rlky, "the reserved lkey is the kernel's"),
		FW_ABSENT(rqc, delay_drop_en, "cap.rq_delay_drop is 0"),
		FW_ABSENT(rqc, scatter_fcs, "cap.scatter_fcs is 0"),
		FW_ABSENT(rqc, mem_rq_type, "only 0 (receives in its own ring) is implemented"),
		FW_ABSENT(rqc, hairpin, "cap.hairpin is 0"),
		FW_ABSENT(rqc, shampo_match_criteria_type, "cap.shampo is 0"),
	};
	const struct fw_wq_rules rules = {
		.types = 1u << PRM_WQ_TYPE_CYCLIC | 1u << PRM_WQ_TYPE_CYCLIC_STRIDING_RQ,
		.log_most = c->vhca->dev->profile->log_max_qp_sz,
		.log_stride_least = LOG_SEG,
		.log_stride_most = FW_LOG_MAX_WQE,
	};

	if (FW_CHECK_ABSENT(c, features))
		return -1;
	if (prm_rqc_get_state(rqc) != PRM_RQC_STATE_RST)
		return fw_refuse(c, FW_SYN_RESERVED, "rqc.state is %u, a queue begins in 0 (RST)",
				 prm_rqc_get_state(rqc));
	if (fw_ts_check(c, prm_rqc_get_ts_format(rqc), c->vhca->dev->profile->rq_ts_format,
			"rqc.ts_format"))
		return -1;
	return fw_wq_check(c, prm_rqc_cat_wq(rqc), &rules);
}

static void take_strides(const void *wq, struct rq *rq)
{
	if (prm_wq_get_wq_type(wq) != PRM_WQ_TYPE_CYCLIC_STRIDING_RQ)
		return;
	rq->log_strides = (uint8_t)fw_wq_log_strides(wq);
	rq->log_stride_bytes = (uint8_t)(FW_LOG_STRIDE_BYTES + prm_wq_get_log_wqe_stride_size(wq));
	rq->shift = prm_wq_get_two_byte_shift_en(wq) ? 2 : 0;
}

static int take_rq(struct fw_cmd *c, const void *rqc, struct raw_rq *rq)
{
	const void *wq = prm_rqc_cat_wq(rqc);

	rq->rq.q = &rq->q;
	rq->q.rq = &rq->rq;
	rq->rq.log_size = (uint8_t)prm_wq_get_log_wq_sz(wq);
	rq->rq.log_stride = (uint8_t)(prm_wq_get_log_wq_stride(wq) - LOG_SEG);
	take_strides(wq, &rq->rq);
	rq->q.user_index = prm_rqc_get_user_index(rqc);
	rq->q.utc = fw_ts_is_utc(prm_rqc_get_ts_format(rqc), c->vhca->dev->profile->rq_ts_format);
	rq->q.flush_silent = !prm_rqc_get_flush_in_error_en(rqc);
	rq->strip_vlan = !prm_rqc_get_vsd(rqc);
	memcpy(rq->q.ctx, rqc, PRM_RQC_BYTES);
	rq->rq.cq = fw_take(c, OBJ_CQ, prm_rqc_get_cqn(rqc), "rqc.cqn");
	if (!rq->rq.cq || take_wq(c, wq, &rq->q))
		return -1;
	return fw_q_counter_attach(c, &rq->q, prm_rqc_get_counter_set_id(rqc), RQ_COUNTER);
}

int fw_create_rq(struct fw_cmd *c)
{
	const void *rqc = prm_create_rq_in_cat_ctx(c->in);
	struct raw_rq *rq = check_rqc(c, rqc) ? NULL : fw_new(c, OBJ_RQ, sizeof(*rq));

	return rq ? fw_made(c, &rq->q.o, take_rq(c, rqc, rq) || raw_queue_start(c, &rq->q)) : -1;
}

int fw_modify_rq(struct fw_cmd *c)
{
	struct raw_rq *rq = c->obj;
	const void *rqc = prm_modify_rq_in_cat_ctx(c->in);
	uint64_t mask = prm_modify_rq_in_get_modify_bitmask(c->in);

	if (check_move(c, &rq->q, prm_modify_rq_in_get_rq_state(c->in), prm_rqc_get_state(rqc)))
		return -1;
	if (mask & ~(uint64_t)(RQ_MODIFY_VSD | RQ_MODIFY_COUNTER))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "modify_bitmask 0x%" PRIx64
				 ": only bits 1 (vsd) and 3 (Q counter set) are implemented",
				 mask);
	if (mask & RQ_MODIFY_COUNTER) {
		if (fw_q_counter_attach(c, &rq->q, prm_rqc_get_counter_set_id(rqc), RQ_COUNTER))
			return -1;
		prm_rqc_set_counter_set_id(rq->q.ctx, prm_rqc_get_counter_set_id(rqc));
	}
	if (mask & RQ_MODIFY_VSD) {
		rq->strip_vlan = !prm_rqc_get_vsd(rqc);
		prm_rqc_set_vsd(rq->q.ctx, prm_rqc_get_vsd(rqc));
	}
	raw_queue_move(&rq->q, prm_rqc_get_state(rqc));
	return 0;
}

int fw_query_rq(struct fw_cmd *c)
{
	const struct raw_rq *rq = c->obj;
	void *rqc = prm_query_rq_out_at_rq_context(c->out);

	memcpy(rqc, rq->q.ctx, PRM_RQC_BYTES);
	prm_rqc_set_state(rqc, fw_raw_queue_state_of(&rq->q));
	prm_wq_set_hw_counter(prm_rqc_at_wq(rqc), rq->rq.ci);
	prm_wq_set_sw_counter(prm_rqc_at_wq(rqc), rq->rq.pi);
	return 0;
}

void fw_sq_free(struct obj *o)
{
	fw_pp_rate_use((struct raw_sq *)o, 0);
	fw_queue_free(o);
}
