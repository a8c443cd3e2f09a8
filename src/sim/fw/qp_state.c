/* SPDX-License-Identifier: BSD-2-Clause */
/* QP state changes: the legal ones, and the context fields that each of them takes. */
#include <string.h>
#include "cmd.h"
#include "obj/device.h"
#include "prm/reflect.h"
#include "queue/queue.h"
#include "obj/qp.h"
#include "transport/transport.h"

#define QP_COUNTER "qpc.counter_set_id"

/* Bits of opt_param_mask, and the fields that they select. */
static const struct {
	uint32_t bit, field;
} optional[] = {
	{PRM_QP_OPTPAR_RRE, QP_FIELD_RRE},
	{PRM_QP_OPTPAR_RAE, QP_FIELD_RAE},
	{PRM_QP_OPTPAR_RWE, QP_FIELD_RWE},
	{PRM_QP_OPTPAR_PKEY_INDEX, QP_FIELD_PKEY},
	{PRM_QP_OPTPAR_RNR_TIMEOUT, QP_FIELD_RNR_TIMER},
	{PRM_QP_OPTPAR_PRIMARY_ADDR_PATH, QP_FIELD_PATH},
	{PRM_QP_OPTPAR_SRA_MAX, QP_FIELD_SRA},
	{PRM_QP_OPTPAR_RRA_MAX, QP_FIELD_RRA},
	{PRM_QP_OPTPAR_PM_STATE, QP_FIELD_IGNORED},
	{PRM_QP_OPTPAR_Q_KEY, QP_FIELD_QKEY},
	{PRM_QP_OPTPAR_DRAIN_SIGERR, QP_FIELD_DRAIN},
	{PRM_QP_OPTPAR_RETRY_COUNT, QP_FIELD_RETRY},
	{PRM_QP_OPTPAR_RNR_RETRY, QP_FIELD_RNR_RETRY},
	{PRM_QP_OPTPAR_ACK_TIMEOUT, QP_FIELD_ACK_TIMEOUT},
	{PRM_QP_OPTPAR_LAG_TX_AFF, QP_FIELD_IGNORED},
	{PRM_QP_OPTPAR_PRI_PORT, QP_FIELD_PORT},
	{PRM_QP_OPTPAR_COUNTER_SET_ID, QP_FIELD_COUNTER},
};

#define ANY_STATE                                                                              \
	(1 << QP_RST | 1 << QP_INIT | 1 << QP_RTR | 1 << QP_RTS | 1 << QP_SQER | 1 << QP_SQD | \
	 1 << QP_ERR | 1 << QP_SQ_DRAINING)

/* Changes that all transports have, beside the rows of their own tables. */
static const struct qp_change always[] = {
	{PRM_OPCODE_2ERR_QP, ANY_STATE, QP_ERR, 0, 0},
	{PRM_OPCODE_2RST_QP, ANY_STATE, QP_RST, 0, 0},
};

static const char *fw_qp_state_name(unsigned int state)
{
	static const char *const name[] = {"RST",  "INIT", "RTR", "RTS",
					   "SQER", "SQD",  "ERR", "SQ_DRAINING"};

	return state < sizeof(name) / sizeof(name[0]) ? name[state] : "?";
}

static const struct qp_change *qp_change_in(const struct qp_change *rows, size_t n, uint16_t opcode)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].opcode == opcode)
			return &rows[i];
	return NULL;
}

static const struct qp_change *qp_change_find(const struct transport *t, uint16_t opcode)
{
	const struct qp_change *c =
		qp_change_in(always, sizeof(always) / sizeof(always[0]), opcode);

	return c ? c : qp_change_in(t->changes, t->nchanges, opcode);
}

static int optional_fields(struct fw_cmd *c, const struct qp_change *t, uint32_t mask,
			   uint32_t *fields)
{
	if (mask & ~t->may)
		return fw_refuse(
			c, FW_SYN_OPT_PARAM,
			"opt_param_mask 0x%x has bits 0x%x, which this transition does not take",
			mask, mask & ~t->may);
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++)
		if (mask & optional[i].bit)
			*fields |= optional[i].field;
	return 0;
}

static int check_path(struct fw_cmd *c, const void *path, uint32_t fields)
{
	unsigned int gid = prm_ads_get_src_addr_index(path), port = prm_ads_get_vhca_port_num(path);

	if ((fields & QP_FIELD_PORT) && port != 1)
		return fw_refuse(c, FW_SYN_INDEX,
				 "primary_address_path.vhca_port_num is %u, the device has port 1",
				 port);
	if ((fields & QP_FIELD_PKEY) && prm_ads_get_pkey_index(path))
		return fw_refuse(c, FW_SYN_INDEX,
				 "primary_address_path.pkey_index is %u, a RoCE port has only 0",
				 prm_ads_get_pkey_index(path));
	if (!(fields & QP_FIELD_PATH))
		return 0;
	if (port > 1)
		return fw_refuse(c, FW_SYN_INDEX,
				 "primary_address_path.vhca_port_num is %u, the device has port 1",
				 port);
	if (gid >= VHCA_GIDS || c->vhca->gids[gid].type == 0xff)
		return fw_refuse(c, FW_SYN_INDEX,
				 "primary_address_path.src_addr_index %u: there is no such GID",
				 gid);
	if (prm_ads_get_fl(path) && !c->vhca->dev->profile->fl_rc_qp)
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "primary_address_path.fl is set, but "
				 "roce_cap.fl_rc_qp_when_roce_enabled is 0");
	return 0;
}

/* Checks all fields before anything is changed. */
static int check_fields(struct fw_cmd *c, const void *qpc, uint32_t fields)
{
	unsigned int max_msg = c->vhca->dev->profile->log_max_msg;
	unsigned int mtu = prm_qpc_get_mtu(qpc);
	uint32_t set = fields & QP_FIELD_COUNTER ? prm_qpc_get_counter_set_id(qpc) : 0;

	if (check_path(c, prm_qpc_cat_primary_address_path(qpc), fields) ||
	    (fields & QP_FIELD_PD && !fw_find(c, OBJ_PD, prm_qpc_get_pd(qpc), "qpc.pd")) ||
	    (set && !fw_q_counter_find(c, set, QP_COUNTER)))
		return -1;
	if ((fields & QP_FIELD_MTU) && (mtu < PRM_QPC_MTU_256 || mtu > PRM_QPC_MTU_4K))
		return fw_refuse(c, FW_SYN_SIZE, "qpc.mtu %u is none of 1 (256 bytes) to 5 (4096)",
				 mtu);
	if ((fields & QP_FIELD_MTU) && prm_qpc_get_log_msg_max(qpc) > max_msg)
		return fw_refuse(c, FW_SYN_SIZE,
				 "qpc.log_msg_max %u is more than cap.log_max_msg %u",
				 prm_qpc_get_log_msg_max(qpc), max_msg);
	if ((fields & QP_FIELD_RRA) && prm_qpc_get_log_rra_max(qpc) > VHCA_LOG_MAX_RA)
		return fw_refuse(c, FW_SYN_SIZE,
				 "qpc.log_rra_max %u is more than cap.log_max_ra_res_qp %u",
				 prm_qpc_get_log_rra_max(qpc), VHCA_LOG_MAX_RA);
	if ((fields & QP_FIELD_SRA) && prm_qpc_get_log_sra_max(qpc) > VHCA_LOG_MAX_RA)
		return fw_refuse(c, FW_SYN_SIZE,
				 "qpc.log_sra_max %u is more than cap.log_max_ra_req_qp %u",
				 prm_qpc_get_log_sra_max(qpc), VHCA_LOG_MAX_RA);
	return 0;
}

static void apply_path(struct qp *qp, const void *path)
{
	qp->fl = prm_ads_get_fl(path);
	qp->gid_index = (uint8_t)prm_ads_get_src_addr_index(path);
	qp->hop_limit = (uint8_t)prm_ads_get_hop_limit(path);
	qp->tclass = (uint8_t)prm_ads_get_tclass(path);
	qp->flow_label = prm_ads_get_flow_label(path);
	qp->prio = (uint8_t)prm_ads_get_eth_prio(path);
	qp->udp_sport = (uint16_t)prm_ads_get_udp_sport(path);
	memcpy(qp->rgid, prm_ads_cat_rgid_rip(path), sizeof(qp->rgid));
	prm_store16(qp->rmac, 0, (uint16_t)prm_ads_get_rmac_47_32(path));
	prm_store32(qp->rmac, 2, prm_ads_get_rmac_31_0(path));
	/* Nothing here uses the rest of the path (static rate...), but QUERY_QP returns it. */
	memcpy(prm_qpc_at_primary_address_path(qp->q.ctx), path, PRM_ADS_BYTES);
}

static void apply_pd(struct fw_cmd *c, struct queue *q, uint32_t pdn)
{
	struct obj *pd = obj_find(c->vhca, OBJ_PD, pdn);

	obj_get(pd);
	obj_put(q->pd);
	q->pd = pd;
	q->pdn = pdn;
	prm_qpc_set_pd(q->ctx, pdn);
}

/* Fields that a QP keeps as the context has them, and what selects them in a change. */
#define FIELDS(X)                                 \
	X(RRE, rre, rre)                          \
	X(RWE, rwe, rwe)                          \
	X(RAE, rae, rae)                          \
	X(RAE, atomic_mode, atomic_mode)          \
	X(MTU, mtu, mtu)                          \
	X(MTU, log_msg_max, log_msg_max)          \
	X(PEER, remote_qpn, remote_qpn)           \
	X(PEER, next_rcv_psn, next_rcv_psn)       \
	X(QKEY, qkey, q_key)                      \
	X(RRA, log_rra_max, log_rra_max)          \
	X(RNR_TIMER, min_rnr_nak, min_rnr_nak)    \
	X(SEND_PSN, next_send_psn, next_send_psn) \
	X(SRA, log_sra_max, log_sra_max)          \
	X(RETRY, retry_count, retry_count)        \
	X(RNR_RETRY, rnr_retry, rnr_retry)        \
	X(DRAIN, q.drain_sigerr, drain_sigerr)
#define FIELD_APPLY(bit, member, field) \
	if (fields & QP_FIELD_##bit)    \
		qp->member = (__typeof__(qp->member))prm_qpc_get_##field(qpc);
#define FIELD_SHOW(bit, member, field)	prm_qpc_set_##field(qpc, qp->member);
#define FIELD_CLEAR(bit, member, field) qp->member = 0;

static void apply_fields(struct qp *qp, const void *qpc, uint32_t fields)
{
	FIELDS(FIELD_APPLY)
	if (fields & QP_FIELD_ACK_TIMEOUT)
		qp->ack_timeout =
			(uint8_t)prm_ads_get_ack_timeout(prm_qpc_cat_primary_address_path(qpc));
}

static void show_path(void *path, const struct qp *qp)
{
	prm_ads_set_fl(path, qp->fl);
	prm_ads_set_pkey_index(path, qp->pkey_index);
	prm_ads_set_ack_timeout(path, qp->ack_timeout);
	prm_ads_set_src_addr_index(path, qp->gid_index);
	prm_ads_set_hop_limit(path, qp->hop_limit);
	prm_ads_set_tclass(path, qp->tclass);
	memcpy(prm_ads_at_rgid_rip(path), qp->rgid, sizeof(qp->rgid));
	prm_ads_set_udp_sport(path, qp->udp_sport);
	prm_ads_set_vhca_port_num(path, 1);
	prm_ads_set_rmac_47_32(path, (uint32_t)(qp->rmac[0] << 8 | qp->rmac[1]));
	prm_ads_set_rmac_31_0(path, prm_load32(qp->rmac, 2));
}

void fw_qp_show(void *qpc, const struct qp *qp)
{
	memcpy(qpc, qp->q.ctx, PRM_QPC_BYTES);
	show_path(prm_qpc_at_primary_address_path(qpc), qp);
	prm_qpc_set_state(qpc, qp->q.state);
	FIELDS(FIELD_SHOW)
	prm_qpc_set_hw_sq_wqebb_counter(qpc, qp->sq.ci);
	prm_qpc_set_sw_sq_wqebb_counter(qpc, qp->sq.pi);
	prm_qpc_set_hw_rq_counter(qpc, qp->rq.ci);
	prm_qpc_set_sw_rq_counter(qpc, qp->rq.pi);
}

/* Changes that opt_param_mask_95_32 asks for. */
struct qp_more {
	bool take_mmo, mmo, udp_sport, leaves, reset_channel;
	uint32_t requester, responder; /* scheduling elements */
	uint16_t channel;	       /* DCI stream channel to reset */
};

static int check_more_mask(struct fw_cmd *c, uint64_t mask, uint64_t known)
{
	if (mask & ~known)
		return fw_refuse(c, FW_SYN_OPT_PARAM,
				 "opt_param_mask_95_32 0x%llx: only 0x%llx is implemented here",
				 (unsigned long long)mask, (unsigned long long)known);
	return 0;
}

static int check_leaves(struct fw_cmd *c, const struct queue *q, const void *ext, struct qp_more *m)
{
	m->leaves = true;
	m->requester = prm_qpc_ext_get_qos_queue_group_id_requester(ext);
	m->responder = prm_qpc_ext_get_qos_queue_group_id_responder(ext);
	if (m->responder && !q->transport->responds)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "qpc_ext.qos_queue_group_id_responder 0x%x: %s has no responses",
				 m->responder, q->transport->name);
	return fw_sched_leaf_usable(c, m->requester, "qpc_ext.qos_queue_group_id_requester") ||
			       fw_sched_leaf_usable(c, m->responder,
						    "qpc_ext.qos_queue_group_id_responder")
		       ? -1
		       : 0;
}

/* Reads the fields of the extension that opt_param_mask_95_32 selects. */
static int check_extension(struct fw_cmd *c, const struct queue *q, uint64_t mask,
			   struct qp_more *m)
{
	const void *ext = prm_init2init_qp_in_cat_qpc_data_ext(c->in, 0);

	if (c->in_len < PRM_RST2INIT_QP_IN_BYTES + PRM_QPC_EXT_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "qpc_ext is set, but the mailbox of %zu bytes has no room for it",
				 c->in_len);
	if (fw_check_reserved(c, prm_find_struct("qpc_ext"), PRM_RST2INIT_QP_IN_BYTES))
		return -1;
	if (mask & PRM_QP_OPTPAR_95_32_QOS_QUEUE_GROUP_ID && check_leaves(c, q, ext, m))
		return -1;
	m->take_mmo = mask & PRM_QP_OPTPAR_95_32_MMO;
	m->mmo = prm_qpc_ext_get_mmo(ext);
	m->reset_channel = mask & PRM_QP_OPTPAR_95_32_DCI_STREAM_CHANNEL_ID;
	m->channel = (uint16_t)prm_qpc_ext_get_dci_stream_channel_id(ext);
	return fw_qp_check_mmo(c, q, m->take_mmo && m->mmo);
}

/*
 * Checks the UDP source port. [I] The capabilities have a range, and rdma-core's test uses legal
 * values. INIT2RTR accepts any value, because RoCE v1 has no such port.
 */
static int check_sport(struct fw_cmd *c)
{
	const void *qpc = prm_rts2rts_qp_in_cat_qpc(c->in);
	const unsigned int sport = prm_ads_get_udp_sport(prm_qpc_cat_primary_address_path(qpc));

	if (sport >= VHCA_MIN_SPORT)
		return 0;
	return fw_refuse(c, FW_SYN_RESERVED,
			 "qpc.primary_address_path.udp_sport %u is below "
			 "roce_cap.r_roce_min_src_udp_port, %u",
			 sport, VHCA_MIN_SPORT);
}

/* Reads the mask and the extension, which have the same places in INIT2INIT and RTS2RTS. */
static int check_more(struct fw_cmd *c, const struct queue *q, struct qp_more *m)
{
	const bool init = c->opcode == PRM_OPCODE_INIT2INIT_QP;
	const uint64_t mask = prm_init2init_qp_in_get_opt_param_mask_95_32(c->in);
	const bool ext = prm_init2init_qp_in_get_qpc_ext(c->in);
	const bool dci = q->transport->st == PRM_QP_ST_DCI;
	uint64_t known = init || dci ? 0 : PRM_QP_OPTPAR_95_32_UDP_SPORT;

	*m = (struct qp_more){0};
	if (!init && c->opcode != PRM_OPCODE_RTS2RTS_QP)
		return 0;
	if (!ext && fw_nothing_after(c, PRM_RST2INIT_QP_IN_BYTES))
		return -1;
	if (!ext && init)
		return 0;
	if (ext)
		known |= PRM_QP_OPTPAR_95_32_QOS_QUEUE_GROUP_ID |
			 (init ? PRM_QP_OPTPAR_95_32_MMO : 0) |
			 (dci && !init ? PRM_QP_OPTPAR_95_32_DCI_STREAM_CHANNEL_ID : 0);
	if (check_more_mask(c, mask, known))
		return -1;
	m->udp_sport = mask & PRM_QP_OPTPAR_95_32_UDP_SPORT;
	if (m->udp_sport && check_sport(c))
		return -1;
	return ext ? check_extension(c, q, mask, m) : 0;
}

/* Resets a DCI stream channel. [I] It must have failed. */
static int apply_channel(struct fw_cmd *c, struct qp *qp, const struct qp_more *m)
{
	if (!m->reset_channel || !dci_reset_channel(&qp->q, m->channel))
		return 0;
	return fw_refuse_as(c, PRM_STATUS_BAD_PARAM, FW_SYN_QP_STATE,
			    "qpc_data_ext.dci_stream_channel_id %u of qpn 0x%x has not failed",
			    m->channel, qp->q.o.id);
}

static void apply_more(struct qp *qp, const void *path, const struct qp_more *m)
{
	if (m->take_mmo)
		qp->mmo = m->mmo;
	if (m->udp_sport)
		qp->udp_sport = (uint16_t)prm_ads_get_udp_sport(path);
}

/* Clears what belongs to a connection, for RESET. */
static void fw_qp_clear(struct qp *qp)
{
	fw_sched_detach(&qp->q);
	FIELDS(FIELD_CLEAR)
	qp->fl = qp->mmo = false;
	qp->ack_timeout = qp->gid_index = 0;
	memset(qp->rgid, 0, sizeof(qp->rgid));
	memset(qp->rmac, 0, sizeof(qp->rmac));
	qp->udp_sport = qp->pkey_index = 0;
	qp->hop_limit = qp->tclass = 0;
	qp->flow_label = qp->prio = 0;
	qp->ece = 0;
	memset(prm_qpc_at_primary_address_path(qp->q.ctx), 0, PRM_ADS_BYTES);
}

/* Writes the accepted options into the reply. SQERR2RTS and SQD2RTS have no such field. */
static void fw_qp_reply_ece(struct fw_cmd *c, struct qp *qp)
{
	const uint32_t asked = prm_rst2init_qp_in_get_ece(c->in);

	if (!asked || c->opcode == PRM_OPCODE_SQERR2RTS_QP || c->opcode == PRM_OPCODE_SQD_RTS_QP)
		return;
	qp->ece = fw_ece(asked);
	prm_rst2init_qp_out_set_ece(c->out, qp->ece);
}

static int change_context(struct fw_cmd *c, const struct qp_change *t, struct qp *qp)
{
	/* All commands with a context have it in the same place */
	const void *qpc = prm_rst2init_qp_in_cat_qpc(c->in);
	uint32_t fields = t->must;
	struct qp_more more;

	/* mlx5_ib names its set here without setting a bit; [I] 0 keeps the set of CREATE_QP */
	if (c->opcode == PRM_OPCODE_RST2INIT_QP && prm_qpc_get_counter_set_id(qpc))
		fields |= QP_FIELD_COUNTER;
	if (optional_fields(c, t, prm_rst2init_qp_in_get_opt_param_mask(c->in), &fields) ||
	    fw_qp_check_context(c, qpc) || check_fields(c, qpc, fields) ||
	    check_more(c, &qp->q, &more) || apply_channel(c, qp, &more) ||
	    (more.leaves && fw_sched_attach(c, &qp->q, more.requester, more.responder)) ||
	    (fields & QP_FIELD_COUNTER &&
	     fw_q_counter_attach(c, &qp->q, prm_qpc_get_counter_set_id(qpc), QP_COUNTER)))
		return -1;
	if (fields & QP_FIELD_COUNTER)
		prm_qpc_set_counter_set_id(qp->q.ctx, prm_qpc_get_counter_set_id(qpc));
	if (fields & QP_FIELD_PD)
		apply_pd(c, &qp->q, prm_qpc_get_pd(qpc));
	if (fields & QP_FIELD_PATH)
		apply_path(qp, prm_qpc_cat_primary_address_path(qpc));
	apply_fields(qp, qpc, fields);
	apply_more(qp, prm_qpc_cat_primary_address_path(qpc), &more);
	fw_qp_reply_ece(c, qp);
	return 0;
}

int fw_modify_qp(struct fw_cmd *c)
{
	struct qp *qp = c->obj;
	const struct qp_change *t = qp_change_find(qp->q.transport, c->opcode);

	if (!t || !(t->from & 1 << qp->q.state))
		return fw_refuse_as(
			c, PRM_STATUS_BAD_QP_STATE, FW_SYN_QP_STATE,
			"qpn 0x%x is in state %s, from which this transition is prohibited",
			qp->q.o.id, fw_qp_state_name(qp->q.state));
	if (t->to != QP_ERR && t->to != QP_RST && change_context(c, t, qp))
		return -1;
	queue_set_state(&qp->q, t->to);
	if (t->to == QP_RST)
		fw_qp_clear(qp);
	return 0;
}
