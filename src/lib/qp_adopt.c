/* SPDX-License-Identifier: BSD-2-Clause */
/* A verbs QP whose rings libdvx drives. */
#include "priv.h"

static int qp_adopt_sq(struct dvx_qp *qp, const struct mlx5dv_qp *dv)
{
	struct dvx_sq_memory init = {.size = sizeof(init),
				     .blocks = dv->sq.wqe_cnt,
				     .buf = dv->sq.buf,
				     .dbrec = (uint32_t *)dv->dbrec + 1,
				     .reg = dv->bf.reg,
				     .bf_size = dv->bf.size,
				     .qpn = qp->qpn,
				     .max_wqe_bytes = qp->dev->caps.max_wqe_bytes};
	uint32_t null_lkey = 0; /* stays 0 if the device has none */
	int err;

	dvx_dev_null_key(qp->dev, &null_lkey);
	init.slots = calloc(dv->sq.wqe_cnt, sizeof(*init.slots));
	qp->sq.slots = init.slots;
	if (!init.slots)
		return dvx_fail(ENOMEM, "no memory for the cookies of %u WQEs", dv->sq.wqe_cnt);
	err = dvx_sq_init(&qp->sq, &init);
	qp->sq.peer_ds = dvx_qp_kind(qp->type)->peer_ds;
	qp->sq.null_lkey = null_lkey;
	return err;
}

static int qp_adopt_rq(struct dvx_qp *qp, const struct mlx5dv_qp *dv)
{
	struct dvx_rq_memory init = {.size = sizeof(init),
				     .entries = dv->rq.wqe_cnt,
				     .buf = dv->rq.buf,
				     .dbrec = (uint32_t *)dv->dbrec,
				     .stride = dv->rq.stride};
	int err;

	if (!dv->rq.wqe_cnt)
		return 0;
	init.wr_ids = calloc(dv->rq.wqe_cnt, sizeof(*init.wr_ids));
	qp->rq.wr_ids = init.wr_ids;
	if (!init.wr_ids)
		return dvx_fail(ENOMEM, "no memory for the cookies of %u WQEs", dv->rq.wqe_cnt);
	qp->has_rq = true;
	err = dvx_rq_init(&qp->rq, &init);
	qp->rq.null_lkey = (uint32_t)qp->sq.null_lkey;
	return err;
}

static int qp_adopt_check(struct dvx_dev *dev, struct ibv_qp *ibqp, struct mlx5dv_qp *dv,
			  uint8_t *type)
{
	struct mlx5dv_obj obj = {.qp = {ibqp, dv}};

	if (ibqp->context != dev->ctx)
		return dvx_fail(EINVAL, "dvx_qp_adopt: the ibv_qp is of another context");
	if (!dvx_qp_type_of_verbs(ibqp->qp_type, type))
		return dvx_fail(EOPNOTSUPP,
				"dvx_qp_adopt: the ibv_qp is neither RC, UC, UD, DCI nor "
				"XRC_SEND");
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP))
		return dvx_fail(EINVAL, "dvx_qp_adopt: libmlx5 does not know this ibv_qp");
	if (dv->sq.stride != DVX_BLOCK || !dv->sq.wqe_cnt)
		return dvx_fail(EOPNOTSUPP, "dvx_qp_adopt: the ibv_qp has no send ring of its own");
	if (!dvx_adopted(dev, ibqp->send_cq) ||
	    (!dvx_qp_kind(*type)->sends_only && !dvx_adopted(dev, ibqp->recv_cq)))
		return dvx_fail(EINVAL, "dvx_qp_adopt: adopt the CQs of QP 0x%x first",
				ibqp->qp_num);
	if (ibqp->srq && !dvx_adopted(dev, ibqp->srq))
		return dvx_fail(EINVAL, "dvx_qp_adopt: adopt the SRQ of QP 0x%x first",
				ibqp->qp_num);
	if (dvx_cq_has(dvx_adopted(dev, ibqp->send_cq), ibqp->qp_num))
		return dvx_fail(EBUSY, "dvx_qp_adopt: QP 0x%x is adopted already", ibqp->qp_num);
	/* libmlx5's counters begin at 0; others mean posts that only libmlx5 knows. */
	if (dv->dbrec[0] || dv->dbrec[1])
		return dvx_fail(EBUSY, "dvx_qp_adopt: something was posted to the ibv_qp already");
	return 0;
}

int dvx_qp_adopt(struct dvx_dev *dev, struct ibv_qp *ibqp, struct dvx_qp **out)
{
	struct mlx5dv_qp dv = {0};
	struct dvx_qp *qp;
	uint8_t type = 0;
	int err = dvx_check_not_null("dvx_qp_adopt", "dev", dev, "ibqp", ibqp, "out", out, NULL);

	if (!err)
		err = qp_adopt_check(dev, ibqp, &dv, &type);
	if (err)
		return err;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return dvx_fail(ENOMEM, "no memory for a QP");
	qp->dev = dev;
	qp->ibqp = ibqp;
	qp->qpn = ibqp->qp_num;
	qp->type = type;
	qp->srq = ibqp->srq ? dvx_adopted(dev, ibqp->srq) : NULL;
	qp->scq = dvx_adopted(dev, ibqp->send_cq);
	qp->rcq = dvx_qp_kind(type)->sends_only ? qp->scq : dvx_adopted(dev, ibqp->recv_cq);
	err = qp_adopt_sq(qp, &dv);
	if (!err)
		err = qp_adopt_rq(qp, &dv);
	if (!err)
		err = dvx_qp_attach(qp, 0);
	if (err) {
		free(qp->sq.slots);
		free(qp->rq.wr_ids);
		free(qp);
		return err;
	}
	dvx_ref(&dev->refs);
	if (qp->srq)
		dvx_ref(&qp->srq->refs);
	*out = qp;
	return 0;
}
