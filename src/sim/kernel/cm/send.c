/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds and sends the messages of a connection; recv.c answers repeated messages. */
#include <errno.h>
#include <string.h>
#include "conn.h"

#define LID_PERMISSIVE 0xffff /* RoCE has none */
#define ACK_DELAY      16     /* local_ca_ack_delay, as the firmware reports it (fw/caps.def) */

static int send_refuse(const struct cm_conn *c, const char *message)
{
	return refuse(-EINVAL, "rdma_cm: id %u: its state allows no %s", c->id ? c->id->number : 0,
		      message);
}

void conn_begin(const struct cm_conn *c, uint8_t *mad, unsigned int attribute, uint64_t tid)
{
	mad_begin(mad, attribute, tid);
	mad_set(mad, CM_LOCAL_ID, c->local_id);
	mad_set(mad, CM_REMOTE_ID, c->remote_id);
}

/* --- REQ -------------------------------------------------------------------------------------- */

static void req_path(uint8_t *mad, const struct cm_route *r)
{
	memcpy(mad_at(mad, REQ_LOCAL_GID), r->p.sgid, 16);
	memcpy(mad_at(mad, REQ_REMOTE_GID), r->p.dgid, 16);
	mad_set(mad, REQ_LOCAL_LID, r->p.hop_limit > 1 ? LID_PERMISSIVE : 0);
	mad_set(mad, REQ_REMOTE_LID, r->p.hop_limit > 1 ? LID_PERMISSIVE : 0);
	mad_set(mad, REQ_FLOW_LABEL, r->p.flow_label);
	mad_set(mad, REQ_RATE, r->rate);
	mad_set(mad, REQ_TCLASS, r->p.tclass);
	mad_set(mad, REQ_HOP_LIMIT, r->p.hop_limit);
	mad_set(mad, REQ_SL, r->p.sl);
	mad_set(mad, REQ_SUBNET_LOCAL, r->p.hop_limit <= 1);
	mad_set(mad, REQ_ACK_TIMEOUT, conn_ack_timeout(ACK_DELAY, r->life_time));
}

static void req_service_type(uint8_t *mad, uint8_t qp_type)
{
	if (qp_type == QPT_UC)
		mad_set(mad, REQ_SERVICE_TYPE, 1);
	if (qp_type != QPT_XRC_INI)
		return;
	mad_set(mad, REQ_SERVICE_TYPE, 3);
	mad_set(mad, REQ_EXTENDED_TYPE, 1);
}

static void req_fill(const struct cm_conn *c, uint8_t *mad, const struct conn_req *q)
{
	mad_begin(mad, CM_REQ, c->local_id);
	mad_set(mad, MAD_MODIFIER, q->ece.attr_mod);
	mad_set(mad, CM_LOCAL_ID, c->local_id);
	mad_set(mad, REQ_VENDOR_ID, q->ece.vendor_id);
	mad_set(mad, REQ_SERVICE_ID, q->service_id);
	mad_set(mad, REQ_CA_GUID, c->vhca->guid);
	mad_set(mad, REQ_QPN, q->qpn);
	mad_set(mad, REQ_INITIATOR_DEPTH, q->initiator_depth);
	mad_set(mad, REQ_REMOTE_RESPONSE_TIMEOUT, CM_RESPONSE_TIMEOUT);
	req_service_type(mad, q->qp_type);
	mad_set(mad, REQ_FLOW_CONTROL, q->flow_control);
	mad_set(mad, REQ_PSN, q->psn);
	mad_set(mad, REQ_LOCAL_RESPONSE_TIMEOUT, CM_RESPONSE_TIMEOUT);
	mad_set(mad, REQ_PKEY, q->route->pkey);
	mad_set(mad, REQ_MTU, q->route->mtu);
	mad_set(mad, REQ_MAX_CM_RETRIES, CM_RETRIES);
	if (q->qp_type != QPT_XRC_INI) {
		mad_set(mad, REQ_RESPONDER_RESOURCES, q->responder_resources);
		mad_set(mad, REQ_RETRY_COUNT, q->retry_count);
		mad_set(mad, REQ_RNR_RETRY_COUNT, q->rnr_retry_count);
		mad_set(mad, REQ_SRQ, q->srq);
	}
	req_path(mad, q->route);
}

int conn_send_req(struct cm_conn *c, const struct conn_req *q, const uint8_t *data, uint32_t len)
{
	if (q->qp_type != QPT_RC && q->qp_type != QPT_UC && q->qp_type != QPT_XRC_INI)
		return refuse(-EINVAL, "CONNECT: qp_type %u of the id has no connections",
			      q->qp_type);
	if (len > REQ_PRIVATE_BYTES)
		return refuse(-EINVAL, "CONNECT: private_data_len: a request has room for %u bytes",
			      REQ_PRIVATE_BYTES - CM_HDR_BYTES);
	c->service_id = q->service_id;
	c->timeout_ms = 2 * conn_ms(q->route->life_time) + conn_ms(CM_RESPONSE_TIMEOUT);
	c->max_retries = CM_RETRIES;
	c->initiator_depth = q->initiator_depth;
	c->responder_resources = q->responder_resources;
	c->retry_count = q->retry_count;
	c->mtu = q->route->mtu;
	c->qp_type = q->qp_type;
	c->path = q->route->p;
	c->ack_timeout = (uint8_t)(q->route->life_time + 1);
	c->local_qpn = q->qpn;
	c->rq_psn = q->psn;
	req_fill(c, c->msg, q);
	memcpy(mad_at(c->msg, REQ_PRIVATE), data, len);
	return conn_send_waiting(c, CONN_REQ_SENT);
}

/* --- REP, RTU --------------------------------------------------------------------------------- */

static void rep_fill(const struct cm_conn *c, uint8_t *mad, const struct conn_rep *q)
{
	conn_begin(c, mad, CM_REP, c->tid);
	mad_set(mad, MAD_MODIFIER, q->ece.attr_mod);
	mad_set(mad, REP_PSN, q->psn);
	mad_set(mad, REP_RESPONDER_RESOURCES, q->responder_resources);
	mad_set(mad, REP_ACK_DELAY, ACK_DELAY);
	mad_set(mad, REP_RNR_RETRY_COUNT, q->rnr_retry_count);
	mad_set(mad, REP_CA_GUID, c->vhca->guid);
	mad_set(mad, REP_QPN, q->qpn);
	mad_set(mad, REP_INITIATOR_DEPTH, q->initiator_depth);
	mad_set(mad, REP_FLOW_CONTROL, q->flow_control);
	mad_set(mad, REP_SRQ, q->srq);
	mad_set(mad, REP_VENDOR_ID_HIGH, q->ece.vendor_id >> 16);
	mad_set(mad, REP_VENDOR_ID_MIDDLE, q->ece.vendor_id >> 8);
	mad_set(mad, REP_VENDOR_ID_LOW, q->ece.vendor_id);
}

int conn_send_rep(struct cm_conn *c, const struct conn_rep *q, const uint8_t *data, uint32_t len)
{
	if (len > REP_PRIVATE_BYTES)
		return refuse(-EINVAL, "ACCEPT: private_data_len %u: a reply has room for %u bytes",
			      len, REP_PRIVATE_BYTES);
	if (c->state != CONN_REQ_RCVD && c->state != CONN_MRA_REQ_SENT)
		return send_refuse(c, "REP");
	rep_fill(c, c->msg, q);
	memcpy(mad_at(c->msg, REP_PRIVATE), data, len);
	c->initiator_depth = q->initiator_depth;
	c->responder_resources = q->responder_resources;
	c->rq_psn = q->psn;
	c->local_qpn = q->qpn;
	return conn_send_waiting(c, CONN_REP_SENT);
}

int conn_send_rtu(struct cm_conn *c)
{
	uint8_t mad[CM_MAD_BYTES];

	if (c->state != CONN_REP_RCVD && c->state != CONN_MRA_REP_SENT)
		return send_refuse(c, "RTU");
	conn_begin(c, mad, CM_RTU, c->tid);
	conn_send(c, mad);
	c->state = CONN_ESTABLISHED;
	return 0;
}

/* --- REJ -------------------------------------------------------------------------------------- */

static void rej_fill(const struct cm_conn *c, uint8_t *mad, unsigned int reason)
{
	bool req = c->state == CONN_REQ_RCVD || c->state == CONN_MRA_REQ_SENT;
	bool rep = c->state == CONN_REP_RCVD || c->state == CONN_MRA_REP_SENT;

	conn_begin(c, mad, CM_REJ, c->tid);
	if (c->state == CONN_REQ_RCVD)
		mad_set(mad, CM_LOCAL_ID, 0);
	mad_set(mad, REJ_MESSAGE, req ? MESSAGE_REQ : rep ? MESSAGE_REP : MESSAGE_OTHER);
	mad_set(mad, REJ_REASON, reason);
	if (reason != REJ_TIMEOUT)
		return;
	mad_set(mad, REJ_INFO_LENGTH, sizeof(c->vhca->guid));
	mad_set(mad, REJ_INFO_GUID, c->vhca->guid);
}

int conn_send_rej(struct cm_conn *c, unsigned int reason, const uint8_t *data, uint32_t len)
{
	uint8_t mad[CM_MAD_BYTES];

	if (len > REJ_PRIVATE_BYTES)
		return refuse(-EINVAL,
			      "REJECT: private_data_len %u: a reject has room for %u bytes", len,
			      REJ_PRIVATE_BYTES);
	rej_fill(c, mad, reason);
	if (len)
		memcpy(mad_at(mad, REJ_PRIVATE), data, len);
	switch (c->state) {
	case CONN_REQ_SENT:
	case CONN_MRA_REQ_RCVD:
	case CONN_REQ_RCVD:
	case CONN_MRA_REQ_SENT:
	case CONN_REP_RCVD:
	case CONN_MRA_REP_SENT:
		conn_reset(c);
		break;
	case CONN_REP_SENT:
	case CONN_MRA_REP_RCVD:
		conn_enter_timewait(c);
		break;
	default:
		return send_refuse(c, "REJ");
	}
	conn_send(c, mad);
	return 0;
}

/* --- DREQ, DREP ------------------------------------------------------------------------------- */

int conn_send_dreq(struct cm_conn *c)
{
	if (c->state != CONN_ESTABLISHED)
		return -EINVAL; /* the caller tries DREP next */
	conn_begin(c, c->msg, CM_DREQ, c->local_id);
	mad_set(c->msg, DREQ_QPN, c->remote_qpn);
	return conn_send_waiting(c, CONN_DREQ_SENT);
}

int conn_send_drep(struct cm_conn *c)
{
	uint8_t mad[CM_MAD_BYTES];

	if (c->state != CONN_DREQ_RCVD)
		return -EINVAL;
	conn_enter_timewait(c);
	conn_begin(c, mad, CM_DREP, c->tid);
	conn_send(c, mad);
	return 0;
}

void conn_delay(struct cm_conn *c)
{
	if (c->state == CONN_REQ_RCVD)
		c->state = CONN_MRA_REQ_SENT;
	else if (c->state == CONN_REP_RCVD)
		c->state = CONN_MRA_REP_SENT;
}

int conn_establish(struct cm_conn *c)
{
	if (c->state == CONN_ESTABLISHED)
		return refuse(-EISCONN, "NOTIFY: the connection is established");
	if (c->state != CONN_REP_SENT && c->state != CONN_MRA_REP_RCVD)
		return refuse(-EINVAL, "NOTIFY: COMM_EST: the connection waits for no RTU");
	conn_cancel(c);
	c->state = CONN_ESTABLISHED;
	return 0;
}

/* --- service ID resolution -------------------------------------------------------------------- */

int conn_send_sidr_req(struct cm_conn *c, const struct cm_route *r, uint64_t service_id,
		       const uint8_t *data, uint32_t len)
{
	if (len > SIDR_REQ_PRIVATE_BYTES)
		return refuse(-EINVAL, "CONNECT: private_data_len: a request has room for %u bytes",
			      SIDR_REQ_PRIVATE_BYTES - CM_HDR_BYTES);
	c->path = r->p;
	c->service_id = service_id;
	c->timeout_ms = conn_ms(CM_RESPONSE_TIMEOUT);
	c->max_retries = CM_RETRIES;
	mad_begin(c->msg, CM_SIDR_REQ, c->local_id);
	mad_set(c->msg, SIDR_REQUEST_ID, c->local_id);
	mad_set(c->msg, SIDR_REQ_PKEY, r->pkey);
	mad_set(c->msg, SIDR_REQ_SERVICE_ID, service_id);
	memcpy(mad_at(c->msg, SIDR_REQ_PRIVATE), data, len);
	return conn_send_waiting(c, CONN_SIDR_REQ_SENT);
}

int conn_send_sidr_rep(struct cm_conn *c, unsigned int status, uint32_t qpn, uint32_t qkey,
		       const struct rdma_ucm_ece *ece, const uint8_t *data, uint32_t len)
{
	uint8_t mad[CM_MAD_BYTES];

	if (len > SIDR_REP_PRIVATE_BYTES)
		return refuse(-EINVAL, "ACCEPT: private_data_len %u: a reply has room for %u bytes",
			      len, SIDR_REP_PRIVATE_BYTES);
	if (c->state != CONN_SIDR_REQ_RCVD)
		return send_refuse(c, "SIDR_REP");
	mad_begin(mad, CM_SIDR_REP, c->tid);
	mad_set(mad, SIDR_REQUEST_ID, c->remote_id);
	mad_set(mad, SIDR_REP_STATUS, status);
	mad_set(mad, SIDR_REP_QPN, qpn);
	mad_set(mad, SIDR_REP_SERVICE_ID, c->service_id);
	mad_set(mad, SIDR_REP_QKEY, qkey);
	if (ece) {
		mad_set(mad, MAD_MODIFIER, ece->attr_mod);
		mad_set(mad, SIDR_REP_VENDOR_ID_LOW, ece->vendor_id);
		mad_set(mad, SIDR_REP_VENDOR_ID_HIGH, ece->vendor_id >> 8 & 0xff);
	}
	if (len)
		memcpy(mad_at(mad, SIDR_REP_PRIVATE), data, len);
	conn_send(c, mad);
	conn_reset(c);
	return 0;
}
