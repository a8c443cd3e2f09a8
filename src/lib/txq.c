/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/rq.h>
#include "priv.h"

#define MAX_USER_INDEX 0xfffffeu
#define TXQ_CROSS      (DVX_TXQ_MASTER | DVX_TXQ_MANAGED)
#define MAX_LOG_QUEUE  15u
#define LOG_BLOCK      6u
#define INLINE_NONE    2u /* per_protocol_networking_offload_caps.wqe_inline_mode */

struct dvx_txq {
	struct dvx_sq ring;
	struct dvx_dev *dev;
	struct dvx_pd *pd;
	struct dvx_uar *uar;
	struct dvx_cq_priv *cq;
	struct dvx_obj *tis, *sq;
	struct dvx_queue_memory at;
	uint32_t tisn;
	uint32_t min_inline;
	bool has_td;
	bool multi; /* ENHANCED_MPSW */
	uint32_t tso;
};

static int txq_check(struct dvx_dev *dev, const struct dvx_txq_attr *attr)
{
	uint32_t max = dev->caps.log_max_qp_blocks;
	int err;

	if (!max || max > MAX_LOG_QUEUE)
		max = MAX_LOG_QUEUE;
	if (attr->flags & ~(uint32_t)(DVX_TXQ_REAL_TIME | DVX_TXQ_RULES | TXQ_CROSS))
		return dvx_fail(EINVAL, "dvx_txq_create: attr.flags 0x%x: unknown bits",
				attr->flags);
	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_txq_create: attr.pd is not of this device");
	if (!attr->uar || attr->uar->dev != dev)
		return dvx_fail(EINVAL, "dvx_txq_create: attr.uar is not of this device");
	if (!attr->cq || !attr->cq->priv || attr->cq->priv->dev != dev)
		return dvx_fail(EINVAL, "dvx_txq_create: attr.cq is not of this device");
	if (!attr->sq_blocks || attr->sq_blocks > 1u << max)
		return dvx_fail(EINVAL, "dvx_txq_create: attr.sq_blocks is %u, not 1 to %u",
				attr->sq_blocks, 1u << max);
	if (attr->user_index > MAX_USER_INDEX)
		return dvx_fail(EINVAL,
				"dvx_txq_create: attr.user_index 0x%x is not below 0xffffff",
				attr->user_index);
	if (attr->flags & DVX_TXQ_RULES && (err = dvx_rules_supported(dev, "dvx_txq_create")))
		return err;
	return attr->flags & TXQ_CROSS ? dvx_cross_supported(dev, "dvx_txq_create") : 0;
}

int dvx_rules_supported(struct dvx_dev *dev, const char *call)
{
	const void *cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);

	if (err || prm_cmd_hca_cap_get_wqe_based_flow_table_update_cap(cap))
		return err;
	return dvx_fail(EOPNOTSUPP,
			"%s: %s takes no rules by requests: wqe_based_flow_table_update_cap is 0",
			call, dvx_dev_name(dev));
}

static int txq_ts_format(struct dvx_dev *dev, uint32_t flags, uint32_t *out)
{
	const bool real_time = flags & DVX_TXQ_REAL_TIME;
	const void *page;
	uint32_t cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &page);

	if (err)
		return err;
	cap = prm_cmd_hca_cap_get_sq_ts_format(page);
	*out = dvx_ts_format(cap, real_time);
	return dvx_ts_check(dev, "dvx_txq_create", cap, real_time);
}

/*
 * Reads what the device offers. wqe_inline_mode: 0 needs layer 2 inline; 1, by which the vport's
 * context decides, needs at most layer 2 unless somebody changed the context.
 */
static int txq_read_caps(struct dvx_txq *txq)
{
	const void *cap;
	uint32_t log_tso;
	int err = dvx_dev_cap_page(txq->dev, PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, &cap);

	if (err)
		return err;
	log_tso = prm_per_protocol_networking_offload_caps_get_max_lso_cap(cap);
	txq->tso = log_tso ? 1u << log_tso : 0;
	if (prm_per_protocol_networking_offload_caps_get_wqe_inline_mode(cap) != INLINE_NONE)
		txq->min_inline = DVX_ETH_HEADER;
	else
		txq->multi =
			prm_per_protocol_networking_offload_caps_get_enhanced_multi_pkt_send_wqe(
				cap);
	return 0;
}

static int txq_create_tis(struct dvx_txq *txq)
{
	uint8_t in[PRM_CREATE_TIS_IN_BYTES] = {0}, reply[PRM_CREATE_TIS_OUT_BYTES];
	uint32_t tdn;
	int err = dvx_td_get(txq->dev, &tdn);

	if (err)
		return err;
	txq->has_td = true;
	prm_create_tis_in_set_opcode(in, PRM_OPCODE_CREATE_TIS);
	prm_tisc_set_transport_domain(prm_create_tis_in_at_ctx(in), tdn);
	err = dvx_obj_create(txq->dev, in, sizeof(in), reply, sizeof(reply), &txq->tis);
	if (!err)
		txq->tisn = prm_create_tis_out_get_tisn(reply);
	return err;
}

static void txq_fill_wq(void *wq, const struct dvx_txq *txq)
{
	dvx_queue_memory_wq(&txq->at, wq, txq->pd);
	prm_wq_set_uar_page(wq, dvx_uar_index(txq->uar));
	prm_wq_set_log_wq_stride(wq, LOG_BLOCK);
	prm_wq_set_log_wq_sz(wq, dvx_log2_up(dvx_sq_blocks(&txq->ring)));
}

/* Creates the SQ; one for rules sends nothing, and has no TIS. min_wqe_inline_mode stays 0, as in mlx5_ib. */
static int txq_create_sq(struct dvx_txq *txq, const struct dvx_txq_attr *attr)
{
	uint8_t in[PRM_CREATE_SQ_IN_BYTES] = {0}, reply[PRM_CREATE_SQ_OUT_BYTES];
	void *sqc = prm_create_sq_in_at_ctx(in);
	uint32_t ts_format;
	int err = txq_ts_format(txq->dev, attr->flags, &ts_format);

	if (err)
		return err;
	prm_create_sq_in_set_opcode(in, PRM_OPCODE_CREATE_SQ);
	prm_sqc_set_flush_in_error_en(sqc, 1);
	prm_sqc_set_allow_multi_pkt_send_wqe(sqc, txq->multi);
	prm_sqc_set_ts_format(sqc, ts_format);
	prm_sqc_set_user_index(sqc, attr->user_index);
	prm_sqc_set_cqn(sqc, attr->cq->cqn);
	prm_sqc_set_non_wire(sqc, !txq->tis);
	prm_sqc_set_tis_lst_sz(sqc, !!txq->tis);
	prm_sqc_set_tis_num_0(sqc, txq->tisn);
	prm_sqc_set_cd_master(sqc, !!(attr->flags & DVX_TXQ_MASTER));
	txq_fill_wq(prm_sqc_at_wq(sqc), txq);
	prm_wq_set_cd_slave(prm_sqc_at_wq(sqc), !!(attr->flags & DVX_TXQ_MANAGED));
	err = dvx_obj_create(txq->dev, in, sizeof(in), reply, sizeof(reply), &txq->sq);
	if (!err)
		dvx_sq_set_qpn(&txq->ring, prm_create_sq_out_get_sqn(reply));
	return err;
}

static int txq_make_ready(struct dvx_txq *txq)
{
	uint8_t in[PRM_MODIFY_SQ_IN_BYTES] = {0}, reply[PRM_MODIFY_SQ_OUT_BYTES];

	prm_modify_sq_in_set_opcode(in, PRM_OPCODE_MODIFY_SQ);
	prm_modify_sq_in_set_sq_state(in, PRM_SQC_STATE_RST);
	prm_modify_sq_in_set_sqn(in, txq->ring.qpn);
	prm_sqc_set_state(prm_modify_sq_in_at_ctx(in), PRM_SQC_STATE_RDY);
	return dvx_obj_modify(txq->sq, in, sizeof(in), reply, sizeof(reply));
}

static int txq_init_ring(struct dvx_txq *txq, const struct dvx_txq_attr *attr)
{
	struct dvx_sq_memory sq = {.size = sizeof(sq),
				   .blocks = 1u << dvx_log2_up(attr->sq_blocks),
				   .reg = dvx_uar_reg(attr->uar),
				   .bf_size = dvx_uar_bf_size(attr->uar),
				   .max_wqe_bytes = txq->dev->caps.max_wqe_bytes};
	size_t bytes = (size_t)sq.blocks * DVX_BLOCK;
	int err = dvx_queue_memory_alloc(txq->dev, bytes, &attr->place, &txq->at);

	if (err)
		return err;
	sq.slots = calloc(sq.blocks, sizeof(*sq.slots));
	txq->ring.slots = sq.slots; /* txq_release() frees them there */
	if (!sq.slots)
		return dvx_fail(ENOMEM, "no memory for the cookies of %u WQEs", sq.blocks);
	sq.buf = dvx_mem_addr(txq->at.mem);
	sq.dbrec = dvx_dbr_words(txq->at.dbr) + 1;
	err = dvx_sq_init(&txq->ring, &sq);
	txq->ring.reg_users = dvx_uar_users(attr->uar);
	return err;
}

static int txq_attach(struct dvx_txq *txq, uint32_t user_index)
{
	struct dvx_cq_queue queue = {.number = txq->ring.qpn,
				     .user_index = user_index,
				     .sq = &txq->ring,
				     .room = dvx_sq_blocks(&txq->ring),
				     .raw = true};

	return dvx_cq_attach(txq->cq, &queue);
}

static int txq_build(struct dvx_txq *txq, const struct dvx_txq_attr *attr)
{
	int err = txq_init_ring(txq, attr);

	if (!err && !(attr->flags & DVX_TXQ_RULES))
		err = txq_read_caps(txq);
	if (!err && !(attr->flags & DVX_TXQ_RULES))
		err = txq_create_tis(txq);
	if (!err)
		err = txq_create_sq(txq, attr);
	if (!err)
		err = txq_make_ready(txq);
	return err ? err : txq_attach(txq, attr->user_index);
}

/* Destroys the device's objects, the SQ before its TIS. */
static int txq_destroy_objects(struct dvx_txq *txq)
{
	int err = dvx_obj_destroy(txq->sq);

	if (err)
		return err;
	txq->sq = NULL;
	err = dvx_obj_destroy(txq->tis);
	if (err)
		return err;
	txq->tis = NULL;
	if (txq->has_td)
		dvx_td_put(txq->dev);
	return 0;
}

static void txq_release(struct dvx_txq *txq)
{
	dvx_queue_memory_free(&txq->at);
	free(txq->ring.slots);
	free(txq);
}

int dvx_txq_create(struct dvx_dev *dev, const struct dvx_txq_attr *user, struct dvx_txq **out)
{
	struct dvx_txq_attr attr;
	struct dvx_txq *txq;
	int err = dvx_attr_copy(&attr, user, "dvx_txq_create");

	if (!err)
		err = dvx_check_not_null("dvx_txq_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = txq_check(dev, &attr);
	if (err)
		return err;
	txq = calloc(1, sizeof(*txq));
	if (!txq)
		return dvx_fail(ENOMEM, "no memory for a send queue");
	txq->dev = dev;
	txq->pd = attr.pd;
	txq->uar = attr.uar;
	txq->cq = attr.cq->priv;
	err = txq_build(txq, &attr);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		txq_destroy_objects(txq);
		txq_release(txq);
		return dvx_restore(&why);
	}
	dvx_ref(&txq->pd->refs);
	dvx_ref(&txq->uar->refs);
	*out = txq;
	return 0;
}

int dvx_txq_destroy(struct dvx_txq *txq)
{
	int err;

	if (!txq)
		return 0;
	err = txq_destroy_objects(txq);
	if (err)
		return err;
	dvx_cq_detach(txq->cq, txq->ring.qpn);
	dvx_unref(&txq->uar->refs);
	dvx_unref(&txq->pd->refs);
	txq_release(txq);
	return 0;
}

struct dvx_sq *dvx_txq_ring(struct dvx_txq *txq)
{
	return &txq->ring;
}

struct dvx_obj *dvx_txq_obj(const struct dvx_txq *txq)
{
	return txq->sq;
}

uint32_t dvx_txq_sqn(const struct dvx_txq *txq)
{
	return txq->ring.qpn;
}

uint32_t dvx_txq_inline(const struct dvx_txq *txq)
{
	return txq->min_inline;
}

uint32_t dvx_txq_multi(const struct dvx_txq *txq)
{
	return txq->multi ? txq->ring.max_ds - 2 : 0;
}

uint32_t dvx_txq_tso(const struct dvx_txq *txq)
{
	return txq->tso;
}
