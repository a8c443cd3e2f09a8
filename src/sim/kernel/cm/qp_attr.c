/* SPDX-License-Identifier: BSD-2-Clause */
/* INIT_QP_ATTR: the attributes with which librdmacm modifies its QP. */
#include <errno.h>
#include <string.h>
#include "conn.h"
#include "uverbs/ib_qp.h"

/* enum ib_access_flags */
enum { ACCESS_REMOTE_WRITE = 2, ACCESS_REMOTE_READ = 4, ACCESS_REMOTE_ATOMIC = 8 };

static void qp_attr_unconnected(struct cm_id *id, struct ib_uverbs_qp_attr *a)
{
	a->qp_attr_mask = A_STATE | A_PKEY_INDEX | A_PORT;
	a->port_num = 1;
	if (id->qp_type != QPT_UD) {
		a->qp_attr_mask |= A_ACCESS;
		return;
	}
	id_default_qkey(id);
	a->qkey = id->qkey;
	a->qp_attr_mask |= A_QKEY;
}

static void qp_attr_init(const struct cm_conn *c, struct ib_uverbs_qp_attr *a)
{
	a->qp_attr_mask = A_STATE | A_ACCESS | A_PKEY_INDEX | A_PORT;
	a->qp_access_flags = ACCESS_REMOTE_WRITE;
	if (c->responder_resources)
		a->qp_access_flags |= ACCESS_REMOTE_READ | ACCESS_REMOTE_ATOMIC;
	a->port_num = 1;
}

static void qp_attr_rtr(const struct cm_conn *c, struct ib_uverbs_qp_attr *a)
{
	a->qp_attr_mask = A_STATE | A_AV | A_PATH_MTU | A_DEST_QPN | A_RQ_PSN;
	route_ah(&c->path, &a->ah_attr);
	a->path_mtu = c->mtu;
	a->dest_qp_num = c->remote_qpn;
	a->rq_psn = c->rq_psn;
	if (c->qp_type != QPT_RC && c->qp_type != QPT_XRC_TGT)
		return;
	a->qp_attr_mask |= A_MAX_DEST_RD | A_MIN_RNR_TIMER;
	a->max_dest_rd_atomic = c->responder_resources;
}

static void qp_attr_rts(const struct cm_conn *c, struct ib_uverbs_qp_attr *a)
{
	a->qp_attr_mask = A_STATE | A_SQ_PSN;
	a->sq_psn = c->sq_psn;
	if (c->qp_type == QPT_RC || c->qp_type == QPT_XRC_INI) {
		a->qp_attr_mask |= A_RETRY_CNT | A_RNR_RETRY | A_MAX_RD;
		a->retry_cnt = c->retry_count;
		a->rnr_retry = c->rnr_retry_count;
		a->max_rd_atomic = c->initiator_depth;
	}
	if (c->qp_type == QPT_UC)
		return;
	a->qp_attr_mask |= A_TIMEOUT;
	a->timeout = c->ack_timeout;
}

/* Returns whether a QP may go to a state: INIT from REQ_SENT on, RTR and RTS from REQ_RCVD on. */
static bool qp_attr_allowed(const struct cm_conn *c, uint32_t qp_state)
{
	switch (c->state) {
	case CONN_REQ_SENT:
	case CONN_MRA_REQ_RCVD:
		return qp_state == INIT;
	case CONN_REQ_RCVD:
	case CONN_MRA_REQ_SENT:
	case CONN_REP_RCVD:
	case CONN_MRA_REP_SENT:
	case CONN_REP_SENT:
	case CONN_MRA_REP_RCVD:
	case CONN_ESTABLISHED:
		return qp_state >= INIT && qp_state <= RTS;
	default:
		return false;
	}
}

static int qp_attr_connected(const struct cm_conn *c, uint32_t qp_state,
			     struct ib_uverbs_qp_attr *a)
{
	if (!qp_attr_allowed(c, qp_state))
		return refuse(-EINVAL,
			      "INIT_QP_ATTR: qp_state %u does not fit the connection's state",
			      qp_state);
	if (qp_state == INIT)
		qp_attr_init(c, a);
	else if (qp_state == RTR)
		qp_attr_rtr(c, a);
	else
		qp_attr_rts(c, a);
	return 0;
}

int id_init_qp_attr(struct cm_file *f, struct ucma_request *r)
{
	struct ib_uverbs_qp_attr a = {0};
	struct rdma_ucm_init_qp_attr c;
	struct cm_id *id;
	int err;

	memcpy(&c, r->in, sizeof(c));
	if (c.qp_state > ERR)
		return refuse(-EINVAL, "INIT_QP_ATTR: qp_state %u: there is no such state",
			      c.qp_state);
	err = id_find_bound(f, c.id, &id);
	if (err)
		return err;
	a.qp_state = c.qp_state;
	if (!id->conn || id->qp_type == QPT_UD)
		qp_attr_unconnected(id, &a);
	else
		err = qp_attr_connected(id->conn, c.qp_state, &a);
	if (err)
		return err;
	if (c.qp_state == RTR)
		a.rq_psn = id->psn;
	if (a.qp_attr_mask & A_TIMEOUT && id->timeout_set)
		a.timeout = id->timeout;
	cm_answer(r, &a, sizeof(a));
	return 0;
}
