/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks CREATE_QP, as ib_uverbs and mlx5_ib do. */
#include <errno.h>
#include <stddef.h>
#include <dvx/prm/cap.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "obj/rep.h"
#include "qp.h"

#define SEND_WQE_BB_LOG 6
#define UAR_MAX		0xffffffu
#define KNOWN_UHW \
	(MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE | MLX5_QP_FLAG_UAR_PAGE_INDEX)
#define DCI_UHW (MLX5_QP_FLAG_TYPE_DCI | MLX5_QP_FLAG_DCI_STREAM)
#define RAW_UHW (MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC | MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC)

static uint32_t uverbs_qp_known_uhw(uint64_t type)
{
	switch (type) {
	case IB_UVERBS_QPT_RAW_PACKET:
		return KNOWN_UHW | RAW_UHW;
	case QP_TYPE_DCI:
		return KNOWN_UHW | DCI_UHW;
	case QP_TYPE_DCT:
		return KNOWN_UHW | MLX5_QP_FLAG_TYPE_DCT;
	default:
		return KNOWN_UHW;
	}
}

static int uverbs_qp_check_uhw(const struct mlx5_ib_create_qp *u, uint64_t type)
{
	uint32_t known = uverbs_qp_known_uhw(type);

	if (u->flags & ~known)
		return refuse(-EINVAL, "CREATE_QP: flags 0x%x: this device does not offer 0x%x",
			      u->flags, u->flags & ~known);
	if (!(u->flags & MLX5_QP_FLAG_UAR_PAGE_INDEX) && type != QP_TYPE_DCT &&
	    type != IB_UVERBS_QPT_XRC_TGT)
		return refuse(-EINVAL,
			      "CREATE_QP: flags: without UAR_PAGE_INDEX there is no UAR to ring");
	if (u->bfreg_index > UAR_MAX)
		return refuse(-EINVAL, "CREATE_QP: bfreg_index 0x%x is no UAR", u->bfreg_index);
	if (u->uidx >= UIDX_DEFAULT)
		return refuse(-EINVAL, "CREATE_QP: uidx 0x%x is not below 0xffffff", u->uidx);
	return 0;
}

static int check_queue(const char *name, uint32_t count, uint32_t most)
{
	if (count & (count - 1) || count > most)
		return refuse(-EINVAL, "CREATE_QP: %s %u is no power of two up to %u", name, count,
			      most);
	return 0;
}

/* Checks the sizes of libmlx5's ring: the RQ is first, then the SQ. */
static int uverbs_qp_check_sizes(struct uverbs_file *f, struct qp_plan *p)
{
	const uint8_t *cap = file_caps(f);
	uint32_t most = 1u << prm_cmd_hca_cap_get_log_max_qp_sz(cap);
	uint32_t stride_max = prm_cmd_hca_cap_get_max_wqe_sz_rq(cap);
	int err;

	if (xrc_is(p->type)) /* an initiator has no RQ: mlx5_ib answers with 0 */
		p->cap.max_recv_wr = p->cap.max_recv_sge = 0;
	if (p->cap.max_recv_wr > most)
		return refuse(-EINVAL, "CREATE_QP: max_recv_wr %u is above %u", p->cap.max_recv_wr,
			      most);
	if ((p->srq || !p->cap.max_recv_wr) && (p->u.rq_wqe_count || p->u.rq_wqe_shift))
		return refuse(-EINVAL,
			      "CREATE_QP: rq_wqe_count %u, rq_wqe_shift %u: a QP with an SRQ, or "
			      "with max_recv_wr 0, has no receives of its own",
			      p->u.rq_wqe_count, p->u.rq_wqe_shift);
	p->rq_count = p->cap.max_recv_wr ? p->u.rq_wqe_count : 0;
	p->sq_count = p->u.sq_wqe_count;
	err = check_queue("rq_wqe_count", p->rq_count, most);
	if (!err)
		err = check_queue("sq_wqe_count", p->sq_count, most);
	if (err)
		return err;
	if (p->rq_count && (p->u.rq_wqe_shift < 4 || p->u.rq_wqe_shift > 11 ||
			    1u << p->u.rq_wqe_shift > stride_max))
		return refuse(-EINVAL, "CREATE_QP: rq_wqe_shift %u: a receive has 16 to %u bytes",
			      p->u.rq_wqe_shift, stride_max);
	if (p->cap.max_recv_wr && !p->rq_count && !p->srq)
		return refuse(-EINVAL, "CREATE_QP: rq_wqe_count is 0, but max_recv_wr is %u",
			      p->cap.max_recv_wr);
	if (!p->rq_count && !p->sq_count && !p->srq)
		return refuse(-EINVAL, "CREATE_QP: sq_wqe_count and rq_wqe_count are both 0");
	return 0;
}

static int uverbs_qp_check_memory(struct uverbs_file *f, struct qp_plan *p)
{
	uint64_t rq = p->rq_count ? (uint64_t)p->rq_count << p->u.rq_wqe_shift : 0;
	const struct queue_memory ring = {
		"CREATE_QP",   "buf_addr",
		p->u.buf_addr, rq + ((uint64_t)p->sq_count << SEND_WQE_BB_LOG),
		false,	       false};
	int err = queue_dbrec(f, ring.method, p->u.db_addr, false);

	return err || !ring.len ? err : queue_pages(&p->pages, f, &ring);
}

/* Checks XRC as ib_uverbs does: only a target has a domain, and it has no other object. */
static int uverbs_qp_check_xrc(struct qp_plan *p, bool others)
{
	const bool target = p->type == IB_UVERBS_QPT_XRC_TGT;

	if (target && (!p->xrcd || others))
		return refuse(others ? -EINVAL : -ENOENT,
			      "CREATE_QP: an XRC target has a domain; no PD, CQ or table");
	if (!target && p->xrcd)
		return refuse(-EINVAL, "CREATE_QP: XRCD: only an XRC target has one");
	if (p->srq && (p->type == IB_UVERBS_QPT_XRC_INI || !p->srq->xrcd == target))
		return refuse(-EINVAL, "CREATE_QP: SRQ: an XRC target takes XRC's only, an "
				       "initiator none, others no XRC SRQ");
	if (target)
		p->srq = NULL; /* requests name the SRQ */
	return 0;
}

static int uverbs_qp_find_objects(struct uverbs_file *f, struct uverbs_request *req,
				  struct qp_plan *p)
{
	const struct {
		uint16_t attr;
		const struct uobj_class *class;
		void *obj;
	} objects[] = {
		{UVERBS_ATTR_CREATE_QP_PD_HANDLE, &pd_class, &p->pd},
		{UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, &wq_table_class, &p->table},
		{UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, &cq_class, &p->scq},
		{UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, &cq_class, &p->rcq},
		{UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, &srq_class, &p->srq},
		{UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, &xrcd_class, &p->xrcd},
	};

	for (unsigned int i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		int err = attr_uobj(f, req, objects[i].attr, objects[i].class, objects[i].obj);

		if (err)
			return err;
	}
	return uverbs_queue_find_async(f, req, UVERBS_ATTR_CREATE_QP_EVENT_FD, &p->async);
}

/* Checks which objects a QP of this type has. */
static int uverbs_qp_check_objects(struct qp_plan *p)
{
	const bool initiator = p->type == IB_UVERBS_QPT_XRC_INI;
	int err = uverbs_qp_check_xrc(p, p->pd || p->scq || p->rcq || p->table);

	if (err)
		return err;
	if (initiator)
		p->rcq = NULL;
	if (!p->table && !p->xrcd && (!p->pd || !p->scq || (!p->rcq && !initiator)))
		return refuse(-ENOENT,
			      "CREATE_QP: PD, send CQ and receive CQ: a QP needs all three");
	if (p->table && (!p->pd || p->rcq || p->srq))
		return refuse(-EINVAL, "CREATE_QP: an RSS QP has a PD, no receive CQ and no SRQ");
	return 0;
}

static bool known_type(uint64_t type)
{
	return (type >= IB_UVERBS_QPT_RC && type <= IB_UVERBS_QPT_UD) ||
	       (type >= IB_UVERBS_QPT_RAW_PACKET && type <= IB_UVERBS_QPT_XRC_TGT) ||
	       type == IB_UVERBS_QPT_DRIVER;
}

/* Reads UHW_IN, which older libraries end before ece_options. Drivers do not see XRC targets'. */
static int uverbs_qp_take_uhw(struct uverbs_request *req, struct qp_plan *p)
{
	const struct uverbs_attr *a = attr_find(req, UVERBS_ATTR_UHW_IN);
	const size_t least = offsetof(struct mlx5_ib_create_qp, ece_options);

	if (p->type == IB_UVERBS_QPT_XRC_TGT)
		return 0;
	if (!a || a->len < least)
		return refuse(-EINVAL, "CREATE_QP: UHW_IN has %u bytes, at least %zu are needed",
			      a ? a->len : 0, least);
	return attr_in(req, UVERBS_ATTR_UHW_IN, "CREATE_QP: UHW_IN", &p->u, sizeof(p->u)) ? -EINVAL
											  : 0;
}

/* Finds out by mlx5's flags whether QPT_DRIVER is a DCI or a DCT. */
static int uverbs_qp_driver_kind(const struct uverbs_file *f, struct uverbs_request *req,
				 struct qp_plan *p)
{
	int err;

	if (!prm_cmd_hca_cap_get_dct(file_caps(f)))
		return refuse(-EOPNOTSUPP, "CREATE_QP: type DRIVER: cap.dct is 0");
	err = uverbs_qp_take_uhw(req, p);
	if (err)
		return err;
	switch (p->u.flags & (MLX5_QP_FLAG_TYPE_DCT | MLX5_QP_FLAG_TYPE_DCI)) {
	case MLX5_QP_FLAG_TYPE_DCI:
		p->type = QP_TYPE_DCI;
		return 0;
	case MLX5_QP_FLAG_TYPE_DCT:
		p->type = QP_TYPE_DCT;
		return 0;
	default:
		return refuse(-EINVAL,
			      "CREATE_QP: flags 0x%x: type DRIVER is either a DCI or a DCT",
			      p->u.flags);
	}
}

static int uverbs_qp_check_kind(const struct uverbs_file *f, struct uverbs_request *req,
				struct qp_plan *p)
{
	int err;

	p->type = attr_value(req, UVERBS_ATTR_CREATE_QP_TYPE);
	if (!known_type(p->type))
		return refuse(-EINVAL, "CREATE_QP: type %llu is not known",
			      (unsigned long long)p->type);
	err = p->type == IB_UVERBS_QPT_DRIVER ? uverbs_qp_driver_kind(f, req, p) : 0;
	if (err)
		return err;
	if (!qp_type_find(p->type) && p->type != IB_UVERBS_QPT_RAW_PACKET && p->type != QP_TYPE_DCT)
		return refuse(-EOPNOTSUPP,
			      "CREATE_QP: type %llu: this device has RC, UC, UD, XRC, DC and raw "
			      "packets only",
			      (unsigned long long)p->type);
	if (vhca_has_reps(f->vhca) && p->type != IB_UVERBS_QPT_RAW_PACKET)
		return refuse(-EOPNOTSUPP,
			      "CREATE_QP: type %llu: in switchdev mode the e-switch's manager has "
			      "representors, which have raw packets only; a VF has RoCE",
			      (unsigned long long)p->type);
	if (attr_find(req, UVERBS_ATTR_CREATE_QP_SOURCE_QPN))
		return refuse(-EINVAL, "CREATE_QP: source QPN: this device has none");
	if (p->type != IB_UVERBS_QPT_RAW_PACKET &&
	    attr_find(req, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE))
		return refuse(-EINVAL, "CREATE_QP: an indirection table is for raw packets");
	return 0;
}

/* [I] libmlx5 requests no more streams than the device has; firmware would refuse more. */
static int check_streams(const struct uverbs_file *f, const struct mlx5_ib_create_qp *u)
{
	if (u->flags & MLX5_QP_FLAG_DCI_STREAM &&
	    !prm_cmd_hca_cap_get_log_max_dci_stream_channels(file_caps(f)))
		return refuse(-EINVAL, "CREATE_QP: flags: cap.log_max_dci_stream_channels is 0");
	return 0;
}

static int plan_rings(struct uverbs_file *f, struct uverbs_request *req, struct qp_plan *p)
{
	bool raw = p->type == IB_UVERBS_QPT_RAW_PACKET;
	int err = uverbs_qp_take_uhw(req, p) ?: uverbs_qp_check_uhw(&p->u, p->type);

	if (!err && p->type == IB_UVERBS_QPT_XRC_TGT)
		return 0; /* it has neither a ring nor a doorbell record */
	if (!err && p->type == QP_TYPE_DCT)
		return dct_plan_check(p);
	if (!err && p->type == QP_TYPE_DCI)
		err = check_streams(f, &p->u);
	if (!err)
		err = uverbs_qp_check_sizes(f, p);
	if (err)
		return err;
	return raw ? raw_check_memory(f, p) : uverbs_qp_check_memory(f, p);
}

static int plan_rss(struct uverbs_request *req, struct qp_plan *p)
{
	const struct uverbs_attr *in = attr_find(req, UVERBS_ATTR_UHW_IN);
	const struct uverbs_attr *out = attr_find(req, UVERBS_ATTR_UHW_OUT);

	if (!in || in->len < UPTO(mlx5_ib_create_qp_rss, flags) || !out ||
	    out->len < UPTO(mlx5_ib_create_qp_resp, bfreg_index))
		return refuse(-EINVAL, "CREATE_QP: RSS: UHW_IN or UHW_OUT is too short");
	if (attr_in(req, UVERBS_ATTR_UHW_IN, "CREATE_QP: UHW_IN", &p->rss, sizeof(p->rss)))
		return -EINVAL;
	return rss_check(p);
}

int uverbs_qp_make_plan(struct uverbs_file *f, struct uverbs_request *req, struct qp_plan *p)
{
	uint64_t flags =
		IB_UVERBS_QP_CREATE_SQ_SIG_ALL | IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	int err = uverbs_qp_find_objects(f, req, p) ?: uverbs_qp_check_kind(f, req, p);

	if (p->type == IB_UVERBS_QPT_RAW_PACKET)
		flags |= IB_UVERBS_QP_CREATE_CVLAN_STRIPPING;
	if (!err)
		err = uverbs_qp_check_objects(p);
	if (!err)
		err = attr_flags(req, UVERBS_ATTR_CREATE_QP_FLAGS, "CREATE_QP: FLAGS", flags,
				 &p->flags);
	if (!err)
		err = attr_in(req, UVERBS_ATTR_CREATE_QP_CAP, "CREATE_QP: CAP", &p->cap,
			      sizeof(p->cap));
	if (err)
		return err;
	return p->table ? plan_rss(req, p) : plan_rings(f, req, p);
}
