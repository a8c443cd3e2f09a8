/* SPDX-License-Identifier: BSD-2-Clause */
/* Receive WQs and tables of them. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eqe.h>
#include <dvx/prm/eth.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include "kernel/core/cmd.h"
#include "kernel/core/pages.h"
#include "qp.h"

#define EVENT_WQ_FATAL 19 /* enum ib_event_type */
#define RQ_MODIFY_VSD  (1u << 1)
#define WQ_FLAGS                                                               \
	(IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING | IB_UVERBS_WQ_FLAGS_SCATTER_FCS | \
	 IB_UVERBS_WQ_FLAGS_DELAY_DROP | IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING)

enum { WQ_RESET, WQ_READY, WQ_ERROR }; /* enum ib_wq_state */

static uint8_t hw_state(unsigned int state)
{
	return state == WQ_ERROR ? PRM_RQC_STATE_ERR : (uint8_t)state;
}

static void uverbs_wq_event(struct uobj *u, uint8_t type)
{
	if (type == PRM_EVENT_WQ_CATAS_ERROR)
		uverbs_queue_post((struct uverbs_queue *)u, EVENT_WQ_FATAL);
}

static int uverbs_wq_release(struct uobj *u)
{
	uverbs_queue_close((struct uverbs_queue *)u);
	return 0;
}

const struct uobj_class wq_class = {"WQ", UVERBS_OBJECT_WQ, PRM_OPCODE_DESTROY_RQ,
				    uverbs_wq_release, NULL};

/* --- CREATE_WQ -------------------------------------------------------------------------------- */

struct wq_plan {
	struct mlx5_ib_create_wq u;
	uint64_t flags;
	struct uobj *pd;
	struct uverbs_cq *cq;
	struct channel *async;
	struct pages pages;
};

static int uverbs_wq_find_objects(struct uverbs_file *f, struct uverbs_request *req,
				  struct wq_plan *p)
{
	int err = attr_uobj(f, req, UVERBS_ATTR_CREATE_WQ_PD_HANDLE, &pd_class, &p->pd);

	if (!err)
		err = attr_uobj(f, req, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, &cq_class, &p->cq);
	return err ? err
		   : uverbs_queue_find_async(f, req, UVERBS_ATTR_CREATE_WQ_EVENT_FD, &p->async);
}

static int uverbs_wq_check_strides(const struct mlx5_ib_create_wq *u)
{
	const uint32_t bytes = u->single_stride_log_num_of_bytes,
		       n = u->single_wqe_log_num_of_strides;

	if (bytes >= RAW_LOG_STRIDE_LEAST && bytes <= RAW_LOG_STRIDE_MOST &&
	    n >= RAW_LOG_STRIDES_LEAST && n <= RAW_LOG_STRIDES_MOST)
		return 0;
	return refuse(-EINVAL,
		      "CREATE_WQ: single_stride_log_num_of_bytes %u, single_wqe_log_num_of_strides "
		      "%u: they are %u to %u and %u to %u",
		      bytes, n, RAW_LOG_STRIDE_LEAST, RAW_LOG_STRIDE_MOST, RAW_LOG_STRIDES_LEAST,
		      RAW_LOG_STRIDES_MOST);
}

static struct rq_strides uverbs_wq_strides(const struct mlx5_ib_create_wq *u)
{
	struct rq_strides s = {0};

	if (!(u->comp_mask & MLX5_IB_CREATE_WQ_STRIDING_RQ))
		return s;
	s.log_bytes = u->single_stride_log_num_of_bytes;
	s.log_strides = u->single_wqe_log_num_of_strides;
	s.shift = u->two_byte_shift_en;
	return s;
}

static int uverbs_wq_check_uhw(const struct uverbs_file *f, const struct mlx5_ib_create_wq *u)
{
	const uint8_t *cap = file_caps(f);
	uint32_t most = 1u << prm_cmd_hca_cap_get_log_max_wq_sz(cap);
	uint32_t stride = prm_cmd_hca_cap_get_max_wqe_sz_rq(cap);

	if (u->comp_mask & ~(uint32_t)MLX5_IB_CREATE_WQ_STRIDING_RQ || u->flags)
		return refuse(-EOPNOTSUPP,
			      "CREATE_WQ: comp_mask 0x%x, flags 0x%x: signatures are not offered",
			      u->comp_mask, u->flags);
	if (u->comp_mask && uverbs_wq_check_strides(u))
		return -EINVAL;
	if (!u->rq_wqe_count || u->rq_wqe_count & (u->rq_wqe_count - 1) || u->rq_wqe_count > most)
		return refuse(-EINVAL, "CREATE_WQ: rq_wqe_count %u is no power of two up to %u",
			      u->rq_wqe_count, most);
	if (u->rq_wqe_shift < 4 || u->rq_wqe_shift > 11 || 1u << u->rq_wqe_shift > stride)
		return refuse(-EINVAL, "CREATE_WQ: rq_wqe_shift %u: a receive has 16 to %u bytes",
			      u->rq_wqe_shift, stride);
	if (u->user_index > 0xffffff)
		return refuse(-EINVAL, "CREATE_WQ: user_index 0x%x has more than 24 bits",
			      u->user_index);
	return 0;
}

static int uverbs_wq_take_uhw(struct uverbs_request *req, struct mlx5_ib_create_wq *u)
{
	const struct uverbs_attr *in = attr_find(req, UVERBS_ATTR_UHW_IN);
	const struct uverbs_attr *out = attr_find(req, UVERBS_ATTR_UHW_OUT);

	if (out && out->len && out->len < sizeof(struct mlx5_ib_create_wq_resp))
		return refuse(-EINVAL, "CREATE_WQ: UHW_OUT has %u bytes, its reply has %zu",
			      out->len, sizeof(struct mlx5_ib_create_wq_resp));
	if (!in || in->len < UPTO(mlx5_ib_create_wq, single_stride_log_num_of_bytes))
		return refuse(-EINVAL, "CREATE_WQ: UHW_IN ends before the fields of strides");
	return attr_in(req, UVERBS_ATTR_UHW_IN, "CREATE_WQ: UHW_IN", u, sizeof(*u));
}

static int uverbs_wq_check_memory(struct uverbs_file *f, struct wq_plan *p)
{
	const struct queue_memory ring = {
		"CREATE_WQ",   "buf_addr",
		p->u.buf_addr, (uint64_t)p->u.rq_wqe_count << p->u.rq_wqe_shift,
		false,	       true};

	return queue_dbrec(f, ring.method, p->u.db_addr, false) ?: queue_pages(&p->pages, f, &ring);
}

static int uverbs_wq_make_plan(struct uverbs_file *f, struct uverbs_request *req, struct wq_plan *p)
{
	const uint64_t type = attr_value(req, UVERBS_ATTR_CREATE_WQ_TYPE);
	const uint64_t wr = attr_value(req, UVERBS_ATTR_CREATE_WQ_MAX_WR);
	int err = uverbs_wq_find_objects(f, req, p);

	if (!err)
		err = attr_flags(req, UVERBS_ATTR_CREATE_WQ_FLAGS, "CREATE_WQ: FLAGS", WQ_FLAGS,
				 &p->flags);
	if (err)
		return err;
	if (type != IB_UVERBS_WQT_RQ)
		return refuse(-EINVAL, "CREATE_WQ: type %llu: there are receive WQs only",
			      (unsigned long long)type);
	err = uverbs_wq_take_uhw(req, &p->u) ?: uverbs_wq_check_uhw(f, &p->u);
	if (!err && wr > 1ull << prm_cmd_hca_cap_get_log_max_wq_sz(file_caps(f)))
		err = refuse(-EINVAL, "CREATE_WQ: MAX_WR %llu is above 2^%u (log_max_wq_sz)",
			     (unsigned long long)wr,
			     prm_cmd_hca_cap_get_log_max_wq_sz(file_caps(f)));
	if (!err && p->flags & ~(uint64_t)IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING)
		err = refuse(
			-EOPNOTSUPP,
			"CREATE_WQ: FLAGS 0x%llx: cap.scatter_fcs, rq_delay_drop and end_pad are 0",
			(unsigned long long)p->flags);
	return err ?: uverbs_wq_check_memory(f, p);
}

static int uverbs_wq_make(struct uverbs_wq *wq, const struct wq_plan *p)
{
	const struct rq_plan q = {
		.pdn = p->pd->number,
		.method = "CREATE_WQ",
		.cq = p->cq,
		.user_index = p->u.user_index,
		.count = p->u.rq_wqe_count,
		.log_stride = p->u.rq_wqe_shift,
		.strip_vlan = p->flags & IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING,
		.strides = uverbs_wq_strides(&p->u),
		.db_addr = p->u.db_addr,
		.pages = &p->pages,
	};

	return raw_rq_create(wq->q.u.file, &q, &wq->q.u.number);
}

static void uverbs_wq_hold(struct uverbs_wq *wq, const struct wq_plan *p)
{
	wq->pd = p->pd;
	wq->cq = p->cq;
	uobj_hold(&wq->q.u, wq->pd);
	uobj_hold(&wq->q.u, &wq->cq->q.u);
	uverbs_queue_open(&wq->q, p->async, HW_QP, uverbs_wq_event);
}

int uverbs_wq_create(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct mlx5_ib_create_wq_resp uhw = {.response_length = sizeof(uhw)};
	struct wq_plan p = {.flags = 0};
	uint32_t wr, sge;
	struct uverbs_wq *wq;
	int err = uverbs_wq_make_plan(f, req, &p);

	if (err)
		return err;
	wq = uobj_new(f, &wq_class, sizeof(*wq));
	if (!wq)
		return -ENOMEM;
	err = uverbs_wq_make(wq, &p);
	if (err)
		return err;
	wq->q.user_handle = attr_value(req, UVERBS_ATTR_CREATE_WQ_USER_HANDLE);
	uverbs_wq_hold(wq, &p);
	/* as requested: mlx5_ib does not round them up */
	wr = (uint32_t)attr_value(req, UVERBS_ATTR_CREATE_WQ_MAX_WR);
	sge = (uint32_t)attr_value(req, UVERBS_ATTR_CREATE_WQ_MAX_SGE);
	attr_new_handle(req, UVERBS_ATTR_CREATE_WQ_HANDLE, &wq->q.u);
	attr_out(req, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, &wr, sizeof(wr));
	attr_out(req, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, &sge, sizeof(sge));
	attr_out(req, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, &wq->q.u.number, sizeof(wq->q.u.number));
	attr_out(req, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return 0;
}

/* --- MODIFY_WQ -------------------------------------------------------------------------------- */

enum { W_STATE = 1, W_CUR_STATE = 2, W_FLAGS = 4 }; /* enum ib_wq_attr_mask */

static int check_modify(const struct ib_uverbs_ex_modify_wq *m, unsigned int from, unsigned int to)
{
	if (from > WQ_ERROR || to > WQ_ERROR)
		return refuse(-EINVAL, "EX_MODIFY_WQ: wq_state %u, curr_wq_state %u: no such state",
			      to, from);
	/* mlx5_ib ignores other flags */
	if (m->attr_mask & W_FLAGS && m->flags_mask & IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING)
		return refuse(-EOPNOTSUPP, "EX_MODIFY_WQ: flags_mask: PCI_WRITE_END_PADDING stays");
	return 0;
}

static int check_modify_uhw(struct wcmd *c)
{
	const struct uverbs_attr *a = attr_find(c->req, UVERBS_ATTR_UHW_IN);
	struct mlx5_ib_modify_wq u;
	int err = attr_in(c->req, UVERBS_ATTR_UHW_IN, "EX_MODIFY_WQ: UHW_IN", &u, sizeof(u));

	if (!err && (!a || a->len < sizeof(u)))
		err = refuse(-EINVAL, "EX_MODIFY_WQ: UHW_IN has not the %zu bytes that it needs",
			     sizeof(u));
	if (!err && (u.comp_mask || u.reserved))
		err = refuse(-EOPNOTSUPP, "EX_MODIFY_WQ: UHW_IN is not zero");
	return err;
}

int wcmd_modify_wq(struct wcmd *c)
{
	const struct ib_uverbs_ex_modify_wq *m = c->in;
	unsigned int from, to;
	uint64_t select = 0;
	struct uverbs_wq *wq;
	int err;

	if (!m->attr_mask || m->attr_mask > (W_STATE | W_CUR_STATE | W_FLAGS))
		return refuse(-EINVAL, "EX_MODIFY_WQ: attr_mask 0x%x has no known bit, or others",
			      m->attr_mask);
	err = uobj_find(c->f, m->wq_handle, &wq_class, &wq);
	if (err)
		return err;
	from = m->attr_mask & W_CUR_STATE ? m->curr_wq_state : wq->state;
	to = m->attr_mask & W_STATE ? m->wq_state : from;
	err = check_modify(m, from, to) ?: check_modify_uhw(c);
	if (err)
		return err;
	if (m->attr_mask & W_FLAGS && m->flags_mask & IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING)
		select = RQ_MODIFY_VSD;
	err = raw_rq_modify(c->f, wq->q.u.number, hw_state(from), hw_state(to), select,
			    m->flags & IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING);
	if (!err)
		wq->state = (uint8_t)to;
	return err;
}

/* --- tables ----------------------------------------------------------------------------------- */

static void wq_table_put_wqs(struct uverbs_wq_table *t)
{
	for (uint32_t i = 0; t->wq && i < t->n; i++)
		if (t->wq[i])
			t->wq[i]->q.u.users--;
	free(t->wq);
}

static int wq_table_destroy(struct uobj *u)
{
	wq_table_put_wqs((struct uverbs_wq_table *)u);
	return 0;
}

const struct uobj_class wq_table_class = {"WQ table", UVERBS_OBJECT_RWQ_IND_TBL,
					  PRM_OPCODE_DESTROY_RQT, wq_table_destroy, NULL};

/* Finds and holds the WQs, whose handles follow the fixed part of the command. */
static int wq_table_hold_wqs(struct wcmd *c, struct uverbs_wq_table *t)
{
	const struct uverbs_attr *a = attr_find(c->req, UVERBS_ATTR_CORE_IN);
	size_t at = sizeof(struct ib_uverbs_ex_create_rwq_ind_table);
	uint32_t handle;
	int err;

	t->wq = calloc(t->n, sizeof(struct uverbs_wq *));
	if (!t->wq)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n; i++) {
		memcpy(&handle, a->in + at + i * sizeof(handle), sizeof(handle));
		err = uobj_find(c->f, handle, &wq_class, &t->wq[i]);
		if (err)
			return err;
		t->wq[i]->q.u.users++;
	}
	return 0;
}

static int uverbs_wq_create_rqt(struct uverbs_wq_table *t)
{
	size_t len = PRM_CREATE_RQT_IN_BYTES + t->n * (size_t)PRM_RQ_NUM_BYTES;
	uint8_t *in = calloc(1, len);
	void *rqtc;
	int err;

	if (!in)
		return -ENOMEM;
	rqtc = prm_create_rqt_in_at_rqt_context(in);
	mbox_begin(in, PRM_OPCODE_CREATE_RQT, t->u.uid);
	prm_rqtc_set_rqt_max_size(rqtc, t->n);
	prm_rqtc_set_rqt_actual_size(rqtc, t->n);
	for (uint32_t i = 0; i < t->n; i++)
		prm_rq_num_set_rq_num(in + PRM_CREATE_RQT_IN_BYTES + i * PRM_RQ_NUM_BYTES,
				      t->wq[i]->q.u.number);
	err = mbox_create(t->u.file->vhca, in, len, &t->u.number);
	free(in);
	return err;
}

static int wq_table_check(const struct wcmd *c, const struct ib_uverbs_ex_create_rwq_ind_table *in)
{
	static const char name[] = "EX_CREATE_RWQ_IND_TBL";
	size_t len;

	if (in->comp_mask)
		return refuse(-EOPNOTSUPP, "%s: comp_mask 0x%x is not known", name, in->comp_mask);
	if (in->log_ind_tbl_size > IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE)
		return refuse(-EINVAL, "%s: log_ind_tbl_size %u is above %u", name,
			      in->log_ind_tbl_size, IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE);
	len = sizeof(*in) + (sizeof(uint32_t) << in->log_ind_tbl_size);
	if (c->in_len < len)
		return refuse(-ENOSPC, "%s: %zu bytes have no room for %u handles", name, c->in_len,
			      1u << in->log_ind_tbl_size);
	return wcmd_end(c, name, len);
}

/* Checks what mlx5_ib checks, after ib_uverbs has found the WQs. */
static int wq_table_check_uhw(const struct wcmd *c,
			      const struct ib_uverbs_ex_create_rwq_ind_table *in)
{
	const uint32_t log_most = prm_cmd_hca_cap_get_log_max_rqt_size(file_caps(c->f));
	const struct uverbs_attr *out = attr_find(c->req, UVERBS_ATTR_UHW_OUT);
	uint8_t none;
	int err = attr_in(c->req, UVERBS_ATTR_UHW_IN, "EX_CREATE_RWQ_IND_TBL: UHW_IN", &none, 0);

	if (err)
		return err;
	if (in->log_ind_tbl_size > log_most)
		return refuse(-EINVAL, "EX_CREATE_RWQ_IND_TBL: log_ind_tbl_size %u is above %u",
			      in->log_ind_tbl_size, log_most);
	if (out && out->len && out->len < sizeof(struct mlx5_ib_create_rwq_ind_tbl_resp))
		return refuse(-EINVAL, "EX_CREATE_RWQ_IND_TBL: UHW_OUT has %u bytes", out->len);
	return 0;
}

int wcmd_create_rwq_ind_table(struct wcmd *c)
{
	const struct ib_uverbs_ex_create_rwq_ind_table *in = c->in;
	const struct mlx5_ib_create_rwq_ind_tbl_resp uhw = {.response_length = sizeof(uhw)};
	struct ib_uverbs_ex_create_rwq_ind_table_resp r = {.response_length = sizeof(r)};
	struct uverbs_wq_table *t;
	int err = wq_table_check(c, in);

	if (err)
		return err;
	t = uobj_new(c->f, &wq_table_class, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->n = 1u << in->log_ind_tbl_size;
	err = wq_table_hold_wqs(c, t) ?: wq_table_check_uhw(c, in) ?: uverbs_wq_create_rqt(t);
	if (err) {
		wq_table_put_wqs(t);
		return err;
	}
	r.ind_tbl_handle = t->u.id;
	r.ind_tbl_num = t->u.number;
	wcmd_out(c, &r, sizeof(r));
	attr_out(c->req, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return 0;
}
