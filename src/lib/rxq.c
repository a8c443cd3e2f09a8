/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/rq.h>
#include "priv.h"

#define MAX_USER_INDEX 0xfffffeu
#define MAX_LOG_QUEUE  15u
/* The values that 0 means in log_wqe_num_of_strides and log_wqe_stride_size, and the greatest. */
#define LOG_STRIDES	      9u
#define LOG_STRIDES_MOST      16u
#define LOG_STRIDE_BYTES      6u
#define LOG_STRIDE_BYTES_MOST 13u

static int rxq_lacks(struct dvx_dev *dev, const char *what, const char *cap)
{
	return dvx_fail(EOPNOTSUPP, "dvx_rxq_create: attr.%s, but %s has no %s", what,
			dvx_dev_name(dev), cap);
}

static int rxq_check_flags(struct dvx_dev *dev, uint32_t flags)
{
	const void *cap;
	int err;

	if (flags & ~(uint32_t)(DVX_RXQ_STRIP_VLAN | DVX_RXQ_KEEP_FCS | DVX_RXQ_REAL_TIME |
				DVX_RXQ_COUNT_DROPS))
		return dvx_fail(EINVAL, "dvx_rxq_create: attr.flags 0x%x: unknown bits", flags);
	if (!flags)
		return 0;
	err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS, &cap);
	if (err)
		return err;
	if (flags & DVX_RXQ_STRIP_VLAN &&
	    !prm_per_protocol_networking_offload_caps_get_vlan_cap(cap))
		return rxq_lacks(dev, "flags has DVX_RXQ_STRIP_VLAN", "vlan_cap");
	if (flags & DVX_RXQ_KEEP_FCS &&
	    !prm_per_protocol_networking_offload_caps_get_scatter_fcs(cap))
		return rxq_lacks(dev, "flags has DVX_RXQ_KEEP_FCS", "scatter_fcs");
	return 0;
}

static bool rxq_pow2_within(uint32_t v, uint32_t log_least, uint32_t log_most)
{
	return dvx_is_pow2(v) && v >= 1u << log_least && v <= 1u << log_most;
}

static int rxq_check_strides(struct dvx_dev *dev, const struct dvx_rxq_attr *attr)
{
	uint32_t least;
	const void *cap;
	int err;

	if (!attr->strides && !attr->stride_bytes)
		return 0;
	err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap);
	if (err)
		return err;
	if (!prm_cmd_hca_cap_get_striding_rq(cap))
		return rxq_lacks(dev, "strides is set", "striding_rq");
	least = prm_cmd_hca_cap_get_ext_stride_num_range(cap) ? 3 : LOG_STRIDES;
	if (!rxq_pow2_within(attr->strides, least, LOG_STRIDES_MOST))
		return dvx_fail(EINVAL,
				"dvx_rxq_create: attr.strides is %u, not a power of two from %u to "
				"65536",
				attr->strides, 1u << least);
	if (!rxq_pow2_within(attr->stride_bytes, LOG_STRIDE_BYTES, LOG_STRIDE_BYTES_MOST))
		return dvx_fail(
			EINVAL,
			"dvx_rxq_create: attr.stride_bytes is %u, not a power of two from 64 "
			"to 8192",
			attr->stride_bytes);
	if (attr->sge > 1)
		return dvx_fail(EINVAL,
				"dvx_rxq_create: attr.sge is %u, but a receive with "
				"attr.strides has one piece",
				attr->sge);
	if (attr->strides * (uint64_t)attr->stride_bytes > DVX_MAX_SEGMENT ||
	    attr->strides * (uint64_t)attr->entries > UINT32_MAX / 2)
		return dvx_fail(EINVAL,
				"dvx_rxq_create: attr.strides is %u: too many for a CQ, or "
				"a buffer of more than 2 GiB",
				attr->strides);
	return 0;
}

static int rxq_check(struct dvx_dev *dev, const struct dvx_rxq_attr *attr)
{
	uint32_t max = dev->caps.log_max_qp_blocks;

	if (!max || max > MAX_LOG_QUEUE)
		max = MAX_LOG_QUEUE;
	if (!attr->pd || attr->pd->dev != dev)
		return dvx_fail(EINVAL, "dvx_rxq_create: attr.pd is not of this device");
	if (!attr->cq || !attr->cq->priv || attr->cq->priv->dev != dev)
		return dvx_fail(EINVAL, "dvx_rxq_create: attr.cq is not of this device");
	if (!attr->entries || attr->entries > 1u << max)
		return dvx_fail(EINVAL, "dvx_rxq_create: attr.entries is %u, not 1 to %u",
				attr->entries, 1u << max);
	if (attr->sge > 64)
		return dvx_fail(EINVAL, "dvx_rxq_create: attr.sge is %u, more than 64", attr->sge);
	if (attr->user_index > MAX_USER_INDEX)
		return dvx_fail(EINVAL,
				"dvx_rxq_create: attr.user_index 0x%x is not below 0xffffff",
				attr->user_index);
	return rxq_check_flags(dev, attr->flags);
}

static int rxq_ts_format(struct dvx_dev *dev, uint32_t flags, uint32_t *out)
{
	const bool real_time = flags & DVX_RXQ_REAL_TIME;
	const void *page;
	uint32_t cap;
	int err = dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &page);

	if (err)
		return err;
	cap = prm_cmd_hca_cap_get_rq_ts_format(page);
	*out = dvx_ts_format(cap, real_time);
	return dvx_ts_check(dev, "dvx_rxq_create", cap, real_time);
}

static void rxq_fill_wq(void *wq, const struct dvx_rxq *rxq)
{
	dvx_queue_memory_wq(&rxq->at, wq, rxq->pd);
	prm_wq_set_log_wq_stride(wq, dvx_log2_up(rxq->ring.stride));
	prm_wq_set_log_wq_sz(wq, dvx_log2_up(rxq->ring.mask + 1));
	if (!rxq->strides)
		return;
	prm_wq_set_wq_type(wq, PRM_WQ_TYPE_CYCLIC_STRIDING_RQ);
	/* modulo 16 */
	prm_wq_set_log_wqe_num_of_strides(wq, (dvx_log2_up(rxq->strides) - LOG_STRIDES) & 0xf);
	prm_wq_set_log_wqe_stride_size(wq, dvx_log2_up(rxq->stride_bytes) - LOG_STRIDE_BYTES);
}

static int rxq_create_rq(struct dvx_rxq *rxq, const struct dvx_rxq_attr *attr)
{
	uint8_t in[PRM_CREATE_RQ_IN_BYTES] = {0}, reply[PRM_CREATE_RQ_OUT_BYTES];
	void *rqc = prm_create_rq_in_at_ctx(in);
	uint32_t ts_format;
	int err = rxq_ts_format(rxq->dev, attr->flags, &ts_format);

	if (err)
		return err;
	prm_create_rq_in_set_opcode(in, PRM_OPCODE_CREATE_RQ);
	prm_rqc_set_vsd(rqc, !(attr->flags & DVX_RXQ_STRIP_VLAN));
	prm_rqc_set_scatter_fcs(rqc, !!(attr->flags & DVX_RXQ_KEEP_FCS));
	prm_rqc_set_flush_in_error_en(rqc, 1);
	prm_rqc_set_ts_format(rqc, ts_format);
	prm_rqc_set_user_index(rqc, attr->user_index);
	prm_rqc_set_cqn(rqc, attr->cq->cqn);
	prm_rqc_set_counter_set_id(rqc, rxq->q_counter_set);
	rxq_fill_wq(prm_rqc_at_wq(rqc), rxq);
	err = dvx_obj_create(rxq->dev, in, sizeof(in), reply, sizeof(reply), &rxq->rq);
	if (!err)
		rxq->rqn = prm_create_rq_out_get_rqn(reply);
	return err;
}

static int rxq_move(struct dvx_rxq *rxq, uint32_t from, uint32_t to)
{
	uint8_t in[PRM_MODIFY_RQ_IN_BYTES] = {0}, reply[PRM_MODIFY_RQ_OUT_BYTES];

	prm_modify_rq_in_set_opcode(in, PRM_OPCODE_MODIFY_RQ);
	prm_modify_rq_in_set_rq_state(in, from);
	prm_modify_rq_in_set_rqn(in, rxq->rqn);
	prm_rqc_set_state(prm_modify_rq_in_at_ctx(in), to);
	return dvx_obj_modify(rxq->rq, in, sizeof(in), reply, sizeof(reply));
}

static int rxq_query_state(struct dvx_rxq *rxq, uint32_t *out)
{
	uint8_t in[PRM_QUERY_RQ_IN_BYTES] = {0}, reply[PRM_QUERY_RQ_OUT_BYTES];
	int err;

	prm_query_rq_in_set_opcode(in, PRM_OPCODE_QUERY_RQ);
	prm_query_rq_in_set_rqn(in, rxq->rqn);
	err = dvx_obj_query(rxq->rq, in, sizeof(in), reply, sizeof(reply));
	if (!err)
		*out = prm_rqc_get_state(prm_query_rq_out_cat_rq_context(reply));
	return err;
}

static int rxq_init_ring(struct dvx_rxq *rxq, const struct dvx_rxq_attr *attr)
{
	struct dvx_rq_memory rq = {.size = sizeof(rq),
				   .entries = 1u << dvx_log2_up(attr->entries),
				   .stride = DVX_SEG
					     << (attr->strides ? 1 : dvx_log2_up(attr->sge))};
	size_t bytes = (size_t)rq.entries * rq.stride;
	int err;

	rxq->strides = attr->strides;
	rxq->stride_bytes = attr->stride_bytes;
	err = dvx_queue_memory_alloc(rxq->dev, bytes, &attr->place, &rxq->at);

	if (err)
		return err;
	rq.wr_ids = calloc(rq.entries, sizeof(*rq.wr_ids));
	rxq->ring.wr_ids = rq.wr_ids; /* rxq_release() frees them there */
	if (!rq.wr_ids)
		return dvx_fail(ENOMEM, "no memory for the cookies of %u receives", rq.entries);
	rq.buf = dvx_mem_addr(rxq->at.mem);
	rq.dbrec = dvx_dbr_words(rxq->at.dbr);
	err = dvx_rq_init(&rxq->ring, &rq);
	/* In a striding WQE, the piece follows a segment with the next WQE's number, which is 0. */
	if (!err && rxq->strides) {
		rxq->ring.buf += DVX_SEG;
		rxq->ring.max_sge = 1;
	}
	return err;
}

static int rxq_attach(struct dvx_rxq *rxq, uint32_t user_index)
{
	struct dvx_cq_queue queue = {.number = rxq->rqn,
				     .user_index = user_index,
				     .rq = &rxq->ring,
				     .room = (rxq->ring.mask + 1) *
					     (rxq->strides ? rxq->strides : 1),
				     .strided = rxq->strides != 0,
				     .raw = true};

	return dvx_cq_attach(rxq->cq, &queue);
}

static int rxq_build(struct dvx_rxq *rxq, const struct dvx_rxq_attr *attr)
{
	struct dvx_tir tir = {0};
	int err = rxq_init_ring(rxq, attr);

	if (!err && attr->flags & DVX_RXQ_COUNT_DROPS)
		err = dvx_q_counter_alloc(rxq->dev, &rxq->q_counter, &rxq->q_counter_set);
	if (!err)
		err = rxq_create_rq(rxq, attr);
	if (!err)
		err = rxq_move(rxq, PRM_RQC_STATE_RST, PRM_RQC_STATE_RDY);
	tir.rqn = rxq->rqn;
	if (!err)
		err = dvx_tir_create(rxq->dev, &tir, &rxq->tir, &rxq->tirn);
	return err ? err : rxq_attach(rxq, attr->user_index);
}

static void rxq_release(struct dvx_rxq *rxq)
{
	dvx_queue_memory_free(&rxq->at);
	free(rxq->ring.wr_ids);
	free(rxq);
}

int dvx_rxq_create(struct dvx_dev *dev, const struct dvx_rxq_attr *user, struct dvx_rxq **out)
{
	struct dvx_rxq_attr attr;
	struct dvx_rxq *rxq;
	int err = dvx_attr_copy(&attr, user, "dvx_rxq_create");

	if (!err)
		err = dvx_check_not_null("dvx_rxq_create", "dev", dev, "out", out, NULL);
	if (!err)
		err = rxq_check(dev, &attr);
	if (!err)
		err = rxq_check_strides(dev, &attr);
	if (err)
		return err;
	rxq = calloc(1, sizeof(*rxq));
	if (!rxq)
		return dvx_fail(ENOMEM, "no memory for a receive queue");
	rxq->dev = dev;
	rxq->pd = attr.pd;
	rxq->cq = attr.cq->priv;
	err = rxq_build(rxq, &attr);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		dvx_tir_destroy(rxq->dev, rxq->tir);
		dvx_obj_forget(rxq->rq);
		dvx_obj_forget(rxq->q_counter);
		rxq_release(rxq);
		return dvx_restore(&why);
	}
	dvx_ref(&rxq->pd->refs);
	*out = rxq;
	return 0;
}

int dvx_rxq_destroy(struct dvx_rxq *rxq)
{
	int err;

	if (!rxq)
		return 0;
	if (dvx_in_use(&rxq->refs))
		return dvx_fail(EBUSY, "receive queue 0x%x: %d actions or RSS groups lead to it",
				rxq->rqn, rxq->refs);
	err = dvx_tir_destroy(rxq->dev, rxq->tir);
	if (err)
		return err;
	rxq->tir = NULL;
	err = dvx_obj_destroy(rxq->rq);
	if (err) {
		struct dvx_error why = *dvx_last_error();
		struct dvx_tir tir = {.rqn = rxq->rqn};

		dvx_tir_create(rxq->dev, &tir, &rxq->tir, &rxq->tirn);
		return dvx_restore(&why);
	}
	dvx_obj_forget(rxq->q_counter);
	dvx_cq_detach(rxq->cq, rxq->rqn);
	dvx_unref(&rxq->pd->refs);
	rxq_release(rxq);
	return 0;
}

struct dvx_rq *dvx_rxq_ring(struct dvx_rxq *rxq)
{
	return &rxq->ring;
}

uint32_t dvx_rxq_rqn(const struct dvx_rxq *rxq)
{
	return rxq->rqn;
}

uint32_t dvx_rxq_tirn(const struct dvx_rxq *rxq)
{
	return rxq->tirn;
}

int dvx_rxq_to_err(struct dvx_rxq *rxq)
{
	uint32_t now;
	int err = dvx_check_not_null("dvx_rxq_to_err", "rxq", rxq, NULL);

	if (!err)
		err = rxq_query_state(rxq, &now);
	return err ? err : rxq_move(rxq, now, PRM_RQC_STATE_ERR);
}

int dvx_rxq_reset(struct dvx_rxq *rxq)
{
	uint32_t now;
	int err = dvx_check_not_null("dvx_rxq_reset", "rxq", rxq, NULL);

	if (!err)
		err = rxq_query_state(rxq, &now);
	if (!err)
		err = rxq_move(rxq, now, PRM_RQC_STATE_RST);
	if (err)
		return err;
	dvx_cq_clean(rxq->cq, rxq->rqn);
	dvx_rq_empty(&rxq->ring);
	return rxq_move(rxq, PRM_RQC_STATE_RST, PRM_RQC_STATE_RDY);
}
