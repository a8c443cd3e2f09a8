/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw packet QPs. The firmware has no such object: mlx5_ib makes a TIS and an SQ, an RQ and a TIR,
 * and changes the states of both queues with the QP's. CAP_NET_RAW is not required: the simulated
 * host has no other users.
 */
#include <errno.h>
#include <stddef.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/rq.h>
#include "kernel/core/cmd.h"
#include "kernel/flow/fs.h"
#include "obj/device.h"
#include "obj/rep.h"
#include "qp.h"

#define LOG_WQEBB	  6
#define RQ_MODIFY_VSD	  (1u << 1)
#define RQ_MODIFY_COUNTER (1u << 3)
#define BLOCK_UNICAST	  1u
#define BLOCK_MULTICAST	  2u

/* --- firmware objects ------------------------------------------------------------------------- */

static void set_wq(void *wq, const struct uverbs_file *f, const struct pages *pages, uint32_t pdn,
		   uint64_t db_addr)
{
	prm_wq_set_wq_type(wq, PRM_WQ_TYPE_CYCLIC);
	prm_wq_set_pd(wq, pdn);
	prm_wq_set_dbr_addr(wq, file_bus(f, db_addr));
	prm_wq_set_page_offset(wq, pages_queue_offset(pages));
	prm_wq_set_log_wq_pg_sz(wq, pages->log_page - 12);
}

static void set_strides(void *wq, const struct rq_strides *s)
{
	prm_wq_set_wq_type(wq, PRM_WQ_TYPE_CYCLIC_STRIDING_RQ);
	prm_wq_set_two_byte_shift_en(wq, s->shift);
	prm_wq_set_log_wqe_stride_size(wq, s->log_bytes - RAW_LOG_STRIDE_LEAST);
	prm_wq_set_log_wqe_num_of_strides(wq, (s->log_strides - RAW_LOG_STRIDES_0) & 0xf);
}

int raw_rq_create(struct uverbs_file *f, const struct rq_plan *q, uint32_t *rqn)
{
	uint8_t clock;
	void *in, *rqc, *wq;
	int err = cq_ts_format(q->cq, f->vhca->dev->profile->rq_ts_format, q->method, &clock);

	if (err)
		return err;
	in = pages_command(q->pages, PRM_OPCODE_CREATE_RQ, f->uid, PRM_CREATE_RQ_IN_BYTES, 0);
	if (!in)
		return -ENOMEM;
	rqc = prm_create_rq_in_at_ctx(in);
	wq = prm_rqc_at_wq(rqc);
	prm_rqc_set_vsd(rqc, !q->strip_vlan);
	prm_rqc_set_flush_in_error_en(rqc, 1);
	prm_rqc_set_user_index(rqc, q->user_index);
	prm_rqc_set_cqn(rqc, q->cq->q.u.number);
	prm_rqc_set_ts_format(rqc, clock);
	set_wq(wq, f, q->pages, q->pdn, q->db_addr);
	prm_wq_set_log_wq_stride(wq, q->log_stride);
	prm_wq_set_log_wq_sz(wq, (uint32_t)__builtin_ctz(q->count));
	if (q->strides.log_bytes)
		set_strides(wq, &q->strides);
	return pages_create(q->pages, f->vhca, in, PRM_CREATE_RQ_IN_BYTES, rqn);
}

int raw_rq_modify(struct uverbs_file *f, uint32_t rqn, uint8_t from, uint8_t to, uint64_t select,
		  bool strip_vlan)
{
	uint8_t in[PRM_MODIFY_RQ_IN_BYTES] = {0};
	void *rqc = prm_modify_rq_in_at_ctx(in);

	mbox_begin(in, PRM_OPCODE_MODIFY_RQ, f->uid);
	prm_modify_rq_in_set_rqn(in, rqn);
	prm_modify_rq_in_set_rq_state(in, from);
	if (from == PRM_RQC_STATE_RST && to == PRM_RQC_STATE_RDY) {
		select |= RQ_MODIFY_COUNTER;
		prm_rqc_set_counter_set_id(rqc, file_function(f)->q_counter);
	}
	prm_modify_rq_in_set_modify_bitmask(in, select);
	prm_rqc_set_state(rqc, to);
	if (select & RQ_MODIFY_VSD)
		prm_rqc_set_vsd(rqc, !strip_vlan);
	return mbox_run(f->vhca, in, sizeof(in));
}

static int raw_create_tis(struct uverbs_qp *qp)
{
	uint8_t in[PRM_CREATE_TIS_IN_BYTES] = {0};

	mbox_begin(in, PRM_OPCODE_CREATE_TIS, qp->q.u.uid);
	prm_tisc_set_transport_domain(prm_create_tis_in_at_ctx(in), qp->q.u.file->tdn);
	return mbox_create(qp->q.u.file->vhca, in, sizeof(in), &qp->raw.tisn);
}

static int raw_create_sq(struct uverbs_qp *qp, const struct qp_plan *p)
{
	struct vhca *v = qp->q.u.file->vhca;
	uint8_t clock;
	void *in, *sqc, *wq;
	int err = cq_ts_format(p->scq, v->dev->profile->sq_ts_format, "CREATE_QP", &clock);

	if (err)
		return err;
	in = pages_command(&p->sq_pages, PRM_OPCODE_CREATE_SQ, qp->q.u.uid, PRM_CREATE_SQ_IN_BYTES,
			   0);
	if (!in)
		return -ENOMEM;
	sqc = prm_create_sq_in_at_ctx(in);
	wq = prm_sqc_at_wq(sqc);
	prm_sqc_set_flush_in_error_en(sqc, 1);
	prm_sqc_set_user_index(sqc, p->u.uidx);
	prm_sqc_set_cqn(sqc, p->scq->q.u.number);
	prm_sqc_set_ts_format(sqc, clock);
	prm_sqc_set_tis_lst_sz(sqc, 1);
	prm_sqc_set_tis_num_0(sqc, qp->raw.tisn);
	set_wq(wq, qp->q.u.file, &p->sq_pages, p->pd->number, p->u.db_addr);
	prm_wq_set_uar_page(wq, p->u.bfreg_index);
	prm_wq_set_log_wq_stride(wq, LOG_WQEBB);
	prm_wq_set_log_wq_sz(wq, (uint32_t)__builtin_ctz(p->sq_count));
	return pages_create(&p->sq_pages, v, in, PRM_CREATE_SQ_IN_BYTES, &qp->raw.sqn);
}

static int raw_create_rq(struct uverbs_qp *qp, const struct qp_plan *p)
{
	const struct rq_plan q = {
		.pdn = p->pd->number,
		.method = "CREATE_QP",
		.cq = p->rcq,
		.user_index = p->u.uidx,
		.count = p->rq_count,
		.log_stride = p->u.rq_wqe_shift,
		.strip_vlan = p->flags & IB_UVERBS_QP_CREATE_CVLAN_STRIPPING,
		.db_addr = p->u.db_addr,
		.pages = &p->pages,
	};

	return raw_rq_create(qp->q.u.file, &q, &qp->raw.rqn);
}

int raw_tir_create(struct uverbs_qp *qp, const void *in)
{
	uint8_t out[PRM_CREATE_TIR_OUT_BYTES];
	int err = mbox_exec(qp->q.u.file->vhca, in, PRM_CREATE_TIR_IN_BYTES, out, sizeof(out));

	if (err)
		return err;
	qp->raw.tirn = prm_create_tir_out_get_tirn(out);
	qp->raw.tir_icm = prm_create_tir_out_get_icm_address_31_0(out) |
			  (uint64_t)prm_create_tir_out_get_icm_address_39_32(out) << 32 |
			  (uint64_t)prm_create_tir_out_get_icm_address_63_40(out) << 40;
	return 0;
}

static int create_tir(struct uverbs_qp *qp, const struct qp_plan *p)
{
	uint8_t in[PRM_CREATE_TIR_IN_BYTES] = {0};
	void *tirc = prm_create_tir_in_at_ctx(in);
	uint32_t block = 0;

	/* The flags are named ALLOW, but mlx5_ib sets the blocking bits for them. */
	if (p->u.flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC)
		block |= BLOCK_UNICAST;
	if (p->u.flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC)
		block |= BLOCK_MULTICAST;
	mbox_begin(in, PRM_OPCODE_CREATE_TIR, qp->q.u.uid);
	prm_tirc_set_disp_type(tirc, PRM_TIRC_DISP_TYPE_DIRECT);
	prm_tirc_set_inline_rqn(tirc, qp->raw.rqn);
	prm_tirc_set_transport_domain(tirc, qp->q.u.file->tdn);
	prm_tirc_set_self_lb_block(tirc, block);
	return raw_tir_create(qp, in);
}

/* --- the QP ----------------------------------------------------------------------------------- */

/* Checks and pins the memory: two rings and one doorbell record. */
int raw_check_memory(struct uverbs_file *f, struct qp_plan *p)
{
	uint64_t rq_len = p->rq_count ? (uint64_t)p->rq_count << p->u.rq_wqe_shift : 0;
	const struct queue_memory rq = {"CREATE_QP", "buf_addr", p->u.buf_addr,
					rq_len,	     false,	 true};
	const struct queue_memory sq = {
		"CREATE_QP", "sq_buf_addr", p->u.sq_buf_addr, (uint64_t)p->sq_count << LOG_WQEBB,
		false,	     true};
	int err = queue_dbrec(f, rq.method, p->u.db_addr, false);

	if (!err && p->rq_count)
		err = queue_pages(&p->pages, f, &rq);
	if (!err && p->sq_count)
		err = queue_pages(&p->sq_pages, f, &sq);
	return err;
}

/* Replaces the rule that leads what the QP sends to a vport. */
static void raw_lead(struct uverbs_qp *qp, struct fs_rule *rule)
{
	if (qp->raw.lead)
		fs_del(qp->raw.lead);
	qp->raw.lead = rule;
}

/* Leads what a QP on a representor's port sends to the vport, as mlx5_ib does when it gets a port. */
static int raw_set_port(struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *m)
{
	struct uverbs_file *f = qp->q.u.file;
	struct fs_rule *rule;
	int err;

	if (!(m->attr_mask & A_PORT) || !qp->raw.sqn || !vhca_has_reps(f->vhca))
		return 0;
	if (!vhca_port_has_rep(f->vhca, m->port_num))
		return refuse(-EINVAL, "MODIFY_QP: port_num %u: the port has no representor",
			      m->port_num);
	err = fs_slow_add(f->k, qp->raw.sqn, vhca_port_vport(f->vhca, m->port_num), &rule);
	if (!err)
		raw_lead(qp, rule);
	return err;
}

/* Destroys the objects that exist, referring ones first; stops at the first refusal. */
int raw_qp_destroy(struct uverbs_qp *qp)
{
	struct {
		uint16_t opcode;
		uint32_t *number;
	} parts[] = {
		{PRM_OPCODE_DESTROY_TIR, &qp->raw.tirn},
		{PRM_OPCODE_DESTROY_RQ, &qp->raw.rqn},
		{PRM_OPCODE_DESTROY_SQ, &qp->raw.sqn},
		{PRM_OPCODE_DESTROY_TIS, &qp->raw.tisn},
	};
	int err = 0;

	for (unsigned int i = 0; i < sizeof(parts) / sizeof(parts[0]) && !err; i++) {
		if (!*parts[i].number)
			continue;
		err = mbox_destroy(qp->q.u.file->vhca, parts[i].opcode, qp->q.u.uid,
				   *parts[i].number);
		if (!err)
			*parts[i].number = 0;
	}
	if (!err) {
		rate_put(qp->q.u.file, qp->raw.rate);
		qp->raw.rate = 0;
		raw_lead(qp, NULL);
	}
	return err;
}

int raw_qp_create(struct uverbs_qp *qp, const struct qp_plan *p)
{
	int err = 0;

	if (p->sq_count)
		err = raw_create_tis(qp);
	if (!err && p->sq_count)
		err = raw_create_sq(qp, p);
	if (!err && p->rq_count)
		err = raw_create_rq(qp, p);
	if (!err && p->rq_count)
		err = create_tir(qp, p);
	if (err)
		(void)raw_qp_destroy(qp);
	qp->q.u.number = p->sq_count ? qp->raw.sqn : qp->raw.rqn;
	return err;
}

/* Fills in the objects' numbers, which only a DevX context gets. */
void raw_qp_answer(const struct uverbs_qp *qp, struct mlx5_ib_create_qp_resp *r)
{
	if (!qp->q.u.uid)
		return;
	if (qp->raw.sqn) {
		r->sqn = qp->raw.sqn;
		r->tisn = qp->raw.tisn;
		r->comp_mask |= MLX5_IB_CREATE_QP_RESP_MASK_SQN | MLX5_IB_CREATE_QP_RESP_MASK_TISN;
	}
	if (qp->raw.rqn) {
		r->rqn = qp->raw.rqn;
		r->comp_mask |= MLX5_IB_CREATE_QP_RESP_MASK_RQN;
	}
	if (qp->raw.tirn) {
		r->tirn = qp->raw.tirn;
		r->tir_icm_addr = qp->raw.tir_icm;
		r->comp_mask |=
			MLX5_IB_CREATE_QP_RESP_MASK_TIRN | MLX5_IB_CREATE_QP_RESP_MASK_TIR_ICM_ADDR;
	}
}

/* --- states ----------------------------------------------------------------------------------- */

#define UNCHANGED   0xff
#define MODIFY_RATE (1u << 0) /* bit of MODIFY_SQ's modify_bitmask */

#define RST	    PRM_RQC_STATE_RST
#define RDY	    PRM_RQC_STATE_RDY
#define QERR	    PRM_RQC_STATE_ERR

/* ib_core's transitions for raw packet QPs, and the states to which mlx5_ib moves the queues. */
static const struct transition {
	uint8_t from, to, rq, sq;
	uint32_t need;
} transitions[] = {
	{RESET, RESET, UNCHANGED, UNCHANGED, 0},
	{RESET, INIT, RDY, RST, A_PORT},
	{INIT, INIT, UNCHANGED, UNCHANGED, 0},
	{INIT, RTR, UNCHANGED, UNCHANGED, 0},
	{RTR, RTS, UNCHANGED, RDY, 0},
	{RTS, RTS, UNCHANGED, RDY, 0},
	{INIT, RESET, RST, RST, 0},
	{RTR, RESET, RST, RST, 0},
	{RTS, RESET, RST, RST, 0},
	{SQE, RESET, RST, RST, 0},
	{ERR, RESET, RST, RST, 0},
	{INIT, ERR, QERR, QERR, 0},
	{RTR, ERR, QERR, QERR, 0},
	{RTS, ERR, QERR, QERR, 0},
	{SQE, ERR, QERR, QERR, 0},
	{ERR, ERR, QERR, QERR, 0},
};

static const struct transition *raw_find(unsigned int from, unsigned int to)
{
	for (unsigned int i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++) {
		if (transitions[i].from == from && transitions[i].to == to)
			return &transitions[i];
	}
	return NULL;
}

/* Moves the SQ to a state, with `rate` as its row of the rate table. */
static int raw_sq_modify(struct uverbs_qp *qp, uint8_t to, uint16_t rate)
{
	uint8_t in[PRM_MODIFY_SQ_IN_BYTES] = {0};
	int err;

	mbox_begin(in, PRM_OPCODE_MODIFY_SQ, qp->q.u.uid);
	prm_modify_sq_in_set_sqn(in, qp->raw.sqn);
	prm_modify_sq_in_set_sq_state(in, qp->raw.sq_state);
	prm_sqc_set_state(prm_modify_sq_in_at_ctx(in), to);
	if (rate != qp->raw.rate)
		prm_modify_sq_in_set_modify_bitmask(in, MODIFY_RATE);
	prm_sqc_set_packet_pacing_rate_limit_index(prm_modify_sq_in_at_ctx(in), rate);
	err = mbox_run(qp->q.u.file->vhca, in, sizeof(in));
	if (!err)
		qp->raw.sq_state = to;
	return err;
}

/* Moves the SQ. As in mlx5_ib, it loses its rate when it leaves RDY; the old row is freed last. */
static int raw_move_sq(struct uverbs_qp *qp, uint8_t to, const struct raw_change *c)
{
	bool change = c->m->attr_mask & RAW_RATE_LIMIT;
	uint16_t old = qp->raw.rate, rate = to == RDY && !change ? old : 0;
	int err = 0;

	if (!qp->raw.sqn || to == UNCHANGED)
		return 0;
	if (change && prm_set_pp_rate_limit_context_get_rate_limit(c->rate.ctx))
		err = rate_get(qp->q.u.file, &c->rate, &rate);
	if (err)
		return err;
	err = raw_sq_modify(qp, to, rate);
	if (err) {
		rate_put(qp->q.u.file, change ? rate : 0);
		return err;
	}
	qp->raw.rate = rate;
	rate_put(qp->q.u.file, change || rate != old ? old : 0);
	return 0;
}

static int raw_move_rq(struct uverbs_qp *qp, uint8_t to)
{
	int err;

	if (!qp->raw.rqn || to == UNCHANGED)
		return 0;
	err = raw_rq_modify(qp->q.u.file, qp->raw.rqn, qp->raw.rq_state, to, 0, false);
	if (!err)
		qp->raw.rq_state = to;
	return err;
}

static int raw_check_mask(const struct transition *t, const struct ib_uverbs_modify_qp *m)
{
	return qp_attr_check("a raw packet QP in this change", m->attr_mask, t->need,
			     A_STATE | (t->to == RTS ? RAW_RATE_LIMIT : 0));
}

int raw_qp_modify(struct uverbs_qp *qp, const struct raw_change *c)
{
	const struct ib_uverbs_modify_qp *m = c->m;
	unsigned int from = m->attr_mask & A_CUR_STATE ? m->cur_qp_state : qp->state;
	unsigned int to = m->attr_mask & A_STATE ? m->qp_state : from;
	const struct transition *t = raw_find(from, to);
	int err;

	if (!t)
		return refuse(-EINVAL,
			      "MODIFY_QP: qp_state: a raw packet QP has no way from %u to %u", from,
			      to);
	err = raw_check_mask(t, m) ?:
	      raw_move_rq(qp, t->rq) ?:
	      raw_set_port(qp, m) ?:
	      raw_move_sq(qp, t->sq, c);
	if (err)
		return err;
	qp->state = (uint8_t)to;
	if (m->attr_mask & A_PORT)
		qp->port = m->port_num;
	return 0;
}

/* --- QUERY_QP --------------------------------------------------------------------------------- */

static int raw_query_sq(struct uverbs_qp *qp)
{
	uint8_t out[PRM_QUERY_SQ_OUT_BYTES];
	int err =
		mbox_query(qp->q.u.file->vhca, PRM_OPCODE_QUERY_SQ, qp->raw.sqn, out, sizeof(out));

	if (!err)
		qp->raw.sq_state = (uint8_t)prm_sqc_get_state(prm_query_sq_out_cat_sq_context(out));
	return err;
}

static int raw_query_rq(struct uverbs_qp *qp)
{
	uint8_t out[PRM_QUERY_RQ_OUT_BYTES];
	int err =
		mbox_query(qp->q.u.file->vhca, PRM_OPCODE_QUERY_RQ, qp->raw.rqn, out, sizeof(out));

	if (!err)
		qp->raw.rq_state = (uint8_t)prm_rqc_get_state(prm_query_rq_out_cat_rq_context(out));
	return err;
}

/* Derives the QP's state from its queues' states, by mlx5_ib's table; without a row it stays. */
static uint8_t raw_state_of(const struct uverbs_qp *qp)
{
	bool sq = qp->raw.sqn, rq = qp->raw.rqn;

	if (rq && qp->raw.rq_state == RST && (!sq || qp->raw.sq_state == RST))
		return RESET;
	if (rq && sq && qp->raw.rq_state == RDY && qp->raw.sq_state == QERR)
		return SQE;
	if (rq && qp->raw.rq_state == QERR && (!sq || qp->raw.sq_state == QERR))
		return ERR;
	return qp->state;
}

int raw_qp_query(struct uverbs_qp *qp, struct ib_uverbs_query_qp_resp *r)
{
	int err;

	if (qp->raw.table)
		return refuse(-ENOSYS, "QUERY_QP: an RSS QP has no states");
	err = qp->raw.sqn ? raw_query_sq(qp) : 0;
	if (!err && qp->raw.rqn)
		err = raw_query_rq(qp);
	if (err)
		return err;
	qp->state = raw_state_of(qp);
	r->qp_state = r->cur_qp_state = qp->state;
	r->port_num = qp->port;
	r->max_recv_wr = qp->rq_wr;
	r->max_recv_sge = qp->rq_sge;
	r->max_inline_data = qp->max_inline;
	r->sq_sig_all = qp->sig_all;
	return 0;
}
