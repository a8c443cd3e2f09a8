/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include "verbs_qp.h"

struct ibv_context *verbs_open(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && list[0] ? ibv_open_device(list[0]) : NULL;

	if (list)
		ibv_free_device_list(list);
	return ctx;
}

int verbs_qp_connect(struct ibv_qp *qp, uint32_t peer, uint8_t gid_index)
{
	struct ibv_qp_attr a = {.port_num = 1,
				.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
				.path_mtu = IBV_MTU_1024,
				.dest_qp_num = peer,
				.max_dest_rd_atomic = 4,
				.max_rd_atomic = 4,
				.min_rnr_timer = 12,
				.timeout = 14,
				.retry_cnt = 7,
				.rnr_retry = 7,
				.ah_attr = {.is_global = 1,
					    .port_num = 1,
					    .grh = {.sgid_index = gid_index, .hop_limit = 1}}};
	const int sends = IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC,
		  receives = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		  connects = IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	enum ibv_qp_type type = qp->qp_type;
	bool dc = type == IBV_QPT_DRIVER, initiator = dc || type == IBV_QPT_XRC_SEND;
	const int mask[] = {[IBV_QPS_INIT] = IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					     (dc ? 0 : IBV_QP_ACCESS_FLAGS),
			    [IBV_QPS_RTR] = IBV_QP_AV | IBV_QP_PATH_MTU | (dc ? 0 : connects) |
					    (initiator ? 0 : receives),
			    [IBV_QPS_RTS] = IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
					    (type == IBV_QPT_XRC_RECV ? 0 : sends)};
	int err = ibv_query_gid(qp->context, 1, gid_index, &a.ah_attr.grh.dgid);

	for (int s = IBV_QPS_INIT; s <= IBV_QPS_RTS && !err; s++) {
		a.qp_state = (enum ibv_qp_state)s;
		err = ibv_modify_qp(qp, &a, IBV_QP_STATE | mask[s]);
	}
	return err;
}

int verbs_qp_connect_self(struct ibv_qp *qp, uint8_t gid_index)
{
	return verbs_qp_connect(qp, qp->qp_num, gid_index);
}

int verbs_qp_raise_ud(struct ibv_qp *qp, uint32_t qkey)
{
	struct ibv_qp_attr a = {.port_num = 1, .qkey = qkey};
	static const int mask[] = {[IBV_QPS_INIT] = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
				   [IBV_QPS_RTR] = 0,
				   [IBV_QPS_RTS] = IBV_QP_SQ_PSN};
	int err = 0;

	for (int s = IBV_QPS_INIT; s <= IBV_QPS_RTS && !err; s++) {
		a.qp_state = (enum ibv_qp_state)s;
		err = ibv_modify_qp(qp, &a, IBV_QP_STATE | mask[s]);
	}
	return err;
}

int verbs_qp_raise(struct ibv_qp *qp, enum ibv_qp_state to)
{
	struct ibv_device_attr device;

	return ibv_query_device(qp->context, &device)
		       ?: verbs_qp_raise_at(qp, device.phys_port_cnt, to);
}

int verbs_qp_raise_at(struct ibv_qp *qp, uint8_t port, enum ibv_qp_state to)
{
	struct ibv_qp_attr a = {.qp_state = IBV_QPS_INIT, .port_num = port};
	int err = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PORT);

	for (int s = IBV_QPS_RTR; s <= (int)to && !err; s++) {
		a.qp_state = (enum ibv_qp_state)s;
		err = ibv_modify_qp(qp, &a, IBV_QP_STATE);
	}
	return err;
}
