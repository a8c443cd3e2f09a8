/* SPDX-License-Identifier: BSD-2-Clause */
/* A verbs SRQ whose ring libdvx drives. */
#include "priv.h"

/*
 * Counts the entries of libmlx5's ring, which libmlx5 does not report: before the first post, all
 * are free and linked from `head` to `tail`. The entries behind them, libmlx5's reserve, stay
 * unused. Returns 0 if the list is broken.
 */
static uint32_t srq_adopt_entries(const struct mlx5dv_srq *dv)
{
	const uint8_t *buf = dv->buf;
	uint32_t at = dv->head, count = 1;

	while (at != dv->tail) {
		at = prm_wqe_srq_next_seg_get_next_wqe_index(buf + (size_t)at * dv->stride);
		if (at > dv->tail || count++ > dv->tail)
			return 0;
	}
	return dv->head == 0 && count == dv->tail + 1 ? count : 0;
}

static int srq_adopt_check(struct dvx_dev *dev, struct ibv_srq *ibsrq, struct mlx5dv_srq *dv)
{
	struct mlx5dv_obj obj = {.srq = {ibsrq, dv}};

	if (ibsrq->context != dev->ctx)
		return dvx_fail(EINVAL, "dvx_srq_adopt: the ibv_srq is of another context");
	if (dvx_adopted(dev, ibsrq))
		return dvx_fail(EBUSY, "dvx_srq_adopt: the ibv_srq is adopted already");
	dv->comp_mask = MLX5DV_SRQ_MASK_SRQN;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ) || !(dv->comp_mask & MLX5DV_SRQ_MASK_SRQN))
		return dvx_fail(EINVAL, "dvx_srq_adopt: libmlx5 does not know this ibv_srq");
	if (*dv->dbrec || !srq_adopt_entries(dv))
		return dvx_fail(EBUSY,
				"dvx_srq_adopt: something was posted to the ibv_srq already");
	return 0;
}

static int srq_adopt_build(struct dvx_srq_priv *srq, const struct mlx5dv_srq *dv)
{
	struct dvx_srq_memory init = {.size = sizeof(init),
				      .entries = dv->tail + 1,
				      .buf = dv->buf,
				      .dbrec = (uint32_t *)dv->dbrec,
				      .stride = dv->stride};
	int err;

	init.wr_ids = srq->wr_ids = calloc(init.entries, sizeof(*init.wr_ids));
	if (!init.wr_ids)
		return dvx_fail(ENOMEM, "no memory for the cookies of %u receives", init.entries);
	err = dvx_srq_set_ring(&srq->ring, &init);
	srq->ring.head = dv->head;
	srq->ring.tail = dv->tail;
	srq->ring.free = dv->tail;
	srq->ring.srqn = dv->srqn;
	return err;
}

#define SRQ_NO_NUMBER (1u << 24) /* added to an SRQ's number: no CQE has this number */

/*
 * Attaches an XRC SRQ to its CQ, as an indexed queue: its CQEs have the targets' numbers, and a
 * user index that only libmlx5 knows.
 */
static int srq_adopt_attach(struct dvx_srq_priv *srq, struct dvx_cq *cq)
{
	struct dvx_cq_queue queue = {.number = SRQ_NO_NUMBER | srq->ring.srqn,
				     .user_index = DVX_CQ_ANY_INDEX,
				     .srq = &srq->ring,
				     .room = 1,
				     .shared = true,
				     .indexed = true};
	int err = dvx_cq_attach(cq->priv, &queue);

	if (!err)
		srq->xrc_cq = cq->priv;
	return err;
}

/* Adopts an SRQ. cq: of an XRC SRQ, else NULL. */
static int srq_adopt(struct dvx_dev *dev, struct ibv_srq *ibsrq, struct dvx_cq *cq,
		     struct dvx_srq **out)
{
	struct mlx5dv_srq dv = {0};
	struct dvx_srq_priv *srq;
	int err = dvx_check_not_null("dvx_srq_adopt", "dev", dev, "ibsrq", ibsrq, "out", out, NULL);

	if (!err)
		err = srq_adopt_check(dev, ibsrq, &dv);
	if (err)
		return err;
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return dvx_fail(ENOMEM, "no memory for an SRQ");
	srq->dev = dev;
	srq->ibsrq = ibsrq;
	err = srq_adopt_build(srq, &dv);
	if (!err && cq)
		err = srq_adopt_attach(srq, cq);
	if (err) {
		free(srq->wr_ids);
		free(srq);
		return err;
	}
	srq->ring.priv = srq;
	dvx_adopted_add(dev, &srq->adopted, ibsrq, srq);
	*out = &srq->ring;
	return 0;
}

int dvx_srq_adopt(struct dvx_dev *dev, struct ibv_srq *ibsrq, struct dvx_srq **out)
{
	return srq_adopt(dev, ibsrq, NULL, out);
}

int dvx_srq_adopt_xrc(struct dvx_dev *dev, struct ibv_srq *ibsrq, struct dvx_cq *cq,
		      struct dvx_srq **out)
{
	if (!cq || !cq->priv || cq->priv->dev != dev || !cq->priv->ibcq)
		return dvx_fail(EINVAL, "dvx_srq_adopt_xrc: cq is no adopted CQ of this device");
	return srq_adopt(dev, ibsrq, cq, out);
}

void dvx_srq_unadopt(struct dvx_srq_priv *srq)
{
	if (srq->xrc_cq)
		dvx_cq_detach(srq->xrc_cq, SRQ_NO_NUMBER | srq->ring.srqn);
	dvx_adopted_remove(srq->dev, &srq->adopted);
}

int dvx_srq_arm_adopted(struct dvx_srq_priv *srq, uint32_t limit)
{
	struct ibv_srq_attr attr = {.srq_limit = limit};
	int err = ibv_modify_srq(srq->ibsrq, &attr, IBV_SRQ_LIMIT);

	return err ? dvx_fail(err, "dvx_srq_arm: the kernel refuses it for SRQ 0x%x",
			      srq->ring.srqn)
		   : 0;
}
