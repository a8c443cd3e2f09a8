/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <string.h>
#include <dvx/prm/wqe.h>
#include "cmd.h"
#include "obj/device.h"
#include "prm/reflect.h"
#include "queue/queue.h"
#include "obj/cq.h"
#include "obj/mkey.h"
#include "obj/qp.h"
#include "obj/srq.h"
#include "transport/transport.h"

#define ADAPTER_PAGE_SHIFT 12
#define LOG_RQ_STRIDE_UNIT 4u /* log_rq_stride counts from 16 bytes */
#define LOG_WQEBB	   6

/* Refuses fields of features that the device lacks, in each command that carries a context. */
int fw_qp_check_context(struct fw_cmd *c, const void *qpc)
{
	const void *path = prm_qpc_cat_primary_address_path(qpc);
	const struct fw_absent features[] = {
		FW_ABSENT(qpc, dp_ordering_0, "cap.dp_ordering_ooo_* are 0"),
		FW_ABSENT(qpc, dp_ordering_1, "cap.dp_ordering_ooo_* are 0"),
		FW_ABSENT(qpc, dp_ordering_force, "cap_2.dp_ordering_force is 0"),
		FW_ABSENT(qpc, isolate_vl_tc, "cap.isolate_vl_tc_new is 0"),
		FW_ABSENT(qpc, req_e2e_credit_mode, "cap.qp_packet_based is 0"),
		FW_ABSENT(qpc, offload_type, "no cap.rndv_offload_* is set"),
		FW_ABSENT(qpc, end_padding_mode, "cap.end_pad is 0"),
		FW_ABSENT(qpc, wq_signature, "cap.wq_signature is 0"),
		FW_ABSENT(qpc, ulp_stateless_offload_mode, "cap.ipoib_basic_offloads is 0"),
		{prm_ads_get_plane_index(path), "qpc.primary_address_path.plane_index",
		 "cap_2.multiplane is 0"},
	};

	return FW_CHECK_ABSENT(c, features);
}

/* Refuses a second QP1. [I] A function has one. */
static int fw_qp_check_service(struct fw_cmd *c, uint8_t st)
{
	const struct transport *t = transport_find(st);

	if (!t)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "qpc.st %u is not implemented, only 0 (RC), 1 (UC), 2 (UD), 3 "
				 "(XRC), 5 (DCI), and for the kernel 8 (QP1) and 12 (REG_UMR)",
				 st);
	if (t->kernel && c->uid)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "qpc.st %u (%s) is the kernel's to use, uid is 0x%x", st, t->name,
				 c->uid);
	if (t == &transport_qp1 && c->vhca->qp1)
		return fw_refuse(c, FW_SYN_BUSY, "qpc.st 8: qpn 0x%x is the function's QP1 already",
				 c->vhca->qp1->o.id);
	return 0;
}

/* Refuses fields that ask for features that the device lacks. */
static int fw_qp_check_features(struct fw_cmd *c, const void *qpc)
{
	if (fw_qp_check_service(c, (uint8_t)prm_qpc_get_st(qpc)))
		return -1;
	if (prm_qpc_get_rq_type(qpc) != PRM_QPC_RQ_TYPE_REGULAR &&
	    prm_qpc_get_rq_type(qpc) != PRM_QPC_RQ_TYPE_SRQ &&
	    prm_qpc_get_rq_type(qpc) != PRM_QPC_RQ_TYPE_ZERO_SIZE)
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"qpc.rq_type %u is not implemented, only 0 (regular), 1 (SRQ) and 3 (none)",
			prm_qpc_get_rq_type(qpc));
	if (fw_ts_check(c, prm_qpc_get_ts_format(qpc), c->vhca->dev->profile->qp_ts_format,
			"qpc.ts_format") ||
	    fw_qp_check_context(c, qpc))
		return -1;
	if ((prm_qpc_get_log_num_dci_stream_channels(qpc) ||
	     prm_qpc_get_log_num_dci_errored_streams(qpc)) &&
	    prm_qpc_get_st(qpc) != PRM_QP_ST_DCI)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "qpc.log_num_dci_stream_channels or log_num_dci_errored_streams "
				 "is set: only a DCI has them");
	if (prm_qpc_get_log_num_dci_stream_channels(qpc) > VHCA_LOG_MAX_DCI_CHANNELS ||
	    prm_qpc_get_log_num_dci_errored_streams(qpc) > VHCA_LOG_MAX_DCI_CHANNELS)
		return fw_refuse(c, FW_SYN_SIZE,
				 "qpc.log_num_dci_stream_channels %u, log_num_dci_errored_streams "
				 "%u: the most is %u",
				 prm_qpc_get_log_num_dci_stream_channels(qpc),
				 prm_qpc_get_log_num_dci_errored_streams(qpc),
				 VHCA_LOG_MAX_DCI_CHANNELS);
	if (prm_qpc_get_rlky(qpc) && c->uid)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "qpc.rlky is set: the reserved lkey is the kernel's");
	if (prm_qpc_get_deth_sqpn(qpc))
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"qpc.deth_sqpn 0x%x: datagrams carry their queue pair's own number",
			prm_qpc_get_deth_sqpn(qpc));
	if (prm_create_qp_in_get_input_qpn(c->in))
		return fw_refuse(c, FW_SYN_RESERVED,
				 "input_qpn 0x%x: numbers are the device's to choose",
				 prm_create_qp_in_get_input_qpn(c->in));
	return 0;
}

/*
 * Returns true if the ring begins with receives. A DCI receives nothing, but has room for receives
 * if mlx5_ib was asked for some (max_recv_wr): libmlx5 places its SQ behind them.
 */
static bool fw_qp_has_receives(const void *qpc, const struct qp *qp)
{
	return prm_qpc_get_rq_type(qpc) == PRM_QPC_RQ_TYPE_REGULAR && !qp->xrcd &&
	       (qp->q.rq || prm_qpc_get_st(qpc) == PRM_QP_ST_DCI);
}

static int fw_qp_check_sizes(struct fw_cmd *c, const void *qpc, struct qp *qp)
{
	unsigned int max = c->vhca->dev->profile->log_max_qp_sz;
	uint64_t rq_bytes = 0, sq_bytes = 0;

	if (fw_qp_has_receives(qpc, qp))
		rq_bytes = 1ull << (qp->rq.log_size + qp->rq.log_stride + LOG_RQ_STRIDE_UNIT);
	if (qp->q.sq)
		sq_bytes = 1ull << (qp->sq.log_size + LOG_WQEBB);
	if ((rq_bytes && qp->rq.log_size > max) || (sq_bytes && qp->sq.log_size > max))
		return fw_refuse(
			c, FW_SYN_SIZE,
			"qpc.log_rq_size %u or log_sq_size %u is more than log_max_qp_sz %u",
			qp->rq.log_size, qp->sq.log_size, max);
	if (rq_bytes && qp->rq.log_stride + LOG_RQ_STRIDE_UNIT > FW_LOG_MAX_WQE)
		return fw_refuse(c, FW_SYN_SIZE,
				 "qpc.log_rq_stride %u: cap.max_wqe_sz_rq is %u bytes, 16 << %u",
				 qp->rq.log_stride, VHCA_MAX_WQE,
				 FW_LOG_MAX_WQE - LOG_RQ_STRIDE_UNIT);
	if (!rq_bytes && !sq_bytes && !qp->rq.srq && !qp->xrcd)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "qpc.no_sq is set and rq_type is 3: the QP has no ring at all");
	if (rq_bytes % (1u << LOG_WQEBB))
		return fw_refuse(c, FW_SYN_SIZE,
				 "the RQ has %" PRIu64 " bytes, the SQ behind it can't begin there",
				 rq_bytes);
	qp->sq.offset = rq_bytes;
	qp->q.ring.len = rq_bytes + sq_bytes;
	return 0;
}

/*
 * Refuses cross-channel flags for an SQ or RQ that the QP lacks. [I] It can neither enable others
 * nor be enabled.
 */
static int fw_qp_check_cross(struct fw_cmd *c, const void *qpc, const struct qp *qp)
{
	if (prm_qpc_get_cd_master(qpc) && !qp->q.sq)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "qpc.cd_master is set, but the QP has no send queue");
	if (prm_qpc_get_cd_slave_send(qpc) && !qp->q.sq)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "qpc.cd_slave_send is set, but the QP has no send queue");
	if (prm_qpc_get_cd_slave_receive(qpc) &&
	    (!qp->q.rq || prm_qpc_get_rq_type(qpc) != PRM_QPC_RQ_TYPE_REGULAR))
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"qpc.cd_slave_receive is set, but the QP has no receive queue of its own");
	return 0;
}

static bool is_xrc(const void *qpc)
{
	return prm_qpc_get_st(qpc) == PRM_QP_ST_XRC;
}

static void read_sizes(struct qp *qp, const void *qpc)
{
	qp->q.transport = transport_find((uint8_t)prm_qpc_get_st(qpc));
	qp->sq.q = qp->rq.q = &qp->q;
	/* A DCI receives nothing, although mlx5_ib gives it an SRQ. */
	qp->q.rq = prm_qpc_get_rq_type(qpc) == PRM_QPC_RQ_TYPE_ZERO_SIZE ||
				   prm_qpc_get_st(qpc) == PRM_QP_ST_DCI
			   ? NULL
			   : &qp->rq;
	qp->q.sq = prm_qpc_get_no_sq(qpc) ? NULL : &qp->sq;
	if (is_xrc(qpc))
		qp->q.rq = qp->q.sq ? NULL : &qp->rq;
	qp->rq.log_size = (uint8_t)prm_qpc_get_log_rq_size(qpc);
	qp->rq.log_stride = (uint8_t)prm_qpc_get_log_rq_stride(qpc);
	qp->sq.log_size = (uint8_t)prm_qpc_get_log_sq_size(qpc);
	qp->q.user_index = prm_qpc_get_user_index(qpc);
	qp->q.uar = prm_qpc_get_uar_page(qpc);
	qp->q.pdn = prm_qpc_get_pd(qpc);
	qp->log_dci_channels = (uint8_t)prm_qpc_get_log_num_dci_stream_channels(qpc);
	qp->log_dci_errored = (uint8_t)prm_qpc_get_log_num_dci_errored_streams(qpc);
	qp->block_lb_mc = prm_qpc_get_block_lb_mc(qpc);
	qp->sq.master = prm_qpc_get_cd_master(qpc);
	qp->sq.managed = prm_qpc_get_cd_slave_send(qpc);
	qp->rq.managed = prm_qpc_get_cd_slave_receive(qpc);
}

/*
 * Handles XRC. An XRC initiator has no receive queue; a target has no own queue, because its
 * requests name SRQs. [I] The CQ and SRQ that mlx5_ib puts into a target's context are
 * placeholders.
 */
static int fw_qp_take_xrc(struct fw_cmd *c, const void *qpc, struct qp *qp)
{
	if (qp->q.sq) {
		qp->q.uar_obj = fw_take_shared(c, OBJ_UAR, qp->q.uar, "qpc.uar_page");
		qp->sq.cq = qp->q.uar_obj
				    ? fw_take(c, OBJ_CQ, prm_qpc_get_cqn_snd(qpc), "qpc.cqn_snd")
				    : NULL;
		return qp->sq.cq ? 0 : -1;
	}
	qp->xrcd = fw_take(c, OBJ_XRCD, prm_qpc_get_xrcd(qpc), "qpc.xrcd");
	return qp->xrcd ? 0 : -1;
}

static int take_numbers(struct fw_cmd *c, const void *qpc, struct qp *qp)
{
	if (prm_qpc_get_st(qpc) != PRM_QP_ST_REG_UMR) /* its PD comes with RST2INIT */
		qp->q.pd = fw_take(c, OBJ_PD, qp->q.pdn, "qpc.pd");
	if ((prm_qpc_get_st(qpc) != PRM_QP_ST_REG_UMR && !qp->q.pd) ||
	    fw_q_counter_attach(c, &qp->q, prm_qpc_get_counter_set_id(qpc), "qpc.counter_set_id"))
		return -1;
	if (is_xrc(qpc))
		return fw_qp_take_xrc(c, qpc, qp);
	qp->q.uar_obj = fw_take_shared(c, OBJ_UAR, qp->q.uar, "qpc.uar_page");
	if (!qp->q.uar_obj)
		return -1;
	if (qp->q.sq)
		qp->sq.cq = fw_take(c, OBJ_CQ, prm_qpc_get_cqn_snd(qpc), "qpc.cqn_snd");
	if (qp->q.sq && !qp->sq.cq)
		return -1;
	if (qp->q.rq)
		qp->rq.cq = fw_take(c, OBJ_CQ, prm_qpc_get_cqn_rcv(qpc), "qpc.cqn_rcv");
	if (qp->q.rq && !qp->rq.cq)
		return -1;
	if (!qp->q.rq || prm_qpc_get_rq_type(qpc) != PRM_QPC_RQ_TYPE_SRQ)
		return 0;
	qp->rq.srq = fw_take(c, OBJ_SRQ, prm_qpc_get_srqn_rmpn_xrqn(qpc), "qpc.srqn_rmpn_xrqn");
	if (qp->rq.srq && qp->rq.srq->xrcd)
		return fw_refuse(
			c, FW_SYN_RESERVED,
			"qpc.srqn_rmpn_xrqn 0x%x is an XRC SRQ: only XRC's messages go there",
			qp->rq.srq->o.id);
	return qp->rq.srq ? 0 : -1;
}

/*
 * Sets *most, the bytes of data that fit into a CQE. [I] 64 bytes need a CQE of 128. With cq NULL,
 * the QP lacks that queue.
 */
static int fw_qp_set_inline(struct fw_cmd *c, const char *field, unsigned int code,
			    unsigned int unit, const struct cq *cq, uint8_t *most)
{
	const unsigned int step = code / unit;

	if (code % unit || step > 2)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "%s 0x%x is none of 0, 0x%x (32 bytes) and 0x%x (64)", field, code,
				 unit, 2 * unit);
	if (step == 2 && cq && cq->cqe_log == LOG_WQEBB)
		return fw_refuse(
			c, FW_SYN_SIZE,
			"%s 0x%x: 64 bytes of data need completions of 128 bytes, the CQ's have 64",
			field, code);
	*most = (uint8_t)(32 * step);
	return 0;
}

/* Sets up data in CQEs. [I] It is accepted for the service types for which mlx5_ib asks for it. */
static int fw_qp_take_inline(struct fw_cmd *c, const void *qpc, struct qp *qp)
{
	const unsigned int st = prm_qpc_get_st(qpc), req = prm_qpc_get_cs_req(qpc),
			   res = prm_qpc_get_cs_res(qpc);

	if ((req && st != PRM_QP_ST_RC && st != PRM_QP_ST_DCI) ||
	    (res && st != PRM_QP_ST_RC && st != PRM_QP_ST_UC))
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"qpc.cs_req 0x%x, cs_res 0x%x: %s queues have no such data in completions",
			req, res, qp->q.transport->name);
	if (fw_qp_set_inline(c, "qpc.cs_req", req, PRM_QPC_CS_REQ_UP_TO_32B, qp->sq.cq,
			     &qp->sq.inline_most))
		return -1;
	return fw_qp_set_inline(c, "qpc.cs_res", res, PRM_QPC_CS_RES_UP_TO_32B, qp->rq.cq,
				&qp->rq.inline_most);
}

static int fw_qp_take_buffer(struct fw_cmd *c, const void *qpc, struct qp *qp)
{
	size_t ext = prm_create_qp_in_get_qpc_ext(c->in) ? PRM_QPC_EXT_BYTES : 0;
	struct fw_buffer b = {
		.umem_valid = prm_create_qp_in_get_wq_umem_valid(c->in),
		.umem_id = prm_create_qp_in_get_wq_umem_id(c->in),
		.umem_offset = prm_create_qp_in_get_wq_umem_offset(c->in),
		.page_offset = prm_qpc_get_page_offset(qpc),
		.log_page = prm_qpc_get_log_page_size(qpc) + ADAPTER_PAGE_SHIFT,
		.pas = (const uint8_t *)c->in + PRM_CREATE_QP_IN_BYTES + ext,
		.pas_at = PRM_CREATE_QP_IN_BYTES + ext,
	};

	return fw_ring(c, &b, qp->q.ring.len, &qp->q.ring);
}

/* Refuses mmo for a transport without the MMO WQE. [I] */
int fw_qp_check_mmo(struct fw_cmd *c, const struct queue *q, bool mmo)
{
	if (mmo && !c->vhca->dev->profile->dma_mmo)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "qpc_ext.mmo is set, but cap.dma_mmo_qp is 0");
	if (mmo && !(*q->transport->wqe)[PRM_WQE_OPCODE_MMO].known)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "qpc_ext.mmo is set, but %s queues have no MMO",
				 q->transport->name);
	return 0;
}

/* Takes the context's extension, which stands before the page list if qpc_ext is set. */
static int take_extension(struct fw_cmd *c, struct qp *qp)
{
	const uint8_t *ext = (const uint8_t *)c->in + PRM_CREATE_QP_IN_BYTES;

	if (!prm_create_qp_in_get_qpc_ext(c->in))
		return 0;
	if (c->in_len < PRM_CREATE_QP_IN_BYTES + PRM_QPC_EXT_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "qpc_ext is set, but the mailbox of %zu bytes has no room for it",
				 c->in_len);
	if (fw_check_reserved(c, prm_find_struct("qpc_ext"), PRM_CREATE_QP_IN_BYTES))
		return -1;
	qp->mmo = prm_qpc_ext_get_mmo(ext);
	return fw_qp_check_mmo(c, &qp->q, qp->mmo);
}

static int fw_qp_take(struct fw_cmd *c, const void *qpc, struct qp *qp)
{
	uint64_t dbrec;

	read_sizes(qp, qpc);
	qp->q.utc = fw_ts_is_utc(prm_qpc_get_ts_format(qpc), c->vhca->dev->profile->qp_ts_format);
	if (fw_qp_check_cross(c, qpc, qp) || take_numbers(c, qpc, qp) ||
	    fw_qp_take_inline(c, qpc, qp) || fw_qp_check_sizes(c, qpc, qp) ||
	    take_extension(c, qp) || fw_qp_take_buffer(c, qpc, qp) ||
	    fw_dbrec(c, prm_qpc_get_dbr_umem_valid(qpc), prm_qpc_get_dbr_umem_id(qpc),
		     prm_qpc_get_dbr_addr(qpc), &dbrec, &qp->q.dbr_umem))
		return -1;
	qp->q.dbrec = dbrec;
	memcpy(qp->q.ctx, qpc, PRM_QPC_BYTES);
	if (queue_start(&qp->q))
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for one more queue pair");
	return 0;
}

int fw_create_qp(struct fw_cmd *c)
{
	const void *qpc = prm_create_qp_in_cat_qpc(c->in);
	struct qp *qp = fw_qp_check_features(c, qpc) ? NULL : fw_new(c, OBJ_QP, sizeof(*qp));

	if (!qp || fw_made(c, &qp->q.o, fw_qp_take(c, qpc, qp)))
		return -1;
	qp->ece = fw_ece(prm_create_qp_in_get_ece(c->in));
	prm_create_qp_out_set_ece(c->out, qp->ece);
	return 0;
}

/*
 * Returns the accepted part of the options: [I] the version in the upper 4 bits, if it is 1 as
 * libmlx5's. This device has no options.
 */
uint32_t fw_ece(uint32_t asked)
{
	const uint32_t version = asked & 0xfu << 28;

	return version == 1u << 28 ? version : 0;
}

int fw_query_qp(struct fw_cmd *c)
{
	struct qp *qp = c->obj;
	void *ext = (uint8_t *)c->out + PRM_QUERY_QP_OUT_BYTES;

	prm_query_qp_out_set_ece(c->out, qp->ece);
	queue_psns(&qp->q);
	fw_qp_show(prm_query_qp_out_at_qpc(c->out), qp);
	if (!prm_query_qp_in_get_qpc_ext(c->in))
		return 0;
	if (c->out_len < PRM_QUERY_QP_OUT_BYTES + PRM_QPC_EXT_BYTES)
		return fw_refuse(c, FW_SYN_OUT_SHORT,
				 "qpc_ext is set, but the reply mailbox of %zu bytes has no room",
				 c->out_len);
	prm_qpc_ext_set_mmo(ext, qp->mmo);
	return 0;
}
