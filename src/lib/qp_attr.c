/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts attributes of verbs, which RDMA_CM makes, to both sides of a connection. */
#include "priv.h"

#define REMOTE (DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC)

/* Sets the members that the bit IBV_QP_AV stands for. */
static void lib_qp_attr_path(const struct ibv_ah_attr *ah, struct dvx_qp_local *local,
			     struct dvx_qp_peer *peer)
{
	local->sl = ah->sl;
	peer->lid = ah->dlid;
	if (!ah->is_global)
		return;
	local->gid_index = ah->grh.sgid_index;
	local->hop_limit = ah->grh.hop_limit;
	local->traffic_class = ah->grh.traffic_class;
	memcpy(peer->gid, ah->grh.dgid.raw, sizeof(peer->gid));
}

static void lib_qp_attr_init(const struct ibv_qp_attr *a, int mask, struct dvx_qp_local *local)
{
	if (mask & IBV_QP_PORT)
		local->port = a->port_num;
	if (mask & IBV_QP_PKEY_INDEX)
		local->pkey_index = a->pkey_index;
	if (mask & IBV_QP_ACCESS_FLAGS)
		local->access = (uint32_t)a->qp_access_flags & REMOTE;
	if (mask & IBV_QP_QKEY)
		local->q_key = a->qkey;
}

static void lib_qp_attr_rtr(const struct ibv_qp_attr *a, int mask, struct dvx_qp_local *local,
			    struct dvx_qp_peer *peer)
{
	if (mask & IBV_QP_AV)
		lib_qp_attr_path(&a->ah_attr, local, peer);
	if (mask & IBV_QP_PATH_MTU)
		local->mtu_log = peer->mtu_log = (uint8_t)(a->path_mtu + 7); /* IBV_MTU_256 is 1 */
	if (mask & IBV_QP_DEST_QPN)
		peer->qpn = a->dest_qp_num;
	if (mask & IBV_QP_RQ_PSN)
		peer->psn = a->rq_psn;
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		local->max_rd_atomic = a->max_dest_rd_atomic;
	if (mask & IBV_QP_MIN_RNR_TIMER)
		local->min_rnr_timer = a->min_rnr_timer;
}

static void lib_qp_attr_rts(const struct ibv_qp_attr *a, int mask, struct dvx_qp_local *local,
			    struct dvx_qp_peer *peer)
{
	if (mask & IBV_QP_SQ_PSN)
		local->psn = a->sq_psn;
	if (mask & IBV_QP_TIMEOUT)
		local->ack_timeout = a->timeout;
	if (mask & IBV_QP_RETRY_CNT)
		local->retry_count = a->retry_cnt;
	if (mask & IBV_QP_RNR_RETRY)
		local->rnr_retry = a->rnr_retry;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		peer->max_rd_atomic = a->max_rd_atomic;
}

int dvx_qp_sides_from_verbs(const struct ibv_qp_attr *attr, int mask, struct dvx_qp_local *local,
			    struct dvx_qp_peer *peer)
{
	int err = dvx_check_not_null("dvx_qp_sides_from_verbs", "attr", attr, "local", local,
				     "peer", peer, NULL);

	if (!err && (local->size < sizeof(*local) || peer->size < sizeof(*peer)))
		err = dvx_fail(EINVAL,
			       "dvx_qp_sides_from_verbs: local.size is %u, peer.size %u; "
			       "both are to be sizeof()",
			       local->size, peer->size);
	if (err)
		return err;
	lib_qp_attr_init(attr, mask, local);
	lib_qp_attr_rtr(attr, mask, local, peer);
	lib_qp_attr_rts(attr, mask, local, peer);
	return 0;
}
