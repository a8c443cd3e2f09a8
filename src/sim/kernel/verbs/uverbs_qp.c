/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queue pairs: creation, destruction, events. uverbs_qp_plan.c checks CREATE_QP, uverbs_qp_modify.c
 * has the states.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/qp.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "qp.h"
#include "kernel/core/cmd.h"
#include "obj/device.h"
#include "uverbs/resource.h"

#define DATA_SEG 16u

/* Hardware events, and their enum ib_event_type. */
static const struct {
	uint8_t hw, ib;
} events[] = {
	{PRM_EVENT_WQ_CATAS_ERROR, 1},	{PRM_EVENT_WQ_INVAL_REQ_ERROR, 2},
	{PRM_EVENT_WQ_ACCESS_ERROR, 3}, {PRM_EVENT_COMM_EST, 4},
	{PRM_EVENT_SQ_DRAINED, 5},	{PRM_EVENT_PATH_MIG, 6},
	{PRM_EVENT_PATH_MIG_FAILED, 7}, {PRM_EVENT_SRQ_LAST_WQE, 16},
};

static void uverbs_qp_event(struct uobj *u, uint8_t type)
{
	for (unsigned int i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].hw == type)
			uverbs_queue_post((struct uverbs_queue *)u, events[i].ib);
}

static int qp_destroy_hw(struct uverbs_qp *qp)
{
	struct vhca *v = qp->q.u.file->vhca;

	/*
	 * This fails only if the program has modified the QP through DevX; DESTROY_QP then returns
	 * the error.
	 */
	if (qp->state)
		(void)mbox_destroy(v, PRM_OPCODE_2RST_QP, qp->q.u.uid, qp->q.u.number);
	return mbox_destroy(v, PRM_OPCODE_DESTROY_QP, qp->q.u.uid, qp->q.u.number);
}

static int uverbs_qp_release(struct uobj *u)
{
	struct uverbs_qp *qp = (struct uverbs_qp *)u;
	int err;

	if (u->file->closing)
		mcast_leave_all(qp);
	else if (qp->groups)
		return refuse(-EBUSY, "DESTROY_QP: qp 0x%x is in a multicast group",
			      qp->q.u.number);
	if (qp->raw.on)
		err = raw_qp_destroy(qp);
	else if (qp->target)
		err = xrc_target_destroy(qp);
	else
		err = qp->type == QP_TYPE_DCT ? dct_qp_destroy(qp) : qp_destroy_hw(qp);
	if (err)
		return err;
	hw_ref_del(&qp->raw.rq_hw);
	uverbs_queue_close(&qp->q);
	return 0;
}

static void uverbs_qp_describe(struct uobj *u, struct uverbs_resource *r)
{
	struct uverbs_qp *qp = (struct uverbs_qp *)u;

	r->kind = RESOURCE_QP;
	r->id = qp->q.u.number;
	r->pd = qp->pd ? qp->pd->number : 0;
	r->type = qp->type == QP_TYPE_DCI || qp->type == QP_TYPE_DCT ? IB_UVERBS_QPT_DRIVER
								     : qp->type;
	r->port = qp->port;
	r->srq = qp->srq ? qp->srq->q.u.number : 0;
	qp_modify_describe(qp, r);
}

const struct uobj_class qp_class = {"QP", UVERBS_OBJECT_QP, 0, uverbs_qp_release,
				    uverbs_qp_describe};

static unsigned int log2_of(uint32_t n)
{
	return (unsigned int)__builtin_ctz(n);
}

/*
 * Sets cs_req and cs_res by QP type, as mlx5_ib does: libmlx5 sets the flag for all types. DCIs need
 * dc_req_scat_data_cqe, which each device has.
 */
static void set_scatter_to_cqe(const struct uverbs_file *f, void *qpc, const struct qp_plan *p)
{
	const bool rc = p->type == IB_UVERBS_QPT_RC, dci = p->type == QP_TYPE_DCI;
	const bool wide = p->scq->cqe_size == 128;

	if (!(p->u.flags & MLX5_QP_FLAG_SCATTER_CQE) ||
	    !prm_cmd_hca_cap_get_sctr_data_cqe(file_caps(f)))
		return;
	if (rc || p->type == IB_UVERBS_QPT_UC)
		prm_qpc_set_cs_res(qpc, p->rcq->cqe_size == 128 ? PRM_QPC_CS_RES_UP_TO_64B
								: PRM_QPC_CS_RES_UP_TO_32B);
	if (!rc && !dci)
		return;
	if (p->u.flags & MLX5_QP_FLAG_ALLOW_SCATTER_CQE ||
	    p->flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL)
		prm_qpc_set_cs_req(qpc, wide ? PRM_QPC_CS_REQ_UP_TO_64B : PRM_QPC_CS_REQ_UP_TO_32B);
}

static void set_queues(void *qpc, const struct qp_plan *p)
{
	if (p->rq_count) {
		prm_qpc_set_log_rq_size(qpc, log2_of(p->rq_count));
		prm_qpc_set_log_rq_stride(qpc, p->u.rq_wqe_shift - 4);
	} else if (p->srq) {
		prm_qpc_set_rq_type(qpc, PRM_QPC_RQ_TYPE_SRQ);
		prm_qpc_set_srqn_rmpn_xrqn(qpc, p->srq->q.u.number);
	} else {
		prm_qpc_set_rq_type(qpc, PRM_QPC_RQ_TYPE_ZERO_SIZE);
	}
	if (p->sq_count)
		prm_qpc_set_log_sq_size(qpc, log2_of(p->sq_count));
	else
		prm_qpc_set_no_sq(qpc, 1);
}

/* Follows mlx5_ib's get_qp_ts_format(): both queues of a QP have the same clock. */
static int uverbs_qp_ts_format(const struct uverbs_file *f, const struct qp_plan *p, uint8_t *out)
{
	const uint8_t formats = f->vhca->dev->profile->qp_ts_format;
	uint8_t receive;
	int err = cq_ts_format(p->scq, formats, "CREATE_QP", out);

	if (err || !p->rcq)
		return err;
	err = cq_ts_format(p->rcq, formats, "CREATE_QP", &receive);
	if (err)
		return err;
	if (*out != receive && *out != PRM_QPC_TS_FORMAT_DEFAULT &&
	    receive != PRM_QPC_TS_FORMAT_DEFAULT)
		return refuse(
			-EOPNOTSUPP,
			"CREATE_QP: one of its CQs has timestamps in real time, the other has not");
	if (*out == PRM_QPC_TS_FORMAT_DEFAULT)
		*out = receive;
	return 0;
}

static void set_qpc(const struct uverbs_file *f, void *qpc, const struct qp_plan *p)
{
	prm_qpc_set_st(qpc, qp_type_find(p->type)->st);
	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_pd(qpc, p->pd->number);
	prm_qpc_set_uar_page(qpc, p->u.bfreg_index);
	prm_qpc_set_user_index(qpc, p->u.uidx);
	if (p->pages.n) {
		prm_qpc_set_page_offset(qpc, pages_queue_offset(&p->pages));
		prm_qpc_set_log_page_size(qpc, p->pages.log_page - 12);
	}
	prm_qpc_set_cqn_snd(qpc, p->scq->q.u.number);
	if (p->rcq)
		prm_qpc_set_cqn_rcv(qpc, p->rcq->q.u.number);
	prm_qpc_set_dbr_addr(qpc, file_bus(f, p->u.db_addr));
	/* mlx5_ib ignores the flag for raw packet QPs, which have no qpc. */
	prm_qpc_set_block_lb_mc(qpc, !!(p->flags & IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK));
	if (p->u.flags & MLX5_QP_FLAG_DCI_STREAM) {
		prm_qpc_set_log_num_dci_stream_channels(qpc, p->u.dci_streams.log_num_concurent);
		prm_qpc_set_log_num_dci_errored_streams(qpc, p->u.dci_streams.log_num_errored);
	}
	set_queues(qpc, p);
	set_scatter_to_cqe(f, qpc, p);
}

static int uverbs_qp_make(struct uverbs_file *f, const struct qp_plan *p, struct uverbs_qp *qp)
{
	uint8_t out[PRM_CREATE_QP_OUT_BYTES], clock;
	void *in;
	int err = uverbs_qp_ts_format(f, p, &clock);

	if (err)
		return err;
	in = pages_command(&p->pages, PRM_OPCODE_CREATE_QP, qp->q.u.uid, PRM_CREATE_QP_IN_BYTES, 0);
	if (!in)
		return -ENOMEM;
	prm_create_qp_in_set_ece(in, p->u.ece_options);
	set_qpc(f, prm_create_qp_in_at_qpc(in), p);
	prm_qpc_set_ts_format(prm_create_qp_in_at_qpc(in), clock);
	err = mbox_exec(f->vhca, in, PRM_CREATE_QP_IN_BYTES + 8ull * p->pages.n, out, sizeof(out));
	free(in);
	if (err)
		return err;
	qp->q.u.number = prm_create_qp_out_get_qpn(out);
	qp->ece = prm_create_qp_out_get_ece(out);
	return 0;
}

static void uverbs_qp_hold(struct uverbs_qp *qp, const struct qp_plan *p)
{
	struct uobj *const held[UOBJ_HELD] = {p->pd,
					      (struct uobj *)p->xrcd,
					      (struct uobj *)p->scq,
					      (struct uobj *)p->rcq,
					      (struct uobj *)p->srq,
					      (struct uobj *)p->table};

	for (unsigned int i = 0; i < UOBJ_HELD; i++)
		uobj_hold(&qp->q.u, held[i]);
	qp->pd = p->pd;
	qp->scq = p->scq;
	qp->rcq = p->rcq;
	qp->srq = p->srq;
	qp->xrcd = p->xrcd;
	if (qp->raw.on)
		hw_ref_add(&qp->raw.rq_hw, &qp->q.u, HW_QP, qp->raw.rqn, uverbs_qp_event);
	/* events of a DCT go to the kernel and DevX only */
	uverbs_queue_open(&qp->q, p->async, HW_QP,
			  qp->type == QP_TYPE_DCT ? NULL : uverbs_qp_event);
}

void uverbs_qp_join(struct uverbs_qp *qp, struct uverbs_xrcd *xrcd, struct channel *async)
{
	uverbs_qp_hold(qp, &(struct qp_plan){.xrcd = xrcd, .async = async});
}

static void uverbs_qp_answer(struct uverbs_request *req, const struct uverbs_qp *qp,
			     const struct qp_plan *p)
{
	struct mlx5_ib_create_qp_resp uhw = {.bfreg_index = UINT32_MAX};
	struct ib_uverbs_qp_cap cap = p->cap;

	uhw.ece_options = qp->ece;
	cap.max_recv_wr = qp->rq_wr;
	cap.max_recv_sge = qp->rq_sge;
	if (qp->raw.on)
		raw_qp_answer(qp, &uhw);
	attr_new_handle(req, UVERBS_ATTR_CREATE_QP_HANDLE, &qp->q.u);
	attr_out(req, UVERBS_ATTR_CREATE_QP_RESP_CAP, &cap, sizeof(cap));
	attr_out(req, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &qp->q.u.number, sizeof(qp->q.u.number));
	if (p->type != IB_UVERBS_QPT_XRC_TGT)
		attr_out(req, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
}

static void uverbs_qp_fill(struct uverbs_qp *qp, const struct qp_plan *p)
{
	qp->q.u.uid = xrc_is(p->type) ? 0 : p->pd->uid;
	qp->type = (uint8_t)p->type;
	qp->port = 1;
	qp->sig_all = p->flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	qp->max_inline = p->cap.max_inline_data;
	qp->rq_wr = p->rq_count;
	qp->rq_sge = p->rq_count ? (1u << p->u.rq_wqe_shift) / DATA_SEG : 0;
	qp->dbrec = file_bus(qp->q.u.file, p->u.db_addr);
	qp->raw.on = p->type == IB_UVERBS_QPT_RAW_PACKET;
	qp->raw.table = p->table;
}

static int create_any(struct uverbs_file *f, const struct qp_plan *p, struct uverbs_qp *qp)
{
	if (p->table)
		return rss_qp_create(qp, p);
	if (p->type == QP_TYPE_DCT)
		return dct_qp_create(qp, p);
	if (p->type == IB_UVERBS_QPT_XRC_TGT)
		return xrc_target_create(qp, p);
	return qp->raw.on ? raw_qp_create(qp, p) : uverbs_qp_make(f, p, qp);
}

int uverbs_qp_create(struct uverbs_file *f, struct uverbs_request *req)
{
	struct qp_plan p = {.flags = 0};
	struct uverbs_qp *qp;
	int err = uverbs_qp_make_plan(f, req, &p);

	if (err)
		return err;
	qp = uobj_new(f, &qp_class, sizeof(*qp));
	if (!qp)
		return -ENOMEM;
	uverbs_qp_fill(qp, &p);
	err = create_any(f, &p, qp);
	if (err)
		return err;
	qp->q.user_handle = attr_value(req, UVERBS_ATTR_CREATE_QP_USER_HANDLE);
	uverbs_qp_hold(qp, &p);
	uverbs_qp_answer(req, qp, &p);
	return 0;
}
