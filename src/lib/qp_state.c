/* SPDX-License-Identifier: BSD-2-Clause */
/* RST -> INIT -> RTR -> RTS, and the changes to ERR and back to RST. */
#include <dvx/prm/cmd.h>
#include <dvx/prm/qp.h>
#include "prm/reflect.h"
#include "priv.h"

#define LOG_ACK_REQ_FREQ 8u /* packets between two requests for an ACK; mlx5_ib uses the same */
#define PEER_ACCESS	 ((uint32_t)(DVX_REMOTE_READ | DVX_REMOTE_WRITE | DVX_REMOTE_ATOMIC))

static bool is_retry(uint8_t n)
{
	return n <= 7 || n == DVX_RETRY_NONE;
}

static uint32_t retries(uint8_t n)
{
	return n == DVX_RETRY_NONE ? 0 : n ? n : 7;
}

static int lib_qp_state_check(const struct dvx_qp *qp, const struct dvx_qp_peer *user,
			      struct dvx_qp_peer *peer, const char *call)
{
	int err;

	if (!qp->obj)
		return dvx_fail(EINVAL, "%s: use ibv_modify_qp() on an adopted QP", call);
	err = dvx_attr_copy(peer, sizeof(*peer), user, call);
	if (err)
		return err;
	if (peer->qpn >> 24 || peer->psn >> 24 || peer->local_psn >> 24)
		return dvx_fail(EINVAL, "%s: peer.qpn, psn and local_psn have 24 bits", call);
	if (!peer->mtu_log)
		peer->mtu_log = 10;
	if (peer->mtu_log < 8 || peer->mtu_log > 12)
		return dvx_fail(EINVAL, "%s: peer.mtu_log is %u, not 8 to 12", call, peer->mtu_log);
	if (peer->ack_timeout > 31 || !is_retry(peer->retry_count) || peer->min_rnr_timer > 31 ||
	    !is_retry(peer->rnr_retry))
		return dvx_fail(EINVAL,
				"%s: peer's ack_timeout, retry_count, rnr_retry or "
				"min_rnr_timer is out of range",
				call);
	if (peer->access & ~PEER_ACCESS)
		return dvx_fail(EINVAL,
				"%s: peer.access is 0x%x; a peer's rights are DVX_REMOTE_READ, "
				"DVX_REMOTE_WRITE and DVX_REMOTE_ATOMIC",
				call, peer->access);
	if (peer->max_rd_atomic > 128)
		return dvx_fail(EINVAL, "%s: peer.max_rd_atomic is %u, over 128", call,
				peer->max_rd_atomic);
	if (!peer->port)
		peer->port = 1;
	return 0;
}

/* 16, unless the caller sets another number or the device has a lower limit. */
static uint32_t lib_qp_state_log_rd_atomic(const struct dvx_qp *qp, const struct dvx_qp_peer *peer)
{
	if (peer->max_rd_atomic)
		return dvx_log2_up(peer->max_rd_atomic);
	return qp->dev->log_rd_atomic < 4 ? qp->dev->log_rd_atomic : 4;
}

/*
 * The commands of all state changes have the same layout: a header with the QPN, then the context.
 */
static int lib_qp_state_move(struct dvx_qp *qp, void *in, size_t in_len, uint16_t opcode)
{
	uint8_t reply[PRM_RTR2RTS_QP_OUT_BYTES];

	prm_rtr2rts_qp_in_set_opcode(in, opcode);
	prm_rtr2rts_qp_in_set_qpn(in, qp->qpn);
	return dvx_obj_modify(qp->obj, in, in_len, reply, sizeof(reply));
}

static void lib_qp_state_set_access(void *qpc, const struct dvx_qp_peer *peer)
{
	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_rre(qpc, !!(peer->access & DVX_REMOTE_READ));
	prm_qpc_set_rwe(qpc, !!(peer->access & DVX_REMOTE_WRITE));
	prm_qpc_set_rae(qpc, !!(peer->access & DVX_REMOTE_ATOMIC));
	if (peer->access & DVX_REMOTE_ATOMIC)
		prm_qpc_set_atomic_mode(qpc, PRM_QPC_ATOMIC_MODE_UP_TO_8B);
}

/* RST clears it, so each life of the queue begins so; libmlx5 does the same for ibv_wr_memcpy(). */
static int lib_qp_state_enable_mmo(struct dvx_qp *qp)
{
	uint8_t in[PRM_INIT2INIT_QP_IN_BYTES + PRM_QPC_EXT_BYTES] = {0};

	prm_init2init_qp_in_set_qpc_ext(in, 1);
	prm_init2init_qp_in_set_opt_param_mask_95_32(in, PRM_QP_OPTPAR_95_32_MMO);
	prm_qpc_ext_set_mmo(prm_init2init_qp_in_at_qpc_data_ext(in, 0), 1);
	return lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_INIT2INIT_QP);
}

/* A refused change to INIT, in better words if the queue's state is the reason. */
static int lib_qp_state_not_rst(struct dvx_qp *qp)
{
	const struct dvx_error why = *dvx_last_error();
	uint8_t state;

	if (dvx_qp_query_state(qp, &state) || state == PRM_QP_STATE_RST)
		return dvx_restore(&why);
	return dvx_fail(EINVAL,
			"QP 0x%x is in %s, and connects from RST only: call dvx_qp_to_rst()",
			qp->qpn, prm_enum_name(prm_find_enum("qp_state"), state));
}

int dvx_qp_to_init(struct dvx_qp *qp, const struct dvx_qp_peer *user)
{
	uint8_t in[PRM_RST2INIT_QP_IN_BYTES] = {0};
	void *qpc = prm_rst2init_qp_in_at_qpc(in);
	void *path = prm_qpc_at_primary_address_path(qpc);
	struct dvx_qp_peer peer;
	int err = lib_qp_state_check(qp, user, &peer, "dvx_qp_to_init");

	if (err)
		return err;
	lib_qp_state_set_access(qpc, &peer);
	prm_ads_set_vhca_port_num(path, peer.port);
	prm_ads_set_pkey_index(path, peer.pkey_index);
	err = lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_RST2INIT_QP);
	if (err)
		return lib_qp_state_not_rst(qp);
	return qp->mmo_mkey ? lib_qp_state_enable_mmo(qp) : 0;
}

static void lib_qp_state_set_path(void *path, const struct dvx_qp *qp,
				  const struct dvx_qp_peer *peer)
{
	const uint8_t *mac = peer->mac;

	prm_ads_set_fl(path, qp->force_loopback);
	prm_ads_set_vhca_port_num(path, peer->port);
	prm_ads_set_pkey_index(path, peer->pkey_index);
	prm_ads_set_src_addr_index(path, peer->gid_index);
	prm_ads_set_hop_limit(path, peer->hop_limit ? peer->hop_limit : 64);
	prm_ads_set_tclass(path, peer->traffic_class);
	memcpy(prm_ads_at_rgid_rip(path), peer->gid, sizeof(peer->gid));
	if (qp->dev->caps.roce) {
		prm_ads_set_rmac_47_32(path, (uint32_t)(mac[0] << 8 | mac[1]));
		prm_ads_set_rmac_31_0(path, prm_load32(mac, 2));
		prm_ads_set_udp_sport(path, peer->udp_sport ? peer->udp_sport
							    : 0xc000 | (qp->qpn & 0x3fff));
		prm_ads_set_eth_prio(path, peer->sl & 7);
		prm_ads_set_dscp(path, peer->traffic_class >> 2);
	} else {
		prm_ads_set_rlid(path, peer->lid ? peer->lid : 1);
		prm_ads_set_grh(path, 1);
		prm_ads_set_sl(path, peer->sl & 15);
	}
}

int dvx_qp_to_rtr(struct dvx_qp *qp, const struct dvx_qp_peer *user)
{
	uint8_t in[PRM_INIT2RTR_QP_IN_BYTES] = {0};
	void *qpc = prm_init2rtr_qp_in_at_qpc(in);
	struct dvx_qp_peer peer;
	int err = lib_qp_state_check(qp, user, &peer, "dvx_qp_to_rtr");

	if (!err)
		err = dvx_peer_resolve(qp->dev, &peer);
	if (err)
		return err;
	lib_qp_state_set_access(qpc, &peer);
	prm_qpc_set_mtu(qpc, peer.mtu_log - 7u);
	prm_qpc_set_log_msg_max(qpc, qp->dev->log_max_msg);
	prm_qpc_set_remote_qpn(qpc, peer.qpn);
	prm_qpc_set_next_rcv_psn(qpc, peer.psn);
	prm_qpc_set_log_rra_max(qpc, lib_qp_state_log_rd_atomic(qp, &peer));
	prm_qpc_set_min_rnr_nak(qpc, peer.min_rnr_timer ? peer.min_rnr_timer : 12u);
	lib_qp_state_set_path(prm_qpc_at_primary_address_path(qpc), qp, &peer);
	return lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_INIT2RTR_QP);
}

int dvx_qp_to_rts(struct dvx_qp *qp, const struct dvx_qp_peer *user)
{
	uint8_t in[PRM_RTR2RTS_QP_IN_BYTES] = {0};
	void *qpc = prm_rtr2rts_qp_in_at_qpc(in);
	struct dvx_qp_peer peer;
	int err = lib_qp_state_check(qp, user, &peer, "dvx_qp_to_rts");

	if (err)
		return err;
	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_next_send_psn(qpc, peer.local_psn);
	prm_qpc_set_log_ack_req_freq(qpc, LOG_ACK_REQ_FREQ);
	prm_qpc_set_log_sra_max(qpc, lib_qp_state_log_rd_atomic(qp, &peer));
	prm_qpc_set_retry_count(qpc, retries(peer.retry_count));
	prm_qpc_set_rnr_retry(qpc, retries(peer.rnr_retry));
	prm_ads_set_ack_timeout(prm_qpc_at_primary_address_path(qpc),
				peer.ack_timeout ? peer.ack_timeout : 14u);
	return lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_RTR2RTS_QP);
}

int dvx_qp_connect(struct dvx_qp *qp, const struct dvx_qp_peer *peer)
{
	int err = dvx_qp_to_init(qp, peer);

	if (!err)
		err = dvx_qp_to_rtr(qp, peer);
	return err ? err : dvx_qp_to_rts(qp, peer);
}

int dvx_qp_connect_self(struct dvx_qp *qp, uint32_t access)
{
	struct dvx_qp_peer peer = {
		.size = sizeof(peer), .port = 1, .qpn = qp->qpn, .access = access};
	struct ibv_port_attr port;
	int err;

	if (ibv_query_port(qp->dev->ctx, peer.port, &port))
		return dvx_fail(errno ? errno : EIO,
				"dvx_qp_connect_self: port 1 can't be queried");
	peer.lid = port.lid;
	err = dvx_dev_gid(qp->dev, peer.port, 0, peer.gid);
	return err ? err : dvx_qp_connect(qp, &peer);
}

static int lib_qp_state_verbs(struct dvx_qp *qp, enum ibv_qp_state state, const char *call)
{
	struct ibv_qp_attr attr = {.qp_state = state};
	int err = ibv_modify_qp(qp->ibqp, &attr, IBV_QP_STATE);

	return err ? dvx_fail(err, "%s: the kernel refuses it for QP 0x%x", call, qp->qpn) : 0;
}

int dvx_qp_to_err(struct dvx_qp *qp)
{
	uint8_t in[PRM_QP_2ERR_IN_BYTES] = {0};

	if (!qp->obj)
		return lib_qp_state_verbs(qp, IBV_QPS_ERR, "dvx_qp_to_err");
	return lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_2ERR_QP);
}

/* The device counts from 0 again. */
static void lib_qp_state_empty(struct dvx_qp *qp)
{
	*qp->sq.dbrec = 0;
	qp->sq.pi = qp->sq.ci = qp->sq.rung = 0;
	if (!qp->has_rq)
		return;
	*qp->rq.dbrec = 0;
	qp->rq.pi = qp->rq.ci = 0;
}

/*
 * libmlx5 cleans its CQs of a QP that it resets, at a place where it no longer polls. So the device
 * stops the QP first, and then nothing of it is left to be found. [I]: 2RST_QP in RST is taken.
 */
static int lib_qp_state_reset_adopted(struct dvx_qp *qp)
{
	uint8_t in[PRM_QP_2RST_IN_BYTES] = {0}, reply[PRM_QP_2RST_OUT_BYTES] = {0};

	prm_qp_2rst_in_set_opcode(in, PRM_OPCODE_2RST_QP);
	prm_qp_2rst_in_set_qpn(in, qp->qpn);
	if (mlx5dv_devx_qp_modify(qp->ibqp, in, sizeof(in), reply, sizeof(reply)))
		return dvx_fail_cmd(in, reply, errno);
	dvx_qp_clean(qp);
	return lib_qp_state_verbs(qp, IBV_QPS_RESET, "dvx_qp_to_rst");
}

int dvx_qp_to_rst(struct dvx_qp *qp)
{
	uint8_t in[PRM_QP_2RST_IN_BYTES] = {0};
	int err = qp->obj ? lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_2RST_QP)
			  : lib_qp_state_reset_adopted(qp);

	if (err)
		return err;
	dvx_qp_clean(qp);
	lib_qp_state_empty(qp);
	return 0;
}

int dvx_qp_query_state(struct dvx_qp *qp, uint8_t *state)
{
	uint8_t in[PRM_QUERY_QP_IN_BYTES] = {0}, reply[PRM_QUERY_QP_OUT_BYTES];
	int err;

	if (!qp->obj)
		return dvx_fail(EINVAL, "dvx_qp_query_state: use ibv_query_qp() on an adopted QP");
	prm_query_qp_in_set_opcode(in, PRM_OPCODE_QUERY_QP);
	prm_query_qp_in_set_qpn(in, qp->qpn);
	err = dvx_obj_query(qp->obj, in, sizeof(in), reply, sizeof(reply));
	if (!err)
		*state = (uint8_t)prm_qpc_get_state(prm_query_qp_out_cat_qpc(reply));
	return err;
}
