/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cmd.h>
#include <dvx/prm/qp.h>
#include "priv.h"

#define MAX_USER_INDEX 0xfffffeu
#define QP_CROSS       (DVX_QP_MASTER | DVX_QP_MANAGED_SEND | DVX_QP_MANAGED_RECV)
#define KNOWN	       (DVX_QP_MMO | DVX_QP_FORCE_LOOPBACK | DVX_QP_REAL_TIME | QP_CROSS)

/* Sizes of a QP's rings. The RQ is the first one in their memory (PRM). */
struct layout {
	uint32_t sq_blocks;
	uint32_t rq_entries; /* 0: none */
	uint32_t rq_stride;
	size_t rq_bytes;
	size_t bytes;
};

static int qp_check_rings(struct dvx_dev *dev, const struct dvx_qp_attr *attr)
{
	uint32_t max = dev->caps.log_max_qp_blocks;

	if (!max || max > 15)
		max = 15;
	if (!attr->sq_blocks || attr->sq_blocks > 1u << max)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.sq_blocks is %u, not 1 to %u",
				attr->sq_blocks, 1u << max);
	if (attr->rq_entries > 1u << max)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.rq_entries is %u, more than %u",
				attr->rq_entries, 1u << max);
	if (attr->srq && (attr->rq_entries || attr->rq_sge))
		return dvx_fail(EINVAL, "dvx_qp_create: attr.srq is set, so attr.rq_entries and "
					"attr.rq_sge must be 0: the SRQ has the receives");
	if (attr->rq_sge > 64)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.rq_sge is %u, more than 64",
				attr->rq_sge);
	return 0;
}

/* Refuses attributes that the service type does not have. */
static int qp_check_type(const struct dvx_qp_attr *attr)
{
	const struct dvx_qp_kind *kind = dvx_qp_kind(attr->type);

	if (!kind)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.type %u is neither RC, UC, UD nor DCI",
				attr->type);
	if (kind->verbs_only)
		return dvx_fail(EINVAL,
				"dvx_qp_create: attr.type: %s are made by verbs and adopted",
				kind->name);
	if (kind->sends_only && (attr->rq_entries || attr->srq))
		return dvx_fail(EINVAL,
				"dvx_qp_create: attr.rq_entries or attr.srq is set, but %s "
				"receive nothing",
				kind->name);
	if (attr->type != DVX_QP_DCI && (attr->log_dci_streams || attr->log_dci_errored))
		return dvx_fail(EINVAL, "dvx_qp_create: attr.log_dci_streams or log_dci_errored is "
					"set: only DC initiators have streams");
	if (attr->flags & DVX_QP_MMO && attr->type != DVX_QP_RC)
		return dvx_fail(
			EINVAL,
			"dvx_qp_create: attr.flags has DVX_QP_MMO, which a queue of %s can't",
			kind->name);
	if (attr->flags & DVX_QP_FORCE_LOOPBACK && !kind->peer)
		return dvx_fail(EINVAL,
				"dvx_qp_create: attr.flags has DVX_QP_FORCE_LOOPBACK, but a queue "
				"of %s has no path",
				kind->name);
	return 0;
}

static int lib_qp_check_cross(struct dvx_dev *dev, const struct dvx_qp_attr *attr)
{
	if (attr->flags & DVX_QP_MANAGED_RECV && !attr->rq_entries)
		return dvx_fail(EINVAL,
				"dvx_qp_create: attr.flags has DVX_QP_MANAGED_RECV, but the "
				"queue pair has no receives of its own");
	return attr->flags & QP_CROSS ? dvx_cross_supported(dev, "dvx_qp_create") : 0;
}

static int lib_qp_check(struct dvx_dev *dev, struct dvx_qp_attr *attr)
{
	int err = qp_check_type(attr);

	if (err)
		return err;
	if (attr->flags & ~(uint32_t)KNOWN)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.flags 0x%x: unknown bits",
				attr->flags);
	err = lib_qp_check_cross(dev, attr);
	if (err)
		return err;
	err = dvx_ts_check(dev, "dvx_qp_create", dev->qp_ts_format, attr->flags & DVX_QP_REAL_TIME);
	if (err)
		return err;
	if (attr->flags & DVX_QP_MMO && !dev->caps.dma_mmo)
		return dvx_fail(EOPNOTSUPP,
				"dvx_qp_create: attr.flags has DVX_QP_MMO, but %s has no "
				"dma_mmo_qp",
				dvx_dev_name(dev));
	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.pd is not of this device");
	if (!attr->uar || attr->uar->dev != dev)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.uar is not of this device");
	if (!attr->recv_cq)
		attr->recv_cq = attr->send_cq;
	if (!attr->send_cq || !attr->send_cq->priv || attr->send_cq->priv->dev != dev)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.send_cq is not of this device");
	if (!attr->recv_cq->priv || attr->recv_cq->priv->dev != dev)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.recv_cq is not of this device");
	if (attr->srq && (!attr->srq->priv || attr->srq->priv->dev != dev))
		return dvx_fail(EINVAL, "dvx_qp_create: attr.srq is not of this device");
	if (attr->user_index > MAX_USER_INDEX)
		return dvx_fail(EINVAL, "dvx_qp_create: attr.user_index 0x%x is not below 0xffffff",
				attr->user_index);
	return qp_check_rings(dev, attr);
}

static struct layout qp_lay_out(const struct dvx_qp_attr *attr)
{
	struct layout l = {.sq_blocks = 1u << dvx_log2_up(attr->sq_blocks)};

	if (attr->rq_entries) {
		l.rq_entries = 1u << dvx_log2_up(attr->rq_entries);
		l.rq_stride = DVX_SEG << dvx_log2_up(attr->rq_sge);
		/* The SQ behind it must begin at a multiple of 64 bytes. */
		while (l.rq_entries * l.rq_stride < DVX_BLOCK)
			l.rq_entries *= 2;
	}
	l.rq_bytes = (size_t)l.rq_entries * l.rq_stride;
	l.bytes = l.rq_bytes + (size_t)l.sq_blocks * DVX_BLOCK;
	return l;
}

static void lib_qp_fill_context(void *qpc, const struct dvx_qp *qp, const struct dvx_qp_attr *attr,
				const struct layout *l)
{
	prm_qpc_set_st(qpc, attr->type);
	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_pd(qpc, attr->pd->pdn);
	prm_qpc_set_uar_page(qpc, dvx_uar_index(attr->uar));
	prm_qpc_set_user_index(qpc, attr->user_index);
	prm_qpc_set_cd_master(qpc, !!(attr->flags & DVX_QP_MASTER));
	prm_qpc_set_cd_slave_send(qpc, !!(attr->flags & DVX_QP_MANAGED_SEND));
	prm_qpc_set_cd_slave_receive(qpc, !!(attr->flags & DVX_QP_MANAGED_RECV));
	prm_qpc_set_log_num_dci_stream_channels(qpc, attr->log_dci_streams);
	prm_qpc_set_log_num_dci_errored_streams(qpc, attr->log_dci_errored);
	prm_qpc_set_ts_format(qpc,
			      dvx_ts_format(qp->dev->qp_ts_format, attr->flags & DVX_QP_REAL_TIME));
	prm_qpc_set_cqn_snd(qpc, attr->send_cq->cqn);
	prm_qpc_set_cqn_rcv(qpc, attr->recv_cq->cqn);
	prm_qpc_set_log_sq_size(qpc, dvx_log2_up(l->sq_blocks));
	if (l->rq_entries) {
		prm_qpc_set_log_rq_size(qpc, dvx_log2_up(l->rq_entries));
		prm_qpc_set_log_rq_stride(qpc, dvx_log2_up(l->rq_stride / DVX_SEG));
		prm_qpc_set_rq_type(qpc, PRM_QPC_RQ_TYPE_REGULAR);
	} else if (qp->srq) {
		prm_qpc_set_rq_type(qpc, PRM_QPC_RQ_TYPE_SRQ);
		prm_qpc_set_srqn_rmpn_xrqn(qpc, qp->srq->ring.srqn);
	} else {
		prm_qpc_set_rq_type(qpc, PRM_QPC_RQ_TYPE_ZERO_SIZE);
	}
	prm_qpc_set_dbr_umem_id(qpc, dvx_dbr_umem_id(qp->at.dbr));
	prm_qpc_set_dbr_umem_valid(qpc, 1);
	prm_qpc_set_dbr_addr(qpc, dvx_dbr_offset(qp->at.dbr));
}

static int lib_qp_command(struct dvx_qp *qp, const struct dvx_qp_attr *attr, const struct layout *l)
{
	uint8_t in[PRM_CREATE_QP_IN_BYTES] = {0}, reply[PRM_CREATE_QP_OUT_BYTES];
	int err;

	prm_create_qp_in_set_opcode(in, PRM_OPCODE_CREATE_QP);
	prm_create_qp_in_set_wq_umem_id(in, dvx_umem_id(qp->at.umem));
	prm_create_qp_in_set_wq_umem_valid(in, 1);
	lib_qp_fill_context(prm_create_qp_in_at_qpc(in), qp, attr, l);
	err = dvx_obj_create(qp->dev, in, sizeof(in), reply, sizeof(reply), &qp->obj);
	if (!err)
		qp->qpn = prm_create_qp_out_get_qpn(reply);
	return err;
}

static int qp_init_rings(struct dvx_qp *qp, const struct layout *l, uint8_t *buf)
{
	struct dvx_sq_memory sq = {.size = sizeof(sq),
				   .blocks = l->sq_blocks,
				   .qpn = qp->qpn,
				   .max_wqe_bytes = qp->dev->caps.max_wqe_bytes};
	struct dvx_rq_memory rq = {
		.size = sizeof(rq), .entries = l->rq_entries, .stride = l->rq_stride};
	uint32_t *dbrec = dvx_dbr_words(qp->at.dbr);
	int err;

	sq.buf = buf + l->rq_bytes;
	sq.dbrec = dbrec + 1;
	sq.reg = dvx_uar_reg(qp->uar);
	sq.bf_size = dvx_uar_bf_size(qp->uar);
	sq.slots = calloc(l->sq_blocks, sizeof(*sq.slots));
	rq.buf = buf;
	rq.dbrec = dbrec;
	rq.wr_ids = calloc(l->rq_entries + 1, sizeof(*rq.wr_ids));
	qp->sq.slots = sq.slots; /* lib_qp_release() frees them there */
	qp->rq.wr_ids = rq.wr_ids;
	if (!sq.slots || !rq.wr_ids)
		return dvx_fail(ENOMEM, "no memory for the cookies of %u WQEs", l->sq_blocks);
	err = dvx_sq_init(&qp->sq, &sq);
	qp->sq.reg_users = dvx_uar_users(qp->uar);
	if (err || !l->rq_entries)
		return err;
	qp->has_rq = true;
	return dvx_rq_init(&qp->rq, &rq);
}

/* Allocates the 64 bytes that the engine may overwrite with each copy, as libmlx5 does. */
static int qp_add_mmo(struct dvx_qp *qp)
{
	struct dvx_mkey_attr attr = {
		.size = sizeof(attr), .access = DVX_LOCAL_WRITE, .pd = qp->pd, .len = DVX_BLOCK};
	int err = dvx_mem_alloc(DVX_BLOCK, NULL, &qp->mmo_mem);

	if (err)
		return err;
	attr.addr = dvx_mem_addr(qp->mmo_mem);
	err = dvx_mkey_create(qp->dev, &attr, &qp->mmo_mkey);
	if (err)
		return err;
	qp->sq.mmo_lkey = dvx_mkey_key(qp->mmo_mkey);
	qp->sq.mmo_addr = dvx_mkey_addr(qp->mmo_mkey);
	return 0;
}

static void lib_qp_release(struct dvx_qp *qp)
{
	dvx_mkey_destroy(qp->mmo_mkey);
	dvx_mem_free(qp->mmo_mem);
	dvx_queue_memory_free(&qp->at);
	free(qp->sq.slots);
	free(qp->rq.wr_ids);
	free(qp);
}

static int lib_qp_build(struct dvx_qp *qp, const struct dvx_qp_attr *attr)
{
	struct layout l = qp_lay_out(attr);
	int err = dvx_queue_memory_alloc(qp->dev, l.bytes, &attr->place, &qp->at);

	if (!err)
		err = qp_init_rings(qp, &l, dvx_mem_addr(qp->at.mem));
	if (!err && attr->flags & DVX_QP_MMO)
		err = qp_add_mmo(qp);
	if (!err)
		err = lib_qp_command(qp, attr, &l);
	dvx_sq_set_qpn(&qp->sq, qp->qpn);
	if (!err)
		err = dvx_qp_attach(qp, attr->user_index);
	return err;
}

/* Adds the receives to the queue's record. The CQ counts an SRQ's receives once for all queues. */
static void qp_add_receives(struct dvx_qp *qp, struct dvx_cq_queue *queue)
{
	queue->shared = qp->srq;
	if (qp->srq) {
		queue->srq = &qp->srq->ring;
		queue->room += !queue->room; /* 0 would mean a free place */
	} else if (qp->has_rq) {
		queue->rq = &qp->rq;
		queue->room += qp->rq.mask + 1;
	}
}

int dvx_qp_attach(struct dvx_qp *qp, uint32_t user_index)
{
	struct dvx_cq_queue sends = {.number = qp->qpn,
				     .user_index = user_index,
				     .sq = &qp->sq,
				     .room = dvx_sq_blocks(&qp->sq)};
	struct dvx_cq_queue receives = {.number = qp->qpn, .user_index = user_index};
	int err;

	qp_add_receives(qp, &receives);
	if (qp->scq == qp->rcq)
		qp_add_receives(qp, &sends);
	err = dvx_cq_attach(qp->scq, &sends);
	if (err || !receives.rq || qp->scq == qp->rcq)
		return err;
	err = dvx_cq_attach(qp->rcq, &receives);
	if (err)
		dvx_cq_detach(qp->scq, qp->qpn);
	return err;
}

void dvx_qp_detach(struct dvx_qp *qp)
{
	dvx_cq_detach(qp->scq, qp->qpn);
	dvx_cq_detach(qp->rcq, qp->qpn);
}

int dvx_qp_create(struct dvx_dev *dev, const struct dvx_qp_attr *user, struct dvx_qp **out)
{
	struct dvx_qp_attr attr;
	struct dvx_qp *qp;
	int err = dvx_attr_copy(&attr, user, "dvx_qp_create");

	if (!err)
		err = dvx_check_not_null("dvx_qp_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = lib_qp_check(dev, &attr);
	if (err)
		return err;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return dvx_fail(ENOMEM, "no memory for a QP");
	qp->dev = dev;
	qp->pd = attr.pd;
	qp->uar = attr.uar;
	qp->scq = attr.send_cq->priv;
	qp->rcq = attr.recv_cq->priv;
	qp->srq = attr.srq ? attr.srq->priv : NULL;
	qp->type = attr.type;
	qp->force_loopback = attr.flags & DVX_QP_FORCE_LOOPBACK;
	err = lib_qp_build(qp, &attr);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		dvx_obj_forget(qp->obj);
		lib_qp_release(qp);
		return dvx_restore(&why);
	}
	dvx_ref(&qp->pd->refs);
	dvx_ref(&qp->uar->refs);
	if (qp->srq)
		dvx_ref(&qp->srq->refs);
	*out = qp;
	return 0;
}

int dvx_qp_destroy(struct dvx_qp *qp)
{
	int err;

	if (!qp)
		return 0;
	if (dvx_in_use(&qp->refs))
		return dvx_fail(EBUSY, "QP 0x%x: it is still in %d multicast groups", qp->qpn,
				qp->refs);
	err = qp->obj ? dvx_obj_destroy(qp->obj) : dvx_qp_to_rst(qp);
	if (err)
		return err;
	dvx_qp_detach(qp);
	if (qp->srq)
		dvx_unref(&qp->srq->refs);
	if (qp->ibqp) {
		dvx_unref(&qp->dev->refs);
	} else {
		dvx_unref(&qp->uar->refs);
		dvx_unref(&qp->pd->refs);
	}
	lib_qp_release(qp);
	return 0;
}

uint32_t dvx_qp_number(const struct dvx_qp *qp)
{
	return qp->qpn;
}

struct dvx_sq *dvx_qp_sq(struct dvx_qp *qp)
{
	return &qp->sq;
}

struct dvx_rq *dvx_qp_rq(struct dvx_qp *qp)
{
	return qp->has_rq ? &qp->rq : NULL;
}
