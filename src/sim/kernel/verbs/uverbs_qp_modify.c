/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State transitions of QPs: checks their attributes by ib_core's table, and runs the firmware
 * commands that mlx5_ib uses.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/qp.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "qp.h"
#include "kernel/core/cmd.h"
#include "uverbs/resource.h"

#define UD_LOG_MSG_MAX	12
#define QKEY_PRIVILEGED 0x80000000u
#define RATE_MOST	22u /* enum ib_rate: 600 Gb/s */

static const char *const state_names[STATES] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};

/* Optional parameters that each attribute sets. */
static const struct {
	uint32_t attr, optpar;
} optpars[] = {
	{A_ACCESS, O_ACCESS},
	{A_PKEY_INDEX, PRM_QP_OPTPAR_PKEY_INDEX},
	{A_PORT, PRM_QP_OPTPAR_PRI_PORT},
	{A_QKEY, PRM_QP_OPTPAR_Q_KEY},
	{A_AV, PRM_QP_OPTPAR_PRIMARY_ADDR_PATH | PRM_QP_OPTPAR_PRI_PORT},
	{A_PATH_MTU, PRM_QP_OPTPAR_PRIMARY_ADDR_PATH},
	{A_TIMEOUT, PRM_QP_OPTPAR_ACK_TIMEOUT},
	{A_RETRY_CNT, PRM_QP_OPTPAR_RETRY_COUNT},
	{A_RNR_RETRY, PRM_QP_OPTPAR_RNR_RETRY},
	{A_MAX_RD, PRM_QP_OPTPAR_SRA_MAX},
	{A_ALT_PATH, PRM_QP_OPTPAR_ALT_ADDR_PATH},
	{A_MIN_RNR_TIMER, PRM_QP_OPTPAR_RNR_TIMEOUT},
	{A_MAX_DEST_RD, O_ACCESS | PRM_QP_OPTPAR_RRA_MAX},
	{A_PATH_MIG_STATE, PRM_QP_OPTPAR_PM_STATE},
};

static uint32_t optpar_of(uint32_t mask, const struct qp_transition *t)
{
	uint32_t o = 0;

	for (unsigned int i = 0; i < sizeof(optpars) / sizeof(optpars[0]); i++) {
		if (mask & optpars[i].attr)
			o |= optpars[i].optpar;
	}
	return o & t->optpar;
}

static int qp_modify_check_mask(const struct qp_transition *t, unsigned int from, uint32_t mask)
{
	char change[32];

	snprintf(change, sizeof(change), "%s -> %s", state_names[from], state_names[t->to]);
	return qp_attr_check(change, mask, t->need, t->may | A_STATE);
}

static int check_rd(const char *name, unsigned int n, unsigned int log_most)
{
	if (n > 1u << log_most)
		return refuse(-EINVAL, "MODIFY_QP: %s %u is above %u", name, n, 1u << log_most);
	return 0;
}

/* Checks what ib_uverbs checks before it calls the driver. */
static int qp_modify_check_core(const struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *m)
{
	const uint32_t mask = m->attr_mask;
	int err = mask & A_PORT ? port_check(qp->q.u.file, m->port_num) : 0;

	if (!err && mask & A_AV)
		err = port_check(qp->q.u.file, m->dest.port_num);
	if (err)
		return err;
	if (mask & A_ALT_PATH)
		return refuse(-EINVAL, "MODIFY_QP: attr_mask: RoCE has no alternate paths");
	if ((mask & A_STATE && m->qp_state >= STATES) ||
	    (mask & A_CUR_STATE && m->cur_qp_state >= STATES))
		return refuse(-EINVAL, "MODIFY_QP: qp_state %u, cur_qp_state %u: no such state",
			      m->qp_state, m->cur_qp_state);
	if (mask & A_QKEY && m->qkey & QKEY_PRIVILEGED && !mm_may_net_raw(file_mm(qp->q.u.file)))
		return refuse(-EPERM, "MODIFY_QP: qkey 0x%x: bit 31 needs CAP_NET_RAW", m->qkey);
	if (!(mask & A_AV))
		return 0;
	if (!m->dest.is_global)
		return refuse(-EINVAL, "MODIFY_QP: dest.is_global is 0, Ethernet needs a GRH");
	return port_sgid_check(qp->q.u.file, "MODIFY_QP: dest", m->dest.sgid_index);
}

static int check_values(const struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *m)
{
	const bool dci = qp->type == QP_TYPE_DCI;
	const uint8_t *cap = file_caps(qp->q.u.file);
	const uint32_t mask = m->attr_mask;
	int err = 0;

	if (mask & A_MAX_RD)
		err = check_rd("max_rd_atomic", m->max_rd_atomic,
			       dci ? prm_cmd_hca_cap_get_log_max_ra_res_dc(cap)
				   : prm_cmd_hca_cap_get_log_max_ra_res_qp(cap));
	if (!err && mask & A_MAX_DEST_RD)
		err = check_rd("max_dest_rd_atomic", m->max_dest_rd_atomic,
			       prm_cmd_hca_cap_get_log_max_ra_req_qp(cap));
	if (err)
		return err;
	if (mask & A_PKEY_INDEX && m->pkey_index)
		return refuse(-EINVAL, "MODIFY_QP: pkey_index %u, the table has 1 entry",
			      m->pkey_index);
	if (mask & A_PATH_MTU && (m->path_mtu < 1 || m->path_mtu > 5))
		return refuse(-EINVAL, "MODIFY_QP: path_mtu %u is not within 1 (256) .. 5 (4096)",
			      m->path_mtu);
	if (mask & A_AV && (m->dest.static_rate == 1 || m->dest.static_rate > RATE_MOST))
		return refuse(-EINVAL, "MODIFY_QP: dest.static_rate %u is neither 0 nor 2 .. %u",
			      m->dest.static_rate, RATE_MOST);
	return 0;
}

/* Sets the address path. Values are cut to the width of their field, as in the kernel. */
static int qp_modify_set_path(const struct uverbs_qp *qp, void *qpc,
			      const struct ib_uverbs_qp_dest *d)
{
	void *ads = prm_qpc_at_primary_address_path(qpc);
	uint8_t mac[6] = {0};
	/* ib_core resolves addresses for connected types only. */
	int err = qp->type == QP_TYPE_DCI ? 0
					  : port_resolve(qp->q.u.file, "MODIFY_QP: dest",
							 d->sgid_index, d->dgid, mac);

	if (err)
		return err;
	prm_ads_set_src_addr_index(ads, d->sgid_index);
	prm_ads_set_hop_limit(ads, d->hop_limit);
	prm_ads_set_tclass(ads, d->traffic_class);
	prm_ads_set_flow_label(ads, d->flow_label & 0xfffff);
	prm_ads_set_eth_prio(ads, d->sl & 7);
	prm_ads_set_vhca_port_num(ads, d->port_num);
	memcpy(prm_ads_at_rgid_rip(ads), d->dgid, sizeof(d->dgid));
	prm_ads_set_rmac_47_32(ads, (uint32_t)mac[0] << 8 | mac[1]);
	prm_ads_set_rmac_31_0(ads, (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 |
					   (uint32_t)mac[4] << 8 | mac[5]);
	return 0;
}

/* Computes RoCE v2's source port from flow label or QPNs, as rdma_get_udp_sport() does. */
static uint16_t udp_sport(const struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *m)
{
	uint32_t fl = m->dest.flow_label & 0xfffff;

	if (!fl) {
		uint64_t v = (uint64_t)qp->q.u.number * m->dest_qp_num;

		v ^= v >> 20;
		v ^= v >> 40;
		fl = (uint32_t)v & 0xfffff;
	}
	return (uint16_t)(((fl & 0x3fff) ^ fl >> 14) | 0xc000);
}

static uint32_t log_ceil(uint32_t n)
{
	return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

/* Sets the remote access bits. Reads and atomics need a responder depth. */
static void qp_modify_set_access(struct uverbs_qp *qp, void *qpc,
				 const struct ib_uverbs_modify_qp *m)
{
	if (m->attr_mask & A_MAX_DEST_RD)
		qp->dest_rd = m->max_dest_rd_atomic;
	if (m->attr_mask & A_ACCESS)
		qp->access = (uint8_t)m->qp_access_flags;
	prm_qpc_set_rwe(qpc, !!(qp->access & IB_UVERBS_ACCESS_REMOTE_WRITE));
	prm_qpc_set_rre(qpc, qp->dest_rd && qp->access & IB_UVERBS_ACCESS_REMOTE_READ);
	if (!qp->dest_rd || !(qp->access & IB_UVERBS_ACCESS_REMOTE_ATOMIC))
		return;
	prm_qpc_set_rae(qpc, 1);
	/* the device has extended atomics of at most 8 bytes */
	prm_qpc_set_atomic_mode(qpc, PRM_QPC_ATOMIC_MODE_UP_TO_8B);
}

static void set_numbers(void *qpc, const struct ib_uverbs_modify_qp *m, uint32_t log_max_msg)
{
	const uint32_t mask = m->attr_mask;
	void *ads = prm_qpc_at_primary_address_path(qpc);

	if (mask & A_PATH_MTU) {
		prm_qpc_set_mtu(qpc, m->path_mtu);
		prm_qpc_set_log_msg_max(qpc, log_max_msg);
	}
	if (mask & A_QKEY)
		prm_qpc_set_q_key(qpc, m->qkey);
	if (mask & A_DEST_QPN)
		prm_qpc_set_remote_qpn(qpc, m->dest_qp_num & 0xffffff);
	if (mask & A_PORT)
		prm_ads_set_vhca_port_num(ads, m->port_num);
	if (mask & A_TIMEOUT)
		prm_ads_set_ack_timeout(ads, m->timeout & 0x1f);
	if (mask & A_RNR_RETRY)
		prm_qpc_set_rnr_retry(qpc, m->rnr_retry & 7);
	if (mask & A_RETRY_CNT)
		prm_qpc_set_retry_count(qpc, m->retry_cnt & 7);
	if (mask & A_MAX_RD && m->max_rd_atomic)
		prm_qpc_set_log_sra_max(qpc, log_ceil(m->max_rd_atomic));
	if (mask & A_MAX_DEST_RD && m->max_dest_rd_atomic)
		prm_qpc_set_log_rra_max(qpc, log_ceil(m->max_dest_rd_atomic));
	if (mask & A_SQ_PSN)
		prm_qpc_set_next_send_psn(qpc, m->sq_psn & 0xffffff);
	if (mask & A_RQ_PSN)
		prm_qpc_set_next_rcv_psn(qpc, m->rq_psn & 0xffffff);
	if (mask & A_MIN_RNR_TIMER)
		prm_qpc_set_min_rnr_nak(qpc, m->min_rnr_timer & 0x1f);
}

static int fill_qpc(struct uverbs_qp *qp, void *qpc, const struct ib_uverbs_modify_qp *m)
{
	const uint8_t *cap = file_caps(qp->q.u.file);
	int err = 0;

	if (qp->type == IB_UVERBS_QPT_UD) {
		prm_qpc_set_mtu(qpc, PRM_QPC_MTU_4K);
		prm_qpc_set_log_msg_max(qpc, UD_LOG_MSG_MAX);
	}
	prm_qpc_set_st(qpc, qp_type_find(qp->type)->st);
	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_pd(qpc, qp->pd ? qp->pd->number : qp->target->domain->pdn);
	if (qp->scq)
		prm_qpc_set_cqn_snd(qpc, qp->scq->q.u.number);
	if (qp->rcq)
		prm_qpc_set_cqn_rcv(qpc, qp->rcq->q.u.number);
	prm_qpc_set_log_ack_req_freq(qpc, 8);
	if (m->attr_mask & A_AV)
		err = qp_modify_set_path(qp, qpc, &m->dest);
	if (!err && m->attr_mask & A_AV)
		prm_ads_set_udp_sport(prm_qpc_at_primary_address_path(qpc), udp_sport(qp, m));
	set_numbers(qpc, m, prm_cmd_hca_cap_get_log_max_msg(cap));
	if (m->attr_mask & (A_ACCESS | A_MAX_DEST_RD))
		qp_modify_set_access(qp, qpc, m);
	return err;
}

/* Sets fields of RST2INIT. mlx5_ib repeats the doorbell record for QPs that have an RQ. */
static void set_at_init(const struct uverbs_qp *qp, void *qpc)
{
	prm_qpc_set_counter_set_id(qpc, file_function(qp->q.u.file)->q_counter);
	if (qp->rq_wr)
		prm_qpc_set_dbr_addr(qpc, qp->dbrec);
}

/*
 * Runs a transition. All commands share RST2INIT's layout; 2RST and 2ERR have its first 16 bytes.
 */
static int qp_modify_run(struct uverbs_qp *qp, const struct qp_transition *t,
			 const struct ib_uverbs_modify_qp *m)
{
	uint8_t in[PRM_RST2INIT_QP_IN_BYTES] = {0};
	uint8_t out[PRM_RST2INIT_QP_OUT_BYTES];
	bool context = t->opcode != PRM_OPCODE_2RST_QP && t->opcode != PRM_OPCODE_2ERR_QP;
	int err = 0;

	mbox_begin(in, t->opcode, qp->q.u.uid);
	prm_rst2init_qp_in_set_qpn(in, qp->q.u.number);
	if (context) {
		prm_rst2init_qp_in_set_opt_param_mask(in, optpar_of(m->attr_mask, t));
		prm_rst2init_qp_in_set_ece(in, qp->ece);
		err = fill_qpc(qp, prm_rst2init_qp_in_at_qpc(in), m);
	}
	if (t->opcode == PRM_OPCODE_RST2INIT_QP)
		set_at_init(qp, prm_rst2init_qp_in_at_qpc(in));
	if (!err)
		err = mbox_exec(qp->q.u.file->vhca, in, context ? sizeof(in) : PRM_QP_2RST_IN_BYTES,
				out, sizeof(out));
	qp->ece = !err && context ? prm_rst2init_qp_out_get_ece(out) : 0;
	return err;
}

static int qp_modify_send(struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *m)
{
	const uint32_t mask = m->attr_mask;
	unsigned int from = mask & A_CUR_STATE ? m->cur_qp_state : qp->state;
	unsigned int to = mask & A_STATE ? m->qp_state : from;
	const struct qp_transition *t;
	const struct uverbs_qp before = *qp;
	int err;

	if (from == RESET && to == RESET)
		return mask & ~(uint32_t)A_STATE
			       ? refuse(-EINVAL, "MODIFY_QP: attr_mask 0x%x: RESET takes nothing",
					mask)
			       : 0;
	t = qp_type_transition(qp_type_find(qp->type), from, to);
	if (!t)
		return refuse(-EINVAL, "MODIFY_QP: qp_state: there is no way from %s to %s",
			      state_names[from], state_names[to]);
	err = qp_modify_check_mask(t, from, mask) ?: check_values(qp, m) ?: qp_modify_run(qp, t, m);
	if (err) {
		qp->access = before.access;
		qp->dest_rd = before.dest_rd;
		return err;
	}
	qp->state = (uint8_t)to;
	return 0;
}

/* Reads libmlx5's part: bursts of raw packet QPs, and ECE. */
static int qp_modify_take_uhw(struct wcmd *c, struct mlx5_ib_modify_qp *u)
{
	const struct uverbs_attr *a = attr_find(c->req, UVERBS_ATTR_UHW_IN);
	int err = attr_in(c->req, UVERBS_ATTR_UHW_IN, "MODIFY_QP: UHW_IN", u, sizeof(*u));

	if (!err && a && a->len && a->len < UPTO(mlx5_ib_modify_qp, ece_options))
		err = refuse(-EINVAL, "MODIFY_QP: UHW_IN ends before ece_options");
	if (!err && (u->comp_mask || u->burst_info.reserved))
		err = refuse(-EOPNOTSUPP,
			     "MODIFY_QP: UHW_IN: comp_mask or burst_info.reserved is not 0");
	return err;
}

/* Builds the rate. Burst and packet size are refused without a rate. */
static int qp_modify_rate(const struct wcmd *c, const struct mlx5_ib_burst_info *b,
			  struct raw_change *to)
{
	const struct ib_uverbs_ex_modify_qp *ex = c->in;
	uint32_t kbps =
		to->m->attr_mask & A_RATE_LIMIT && c->in_len >= sizeof(*ex) ? ex->rate_limit : 0;

	if ((b->max_burst_sz || b->typical_pkt_sz) && !kbps)
		return refuse(-EINVAL, "MODIFY_QP: burst_info without a rate_limit");
	prm_set_pp_rate_limit_context_set_rate_limit(to->rate.ctx, kbps);
	prm_set_pp_rate_limit_context_set_burst_upper_bound(to->rate.ctx, b->max_burst_sz);
	prm_set_pp_rate_limit_context_set_typical_packet_size(to->rate.ctx, b->typical_pkt_sz);
	return 0;
}

/* Modifies a QP. XRC has half of RC's attributes: ib_uverbs drops those of the other half. */
static int qp_modify_checked(struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *m)
{
	struct ib_uverbs_modify_qp half = *m;
	int err;

	if (qp->type == IB_UVERBS_QPT_XRC_INI)
		half.attr_mask &= ~(uint32_t)(A_MAX_DEST_RD | A_MIN_RNR_TIMER);
	else if (qp->type == IB_UVERBS_QPT_XRC_TGT)
		half.attr_mask &= ~(uint32_t)(A_MAX_RD | A_RETRY_CNT | A_RNR_RETRY);
	xrc_target_load(qp);
	err = qp_modify_send(qp, &half);
	xrc_target_store(qp);
	return err;
}

/* Modifies any QP. answer gets the number of a DC target, and the ECE options of the device. */
static int qp_modify(struct wcmd *c, uint32_t known, struct mlx5_ib_modify_qp_resp *answer)
{
	const struct ib_uverbs_modify_qp *m = c->in;
	struct raw_change raw = {.m = m};
	struct mlx5_ib_modify_qp u;
	struct uverbs_qp *qp;
	int err;

	if (m->attr_mask & ~known)
		return refuse(-EOPNOTSUPP, "MODIFY_QP: attr_mask has unknown bits 0x%x",
			      m->attr_mask & ~known);
	err = uobj_find(c->f, m->qp_handle, &qp_class, &qp) ?: qp_modify_check_core(qp, m);
	if (!err && qp->raw.table)
		err = refuse(-ENOSYS, "MODIFY_QP: an RSS QP has no states");
	if (!err)
		err = qp_modify_take_uhw(c, &u);
	if (err)
		return err;
	if (qp->raw.on) {
		err = qp_modify_rate(c, &u.burst_info, &raw);
		return err ?: raw_qp_modify(qp, &raw);
	}
	qp->ece = u.ece_options;
	if (qp->type == QP_TYPE_DCT)
		err = dct_qp_modify(qp, m, attr_find(c->req, UVERBS_ATTR_UHW_OUT));
	else
		err = qp_modify_checked(qp, m);
	answer->ece_options = qp->ece;
	answer->dctn = qp->type == QP_TYPE_DCT && qp->state == RTR ? qp->q.u.number : 0;
	return err;
}

int wcmd_modify_qp(struct wcmd *c)
{
	struct mlx5_ib_modify_qp_resp uhw;

	return qp_modify(c, A_STANDARD, &uhw);
}

int wcmd_modify_qp_ex(struct wcmd *c)
{
	struct ib_uverbs_ex_modify_qp_resp resp = {.response_length = sizeof(resp)};
	struct mlx5_ib_modify_qp_resp uhw = {.response_length = sizeof(uhw)};
	int err = qp_modify(c, A_STANDARD | A_RATE_LIMIT, &uhw);

	if (err)
		return err;
	wcmd_out(c, &resp, sizeof(resp));
	attr_out(c->req, UVERBS_ATTR_UHW_OUT, &uhw, sizeof(uhw));
	return 0;
}

/* --- QUERY_QP -------------------------------------------------------------------------------- */

static const uint8_t ib_states[16] = {
	[PRM_QP_STATE_RST] = RESET,	  [PRM_QP_STATE_INIT] = INIT, [PRM_QP_STATE_RTR] = RTR,
	[PRM_QP_STATE_RTS] = RTS,	  [PRM_QP_STATE_SQER] = SQE,  [PRM_QP_STATE_SQD] = SQD,
	[PRM_QP_STATE_SQ_DRAINING] = SQD, [PRM_QP_STATE_ERR] = ERR,
};

/* Follows to_rdma_ah_attr(): sl is for InfiniBand only, RoCE's eth_prio is not returned. */
static void fill_dest(struct ib_uverbs_qp_dest *d, const void *ads)
{
	memcpy(d->dgid, prm_ads_cat_rgid_rip(ads), sizeof(d->dgid));
	d->flow_label = prm_ads_get_flow_label(ads);
	d->sgid_index = (uint8_t)prm_ads_get_src_addr_index(ads);
	d->hop_limit = (uint8_t)prm_ads_get_hop_limit(ads);
	d->traffic_class = (uint8_t)prm_ads_get_tclass(ads);
	d->sl = (uint8_t)prm_ads_get_sl(ads);
	d->is_global = 1;
	d->port_num = (uint8_t)prm_ads_get_vhca_port_num(ads);
}

static void fill_query(struct ib_uverbs_query_qp_resp *r, const void *qpc,
		       const struct uverbs_qp *qp)
{
	const void *ads = prm_qpc_cat_primary_address_path(qpc);

	if (qp->type != IB_UVERBS_QPT_UD && qp->type != QP_TYPE_DCI)
		fill_dest(&r->dest, ads);
	r->max_recv_wr = qp->rq_wr; /* libmlx5 fills in those of the SQ */
	r->max_recv_sge = qp->rq_sge;
	r->max_inline_data = qp->max_inline;
	if (prm_qpc_get_rq_type(qpc) == PRM_QPC_RQ_TYPE_REGULAR) {
		r->max_recv_wr = 1u << prm_qpc_get_log_rq_size(qpc);
		r->max_recv_sge = 1u << prm_qpc_get_log_rq_stride(qpc);
	}
	r->rq_psn = prm_qpc_get_next_rcv_psn(qpc);
	r->sq_psn = prm_qpc_get_next_send_psn(qpc);
	r->dest_qp_num = prm_qpc_get_remote_qpn(qpc);
	r->qkey = prm_qpc_get_q_key(qpc);
	r->qp_access_flags = (prm_qpc_get_rwe(qpc) ? IB_UVERBS_ACCESS_REMOTE_WRITE : 0) |
			     (prm_qpc_get_rre(qpc) ? IB_UVERBS_ACCESS_REMOTE_READ : 0) |
			     (prm_qpc_get_rae(qpc) ? IB_UVERBS_ACCESS_REMOTE_ATOMIC : 0);
	r->qp_state = r->cur_qp_state = ib_states[prm_qpc_get_state(qpc) & 15];
	r->path_mtu = (uint8_t)prm_qpc_get_mtu(qpc);
	r->sq_draining = prm_qpc_get_state(qpc) == PRM_QP_STATE_SQ_DRAINING;
	r->max_rd_atomic = (uint8_t)(1u << prm_qpc_get_log_sra_max(qpc));
	r->max_dest_rd_atomic = (uint8_t)(1u << prm_qpc_get_log_rra_max(qpc));
	r->min_rnr_timer = (uint8_t)prm_qpc_get_min_rnr_nak(qpc);
	r->port_num = (uint8_t)prm_ads_get_vhca_port_num(ads);
	r->timeout = (uint8_t)prm_ads_get_ack_timeout(ads);
	r->retry_cnt = (uint8_t)prm_qpc_get_retry_count(qpc);
	r->rnr_retry = (uint8_t)prm_qpc_get_rnr_retry(qpc);
	r->pkey_index = (uint16_t)prm_ads_get_pkey_index(ads);
	r->sq_sig_all = qp->sig_all;
}

static int qp_modify_query(struct uverbs_qp *qp, struct ib_uverbs_query_qp_resp *r)
{
	uint8_t out[PRM_QUERY_QP_OUT_BYTES];
	int err = mbox_query(qp->q.u.file->vhca, PRM_OPCODE_QUERY_QP, qp->q.u.number, out,
			     sizeof(out));

	if (err)
		return err;
	fill_query(r, prm_query_qp_out_cat_qpc(out), qp);
	xrc_target_load(qp);
	qp->state = r->qp_state;
	xrc_target_store(qp);
	return 0;
}

void qp_modify_describe(struct uverbs_qp *qp, struct uverbs_resource *to)
{
	struct ib_uverbs_query_qp_resp r = {0};

	if (qp->type == QP_TYPE_DCT ? dct_qp_query(qp, 0, &r)
	    : qp->raw.on	    ? raw_qp_query(qp, &r)
				    : qp_modify_query(qp, &r))
		return;
	to->state = r.qp_state;
	to->remote_qpn = r.dest_qp_num;
	to->rq_psn = r.rq_psn;
	to->sq_psn = r.sq_psn;
}

int wcmd_query_qp(struct wcmd *c)
{
	const struct ib_uverbs_query_qp *q = c->in;
	struct ib_uverbs_query_qp_resp resp = {0};
	struct uverbs_qp *qp;
	int err = uobj_find(c->f, q->qp_handle, &qp_class, &qp);

	if (!err && qp->type == QP_TYPE_DCT)
		err = dct_qp_query(qp, q->attr_mask, &resp);
	else if (!err)
		err = qp->raw.on ? raw_qp_query(qp, &resp) : qp_modify_query(qp, &resp);
	if (!err)
		wcmd_out(c, &resp, sizeof(resp));
	return err;
}
