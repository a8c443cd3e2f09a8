/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared receive queues, which are RMPs as the firmware has ISSI 1, or XRC SRQs. */
#include <errno.h>
#include <stddef.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/rq.h>
#include <dvx/prm/wqe.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "kernel/core/cmd.h"
#include "kernel/core/pages.h"
#include "priv.h"
#include "qp.h"
#include "uverbs/resource.h"

#define DATA_SEG	16u
#define STRIDE_LEAST	32u
#define EVENT_SRQ_ERR	14 /* enum ib_event_type */
#define EVENT_SRQ_LIMIT 15

static void uverbs_srq_event(struct uobj *u, uint8_t type)
{
	uverbs_queue_post((struct uverbs_queue *)u,
			  type == PRM_EVENT_SRQ_RQ_LIMIT ? EVENT_SRQ_LIMIT : EVENT_SRQ_ERR);
}

static int uverbs_srq_release(struct uobj *u)
{
	struct uverbs_srq *srq = (struct uverbs_srq *)u;
	int err = mbox_destroy(u->file->vhca,
			       srq->xrcd ? PRM_OPCODE_DESTROY_XRC_SRQ : PRM_OPCODE_DESTROY_RMP,
			       srq->q.u.uid, srq->q.u.number);

	if (err)
		return err;
	uverbs_queue_close(&srq->q);
	return 0;
}

static void uverbs_srq_describe(struct uobj *u, struct uverbs_resource *r)
{
	const struct uverbs_srq *srq = (const struct uverbs_srq *)u;

	r->kind = RESOURCE_SRQ;
	r->id = srq->q.u.number;
	r->pd = srq->pd ? srq->pd->number : 0;
	r->type = srq->xrcd ? IB_UVERBS_SRQT_XRC : IB_UVERBS_SRQT_BASIC;
	r->cqn = srq->cq ? srq->cq->q.u.number : 0;
}

const struct uobj_class srq_class = {"SRQ", UVERBS_OBJECT_SRQ, 0, uverbs_srq_release,
				     uverbs_srq_describe};

/* --- CREATE_SRQ ------------------------------------------------------------------------------- */

struct srq_plan {
	struct mlx5_ib_create_srq u;
	struct uobj *pd;
	struct uverbs_xrcd *xrcd; /* XRC */
	struct uverbs_cq *cq;	  /* XRC */
	bool xrc;
	struct channel *async;
	uint32_t max_sge;
	unsigned int log_size, log_stride;
	struct pages pages;
};

static unsigned int log_up(uint32_t n)
{
	unsigned int log = 0;

	while (1ull << log < n)
		log++;
	return log;
}

/* Computes sizes as mlx5_ib does: one entry more, and a link before the data segments. */
static int uverbs_srq_check_size(const struct uverbs_file *f, struct uverbs_request *req,
				 struct srq_plan *p)
{
	const uint8_t *cap = file_caps(f);
	uint32_t most = 1u << prm_cmd_hca_cap_get_log_max_srq_sz(cap);
	uint32_t most_sge = prm_cmd_hca_cap_get_max_wqe_sz_rq(cap) / DATA_SEG, stride;
	uint64_t wr = attr_value(req, UVERBS_ATTR_CREATE_SRQ_MAX_WR);
	uint64_t sge = attr_value(req, UVERBS_ATTR_CREATE_SRQ_MAX_SGE);

	if (wr >= most || sge > most_sge)
		return refuse(-EINVAL,
			      "CREATE_SRQ: MAX_WR %llu is not below %u, or MAX_SGE %llu above %u",
			      (unsigned long long)wr, most, (unsigned long long)sge, most_sge);
	stride = PRM_WQE_SRQ_NEXT_SEG_BYTES + (uint32_t)sge * DATA_SEG;
	p->max_sge = (uint32_t)sge;
	p->log_size = log_up((uint32_t)wr + 1);
	p->log_stride = log_up(stride < STRIDE_LEAST ? STRIDE_LEAST : stride);
	return 0;
}

static int uverbs_srq_check_memory(struct uverbs_file *f, struct srq_plan *p)
{
	const struct queue_memory ring = {"CREATE_SRQ",	 "buf_addr",
					  p->u.buf_addr, 1ull << (p->log_size + p->log_stride),
					  false,	 true};

	return queue_dbrec(f, ring.method, p->u.db_addr, false) ?: queue_pages(&p->pages, f, &ring);
}

static int uverbs_srq_check_type(struct uverbs_request *req, struct srq_plan *p)
{
	uint64_t type = attr_value(req, UVERBS_ATTR_CREATE_SRQ_TYPE);

	if (type == IB_UVERBS_SRQT_BASIC || p->xrc)
		return 0;
	if (type == IB_UVERBS_SRQT_TM)
		return refuse(-EOPNOTSUPP, "CREATE_SRQ: type %llu: this device matches no tags",
			      (unsigned long long)type);
	return refuse(-EINVAL, "CREATE_SRQ: type %llu is not known", (unsigned long long)type);
}

static int uverbs_srq_find_xrc(struct uverbs_file *f, struct uverbs_request *req,
			       struct srq_plan *p)
{
	int err = attr_uobj(f, req, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, &cq_class, &p->cq);

	if (!err)
		err = attr_uobj(f, req, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, &xrcd_class, &p->xrcd);
	if (!err && (!p->cq || !p->xrcd))
		err = refuse(-ENOENT, "CREATE_SRQ: an XRC SRQ has a CQ and a domain");
	return err;
}

/* Checks the CQ of tag matching: ib_uverbs does so before the driver refuses the type. */
static int uverbs_srq_find_tags(struct uverbs_file *f, struct uverbs_request *req)
{
	struct uobj *cq = NULL;
	int err = attr_uobj(f, req, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, &cq_class, &cq);

	if (err || (cq && attr_find(req, UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS)))
		return err;
	return refuse(-ENOENT, "CREATE_SRQ: one that matches tags has a CQ and MAX_NUM_TAGS");
}

static int uverbs_srq_find_objects(struct uverbs_file *f, struct uverbs_request *req,
				   struct srq_plan *p)
{
	int err = attr_uobj(f, req, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, &pd_class, &p->pd);

	if (err)
		return err;
	p->xrc = attr_value(req, UVERBS_ATTR_CREATE_SRQ_TYPE) == IB_UVERBS_SRQT_XRC;
	err = p->xrc ? uverbs_srq_find_xrc(f, req, p) : 0;
	if (!err && attr_value(req, UVERBS_ATTR_CREATE_SRQ_TYPE) == IB_UVERBS_SRQT_TM)
		err = uverbs_srq_find_tags(f, req);
	if (err)
		return err;
	return uverbs_queue_find_async(f, req, UVERBS_ATTR_CREATE_SRQ_EVENT_FD, &p->async);
}

static int uverbs_srq_make_plan(struct uverbs_file *f, struct uverbs_request *req,
				struct srq_plan *p)
{
	int err = uverbs_srq_find_objects(f, req, p) ?:
		  uverbs_srq_check_type(req, p) ?:
		  uverbs_srq_check_size(f, req, p);

	if (!err && attr_in(req, UVERBS_ATTR_UHW_IN, "CREATE_SRQ: UHW_IN", &p->u, sizeof(p->u)))
		err = -EINVAL; /* mlx5_ib uses this errno for all it does not know */
	if (!err && (p->u.reserved0 || p->u.reserved1))
		err = refuse(-EINVAL, "CREATE_SRQ: UHW_IN: a reserved field is not 0");
	if (!err && p->xrc && p->u.uidx >= UIDX_DEFAULT)
		err = refuse(-EINVAL, "CREATE_SRQ: uidx 0x%x is not below 0xffffff", p->u.uidx);
	return err ?: uverbs_srq_check_memory(f, p);
}

static void set_rmpc(const struct uverbs_file *f, void *rmpc, const struct srq_plan *p)
{
	void *wq = prm_rmpc_at_wq(rmpc);

	prm_rmpc_set_state(rmpc, PRM_RMPC_STATE_RDY);
	prm_wq_set_wq_type(wq, PRM_WQ_TYPE_LINKED_LIST);
	prm_wq_set_wq_signature(wq, !!(p->u.flags & MLX5_SRQ_FLAG_SIGNATURE));
	prm_wq_set_log_wq_sz(wq, p->log_size);
	prm_wq_set_log_wq_stride(wq, p->log_stride);
	prm_wq_set_log_wq_pg_sz(wq, p->pages.log_page - 12);
	prm_wq_set_page_offset(wq, pages_queue_offset(&p->pages));
	prm_wq_set_pd(wq, p->pd->number);
	prm_wq_set_dbr_addr(wq, file_bus(f, p->u.db_addr));
}

static void set_xrc_srqc(const struct uverbs_file *f, void *ctx, const struct srq_plan *p)
{
	const uint64_t record = file_bus(f, p->u.db_addr);

	prm_xrc_srqc_set_wq_signature(ctx, !!(p->u.flags & MLX5_SRQ_FLAG_SIGNATURE));
	prm_xrc_srqc_set_log_xrc_srq_size(ctx, p->log_size);
	prm_xrc_srqc_set_log_rq_stride(ctx, p->log_stride - 4);
	prm_xrc_srqc_set_log_page_size(ctx, p->pages.log_page - 12);
	prm_xrc_srqc_set_page_offset(ctx, pages_queue_offset(&p->pages));
	prm_xrc_srqc_set_pd(ctx, p->pd->number);
	prm_xrc_srqc_set_xrcd(ctx, p->xrcd->domain->xrcdn);
	prm_xrc_srqc_set_cqn(ctx, p->cq->q.u.number);
	prm_xrc_srqc_set_user_index(ctx, p->u.uidx);
	prm_xrc_srqc_set_db_record_addr_h(ctx, (uint32_t)(record >> 32));
	prm_xrc_srqc_set_db_record_addr_l(ctx, (uint32_t)record >> 2);
}

/* Makes an XRC SRQ with uid 0, as its domain's: targets of other programs use it. */
static int uverbs_srq_make_xrc(struct uverbs_srq *srq, const struct srq_plan *p)
{
	void *in = pages_command(&p->pages, PRM_OPCODE_CREATE_XRC_SRQ, 0,
				 PRM_CREATE_XRC_SRQ_IN_BYTES, 0);

	if (!in)
		return -ENOMEM;
	set_xrc_srqc(srq->q.u.file, prm_create_xrc_srq_in_at_xrc_srq_context_entry(in), p);
	return pages_create(&p->pages, srq->q.u.file->vhca, in, PRM_CREATE_XRC_SRQ_IN_BYTES,
			    &srq->q.u.number);
}

static int uverbs_srq_make(struct uverbs_srq *srq, const struct srq_plan *p)
{
	void *in = pages_command(&p->pages, PRM_OPCODE_CREATE_RMP, p->pd->uid,
				 PRM_CREATE_RMP_IN_BYTES, 0);

	if (!in)
		return -ENOMEM;
	set_rmpc(srq->q.u.file, prm_create_rmp_in_at_ctx(in), p);
	return pages_create(&p->pages, srq->q.u.file->vhca, in, PRM_CREATE_RMP_IN_BYTES,
			    &srq->q.u.number);
}

static void uverbs_srq_hold(struct uverbs_srq *srq, const struct srq_plan *p)
{
	srq->pd = p->pd;
	srq->q.u.uid = p->xrc ? 0 : p->pd->uid;
	srq->xrcd = p->xrcd;
	srq->cq = p->cq;
	uobj_hold(&srq->q.u, srq->pd);
	uobj_hold(&srq->q.u, (struct uobj *)srq->xrcd);
	uobj_hold(&srq->q.u, (struct uobj *)srq->cq);
	srq->max_wr = (1u << p->log_size) - 1;
	srq->max_sge = p->max_sge;
	uverbs_queue_open(&srq->q, p->async, HW_SRQ, uverbs_srq_event);
}

int uverbs_srq_create(struct uverbs_file *f, struct uverbs_request *req)
{
	struct mlx5_ib_create_srq_resp uhw = {0};
	struct srq_plan p = {.pd = NULL};
	struct uverbs_srq *srq;
	int err = uverbs_srq_make_plan(f, req, &p);

	if (err)
		return err;
	srq = uobj_new(f, &srq_class, sizeof(*srq));
	if (!srq)
		return -ENOMEM;
	err = p.xrc ? uverbs_srq_make_xrc(srq, &p) : uverbs_srq_make(srq, &p);
	if (err)
		return err;
	srq->q.user_handle = attr_value(req, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE);
	uverbs_srq_hold(srq, &p);
	uhw.srqn = srq->q.u.number;
	attr_new_handle(req, UVERBS_ATTR_CREATE_SRQ_HANDLE, &srq->q.u);
	attr_out(req, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &srq->max_wr, sizeof(srq->max_wr));
	attr_out(req, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &srq->max_sge, sizeof(srq->max_sge));
	if (p.xrc)
		attr_out(req, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, &srq->q.u.number,
			 sizeof(srq->q.u.number));
	attr_out(req, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return 0;
}

/* --- MODIFY_SRQ, QUERY_SRQ -------------------------------------------------------------------- */

enum { S_MAX_WR = 1, S_LIMIT = 2 }; /* enum ib_srq_attr_mask */

static int arm_limit(const struct uverbs_srq *srq, uint32_t limit)
{
	uint8_t in[PRM_MODIFY_RMP_IN_BYTES] = {0};
	void *rmpc = prm_modify_rmp_in_at_ctx(in);

	mbox_begin(in, PRM_OPCODE_MODIFY_RMP, srq->q.u.uid);
	prm_modify_rmp_in_set_rmpn(in, srq->q.u.number);
	prm_modify_rmp_in_set_rmp_state(in, PRM_RMPC_STATE_RDY);
	prm_rmp_bitmask_set_lwm(prm_modify_rmp_in_at_bitmask(in), 1);
	prm_rmpc_set_state(rmpc, PRM_RMPC_STATE_RDY);
	prm_wq_set_lwm(prm_rmpc_at_wq(rmpc), limit);
	return mbox_run(srq->q.u.file->vhca, in, sizeof(in));
}

static int arm_limit_xrc(const struct uverbs_srq *srq, uint32_t limit)
{
	uint8_t in[PRM_ARM_XRC_SRQ_IN_BYTES] = {0};

	mbox_begin(in, PRM_OPCODE_ARM_XRC_SRQ, 0);
	prm_arm_xrc_srq_in_set_op_mod(in, 1);
	prm_arm_xrc_srq_in_set_xrc_srqn(in, srq->q.u.number);
	prm_arm_xrc_srq_in_set_lwm(in, limit);
	return mbox_run(srq->q.u.file->vhca, in, sizeof(in));
}

int wcmd_modify_srq(struct wcmd *c)
{
	const struct ib_uverbs_modify_srq *m = c->in;
	const struct uverbs_srq *srq;
	int err = uobj_find(c->f, m->srq_handle, &srq_class, &srq);

	if (err)
		return err;
	if (m->attr_mask & S_MAX_WR)
		return refuse(-EINVAL, "MODIFY_SRQ: max_wr: mlx5 resizes no SRQs");
	if (!(m->attr_mask & S_LIMIT))
		return 0;
	if (m->srq_limit > srq->max_wr)
		return refuse(-EINVAL, "MODIFY_SRQ: srq_limit %u is above the SRQ's %u entries",
			      m->srq_limit, srq->max_wr);
	return srq->xrcd ? arm_limit_xrc(srq, m->srq_limit) : arm_limit(srq, m->srq_limit);
}

static int query_limit_xrc(const struct uverbs_srq *srq, uint32_t *limit)
{
	uint8_t out[PRM_QUERY_XRC_SRQ_OUT_BYTES];
	int err = mbox_query(srq->q.u.file->vhca, PRM_OPCODE_QUERY_XRC_SRQ, srq->q.u.number, out,
			     sizeof(out));

	if (!err)
		*limit = prm_xrc_srqc_get_lwm(prm_query_xrc_srq_out_cat_xrc_srq_context_entry(out));
	return err;
}

static int query_limit(const struct uverbs_srq *srq, uint32_t *limit)
{
	uint8_t out[PRM_QUERY_RMP_OUT_BYTES];
	int err = mbox_query(srq->q.u.file->vhca, PRM_OPCODE_QUERY_RMP, srq->q.u.number, out,
			     sizeof(out));

	if (!err)
		*limit = prm_wq_get_lwm(prm_rmpc_cat_wq(prm_query_rmp_out_cat_rmp_context(out)));
	return err;
}

int wcmd_query_srq(struct wcmd *c)
{
	const struct ib_uverbs_query_srq *q = c->in;
	struct ib_uverbs_query_srq_resp r = {0};
	const struct uverbs_srq *srq;
	int err = uobj_find(c->f, q->srq_handle, &srq_class, &srq);

	if (err)
		return err;
	err = srq->xrcd ? query_limit_xrc(srq, &r.srq_limit) : query_limit(srq, &r.srq_limit);
	if (err)
		return err;
	r.max_wr = srq->max_wr;
	r.max_sge = srq->max_sge;
	wcmd_out(c, &r, sizeof(r));
	return 0;
}
