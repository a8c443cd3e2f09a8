/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules about connections, and keys that ended. */
#include "check_priv.h"
#include "transport/transport.h"

#define KEYS 256u /* that ended last */

static struct {
	const struct vhca *v;
	uint32_t index;
} check_keys[KEYS];
static unsigned int check_nkeys;

const struct qp *check_peer(const struct qp *qp)
{
	struct vhca *v = qp->q.o.vhca;
	const struct qp *peer;
	unsigned int index;

	if (!qp->fl)
		v = device_vhca_by_gid(v->dev, v->gids[qp->gid_index].vlan, qp->rgid, &index);
	peer = v ? obj_find(v, OBJ_QP, qp->remote_qpn) : NULL;
	return peer && peer->remote_qpn == qp->q.o.id ? peer : NULL;
}

static bool check_is_receiving(const struct qp *qp)
{
	return qp->q.state >= QP_RTR && qp->q.state <= QP_SQD;
}

void check_rd_atomic(const struct qp *from, const struct qp *to)
{
	if (check_is_receiving(to) && from->log_sra_max > to->log_rra_max)
		why_found(check.sink, &from->q.o, FINDING_RD_ATOMIC, 0,
			  {1u << from->log_sra_max, to->q.o.id, 1u << to->log_rra_max});
}

/* The kernel's part of RDMA_CM asks for a timer of 0; a program can't choose another. */
static void check_rnr_timer(const struct qp *qp)
{
	if (!qp->min_rnr_nak && !check.sink->by_cm(check.sink->ctx, qp->q.o.vhca, qp->remote_qpn))
		why_found(check.sink, &qp->q.o, FINDING_RNR_ZERO, 0, {0});
}

static void check_path_mtu(const struct qp *qp)
{
	const uint8_t port = vhca_mtu(qp->q.o.vhca);

	if (qp->mtu > port)
		why_found(check.sink, &qp->q.o, FINDING_PATH_MTU, 0,
			  {qp_mtu(qp), port ? 128u << port : 0});
}

void check_connected(const struct qp *qp)
{
	if (qp->q.transport->datagrams)
		return;
	check_path_mtu(qp);
	if (qp->q.transport->st == PRM_QP_ST_RC)
		check_rnr_timer(qp);
}

void check_key_ended(const struct vhca *v, uint32_t index)
{
	check_keys[check_nkeys % KEYS].v = v;
	check_keys[check_nkeys++ % KEYS].index = index;
}

void check_keys_forget(void)
{
	check_nkeys = 0;
}

bool check_key_is_old(const struct vhca *v, uint32_t key)
{
	const unsigned int n = check_nkeys < KEYS ? check_nkeys : KEYS;

	for (unsigned int i = 0; i < n; i++)
		if (check_keys[i].v == v && check_keys[i].index == key >> 8)
			return !obj_find(v, OBJ_MKEY, key >> 8);
	return false;
}
