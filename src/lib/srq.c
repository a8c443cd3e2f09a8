/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared receive queues: RMPs made by DevX, the form of ISSI 1, and adopted SRQs of verbs. */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/rq.h>
#include "priv.h"

_Static_assert(sizeof(struct dvx_srq) == 96, "ABI");
_Static_assert(offsetof(struct dvx_srq, head) == 24, "ABI");
_Static_assert(offsetof(struct dvx_srq, priv) == 64, "ABI");

#define SRQ_MAX_LOG 15u /* links and the record's counter have 16 bits */
#define SRQ_MAX_SGE 127u

/* Links every entry to the next one. The last link is written before the device follows it. */
static void srq_link_all(struct dvx_srq *srq)
{
	for (uint32_t i = 0; i <= srq->mask; i++) {
		memset(dvx_srq_entry(srq, i), 0, DVX_SEG);
		prm_wqe_srq_next_seg_set_next_wqe_index(dvx_srq_entry(srq, i), (i + 1) & srq->mask);
	}
	srq->tail = srq->mask;
	srq->free = srq->mask;
}

/* Initialises the ring without linking its entries. */
static int srq_set_ring(struct dvx_srq *srq, const struct dvx_srq_memory *init)
{
	if (!dvx_is_pow2(init->entries) || init->entries < 2 || init->entries > 1u << SRQ_MAX_LOG)
		return dvx_fail(EINVAL,
				"dvx_srq_init: entries is %u, not a power of two from 2 to %u",
				init->entries, 1u << SRQ_MAX_LOG);
	if (!dvx_is_pow2(init->stride) || init->stride < 2 * DVX_SEG || init->stride > 2048)
		return dvx_fail(EINVAL,
				"dvx_srq_init: stride is %u, not a power of two from 32 to 2048",
				init->stride);
	if (!init->buf || !init->wr_ids || !init->dbrec)
		return dvx_fail(EINVAL, "dvx_srq_init: buf, wr_ids and dbrec must all be set");
	memset(srq, 0, sizeof(*srq));
	srq->buf = init->buf;
	srq->wr_ids = init->wr_ids;
	srq->dbrec = init->dbrec;
	srq->mask = init->entries - 1;
	srq->stride = init->stride;
	srq->max_sge = init->stride / DVX_SEG - 1;
	return 0;
}

int dvx_srq_init(struct dvx_srq *srq, const struct dvx_srq_memory *user)
{
	struct dvx_srq_memory init;
	int err = dvx_struct_copy(&init, user, "dvx_srq_init", "init");

	if (!err)
		err = dvx_check_not_null("dvx_srq_init", "srq", srq, NULL);
	if (!err)
		err = srq_set_ring(srq, &init);
	if (!err)
		srq_link_all(srq);
	return err;
}

/* Reads how many entries the device allows; a capability of 0 is an older device without it. */
static int srq_most(struct dvx_dev *dev, uint32_t *most)
{
	const void *cap;
	uint32_t log;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err)
		return err;
	if (!prm_cmd_hca_cap_get_log_max_rmp(cap))
		return dvx_fail(EOPNOTSUPP, "dvx_srq_create: %s has no log_max_rmp",
				dvx_dev_name(dev));
	log = prm_cmd_hca_cap_get_log_max_srq_sz(cap);
	*most = (1u << (log && log < SRQ_MAX_LOG ? log : SRQ_MAX_LOG)) - 1;
	return 0;
}

static int srq_check(struct dvx_dev *dev, const struct dvx_srq_attr *attr)
{
	uint32_t most = 0;
	int err = srq_most(dev, &most);

	if (err)
		return err;
	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_srq_create: attr.pd is not of this device");
	if (!attr->entries || attr->entries > most)
		return dvx_fail(EINVAL, "dvx_srq_create: attr.entries is %u, not 1 to %u",
				attr->entries, most);
	if (attr->sge > SRQ_MAX_SGE)
		return dvx_fail(EINVAL, "dvx_srq_create: attr.sge is %u, more than %u", attr->sge,
				SRQ_MAX_SGE);
	return 0;
}

static void srq_fill_context(void *rmpc, const struct dvx_srq_priv *srq)
{
	void *wq = prm_rmpc_at_wq(rmpc);

	prm_rmpc_set_state(rmpc, PRM_RMPC_STATE_RDY);
	dvx_queue_memory_wq(&srq->at, wq, srq->pd);
	prm_wq_set_wq_type(wq, PRM_WQ_TYPE_LINKED_LIST);
	prm_wq_set_log_wq_stride(wq, dvx_log2_up(srq->ring.stride));
	prm_wq_set_log_wq_sz(wq, dvx_log2_up(srq->ring.mask + 1));
}

static int srq_command(struct dvx_srq_priv *srq)
{
	uint8_t in[PRM_CREATE_RMP_IN_BYTES] = {0}, reply[PRM_CREATE_RMP_OUT_BYTES];
	int err;

	prm_create_rmp_in_set_opcode(in, PRM_OPCODE_CREATE_RMP);
	srq_fill_context(prm_create_rmp_in_at_ctx(in), srq);
	err = dvx_obj_create(srq->dev, in, sizeof(in), reply, sizeof(reply), &srq->obj);
	if (!err)
		srq->ring.srqn = prm_create_rmp_out_get_rmpn(reply);
	return err;
}

static int srq_build(struct dvx_srq_priv *srq, const struct dvx_srq_attr *attr)
{
	struct dvx_srq_memory init = {.size = sizeof(init),
				      .entries = 1u << dvx_log2_up(attr->entries + 1),
				      .stride = DVX_SEG
						<< dvx_log2_up((attr->sge ? attr->sge : 1) + 1)};
	int err = dvx_queue_memory_alloc(srq->dev, (size_t)init.entries * init.stride, &attr->place,
					 &srq->at);

	if (err)
		return err;
	srq->wr_ids = calloc(init.entries, sizeof(*srq->wr_ids));
	if (!srq->wr_ids)
		return dvx_fail(ENOMEM, "no memory for the cookies of %u receives", init.entries);
	init.wr_ids = srq->wr_ids;
	init.buf = dvx_mem_addr(srq->at.mem);
	init.dbrec = dvx_dbr_words(srq->at.dbr);
	err = dvx_srq_init(&srq->ring, &init);
	return err ? err : srq_command(srq);
}

static void srq_release(struct dvx_srq_priv *srq)
{
	dvx_queue_memory_free(&srq->at);
	free(srq->wr_ids);
	free(srq);
}

int dvx_srq_create(struct dvx_dev *dev, const struct dvx_srq_attr *user, struct dvx_srq **out)
{
	struct dvx_srq_attr attr;
	struct dvx_srq_priv *srq;
	int err = dvx_attr_copy(&attr, user, "dvx_srq_create");

	if (!err)
		err = dvx_check_not_null("dvx_srq_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = srq_check(dev, &attr);
	if (err)
		return err;
	srq = calloc(1, sizeof(*srq));
	if (!srq)
		return dvx_fail(ENOMEM, "no memory for an SRQ");
	srq->dev = dev;
	srq->pd = attr.pd;
	err = srq_build(srq, &attr);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		srq_release(srq);
		return dvx_restore(&why);
	}
	srq->ring.priv = srq;
	dvx_ref(&srq->pd->refs);
	*out = &srq->ring;
	return 0;
}

/* ---- adopted SRQs: libdvx drives the ring ---- */

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
	err = srq_set_ring(&srq->ring, &init);
	srq->ring.head = dv->head;
	srq->ring.tail = dv->tail;
	srq->ring.free = dv->tail;
	srq->ring.srqn = dv->srqn;
	dvx_dev_null_key(srq->dev, &srq->ring.null_lkey); /* stays 0 if the device has none */
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

static void srq_unadopt(struct dvx_srq_priv *srq)
{
	if (srq->xrc_cq)
		dvx_cq_detach(srq->xrc_cq, SRQ_NO_NUMBER | srq->ring.srqn);
	dvx_adopted_remove(srq->dev, &srq->adopted);
}

static int srq_arm_adopted(struct dvx_srq_priv *srq, uint32_t limit)
{
	struct ibv_srq_attr attr = {.srq_limit = limit};
	int err = ibv_modify_srq(srq->ibsrq, &attr, IBV_SRQ_LIMIT);

	return err ? dvx_fail(err, "dvx_srq_arm: the kernel refuses it for SRQ 0x%x",
			      srq->ring.srqn)
		   : 0;
}

/* ---- both kinds ---- */

int dvx_srq_destroy(struct dvx_srq *ring)
{
	struct dvx_srq_priv *srq;
	int err;

	if (!ring)
		return 0;
	srq = ring->priv;
	if (dvx_in_use(&srq->refs))
		return dvx_fail(EBUSY, "SRQ 0x%x: %d queues still use it", ring->srqn, srq->refs);
	err = dvx_obj_destroy(srq->obj);
	if (err)
		return err;
	if (srq->ibsrq)
		srq_unadopt(srq);
	else
		dvx_unref(&srq->pd->refs);
	srq_release(srq);
	return 0;
}

uint32_t dvx_srq_number(const struct dvx_srq *srq)
{
	return srq->srqn;
}

static int srq_modify(struct dvx_srq_priv *srq, uint32_t limit)
{
	uint8_t in[PRM_MODIFY_RMP_IN_BYTES] = {0}, reply[PRM_MODIFY_RMP_OUT_BYTES];
	void *rmpc = prm_modify_rmp_in_at_ctx(in);

	prm_modify_rmp_in_set_opcode(in, PRM_OPCODE_MODIFY_RMP);
	prm_modify_rmp_in_set_rmp_state(in, PRM_RMPC_STATE_RDY);
	prm_modify_rmp_in_set_rmpn(in, srq->ring.srqn);
	prm_rmp_bitmask_set_lwm(prm_modify_rmp_in_at_bitmask(in), 1);
	prm_rmpc_set_state(rmpc, PRM_RMPC_STATE_RDY);
	prm_wq_set_lwm(prm_rmpc_at_wq(rmpc), limit);
	return dvx_obj_modify(srq->obj, in, sizeof(in), reply, sizeof(reply));
}

int dvx_srq_arm(struct dvx_srq *ring, uint32_t limit)
{
	int err = dvx_check_not_null("dvx_srq_arm", "srq", ring, NULL);
	struct dvx_srq_priv *srq;

	if (err)
		return err;
	srq = ring->priv;
	if (!srq)
		return dvx_fail(EINVAL, "dvx_srq_arm: the SRQ is a plain ring");
	if (limit > ring->mask)
		return dvx_fail(EINVAL, "dvx_srq_arm: limit is %u, more than the SRQ's %u receives",
				limit, ring->mask);
	return srq->ibsrq ? srq_arm_adopted(srq, limit) : srq_modify(srq, limit);
}
