/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "connect.h"

/* The attributes that ib_uverbs requires, besides the state. */
struct connect_masks {
	enum ibv_qp_type type;
	int init, rtr, rts;
};

#define CONNECT_PEER	 (IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define CONNECT_RECEIVES (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define CONNECT_SENDS \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)

static const struct connect_masks connect_masks[] = {
	{IBV_QPT_RC, IBV_QP_ACCESS_FLAGS, CONNECT_PEER | CONNECT_RECEIVES, CONNECT_SENDS},
	{IBV_QPT_UC, IBV_QP_ACCESS_FLAGS, CONNECT_PEER, 0},
	{IBV_QPT_UD, IBV_QP_QKEY, 0, 0},
	{IBV_QPT_DRIVER, 0, IBV_QP_PATH_MTU, CONNECT_SENDS}, /* a DC initiator */
	{IBV_QPT_XRC_SEND, IBV_QP_ACCESS_FLAGS, CONNECT_PEER, CONNECT_SENDS},
	{IBV_QPT_XRC_RECV, IBV_QP_ACCESS_FLAGS, CONNECT_PEER | CONNECT_RECEIVES, IBV_QP_TIMEOUT},
};

static const struct connect_masks *connect_masks_of(const struct ibv_qp *qp)
{
	const struct connect_masks *m = connect_masks;

	while (m->type != qp->qp_type)
		m++;
	return m;
}

struct ibv_ah_attr verbs_path(const struct perf_site *s, const struct perf_ends *responder)
{
	struct ibv_ah_attr a = {.is_global = dvx_dev_caps(s->dev)->roce,
				.dlid = responder->lid,
				.port_num = 1,
				.grh = {.sgid_index = s->local.gid_index, .hop_limit = 64}};

	memcpy(a.grh.dgid.raw, responder->gid, sizeof(responder->gid));
	return a;
}

static unsigned int connect_access(uint32_t access)
{
	return (access & DVX_REMOTE_WRITE ? IBV_ACCESS_REMOTE_WRITE : 0) |
	       (access & DVX_REMOTE_READ ? IBV_ACCESS_REMOTE_READ : 0) |
	       (access & DVX_REMOTE_ATOMIC ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

int verbs_connect_qp(const struct perf_site *s, struct ibv_qp *qp,
		     const struct perf_ends *responder, uint32_t i, uint32_t access)
{
	const struct connect_masks *m = connect_masks_of(qp);
	uint8_t mine = s->local.mtu_log,
		mtu = mine < responder->mtu_log ? mine : responder->mtu_log;
	struct ibv_qp_attr a = {
		.port_num = 1,
		.qkey = SITE_Q_KEY,
		.qp_access_flags = connect_access(access),
		.path_mtu = (enum ibv_mtu)(mtu - 7), /* 1 is 256 bytes */
		.dest_qp_num = responder->qpn[i],
		.rq_psn = responder->psn,
		.max_dest_rd_atomic = 16,
		.min_rnr_timer = 12,
		.ah_attr = verbs_path(s, responder),
		.sq_psn = s->local.psn,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 16,
	};
	int rc;

	a.qp_state = IBV_QPS_INIT;
	rc = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | m->init);
	a.qp_state = IBV_QPS_RTR;
	if (!rc)
		rc = ibv_modify_qp(qp, &a, IBV_QP_STATE | m->rtr);
	a.qp_state = IBV_QPS_RTS;
	if (!rc)
		rc = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN | m->rts);
	return rc;
}
