/* SPDX-License-Identifier: BSD-2-Clause */
/* State transitions: RST -> INIT -> RTR -> RTS, to ERR and back to RST. */
#include <dvx/prm/cmd.h>
#include <dvx/prm/qp.h>
#include "prm/reflect.h"
#include <dvx/dc.h>
#include "priv.h"

#define LOG_ACK_REQ_FREQ 8u /* packets between two requests for an ACK; mlx5_ib uses the same */
#define DATAGRAM_LOG_MAX 12u /* of datagrams, as in mlx5_ib; the port's MTU is the real limit */

static int lib_qp_state_sides(const struct dvx_qp *qp, const char *call,
			      const struct dvx_qp_local *user_local, struct dvx_qp_local *local,
			      const struct dvx_qp_peer *user_peer, struct dvx_qp_peer *peer)
{
	int err = dvx_check_not_null(call, "qp", qp, NULL);

	if (err)
		return err;
	if (!qp->obj)
		return dvx_fail(EINVAL, "%s: use ibv_modify_qp() on an adopted QP", call);
	if (!dvx_qp_kind(qp->type)->peer) {
		if (user_peer)
			return dvx_fail(EINVAL,
					"%s: peer is not NULL, but a queue of %s has none: "
					"dvx_ah_init() makes addresses of peers",
					call, dvx_qp_kind(qp->type)->name);
		peer = NULL;
	}
	return dvx_qp_sides(qp, call, user_local, local, user_peer, peer);
}

/* Runs a transition. All these commands have one layout: a header with the QPN, the context. */
static int lib_qp_state_move(struct dvx_qp *qp, void *in, size_t in_len, uint16_t opcode)
{
	uint8_t reply[PRM_RTR2RTS_QP_OUT_BYTES];

	prm_rtr2rts_qp_in_set_opcode(in, opcode);
	prm_rtr2rts_qp_in_set_qpn(in, qp->qpn);
	return dvx_obj_modify(qp->obj, in, in_len, reply, sizeof(reply));
}

static void lib_qp_state_set_access(void *qpc, uint32_t access)
{
	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_rre(qpc, !!(access & DVX_REMOTE_READ));
	prm_qpc_set_rwe(qpc, !!(access & DVX_REMOTE_WRITE));
	prm_qpc_set_rae(qpc, !!(access & DVX_REMOTE_ATOMIC));
	if (access & DVX_REMOTE_ATOMIC)
		prm_qpc_set_atomic_mode(qpc, PRM_QPC_ATOMIC_MODE_UP_TO_8B);
}

/* Enables MMO, which each reset clears; libmlx5 does the same for ibv_wr_memcpy(). */
static int lib_qp_state_enable_mmo(struct dvx_qp *qp)
{
	uint8_t in[PRM_INIT2INIT_QP_IN_BYTES + PRM_QPC_EXT_BYTES] = {0};

	prm_init2init_qp_in_set_qpc_ext(in, 1);
	prm_init2init_qp_in_set_opt_param_mask_95_32(in, PRM_QP_OPTPAR_95_32_MMO);
	prm_qpc_ext_set_mmo(prm_init2init_qp_in_at_qpc_data_ext(in, 0), 1);
	return lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_INIT2INIT_QP);
}

/* Replaces the error of a refused transition, if the queue's state is not `from`. */
static int lib_qp_state_explain(struct dvx_qp *qp, uint8_t from, const char *advice)
{
	const struct dvx_error why = *dvx_last_error();
	uint8_t state;

	if (dvx_qp_query_state(qp, &state) || state == from)
		return dvx_restore(&why);
	return dvx_fail(EINVAL, "QP 0x%x is in %s, %s", qp->qpn,
			prm_enum_name(prm_find_enum("qp_state"), state), advice);
}

int dvx_qp_to_init(struct dvx_qp *qp, const struct dvx_qp_local *user)
{
	uint8_t in[PRM_RST2INIT_QP_IN_BYTES] = {0};
	void *qpc = prm_rst2init_qp_in_at_qpc(in);
	void *path = prm_qpc_at_primary_address_path(qpc);
	struct dvx_qp_local local;
	int err = lib_qp_state_sides(qp, "dvx_qp_to_init", user, &local, NULL, NULL);

	if (err)
		return err;
	lib_qp_state_set_access(qpc, local.access);
	if (qp->type == DVX_QP_UD)
		prm_qpc_set_q_key(qpc, local.q_key);
	prm_ads_set_vhca_port_num(path, local.port);
	prm_ads_set_pkey_index(path, local.pkey_index);
	err = lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_RST2INIT_QP);
	if (err)
		return lib_qp_state_explain(qp, PRM_QP_STATE_RST,
					    "and connects from RST only: call dvx_qp_to_rst()");
	return qp->mmo_mkey ? lib_qp_state_enable_mmo(qp) : 0;
}

static void lib_qp_state_set_path(void *path, const struct dvx_qp *qp,
				  const struct dvx_qp_local *local, const struct dvx_qp_peer *peer)
{
	const uint8_t *mac = peer->mac;

	prm_ads_set_fl(path, qp->force_loopback);
	prm_ads_set_vhca_port_num(path, local->port);
	prm_ads_set_pkey_index(path, local->pkey_index);
	prm_ads_set_src_addr_index(path, local->gid_index);
	prm_ads_set_hop_limit(path, local->hop_limit);
	prm_ads_set_tclass(path, local->traffic_class);
	memcpy(prm_ads_at_rgid_rip(path), peer->gid, sizeof(peer->gid));
	if (qp->dev->caps.roce) {
		prm_ads_set_rmac_47_32(path, (uint32_t)(mac[0] << 8 | mac[1]));
		prm_ads_set_rmac_31_0(path, prm_load32(mac, 2));
		prm_ads_set_udp_sport(path, local->udp_sport ? local->udp_sport
							     : 0xc000 | (qp->qpn & 0x3fff));
		prm_ads_set_eth_prio(path, local->sl & 7);
		prm_ads_set_dscp(path, local->traffic_class >> 2);
	} else {
		prm_ads_set_rlid(path, peer->lid);
		prm_ads_set_grh(path, 1);
		prm_ads_set_sl(path, local->sl & 15);
	}
}

/* Checks that both GIDs are of one type, and finds the peer's MAC. */
static int lib_qp_state_find_path(struct dvx_qp *qp, const struct dvx_qp_local *local,
				  struct dvx_qp_peer *peer)
{
	struct dvx_gid mine;
	int err = peer->gid_type ? dvx_gid_at(qp->dev, local->port, local->gid_index, &mine) : 0;

	if (!err && peer->gid_type)
		err = dvx_gid_fits(&mine, peer, "dvx_qp_to_rtr");
	return err ? err : dvx_peer_resolve(qp->dev, local, peer);
}

static uint32_t lib_qp_state_smaller(uint8_t mine, uint8_t peers)
{
	return peers && peers < mine ? peers : mine;
}

static void lib_qp_state_set_peer(void *qpc, const struct dvx_qp *qp,
				  const struct dvx_qp_local *local, const struct dvx_qp_peer *peer)
{
	prm_qpc_set_mtu(qpc, lib_qp_state_smaller(local->mtu_log, peer->mtu_log) - 7u);
	prm_qpc_set_log_msg_max(qpc, qp->dev->log_max_msg);
	prm_qpc_set_remote_qpn(qpc, peer->qpn);
	prm_qpc_set_next_rcv_psn(qpc, peer->psn);
	lib_qp_state_set_path(prm_qpc_at_primary_address_path(qpc), qp, local, peer);
	if (!dvx_qp_kind(qp->type)->reliable)
		return;
	prm_qpc_set_log_rra_max(qpc, dvx_log2_up(local->max_rd_atomic));
	prm_qpc_set_min_rnr_nak(qpc, local->min_rnr_timer);
}

/* Sets the context of a UD queue or DC initiator: their requests have the destination. */
static void lib_qp_state_set_no_peer(void *qpc, const struct dvx_qp *qp,
				     const struct dvx_qp_local *local)
{
	if (dvx_qp_kind(qp->type)->reliable) {
		prm_qpc_set_mtu(qpc, local->mtu_log - 7u);
		prm_qpc_set_log_msg_max(qpc, qp->dev->log_max_msg);
		prm_ads_set_vhca_port_num(prm_qpc_at_primary_address_path(qpc), local->port);
		return;
	}
	prm_qpc_set_mtu(qpc, DATAGRAM_LOG_MAX - 7u);
	prm_qpc_set_log_msg_max(qpc, DATAGRAM_LOG_MAX);
}

int dvx_qp_to_rtr(struct dvx_qp *qp, const struct dvx_qp_local *user_local,
		  const struct dvx_qp_peer *user_peer)
{
	uint8_t in[PRM_INIT2RTR_QP_IN_BYTES] = {0};
	void *qpc = prm_init2rtr_qp_in_at_qpc(in);
	struct dvx_qp_local local;
	struct dvx_qp_peer peer;
	int err = lib_qp_state_sides(qp, "dvx_qp_to_rtr", user_local, &local, user_peer, &peer);

	if (!err && dvx_qp_kind(qp->type)->peer)
		err = lib_qp_state_find_path(qp, &local, &peer);
	if (err)
		return err;
	lib_qp_state_set_access(qpc, local.access);
	if (dvx_qp_kind(qp->type)->peer)
		lib_qp_state_set_peer(qpc, qp, &local, &peer);
	else
		lib_qp_state_set_no_peer(qpc, qp, &local);
	err = lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_INIT2RTR_QP);
	return err ? lib_qp_state_explain(qp, PRM_QP_STATE_INIT,
					  "and RTR follows INIT: call dvx_qp_to_init()")
		   : 0;
}

static void lib_qp_state_set_retries(void *qpc, const struct dvx_qp_local *local,
				     const struct dvx_qp_peer *peer)
{
	prm_qpc_set_log_ack_req_freq(qpc, LOG_ACK_REQ_FREQ);
	prm_qpc_set_log_sra_max(
		qpc, dvx_log2_up(lib_qp_state_smaller(local->max_rd_atomic, peer->max_rd_atomic)));
	prm_qpc_set_retry_count(qpc, local->retry_count);
	prm_qpc_set_rnr_retry(qpc, local->rnr_retry);
	prm_ads_set_ack_timeout(prm_qpc_at_primary_address_path(qpc), local->ack_timeout);
}

int dvx_qp_to_rts(struct dvx_qp *qp, const struct dvx_qp_local *user_local,
		  const struct dvx_qp_peer *user_peer)
{
	uint8_t in[PRM_RTR2RTS_QP_IN_BYTES] = {0};
	void *qpc = prm_rtr2rts_qp_in_at_qpc(in);
	struct dvx_qp_local local;
	struct dvx_qp_peer peer = {0};
	int err = lib_qp_state_sides(qp, "dvx_qp_to_rts", user_local, &local, user_peer, &peer);

	if (err)
		return err;
	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_next_send_psn(qpc, local.psn);
	if (dvx_qp_kind(qp->type)->reliable)
		lib_qp_state_set_retries(qpc, &local, &peer);
	err = lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_RTR2RTS_QP);
	return err ? lib_qp_state_explain(qp, PRM_QP_STATE_RTR,
					  "and RTS follows RTR: call dvx_qp_to_rtr()")
		   : 0;
}

int dvx_qp_connect(struct dvx_qp *qp, const struct dvx_qp_local *local,
		   const struct dvx_qp_peer *peer)
{
	int err = dvx_qp_to_init(qp, local);

	if (!err)
		err = dvx_qp_to_rtr(qp, local, peer);
	return err ? err : dvx_qp_to_rts(qp, local, peer);
}

int dvx_qp_connect_self(struct dvx_qp *qp, uint32_t access)
{
	uint8_t blob[DVX_QP_BLOB_BYTES];
	struct dvx_qp_local local;
	struct dvx_qp_peer peer;
	int err = dvx_check_not_null("dvx_qp_connect_self", "qp", qp, NULL);

	if (!err && !dvx_qp_kind(qp->type)->peer)
		err = dvx_fail(EINVAL,
			       "dvx_qp_connect_self: qp is of %s, which connects with nobody",
			       dvx_qp_kind(qp->type)->name);
	if (!err)
		err = dvx_qp_local_init(qp->dev, 1, &local);
	if (err)
		return err;
	local.access = access;
	err = dvx_qp_blob_write(qp, &local, blob);
	if (!err)
		err = dvx_qp_blob_read(qp, blob, sizeof(blob), &peer);
	return err ? err : dvx_qp_connect(qp, &local, &peer);
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
	int err = dvx_check_not_null("dvx_qp_to_err", "qp", qp, NULL);

	if (err)
		return err;
	if (!qp->obj)
		return lib_qp_state_verbs(qp, IBV_QPS_ERR, "dvx_qp_to_err");
	return lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_2ERR_QP);
}

/* Empties the rings: after a reset, the device counts from 0. */
static void lib_qp_state_empty(struct dvx_qp *qp)
{
	*qp->sq.dbrec = 0;
	qp->sq.pi = qp->sq.ci = 0;
	qp->sq.head = qp->sq.qpn_be; /* as in dvx_sq_set_qpn() */
	if (!qp->has_rq)
		return;
	dvx_rq_empty(&qp->rq);
}

/* Drops the QP's CQEs. */
static void lib_qp_state_clean(struct dvx_qp *qp)
{
	dvx_cq_clean(qp->scq, qp->qpn);
	if (qp->rcq != qp->scq)
		dvx_cq_clean(qp->rcq, qp->qpn);
}

/* Resets a QP of the kernel's (uid 0), which DevX can't reset, if nothing is in flight. */
static int lib_qp_state_reset_drained(struct dvx_qp *qp)
{
	if (qp->sq.pi != qp->sq.ci)
		return dvx_fail(EBUSY,
				"QP 0x%x: %u blocks are not completed; call dvx_qp_to_err(), then "
				"poll all completions",
				qp->qpn, qp->sq.pi - qp->sq.ci);
	lib_qp_state_clean(qp);
	return lib_qp_state_verbs(qp, IBV_QPS_RESET, "dvx_qp_to_rst");
}

/*
 * Resets an adopted QP. libmlx5's reset also removes the QP's CQEs from its CQs, by a consumer
 * index that is out of date. So DevX resets the QP and libdvx removes the CQEs first, and libmlx5
 * finds none. [I]: the device accepts 2RST_QP in state RST.
 */
static int lib_qp_state_reset_adopted(struct dvx_qp *qp)
{
	uint8_t in[PRM_QP_2RST_IN_BYTES] = {0}, reply[PRM_QP_2RST_OUT_BYTES] = {0};

	if (dvx_qp_kind(qp->type)->verbs_only)
		return lib_qp_state_reset_drained(qp);
	prm_qp_2rst_in_set_opcode(in, PRM_OPCODE_2RST_QP);
	prm_qp_2rst_in_set_qpn(in, qp->qpn);
	if (mlx5dv_devx_qp_modify(qp->ibqp, in, sizeof(in), reply, sizeof(reply)))
		return dvx_fail_cmd(in, reply, errno);
	lib_qp_state_clean(qp);
	return lib_qp_state_verbs(qp, IBV_QPS_RESET, "dvx_qp_to_rst");
}

int dvx_qp_to_rst(struct dvx_qp *qp)
{
	uint8_t in[PRM_QP_2RST_IN_BYTES] = {0};
	int err = dvx_check_not_null("dvx_qp_to_rst", "qp", qp, NULL);

	if (!err)
		err = qp->obj ? lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_2RST_QP)
			      : lib_qp_state_reset_adopted(qp);
	if (err)
		return err;
	lib_qp_state_clean(qp);
	lib_qp_state_empty(qp);
	return 0;
}

int dvx_qp_sqerr_to_rts(struct dvx_qp *qp)
{
	uint8_t in[PRM_SQERR2RTS_QP_IN_BYTES] = {0};
	int err = dvx_check_not_null("dvx_qp_sqerr_to_rts", "qp", qp, NULL);

	if (err)
		return err;
	if (!qp->obj)
		return dvx_fail(EINVAL,
				"dvx_qp_sqerr_to_rts: use ibv_modify_qp() on an adopted QP");
	prm_qpc_set_pm_state(prm_sqerr2rts_qp_in_at_qpc(in), PRM_QPC_PM_STATE_MIGRATED);
	err = lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_SQERR2RTS_QP);
	return !err ? 0
		    : lib_qp_state_explain(
			      qp, PRM_QP_STATE_SQER,
			      "not in SQER, which only UC and UD queues enter; dvx_qp_to_rst() "
			      "leads out of ERR");
}

int dvx_dci_reset_stream(struct dvx_qp *qp, uint16_t stream)
{
	uint8_t in[PRM_RTS2RTS_QP_IN_BYTES + PRM_QPC_EXT_BYTES] = {0};
	int err = dvx_check_not_null("dvx_dci_reset_stream", "qp", qp, NULL);

	if (err)
		return err;
	if (qp->type != DVX_QP_DCI || !qp->obj)
		return dvx_fail(EINVAL,
				"dvx_dci_reset_stream: QP 0x%x is no DC initiator of "
				"dvx_qp_create()",
				qp->qpn);
	prm_rts2rts_qp_in_set_qpc_ext(in, 1);
	prm_rts2rts_qp_in_set_opt_param_mask_95_32(in, PRM_QP_OPTPAR_95_32_DCI_STREAM_CHANNEL_ID);
	prm_qpc_ext_set_dci_stream_channel_id(prm_rts2rts_qp_in_at_qpc_data_ext(in, 0), stream);
	return lib_qp_state_move(qp, in, sizeof(in), PRM_OPCODE_RTS2RTS_QP);
}

int dvx_qp_query_state(struct dvx_qp *qp, uint8_t *state)
{
	uint8_t in[PRM_QUERY_QP_IN_BYTES] = {0}, reply[PRM_QUERY_QP_OUT_BYTES];
	int err = dvx_check_not_null("dvx_qp_query_state", "qp", qp, "state", state, NULL);

	if (err)
		return err;
	if (!qp->obj)
		return dvx_fail(EINVAL, "dvx_qp_query_state: use ibv_query_qp() on an adopted QP");
	prm_query_qp_in_set_opcode(in, PRM_OPCODE_QUERY_QP);
	prm_query_qp_in_set_qpn(in, qp->qpn);
	err = dvx_obj_query(qp->obj, in, sizeof(in), reply, sizeof(reply));
	if (!err)
		*state = (uint8_t)prm_qpc_get_state(prm_query_qp_out_cat_qpc(reply));
	return err;
}
